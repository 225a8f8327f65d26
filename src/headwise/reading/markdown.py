"""Markdown to a flat list of blocks with exact character spans, from pyromark's (pulldown-cmark's) events.

Events carry UTF-8 byte ranges. Only where a block *starts* is taken from them, as a line: a block begins at
the start of its first line and runs to the start of the next block, so children tile their parent by
construction, and whatever has no event (reference definitions) is found as a gap and becomes a block `other`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

import pyromark
from pyromark import Options

from headwise.model import Block, Kind, Link, Span

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
_LEVELS: Final = {f"H{n}": n for n in range(1, 7)}
_FENCE: Final = re.compile(rb"`+|~+")
_GAP: Final = re.compile(rb"[^\s>]")
_UNREADABLE: Final = re.compile("\r(?!\n)|[\ud800-\udfff]")


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
    links: list[tuple[int, int, str, str]] = field(default_factory=list[tuple[int, int, str, str]])


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
    if _UNREADABLE.search(body):
        body = _UNREADABLE.sub(lambda m: "\n" if m.group() == "\r" else "\ufffd", body)
    data = body.encode()
    found = _read_events(body, data)
    to_char = _character_map(data, start, found, is_ascii=len(data) == len(body))
    blocks = _tile(found, to_char, start, len(text), lines)
    titles = {lines[bisect_right(lines, to_char[at]) - 1]: title for at, title in found.titles.items()}
    atoms = tuple(Span(to_char[a], to_char[b]) for a, b in _outermost(found.atoms))
    links = tuple(Link(to_char[a], to_char[b], target, kind) for a, b, target, kind in found.links)  # pyright: ignore[reportArgumentType] - one of four literals, set below
    return Markdown(blocks, titles, atoms, links)


def _read_events(body: str, data: bytes) -> _Found:
    """Fold the parser's events into blocks, titles and inline spans."""
    found = _Found()
    stack: list[_Open] = [_Open("other")]
    title: list[str] | None = None
    in_image = 0
    link_starts: list[tuple[int, str, str]] = []
    blocks, atoms = found.blocks, found.atoms
    event: Any
    for event, where in pyromark.events_with_range(body, options=_OPTIONS):
        at: int = where["start"]
        name: str
        value: Any
        if event.__class__ is str:
            name, value = event, None
        else:
            ((name, value),) = event.items()
        if name == "Start" or name == "End":
            tag: str = value if value.__class__ is str else next(iter(value))
            kind = _KINDS.get(tag)
            if kind is not None:
                if name == "Start":
                    level = _LEVELS[value["Heading"]["level"]] if kind == "heading" else 0
                    fence = _FENCE.match(data, at) if kind == "code_block" and value["CodeBlock"] != "Indented" else None
                    _open_block(found, data, stack, kind, at, level, fence[0].decode() if fence else "")
                    if kind == "heading" and len(stack) == 2:
                        title = []
                else:
                    done = stack.pop()
                    end: int = where["end"]
                    if done.last_end >= 0 and done.kind != "table":
                        _add_gap(found, data, done.last_end, end, len(stack))
                    stack[-1].last_end = end
                    stack[-1].in_text = False
                    if title is not None and kind == "heading" and len(stack) == 1:
                        found.titles[at] = "".join(title)
                        title = None
                continue
            if tag in ("Link", "Image"):
                if name == "Start":
                    details = value[tag]
                    wiki = details["link_type"].__class__ is dict
                    link_kind = ("embed" if wiki else "image") if tag == "Image" else ("wikilink" if wiki else "link")
                    link_starts.append(
                        (at, details["dest_url"].removesuffix("\\") if wiki else details["dest_url"], link_kind)
                    )
                    in_image += tag == "Image"
                else:
                    begun, target, link_kind = link_starts.pop()
                    found.links.append((begun, where["end"], target, link_kind))
                    atoms.append((begun, where["end"]))
                    in_image -= tag == "Image"
        elif name == "Rule":
            _open_block(found, data, stack, "thematic_break", at)
            stack.pop()
            stack[-1].last_end = where["end"]
            continue
        elif name == "Html":
            continue
        elif name in ("Code", "InlineMath", "DisplayMath", "InlineHtml", "FootnoteReference"):
            atoms.append((at, where["end"]))
        if title is not None:
            if name in ("Text", "Code", "InlineMath", "DisplayMath"):
                if not in_image:
                    title.append(value)
            elif name in ("SoftBreak", "HardBreak"):
                title.append(" ")
        elif stack[-1].kind == "list_item" and not stack[-1].in_text and name != "End":
            # a tight list leaves its paragraphs out
            _open_block(found, data, stack, "paragraph", at)
            stack.pop()
            stack[-1].in_text = True
        if stack[-1].in_text:
            stack[-1].last_end = max(stack[-1].last_end, where["end"])
    _add_gap(found, data, max(stack[0].last_end, 0), len(data), 0)
    blocks.sort(key=lambda block: block[1])  # gaps are found late; the sort is stable and nearly sorted already
    return found


def _open_block(found: _Found, data: bytes, stack: list[_Open], kind: Kind, at: int, level: int = 0, fence: str = "") -> None:
    parent = stack[-1]
    depth = len(stack) - 1
    if parent.kind != "table" and (parent.last_end >= 0 or depth == 0):
        _add_gap(found, data, max(parent.last_end, 0), at, depth)
    if depth < MAX_DEPTH:
        found.blocks.append((kind, at, depth, level, fence))
    parent.in_text = False
    stack.append(_Open(kind))


def _add_gap(found: _Found, data: bytes, start: int, end: int, depth: int) -> None:
    """Text between siblings that no event covers becomes a block of its own."""
    if end - start > 1 and depth < MAX_DEPTH and (inside := _GAP.search(data, start, end)):
        found.blocks.append(("other", inside.start(), depth, 0, ""))


def _outermost(spans: list[tuple[int, int]]) -> Iterable[tuple[int, int]]:
    """Those of *spans* that lie in no other, in order."""
    last = -1
    for a, b in sorted(spans, key=lambda span: (span[0], -span[1])):
        if b > last:
            yield a, b
            last = b


def _character_map(data: bytes, start: int, found: _Found, *, is_ascii: bool) -> dict[int, int]:
    """Byte offset → character offset, for every byte offset in *found*, in one pass over *data*."""
    wanted = {block[1] for block in found.blocks}
    wanted.update(found.titles)
    for a, b in found.atoms:
        wanted.add(a)
        wanted.add(b)
    for a, b, _, _ in found.links:
        wanted.add(a)
        wanted.add(b)
    if is_ascii:
        return {at: at + start for at in wanted}
    to_char: dict[int, int] = {}
    last_byte, last_char = 0, start
    for at in sorted(wanted):
        last_char += len(data[last_byte:at].decode())
        last_byte = at
        to_char[at] = last_char
    return to_char


def _tile(found: _Found, to_char: dict[int, int], start: int, end: int, lines: tuple[int, ...]) -> tuple[Block, ...]:
    """Blocks from the starts: each begins at its line's start and ends where the next at its depth or above begins."""
    starts: list[int] = []
    line = bisect_right(lines, start) - 1
    count = len(lines)
    for _, byte, _, _, _ in found.blocks:
        at = to_char[byte]
        while line + 1 < count and lines[line + 1] <= at:
            line += 1
        starts.append(max(lines[line], start))
    if starts:
        # blank lines before the first block are its own, so that blocks tile the whole body
        first = starts[0]
        starts = [start if at == first else at for at in starts]
    ends = [end] * len(starts)
    open_at: list[tuple[int, int]] = []
    depth_before = -1
    for index, (_, _, depth, _, _) in enumerate(found.blocks):
        if depth > depth_before >= 0:
            starts[index] = starts[index - 1]  # a first child begins where its parent does: markers, an alert's title
        depth_before = depth
        while open_at and open_at[-1][0] >= depth:
            ends[open_at.pop()[1]] = starts[index]
        open_at.append((depth, index))
    return tuple(
        Block(kind, at, until, depth, level, fence)
        for (kind, _, depth, level, fence), at, until in zip(found.blocks, starts, ends, strict=True)
        if until > at
    )
