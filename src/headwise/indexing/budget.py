"""The best hits that a budget of tokens can hold, no text twice, neighbours as one: a pure step."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from headwise.chunking.measure import find_measure
from headwise.reading.lines import line_number, line_starts
from headwise.stores.store import StoredChunk

MEASURE = "cl100k_base"
"""What a budget is counted in."""


def text_tokens(chunk: StoredChunk) -> int:
    """The tokens of the text of *chunk*."""
    return find_measure(MEASURE).count(chunk.text)


def fill(
    ranked: Iterable[StoredChunk], budget: int, limit: int, cost: Callable[[StoredChunk], int] = text_tokens
) -> list[StoredChunk]:
    """Chunks in the order of *ranked* that cost at most *budget* tokens together, *limit* of them at most.

    A chunk that does not fit is passed over. One with the text of an earlier one is left out. Of a chunk that
    overlaps an earlier one only the rest is taken: its span, lines and text are those of the rest. Neighbours in one
    section become one chunk, with the id of the better one and a text that is still a slice of the document.
    """
    taken: list[_Taken] = []
    seen: set[str] = set()
    left = budget
    for chunk in ranked:
        if len(taken) == limit or left < 1:
            break
        section, number = place_in_section(chunk)
        found, joined = _Taken(chunk, section, number, number), list[_Taken]()
        for other in taken:
            if whole := _join(other, found, found.chunk if joined else other.chunk):
                found = whole
                joined.append(other)
        if not joined:
            rest = _without(chunk, (other.chunk for other in taken))
            if rest is None or rest.text in seen:
                continue
            found = _Taken(rest, section, number, number)
        found = replace(found, cost=cost(found.chunk))
        added = found.cost - sum(other.cost for other in joined)
        if added > left:
            continue
        left -= added
        seen.add(chunk.text if joined else found.chunk.text)
        at = taken.index(joined[0]) if joined else len(taken)
        taken = [*taken[:at], found, *(other for other in taken[at:] if other not in joined)]
    return [one.chunk for one in taken]


def place_in_section(chunk: StoredChunk) -> tuple[str, int]:
    """The section that *chunk* is in, unique in a store, and its number there."""
    section, _, number = chunk.id.rpartition("::")
    return f"{chunk.root}/{section}", int(number)


@dataclass(frozen=True, slots=True)
class _Taken:
    """A chunk as it is shown, and which of its section's it is made of."""

    chunk: StoredChunk
    section: str
    first: int
    last: int
    cost: int = 0


def _join(one: _Taken, other: _Taken, best: StoredChunk) -> _Taken | None:
    """Both as one with the identity of *best*, if they are neighbours and what stands between them is known."""
    before, after = (one, other) if one.first < other.first else (other, one)
    if before.section != after.section or before.last + 1 != after.first:
        return None
    a, b = before.chunk, after.chunk
    if a.end + len(b.gap) == b.start:
        text = a.text + b.gap + b.text
    elif b.start <= a.end <= b.end:
        text = a.text + b.text[a.end - b.start :]
    else:
        return None
    chunk = replace(
        best,
        start=a.start,
        own_start=a.own_start,
        end=b.end,
        start_line=a.start_line,
        end_line=b.end_line,
        text=text,
        gap=a.gap,
    )
    return _Taken(chunk, before.section, before.first, after.last)


def _without(chunk: StoredChunk, taken: Iterable[StoredChunk]) -> StoredChunk | None:
    """What of *chunk* no chunk of *taken* holds; overlaps lie at its ends, so that it stays in one piece."""
    start, end = chunk.start, chunk.end
    for other in taken:
        if (other.root, other.path) != (chunk.root, chunk.path):
            continue
        if other.start <= start < other.end:
            start = other.end
        if other.start < end <= other.end:
            end = other.start
    text = chunk.text[start - chunk.start : max(end - chunk.start, 0)]
    if (start, end) == (chunk.start, chunk.end):
        return chunk
    start += len(text) - len(text.lstrip())
    text = text.strip()
    if not text:
        return None
    lines = line_starts(chunk.text)
    first, last = start - chunk.start, start - chunk.start + len(text) - 1
    return replace(
        chunk,
        start=start,
        own_start=max(start, chunk.own_start),
        end=start + len(text),
        start_line=chunk.start_line + line_number(lines, first) - 1,
        end_line=chunk.start_line + line_number(lines, last) - 1,
        text=text,
    )
