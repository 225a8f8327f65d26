"""Which candidate to take: of those within the noise of the best recall, the one that embeds least in the long run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from headwise.evaluating.metrics import Scores, interval
from headwise.evaluating.questions import Kind
from headwise.evaluating.result import Result

EDITS = 10
"""Edits of every document that "the long run" has."""
_FEW = 30
_SAME = 0.05
"""Costs that differ by less than this share are the same: then recall decides."""


@dataclass(frozen=True, slots=True)
class Advice:
    """Which candidate to take."""

    name: str
    sentence: str


def judged_kinds(counts: Mapping[Kind, int]) -> tuple[Kind, ...]:
    """Which kinds of question tell most: the user's own, else links, else whatever there is; all need enough.

    Titles and first sentences ask in the very words of the answer, so that all settings find nearly all of them.
    """
    groups: tuple[tuple[Kind, ...], ...] = (
        ("own",),
        ("links",),
        ("links", "pages"),
        ("links", "pages", "first sentences"),
    )
    for group in groups:
        there: tuple[Kind, ...] = tuple(kind for kind in group if counts.get(kind))
        if sum(counts[kind] for kind in there) >= _FEW:
            return there
    return ("own",) if counts.get("own") else tuple(counts)


def worth(scores: Scores) -> float:
    """What settings are judged by: recall, in the mean over all budgets, as nobody knows yours."""
    return sum(scores.within) / len(scores.within)


def embedded(result: Result, documents: int) -> float:
    """What *result* embeds in the long run: its vectors, and what `EDITS` edits of each of *documents* make anew."""
    return result.vectors + EDITS * documents * result.churn.passages if result.vectors else 0.0


def advise(results: Sequence[Result], chosen: Sequence[int], documents: int) -> Advice:
    """The candidate that embeds least in the long run among those that are within the noise of the best one.

    Within the noise: the 95 % interval of the paired differences in `worth`, question by question, holds 0. Of those
    that embed about as little as the least, the one with the best recall.

    Args:
        results: At least one is no peer.
        chosen: Which questions count.
        documents: How many there are.
    """
    own = [one for one in results if not one.is_peer]
    recall = {one.name: [worth(one.scores[at]) for at in chosen] for one in own}
    found = {name: sum(several) / (len(several) or 1) for name, several in recall.items()}
    cost = {one.name: embedded(one, documents) for one in own}
    best = max(own, key=lambda one: (found[one.name], -cost[one.name]))
    if len(chosen) < _FEW:
        few = f"only {len(chosen)} questions count, too few to tell settings apart; give some with --questions"
        return Advice(best.name, f"{best.name} finds most, but {few}")

    def is_near(one: Result) -> bool:
        pairs = zip(recall[best.name], recall[one.name], strict=True)
        return one is best or interval([a - b for a, b in pairs]).low <= 0

    near = [one for one in own if is_near(one)]
    least = min(cost[one.name] for one in near)
    cheap = [one for one in near if cost[one.name] * (1 - _SAME) <= least]
    taken = max(cheap, key=lambda one: (found[one.name], -cost[one.name]))
    most = f"{found[best.name]:.1%}"
    if taken is not best:
        told = (
            f"within the noise of the best recall ({found[taken.name]:.1%}; {best.name} has {most}), and embeds "
            f"{1 - cost[taken.name] / cost[best.name]:.0%} less in the long run ({_told(taken)}, not {_told(best)})"
        )
    elif len(own) == 1:
        told = f"recall {most}; nothing else was compared"
    elif len(near) == 1:
        told = f"the best recall ({most}), beyond the noise of all others"
    elif not least:
        told = f"the best recall ({most}); {len(near) - 1} more are within its noise, and nothing is embedded"
    else:
        told = f"the best recall ({most}), and none within its noise embeds clearly less in the long run"
    return Advice(taken.name, f"{taken.name}: {told}")


def _told(one: Result) -> str:
    churn = f" and {one.churn.passages:.1f} more per edit" if one.churn.edits else ""
    return f"{one.vectors:,} vectors{churn}"
