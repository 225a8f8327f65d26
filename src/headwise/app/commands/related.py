"""`headwise related`: what a document has to do with others."""

from __future__ import annotations

from typing import Any

import click

from headwise.app import completion, options


@click.command()
@click.argument("name", metavar="PATH[#HEADING]", shell_complete=completion.names)
@options.store
@options.model
@options.as_json
def related(name: str, as_json: bool, **flags: Any) -> None:
    """Show links, backlinks, and near documents.

    Links of the document count as far as they lead to others here; near is what has the nearest vectors.
    PATH is as `search` shows it, or a file's name or alias; with a heading or anchor, only that section counts.

    \b
      headwise related Robots/SMARS.md
      headwise related "SMARS#Motor wiring" --json
    """
    from headwise.app.config import read_config
    from headwise.app.output import related_json, write_json
    from headwise.app.places import settings_start
    from headwise.app.render import console, related_view
    from headwise.indexing.index import Index

    config = read_config(settings_start(flags["store"]), flags)
    with Index(config.store, model=config.model) as index:
        found = index.related(name)
    for note in found.notes:
        click.echo(note, err=True)
    if as_json:
        write_json(related_json(found))
    else:
        console().print(related_view(found))
