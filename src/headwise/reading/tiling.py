"""Blocks from where they start: children tile their parent by construction."""

from __future__ import annotations

from collections.abc import Sequence

from headwise.model import Block


def tile(blocks: Sequence[Block], start: int, end: int) -> tuple[Block, ...]:
    """*blocks*, in order with their depths, so that they tile the text from *start* to *end*.

    Each ends where the next at its depth or above begins; a first child begins where its parent does (markers, an
    alert's title), and the first block at *start*, so that blank lines before it are its own. The given ends are
    not looked at.
    """
    starts = [block.start for block in blocks]
    ends = [end] * len(blocks)
    open_at: list[int] = []
    depth_before = -1
    for index, block in enumerate(blocks):
        if index == 0:
            starts[index] = start
        elif block.depth > depth_before:
            starts[index] = starts[index - 1]
        depth_before = block.depth
        while open_at and blocks[open_at[-1]].depth >= block.depth:
            ends[open_at.pop()] = starts[index]
        open_at.append(index)
    return tuple(
        Block(kind, begun, until, depth, level, fence)
        for (kind, _, _, depth, level, fence), begun, until in zip(blocks, starts, ends, strict=True)
    )
