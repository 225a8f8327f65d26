"""Fusion of rankings, against the definitions written out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwise.indexing.rank import cosines, mean_direction, mix, with_documents, with_neighbours

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


PLACED = st.dictionaries(st.tuples(st.sampled_from("ab"), st.integers(0, 6)), st.floats(0, 1), max_size=10)


@given(PLACED, st.floats(0, 1))
def test_who_stands_beside_a_good_one_in_its_section_gains(by_place, share):
    places = dict(enumerate(by_place))
    scores = {key: by_place[place] for key, place in places.items()}

    mixed = with_neighbours(scores, places, share)

    for key, (section, number) in places.items():
        best = max(by_place.get((section, at), 0.0) for at in (number - 1, number, number + 1))
        assert mixed[key] == pytest.approx((1 - share) * scores[key] + share * best)


def test_neighbours_of_other_sections_do_not_matter():
    assert with_neighbours({1: 1.0, 2: 0.2}, {1: ("a", 0), 2: ("b", 1)}, 0.5) == {1: 1.0, 2: 0.2}
    assert with_neighbours({1: 1.0, 2: 0.2}, {1: ("a", 0), 2: ("a", 1)}, 0.5) == {1: 1.0, 2: pytest.approx(0.6)}
    assert with_neighbours({}, {}, 0.5) == {}


@given(st.dictionaries(st.integers(0, 20), st.tuples(st.floats(0, 1), st.sampled_from("abc"))), st.floats(0, 1))
def test_a_score_gains_by_the_mean_of_the_best_three_of_its_document(found, share):
    scores = {key: score for key, (score, _) in found.items()}

    raised = with_documents(scores, {key: document for key, (_, document) in found.items()}, share)

    for key, (score, document) in found.items():
        best = [*sorted((other for other, name in found.values() if name == document), reverse=True), 0.0, 0.0]
        assert raised[key] == pytest.approx(score + share * (best[0] + best[1] + best[2]) / 3)


def test_a_document_with_three_good_chunks_is_before_one_with_a_slightly_better_one():
    scores = {1: 0.80, 2: 0.78, 3: 0.76, 4: 0.74}
    raised = with_documents(scores, {1: "by chance", 2: "about it", 3: "about it", 4: "about it"}, 0.2)
    assert max(raised, key=raised.__getitem__) == 2


def test_the_mean_direction_is_of_length_one_and_no_other_is_nearer_to_all():
    random = np.random.default_rng(3)
    rows = random.standard_normal((5, 8)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)

    mean = mean_direction(list(rows))

    assert np.linalg.norm(mean) == pytest.approx(1, abs=1e-6)
    others = random.standard_normal((500, 8))
    others /= np.linalg.norm(others, axis=1, keepdims=True)
    assert (rows @ others.T).sum(axis=0).max() < (rows @ mean).sum()


def test_where_there_is_no_mean_direction_there_is_none():
    east = np.array([1, 0], dtype=np.float32)
    assert mean_direction([]) is None
    assert mean_direction([east, -east]) is None
    assert list(mean_direction([2 * east])) == [1, 0]


def test_all_owners_at_once_have_the_cosine_that_each_has_by_itself():
    random = np.random.default_rng(5)
    owners = [owner for owner in (7, 3, 12, 5) for _ in range(owner)]
    rows = random.standard_normal((len(owners), 16)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    asked = 3 * random.standard_normal(16).astype(np.float32)

    found = cosines(asked, owners, rows)

    assert list(found) == [7, 3, 12, 5]
    for owner, cosine in found.items():
        mean = mean_direction([row for row, its in zip(rows, owners, strict=True) if its == owner])
        assert cosine == pytest.approx(float(mean @ asked) / float(np.linalg.norm(asked)), abs=1e-6)


def test_whose_vectors_cancel_out_has_no_cosine_and_that_of_nothing_is_0():
    east, north = np.eye(2, dtype=np.float32)
    assert cosines(east, [1, 1, 2], np.stack([east, -east, north])) == {2: 0.0}
    assert cosines(0 * east, [1], np.stack([east])) == {1: 0.0}
    assert cosines(east, [], np.empty((0, 2), np.float32)) == {}
