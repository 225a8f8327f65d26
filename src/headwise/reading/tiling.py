"""Blocks from where they start: children tile their parent by construction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from headwise.model import Block, Kind


class Place(NamedTuple):
    """Where a block starts, and what it is; `Block` says what the fields mean."""

    kind: Kind
    start: int
    depth: int
    level: int = 0
    fence: str = ""


def tile(places: Sequence[Place], start: int, end: int) -> tuple[Block, ...]:
    """Blocks, in order with their depths, that tile the text from *start* to *end*.

    Each ends where the next at its depth or above begins; a first child begins where its parent does (markers, an
    alert's title), and the first block at *start*, so that blank lines before it are its own.
    """
    starts: list[int] = []
    ends = [end] * len(places)
    open_at: list[tuple[int, int]] = []
    begun, depth_before = start, -1
    for index, (_, at, depth, _, _) in enumerate(places):
        if depth <= depth_before:
            begun = at
        depth_before = depth
        while open_at and open_at[-1][0] >= depth:
            ends[open_at.pop()[1]] = begun
        open_at.append((depth, index))
        starts.append(begun)
    return tuple(
        Block(kind, begun, until, depth, level, fence)
        for (kind, _, depth, level, fence), begun, until in zip(places, starts, ends, strict=True)
    )
