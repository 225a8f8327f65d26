"""`headwise stats`: what a store holds."""

from __future__ import annotations

from typing import Any

import click

from headwise.app import options


@click.command()
@options.store
@options.model
@options.as_json
def stats(as_json: bool, **flags: Any) -> None:
    """Show what the store holds.

    Documents, chunks and how large they are, folders, what is repeated or only leads elsewhere, passages that wait for
    a vector; and what is worth a look.

    \b
      headwise stats
      headwise stats --store docs.db --json
    """
    from headwise.app.config import read_config
    from headwise.app.output import stats_json, write_json
    from headwise.app.places import settings_start
    from headwise.app.render import console
    from headwise.app.stats_view import stats_view
    from headwise.indexing.advice import advise
    from headwise.indexing.index import Index
    from headwise.indexing.models import preferred_model

    config = read_config(settings_start(flags["store"]), flags)
    with Index(config.store) as index:
        found = index.stats()
    model = config.model or preferred_model(found.vectors)
    # By the name of the model: opening it to ask for its exact key may take a server.
    made = [count for key, count in found.vectors.items() if key.startswith(model.family)]
    pending = found.distinct_passages - max(made, default=0)
    advice = advise(found, pending, model.name)
    if as_json:
        write_json(stats_json(found, pending, advice))
    else:
        console().print(stats_view(found, pending, model.name, advice))
