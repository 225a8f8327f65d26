"""An evaluation as JSON: the field names of the command line's contract."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Any

from headwise.app.figures import distribution
from headwise.evaluating.metrics import Interval
from headwise.evaluating.questions import Question
from headwise.evaluating.report import JUDGED, Report, Summary


def eval_json(report: Report) -> dict[str, object]:
    """All of *report* for programs; recall is a list of one value for each budget."""
    return {
        "folder": report.folder,
        "documents": report.documents,
        "model": report.model or None,
        "seed": report.seed,
        "sample": report.sample,
        "replayed": report.replayed,
        "budgets": list(report.budgets),
        "judged": list(report.judged),
        "left_out": dict(report.left_out),
        "advice": asdict(report.advice),
        "settings": [
            {
                "name": result.name,
                "settings": result.settings,
                "peer": result.is_peer,
                "chunks": result.chunks,
                "tokens": asdict(distribution(result.sizes)),
                "vectors": result.vectors,
                "bytes": result.bytes,
                "seconds": round(result.seconds, 3),
                "churn": asdict(result.churn),
                "overall": _summary(overall),
                "kinds": {kind: _summary(one) for kind, one in kinds.items()},
            }
            for result, overall, kinds in zip(report.results, report.overall, report.summaries, strict=True)
        ],
        "questions": [
            {
                "kind": question.kind,
                "question": question.text,
                "answers": _answers(question),
                "exclude": list(question.exclude),
                "overlap": round(question.overlap, 3),
                "recall": [round(result.scores[at].within[JUDGED], 4) for result in report.results],
            }
            for at, question in enumerate(report.questions)
        ],
        "worst": [
            {
                "question": bad.question.text,
                "recall": round(bad.recall, 4),
                "answer": asdict(bad.answer),
                "found": [asdict(one) for one in bad.found],
            }
            for bad in report.worst
        ],
    }


def _summary(summary: Summary) -> dict[str, Any]:
    """Means with their intervals; lists of them have one for each budget."""
    values: dict[str, Any] = {field.name: getattr(summary, field.name) for field in fields(summary)}
    return {
        name: value._asdict() if isinstance(value, Interval) else [one._asdict() for one in value]
        for name, value in values.items()
    }


def _answers(question: Question) -> list[list[dict[str, Any]]]:
    return [[place._asdict() for place in answer] for answer in question.answers]
