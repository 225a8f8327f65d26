"""What an evaluation found, as frozen values: all that a table, JSON or a page is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from headwise.evaluating.advice import Advice, advise, judged_kinds, worth
from headwise.evaluating.metrics import BUDGETS, Interval, Scores, interval
from headwise.evaluating.questions import Kind, Question, Questions
from headwise.evaluating.result import Result, Shown

JUDGED = BUDGETS.index(2000)
"""The budget that is shown first."""
_WORST = 5
Replayed = Literal["edits", "git"]
"""Which edits were replayed: invented ones, or those of the folder's history."""


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


class Drawn(NamedTuple):
    """How questions and edits were chosen."""

    seed: int
    sample: int
    replayed: Replayed


@dataclass(frozen=True, slots=True)
class Report:
    """All of an evaluation."""

    folder: str
    documents: int
    model: str
    """Empty if words alone were compared."""
    seed: int
    sample: int
    """Questions of each kind at most."""
    replayed: Replayed
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

    @property
    def asked(self) -> Mapping[Kind, Sequence[int]]:
        """The places of the questions of each kind."""
        return by_kind(self.questions)


def by_kind(questions: Sequence[Question]) -> dict[Kind, list[int]]:
    """The places of *questions* of each kind, in the order in which kinds first come."""
    found: dict[Kind, list[int]] = {}
    for at, one in enumerate(questions):
        found.setdefault(one.kind, []).append(at)
    return found


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
    drawn: Drawn,
    asked: Questions,
    answers: Mapping[str, Shown],
    results: tuple[Result, ...],
) -> Report:
    """The report on *results*, of which at least one is no peer; *answers* are by the key of their question."""
    questions = asked.asked
    at_kind = by_kind(questions)
    judged = judged_kinds({kind: len(at) for kind, at in at_kind.items()})
    chosen = [at for kind in judged for at in at_kind[kind]]
    advice = advise(results, chosen, documents)
    best = next(one for one in results if one.name == advice.name)
    worst = sorted(chosen, key=lambda at: (worth(best.scores[at]), questions[at].key))
    return Report(
        folder,
        documents,
        model,
        drawn.seed,
        drawn.sample,
        drawn.replayed,
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
