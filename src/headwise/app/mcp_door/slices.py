"""Long text in slices: as much of what was named as fits, and where the rest begins."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from re import finditer
from typing import NamedTuple

from headwise.chunking.measure import find_measure
from headwise.indexing.budget import MEASURE
from headwise.indexing.excerpt import CUT
from headwise.model import Record
from headwise.reading.lines import line_number, line_starts


class Slice(NamedTuple):
    """A part of a document."""

    text: str
    start: int
    """In characters of the document; so is `end`."""
    end: int
    start_line: int
    end_line: int
    next_offset: int | None
    """Where the rest of what was named begins; None if there is none."""


class _Part(NamedTuple):
    """What one chunk adds to those before it."""

    text: str
    start: int
    start_line: int
    before: str
    """What stands between it and the chunk before it."""

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def end_line(self) -> int:
        """The line of its last visible character."""
        return self.start_line + line_number(line_starts(self.text), max(len(self.text.rstrip()), 1) - 1) - 1


def cut_slice(records: Sequence[Record], offset: int, max_tokens: int) -> Slice | None:
    """What *records*, one after the other, say from *offset* on; None if they end before it.

    It ends between two chunks; only a chunk that is too large by itself is cut, after a line if it can be.

    Args:
        records: Of one document, in order.
        offset: In characters of the document.
        max_tokens: How many `cl100k_base` tokens it may have.
    """
    parts = [_from(part, offset) for part in _parts(records) if part.end > offset]
    if not parts:
        return None
    taken: list[_Part] = []
    left, count = max_tokens, find_measure(MEASURE).count
    for part in parts:
        cost = count((part.before if taken else "") + part.text)
        if cost > left:
            if not taken:
                taken.append(part._replace(text=_beginning(part.text, left, count)))
            break
        taken.append(part)
        left -= cost
    first, last = taken[0], taken[-1]
    return Slice(
        text=first.text + "".join(part.before + part.text for part in taken[1:]),
        start=first.start,
        end=last.end,
        start_line=first.start_line,
        end_line=last.end_line,
        next_offset=next((max(part.start, last.end) for part in parts if part.end > last.end), None),
    )


def between(record: Record, end: int, start: int) -> str | None:
    """What stands from *end*, where the chunk before it ends, to *start* in its own; None if that is not stored."""
    if record.chunk.start <= end:
        return record.chunk.text[end - record.chunk.start : start - record.chunk.start]
    return record.gap if len(record.gap) == start - end else None


def _parts(records: Sequence[Record]) -> Iterator[_Part]:
    """The records' own parts; a lone one is whole, with what it repeats of the chunk before."""
    end: int | None = None
    for record in records:
        chunk = record.chunk
        start = chunk.start if len(records) == 1 else max(chunk.own_start, end or 0)
        before = "" if end is None else between(record, end, start)
        skipped = chunk.text[: start - chunk.start]
        yield _Part(
            chunk.text[start - chunk.start :],
            start,
            chunk.start_line + _line_ends(skipped),
            CUT if before is None else before,
        )
        end = max(end or 0, chunk.end)


def _from(part: _Part, offset: int) -> _Part:
    """What of *part* stands at or after *offset*, without blank lines at its beginning."""
    skip = max(offset - part.start, 0)
    if skip:
        blank = len(part.text) - len(part.text[skip:].lstrip())
        skip = max(part.text.rfind("\n", skip, blank), part.text.rfind("\r", skip, blank), skip - 1) + 1
    return _Part(part.text[skip:], part.start + skip, part.start_line + _line_ends(part.text[:skip]), part.before)


def _line_ends(text: str) -> int:
    return len(line_starts(text + ".")) - 1


def _beginning(text: str, max_tokens: int, count: Callable[[str], int]) -> str:
    """The longest beginning of *text* that fits: whole lines, else whole words, else characters, one at least."""
    text = text[: 40 * max_tokens]  # no text has so few tokens but white space
    for pattern in (r"\r\n?|\n", r"\s+"):
        ends = [found.end() for found in finditer(pattern, text)]
        if number := bisect_right(ends, max_tokens, key=lambda end: count(text[:end])):
            return text[: ends[number - 1]]
    return text[: max(bisect_right(range(1, len(text) + 1), max_tokens, key=lambda end: count(text[:end])), 1)]
