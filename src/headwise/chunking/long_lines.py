"""Lines that no reader and no embedder makes sense of: too long to be text."""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise
from typing import Final

from headwise.model import Span, Tree
from headwise.reading.inline import find_data_uris

OVER: Final = "line over max_line"
"""The reason with which such a line is listed as dropped."""


def long_lines(tree: Tree, limit: int | None) -> tuple[Span, ...]:
    """Spans of the body's lines of more than *limit* characters, without their newlines; none without a limit.

    A data URI, which no embedder is given anyway, does not count, nor does a line of white space.
    """
    if limit is None:
        return ()
    text = tree.text
    body = tree.front_matter.end
    found: list[Span] = []
    for start, until in pairwise((body, *tree.lines[bisect_right(tree.lines, body) :], len(text))):
        if until - start > limit:
            line = text[start:until].rstrip("\r\n")
            end = start + len(line)
            if len(line) - sum(uri.end - uri.start for uri in find_data_uris(line)) > limit and line.strip():
                found.append(Span(start, end))
    return tuple(found)
