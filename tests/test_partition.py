"""The best division, against trying every division there is."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import combinations, pairwise
from statistics import mean

from hypothesis import example, given
from hypothesis import strategies as st

from headwise.chunking.partition import partition

UNIT = st.tuples(st.integers(1, 9), st.integers(0, 4), st.integers(0, 3), st.floats(0, 1, width=16))


def cost(
    cuts: tuple[int, ...], sizes: list[int], before: list[int], after: list[int], weakness: list[float], limit: int
) -> tuple[int, float] | None:
    """Number of parts and sum of weakness and distance from where cuts are wanted, None if a part does not fit."""
    count = len(sizes)
    # what a cut needs is never less than what one before it needed
    needs = [0] * (count + 1)
    for j in range(1, count + 1):
        needs[j] = max(needs[j - 1], sum(sizes[:j]) + after[j])

    def fits(start: int, end: int) -> bool:
        return end - start == 1 or needs[end] - sum(sizes[:start]) + before[start] <= limit

    if not all(fits(start, end) for start, end in pairwise((0, *cuts, count))):
        return None
    least = [0]
    for end in range(1, count + 1):
        least.append(1 + min(least[start] for start in range(end) if fits(start, end)))
    parts = len(cuts) + 1
    far = 0.0
    for k, cut in enumerate(cuts, 1):
        latest, earlier = (max(sum(sizes[:j]) for j in range(count) if least[j] <= m) for m in (k, k - 1))
        wanted = latest if k < parts - 1 else (earlier + sum(sizes)) / 2
        far += 0.25 * ((sum(sizes[:cut]) - wanted) / limit) ** 2
    return parts, far + sum(weakness[cut] for cut in cuts)


@given(st.lists(UNIT, min_size=1, max_size=9), st.integers(4, 30))
@example([(5, 0, 0, 0.0), (4, 0, 0, 0.0), (1, 0, 3, 0.0)], 10)  # what must be closed is less at the end than before it
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
    assert partition([4, 1, 5], [0] * 3, [0] * 4, [0.0, 0.0, 1.0], 9) == [1]
    assert partition([4, 1, 5], [0] * 3, [0] * 4, [0.0, 1.0, 0.0], 9) == [2]


def plain(sizes: Sequence[int], limit: int) -> list[int]:
    """The cuts between units without context, all boundaries alike."""
    count = len(sizes)
    return partition(sizes, [0] * count, [0] * (count + 1), [0.0] * count, limit)


def test_parts_are_full_but_for_the_last_two_which_are_even() -> None:
    assert [b - a for a, b in pairwise((0, *plain([1] * 100, 33), 100))] == [33, 33, 17, 17]
    assert plain([1] * 40, 33) == [20]


@given(st.integers(2, 500), st.integers(2, 60))
def test_no_tail_is_left(count: int, limit: int) -> None:
    cuts = plain([1] * count, limit)

    assert len(cuts) + 1 == -(-count // limit)
    assert not cuts or all(b - a >= limit // 2 for a, b in pairwise((0, *cuts, count)))


SIZES = st.lists(st.integers(1, 9), min_size=2, max_size=60)


@given(SIZES, st.data(), st.lists(st.integers(1, 9), max_size=3), st.integers(9, 40))
def test_an_edit_moves_no_cut_before_it_but_the_last(sizes: list[int], data: st.DataObject, new: list[int], limit: int):
    at = data.draw(st.integers(0, len(sizes)))
    edited = [*sizes[:at], *new, *sizes[at + data.draw(st.integers(0, 1)) :]]

    before, after = ([cut for cut in plain(each, limit)[:-1] if cut < at] for each in (sizes, edited))
    kept = min(len(before), len(after))
    assert before[:kept] == after[:kept]
    assert abs(len(before) - len(after)) <= 1  # the last of one may be one of many in the other


def test_an_edit_of_a_long_row_changes_few_parts() -> None:
    pick = random.Random(1)  # noqa: S311 - the same rows every time are wanted
    changed: list[int] = []
    for _ in range(100):
        row = [(pick.randint(10, 90), number) for number in range(400)]
        at = pick.randrange(400)
        edited = [*row[:at], (20, -1), *row[at:]]
        old, new = (
            {tuple(each[a:b]) for a, b in pairwise((0, *plain([size for size, _ in each], 400), len(each)))}
            for each in (row, edited)
        )
        changed.append(len(new - old))
    assert mean(changed) < 5  # of some 55


def test_a_unit_over_the_limit_stands_alone() -> None:
    assert partition([3, 50, 3], [0, 0, 0], [0] * 4, [0.0] * 3, 10) == [1, 2]
    assert partition([50, 50], [0, 0], [0] * 3, [0.0] * 2, 10) == [1]
    assert partition([50, 3, 3], [0, 0, 0], [0] * 4, [0.0, 1.0, 0.0], 10) == [1]
