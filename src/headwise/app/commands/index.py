"""`headwise index`: make the store equal to the folder, and embed what is new."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from headwise.app import options

if TYPE_CHECKING:
    from headwise.indexing.sync import SyncReport


@click.command()
@click.argument("path")
@options.store
@options.model
@click.option("--no-embed", is_flag=True, help="Leave embedding to `headwise embed`.")
@click.option("--checksum", is_flag=True, help="Read every file, however unchanged it looks.")
@options.cutting
@click.option("--passages", type=int, metavar="N", help="Largest part of a chunk to embed; 0: all.  [default: 128]")
@click.option("--navigation", metavar="WAY", help="Chunks that are only links: keep or skip.  [default: keep]")
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
    from headwise.app.embedding import unchosen_model, unread_note
    from headwise.app.output import index_json, write_json
    from headwise.app.places import place_of, prepare
    from headwise.app.progress import progress_bar
    from headwise.app.render import console, index_view
    from headwise.indexing.embed import EmbedReport, embed_pending
    from headwise.indexing.models import open_model
    from headwise.indexing.records import IndexSettings
    from headwise.indexing.sync import SyncEvent, sync
    from headwise.stores.open import open_store

    config = read_config(Path(path), flags)
    place = place_of(Path(path), config.store)
    embedder, missing = (open_model(config.model), "") if config.model else (None, "")
    prepare(place, config.files)
    events: list[SyncEvent] = []
    with open_store(place.store, create=True) as store:
        if embedder is None:
            embedder, missing = unchosen_model(store.models())
        settings = IndexSettings(config.cutting, config.passages, embedder, config.navigation)
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
        _tell(report)
        if embedder and not no_embed:
            with progress_bar("embedding") as move:
                embedded = embed_pending(store, embedder, move)
        else:
            embedded = EmbedReport(0, *store.coverage(embedder.key if embedder else ""), unread=0, seconds=0.0)
    if as_json:
        write_json(index_json(report, embedded))
    else:
        console().print(index_view(place, events, report, embedded, embedder.name if embedder else ""))
    for note in (missing, unread_note(embedded)):
        if note:
            click.echo(note, err=True)
    if report.documents.failed:
        context.exit(1)


def _tell(report: SyncReport) -> None:
    """What there is to say about single files, a line each."""
    from headwise.app.sources import say

    for problem in report.problems:
        say(problem.path, problem.reason)
    for warned in report.warnings:
        say(warned.path, warned.warning)
