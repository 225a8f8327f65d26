"""Markdown to a flat list of blocks with exact character spans, from pyromark's (pulldown-cmark's) events.

Events carry UTF-8 byte ranges. Only where a block *starts* is taken from them, as a line: a block begins at
the start of its first line and runs to the start of the next block, so children tile their parent by
construction, and whatever has no event (reference definitions) is found as a gap and becomes a block `other`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import pyromark
from pyromark import Options

from headwise.model import Block, Kind, Link, Span
from headwise.reading.tiling import Place, tile

MAX_DEPTH: Final = 24
"""Containers nested deeper than this have no blocks of their own: their lines belong to the deepest that has."""

_OPTIONS: Final = (
    Options.ENABLE_TABLES
    | Options.ENABLE_FOOTNOTES
    | Options.ENABLE_STRIKETHROUGH
    | Options.ENABLE_TASKLISTS
    | Options.ENABLE_MATH
    | Options.ENABLE_GFM
    | Options.ENABLE_WIKILINKS
)

_KINDS: Final[dict[str, Kind]] = {
    "Paragraph": "paragraph",
    "Heading": "heading",
    "BlockQuote": "block_quote",
    "CodeBlock": "code_block",
    "HtmlBlock": "html_block",
    "List": "list",
    "Item": "list_item",
    "Table": "table",
    "TableHead": "table_row",
    "TableRow": "table_row",
    "FootnoteDefinition": "footnote",
}
LinkKind = Literal["link", "image", "wikilink", "embed"]
_LINKS: Final[dict[str, tuple[LinkKind, LinkKind]]] = {"Link": ("link", "wikilink"), "Image": ("image", "embed")}
"""Kinds of link: plain, and as a wikilink."""
_ATOMS: Final = frozenset({"Code", "InlineMath", "DisplayMath", "InlineHtml", "FootnoteReference"})
_SAID: Final = frozenset({"Text", "Code", "InlineMath", "DisplayMath"})
_BREAKS: Final = frozenset({"SoftBreak", "HardBreak"})
_LEVELS: Final = {f"H{n}": n for n in range(1, 7)}
_FENCE: Final = re.compile(rb"`+|~+")
_GAP: Final = re.compile(rb"[^\s>]")
# the parser does not let a tab follow a closing fence; it is shown spaces
_AFTER_FENCE: Final = re.compile(r"(?<=```|~~~)[ \t]++(?=[\r\n]|\Z)")
_LONE_RETURN: Final = re.compile(r"\r(?!\n)")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


@dataclass(slots=True)
class _Open:
    """A block whose end has not come yet."""

    kind: Kind
    last_end: int = -1
    """Byte where its last child ended; -1 before the first."""
    in_text: bool = False
    """True while inline events belong to a paragraph that a tight list leaves out."""


@dataclass(slots=True)
class _Found:
    """What the events say, still in bytes."""

    blocks: list[tuple[Kind, int, int, int, str]] = field(default_factory=list[tuple[Kind, int, int, int, str]])
    """Kind, start byte, depth, level, fence."""
    titles: dict[int, str] = field(default_factory=dict[int, str])
    """Start byte of a top-level heading to its text."""
    atoms: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    links: list[tuple[int, int, str, LinkKind]] = field(default_factory=list[tuple[int, int, str, LinkKind]])


@dataclass(frozen=True, slots=True)
class Markdown:
    """The blocks of a text, the titles of its top-level headings by their start, and its inline spans."""

    blocks: tuple[Block, ...]
    titles: dict[int, str]
    atoms: tuple[Span, ...]
    links: tuple[Link, ...]


def parse_markdown(text: str, start: int, lines: tuple[int, ...]) -> Markdown:
    """Parse *text* from *start* on.

    Args:
        text: the text to parse, masked where a flavour asks for it; positions are its characters.
        start: where the body begins.
        lines: start of every line of *text*.
    """
    body = text[start:] if start else text
    if "\r" in body:
        body = _LONE_RETURN.sub("\n", body)
    if "\t" in body:
        body = _AFTER_FENCE.sub(lambda m: m.group().replace("\t", " "), body)
    try:
        data = body.encode()
    except UnicodeEncodeError:
        body = _SURROGATE.sub("\ufffd", body)
        data = body.encode()
    found = _Reader(data).read(body)
    to_char = _character_map(data, start, found, is_ascii=len(data) == len(body))
    blocks = _place(found, to_char, start, len(text), lines)
    titles = {
        block.start: found.titles[byte]
        for block, (_, byte, _, _, _) in zip(blocks, found.blocks, strict=True)
        if byte in found.titles and block.kind == "heading"
    }
    atoms = tuple(Span(to_char[a], to_char[b]) for a, b in _outermost(found.atoms))
    # in order of their starts: an image inside a link ends before it does
    links = tuple(sorted(Link(to_char[a], to_char[b], target, kind) for a, b, target, kind in found.links))
    # of two footnotes on one line the first is nothing but its label, and the first row that the parser gives up is
    # empty: they have no line of their own
    return Markdown(tuple(block for block in blocks if block.start < block.end), titles, atoms, links)


class _Reader:
    """Folds the parser's events; made for one text and thrown away."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.found = _Found()
        self.stack = [_Open("other")]
        self.title: list[str] | None = None
        self.in_image = 0
        self.link_starts: list[tuple[int, str, LinkKind]] = []

    def read(self, body: str) -> _Found:
        """Blocks, titles and inline spans of *body*, whose UTF-8 form is the reader's data."""
        event: Any
        stack, atoms = self.stack, self.found.atoms
        for event, where in pyromark.events_with_range(body, options=_OPTIONS):
            if event.__class__ is str:
                name = value = event
            else:
                ((name, value),) = event.items()
            if name == "Start":
                self._begin(value, where["start"], where["end"])
            elif name == "End":
                self._finish(value, where["start"], where["end"])
            elif name == "Rule":
                self._open("thematic_break", where["start"])
                stack.pop()
                stack[-1].last_end = where["end"]
            else:
                if name in _ATOMS:
                    atoms.append((where["start"], where["end"]))
                # most of what is said matters to nobody: it stands in a paragraph
                if self.title is not None:
                    self._say(self.title, name, value)
                elif stack[-1].kind == "list_item":
                    self._in_text(where["start"], where["end"])
        self._add_gap(max(self.stack[0].last_end, 0), len(self.data), 0)
        self.found.blocks.sort(key=lambda block: block[1])  # gaps are found late; the sort is stable
        return self.found

    def _begin(self, value: Any, start: int, end: int) -> None:
        tag = value if value.__class__ is str else next(iter(value))
        kind = _KINDS.get(tag)
        if kind:
            self._start_block(kind, value, start)
        else:
            self._start_inline(tag, value, start, end)

    def _finish(self, value: Any, start: int, end: int) -> None:
        tag = value if value.__class__ is str else next(iter(value))
        kind = _KINDS.get(tag)
        if kind:
            self._end_block(kind, start, end)
        elif tag in _LINKS:
            self._end_link(tag, end)

    def _start_block(self, kind: Kind, value: Any, at: int) -> None:
        if self.stack[-1].kind == "table" and kind != "table_row":
            # a table with too many cells ends early, but the parser leaves what follows inside it
            self.stack.pop()
            self.stack[-1].last_end = at
        if kind == "heading":
            self._open(kind, at, level=_LEVELS[value["Heading"]["level"]])
            if len(self.stack) == 2:
                self.title = []
        elif kind == "code_block" and value["CodeBlock"] != "Indented":
            run = _FENCE.match(self.data, at)
            self._open(kind, at, fence=run[0].decode() if run else "")
        else:
            self._open(kind, at)

    def _end_block(self, kind: Kind, start: int, end: int) -> None:
        if kind == "table" and self.stack[-1].kind != "table":
            return
        done = self.stack.pop()
        if kind == "list" and done.last_end >= 0:
            end = done.last_end  # a list is its items, but the parser has it end among the link definitions below it
        elif done.last_end >= 0 and kind != "table":
            self._add_gap(done.last_end, end, len(self.stack))
        self.stack[-1].last_end = end
        if self.title is not None:
            self.found.titles[start] = "".join(self.title)
            self.title = None

    def _open(self, kind: Kind, at: int, *, level: int = 0, fence: str = "") -> None:
        while at < len(self.data) and self.data[at] in b"\r\n":
            at += 1  # a list indented by a tab is said to start at the end of the line before
        parent = self.stack[-1]
        depth = len(self.stack) - 1
        if parent.kind != "table" and (parent.last_end >= 0 or depth == 0):
            self._add_gap(max(parent.last_end, 0), at, depth)
        if depth < MAX_DEPTH:
            self.found.blocks.append((kind, at, depth, level, fence))
        parent.in_text = False
        self.stack.append(_Open(kind))

    def _add_gap(self, start: int, end: int, depth: int) -> None:
        """Text between siblings that no event covers becomes a block of its own."""
        if depth < MAX_DEPTH and (inside := _GAP.search(self.data, start, end)):
            self.found.blocks.append(("other", inside.start(), depth, 0, ""))

    def _start_inline(self, tag: str, value: Any, start: int, end: int) -> None:
        if tag in _LINKS:
            details = value[tag]
            wiki = details["link_type"].__class__ is dict
            target = details["dest_url"]
            self.link_starts.append((start, target.removesuffix("\\") if wiki else target, _LINKS[tag][wiki]))
            self.in_image += tag == "Image"
        if self.stack[-1].kind == "list_item":
            self._in_text(start, end)

    def _end_link(self, tag: str, end: int) -> None:
        begun, target, kind = self.link_starts.pop()
        if target[:5].lower() != "data:":  # a picture that stands in the text itself leads nowhere
            self.found.links.append((begun, end, target, kind))
        self.found.atoms.append((begun, end))
        self.in_image -= tag == "Image"

    def _say(self, title: list[str], name: str, value: str) -> None:
        """Add something inline to the *title* of a heading."""
        if name in _SAID and not self.in_image:
            title.append(value)
        elif name in _BREAKS:
            title.append(" ")

    def _in_text(self, start: int, end: int) -> None:
        """Inline content right inside an item: a tight list leaves its paragraphs out."""
        if not self.stack[-1].in_text:
            self._open("paragraph", start)
            self.stack.pop()
            self.stack[-1].in_text = True
        self.stack[-1].last_end = max(self.stack[-1].last_end, end)


def _outermost(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Those of *spans* that lie in no other, in order."""
    kept: list[tuple[int, int]] = []
    last_end = -1
    for start, end in sorted(spans):  # no two begin at one place
        if end > last_end:
            kept.append((start, end))
            last_end = end
    return kept


def _character_map(data: bytes, start: int, found: _Found, *, is_ascii: bool) -> Mapping[int, int] | Sequence[int]:
    """Byte offset → character offset, for every byte offset in *found*, in one pass over *data*."""
    if is_ascii:
        return range(start, start + len(data) + 1)
    wanted = {block[1] for block in found.blocks}
    wanted.update(found.titles)
    for a, b in found.atoms:
        wanted.add(a)
        wanted.add(b)
    for a, b, _, _ in found.links:
        wanted.add(a)
        wanted.add(b)
    to_char: dict[int, int] = {}
    last_byte, last_char = 0, start
    for at in sorted(wanted):
        last_char += len(data[last_byte:at].decode())
        last_byte = at
        to_char[at] = last_char
    return to_char


def _place(
    found: _Found, to_char: Mapping[int, int] | Sequence[int], start: int, end: int, lines: tuple[int, ...]
) -> tuple[Block, ...]:
    """Blocks that begin at the start of their line."""
    places: list[Place] = []
    line = bisect_right(lines, start)
    begun = start
    following = lines[line] if line < len(lines) else end + 1
    for kind, byte, depth, level, fence in found.blocks:
        at = to_char[byte]
        while following <= at:
            begun = following
            line += 1
            following = lines[line] if line < len(lines) else end + 1
        places.append(Place(kind, begun, depth, level, fence))
    return tile(places, start, end)
