"""`headwise chunk`: documents cut, to look at or to feed to something else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from headwise.app import completion, options

if TYPE_CHECKING:
    from headwise.chunking.split import Analysis
    from headwise.model import Document


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...", shell_complete=completion.files)
@options.cutting
@options.files
@click.option(
    "--format",
    "shown_as",
    type=click.Choice(["text", "json", "html"]),
    help="Show them as text, as JSON, or as a web page to look at.  [default: text]",
)
@options.as_json
@click.pass_context
def chunk(context: click.Context, paths: tuple[str, ...], shown_as: str | None, as_json: bool, **flags: Any) -> None:
    """Cut documents, and show the chunks.

    PATH is a file, a folder, or `-` for stdin.
    Paths in the output are relative to the folder given, or to the one that holds all that was given.

    \b
      headwise chunk notes/SMARS.md --max-tokens 200
      headwise chunk notes --json > chunks.jsonl
      headwise chunk notes/SMARS.md --format html > page.html
      cat page.md | headwise chunk - --overlap 1s
    """
    from headwise.app.config import read_config
    from headwise.app.output import chunk_json, write_json
    from headwise.app.page import Article, make_article, page
    from headwise.app.render import chunk_view, console
    from headwise.app.sources import cut, read_paths, say, start_of
    from headwise.indexing.files import Problem

    form = options.chosen_form(shown_as, as_json)
    config = read_config(start_of(paths), flags)
    screen = console()
    articles: list[Article] = []
    chunks = failed = 0
    for found in read_paths(paths, config.files):
        if isinstance(found, Problem):
            failed += found.unknown
            say(found.path, found.reason)
            continue
        analysis = cut(found, config.cutting)
        if _keeps_itself_out(found, analysis):
            continue
        chunks += len(analysis.chunks)
        if form == "html":
            articles.append(make_article(found, analysis, config.cutting, len(articles)))
            continue
        for piece in analysis.chunks:
            if form == "json":
                write_json(chunk_json(found, analysis.tree.front_matter, piece))
            else:
                screen.print(chunk_view(found.path, piece, config.cutting))
    if articles and chunks:
        click.echo(page(articles, config.cutting), nl=False)
    if not chunks and not failed:
        say(" ".join(paths), "nothing to cut here")
    if failed or not chunks:
        context.exit(1)


def _keeps_itself_out(document: Document, analysis: Analysis) -> bool:
    """Whether the document's own front matter leaves it out; people are told that, and what else is odd about it."""
    from headwise.app.sources import say

    front_matter = analysis.tree.front_matter
    for warning in (*document.warnings, front_matter.warning):
        if warning:
            say(document.path, warning)
    excluded = front_matter.data.get("headwise") is False
    if excluded:
        say(document.path, "keeps itself out (headwise: false)")
    return excluded
