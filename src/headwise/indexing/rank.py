"""One ranking out of several: pure arithmetic over scores by id."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING

from headwise.stores.vectors import unit

if TYPE_CHECKING:
    from headwise.stores.store import Vector

_BEST = 3
"""Chunks that speak for their document: one may match by chance."""


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


def with_neighbours(
    scores: Mapping[int, float], places: Mapping[int, tuple[str, int]], share: float
) -> dict[int, float]:
    """Each score mixed with the best of its own and its neighbours' by *share*: who stands beside a good one gains.

    *places* says for an id in which section it stands, and as which in it; ids next to each other in one section are
    neighbours. An id without a place keeps its score.
    """
    at = {place: scores[key] for key, place in places.items()}
    mixed = dict(scores)
    for key, (section, number) in places.items():
        beside = (at.get((section, number + step), 0.0) for step in (-1, 1))
        mixed[key] = (1 - share) * scores[key] + share * max(scores[key], *beside)
    return mixed


def with_documents(scores: Mapping[int, float], documents: Mapping[int, Hashable], share: float) -> dict[int, float]:
    """Each score and *share* of the mean of the best three in the same document: one that has much of it gains.

    *documents* says for an id which document it is in. Those that a document lacks of three count 0.
    """
    inside: defaultdict[Hashable, list[float]] = defaultdict(list)
    for key, score in scores.items():
        inside[documents[key]].append(score)
    means = {document: sum(sorted(found, reverse=True)[:_BEST]) / _BEST for document, found in inside.items()}
    return {key: score + share * means[documents[key]] for key, score in scores.items()}


def mean_direction(vectors: Sequence[Vector]) -> Vector | None:
    """The unit vector that has the highest mean cosine to *vectors*; None if there are none or they cancel out."""
    if not vectors:
        return None
    mean: Vector = sum(vectors[1:], vectors[0])
    length = float((mean @ mean) ** 0.5)
    return mean / length if length else None


def cosines(asked: Vector, owners: Sequence[int], vectors: Vector) -> dict[int, float]:
    """By owner, the cosine of *asked* to the direction that has the highest mean cosine to all its vectors.

    *vectors* are rows of length one, *owners* says whose each is; those of one stand together, and if they cancel out
    there is no such direction. If *asked* is zeros, all cosines are 0.
    """
    import numpy as np  # noqa: PLC0415 - numpy comes with the extras only

    if not owners:
        return {}
    firsts = [at for at, owner in enumerate(owners) if not at or owner != owners[at - 1]]
    sums = np.add.reduceat(vectors, firsts)
    lengths: list[float] = np.linalg.norm(sums, axis=1).tolist()
    along: list[float] = (sums @ unit(asked)).tolist()
    return {owners[at]: one / length for at, one, length in zip(firsts, along, lengths, strict=True) if length}


def _stretched(scores: Mapping[int, float]) -> dict[int, float]:
    if not scores:
        return {}
    low, high = min(scores.values()), max(scores.values())
    span = high - low
    return {key: (score - low) / span if span > 0 else 1.0 for key, score in scores.items()}


def _best_first(scores: Mapping[int, float]) -> list[tuple[int, float]]:
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))
