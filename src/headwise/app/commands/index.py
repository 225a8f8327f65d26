"""`headwise index`: make the store equal to the folder, and embed what is new."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from headwise.app import options


@click.command()
@click.argument("path")
@options.store
@options.model
@click.option("--no-embed", is_flag=True, help="Leave embedding to `headwise embed`.")
@click.option("--checksum", is_flag=True, help="Read every file, however unchanged it looks.")
@options.cutting
@click.option("--passages", type=int, metavar="N", help="Largest part of a chunk to embed; 0: all.  [default: 128]")
@options.files
@options.as_json
@click.pass_context
def index(context: click.Context, path: str, no_embed: bool, checksum: bool, as_json: bool, **flags: Any) -> None:
    """Make the store equal to a folder, and embed.

    The store is PATH/.headwise/index.db, unless a folder above PATH has a .headwise: then that folder is the root,
    and only the part of it at PATH is looked at. Files that did not change are not read.

    \b
      headwise index ~/notes
      headwise index ~/notes/work --exclude drafts/ --no-embed
      headwise index docs --store /tmp/docs.db --model minilm
    """
    from headwise.app.config import read_config
    from headwise.app.embedding import chosen_model, unread_note
    from headwise.app.output import index_json, write_json
    from headwise.app.places import place_of, prepare
    from headwise.app.progress import progress_bar
    from headwise.app.render import console, index_view
    from headwise.app.sources import say
    from headwise.indexing.embed import EmbedReport, embed_pending
    from headwise.indexing.records import IndexSettings
    from headwise.indexing.sync import SyncEvent, sync
    from headwise.stores.open import open_store

    config = read_config(Path(path), flags)
    place = place_of(Path(path), config.store)
    embedder, missing = chosen_model(config)
    prepare(place, config.files)
    settings = IndexSettings(config.cutting, config.passages, embedder)
    events: list[SyncEvent] = []
    with open_store(place.store, create=True) as store:
        with progress_bar("indexing") as move:

            def moved(event: SyncEvent) -> None:
                move(event.done, event.total)
                if event.outcome not in {"unchanged", "failed"}:
                    events.append(event)

            report = sync(
                store,
                place.root,
                place.name,
                config.files,
                settings,
                below=place.below,
                checksum=checksum,
                on_event=moved,
            )
        for problem in report.problems:
            say(problem.path, problem.reason)
        if embedder and not no_embed:
            with progress_bar("embedding") as move:
                embedded = embed_pending(store, embedder, move)
        else:
            embedded = EmbedReport(0, *store.coverage(embedder.key if embedder else ""), unread=0, seconds=0.0)
    if as_json:
        write_json(index_json(report, embedded))
    else:
        console().print(index_view(place, events, report, embedded))
    for note in (missing, unread_note(embedded)):
        if note:
            click.echo(note, err=True)
    if report.documents.failed:
        context.exit(1)
