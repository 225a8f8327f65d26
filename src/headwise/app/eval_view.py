"""An evaluation for people: a table of settings, recall by kind of question, the worst questions, and the advice."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from headwise.app.figures import distribution
from headwise.app.render import place
from headwise.app.visible import one_line
from headwise.evaluating.metrics import Interval
from headwise.evaluating.report import JUDGED, Bad, Report

_SHOWN = 90


def eval_view(report: Report) -> Group:
    """All of *report*; shares are in per cent, with the half width of their 95 % interval where there is room."""
    return Group(*_parts(report))


def _parts(report: Report) -> Iterator[RenderableType]:
    counts = {kind: sum(one.kind == kind for one in report.questions) for kind in report.summaries[0]}
    by = report.model or "words alone"
    asked = ", ".join(f"{number} {kind}" for kind, number in counts.items())
    yield Text(f"{report.documents:,} documents, {len(report.questions):,} questions ({asked}), searched by {by}")
    yield Text(f"\nRecall within {report.budgets[JUDGED]:,} tokens by kind of question, %", style="bold")
    yield _by_kind(report, counts)
    yield Text(f"\nOver {', '.join(report.judged)}: recall within so many tokens, and their mean; %", style="bold")
    yield _overall(report)
    yield Text("\nWhat it costs", style="bold")
    yield _costs(report)
    if report.worst:
        yield Text(f"\nHardly found by {report.advice.name}", style="bold")
        for bad in report.worst:
            yield _bad(bad)
    yield Text.assemble(("\nAdvice  ", "bold"), report.advice.sentence)


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for at, column in enumerate(columns):
        table.add_column(column, justify="right" if at else "left", no_wrap=True)
    return table


def _add(table: Table, report: Report, name: str, *cells: str) -> None:
    table.add_row(name, *cells, style="bold" if name == report.advice.name else "")


def _by_kind(report: Report, counts: dict[str, int]) -> Table:
    table = _table("", *(f"{kind} ({number})" for kind, number in counts.items()))
    for result, summary in zip(report.results, report.summaries, strict=True):
        _add(table, report, result.name, *(_mean(one.within[JUDGED]) for one in summary.values()))
    return table


def _overall(report: Report) -> Table:
    budgets = (f"@{budget}" for budget in report.budgets)
    table = _table("", "mean", *budgets, "nDCG@10", "MRR", "prec@5", "IoU@5")
    for result, one in zip(report.results, report.overall, strict=True):
        means = [*one.within, one.ndcg, one.mrr, one.precision, one.iou]
        _add(table, report, result.name, _mean(one.worth), *map(_bare, means))
    return table


def _costs(report: Report) -> Table:
    table = _table("", "chunks", "median", "p95", "vectors", "MB", "cut s", "anew per edit")
    for result in report.results:
        sizes = distribution(result.sizes)
        anew = f"{result.churn.passages:.1f} ({result.churn.share:.0%})" if result.churn.edits else ""
        costs = (f"{result.chunks:,}", f"{sizes.median:,}", f"{sizes.p95:,}", f"{result.vectors:,}")
        _add(table, report, result.name, *costs, f"{result.bytes / 1e6:.1f}", f"{result.seconds:.1f}", anew)
    return table


def _bad(bad: Bad) -> Text:
    text = Text.assemble(("  ", ""), f"{_cut(bad.question.text)}  ", (f"{bad.recall:.0%} of ", "dim"))
    text += place(bad.answer.path, bad.answer.start_line, bad.answer.end_line)
    text.append(f"  {one_line(' > '.join(bad.answer.headings))}", "cyan")
    for found in bad.found[:2]:
        text += Text.assemble(("\n    found ", "dim"), place(found.path, found.start_line, found.end_line))
        text.append(f"  {one_line(' > '.join(found.headings))}", "cyan")
    return text


def _cut(text: str) -> str:
    text = one_line(text)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def _mean(mean: Interval) -> str:
    return f"{100 * mean.mean:.1f} ±{50 * (mean.high - mean.low):.1f}"


def _bare(mean: Interval) -> str:
    return f"{100 * mean.mean:.1f}"
