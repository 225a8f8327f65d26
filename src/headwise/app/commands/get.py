"""`headwise get`: a document, a section or a chunk, as it is stored."""

from __future__ import annotations

from typing import Any

import click

from headwise.app import completion, options


@click.command()
@click.argument("name", metavar="PATH[#HEADING]", shell_complete=completion.names)
@options.store
@options.as_json
def get(name: str, as_json: bool, **flags: Any) -> None:
    """Print a document, a section or a chunk.

    PATH is as `search` shows it, or a file's name or alias. With a heading or anchor it is that section and those
    inside it; an id, as `search --json` gives it, is a chunk. Comes from the store; front matter is not part of it.

    \b
      headwise get Robots/SMARS.md
      headwise get "SMARS#Motor wiring"
      headwise get "Robots/SMARS.md#motor-wiring::0" --json
    """
    from headwise.app.config import read_config
    from headwise.app.output import excerpt_json, write_json
    from headwise.app.places import settings_start
    from headwise.indexing.index import Index

    config = read_config(settings_start(flags["store"]), flags)
    with Index(config.store) as index:
        found = index.get(name)
    if as_json:
        write_json(excerpt_json(found))
    else:
        click.echo(found.text)
