"""`headwise verify`: whether the store still equals the folder, and mending it where it does not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from headwise.app import completion, options


@click.command()
@click.argument("path", default=".", shell_complete=completion.folders)
@click.option("--fix", is_flag=True, help="Mend what differs.")
@options.store
@options.model
@options.indexing
@options.as_json
@click.pass_context
def verify(context: click.Context, path: str, fix: bool, as_json: bool, **flags: Any) -> None:
    """Compare a folder with its store, and mend what differs.

    Every file under PATH is read, cut anew, and compared with all that is stored of it: records, words, vectors. Give
    it the options that `index` was given. A passage without a vector is no fault, only work for `embed`.

    \b
      headwise verify
      headwise verify ~/notes/work --fix
      headwise verify docs --store /tmp/docs.db --json
    """
    from headwise.app.config import read_config
    from headwise.app.embedding import chosen_model
    from headwise.app.output import verify_json, write_json
    from headwise.app.places import place_of
    from headwise.app.progress import progress_bar
    from headwise.app.render import console, verify_view
    from headwise.app.sources import say
    from headwise.indexing.verify import verify
    from headwise.indexing.workers import cores
    from headwise.stores.open import open_store

    config = read_config(Path(path), flags)
    place = place_of(Path(path), config.store)
    with open_store(place.store) as store, progress_bar("comparing") as move:
        embedder, _ = chosen_model(config.model, store.models())
        report = verify(
            store,
            place.root,
            place.name,
            config.files,
            config.indexing(embedder),
            below=place.below,
            fix=fix,
            workers=cores(),
            on_progress=move,
        )
    for problem in report.problems:
        say(problem.path, problem.reason)
    if as_json:
        write_json(verify_json(report))
    else:
        console().print(verify_view(place, report))
    if not report.is_clean:
        context.exit(1)
