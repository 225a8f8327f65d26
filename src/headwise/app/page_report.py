"""An evaluation as one web page that needs nothing else: advice, plots with their numbers, and how it was measured."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from datetime import datetime
from importlib.metadata import version

from headwise.app.figures import distribution
from headwise.app.markup import line_html, text_html
from headwise.app.page import frame
from headwise.app.page_report_plots import anew, plots, share, table
from headwise.app.visible import one_line
from headwise.evaluating.report import JUDGED, Bad, Report
from headwise.evaluating.result import BEGINS, Shown


def report_page(report: Report, when: datetime) -> str:
    """The page of *report*, which was made *when*, with its time zone."""
    title = f"Settings compared on {one_line(report.folder)}"
    body = [
        f"<header>\n<h1>Settings compared on {line_html(report.folder)}</h1>",
        f'<p class="muted">{_asked(report)}</p>\n</header>\n<main class="report">',
        *_advice(report),
        *_section("contenders", "Contenders", _contenders(report)),
        *_section("plots", "Plots", iter(['<div class="plots">', *plots(report), "</div>"])),
        *_section("kinds", "By kind of question", _kinds(report)),
        *(
            _section("worst", f"Hardly found by {line_html(report.advice.name)}", _worst(report))
            if report.worst
            else ()
        ),
        *_section("how", "How it was measured", _how(report, when)),
        "</main>",
    ]
    return frame(title, "\n".join(body))


def _section(ident: str, title: str, parts: Iterator[str]) -> Iterator[str]:
    yield f'<section aria-labelledby="{ident}">\n<h2 id="{ident}">{title}</h2>'
    yield from parts
    yield "</section>"


def _asked(report: Report) -> str:
    counts = ", ".join(f"{len(at):,} {kind}" for kind, at in report.asked.items())
    model = line_html(report.model) if report.model else "words alone"
    return f"{report.documents:,} documents, {len(report.questions):,} questions ({counts}), searched by {model}"


def _advice(report: Report) -> Iterator[str]:
    name, _, reason = report.advice.sentence.partition(": ")
    if name != report.advice.name:
        name, reason = report.advice.name, report.advice.sentence
    yield '<section class="advice" aria-labelledby="advice">\n<h2 id="advice">Advice</h2>'
    yield f"<p><strong>{line_html(name)}</strong></p>\n<p>{text_html(reason[:1].upper() + reason[1:])}.</p>\n</section>"


def _contenders(report: Report) -> Iterator[str]:
    yield (
        f'<p class="muted">Recall over {", ".join(report.judged)}, within {report.budgets[JUDGED]:,} tokens and in the '
        "mean over all budgets, with 95 % intervals; nDCG, MRR, precision and IoU in per cent.</p>"
    )
    head = ["", "recall, mean", f"recall @{report.budgets[JUDGED]:,}", "vectors", "anew per edit", "chunks", "median"]
    head += ["p95", "MB", "nDCG@10", "MRR", "precision@5", "IoU@5", "seconds to cut"]
    rows: list[list[str]] = []
    for result, one in zip(report.results, report.overall, strict=True):
        sizes = distribution(result.sizes)
        cells = [line_html(result.name), share(one.worth), share(one.within[JUDGED])]
        cells += [f"{result.vectors:,}", anew(result), f"{result.chunks:,}", f"{sizes.median:,}", f"{sizes.p95:,}"]
        cells += [f"{result.bytes / 1e6:.1f}", *(f"{100 * m.mean:.1f}" for m in (one.ndcg, one.mrr))]
        cells += [*(f"{100 * m.mean:.1f}" for m in (one.precision, one.iou)), f"{result.seconds:.1f}"]
        rows.append(cells)
    yield table(report, "Contenders: table", head, rows)


def _kinds(report: Report) -> Iterator[str]:
    yield f'<p class="muted">Recall within {report.budgets[JUDGED]:,} tokens, with 95 % intervals.</p>'
    head = ["", *(f"{kind} ({len(at):,})" for kind, at in report.asked.items())]
    rows = [
        [line_html(result.name), *(share(one.within[JUDGED]) for one in kinds.values())]
        for result, kinds in zip(report.results, report.summaries, strict=True)
    ]
    yield table(report, "Kinds of question: table", head, rows)
    if report.left_out:
        told = " and ".join(f"{number:,} to {_TO[kind]}" for kind, number in report.left_out.items())
        yield f'<p class="muted">No questions: links in words that say too little ({told}).</p>'


_TO = {"links": "sections", "pages": "pages"}


def _worst(report: Report) -> Iterator[str]:
    yield '<ol class="worst">'
    for bad in report.worst:
        yield from _bad(bad)
    yield "</ol>"


def _bad(bad: Bad) -> Iterator[str]:
    yield f'<li>\n<p class="asked" dir="auto" lang="">{text_html(one_line(bad.question.text))}</p>'
    yield f'<p class="muted">Kind: {bad.question.kind}. {bad.recall:.0%} was found of its answer:</p>'
    yield _shown(bad.answer)
    if bad.found:
        yield "<details>\n<summary>Found instead</summary>\n<ol>"
        for one in bad.found:
            yield f"<li>{_shown(one)}</li>"
        yield "</ol>\n</details>"
    yield "</li>"


def _shown(one: Shown) -> str:
    lines = f"{one.start_line}" if one.start_line == one.end_line else f"{one.start_line}–{one.end_line}"
    trail = f' <span class="muted">{line_html(" > ".join(one.headings))}</span>' if one.headings else ""
    more = "…" if len(one.text) >= BEGINS else ""
    text = f'<blockquote dir="auto" lang="">{text_html(one.text)}{more}</blockquote>'
    return f"<p>{line_html(one.path)}:{lines}{trail}</p>\n{text}"


def _how(report: Report, when: datetime) -> Iterator[str]:
    facts = {
        "Made": f'<time datetime="{when.isoformat(timespec="seconds")}">{when:%Y-%m-%d %H:%M %Z}</time>',
        "By": text_html(f"headwise {version('headwise')}, Python {platform.python_version()}"),
        "Model": line_html(report.model or "none: words alone"),
        "Questions": f"at most {report.sample:,} of each kind, drawn by seed {report.seed}",
        "Edits": "the last changes in the folder's repository" if report.replayed == "git" else "invented",
    }
    yield "<dl>"
    for name, value in facts.items():
        yield f"<div><dt>{name}</dt><dd>{value}</dd></div>"
    yield "</dl>\n<details>\n<summary>All that decides what each contender makes</summary>\n<dl>"
    for result in report.results:
        yield f"<div><dt>{line_html(result.name)}</dt><dd><code>{text_html(result.settings)}</code></dd></div>"
    yield "</dl>\n</details>"
