"""The best hits that a budget of tokens can hold, no text twice: a pure step."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from headwise.chunking.measure import find_measure
from headwise.reading.lines import line_number, line_starts
from headwise.stores.store import StoredChunk

MEASURE = "cl100k_base"
"""What a budget is counted in."""


def fill(ranked: Iterable[StoredChunk], budget: int, limit: int) -> list[StoredChunk]:
    """Chunks in the order of *ranked* whose texts have at most *budget* tokens together, *limit* of them at most.

    A chunk that does not fit is passed over. One with the text of an earlier one is left out, and of a
    chunk that overlaps an earlier one only the rest is taken: its span, lines and text are those of the rest.
    """
    count = find_measure(MEASURE).count
    taken: list[StoredChunk] = []
    seen: set[str] = set()
    left = budget
    for chunk in ranked:
        if len(taken) == limit or left < 1:
            break
        rest = _without(chunk, taken)
        if rest is None or rest.text in seen:
            continue
        cost = count(rest.text)
        if cost <= left:
            left -= cost
            taken.append(rest)
            seen.add(rest.text)
    return taken


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
