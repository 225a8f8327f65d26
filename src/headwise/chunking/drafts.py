"""Spans with their context, counted exactly; and the cut of a span into drafts that all fit."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from headwise.chunking.context import surround
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
    before, after = surround(job.layout, start, end, job.settings.max_tokens // 2, job.context_size)
    size = job.count(before + job.layout.plain(start, end) + after)
    return Draft(start, start if own_start is None else own_start, end, before, after, size)


def fit(job: Job, start: int, end: int) -> list[Draft]:
    """Drafts for the span, all within the limit: one if it fits, else the best cut of it."""
    span = job.layout.trim(start, end)
    if span.start == span.end:
        return []
    whole = draft(job, span.start, span.end)
    if whole.size <= job.settings.max_tokens:
        return [whole]
    if not (job.overlap.size or job.overlap.sentences):
        return list(_cut(job, span.start, span.end, job.settings.max_tokens, None))
    marks = find_marks(job, span.start, span.end)
    parts = list(_cut(job, span.start, span.end, job.settings.max_tokens, marks))
    return _overlap(job, parts, marks)


def _cut(job: Job, start: int, end: int, limit: int, marks: Marks | None) -> Iterator[Draft]:
    """Drafts for a span that is too large, cut as if *limit* were the limit.

    Sizes of units are sums of counts, which now and then are a little less than the count of the whole: a part that
    turns out too large is cut again by a smaller limit.
    """
    units = make_units(job, start, end, limit)
    overlaps = [reserve(job, marks, unit.start) if marks else 0 for unit in units]
    cuts = partition(
        [unit.size for unit in units],
        [unit.before + overlap for unit, overlap in zip(units, overlaps, strict=True)],
        [*(unit.after for unit in units), 0],
        [job.rules.weakness[unit.boundary] for unit in units],
        limit,
    )
    for first, last in zip([0, *cuts], [*cuts, len(units)], strict=True):
        part = units[first:last]
        yield from _settle(job, part, units[last].start if last < len(units) else end, limit, marks)


def _settle(job: Job, part: list[Unit], end: int, limit: int, marks: Marks | None) -> Iterator[Draft]:
    """The part as one draft if it fits, else cut again."""
    span = job.layout.trim(part[0].start, end)
    if span.start == span.end:
        return
    made = draft(job, span.start, span.end)
    if made.size <= job.settings.max_tokens:
        yield made
    elif span.end - span.start == 1:
        # a code point over what its context leaves stands without context; it may even be over the limit alone
        yield made._replace(before="", after="", size=job.count(job.layout.plain(span.start, span.end)))
    else:
        size = sum(unit.size for unit in part)
        over = made.size - job.settings.max_tokens
        yield from _cut(job, span.start, span.end, min(limit - over, size - 1, limit * 3 // 4), marks)


def _overlap(job: Job, parts: list[Draft], marks: Marks) -> list[Draft]:
    """*parts*, each but the first begun earlier where that fits."""
    widened = parts[:1]
    for before, part in pairwise(parts):
        start = overlap_start(job, marks, before.start + 1, part.start)
        span = job.layout.trim(start, part.end)
        chosen = part
        if before.start < span.start < part.start:
            wider = draft(job, span.start, part.end, part.start)
            if wider.size <= job.settings.max_tokens:
                chosen = wider
        widened.append(chosen)
    return widened
