"""Markdown to a flat list of blocks with exact character spans, from pyromark's (pulldown-cmark's) events.

Events carry UTF-8 byte ranges. Only where a block *starts* is taken from them, as a line: a block begins at
the start of its first line and runs to the start of the next block, so children tile their parent by
construction, and whatever has no event (reference definitions) is found as a gap and becomes a block `other`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, chain, repeat
from operator import lt
from typing import Any, Final, Literal

import pyromark
from pyromark import Options

from headwise.model import Blocks, Kind, Link, Shape, Spans
from headwise.reading.tiling import in_order, tile

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

_LEAVES: Final[dict[str, Kind]] = {
    "Paragraph": "paragraph",
    "Heading": "heading",
    "CodeBlock": "code_block",
    "HtmlBlock": "html_block",
    "TableHead": "table_row",
    "TableRow": "table_row",
}
"""Blocks that hold no others."""
_CONTAINERS: Final[dict[str, Kind]] = {
    "BlockQuote": "block_quote",
    "List": "list",
    "Item": "list_item",
    "Table": "table",
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
_AFTER_FENCE: Final = re.compile(rb"(?<=```|~~~) *+\t[ \t]*+(?=[\r\n]|\Z)")
_LONE_RETURN: Final = re.compile(rb"\r(?!\n)")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


@dataclass(slots=True)
class _Open:
    """A container whose end has not come yet."""

    kind: Kind
    last_end: int = -1
    """Byte where its last child ended; -1 before the first."""
    in_text: bool = False
    """True while inline events belong to a paragraph that a tight list leaves out."""


@dataclass(slots=True)
class _Found:
    """What the events say, still in bytes: in columns, as all of it is there while the parser's own tree is."""

    places: list[int] = field(default_factory=list[int])
    """Where blocks start."""
    shapes: list[Shape] = field(default_factory=list[Shape])
    """What they are."""
    titles: dict[int, str] = field(default_factory=dict[int, str])
    """Start byte of a top-level heading to its text."""
    atom_starts: list[int] = field(default_factory=list[int])
    atom_ends: list[int] = field(default_factory=list[int])
    links: list[tuple[int, int, str, LinkKind]] = field(default_factory=list[tuple[int, int, str, LinkKind]])


@dataclass(frozen=True, slots=True)
class Markdown:
    """The blocks of a text, the titles of its top-level headings by their start, and its inline spans."""

    blocks: Blocks
    titles: dict[int, str]
    atoms: Spans
    links: tuple[Link, ...]


def parse_markdown(body: str | bytes, start: int, lines: Sequence[int]) -> Markdown:
    """Parse *body*, the text from *start* on.

    Args:
        body: what is to be parsed, masked where a flavour asks for it, as `readable` gives it.
        start: where it begins in the text, whose characters all positions are.
        lines: start of every line of the text.
    """
    body, data = (body, None) if isinstance(body, str) else (body.decode(), body)
    end = start + len(body)
    events = pyromark.events_with_range(body, options=_OPTIONS)
    data = data or body.encode()
    found = _Reader(data).read(events)
    del events
    is_moved = start or len(data) > len(body)
    del body  # up to four times the size of the text
    if is_moved:
        _to_characters(found, data, start)
    del data
    rows = map(bisect_right, repeat(lines), found.places)
    places = [lines[row - 1] if row > 1 else start for row in rows]  # a body begins a line, or is in the first
    blocks = tile(places, found.shapes, start, end)
    titles = {
        begun: found.titles[at]
        for begun, at, shape in zip(blocks.starts, found.places, found.shapes, strict=True)
        if at in found.titles and shape.kind == "heading"
    }
    # in order of their starts: an image inside a link ends before it does
    links = tuple(sorted(Link(*link) for link in found.links))
    return Markdown(_without_empty(blocks), titles, Spans(found.atom_starts, found.atom_ends), links)


def readable(text: str, start: int) -> str | bytes:
    """*text* from *start* on as the parser reads it: no lone surrogates, no lone CR, no tab after a closing fence.

    It stays equally long. If that is not *text* as it stands, it is given in UTF-8, a quarter of what a text takes that
    has an emoji.
    """
    try:
        whole = data = text.encode()
    except UnicodeEncodeError:
        return readable(_SURROGATE.sub("\ufffd", text), start)
    if start:
        data = data[len(text[:start].encode()) :]
    # looked for first: most have neither
    if b"\r" in data and _LONE_RETURN.search(data):
        data = _LONE_RETURN.sub(b"\n", data)
    if b"\t" in data and _AFTER_FENCE.search(data):
        data = _AFTER_FENCE.sub(lambda m: m.group().replace(b"\t", b" "), data)
    return text if data is whole else data


class _Reader:
    """Folds the parser's events; made for one text and thrown away."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.found = _Found()
        self.shapes: dict[tuple[Kind, int, int, str], Shape] = {}
        """Those there were, each to be made once."""
        self.stack = [_Open("other")]
        self.title: list[str] | None = None
        self.quiet = False
        """Whether what is inline matters to nobody: most of it stands in a leaf that is no title."""
        self.in_image = 0
        self.link_starts: list[tuple[int, str, LinkKind]] = []

    def read(self, events: Iterable[Any]) -> _Found:
        """Blocks, titles and inline spans of what the parser has read, which is the reader's data."""
        event: Any
        found = self.found
        for event, where in events:
            if "Text" in event:  # the most frequent first; no event without a value has one of these in its name
                if not self.quiet:
                    self._inline("Text", event["Text"], where["start"], where["end"])
            elif "Start" in event:
                self._start(event["Start"], where["start"], where["end"])
            elif "End" in event:
                self._end(event["End"], where["start"], where["end"])
            elif event == "Rule":
                self._add("thematic_break", where["start"]).last_end = where["end"]
            else:
                name, value = (event, event) if event.__class__ is str else next(iter(event.items()))
                if name in _ATOMS:
                    self._add_atom(where["start"], where["end"])
                if not self.quiet:
                    self._inline(name, value, where["start"], where["end"])
        self._add_gap(max(self.stack[0].last_end, 0), len(self.data), 0)
        found.places, found.shapes = in_order(found.places, found.shapes)  # now and then a gap is found late
        return found

    def _start(self, value: Any, start: int, end: int) -> None:
        tag = value if value.__class__ is str else next(iter(value))
        if tag in _LEAVES:
            self._leaf(tag, value, start, end)
            self.quiet = self.title is None
        elif tag in _CONTAINERS:
            kind = _CONTAINERS[tag]
            self._add(kind, start)
            self.stack.append(_Open(kind))
            self.quiet = False
        else:
            if tag in _LINKS:
                self._start_link(tag, value[tag], start)
            if not self.quiet and self.title is None:
                self._in_text(start, end)

    def _end(self, value: Any, start: int, end: int) -> None:
        tag = value if value.__class__ is str else next(iter(value))
        if tag in _LINKS:
            self._end_link(tag, end)
        elif tag in _LEAVES or tag in _CONTAINERS:
            if tag in _CONTAINERS:
                self._close(_CONTAINERS[tag], end)
            elif self.title is not None:
                self.found.titles[start] = "".join(self.title)
                self.title = None
            self.quiet = False

    def _leaf(self, tag: str, value: Any, at: int, end: int) -> None:
        """A block that holds no others, from *at* to *end*."""
        kind = _LEAVES[tag]
        level, fence = 0, ""
        if tag == "Heading":
            level = _LEVELS[value["Heading"]["level"]]
            if len(self.stack) == 1:
                self.title = []
        elif tag == "CodeBlock" and value["CodeBlock"] != "Indented":
            run = _FENCE.match(self.data, at)
            fence = run[0].decode() if run else ""
        self._add(kind, at, level, fence).last_end = end

    def _close(self, kind: Kind, end: int) -> None:
        if kind == "table" and self.stack[-1].kind != "table":
            return
        done = self.stack.pop()
        if kind == "list" and done.last_end >= 0:
            end = done.last_end  # a list is its items, but the parser has it end among the link definitions below it
        elif done.last_end >= 0 and kind != "table":
            self._add_gap(done.last_end, end, len(self.stack))
        self.stack[-1].last_end = end

    def _add(self, kind: Kind, at: int, level: int = 0, fence: str = "") -> _Open:
        """Add a block that begins at *at*, and give what it stands in."""
        data, stack = self.data, self.stack
        parent = stack[-1]
        if parent.kind == "table" and kind != "table_row":
            # a table with too many cells ends early, but the parser leaves what follows inside it
            stack.pop()
            parent = stack[-1]
            parent.last_end = at
        while at < len(data) and data[at] in b"\r\n":
            at += 1  # a list indented by a tab is said to start at the end of the line before
        depth = len(stack) - 1
        if parent.kind != "table" and (parent.last_end >= 0 or not depth):
            self._add_gap(max(parent.last_end, 0), at, depth)
        if depth < MAX_DEPTH:
            self.found.places.append(at)
            said = kind, depth, level, fence
            shape = self.shapes.get(said)
            if shape is None:
                shape = self.shapes[said] = Shape(*said)
            self.found.shapes.append(shape)
        parent.in_text = False
        return parent

    def _add_gap(self, start: int, end: int, depth: int) -> None:
        """Text between siblings that no event covers becomes a block of its own."""
        gap = self.data[start:end]
        if gap and not gap.isspace() and depth < MAX_DEPTH and (inside := _GAP.search(gap)):
            self.found.places.append(start + inside.start())
            self.found.shapes.append(Shape("other", depth))

    def _add_atom(self, start: int, end: int) -> None:
        """Add an atom in place of those inside it, which have come before."""
        starts, ends = self.found.atom_starts, self.found.atom_ends
        while starts and starts[-1] >= start:
            starts.pop()
            ends.pop()
        starts.append(start)
        ends.append(end)

    def _start_link(self, tag: str, details: Any, start: int) -> None:
        wiki = details["link_type"].__class__ is dict
        target = details["dest_url"]
        self.link_starts.append((start, target.removesuffix("\\") if wiki else target, _LINKS[tag][wiki]))
        self.in_image += tag == "Image"

    def _end_link(self, tag: str, end: int) -> None:
        begun, target, kind = self.link_starts.pop()
        if target[:5].lower() != "data:":  # a picture that stands in the text itself leads nowhere
            self.found.links.append((begun, end, target, kind))
        self._add_atom(begun, end)
        self.in_image -= tag == "Image"

    def _inline(self, name: str, value: str, start: int, end: int) -> None:
        """Something inline in the title of a heading, or right inside an item."""
        if self.title is None:
            self._in_text(start, end)
        elif name in _SAID and not self.in_image:
            self.title.append(value)
        elif name in _BREAKS:
            self.title.append(" ")

    def _in_text(self, start: int, end: int) -> None:
        """Inline content right inside an item: a tight list leaves its paragraphs out."""
        item = self.stack[-1]
        if not item.in_text:
            self._add("paragraph", start)
            item.in_text = True
        item.last_end = max(item.last_end, end)


def _without_empty(blocks: Blocks) -> Blocks:
    """*blocks* but those without a line of their own.

    Of two footnotes on one line the first is nothing but its label; the first row that the parser gives up is empty.
    """
    starts, ends, shapes = blocks.starts, blocks.ends, blocks.shapes
    if all(map(lt, starts, ends)):
        return blocks
    kept = [at for at, (start, end) in enumerate(zip(starts, ends, strict=True)) if start < end]
    return Blocks([starts[at] for at in kept], [ends[at] for at in kept], [shapes[at] for at in kept])


def _to_characters(found: _Found, data: bytes, start: int) -> None:
    """Have *found* say characters of the whole text instead of bytes of *data*, its part from *start* on."""
    found.places = _characters(data, start, found.places)
    if found.titles:
        found.titles = dict(zip(_characters(data, start, [*found.titles]), found.titles.values(), strict=True))
    if found.atom_starts:
        found.atom_starts = _characters(data, start, found.atom_starts)
        found.atom_ends = _characters(data, start, found.atom_ends)
    if found.links:
        ends = sorted({end for link in found.links for end in link[:2]})
        to_char = dict(zip(ends, _characters(data, start, ends), strict=True))
        found.links = [(to_char[a], to_char[b], target, kind) for a, b, target, kind in found.links]


def _characters(data: bytes, start: int, places: Sequence[int]) -> list[int]:
    """The character at each of the bytes *places* of *data*, which ascend; the first is *start*. In one pass."""
    between = map(data.__getitem__, map(slice, chain((0,), places), places))
    counted = accumulate(map(len, map(bytes.decode, between)), initial=start)
    next(counted)
    return list(counted)
