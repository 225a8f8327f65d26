"""`headwise search`: the passages that answer a question."""

from __future__ import annotations

from typing import Any

import click

from headwise.app import options


@click.command()
@click.argument("query", nargs=-1, required=True, metavar="WORDS...")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="At most so many hits.  [default: 5]")
@click.option("--budget", type=click.IntRange(min=1), metavar="TOKENS", help="As many hits as fit in so many tokens.")
@click.option("--path", metavar="GLOB", help="Only documents with such a path: 'docs/*.md', or a folder's name.")
@click.option("--tag", multiple=True, metavar="T", help="Only documents with this tag, or one nested in it.")
@options.store
@options.model
@options.as_json
def search(
    query: tuple[str, ...],
    limit: int | None,
    budget: int | None,
    path: str | None,
    tag: tuple[str, ...],
    as_json: bool,
    **flags: Any,
) -> None:
    """Find what answers a question best.

    WORDS are searched by words and by meaning.

    \b
      headwise search "how many pins does the motor driver need"
      headwise search motor --path Robots --tag robot --limit 3
      headwise search "how to restart" --budget 2000 --json
    """
    from headwise.app.config import read_config
    from headwise.app.output import hit_json, write_json
    from headwise.app.places import settings_start
    from headwise.app.render import console, hit_view
    from headwise.app.visible import one_line
    from headwise.indexing.index import Index

    words = " ".join(query)
    config = read_config(settings_start(flags["store"]), flags)
    with Index(config.store, model=config.model) as index:
        found = index.find(words, limit, budget, path, tag)
    for note in found.notes:
        click.echo(note, err=True)
    if found.model and found.hits:
        click.echo(f"searched by words and by meaning ({one_line(found.model)})", err=True)
    screen = console()
    for hit in found.hits:
        if as_json:
            write_json(hit_json(hit))
        else:
            screen.print(hit_view(hit, words))
    if not found.hits and found.matched:
        click.echo(f"nothing that was found fits into {budget} tokens", err=True)
    elif not found.hits:
        click.echo("nothing found", err=True)
