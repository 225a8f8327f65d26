"""The plots of an evaluation's page, each with a caption and its numbers as a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from headwise.app.figures import distribution
from headwise.app.markup import line_html
from headwise.app.plot import Axis, Line, Look, Point, Row, axis, rows_plot, swatch, xy_plot
from headwise.evaluating.metrics import Interval
from headwise.evaluating.report import Report
from headwise.evaluating.result import Result

_MOST_BARS = 24
Cell = str
"""HTML of a table's cell."""


def looks(report: Report) -> list[Look]:
    """How each contender is drawn: a colour and a dash for its family, a mark for its place in it."""
    families = {name: at for at, name in enumerate(dict.fromkeys(result.family for result in report.results))}
    seen = Counter[str]()
    found: list[Look] = []
    for result in report.results:
        found.append(Look(families[result.family], seen[result.family], result.name == report.advice.name))
        seen[result.family] += 1
    return found


def plots(report: Report) -> Iterator[str]:
    """All plots of the page as HTML, one `figure` each."""
    yield _recall(report)
    yield _against(report)
    yield _sizes(report)
    if any(result.churn.edits for result in report.results):
        yield _churn(report)


def _recall(report: Report) -> str:
    lines = [
        Line(
            look,
            [
                Point(at, one.mean, one.low, one.high, f"{result.name}, {budget:,} tokens: {share(one)}")
                for at, (budget, one) in enumerate(zip(report.budgets, summary.within, strict=True))
            ],
        )
        for look, result, summary in zip(looks(report), report.results, report.overall, strict=True)
    ]
    last = len(report.budgets) - 1
    across = Axis(
        -0.45, last + 0.45, [(at, f"{one:,}") for at, one in enumerate(report.budgets)], "tokens that are read"
    )
    up = axis(_ends(lines), "", percent=True)
    name = "Recall within a budget"
    drawn = xy_plot(name, f"Recall of every setting at {_listed(report)} tokens.", across, up, lines, joined=True)
    told = (
        f"How much of the answer stands in so many tokens of what was found, over {', '.join(report.judged)}. "
        "Bars: 95 % intervals. The axis need not begin at 0."
    )
    head = ["", *(f"{budget:,}" for budget in report.budgets)]
    rows = [
        [line_html(result.name), *map(share, summary.within)]
        for result, summary in zip(report.results, report.overall, strict=True)
    ]
    return _figure(name, drawn, told, table(report, f"{name}: table", head, rows), legend(report))


def _against(report: Report) -> str:
    embedded = any(result.vectors for result in report.results)
    what = "vectors" if embedded else "chunks"
    sizes = [result.vectors if embedded else result.chunks for result in report.results]
    lines = [
        Line(look, [Point(size, one.mean, one.low, one.high, f"{result.name}: {size:,} {what}, {share(one)}")])
        for look, size, result, one in zip(
            looks(report), sizes, report.results, (one.worth for one in report.overall), strict=True
        )
    ]
    across, up = _padded(axis(sizes, what)), axis(_ends(lines), "", percent=True)
    name = f"Recall against {what}"
    drawn = xy_plot(name, f"Recall of every setting over how many {what} it makes.", across, up, lines, joined=False)
    told = f"Recall in the mean over the budgets, and how many {what} are stored for it: best is up and left."
    head = ["", what, "MB", "recall"]
    rows = [
        [line_html(result.name), f"{size:,}", f"{result.bytes / 1e6:.1f}", share(summary.worth)]
        for size, result, summary in zip(sizes, report.results, report.overall, strict=True)
    ]
    return _figure(name, drawn, told, table(report, f"{name}: table", head, rows), legend(report))


def _sizes(report: Report) -> str:
    spread = [distribution(result.sizes) for result in report.results]
    end = axis((one.p95 for one in spread), "", least=0).high
    ticks = axis([end], "tokens of a chunk; the last bar is all that are larger", least=0)
    bars = min(_MOST_BARS, int(end))
    rows = [
        Row(
            result.name,
            look,
            f"{result.chunks:,} chunks, median {one.median:,}",
            _heights(result, end / bars, bars),
            one.median / end,
        )
        for result, look, one in zip(report.results, looks(report), spread, strict=True)
    ]
    name = "Sizes of chunks"
    drawn = rows_plot(name, "How many chunks of each setting have which size.", rows, ticks, upright=True)
    head = ["", "chunks", "least", "median", "95 % are at most", "largest"]
    cells = [
        [line_html(result.name), f"{result.chunks:,}", *(f"{one:,}" for one in (s.min, s.median, s.p95, s.max))]
        for result, s in zip(report.results, spread, strict=True)
    ]
    told = "How many chunks have which size; each strip is as high as its largest bar. The stroke is the median."
    return _figure(name, drawn, told, table(report, f"{name}: table", head, cells))


def _heights(result: Result, width: float, bars: int) -> list[float]:
    counts = [0] * bars
    for size, number in result.sizes.items():
        counts[min(int(max(size - 1, 0) / width), bars - 1)] += number
    most = max(counts) or 1
    return [count / most for count in counts]


def _churn(report: Report) -> str:
    across = axis((result.churn.passages for result in report.results), "passages embedded anew by an edit", least=0)
    rows = [
        Row(result.name, look, anew(result), [result.churn.passages / across.high])
        for result, look in zip(report.results, looks(report), strict=True)
    ]
    name = "What an edit costs"
    drawn = rows_plot(name, "How many passages of each setting an edit embeds anew.", rows, across, upright=False)
    edits = max(result.churn.edits for result in report.results)
    which = "changes of the folder's history in git" if report.replayed == "git" else "invented edits of one sentence"
    told = (
        f"Passages that are embedded anew, and the share of the document's text in them; the mean of {edits} {which}."
    )
    head = ["", "passages", "share of the text"]
    cells = [[line_html(one.name), f"{one.churn.passages:.2f}", f"{one.churn.share:.1%}"] for one in report.results]
    return _figure(name, drawn, told, table(report, f"{name}: table", head, cells))


def legend(report: Report) -> str:
    """Which line and mark is which contender's."""
    items = (
        f"<li>{swatch(look)} {line_html(result.name)}{' <strong>advised</strong>' if look.strong else ''}</li>"
        for look, result in zip(looks(report), report.results, strict=True)
    )
    return "\n".join(['<ul class="keys" aria-label="Legend">', *items, "</ul>"])


def table(report: Report, name: str, head: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    """The table called *name*: a row for each contender, the advised one bold, in a box that scrolls if it has to."""
    parts = [f'<div class="scroll" tabindex="0" role="region" aria-label="{name}">\n<table>\n<thead>\n<tr>']
    parts += [f'<th scope="col">{one}</th>' if one else "<td></td>" for one in head]
    parts.append("</tr>\n</thead>\n<tbody>")
    for result, cells in zip(report.results, rows, strict=True):
        strong = ' class="advised"' if result.name == report.advice.name else ""
        parts.append(f'<tr{strong}><th scope="row">{cells[0]}</th>')
        parts += [f"<td>{cell}</td>" for cell in cells[1:]]
        parts.append("</tr>")
    parts.append("</tbody>\n</table>\n</div>")
    return "\n".join(parts)


def share(one: Interval) -> str:
    """A mean in per cent with the bounds of its interval."""
    return f"{one.mean:.1%} ({100 * one.low:.1f}–{100 * one.high:.1f})"


def anew(result: Result) -> str:
    """What an edit embeds anew; nothing if none was replayed."""
    return f"{result.churn.passages:.1f} ({result.churn.share:.0%})" if result.churn.edits else ""


def _figure(name: str, drawn: str, told: str, numbers: str, keys: str = "") -> str:
    return "\n".join(
        [
            f"<figure>\n<h3>{name}</h3>",
            drawn,
            keys,
            f"<figcaption>{told}</figcaption>",
            f"<details>\n<summary>{name}: the numbers</summary>\n{numbers}\n</details>\n</figure>",
        ]
    )


def _ends(lines: Sequence[Line]) -> list[float]:
    return [end for line in lines for point in line.points for end in (point.low, point.high)]


def _padded(one: Axis) -> Axis:
    """With room for marks at both ends."""
    room = (one.high - one.low) * 0.04
    return one._replace(low=one.low - room, high=one.high + room)


def _listed(report: Report) -> str:
    return ", ".join(f"{budget:,}" for budget in report.budgets)
