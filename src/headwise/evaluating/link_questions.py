"""Questions from links: the sentence around a link, without the link, asks for what the link points to."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from urllib.parse import unquote

from headwise.evaluating.metrics import Place
from headwise.evaluating.pointing import HOLE, asks, mended
from headwise.evaluating.sources import Source, says_enough
from headwise.indexing.links import Directory, Target
from headwise.model import Link, Section
from headwise.reading.outline import slug
from headwise.reading.sentences import sentence_starts

LONGEST_PAGE = 4000
"""Characters of a page that is an answer as a whole; of a longer one nobody knows which part was meant."""
_SAYS_NOTHING = {"heading", "code_block", "table", "table_row", "html_block", "math_block", "comment", "thematic_break"}
_MARKS = re.compile(
    r"[*`]+|~~+|%%+|(?<!\w)_+|_+(?!\w)|^[ \t]*(?:/{3,}|:{3,}).*"
    r"|^[ \t>]*(?:[-+*]|\d{1,9}[.)])?[ \t]+(?:\[[ xX]\][ \t])?",
    re.MULTILINE,
)
_LINK = re.compile(
    r"`([^`]+)`|!?\[\[(?:[^\]|]*\|)?([^\]|]*)\]\]|!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])?|</?[a-zA-Z!][^<>]*>"
)
_SITE = re.compile(r"\.html?\Z", re.IGNORECASE)


class Asked(NamedTuple):
    """A question as it was found, before those that are the same become one."""

    text: str
    """Empty if the words around the link say too little to ask for anything."""
    target: Place
    """What a section says by itself, or a whole page."""
    heading: str
    source: str = ""
    """Path of the document whose own words it is; empty if that may be found."""
    skipped: int = 0
    """How many characters at the start of `target` are no answer."""


def link_questions(sources: Sequence[Source]) -> Iterator[Asked]:
    """Sentences around links to `page#section`, for what that section says by itself."""
    for source, link, page, fragment in _links(sources):
        section = find_section(page.sections, fragment) if fragment else None
        if section is not None:
            target = page.own(section)
            if says_enough(page.text_of(target)):
                yield Asked(sentence_without(source, link), target, section.title, source.path)


def page_questions(sources: Sequence[Source]) -> Iterator[Asked]:
    """Sentences around links to a whole page that is short enough to be an answer."""
    for source, link, page, fragment in _links(sources):
        if not fragment:
            target = page.body()
            if target.end - target.start <= LONGEST_PAGE and says_enough(page.text_of(target)):
                yield Asked(sentence_without(source, link), target, page.title, source.path)


def find_section(sections: Sequence[Section], fragment: str) -> Section | None:
    """The section that *fragment* means: an anchor, or a heading (the last of `A#B`) as it is written or in an anchor.

    Letter case does not matter; a block id (`^name`) is no section.
    """
    last = fragment.rpartition("#")[2].strip()
    wanted = {last.casefold(), slug(last)}
    return next((one for one in sections if last and one.anchor.casefold() in wanted), None)


def _links(sources: Sequence[Source]) -> Iterator[tuple[Source, Link, Source, str]]:
    """Links from one of *sources* to another: source, link, page and fragment."""
    directory = Directory(source.named() for source in sources)
    by_path = {source.path: source for source in sources}
    for source in sources:
        for link in source.tree.links:
            if link.kind in {"link", "wikilink"}:
                target = directory.resolve(source.path, link) or directory.resolve(source.path, _on_disk(link))
                target = target or _from_top(directory, source, link)
                if target and target.path != source.path:
                    yield source, link, by_path[target.path], target.fragment


def _on_disk(link: Link) -> Link:
    """*link* as it would point to the file that a site's page is made of: `guide.html#a` is `guide#a`."""
    path, sign, fragment = link.target.partition("#")
    return link._replace(target=f"{_SITE.sub('', path)}{sign}{fragment}")


def _from_top(directory: Directory, source: Source, link: Link) -> Target | None:
    """What `/guide/setup#a` means where the folder is larger than the site, as `docs/guide/setup.md` would be."""
    path, _, fragment = unquote(_on_disk(link).target).partition("#")
    found = directory.named(path, source.path) if path.startswith("/") and link.kind == "link" else None
    return Target(found, fragment.strip()) if found else None


def sentence_without(source: Source, link: Link) -> str:
    """The sentence around *link* as plain words, `…` for the text of *link*; empty if that says too little."""
    blocks = source.tree.blocks
    at = bisect_right(blocks.starts, link.start) - 1
    if at < 0 or blocks[at].kind in _SAYS_NOTHING:
        return ""
    begun = blocks.starts[at]
    end = min(blocks[at].end, blocks[at + 1].start if at + 1 < len(blocks) else blocks[at].end)
    starts = [begun, *sentence_starts(source.tree.text, begun, end, source.tree.atoms), end]
    here = bisect_right(starts, link.start) - 1
    text = source.tree.text
    before, after = text[starts[here] : link.start], text[link.end : starts[min(here + 1, len(starts) - 1)]]
    text = mended(plain_words(f"{before}{HOLE}{after}"))
    return text if asks(_LINK.sub(_code_only, f"{before}{HOLE}{after}")) else ""


def plain_words(text: str) -> str:
    """*text* in one line without Markdown's marks; of links their text is left."""
    linked = _LINK.sub(lambda found: found[1] or found[2] or found[3] or "", text)
    return " ".join(_MARKS.sub("", linked).split())


def _code_only(found: re.Match[str]) -> str:
    """Nothing for a link: a row of them says nothing, whatever they are called."""
    return found[1] or ""
