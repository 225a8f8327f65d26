"""Which spans only lead elsewhere: tables of contents, "see also", lists of related notes."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import Final, NamedTuple

from headwise.chunking.layout import LEADING, Layout
from headwise.model import Block, Link

_NO_SPACES: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Scripts without spaces between words: a character of them counts as half a word."""
_WORD: Final = re.compile(f"(?P<half>[{_NO_SPACES}])|[^\\W{_NO_SPACES}]+")
_URL: Final = re.compile(r"https?://[^\s<>]+")
# one that names a place on its own page, as Rust's RFCs have under each heading, leads nowhere
_DEFINITION: Final = re.compile(r"^[ \t>]*\[[^\]\n]+\]:[ \t]*(?:(?P<leads>[^\s#])|#).*$", re.MULTILINE)
# what is no word although it has letters or digits: HTML tags, an item's number and box, a block id
_MARKUP: Final = re.compile(
    r"</?[A-Za-z][^<>]*>|^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])(?:[ \t]+\[[ xX]\])?(?=\s))+|^[ \t>]*\^[A-Za-z0-9-]+[ \t]*$",
    re.MULTILINE,
)
# pictures, films, and components that stand for something rather than around it
_MEDIA: Final = re.compile(r"<(?:(?:audio|iframe|img|object|svg|video)\b|[A-Z][^<>]*/>)")
# more words at the start of a text than may introduce links: nothing among them that is markup or may begin a link.
# Numbers between them are not counted: one may be an item's.
_BETWEEN: Final = r"[\s>,;:.!?*`()'’\"“”—–+-]"
_SPEECH: Final = re.compile(
    rf"{_BETWEEN}*+(?:(?:[A-Za-z_]\w*+{_BETWEEN}++(?:[0-9]++{_BETWEEN}++)*+){{9}}"
    rf"|(?:(?:[\u3040-\u30ff\u3400-\u9fff]|[A-Za-z]++)(?:{_BETWEEN}|[，。、；：！？（）])*+){{17}})",
    re.ASCII,
)
_AFTER_COLON: Final = " \t\r\n*_"
_SHOWING: Final = frozenset({"code_block", "math_block"})
_SILENT: Final = frozenset({"heading", "other"})

_JOINING: Final = 2
"""Words in a row that may join or label links: "see also", "on", "by"; more of them say something."""
_INTRODUCING: Final = 8
"""Words in a row before a colon that may introduce links."""


class _Outside(NamedTuple):
    """What a block holds besides the text of its links."""

    texts: list[str]
    """The text before, between and after its links."""
    links: int
    definitions: int
    shows: bool
    """Whether it has a picture or an embed that is not itself a link."""


def is_navigation(layout: Layout, start: int, end: int) -> bool:
    """Whether the span's text, headings aside, is only links.

    What is left outside the links has no words, or a few that join, label or introduce them: at most two in a row,
    eight before a colon, and not more than there are links. A link's definition is a link that may have no words
    beside it. Code, formulas, and pictures, films, components and embeds that are not links, show something
    themselves; words in comments are words.
    """
    if not layout.leads:
        return False
    tops = layout.tops_between(start, end)
    if _says_something(layout, tops, start):
        return False
    links = list(_links(layout, start, end))
    if not links and all(layout.text.find(sign, start, end) < 0 for sign in LEADING):
        return False
    blocks = layout.tree.blocks
    leading = 0
    words = defined = 0.0
    for number in tops:
        if layout.top_kinds[number] == "heading":
            continue
        block = blocks[layout.tops[number]]
        outside = _outside(layout, block._replace(start=max(block.start, start), end=min(block.end, end)), links)
        leading += outside.links
        defined += outside.definitions
        for text in outside.texts:
            if _SPEECH.match(text):
                return False
            said, urls = _URL.subn(" ", _MARKUP.sub(" ", text))
            size = _words(said)
            words += size
            leading += urls
            if (
                outside.shows
                or size > (_INTRODUCING if said.rstrip(_AFTER_COLON).endswith((":", "：")) else _JOINING)
                or _MEDIA.search(text)
            ):
                return False
    if not leading + defined or words > leading:
        return False
    inside = blocks.shapes[max(layout.innermost(start), 0) : layout.innermost(end - 1) + 1]
    return all(shape.kind not in _SHOWING for shape in inside)


def _says_something(layout: Layout, tops: range, start: int) -> bool:
    """Whether code, a formula or the first words below headings and definitions tell at once that the span does."""
    kinds = layout.top_kinds[tops.start : tops.stop]
    if "code_block" in kinds or "math_block" in kinds:
        return True
    for number in tops:
        if kinds[number - tops.start] not in _SILENT:
            begun = layout.top_starts[number]
            until = layout.tree.blocks.ends[layout.tops[number]]
            return begun >= start and _SPEECH.match(layout.text, begun, until) is not None
    return False


def _words(said: str) -> float:
    """How many words there are, or that they are too many."""
    size = 0.0
    for word in _WORD.finditer(said):
        size += 0.5 if word["half"] else 1
        if size > _INTRODUCING:
            break
    return size


def _outside(layout: Layout, block: Block, links: list[Link]) -> _Outside:
    """What *block* holds besides its links, of which *links* has those of the whole span."""
    text = layout.text
    if block.kind == "other":
        lines = text[block.start : block.end]
        definitions = sum(1 for found in _DEFINITION.finditer(lines) if found["leads"])
        return _Outside([_DEFINITION.sub("", lines)], 0, definitions, shows=False)
    first = bisect_left(links, block.start + 1, key=lambda link: link.end)
    inside = links[first : bisect_left(links, block.end, lo=first, key=lambda link: link.start)]
    texts: list[str] = []
    at = block.start
    for link in inside:
        texts.append(text[at : max(link.start, at)])
        at = min(link.end, block.end)
    texts.append(text[at : block.end])
    return _Outside(texts, len(inside), 0, shows=any(link.kind in ("image", "embed") for link in inside))


def _links(layout: Layout, start: int, end: int) -> Iterator[Link]:
    """The outermost links in the span, in order, with one that began before it."""
    links = layout.tree.links
    first = bisect_left(layout.link_starts, start)
    while first and links[first - 1].end > start:
        first -= 1
    last = bisect_left(layout.link_starts, end, lo=first)
    reached = start
    for link in links[first:last]:
        if link.end > reached:
            yield link
            reached = link.end
