"""What an evaluation found, as frozen values: all that a table, JSON or a page is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from headwise.evaluating.churn import Churn
from headwise.evaluating.metrics import BUDGETS, Interval, Scores, interval
from headwise.evaluating.questions import Kind, Question

JUDGED = BUDGETS.index(2000)
"""The budget that is shown first."""
_FEW = 30
_NOTABLE = 0.01
_WORST = 5


@dataclass(frozen=True, slots=True)
class Shown:
    """A piece that was found, for people."""

    path: str
    start_line: int
    end_line: int
    headings: tuple[str, ...]
    text: str
    """How it begins."""


@dataclass(frozen=True, slots=True)
class Result:
    """What one candidate did."""

    name: str
    is_peer: bool
    sizes: Mapping[int, int]
    """Size of a chunk, in the measure it was cut with → how many have it, in ascending order."""
    vectors: int
    bytes: int
    """Of the vectors, as a store keeps them."""
    seconds: float
    """To cut all documents."""
    churn: Churn
    scores: tuple[Scores, ...]
    """One for each question, in their order."""
    found: tuple[tuple[Shown, ...], ...]
    """For each question the best pieces."""

    @property
    def chunks(self) -> int:
        """How many there are."""
        return sum(self.sizes.values())


@dataclass(frozen=True, slots=True)
class Summary:
    """The means over the questions of a kind, with their intervals."""

    worth: Interval
    """Recall in the mean over the budgets, see `worth`."""
    within: tuple[Interval, ...]
    """Recall within each of `BUDGETS`: points of a curve."""
    paid: tuple[Interval, ...]
    recall: Interval
    precision: Interval
    iou: Interval
    ndcg: Interval
    mrr: Interval


@dataclass(frozen=True, slots=True)
class Bad:
    """A question whose answer was hardly found, and what was found instead."""

    question: Question
    answer: Shown
    recall: float
    """In the mean over the budgets."""
    found: tuple[Shown, ...]


@dataclass(frozen=True, slots=True)
class Advice:
    """Which candidate to take."""

    name: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Report:
    """All of an evaluation."""

    folder: str
    documents: int
    model: str
    """Empty if words alone were compared."""
    seed: int
    budgets: tuple[int, ...]
    questions: tuple[Question, ...]
    results: tuple[Result, ...]
    summaries: tuple[Mapping[Kind, Summary], ...]
    """For each result, its means by kind of question."""
    judged: tuple[Kind, ...]
    """The kinds that the advice goes by."""
    overall: tuple[Summary, ...]
    """For each result, its means over the questions of these kinds."""
    advice: Advice
    worst: tuple[Bad, ...]
    """Of the candidate that is advised, worst first, of the kinds it goes by."""


def summarize(scores: Sequence[Scores]) -> Summary:
    """The means of *scores*."""
    depth = range(len(BUDGETS))
    return Summary(
        worth=interval([worth(one) for one in scores]),
        within=tuple(interval([one.within[at] for one in scores]) for at in depth),
        paid=tuple(interval([one.paid[at] for one in scores]) for at in depth),
        recall=interval([one.recall for one in scores]),
        precision=interval([one.precision for one in scores]),
        iou=interval([one.iou for one in scores]),
        ndcg=interval([one.ndcg for one in scores]),
        mrr=interval([one.reciprocal_rank for one in scores]),
    )


def make_report(
    folder: str,
    documents: int,
    model: str,
    seed: int,
    questions: tuple[Question, ...],
    answers: Mapping[str, Shown],
    results: tuple[Result, ...],
) -> Report:
    """The report on *results*, of which at least one is no peer; *answers* are by the key of their question."""
    kinds: tuple[Kind, ...] = tuple(dict.fromkeys(one.kind for one in questions))
    at_kind: dict[Kind, list[int]] = {
        kind: [at for at, one in enumerate(questions) if one.kind == kind] for kind in kinds
    }
    judged = judged_kinds({kind: len(at) for kind, at in at_kind.items()})
    chosen = [at for kind in judged for at in at_kind[kind]]
    advice = advise(results, chosen)
    best = next(one for one in results if one.name == advice.name)
    worst = sorted(chosen, key=lambda at: (worth(best.scores[at]), questions[at].key))
    return Report(
        folder,
        documents,
        model,
        seed,
        BUDGETS,
        questions,
        results,
        tuple({kind: summarize([one.scores[at] for at in rows]) for kind, rows in at_kind.items()} for one in results),
        judged,
        tuple(summarize([one.scores[at] for at in chosen]) for one in results),
        advice,
        tuple(
            Bad(questions[at], answers[questions[at].key], worth(best.scores[at]), best.found[at])
            for at in worst[:_WORST]
            if worth(best.scores[at]) < 1
        ),
    )


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


def advise(results: Sequence[Result], chosen: Sequence[int]) -> Advice:
    """The candidate with the fewest vectors among those that are within the noise of the best one.

    Within the noise: the 95 % interval of the paired differences in `worth`, question by question, holds 0.

    Args:
        results: At least one is no peer.
        chosen: Which questions count.
    """
    own = [one for one in results if not one.is_peer]
    recall = {one.name: [worth(one.scores[at]) for at in chosen] for one in own}
    best = max(own, key=lambda one: (sum(recall[one.name]), -one.vectors))

    def is_near(one: Result) -> bool:
        pairs = zip(recall[best.name], recall[one.name], strict=True)
        return one is best or interval([a - b for a, b in pairs]).low <= 0

    near = [one for one in own if is_near(one)]
    if len(chosen) < _FEW:
        few = f"only {len(chosen)} questions count, too few to tell settings apart; give some with --questions"
        return Advice(best.name, f"{best.name} finds most, but {few}")
    taken = min(near, key=lambda one: (one.vectors, -sum(recall[one.name])))
    most = sum(recall[best.name]) / len(chosen)
    if taken is not best:
        mine = sum(recall[taken.name]) / len(chosen)
        fewer = 1 - taken.vectors / best.vectors if best.vectors else 0.0
        costs = f"{fewer:.0%} fewer vectors" if fewer >= _NOTABLE else "about as many vectors"
        told = f"within the noise of the best recall ({mine:.1%}; {best.name} has {most:.1%}), {costs}"
    elif len(own) == 1:
        told = f"recall {most:.1%}; nothing else was compared"
    elif len(near) > 1:
        told = f"the best recall ({most:.1%}), and none within its noise has fewer vectors"
    else:
        told = f"the best recall ({most:.1%}), beyond the noise of all others"
    return Advice(taken.name, f"{taken.name}: {told}")
