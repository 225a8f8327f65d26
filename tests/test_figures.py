"""Figures about sizes, against the sizes laid out one by one."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from headwise.app.figures import BARS, distribution


@given(st.lists(st.integers(0, 3000), min_size=1, max_size=60))
def test_quantiles_and_bars_are_those_of_the_sorted_sizes(sizes):
    ordered = sorted(sizes)

    found = distribution(Counter(sizes))

    assert (found.min, found.max) == (ordered[0], ordered[-1])
    assert found.median == ordered[(len(sizes) + 1) // 2 - 1]
    assert found.p95 == ordered[-(-95 * len(sizes) // 100) - 1]
    assert len(found.histogram) <= BARS
    for bar in found.histogram:
        assert bar.number == sum(bar.least <= size <= bar.most for size in sizes)
    assert sum(bar.number for bar in found.histogram) == len(sizes)


def test_no_sizes_give_no_figures():
    assert distribution({}).histogram == ()
