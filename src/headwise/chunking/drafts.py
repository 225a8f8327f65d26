"""Spans with their context, counted exactly; and the cut of a span into drafts that all fit."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from headwise.chunking.context import surround
from headwise.chunking.graphemes import next_boundary
from headwise.chunking.overlap import Marks, find_marks, overlap_start, reserve
from headwise.chunking.partition import partition
from headwise.chunking.units import Job, Unit, make_units


class Draft(NamedTuple):
    """A chunk in the making: its span, what surrounds it, and the exact size of all of it."""

    start: int
    own_start: int
    end: int
    before: str
    after: str
    size: int


def draft(job: Job, start: int, end: int, own_start: int | None = None) -> Draft:
    """The span with its context, counted as one text."""
    before, after = surround(job.layout, start, end, job.limit // 2, job.context_size)
    size = job.count(before + job.layout.plain(start, end) + after)
    return Draft(start, start if own_start is None else own_start, end, before, after, size)


def cut(job: Job, start: int, end: int) -> list[Draft]:
    """Drafts of the best cut of a span that is over the limit as it is."""
    span = job.layout.trim(start, end)
    if span.start == span.end:
        return []
    start, end = span
    if not (job.overlap.size or job.overlap.sentences):
        return _cut(job, start, end, job.limit, None)
    marks = find_marks(job, start, end)
    return _overlap(job, _cut(job, start, end, job.limit, marks), marks)


def _cut(job: Job, start: int, end: int, limit: int, marks: Marks | None) -> list[Draft]:
    """Drafts for a span that is too large, opened and cut as if *limit* were the limit."""
    return _divide(job, make_units(job, start, end, limit), end, limit, marks)


def _divide(job: Job, units: list[Unit], end: int, limit: int, marks: Marks | None) -> list[Draft]:
    """Drafts of the best parts of *units*, the last of which ends at *end*."""
    starts, sizes, boundaries, before, after = zip(*units, strict=True)
    if marks:
        before = [size + reserve(job, marks, start) for size, start in zip(before, starts, strict=True)]
    weakness = [*map(job.rules.weakness.__getitem__, boundaries)]
    cuts = partition(sizes, before, [*after, 0], weakness, limit)
    found: list[Draft] = []
    for first, last in pairwise([0, *cuts, len(units)]):
        until = starts[last] if last < len(units) else end
        found += _settle(job, units[first:last], until, limit, marks)
    return found


def _settle(job: Job, part: list[Unit], end: int, limit: int, marks: Marks | None) -> Sequence[Draft]:
    """The part as one draft if it fits, else divided again.

    Sizes of units are sums of counts, which now and then are a little less than the count of the whole: a part that
    turns out too large is divided again by a smaller limit, and a single unit opened further.
    """
    span = job.layout.trim(part[0].start, end)
    if span.start == span.end:
        return ()
    made = draft(job, span.start, span.end)
    if made.size > job.limit and next_boundary(job.layout.text, span.start, span.end) >= span.end:
        # a grapheme over what its context leaves stands without context; a code point may be over the limit even so
        made = made._replace(before="", after="", size=job.count(job.layout.plain(span.start, span.end)))
    if made.size <= job.limit or span.end - span.start == 1:
        return (made,)
    over = made.size - job.limit
    smaller = min(limit - over, part[0].before + sum(unit.size for unit in part) - 1)
    if len(part) > 1:
        return _divide(job, part, end, smaller, marks)
    return _cut(job, span.start, span.end, smaller, marks)


def _overlap(job: Job, parts: list[Draft], marks: Marks) -> list[Draft]:
    """*parts*, each but the first begun earlier where that fits."""
    widened = parts[:1]
    for before, part in pairwise(parts):
        start = overlap_start(job, marks, before.start + 1, part.start)
        span = job.layout.trim(start, part.end)
        chosen = part
        if span.start < before.end:
            wider = draft(job, span.start, part.end, part.start)
            if wider.size <= job.limit:
                chosen = wider
        widened.append(chosen)
    return widened
