"""How well a ranking of pieces of documents finds an answer: pure arithmetic over spans of characters and tokens."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

BUDGETS = (500, 1000, 2000, 4000)
"""Tokens that a reader or a model can afford."""
AT = 5
"""How many pieces recall, precision and IoU look at."""
_DEPTH = 10
"""How many pieces nDCG looks at."""


class Place(NamedTuple):
    """A span of characters in a document, half open."""

    document: str
    start: int
    end: int


class Piece(NamedTuple):
    """What a ranking names: a span of a document, and how many tokens are read with it as its context."""

    document: str
    start: int
    end: int
    context: int = 0


Answer = Sequence[Place]
"""All places that belong to one answer."""
Tokens = Mapping[str, Sequence[int]]
"""For each document, the characters at which its tokens begin, in order."""


@dataclass(frozen=True, slots=True)
class Scores:
    """How well one ranking found one answer; all are shares from 0 to 1."""

    recall: float
    """Share of the answer that the first `AT` pieces hold."""
    precision: float
    """Share of their characters that is of the answer; what stands in several counts in each."""
    iou: float
    """Intersection of both over their union (Smith and Troynikov, Evaluating Chunking Strategies, 2024)."""
    ndcg: float
    """Normalised discounted cumulative gain of the first ten (Järvelin and Kekäläinen 2002). What a piece gains is the
    share of the answer that none before it held; the best ranking has all of it first."""
    reciprocal_rank: float
    """One over the rank of the first piece that holds some of the answer; 0 if none does."""
    within: tuple[float, ...]
    """For each of `BUDGETS` the share of the answer in so many tokens of distinct text, read in order of rank."""
    paid: tuple[float, ...]
    """The same where text that stands in several pieces, and all context, is paid for every time."""


def score(ranking: Sequence[Piece], answers: Sequence[Answer], tokens: Tokens) -> Scores:
    """How well *ranking*, best first, finds one of *answers*, which are all right: each score is the best among them.

    Args:
        ranking: What was found; nothing below what fills the largest of `BUDGETS` counts.
        answers: At least one; none may be empty.
        tokens: Of all documents that are named.
    """
    within = [read_within(ranking, budget, tokens) for budget in BUDGETS]
    paid = [paid_within(ranking, budget, tokens) for budget in BUDGETS]
    return _best([_score(ranking, merged(answer), within, paid) for answer in answers])


def _score(
    ranking: Sequence[Piece],
    answer: Sequence[Place],
    within: Sequence[Sequence[Place]],
    paid: Sequence[Sequence[Place]],
) -> Scores:
    wanted = size(answer)
    top = [Place(*piece[:3]) for piece in ranking[:AT]]
    read = size(top)
    both = size(common(merged(top), answer))
    gain, rank, before = 0.0, 0, 0
    for number in range(1, min(len(ranking), _DEPTH) + 1):
        known = size(common(merged(Place(*one[:3]) for one in ranking[:number]), answer))
        gain += (known - before) / wanted / math.log2(number + 1)
        before = known
        rank = rank or (number if known else 0)
    if not rank:
        rank = next((n for n, piece in enumerate(ranking, 1) if common([Place(*piece[:3])], answer)), 0)
    return Scores(
        recall=both / wanted,
        precision=both / read if read else 0.0,
        iou=both / (read + wanted - both),
        ndcg=gain,
        reciprocal_rank=1 / rank if rank else 0.0,
        within=tuple(size(common(merged(places), answer)) / wanted for places in within),
        paid=tuple(size(common(merged(places), answer)) / wanted for places in paid),
    )


def _best(several: Sequence[Scores]) -> Scores:
    return Scores(
        recall=max(one.recall for one in several),
        precision=max(one.precision for one in several),
        iou=max(one.iou for one in several),
        ndcg=max(one.ndcg for one in several),
        reciprocal_rank=max(one.reciprocal_rank for one in several),
        within=tuple(map(max, zip(*(one.within for one in several), strict=True))),
        paid=tuple(map(max, zip(*(one.paid for one in several), strict=True))),
    )


def read_within(ranking: Iterable[Piece], budget: int, tokens: Tokens) -> list[Place]:
    """What is read of *ranking* until *budget* tokens of text that was not read before; the last piece may be cut."""
    read: dict[str, list[Place]] = {}
    left = budget
    for piece in ranking:
        before = read.get(piece.document, [])
        for part in _without(Place(*piece[:3]), before):
            taken = _first_tokens(part, left, tokens)
            read[piece.document] = merged([*read.get(piece.document, []), taken])
            left -= _count(taken, tokens)
            if taken != part:
                return [place for places in read.values() for place in places]
    return [place for places in read.values() for place in places]


def paid_within(ranking: Iterable[Piece], budget: int, tokens: Tokens) -> list[Place]:
    """What is read of *ranking* until *budget* tokens are full, each piece with its context; the last may be cut."""
    read: list[Place] = []
    left = budget
    for piece in ranking:
        left -= piece.context
        if left <= 0:
            break
        place = Place(*piece[:3])
        taken = _first_tokens(place, left, tokens)
        read.append(taken)
        left -= _count(taken, tokens)
        if taken != place:
            break
    return read


def _first_tokens(place: Place, limit: int, tokens: Tokens) -> Place:
    """*place* up to where its token after the first *limit* begins; nothing of it if *limit* is 0 and one does."""
    starts = tokens[place.document]
    if limit <= 0 and _count(place, tokens):
        return place._replace(end=place.start)
    after = bisect_left(starts, place.start) + limit
    return place if after >= len(starts) or starts[after] >= place.end else place._replace(end=starts[after])


def _count(place: Place, tokens: Tokens) -> int:
    """How many tokens begin in *place*."""
    starts = tokens[place.document]
    return bisect_left(starts, place.end) - bisect_left(starts, place.start)


def merged(places: Iterable[Place]) -> list[Place]:
    """The same characters as *places*, each once, in order of document and place."""
    found: list[Place] = []
    for place in sorted(places):
        if place.start >= place.end:
            continue
        if found and found[-1].document == place.document and place.start <= found[-1].end:
            found[-1] = found[-1]._replace(end=max(found[-1].end, place.end))
        else:
            found.append(place)
    return found


def common(one: Sequence[Place], other: Sequence[Place]) -> list[Place]:
    """The characters that both hold, each of them *merged*."""
    found: list[Place] = []
    a = b = 0
    while a < len(one) and b < len(other):
        if one[a].document == other[b].document:
            start, end = max(one[a].start, other[b].start), min(one[a].end, other[b].end)
            if start < end:
                found.append(Place(one[a].document, start, end))
        if (one[a].document, one[a].end) < (other[b].document, other[b].end):
            a += 1
        else:
            b += 1
    return found


def size(places: Iterable[Place]) -> int:
    """How many characters *places* have together."""
    return sum(place.end - place.start for place in places)


def _without(place: Place, read: Sequence[Place]) -> list[Place]:
    """The parts of *place* that are not in *read*, which is of the same document and merged."""
    found: list[Place] = []
    at = place.start
    for one in read:
        if one.end <= at or one.start >= place.end:
            continue
        if one.start > at:
            found.append(place._replace(start=at, end=one.start))
        at = max(at, one.end)
    if at < place.end:
        found.append(place._replace(start=at))
    return found


class Interval(NamedTuple):
    """A mean, and the bounds that it lies between with 95 % confidence."""

    mean: float
    low: float
    high: float


def interval(values: Sequence[float], *, seed: int = 0, samples: int = 2000) -> Interval:
    """The mean of *values* with its interval by the percentile bootstrap (Efron 1979); of none, all are 0.

    Of two runs over the same questions, give the differences: then it is the paired bootstrap.
    """
    import numpy as np  # noqa: PLC0415 - numpy comes with the extras only

    if not values:
        return Interval(0.0, 0.0, 0.0)
    data = np.asarray(values, dtype=np.float64)
    drawn = np.random.default_rng(seed).integers(0, len(data), (samples, len(data)))
    means = np.sort(data[drawn].mean(axis=1))
    return Interval(float(data.mean()), float(means[int(0.025 * samples)]), float(means[int(0.975 * samples)]))
