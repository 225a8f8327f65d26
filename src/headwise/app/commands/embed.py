"""`headwise embed`: go on embedding where it was left."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from headwise.app import options


@click.command()
@options.store
@options.model
@options.log
@options.as_json
@click.pass_context
def embed(context: click.Context, as_json: bool, **flags: Any) -> None:
    """Go on embedding what has no vector yet.

    What is done is kept: stop it whenever you like, and run it again to go on.

    \b
      headwise embed
      headwise embed --model minilm
    """
    from headwise.app.config import read_config
    from headwise.app.embedding import unread_note
    from headwise.app.log import Teller
    from headwise.app.output import embed_json, write_json
    from headwise.app.places import settings_start
    from headwise.app.progress import progress_bar
    from headwise.app.render import console, embed_view
    from headwise.indexing.embed import embed_pending
    from headwise.indexing.index import find_store
    from headwise.indexing.models import open_model, preferred_model
    from headwise.stores.open import open_store

    tell = Teller(context)
    config = read_config(settings_start(flags["store"]), flags)
    with open_store(config.store or find_store(Path())) as store:
        embedder = open_model(config.model or preferred_model(store.models()))
        with progress_bar("embedding", shown=tell.is_for_people) as move:
            report = embed_pending(store, embedder, move)
    if as_json:
        write_json(embed_json(report))
    else:
        console().print(embed_view(report, embedder.name))
    tell.embedded(report, embedder.name)
    tell.note(unread_note(report))
