"""Lines that no reader and no embedder makes sense of: too long to be text."""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise
from typing import Final

from headwise.model import Span, Tree

OVER: Final = "line over max_line"
"""The reason with which such a line is listed as dropped."""


def long_lines(tree: Tree, limit: int | None) -> tuple[Span, ...]:
    """Spans of the body's lines of more than *limit* characters, without their newlines; none without a limit.

    What is omitted from the text for an embedder anyway, a data URI, does not count, nor does a line of white space.
    """
    if limit is None:
        return ()
    text = tree.text
    body = tree.front_matter.end
    lines = tree.lines[bisect_left(tree.lines, body) :] if body > 1 else (body, *tree.lines[1:])
    found: list[Span] = []
    for start, until in pairwise((*lines, len(text))):
        if until - start > limit:
            line = text[start:until].rstrip("\r\n")
            end = start + len(line)
            if len(line) - _omitted(tree, start, end) > limit and line.strip():
                found.append(Span(start, end))
    return tuple(found)


def _omitted(tree: Tree, start: int, end: int) -> int:
    """How many characters of the line are omitted: an omitted span is within a line."""
    first = bisect_left(tree.omitted, start, key=lambda span: span.start)
    last = bisect_left(tree.omitted, end, lo=first, key=lambda span: span.start)
    return sum(span.end - span.start for span in tree.omitted[first:last])
