"""One sync, in a process of its own: searches keep their speed, and whatever becomes of it, the service goes on."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

from headwise.app.config import read_config
from headwise.app.embedding import chosen_model, unread_note
from headwise.app.filling import Filling
from headwise.app.output import index_json
from headwise.app.places import check_documents, place_of, prepare
from headwise.app.service.problems import Problem, problem_of
from headwise.errors import HeadwiseError
from headwise.indexing.sync import SyncEvent
from headwise.indexing.workers import cores
from headwise.stores.open import open_store

_NICE = 5


@dataclass(frozen=True, slots=True)
class Task:
    """What is to be synced."""

    folder: Path
    flags: Mapping[str, Any]
    """Settings that go before those of files, as `headwise.app.config.read_config` takes them."""
    allow_mass_deletion: bool = False


class Progress(NamedTuple):
    """How far a sync is."""

    phase: str
    """`reading`, then `embedding`."""
    done: int
    """Documents, or passages."""
    total: int | None
    """How many there are to do; None as long as that is not known."""


class _StoppedError(Exception):
    """The sync was told to end."""


def run_task(task: Task, said: Connection) -> None:
    """Do *task*: sends `Progress` as it goes, then the report as `index_json` has it, or a `Problem`.

    It is told to stop by SIGTERM, or by the other end of *said* being closed, and does so between two transactions;
    what was done is kept.
    """
    is_told = False

    def stop(_signal: int, _frame: object) -> None:
        nonlocal is_told
        is_told = True

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the service, which then tells
    if hasattr(os, "nice"):
        os.nice(_NICE)

    def progress(phase: str, done: int, total: int | None) -> None:
        if is_told:
            raise _StoppedError
        said.send(Progress(phase, done, total))

    with suppress(BrokenPipeError, ConnectionResetError):  # the service is gone, and nobody is there to tell
        try:
            said.send(_report(task, progress))
        except _StoppedError:
            said.send(Problem(503, "stopped with the service; what was done is kept", "stopped"))
        except HeadwiseError as error:
            said.send(problem_of(error))


def _report(task: Task, progress: Callable[[str, int, int | None], None]) -> dict[str, Any]:
    config = read_config(task.folder, task.flags)
    place = place_of(task.folder, config.store)
    prepare(place, config.files)
    check_documents(place, config.files)  # a folder without any is rather a disk that is not there
    progress("reading", 0, None)

    def watch(event: SyncEvent) -> None:
        progress("reading", event.done, event.total or None)

    with open_store(place.store, create=True) as store:
        embedder, missing = chosen_model(config.model, store.models())
        filling = Filling(store, config, place, embedder)
        synced = filling.sync(watch, workers=max(cores() - 1, 1), allow_mass_deletion=task.allow_mass_deletion)
        embedded = filling.embed(lambda done, total: progress("embedding", done, total))
    notes = [note for note in (missing, unread_note(embedded)) if note]
    return {**index_json(synced, embedded), "notes": notes}
