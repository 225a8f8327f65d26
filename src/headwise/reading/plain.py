"""Plain text to blocks: paragraphs between blank lines."""

from __future__ import annotations

from itertools import pairwise

from headwise.model import Block


def parse_plain(text: str, start: int, lines: tuple[int, ...]) -> tuple[Block, ...]:
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
    return tuple(Block("paragraph", a, b, 0) for a, b in pairwise((*starts, len(text))))
