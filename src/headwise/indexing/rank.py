"""One ranking out of several: pure arithmetic over scores by id."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def mix(words: Mapping[int, float], vectors: Mapping[int, float], weight: float) -> list[tuple[int, float]]:
    """Ids of both lists with their mixed scores, best first; equal scores by id.

    Each list is stretched to 0…1 (min-max) and counts `1 - weight` for words, *weight* for vectors; whoever is
    missing from a list has 0 there, as its last one has. A list whose scores are all equal gives all of them 1.
    """
    by_words, by_vectors = _stretched(words), _stretched(vectors)
    return _best_first(
        {
            key: (1 - weight) * by_words.get(key, 0.0) + weight * by_vectors.get(key, 0.0)
            for key in by_words.keys() | by_vectors.keys()
        }
    )


def rrf(
    rankings: Sequence[Sequence[int]], weights: Sequence[float] | None = None, k: int = 10
) -> list[tuple[int, float]]:
    """Reciprocal rank fusion: an id's score is the sum of `weight / (k + rank)` over the rankings that hold it.

    *rankings* are ids, best first, ranks from 1; *weights* are all 1 if not given.
    """
    scores: dict[int, float] = {}
    for ranking, weight in zip(rankings, weights or [1.0] * len(rankings), strict=True):
        for rank, key in enumerate(ranking, 1):
            scores[key] = scores.get(key, 0.0) + weight / (k + rank)
    return _best_first(scores)


def _stretched(scores: Mapping[int, float]) -> dict[int, float]:
    if not scores:
        return {}
    low, high = min(scores.values()), max(scores.values())
    span = high - low
    return {key: (score - low) / span if span > 0 else 1.0 for key, score in scores.items()}


def _best_first(scores: Mapping[int, float]) -> list[tuple[int, float]]:
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))
