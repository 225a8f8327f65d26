"""Blocks from where they start: children tile their parent by construction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from headwise.model import Block, Kind

Place = tuple[Kind, int, int, int, str]
"""A block's kind, where it starts, its depth, level, and fence; `Block` says what they mean."""

_new_block: Final[Callable[[tuple[Kind, int, int, int, int, str]], Block]] = partial(tuple.__new__, Block)  # pyright: ignore[reportUnknownMemberType] - the stub leaves its items open
"""A third of the time of `Block(…)`."""


def tile(places: Sequence[Place], start: int, end: int) -> tuple[Block, ...]:
    """Blocks, in order with their depths, that tile the text from *start* to *end*.

    Each ends where the next at its depth or above begins; a first child begins where its parent does (markers, an
    alert's title), and the first block at *start*, so that blank lines before it are its own.
    """
    starts: list[int] = []
    ends = [end] * len(places)
    open_blocks: list[int] = []
    depths = [place[2] for place in places]
    begun, depth_before = start, -1
    for index, depth in enumerate(depths):
        if depth <= depth_before:
            begun = places[index][1]
        depth_before = depth
        while open_blocks and depths[open_blocks[-1]] >= depth:
            ends[open_blocks.pop()] = begun
        open_blocks.append(index)
        starts.append(begun)
    return tuple(
        _new_block((kind, begun, until, depth, level, fence))
        for (kind, _, depth, level, fence), begun, until in zip(places, starts, ends, strict=True)
    )
