"""What an evaluation found, as frozen values: all that a table, JSON or a page is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from headwise.evaluating.advice import Advice, advise, judged_kinds, worth
from headwise.evaluating.metrics import BUDGETS, Interval, Scores, interval
from headwise.evaluating.questions import Kind, Question, Questions
from headwise.evaluating.result import Result, Shown

JUDGED = BUDGETS.index(2000)
"""The budget that is shown first."""
_WORST = 5


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
class Report:
    """All of an evaluation."""

    folder: str
    documents: int
    model: str
    """Empty if words alone were compared."""
    seed: int
    budgets: tuple[int, ...]
    questions: tuple[Question, ...]
    left_out: Mapping[Kind, int]
    """See `Questions`."""
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
    asked: Questions,
    answers: Mapping[str, Shown],
    results: tuple[Result, ...],
) -> Report:
    """The report on *results*, of which at least one is no peer; *answers* are by the key of their question."""
    questions = asked.asked
    kinds: tuple[Kind, ...] = tuple(dict.fromkeys(one.kind for one in questions))
    at_kind: dict[Kind, list[int]] = {
        kind: [at for at, one in enumerate(questions) if one.kind == kind] for kind in kinds
    }
    judged = judged_kinds({kind: len(at) for kind, at in at_kind.items()})
    chosen = [at for kind in judged for at in at_kind[kind]]
    advice = advise(results, chosen, documents)
    best = next(one for one in results if one.name == advice.name)
    worst = sorted(chosen, key=lambda at: (worth(best.scores[at]), questions[at].key))
    return Report(
        folder,
        documents,
        model,
        seed,
        BUDGETS,
        questions,
        asked.left_out,
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
