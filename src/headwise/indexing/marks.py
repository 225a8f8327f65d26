"""Which words and lines of a text a query matched: to show them, never to decide anything."""

from __future__ import annotations

from collections.abc import Iterator

import regex

from headwise.indexing.words import analyse_words, query_words
from headwise.model import Hit, Span
from headwise.reading.lines import line_number, line_starts

_RUN = regex.compile(r"\w+(?:[-./:'’@]{1,2}\w+)*(?:\+\+|#)?")
_SPACELESS_FROM = "\u0e00"
_PIECE = regex.compile(r"(?V1)[[^\W_]--[\u0e00-\U0010ffff]]+|[\w&&[\u0e00-\U0010ffff]]+")


def marks(text: str, query: str) -> list[Span]:
    """Spans of the words of *text* that share a term with *query*, in order, none touching another.

    An identifier is marked where its parts match, else as a whole; scripts without spaces by pairs of characters.
    """
    wanted = set(query_words(query))
    found: list[Span] = []
    for run in _RUN.finditer(text):
        if wanted.isdisjoint(analyse_words(run[0])):
            continue
        inside = [span for span in _parts(text, run.start(), run.end()) if not wanted.isdisjoint(_terms(text, span))]
        for span in inside or [Span(run.start(), run.end())]:
            if found and span.start <= found[-1].end:
                found[-1] = Span(found[-1].start, max(span.end, found[-1].end))
            else:
                found.append(span)
    return found


def matched_words(text: str, query: str) -> list[str]:
    """The words that `marks` finds, in order, each once in whatever letter case."""
    found = (text[start:end] for start, end in marks(text, query))
    return list({word.casefold(): word for word in reversed(list(found))}.values())[::-1]


def passage_lines(hit: Hit) -> tuple[int, int] | None:
    """First and last line of the passage that matched, as far as it is shown; None if none did, or none of it is."""
    if hit.passage is None:
        return None
    start, end = max(hit.passage.start, hit.start), min(hit.passage.end, hit.end)
    if start >= end:
        return None
    lines = line_starts(hit.text)
    first, last = (hit.start_line + line_number(lines, at - hit.start) - 1 for at in (start, end - 1))
    return first, last


def _parts(text: str, start: int, end: int) -> Iterator[Span]:
    for piece in _PIECE.finditer(text, start, end):
        if text[piece.start()] < _SPACELESS_FROM:
            yield Span(*piece.span())
        else:
            yield from (Span(at, at + 2) for at in range(piece.start(), max(piece.end() - 1, piece.start() + 1)))


def _terms(text: str, span: Span) -> list[str]:
    return analyse_words(text[span.start : span.end])
