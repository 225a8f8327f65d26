"""How two cuts of one text differ: the chunks and boundaries that both have, and the text whose chunk is another."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from headwise.model import Chunk


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two cuts of one text, left and right."""

    same: tuple[tuple[int, int], ...]
    """Left and right index of each chunk that both have: the same text with the same context."""
    both: tuple[int, ...]
    """Where on both sides a chunk's own text begins, in order."""
    only_left: tuple[int, ...]
    only_right: tuple[int, ...]
    text: int
    """Characters that are in a chunk of either side; what a chunk repeats counts once."""
    changed: int
    """Those of them that are in a chunk which only one side has."""


class Stretch(NamedTuple):
    """A part of the text that is in one chunk, or in none, on either side."""

    start: int
    end: int
    left: int | None
    """Index of the chunk whose own text it is; None if it is in none."""
    right: int | None


def compare(left: Sequence[Chunk], right: Sequence[Chunk]) -> Comparison:
    """How *left* and *right*, two cuts of one text, differ."""
    known = {_key(chunk): chunk.index for chunk in left}
    same = tuple((known[key], chunk.index) for chunk in right if (key := _key(chunk)) in known)
    same_left, same_right = {one for one, _ in same}, {other for _, other in same}
    changed = [chunk for chunk in left if chunk.index not in same_left]
    changed += [chunk for chunk in right if chunk.index not in same_right]
    begins_left, begins_right = ({chunk.own_start for chunk in side} for side in (left, right))
    return Comparison(
        same=same,
        both=tuple(sorted(begins_left & begins_right)),
        only_left=tuple(sorted(begins_left - begins_right)),
        only_right=tuple(sorted(begins_right - begins_left)),
        text=_covered((*left, *right)),
        changed=_covered(changed),
    )


def stretches(length: int, left: Sequence[Chunk], right: Sequence[Chunk]) -> list[Stretch]:
    """A text of *length* characters, parted wherever a chunk of either side begins or ends."""
    edges = {0, length, *(edge for chunk in (*left, *right) for edge in (chunk.own_start, chunk.end))}
    found: list[Stretch] = []
    at = sorted(edges)
    n = m = 0
    for start, end in pairwise(at):
        while n < len(left) and left[n].end <= start:
            n += 1
        while m < len(right) and right[m].end <= start:
            m += 1
        in_left = n if n < len(left) and left[n].own_start <= start else None
        in_right = m if m < len(right) and right[m].own_start <= start else None
        found.append(Stretch(start, end, in_left, in_right))
    return found


def _key(chunk: Chunk) -> tuple[int, int, int, str, str]:
    return chunk.start, chunk.own_start, chunk.end, chunk.context, chunk.context_after


def _covered(chunks: Iterable[Chunk]) -> int:
    """How many characters are the own text of one of *chunks*, or of several."""
    total = reached = 0
    for start, end in sorted((chunk.own_start, chunk.end) for chunk in chunks):
        total += max(end - max(start, reached), 0)
        reached = max(reached, end)
    return total
