"""`headwise eval`: which settings find most in the user's own documents."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from headwise.app import completion, options

if TYPE_CHECKING:
    from headwise.evaluating.report import Replayed, Report

_PIPED = 160
"""Characters that a table may be wide where nobody's screen ends."""


@click.command("eval")
@click.argument("path", shell_complete=completion.files)
@click.option("--max-tokens", metavar="N,N", help="Sizes to compare.  [default: 200,400,800]")
@click.option("--overlap", metavar="N,N", help="Overlaps to compare: 0,15%,1s.  [default: 0]")
@click.option("--strategy", metavar="NAME,NAME", help="Strategies to compare.  [default: headings,fixed]")
@click.option("--questions", metavar="FILE", help="Ask these, too: .jsonl, .csv or .yaml; see docs/eval.md.")
@click.option("--sample", type=click.IntRange(min=1), metavar="N", help="Questions of each kind.  [default: 300]")
@click.option("--seed", type=click.IntRange(min=0), metavar="N", help="Which questions are drawn.  [default: 0]")
@click.option(
    "--churn", type=click.Choice(["edits", "git"]), default="edits", help="Replay edits: invented, or of git."
)
@click.option("--peers", is_flag=True, help="Compare LangChain, LlamaIndex and semantic-text-splitter, too.")
@click.option("--report", metavar="FILE", help="Write a page with plots, for a browser.")
@click.option("--cache", metavar="DIR", help="What is kept between runs.  [default: ~/.cache/headwise/eval]")
@options.model
@options.tokenizer
@options.files
@options.as_json
def eval(  # noqa: A001 - the command's name
    path: str,
    max_tokens: str | None,
    overlap: str | None,
    strategy: str | None,
    questions: str | None,
    sample: int | None,
    seed: int | None,
    churn: Replayed,
    peers: bool,
    report: str | None,
    cache: str | None,
    as_json: bool,
    **flags: Any,
) -> None:
    """Compare settings on your own documents.

    Questions come from the documents themselves: sentences around links ask for what these point to, titles for their
    sections, first sentences for the rest. Every setting is indexed apart and searched as any store is. What is done is
    kept: a run that was stopped goes on where it was.

    \b
      headwise eval ~/notes
      headwise eval docs --max-tokens 200,400 --overlap 0,15% --strategy headings
      headwise eval docs --questions questions.jsonl --json
      headwise eval docs --report report.html
    """
    from headwise.app.config import read_config
    from headwise.app.eval_json import eval_json
    from headwise.app.eval_options import read_eval_options
    from headwise.app.eval_view import eval_view
    from headwise.app.output import write_json
    from headwise.app.render import console

    wanted = {"max_tokens": max_tokens, "overlap": overlap, "strategy": strategy}
    wanted |= {"questions": questions, "sample": sample, "seed": seed}
    given = read_eval_options(Path(path), wanted)
    page = _page_file(report)
    found = _report(path, read_config(Path(path), flags), given, churn=churn, peers=peers, cache=_cache_folder(cache))
    if page:
        _write_page(page, found)
    if as_json:
        write_json(eval_json(found))
    else:
        screen = console()
        screen.width = screen.width if screen.is_terminal or "COLUMNS" in os.environ else _PIPED
        screen.print(eval_view(found, screen.width))


def _page_file(given: str | None) -> Path | None:
    """Where the page is to be, looked at before minutes of work."""
    from headwise.errors import ExportError

    page = Path(given).expanduser() if given else None
    if page and (page.is_dir() or not os.access(page.parent, os.W_OK)):
        raise ExportError(f"{given}: no page can be written there; name a file in a folder that is there")
    return page


def _write_page(file: Path, report: Report) -> None:
    from datetime import datetime

    from headwise.app.page_report import report_page
    from headwise.integrations.files import written

    with written(file) as page:
        page.write(report_page(report, datetime.now().astimezone()).encode("utf-8"))
    click.echo(f"{file}: written", err=True)


def _report(path: str, config: Any, given: Any, *, churn: Replayed, peers: bool, cache: Path) -> Report:
    """Read, ask and measure, with a bar for every setting."""
    from headwise.app.embedding import chosen_model
    from headwise.app.progress import progress_bar
    from headwise.app.sources import read_paths, say
    from headwise.errors import ReadingError
    from headwise.evaluating.cache import Cache, Remembering
    from headwise.evaluating.candidates import candidates
    from headwise.evaluating.churn import git_edits, simulated_edits
    from headwise.evaluating.evaluate import Task, evaluate, shown_answer
    from headwise.evaluating.own_questions import own_questions
    from headwise.evaluating.questions import Questions, make_questions
    from headwise.evaluating.report import Drawn, make_report
    from headwise.evaluating.sources import read_sources
    from headwise.indexing.files import Problem

    embedder, missing = chosen_model(config.model, ())
    compared = candidates(given.grid, config.indexing(embedder))
    if peers:
        from headwise.evaluating.peers import peer_candidates

        compared += peer_candidates(given.grid.max_tokens)
    found = list(read_paths([path], config.files))
    for one in found:
        if isinstance(one, Problem):
            say(one.path, one.reason)
    sources = read_sources([one for one in found if not isinstance(one, Problem)])
    own = own_questions(given.questions, sources) if given.questions else ()
    made = make_questions(sources, sample=given.sample, seed=given.seed)
    asked = Questions((*own, *made.asked), made.left_out)
    if not asked.asked:
        raise ReadingError(f"{path}: nothing can be asked about these documents; give questions with --questions")
    edits = git_edits(Path(path), sources) if churn == "git" else simulated_edits(sources, seed=given.seed)
    task = Task(sources, asked.asked, edits)
    results: list[Any] = []
    with Cache(cache) as kept:
        model = Remembering(embedder, kept) if embedder else None
        for number, one in enumerate(compared, 1):
            with progress_bar(f"{number}/{len(compared)} {one.name}") as move:
                results.append(evaluate(one, task, model, kept, move))
    if missing:
        click.echo(missing, err=True)
    by_path = {source.path: source for source in sources}
    answers = {question.key: shown_answer(question, by_path) for question in asked.asked}
    name = embedder.name if embedder else ""
    drawn = Drawn(given.seed, given.sample, churn)
    return make_report(path, len(sources), name, drawn, asked, answers, tuple(results))


def _cache_folder(given: str | None) -> Path:
    """*given*, else a folder among the user's caches."""
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(given).expanduser() if given else home / "headwise" / "eval"
