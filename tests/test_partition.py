"""The best division, against trying every division there is."""

from __future__ import annotations

from itertools import combinations, pairwise

from hypothesis import given
from hypothesis import strategies as st

from headwise.chunking.partition import partition

UNIT = st.tuples(st.integers(1, 9), st.integers(0, 4), st.integers(0, 3), st.floats(0, 1, width=16))


def cost(
    cuts: tuple[int, ...], sizes: list[int], before: list[int], after: list[int], weakness: list[float], limit: int
) -> tuple[int, float] | None:
    """Number of parts and sum of weakness and unevenness, None if a part of several units does not fit."""
    count = len(sizes)
    # what a cut needs is never less than what one before it needed
    needs = [0] * (count + 1)
    for j in range(1, count + 1):
        needs[j] = max(needs[j - 1], sum(sizes[:j]) + after[j])
    for start, end in pairwise((0, *cuts, count)):
        if end - start > 1 and needs[end] - sum(sizes[:start]) + before[start] > limit:
            return None
    parts = len(cuts) + 1
    whole = sum(sizes)
    uneven = sum((sum(sizes[:cut]) / whole * parts - (k + 1)) ** 2 for k, cut in enumerate(cuts))
    return parts, uneven + sum(weakness[cut] for cut in cuts)


@given(st.lists(UNIT, min_size=1, max_size=9), st.integers(4, 30))
def test_no_division_is_better(units: list[tuple[int, int, int, float]], limit: int) -> None:
    sizes, before, closing, weakness = (list(column) for column in zip(*units, strict=True))
    after = [*closing, 0]

    cuts = tuple(partition(sizes, before, after, weakness, limit))

    found = cost(cuts, sizes, before, after, weakness, limit)
    assert found is not None
    every = (
        cost(other, sizes, before, after, weakness, limit)
        for parts in range(len(sizes))
        for other in combinations(range(1, len(sizes)), parts)
    )
    least = min(value for value in every if value is not None)
    assert found[0] == least[0]
    assert found[1] <= least[1] + 1e-9


def test_what_fits_is_not_cut() -> None:
    assert partition([3, 3, 3], [0, 0, 0], [0, 0, 0, 0], [0, 0, 0], 9) == []


def test_a_weak_boundary_is_passed_over_for_a_strong_one_nearby() -> None:
    sizes = [5] * 8
    weakness = [0.0, 0.6, 0.6, 0.1, 0.6, 0.6, 0.6, 0.6]

    assert partition(sizes, [0] * 8, [0] * 9, weakness, 25) == [3]


def test_sizes_are_even_and_no_tail_is_left() -> None:
    cuts = partition([1] * 100, [0] * 100, [0] * 101, [0.0] * 100, 33)

    assert [b - a for a, b in pairwise((0, *cuts, 100))] == [25, 25, 25, 25]


def test_a_unit_over_the_limit_stands_alone() -> None:
    assert partition([3, 50, 3], [0, 0, 0], [0] * 4, [0.0] * 3, 10) == [1, 2]
