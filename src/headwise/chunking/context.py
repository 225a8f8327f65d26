"""What is put around a span so that it stands alone: breadcrumb, reopened blocks, closing fence."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from enum import IntEnum
from typing import Final, NamedTuple

from headwise.chunking.layout import Layout
from headwise.model import Block, Span

SEPARATOR: Final = " > "

_CALLOUT: Final = re.compile(r"[ \t]*>[ \t]*\[![^\]]+\].*")
_INTRODUCES: Final = re.compile(r"[:：]\W*$")
_LINE_BREAK: Final = re.compile(r"\r\n?|\n")


class Surroundings(NamedTuple):
    """Text put before and after a span; both with their separators, LF only."""

    before: str
    after: str


class _Rank(IntEnum):
    """What gives way first when context is too long."""

    PARENT_LINE = 0
    LEAD_IN = 1
    CLOSING = 2
    HEADER = 3
    TRAIL = 4


def trail(layout: Layout, start: int, end: int) -> tuple[int, ...]:
    """Indices of the sections that hold the whole body of the span, outermost first.

    The headings it begins with do not count as its body, those it ends with do.
    """
    heads = leading_headings(layout, start, end)
    body = layout.sections[heads[-1]].own_start if heads else start
    nothing_but_headings = body >= end
    index = heads[-1] if nothing_but_headings else layout.section_at(body)
    while index >= 0 and (
        layout.sections[index].end < end
        or (nothing_but_headings and layout.sections[index].start > layout.sections[heads[0]].start)
    ):
        index = layout.sections[index].parent
    found: list[int] = []
    while index >= 0:
        found.append(index)
        index = layout.sections[index].parent
    return tuple(reversed(found))


def leading_headings(layout: Layout, start: int, end: int) -> tuple[int, ...]:
    """Indices of the sections whose headings stand at the head of the span, one right after the other."""
    sections = layout.sections
    index = layout.section_at(start)
    # a span that begins with a heading may have been trimmed of its indentation
    if index < 0 or start >= sections[index].own_start or layout.text[sections[index].start : start].strip():
        return ()
    found = [index]
    while index + 1 < len(sections) and sections[index + 1].start == sections[index].own_start < end:
        index += 1
        found.append(index)
    return tuple(found)


def headings(layout: Layout, start: int, end: int) -> tuple[str, ...]:
    """The trail as titles; headings without words leave no gap."""
    return tuple(t for index in trail(layout, start, end) if (t := layout.sections[index].title))


def crumbs(layout: Layout, start: int, end: int) -> list[str]:
    """The breadcrumb's parts: document title and trail, without repeats or what the span itself begins with."""
    heads = leading_headings(layout, start, end)
    names = [layout.title, *(layout.sections[i].title for i in trail(layout, start, end) if i not in heads)]
    kept: list[str] = []
    for name in names:
        if name and not (kept and _same(kept[-1], name)):
            kept.append(name)
    if kept and heads and any(_same(kept[-1], layout.sections[i].title) for i in heads[:1]):
        kept.pop()
    return kept


def surround(layout: Layout, start: int, end: int, room: int, count: Callable[[str], int]) -> Surroundings:
    """Context for the span that takes at most *room* in the unit of *count*.

    Gives way in this order: the first lines of parent items, lead-ins and callout titles, the closing fence,
    reopened headers and fences, then the trail from its middle.
    """
    for candidate in _candidates(layout, start, end):
        if not candidate.before and not candidate.after:
            return candidate
        if count(candidate.before) + count(candidate.after) <= room:
            return candidate
    return Surroundings("", "")


def _candidates(layout: Layout, start: int, end: int) -> Iterator[Surroundings]:
    path = crumbs(layout, start, end)
    reopened = list(_reopened(layout, start))
    closing = _closing(layout, start, end)
    ranks = sorted({rank for rank, _ in reopened} | ({_Rank.CLOSING} if closing else set()))
    for lowest in (_Rank.PARENT_LINE, *(rank + 1 for rank in ranks)):
        kept = [text for rank, text in reopened if rank >= lowest]
        opener_kept = lowest <= _Rank.HEADER
        yield Surroundings(_join(path, kept), closing if closing and lowest <= _Rank.CLOSING and opener_kept else "")
    while path:
        if len(path) > 2:
            del path[len(path) // 2]
        else:
            del path[0]
        yield Surroundings(_join(path, []), "")


def _join(path: list[str], reopened: list[str]) -> str:
    head = SEPARATOR.join(path)
    return (head + "\n\n" if head else "") + "".join(reopened)


def _same(a: str, b: str) -> bool:
    return " ".join(a.split()).casefold() == " ".join(b.split()).casefold()


def _reopened(layout: Layout, start: int) -> Iterator[tuple[_Rank, str]]:
    """What the blocks that *start* lies inside need, outermost first; each text ends with a newline."""
    for index in layout.frames(start):
        block = layout.tree.blocks[index]
        child = layout.first_child(index)
        beyond_first = child is not None and start >= child.end
        if block.kind == "table" and child and beyond_first:
            yield _Rank.HEADER, _lines(layout.text[block.start : child.end])
        elif block.kind == "code_block" and (fence := layout.fence(index)) and start >= fence.opened_at:
            yield _Rank.HEADER, fence.opening + "\n"
        elif block.kind == "list" and (lead := lead_in(layout, index)):
            yield _Rank.LEAD_IN, _lines(layout.text[lead.start : lead.end]) + "\n"
        elif block.kind == "list_item" and beyond_first:
            yield _Rank.PARENT_LINE, _lines(_first_line(layout, block))
        elif block.kind == "block_quote" and _CALLOUT.fullmatch(first := _first_line(layout, block)):
            yield _Rank.LEAD_IN, _lines(first)


def _closing(layout: Layout, start: int, end: int) -> str:
    """The closing line of the fence that the span leaves open, after a newline; empty if it leaves none."""
    index = layout.innermost(end - 1)
    fence = layout.fence(index) if index >= 0 else None
    if fence is None:
        return ""
    if fence.closed_at is None:
        left_open = start >= fence.opened_at or end < layout.last_line(layout.tree.blocks[index]).end
    else:
        left_open = end <= fence.closed_at
    return "\n" + fence.closing if left_open else ""


def lead_in(layout: Layout, index: int) -> Span | None:
    """The last line of the paragraph right before block *index*, if it ends with a colon."""
    before = index - 1
    if before < 0 or layout.parents[before] != layout.parents[index]:
        return None
    block = layout.tree.blocks[before]
    if block.kind != "paragraph":
        return None
    line = layout.last_line(block)
    return line if _INTRODUCES.search(layout.text, line.start, line.end) else None


def _first_line(layout: Layout, block: Block) -> str:
    start, end = layout.first_line(block)
    return layout.text[start:end].rstrip()


def _lines(text: str) -> str:
    """*text* with LF newlines, without blank lines at its ends, one newline last."""
    return _LINE_BREAK.sub("\n", text).strip("\n").rstrip() + "\n"
