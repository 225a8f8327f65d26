"""`headwise search`: the passages that answer a question."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from headwise.app import completion, options

if TYPE_CHECKING:
    from collections.abc import Mapping

    from headwise.app.editor_links import Opening
    from headwise.indexing.search import Found

PROMPT_TOKENS = 2000
"""The budget of a prompt, if none is given."""


def _understood(_context: click.Context, _parameter: click.Parameter, filters: tuple[str, ...]) -> tuple[str, ...]:
    """The same filters, if all of them are understood."""
    if filters:
        from headwise.app.visible import one_line
        from headwise.errors import SettingsError
        from headwise.indexing.where import parse_where

        try:
            for text in filters:
                parse_where(text)
        except SettingsError as error:
            raise click.UsageError(one_line(str(error))) from error
    return filters


@click.command()
@click.argument("query", nargs=-1, metavar="[WORDS...]")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="At most so many hits.  [default: 5]")
@click.option("--budget", type=click.IntRange(min=1), metavar="TOKENS", help="As many hits as fit in so many tokens.")
@click.option(
    "--path",
    metavar="GLOB",
    shell_complete=completion.places,
    help="Only documents with such a path: 'docs/*.md', or a folder's name.",
)
@click.option(
    "--tag",
    multiple=True,
    metavar="T",
    shell_complete=completion.tags,
    help="Only documents with this tag, or one nested in it.",
)
@click.option(
    "--where",
    multiple=True,
    metavar="FILTER",
    callback=_understood,
    help="Only documents whose property is like this: 'status = done', 'date >= 2024-01', 'due', '!due'.",
)
@click.option("--per-document", type=click.IntRange(min=1), metavar="N", help="At most so many chunks of a document.")
@click.option("--explain", is_flag=True, help="Show how each hit came by its score: ranks, matched words, passage.")
@click.option(
    "--format",
    "shown_as",
    type=click.Choice(["text", "json", "prompt"]),
    help="Show hits as text, as JSON, or as a language model is to be given them, in 2000 tokens unless --budget says "
    "otherwise.  [default: text]",
)
@options.editor
@options.store
@options.model
@options.as_json
def search(
    query: tuple[str, ...],
    limit: int | None,
    budget: int | None,
    path: str | None,
    tag: tuple[str, ...],
    where: tuple[str, ...],
    per_document: int | None,
    explain: bool,
    shown_as: str | None,
    as_json: bool,
    **flags: Any,
) -> None:
    """Find what answers a question best.

    WORDS are searched by words and by meaning. "several words" stand together, -word is not there; title:word, tag:name
    and path:glob say where. Put all of it in single quotes, with no minus first. Without words, what --path, --tag and
    --where let through is listed.

    \b
      headwise search "how many pins does the motor driver need"
      headwise search motor --path Robots --tag robot --limit 3
      headwise search 'tag:robot "motor driver" -servo'
      headwise search motor --where 'status = done' --where 'modified >= 2024-01'
      headwise search "how to restart" --budget 2000 --json
      headwise search "how to restart" --format prompt
    """
    form = options.chosen_form(shown_as, as_json)
    if form == "prompt":
        budget = budget or PROMPT_TOKENS
        if explain:
            raise click.UsageError("--explain and --format prompt cannot both be given.")

    if not (query or path or tag or where):
        raise click.UsageError("Missing argument 'WORDS...'.")

    from headwise.app.config import read_config
    from headwise.app.editor_links import openings
    from headwise.app.places import settings_start
    from headwise.indexing.index import Index

    words = " ".join(query)
    config = read_config(settings_start(flags["store"]), flags)
    with Index(config.store, model=config.model) as index:
        found = index.find(
            words, limit, budget, path, tag, where, per_document=per_document, as_prompt=form == "prompt"
        )
        opening = openings(index.folders() if config.editor else (), config.editor)
        opened = {hit.id: opening(hit) for hit in found.hits}
    _show(found, words, form, opened, explain=explain, budget=budget)


def _show(
    found: Found, words: str, form: str, opened: Mapping[str, Opening | None], *, explain: bool, budget: int | None
) -> None:
    """Hits on stdout, what there is to say about them on stderr."""
    from headwise.app.output import hit_json, write_json
    from headwise.app.render import console, hit_view
    from headwise.app.visible import one_line
    from headwise.indexing.prompt import prompt
    from headwise.indexing.query import parse_query

    for note in found.notes:
        click.echo(note, err=True)
    if found.model and found.hits:
        click.echo(f"searched by words and by meaning ({one_line(found.model)})", err=True)
    asked = parse_query(words).text
    screen = console()
    if form == "prompt":
        click.echo(prompt(found.hits), nl=False)
    for hit in found.hits if form != "prompt" else ():
        if form == "json":
            write_json(hit_json(hit, asked if explain else None, opened[hit.id]))
        else:
            screen.print(hit_view(hit, asked, opened[hit.id], explain=explain))
    if not found.hits and found.matched:
        click.echo(f"nothing that was found fits into {budget} tokens", err=True)
    elif not found.hits:
        click.echo("nothing found", err=True)
