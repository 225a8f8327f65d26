"""Plain text to blocks: paragraphs between blank lines."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from headwise.model import Blocks, Shape


def parse_plain(text: str, start: int, lines: Sequence[int]) -> Blocks:
    """The paragraphs of *text* from *start* on, each with the blank lines after it."""
    starts: list[int] = []
    after_blank = True
    for at, end in pairwise((*lines, len(text))):
        blank = not text[max(at, start) : end].strip()
        if after_blank and not blank:
            starts.append(at)
        after_blank = blank
    if starts:
        starts[0] = start
    return Blocks(starts, [*starts[1:], len(text)][: len(starts)], [Shape("paragraph", 0)] * len(starts))
