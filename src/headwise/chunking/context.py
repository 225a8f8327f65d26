"""What is put around a span so that it stands alone: breadcrumb, reopened blocks, closing fence."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from enum import IntEnum
from typing import Final, NamedTuple

from headwise.chunking.layout import Layout, Surroundings
from headwise.model import Block, Kind, Span

SEPARATOR: Final = " > "

_CALLOUT: Final = re.compile(r"[ \t]*>[ \t]*\[![^\]]+\].*")
_COLONS: Final = ":："
_LONGEST_LABEL: Final = 500
_LABEL: Final = re.compile(r"[^\[\r\n]*\[\^[^\]\r\n]+\]:")
_MARKED: Final = frozenset({"block_quote", "list", "footnote", "admonition"})
"""Blocks whose lines begin with signs or indentation."""
_MARK: Final = re.compile(r"[ \t]*(>|(?:[-*+]|\d{1,9}[.)])(?=[ \t]))[ \t]?")
_INDENT: Final = re.compile(r"[ \t]*")
_BOX: Final = re.compile(r"[ \t]*(?:\[[ xX]\][ \t]+)?")
_LONGEST_TITLE: Final = 500
"""Characters of a title over which it is compared as it stands: titles are compared again and again."""

_LINE_BREAK: Final = re.compile(r"\r\n?|\n")
_AFTER_FENCE: Final = " \t\r\n>"


class Heads(NamedTuple):
    """Indices of the first and the last section of those whose headings stand one right after the other."""

    first: int
    last: int


class _Rank(IntEnum):
    """What gives way first when context is too long."""

    PARENT_LINE = 0
    LEAD_IN = 1
    CLOSING = 2
    HEADER = 3
    TRAIL = 4


_RANKS: Final[Mapping[Kind, _Rank]] = {
    "table": _Rank.HEADER,
    "code_block": _Rank.HEADER,
    "list": _Rank.LEAD_IN,
    "list_item": _Rank.PARENT_LINE,
    "block_quote": _Rank.LEAD_IN,
    "admonition": _Rank.LEAD_IN,
    "footnote": _Rank.LEAD_IN,
    "math_block": _Rank.HEADER,
}
"""Kinds of block that are reopened."""


def _innermost(layout: Layout, heads: Heads | None, start: int, end: int) -> int:
    """Index of the last section of the trail of a span that begins with these headings, -1 if it is empty.

    The trail is the sections that hold the whole body of the span. The headings it begins with do not count as its
    body, those it ends with do.
    """
    sections = layout.sections
    if heads is None:
        index = layout.section_at(start)
    else:
        index = heads.last
        if sections[index].own_start >= end:  # nothing but headings: the innermost section that holds them all
            first = sections[heads.first].start
            while index >= 0 and (sections[index].end < end or sections[index].start > first):
                index = sections[index].parent
            return index
    while index >= 0 and sections[index].end < end:
        index = sections[index].parent
    return index


def leading_headings(layout: Layout, start: int, end: int) -> Heads | None:
    """The sections whose headings stand at the head of the span, one right after the other; None if it has none."""
    sections = layout.sections
    index = bisect_right(layout.section_starts, start) - 1
    if index < 0:
        return None
    section = sections[index]
    # a span that begins with a heading may have been trimmed of its indentation
    if start != section.start and (start >= section.own_start or layout.shows(section.start, start)):
        return None
    first = index
    while index + 1 < len(sections) and sections[index + 1].start == sections[index].own_start < end:
        index += 1
    return Heads(first, index)


def headings(layout: Layout, start: int, end: int) -> tuple[str, ...]:
    """The trail as titles; headings without words leave no gap."""
    return _trail(layout, _innermost(layout, leading_headings(layout, start, end), start, end))


def _trail(layout: Layout, index: int) -> tuple[str, ...]:
    """Titles of the section *index* and those it lies in, outermost first."""
    known = layout.trails.get(index)
    if known is None:
        section = layout.sections[index]
        above = _trail(layout, section.parent)
        known = layout.trails[index] = (*above, section.title) if section.title else above
    return known


def _crumbs(layout: Layout, heads: Heads | None, start: int, end: int, *, whole: bool) -> tuple[str, ...]:
    """Parts of the breadcrumb: title and trail, without repeats and, unless *whole*, what the span begins with."""
    index = _innermost(layout, heads, start, end)
    if whole:
        return _names(layout, index)
    if heads is None:
        said = "" if layout.only_sections else layout.heading_at(start)
    else:
        said = layout.sections[heads.first].title
        while index >= heads.first:  # every section it lies in, from there on, is one of them
            index = layout.sections[index].parent
    known = layout.paths.get((index, said))
    if known is None:
        names = _names(layout, index)
        repeats = names and said and _same(names[-1], said)
        known = layout.paths[index, said] = names[:-1] if repeats else names
    return known


def _names(layout: Layout, index: int) -> tuple[str, ...]:
    """The title and the trail to the section *index*, without repeats and what is left out."""
    known = layout.names.get(index)
    if known is None:
        above = _names(layout, layout.sections[index].parent) if index >= 0 else ()
        name = layout.sections[index].title if index >= 0 else layout.title
        silent = not name or name in layout.unsaid or (above and _same(above[-1], name))
        known = layout.names[index] = above if silent else (*above, name)
    return known


def surround(
    layout: Layout, start: int, end: int, room: int, count: Callable[[str], int], *, whole_trail: bool = False
) -> Surroundings:
    """Context for the span that takes at most *room* in the unit of *count*; a *whole_trail* names its own heading too.

    Gives way in this order: the first lines of parent items, lead-ins and callout titles, the closing fence,
    reopened headers and fences, then the trail from its middle.
    """
    heads = leading_headings(layout, start, end)
    path = _crumbs(layout, heads, start, end, whole=whole_trail)
    reopened = tuple(_reopened(layout, start)) if heads is None and layout.is_inside(start) else ()
    needed = path, reopened, _closing(layout, start, end), room
    # most spans of a section or a list need the same
    known = layout.surroundings.get(needed)
    if known is None:
        known = layout.surroundings[needed] = Surroundings(*_fitting(_candidates(*needed[:3]), room, count))
    return known


def _fitting(candidates: Iterator[tuple[list[str], str]], room: int, count: Callable[[str], int]) -> tuple[str, str]:
    """The first of *candidates* that takes at most *room*; the last of them is nothing."""
    for parts, closing in candidates:
        # counted one by one first: what is too long for all of them is never joined anew at every position
        if not parts or max(map(count, parts)) <= room:
            before = "".join(parts)
            if not (before or closing) or count(before) + count(closing) <= room:
                return before, closing
    return "", ""


def _candidates(
    path: tuple[str, ...], reopened: tuple[tuple[int, str], ...], closing: str
) -> Iterator[tuple[list[str], str]]:
    """What to put before the span, in parts, and after it: from all there is to nothing."""
    yield [*_breadcrumb(path), *(text for _, text in reopened)], closing
    ranks = sorted({rank for rank, _ in reopened} | ({_Rank.CLOSING} if closing else set()))
    for lowest in (rank + 1 for rank in ranks):
        kept = [text for rank, text in reopened if rank >= lowest]
        yield [*_breadcrumb(path), *kept], closing if lowest <= _Rank.CLOSING else ""
    while path:
        middle = len(path) // 2 if len(path) > 2 else 0
        path = path[:middle] + path[middle + 1 :]
        yield _breadcrumb(path), ""


def _breadcrumb(path: tuple[str, ...]) -> list[str]:
    parts: list[str] = []
    for name in path:
        parts += (name, SEPARATOR)
    return [*parts[:-1], "\n\n"] if parts else []


def _same(a: str, b: str) -> bool:
    if a == b:
        return True
    # most begin with other letters, which need no folding
    if " " < a[0] < "\x7f" and " " < b[0] < "\x7f" and a[0].lower() != b[0].lower():
        return False
    if max(len(a), len(b)) > _LONGEST_TITLE:
        return False
    return " ".join(a.split()).casefold() == " ".join(b.split()).casefold()


def _reopened(layout: Layout, start: int) -> Iterator[tuple[int, str]]:
    """What the blocks that *start* lies inside need, outermost first; each text is whole lines.

    A span that begins within a line is given what that line begins with, as the last text, which ends no line.
    """
    frames = layout.frames(start)
    if not frames:
        return
    head = line_head(layout, frames, start)
    lines: list[_Rank] = []
    for index in frames:
        kind = layout.tree.blocks.shapes[index].kind
        rank = _RANKS.get(kind)
        if rank is None or not _needs_opening(layout, index, start):
            continue
        if kind == "footnote" and _LABEL.match(head):
            continue  # the same, with the text on its line
        if index not in layout.openings:
            layout.openings[index] = _opening(layout, index)
        if layout.openings[index]:
            lines += [rank] if rank < _Rank.CLOSING else []
            yield rank, layout.openings[index]
    if head and not head.isspace():
        yield _Rank.HEADER, head
    elif head and lines:
        yield max(lines), head  # indentation alone says nothing but below what it belongs to


def line_head(layout: Layout, frames: tuple[int, ...], start: int) -> str:
    """What the line of *start* begins with, if *start* lies within it: a quote's signs, an item's marker, a label.

    Args:
        layout: the document.
        frames: the blocks that *start* lies in, outermost first.
        start: where a span begins.
    """
    blocks = layout.tree.blocks
    outer, leaf = frames[max(len(frames) - 2, 0)], frames[max(len(frames) - 1, 0)]
    text = layout.text
    in_footnote = blocks.shapes[outer].kind == "footnote" and not text[start].isspace()
    label = _label(layout, blocks[outer]) if in_footnote else ""
    if label:
        return label + " "  # below its first line too: without indentation only this makes it part of the footnote
    line = layout.line_start(start)
    if line == start or not has_heads(layout, start) or not _is_kept(layout, line, start):
        return ""
    quotes = sum(blocks.shapes[index].kind == "block_quote" for index in frames)
    items = sum(blocks.shapes[index].kind == "list_item" and blocks.starts[index] == line for index in frames)
    at = line
    while mark := _MARK.match(text, at, start):
        quotes -= mark[1] == ">"
        items -= mark[1] != ">"
        if quotes < 0 or items < 0:
            break
        at = mark.end()
    if at == line or quotes < 0 or items < 0:
        indent = _INDENT.match(text, at, start)
        # that of code is its own
        at = indent.end() if indent and blocks.shapes[leaf].kind != "code_block" else at
    else:
        box = _BOX.match(text, at, start)
        at = box.end() if box else at
    return text[line:at]


def has_heads(layout: Layout, position: int) -> bool:
    """Whether the lines around *position* begin with signs or indentation that belong to what they stand in."""
    at = bisect_right(layout.top_starts, position) - 1
    return at >= 0 and layout.tree.blocks.shapes[layout.tops[at]].kind in _MARKED


def _label(layout: Layout, footnote: Block) -> str:
    """`[^1]:` with what stands before it on its line; empty for what goes on after something in a footnote."""
    line = layout.first_line(footnote)
    label = _LABEL.match(layout.text, line.start, min(line.end, line.start + _LONGEST_LABEL))
    return label[0] if label else ""


def _needs_opening(layout: Layout, index: int, start: int) -> bool:
    """Whether a span that begins at *start*, inside block *index*, does not itself hold what opens the block."""
    blocks = layout.tree.blocks
    kind = blocks.shapes[index].kind
    fence = layout.fence(index)
    if fence:
        # below the closing line only the end of a container still belongs to the code
        return fence.opened_at <= start <= (start if fence.closed_at is None else fence.closed_at)
    if kind in ("table", "list_item"):
        return layout.has_children(index) and start >= blocks.ends[index + 1]
    if kind in ("admonition", "block_quote", "footnote"):
        return start >= layout.first_line(blocks[index]).end
    return kind == "list"


def _opening(layout: Layout, index: int) -> str:
    """What reopens block *index*: header, fence, lead-in, first line, title or label; empty if nothing does."""
    block = layout.tree.blocks[index]
    fence = layout.fence(index)
    if block.kind == "table" and layout.has_children(index):
        end = layout.tree.blocks.ends[index + 1]  # of its first row
        return _lines(layout.text[block.start : end]) if _is_kept(layout, block.start, end) else ""
    if fence:
        return fence.opening + "\n" if _is_kept(layout, block.start, fence.opened_at) else ""
    if block.kind == "list":
        lead = lead_in(layout, index)
        return _lines(layout.text[lead.start : lead.end]) + "\n" if lead and _is_kept(layout, *lead) else ""
    if not _is_kept(layout, *layout.first_line(block)):
        return ""
    if block.kind == "footnote":
        label = _label(layout, block)
        return label + "\n" if label else ""
    first = _first_line(layout, block)
    return _lines(first) if block.kind in ("list_item", "admonition") or _CALLOUT.fullmatch(first) else ""


def _is_kept(layout: Layout, start: int, end: int) -> bool:
    """Whether no line of the span, which begins with a line, is left out of all chunks: then it is in no context."""
    return not layout.left_out or not layout.left_out_between(layout.line_start(start), end)


def _closing(layout: Layout, start: int, end: int) -> str:
    """The closing line of the fence that the span leaves open, after a newline; empty if it leaves none."""
    index = layout.innermost(end - 1)
    if index < 0:
        return ""
    shape = layout.tree.blocks.shapes[index]
    if not shape.fence and shape.kind != "math_block":
        return ""
    block = layout.tree.blocks[index]
    if shape.fence and start <= block.start and not layout.text[end : block.end].strip(_AFTER_FENCE):
        return ""  # it holds all of it
    fence = layout.fence(index)
    if fence is None or not _is_kept(layout, block.start, fence.opened_at):
        return ""
    if fence.closed_at is None:
        left_open = start >= fence.opened_at or end < layout.last_line(block).end
    else:
        left_open = end <= fence.closed_at
    return "\n" + fence.closing if left_open else ""


def lead_in(layout: Layout, index: int) -> Span | None:
    """The last line of the paragraph right before block *index*, if it ends with a colon."""
    before = index - 1
    shapes = layout.tree.blocks.shapes
    if before < 0 or shapes[before].depth != shapes[index].depth or shapes[before].kind != "paragraph":
        return None
    line = layout.last_line(layout.tree.blocks[before])
    at = line.end
    while at > line.start and not (layout.text[at - 1].isalnum() or layout.text[at - 1] in _COLONS):
        at -= 1
    return line if at > line.start and layout.text[at - 1] in _COLONS else None


def _first_line(layout: Layout, block: Block) -> str:
    start, end = layout.first_line(block)
    return layout.text[start:end].rstrip()


def _lines(text: str) -> str:
    """*text* with LF newlines, without blank lines at its ends, one newline last."""
    return _LINE_BREAK.sub("\n", text).strip("\n").rstrip() + "\n"
