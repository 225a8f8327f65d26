"""Ways to pack the units of a chunk into passages, to compare with the one in use."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from zlib import crc32

from headwise.chunking.boundaries import Boundary
from headwise.chunking.partition import partition
from headwise.chunking.units import Job, Unit, make_units
from headwise.model import Span

Group = Callable[[Job, Span, int], Iterator[Span]]


def prints(job: Job, units: Sequence[Unit], end: int) -> list[int]:
    """A number for each unit that only its text decides."""
    starts = [u.start for u in units] + [end]
    return [crc32(job.layout.text[a:b].strip().encode("utf-8", "replace")) for a, b in pairwise(starts)]


def spans(span: Span, units: Sequence[Unit], cuts: Sequence[int]) -> Iterator[Span]:
    at = span.start
    for cut in cuts:
        yield Span(at, units[cut].start)
        at = units[cut].start
    yield Span(at, span.end)


def fill(units: Sequence[Unit], first: int, last: int, size: int) -> list[int]:
    """Greedy cuts between two units."""
    cuts, filled = [], 0
    for at in range(first, last):
        if filled and filled + units[at].size > size:
            cuts.append(at)
            filled = 0
        filled += units[at].size
    return cuts


def greedy(job: Job, span: Span, size: int) -> Iterator[Span]:
    """As full as they can be, from the start of the chunk on."""
    units = make_units(job, span.start, span.end, size, with_context=False)
    yield from spans(span, units, fill(units, 0, len(units), size))


def strength(unit: Unit) -> int:
    """Kind of boundary, with those of blocks alike."""
    return max(unit.boundary, Boundary.BLOCK)


def by_block(job: Job, span: Span, size: int, share: float, after: bool = True) -> Iterator[Span]:
    """Begun anew before (and after) every block of so much of the size, or of several units."""
    units = make_units(job, span.start, span.end, size, with_context=False)
    if sum(u.size for u in units) <= size:
        yield span
        return
    heads = [i for i, u in enumerate(units) if i == 0 or u.boundary <= Boundary.INTRODUCED] + [len(units)]
    starts: set[int] = {0}
    for a, b in pairwise(heads):
        if sum(u.size for u in units[a:b]) >= share * size:
            starts |= {a, b} if after else {a}
    order = sorted(starts | {len(units)})
    cuts: list[int] = []
    for a, b in pairwise(order):
        cuts += ([a] if a else []) + fill(units, a, b, size)
    yield from spans(span, units, cuts)


def window(job: Job, span: Span, size: int, low: float) -> Iterator[Span]:
    """At the strongest boundary between *low* of the size and the size, the fingerprint of what follows deciding."""
    units = make_units(job, span.start, span.end, size, with_context=False)
    marks = prints(job, units, span.end)
    cuts: list[int] = []
    start = 0
    while True:
        filled, near, at = 0, [], start
        while at < len(units) and (at == start or filled + units[at].size <= size):
            filled += units[at].size
            at += 1
            if at < len(units) and filled >= low * size:
                near.append(at)
        if at >= len(units):
            break
        start = min(near or [at], key=lambda i: (strength(units[i]), marks[i]))
        cuts.append(start)
    yield from spans(span, units, cuts)


def even(job: Job, span: Span, size: int) -> Iterator[Span]:
    """The fewest and most even, as chunks are cut."""
    units = make_units(job, span.start, span.end, size, with_context=False)
    none = [0] * len(units)
    weakness = [job.rules.weakness[u.boundary] for u in units]
    yield from spans(span, units, partition([u.size for u in units], none, [*none, 0], weakness, size))


def peaks(job: Job, span: Span, size: int, reach: float) -> Iterator[Span]:
    """At boundaries stronger than all others within *reach* of the size; between these as full as can be."""
    units = make_units(job, span.start, span.end, size, with_context=False)
    marks = prints(job, units, span.end)
    ends = [0]
    for unit in units:
        ends.append(ends[-1] + unit.size)
    key = [(strength(u), m) for u, m in zip(units, marks, strict=True)]
    wide = reach * size
    anchors = [0]
    for i in range(1, len(units)):
        around = [j for j in range(1, len(units)) if j != i and abs(ends[j] - ends[i]) <= wide]
        if ends[i] >= wide / 2 and ends[-1] - ends[i] >= wide / 2 and all(key[i] < key[j] for j in around):
            anchors.append(i)
    anchors.append(len(units))
    cuts: list[int] = []
    for a, b in pairwise(anchors):
        cuts += ([a] if a else []) + fill(units, a, b, size)
    yield from spans(span, units, cuts)


GROUPS: dict[str, Group] = {
    "full from the chunk's start": greedy,
    "full, anew at blocks of 1/1": partial(by_block, share=1.001),
    "full, anew before blocks of 1/1": partial(by_block, share=1.001, after=False),
    "full, anew before blocks of 1/2": partial(by_block, share=0.5, after=False),
    "full, anew at blocks of 1/2": partial(by_block, share=0.5),
    "full, anew at blocks of 1/4": partial(by_block, share=0.25),
    "fewest, even": even,
    "strongest from 1/2": partial(window, low=0.5),
    "strongest from 1/4": partial(window, low=0.25),
    "peaks within 1/2": partial(peaks, reach=0.5),
    "peaks within 1/1": partial(peaks, reach=1.0),
}
