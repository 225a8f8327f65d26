"""Fusion of rankings, against the definitions written out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwise.indexing.rank import mix, rrf

SCORES = st.dictionaries(st.integers(0, 12), st.floats(-50, 50), max_size=8)


def mixed_by_hand(words, vectors, weight):
    total = {}
    for key in set(words) | set(vectors):
        score = 0.0
        for scores, share in ((words, 1 - weight), (vectors, weight)):
            if key in scores:
                low, high = min(scores.values()), max(scores.values())
                score += share * (1.0 if low == high else (scores[key] - low) / (high - low))
        total[key] = score
    return total


@given(SCORES, SCORES, st.floats(0, 1))
def test_mix_is_the_weighted_sum_of_stretched_scores_best_first_then_by_id(words, vectors, weight):
    expected = mixed_by_hand(words, vectors, weight)

    mixed = mix(words, vectors, weight)

    assert dict(mixed) == pytest.approx(expected)
    assert mixed == sorted(mixed, key=lambda item: (-item[1], item[0]))
    assert all(0 <= score <= 1 + 1e-9 for _, score in mixed)


def test_weight_zero_ranks_by_words_and_weight_one_by_vectors():
    words, vectors = {1: 9.0, 2: 5.0, 3: 1.0}, {3: 0.9, 2: 0.5, 1: 0.1}
    assert [key for key, _ in mix(words, vectors, 0)] == [1, 2, 3]
    assert [key for key, _ in mix(words, vectors, 1)] == [3, 2, 1]


@pytest.mark.parametrize(
    ("words", "vectors", "order"),
    [
        ({}, {}, []),
        ({5: 1.0}, {}, [5]),
        ({}, {5: -1.0, 4: -2.0}, [5, 4]),
        ({2: 3.0, 1: 3.0}, {}, [1, 2]),
        ({1: 2.0, 2: 1.0}, {2: 0.8, 3: 0.7}, [1, 2, 3]),
    ],
)
def test_mix_of_small_lists(words, vectors, order):
    assert [key for key, _ in mix(words, vectors, 0.3)] == order


@given(st.lists(st.lists(st.integers(0, 9), unique=True), max_size=4), st.integers(0, 60))
def test_rrf_is_the_sum_of_reciprocal_ranks(rankings, k):
    fused = rrf(rankings, k=k)

    expected = {
        key: sum(1 / (k + ranking.index(key) + 1) for ranking in rankings if key in ranking)
        for key in {key for ranking in rankings for key in ranking}
    }
    assert dict(fused) == pytest.approx(expected)
    assert fused == sorted(fused, key=lambda item: (-item[1], item[0]))


def test_rrf_weighs_rankings():
    assert [key for key, _ in rrf([[1, 2], [2, 1]], weights=[1, 2])] == [2, 1]
    with pytest.raises(ValueError, match="shorter"):
        rrf([[1], [2]], weights=[1])
