"""An evaluation for people: a table of settings, recall by kind of question, the worst questions, and the advice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from headwise.app.figures import distribution
from headwise.app.render import place
from headwise.app.visible import one_line
from headwise.evaluating.metrics import Interval
from headwise.evaluating.report import JUDGED, Bad, Report

_SHOWN = 90
_GAP = 2
_NAMED = 24
"""Characters of a name at most where columns would have to go for it; what is longer goes on in the next line."""


class Column(NamedTuple):
    """What is said of every contender: under a title, at length, and shorter where there is no room for that."""

    title: str
    cells: Sequence[str]
    short: Sequence[str]


def eval_view(report: Report, width: int) -> Group:
    """All of *report*, its tables at most *width* wide; shares are in per cent, with half of their 95 % interval."""
    return Group(*_parts(report, width))


def _parts(report: Report, width: int) -> Iterator[RenderableType]:
    by = report.model or "words alone"
    asked = ", ".join(f"{len(at):,} {kind}" for kind, at in report.asked.items())
    yield Text(f"{report.documents:,} documents, {len(report.questions):,} questions ({asked}), searched by {by}")
    if report.left_out:
        told = ", ".join(f"{number:,} {kind}" for kind, number in report.left_out.items())
        yield Text(f"No questions, as the words around them say too little: {told}", style="dim")
    yield Text(f"\nRecall within {report.budgets[JUDGED]:,} tokens by kind of question, %", style="bold")
    yield from _table(report, _by_kind(report), width)
    yield Text(f"\nOver {', '.join(report.judged)}: recall within so many tokens, and their mean; %", style="bold")
    yield from _table(report, _overall(report), width)
    yield Text("\nWhat it costs", style="bold")
    yield from _table(report, _costs(report), width)
    if report.worst:
        yield Text(f"\nHardly found by {report.advice.name}", style="bold")
        for bad in report.worst:
            yield _bad(bad)
    yield Text.assemble(("\nAdvice  ", "bold"), report.advice.sentence)


def _table(report: Report, columns: Sequence[Column], width: int) -> Iterator[RenderableType]:
    """The table of as many of *columns* as fit, the first ones first, and which do not."""
    names = [result.name for result in report.results]
    named = max(map(cell_len, names))
    if _width(columns, short=True) > width - named:
        word = max(cell_len(word) for name in names for word in name.split())
        named = min(named, max(min(_NAMED, width // 3), min(word, width // 2)))
    short = _width(columns, short=False) > width - named
    kept = next(n for n in range(len(columns), 0, -1) if n == 1 or _width(columns[:n], short=short) <= width - named)
    table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), header_style="dim")
    table.add_column("", width=named, overflow="fold")
    for column in columns[:kept]:
        table.add_column(column.title, justify="right", no_wrap=True)
    shown = [column.short if short else column.cells for column in columns[:kept]]
    for name, *cells in zip(names, *shown, strict=True):
        table.add_row(name, *cells, style="bold" if name == report.advice.name else "")
    yield table
    if kept < len(columns):
        left = ", ".join(" ".join(column.title.split()) for column in columns[kept:])
        yield Text(f"No room for {left}; all is in --json and --report", style="dim")


def _width(columns: Sequence[Column], *, short: bool) -> int:
    return sum(
        _GAP + max(map(cell_len, (*column.title.split("\n"), *(column.short if short else column.cells))))
        for column in columns
    )


def _by_kind(report: Report) -> list[Column]:
    titles = [f"{kind.replace(' ', chr(10))}\n({len(at):,})" for kind, at in report.asked.items()]
    rows = [[one.within[JUDGED] for one in kinds.values()] for kinds in report.summaries]
    return [_share(title, [row[at] for row in rows]) for at, title in enumerate(titles)]


def _overall(report: Report) -> list[Column]:
    means = [_share("mean", [one.worth for one in report.overall])]
    for at, budget in enumerate(report.budgets):
        means.append(_bare(f"@{budget}", [one.within[at] for one in report.overall]))
    means.append(_bare("nDCG@10", [one.ndcg for one in report.overall]))
    means.append(_bare("MRR", [one.mrr for one in report.overall]))
    means.append(_bare("prec@5", [one.precision for one in report.overall]))
    means.append(_bare("IoU@5", [one.iou for one in report.overall]))
    return means


def _costs(report: Report) -> list[Column]:
    results = report.results
    sizes = [distribution(result.sizes) for result in results]
    churn = [result.churn for result in results]
    long = [f"{one.passages:.1f} ({one.share:.0%})" if one.edits else "" for one in churn]
    anew = Column("anew per\nedit", long, [f"{one.passages:.1f}" if one.edits else "" for one in churn])
    return [
        _plain("vectors", [f"{one.vectors:,}" for one in results]),
        anew,
        _plain("chunks", [f"{one.chunks:,}" for one in results]),
        _plain("median", [f"{one.median:,}" for one in sizes]),
        _plain("p95", [f"{one.p95:,}" for one in sizes]),
        _plain("MB", [f"{one.bytes / 1e6:.1f}" for one in results]),
        _plain("cut s", [f"{one.seconds:.1f}" for one in results]),
    ]


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


def _share(title: str, means: Sequence[Interval]) -> Column:
    long = [f"{100 * one.mean:.1f} ±{50 * (one.high - one.low):.1f}" for one in means]
    return Column(title, long, [f"{100 * one.mean:.1f}" for one in means])


def _bare(title: str, means: Sequence[Interval]) -> Column:
    return _plain(title, [f"{100 * one.mean:.1f}" for one in means])


def _plain(title: str, cells: Sequence[str]) -> Column:
    return Column(title, cells, cells)
