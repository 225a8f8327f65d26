"""`headwise index`: make the store equal to the folder, and embed what is new; or say what that would take."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from headwise.app import completion, options

if TYPE_CHECKING:
    from headwise.app.config import Config
    from headwise.app.filling import Filling
    from headwise.app.log import Teller
    from headwise.app.places import Place
    from headwise.indexing.embed import EmbedReport
    from headwise.indexing.models import Embedder
    from headwise.indexing.sync import SyncEvent, SyncReport
    from headwise.stores.store import Store


@click.command()
@click.argument("path", shell_complete=completion.files)
@options.store
@options.model
@click.option("--plan", is_flag=True, help="Only say what would change and what it would cost; write nothing.")
@click.option("--price", type=float, metavar="P", help="With --plan: what a million tokens cost to embed.")
@click.option("--yes", is_flag=True, help="Delete even more than half of 20 or more documents without asking.")
@click.option("--no-embed", is_flag=True, help="Leave embedding to `headwise embed`.")
@click.option("--checksum", is_flag=True, help="Read every file, however unchanged it looks.")
@click.option("--workers", type=click.IntRange(min=1), metavar="N", help="Processes that cut.  [default: one per core]")
@options.indexing
@options.log
@options.as_json
@click.pass_context
def index(
    context: click.Context,
    path: str,
    plan: bool,
    yes: bool,
    no_embed: bool,
    checksum: bool,
    workers: int | None,
    as_json: bool,
    **flags: Any,
) -> None:
    """Make the store equal to a folder, and embed.

    The store is PATH/.headwise/index.db, unless a folder above PATH has a .headwise: then that folder is the root,
    and only the part of it at PATH is looked at. Files that did not change are not read.

    \b
      headwise index ~/notes
      headwise index ~/notes/work --exclude drafts/ --no-embed
      headwise index docs --store /tmp/docs.db --model minilm
      headwise index docs --plan --price 0.02
    """
    from headwise.app.config import read_config
    from headwise.app.log import Teller
    from headwise.app.places import place_of
    from headwise.indexing.workers import cores

    config = read_config(Path(path), flags)
    place = place_of(Path(path), config.store)
    job = _Job(context, config, place, Teller(context), checksum, workers or cores(), as_json)
    failed = _plan(job) if plan else _index(job, yes=yes, embed=not no_embed)
    if failed:
        context.exit(1)


class _Job(NamedTuple):
    """What was asked for."""

    context: click.Context
    config: Config
    place: Place
    tell: Teller
    checksum: bool
    workers: int
    as_json: bool


def _index(job: _Job, *, yes: bool, embed: bool) -> bool:
    """Index, and say whether some documents failed."""
    from headwise.app.embedding import unread_note
    from headwise.app.filling import Filling
    from headwise.app.output import index_json, write_json
    from headwise.app.places import prepare
    from headwise.app.render import console, index_view
    from headwise.stores.open import open_store

    if job.config.model:
        _model(job, ())  # before anything is made: it may not be there
    prepare(job.place, job.config.files)
    with open_store(job.place.store, create=True) as store:
        embedder, missing = _model(job, store.models())
        filling = Filling(store, job.config, job.place, embedder)
        report, events = _synced(job, filling, yes=yes, embed=embed)
        job.tell.synced(report)
        embedded = _embedded(job, filling) if embed and embedder else filling.unembedded()
    name = embedder.name if embedder else ""
    if job.as_json:
        write_json(index_json(report, embedded))
    else:
        console().print(index_view(job.place, events, report, embedded, name))
    job.tell.embedded(embedded, name)
    job.tell.note(missing)
    job.tell.note(unread_note(embedded))
    return report.documents.failed > 0


def _plan(job: _Job) -> bool:
    """Say what indexing would do, and whether some documents would fail."""
    from headwise.app.filling import Filling
    from headwise.app.output import plan_json, write_json
    from headwise.app.render import console, plan_view

    config = job.config
    with _store_to_read(job) as store:
        embedder, missing = _model(job, store.models())
        with _watched(job, "planning") as (events, watch):
            filling = Filling(store, config, job.place, embedder)
            plan = filling.plan(watch, workers=job.workers, checksum=job.checksum)
    name = embedder.name if embedder else ""
    job.tell.synced(plan.report)
    if job.as_json:
        write_json(plan_json(plan, name, config.price))
    else:
        console().print(plan_view(events, plan, name, config.cutting.tokenizer, config.price))
    job.tell.note(missing)
    if plan.unread:
        job.tell.note(f"{plan.unread:,} passages are longer than the model reads and would have no vector")
    if plan.deletes_most:
        job.tell.note("more than half of the documents would be deleted: that takes --yes")
    return plan.report.documents.failed > 0


def _synced(job: _Job, filling: Filling, *, yes: bool, embed: bool) -> tuple[SyncReport, list[SyncEvent]]:
    """What a sync reports, and its first events; on a terminal it asks before it deletes too much."""
    from headwise.errors import MassDeletionError

    embeds = embed and filling.embedder is not None
    try:
        with _watched(job, "indexing") as (events, watch):
            report = filling.sync(
                watch,
                workers=job.workers,
                checksum=job.checksum,
                allow_mass_deletion=yes,
                on_outlook=lambda outlook: job.tell.outlook(outlook, embeds=embeds),
            )
    except MassDeletionError as error:
        if not _may_ask(job):
            raise
        question = f"{error.deleted:,} of {error.stored:,} stored documents are no longer there. Delete them?"
        click.confirm(question, abort=True, err=True)
        return _synced(job, filling, yes=True, embed=embed)
    return report, events


def _embedded(job: _Job, filling: Filling) -> EmbedReport:
    from headwise.app.progress import progress_bar

    with progress_bar("embedding", shown=job.tell.is_for_people) as move:
        return filling.embed(move)


def _model(job: _Job, stored: list[str] | tuple[()]) -> tuple[Embedder | None, str]:
    """The model that was chosen, or the one that follows from what is *stored*; else what is missing."""
    from headwise.app.embedding import chosen_model

    return chosen_model(job.config.model, stored)


@contextmanager
def _store_to_read(job: _Job) -> Generator[Store]:
    """The store, opened without leaving a trace; an empty one elsewhere as long as there is none."""
    from tempfile import TemporaryDirectory

    from headwise.app.places import check_documents
    from headwise.errors import MissingStoreError
    from headwise.stores.open import open_store

    try:
        store = open_store(job.place.store, read_only=True)
    except MissingStoreError:
        check_documents(job.place, job.config.files)
        with TemporaryDirectory() as folder, open_store(str(Path(folder, "empty.db")), create=True) as empty:
            yield empty
    else:
        with store:
            yield store


@contextmanager
def _watched(job: _Job, what: str) -> Generator[tuple[list[SyncEvent], Callable[[SyncEvent], None]]]:
    """The first events worth naming, and what takes all of them: it logs, and moves a bar called *what*."""
    from headwise.app.progress import progress_bar
    from headwise.app.render import NAMED

    events: list[SyncEvent] = []
    with progress_bar(what, shown=job.tell.is_for_people) as move:

        def watch(event: SyncEvent) -> None:
            move(event.done, event.total or None)
            job.tell.event(event)
            if event.outcome not in {"unchanged", "failed"} and len(events) < NAMED:
                events.append(event)

        yield events, watch


def _may_ask(job: _Job) -> bool:
    import sys

    return job.tell.is_for_people and not job.as_json and sys.stdin.isatty() and sys.stderr.isatty()
