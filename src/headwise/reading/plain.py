"""Plain text to blocks: paragraphs between blank lines."""

from __future__ import annotations

from headwise.model import Block


def parse_plain(text: str, start: int, lines: tuple[int, ...]) -> tuple[Block, ...]:
    """The paragraphs of *text* from *start* on, each with the blank lines after it."""
    starts: list[int] = []
    after_blank = True
    for index, at in enumerate(lines):
        end = lines[index + 1] if index + 1 < len(lines) else len(text)
        blank = end <= start or text[max(at, start) : end].isspace() or at == end
        if not blank and after_blank:
            starts.append(max(at, start))
        after_blank = blank
    if starts:
        starts[0] = start
    ends = [*starts[1:], len(text)]
    return tuple(Block("paragraph", a, b, 0) for a, b in zip(starts, ends, strict=False))
