"""Rules to divide a row of units, to compare with the one in use: each takes and gives what `partition` does.

Content-defined rules need something of the text that an edit elsewhere leaves alone: the sizes of the units around
a boundary serve as its fingerprint, for they are all of the text that a rule is given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from zlib import crc32

from headwise.chunking.partition import _least, _walk, partition

Rule = Callable[[Sequence[int], Sequence[int], Sequence[int], Sequence[float], int], list[int]]
Cost = Callable[[int, int, int], float]
"""Cost of a cut before unit j as the k-th of so many parts."""


class Row:
    """A row of units with what fits in a part."""

    def __init__(self, sizes, before, after, weakness, limit) -> None:
        self.count = len(sizes)
        self.sizes, self.before, self.weakness, self.limit = sizes, before, weakness, limit
        self.ends = [0]
        self.needs = [-limit]
        for j, size in enumerate(sizes, 1):
            self.ends.append(self.ends[-1] + size)
            self.needs.append(max(self.needs[-1], self.ends[j] + after[j] - limit))
        self.whole = max(self.ends[-1], 1)

    def fits(self, start: int, end: int) -> bool:
        return end - start == 1 or self.ends[start] - self.before[start] >= self.needs[end]

    def print_of(self, at: int) -> float:
        """A number from 0 to 1 that only the units around the boundary decide."""
        around = ",".join(map(str, self.sizes[max(at - 2, 0) : at + 2]))
        return crc32(around.encode()) / 2**32

    def farthest(self, start: int) -> int:
        end = start + 1
        while end < self.count and self.fits(start, end + 1):
            end += 1
        return end

    def greedy(self) -> list[int]:
        cuts, at = [], self.farthest(0)
        while at < self.count:
            cuts.append(at)
            at = self.farthest(at)
        return cuts

    def best(self, parts: int, cost: Cost) -> tuple[float, list[int]]:
        """The cheapest division into so many parts, by trying all; infinite if there is none."""
        found: list[dict[int, tuple[float, int]]] = [{0: (0.0, 0)}]
        for k in range(1, parts + 1):
            layer: dict[int, tuple[float, int]] = {}
            for end in range(k, self.count + 1):
                starts = [s for s in found[-1] if s < end and self.fits(s, end)]
                if starts:
                    value, start = min((found[-1][s][0], s) for s in starts)
                    layer[end] = (value + (cost(end, k, parts) if end < self.count else 0.0), start)
            found.append(layer)
        if self.count not in found[-1]:
            return float("inf"), []
        cuts, at = [], self.count
        for layer in reversed(found[1:]):
            at = layer[at][1]
            cuts.append(at)
        return found[-1][self.count][0], [cut for cut in reversed(cuts) if cut]


def greedy(*given) -> list[int]:
    """Each part as full as it can be."""
    return Row(*given).greedy()


def fewest(*given, cost: Callable[[Row], Cost]) -> list[int]:
    """The fewest parts, by another cost."""
    row = Row(*given)
    room = [end - more for end, more in zip(row.ends, row.before, strict=False)]
    layers = _least(row.needs, room)
    total = layers[row.count]
    if total == 1:
        return []
    at = cost(row)
    costs = [at(j, layers[j], total) if 0 < j < row.count else 0.0 for j in range(row.count + 1)]
    origins = _walk(row.needs, room, layers, costs)
    cuts = [origins[row.count]]
    while cuts[-1]:
        cuts.append(origins[cuts[-1]])
    return cuts[-2::-1]


def off(row: Row, j: int, k: int, parts: int) -> float:
    """How far a cut is from its even place, in parts."""
    return abs(row.ends[j] / row.whole * parts - k)


def prints_near(free: float, weight: float) -> Callable[[Row], Cost]:
    """Up to *free* parts off costs nothing; there the fingerprint decides between boundaries of one strength."""

    def cost(row: Row) -> Cost:
        return lambda j, k, parts: (
            row.weakness[j] + max(off(row, j, k, parts) - free, 0) ** 2 + weight * row.print_of(j)
        )

    return cost


def prints_only(row: Row) -> Cost:
    """Wherever it fits, the strongest, then the fingerprint."""
    return lambda j, _k, _parts: row.weakness[j] + 0.1 * row.print_of(j)


def from_start(steps: int) -> Callable[[Row], Cost]:
    """Even places rounded to so many steps of the limit and counted from the start: a small edit does not move them."""

    def cost(row: Row) -> Cost:
        def at(j: int, k: int, parts: int) -> float:
            step = row.limit / steps
            part = min(-(-(row.whole / parts) // step) * step, row.limit)
            return row.weakness[j] + ((row.ends[j] - k * part) / part) ** 2

        return at

    return cost


def even_weighted(weight: float) -> Callable[[Row], Cost]:
    """Every cut at its share of the whole, with unevenness weighed by so much."""
    return lambda row: lambda j, k, parts: row.weakness[j] + weight * off(row, j, k, parts) ** 2


def one_more(*given, gain: float) -> list[int]:
    """One part more than needed where that saves so much of the cost of each cut."""
    parts = len(partition(*given)) + 1
    if parts == 1:
        return []
    row = Row(*given)
    now, more = (row.best(n, even_weighted(1)(row)) for n in (parts, parts + 1))
    return more[1] if more[0] / parts + gain < now[0] / (parts - 1) else now[1]


def anchored(*given, low: float) -> list[int]:
    """From the start on, at the strongest boundary from *low* of the limit to the limit; the fingerprint decides."""
    row = Row(*given)
    cuts, start = [], 0
    while (last := row.farthest(start)) < row.count:
        room = range(start + 1, last + 1)
        near = [j for j in room if row.ends[j] - row.ends[start] >= low * row.limit] or [last]
        start = min(near, key=lambda j: (row.weakness[j], row.print_of(j)))
        cuts.append(start)
    return cuts


def halved(*given) -> list[int]:
    """At the strongest boundary of the middle half, nearest the middle; then each half the same way."""
    row = Row(*given)

    def inside(start: int, end: int) -> Iterator[int]:
        if row.fits(start, end):
            return
        low, high = row.ends[start], row.ends[end]
        middle, quarter = (low + high) / 2, (high - low) / 4
        near = [j for j in range(start + 1, end) if abs(row.ends[j] - middle) <= quarter] or list(range(start + 1, end))
        at = min(near, key=lambda j: (row.weakness[j], abs(row.ends[j] - middle)))
        yield from (*inside(start, at), at, *inside(at, end))

    return list(inside(0, row.count))


RULES: dict[str, Rule] = {
    "in use": partition,
    "fewest, even": partial(fewest, cost=even_weighted(1)),
    "greedy": greedy,
    "fewest, even, prints within 0.1": partial(fewest, cost=prints_near(0.1, 0.05)),
    "fewest, even, prints within 0.25": partial(fewest, cost=prints_near(0.25, 0.05)),
    "fewest, prints anywhere": partial(fewest, cost=prints_only),
    "fewest, steps of 1/4": partial(fewest, cost=from_start(4)),
    "fewest, steps of 1/2": partial(fewest, cost=from_start(2)),
    "fewest, even, strength × 4": partial(fewest, cost=even_weighted(0.25)),
    "even, one more if it saves 0.1": partial(one_more, gain=0.1),
    "anchored from 0.5": partial(anchored, low=0.5),
    "halved": halved,
}
