"""Blocks from where they start: children tile their parent by construction."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from operator import le

from headwise.model import Blocks, Shape


def in_order(places: list[int], shapes: list[Shape]) -> tuple[list[int], list[Shape]]:
    """*places* where blocks start, in order, with their *shapes*; those at one place keep their order."""
    if all(map(le, places, islice(places, 1, None))):
        return places, shapes
    order = sorted(range(len(places)), key=places.__getitem__)
    return [places[at] for at in order], [shapes[at] for at in order]


def tile(places: Sequence[int], shapes: Sequence[Shape], start: int, end: int) -> Blocks:
    """Blocks of these *shapes* that tile the text from *start* to *end*; *places* are where they start, in order.

    Each ends where the next at its depth or above begins; a first child begins where its parent does (markers, an
    alert's title), and the first block at *start*, so that blank lines before it are its own.
    """
    starts: list[int] = []
    ends = [end] * len(places)
    open_blocks: list[int] = []
    depths = [shape[1] for shape in shapes]
    begun, depth_before = start, -1
    for index, depth in enumerate(depths):
        if depth <= depth_before:
            begun = places[index]
        depth_before = depth
        while open_blocks and depths[open_blocks[-1]] >= depth:
            ends[open_blocks.pop()] = begun
        open_blocks.append(index)
        starts.append(begun)
    return Blocks(starts, ends, tuple(shapes))
