"""Figures about many sizes: a few that say most, and a histogram."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count

BARS = 10
"""At most, so that a histogram is seen at a glance."""


@dataclass(frozen=True, slots=True)
class Bar:
    """How many sizes lie in a range, both ends included."""

    least: int
    most: int
    number: int


@dataclass(frozen=True, slots=True)
class Distribution:
    """Where sizes lie; all 0 if there are none. `p95` is the size that 95 % do not exceed."""

    min: int
    median: int
    p95: int
    max: int
    histogram: tuple[Bar, ...]


def distribution(sizes: Mapping[int, int]) -> Distribution:
    """The distribution of *sizes*: size → how many have it."""
    if not sizes:
        return Distribution(0, 0, 0, 0, ())
    ordered = sorted(sizes.items())
    total = sum(sizes.values())
    largest = ordered[-1][0]
    width = next(width for width in _widths() if width * BARS > largest)
    counts = [0] * (largest // width + 1)
    for size, number in ordered:
        counts[size // width] += number
    return Distribution(
        min=ordered[0][0],
        median=_quantile(ordered, (total + 1) // 2),
        p95=_quantile(ordered, -(-95 * total // 100)),
        max=largest,
        histogram=tuple(Bar(n * width, (n + 1) * width - 1, number) for n, number in enumerate(counts)),
    )


def _widths() -> Iterator[int]:
    """1, 2, 5, 10, 20, 50 and so on."""
    for power in count():
        yield from (10**power, 2 * 10**power, 5 * 10**power)


def _quantile(ordered: list[tuple[int, int]], rank: int) -> int:
    """The size of the one with this rank, from 1, in ascending order."""
    for size, number in ordered:
        rank -= number
        if rank <= 0:
            return size
    return ordered[-1][0]
