"""`headwise gc`: drop vectors that nothing uses, and give space back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from headwise.app import options


@click.command()
@click.option("--other-models", is_flag=True, help="Drop the vectors of all models but the one in use, too.")
@options.store
@options.model
@options.as_json
def gc(other_models: bool, as_json: bool, **flags: Any) -> None:
    """Drop vectors that nothing uses.

    Vectors of text that is gone are kept, since it often comes back: after a checkout, or when a note is moved by
    hand. This drops them, and writes the store's file anew if much of it is free.

    \b
      headwise gc
      headwise gc --other-models --model minilm
    """
    from headwise.app.config import read_config
    from headwise.app.embedding import complete_model
    from headwise.app.output import gc_json, write_json
    from headwise.app.places import settings_start
    from headwise.app.render import console, gc_view
    from headwise.indexing.index import find_store
    from headwise.stores.open import open_store

    config = read_config(settings_start(flags["store"]), flags)
    with open_store(config.store or find_store(Path())) as store:
        keep = complete_model(store, config.model) if other_models else None
        unused = store.unused(keep)
        dropped = unused._replace(vectors=store.prune(keep))
        space = store.compact()
    if as_json:
        write_json(gc_json(dropped, space))
    else:
        console().print(gc_view(dropped, space))
