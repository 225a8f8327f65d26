"""Keeping a store equal to a folder, run after run: what failed is tried again, and everything is said once."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import click

from headwise.app.config import read_config
from headwise.app.embedding import chosen_model
from headwise.app.filling import Filling
from headwise.app.log import Teller
from headwise.app.output import index_json, write_json
from headwise.app.places import Place, check_documents, location_of, place_of, prepare
from headwise.app.progress import progress_bar
from headwise.app.render import watch_line
from headwise.errors import HeadwiseError, ReadingError
from headwise.indexing.embed import EmbedReport
from headwise.indexing.models import Embedder, ModelSettings
from headwise.indexing.sync import SyncEvent, SyncReport
from headwise.indexing.watch import Wake
from headwise.indexing.workers import cores
from headwise.stores.open import open_store
from headwise.stores.store import Store

_LONGEST = 60.0
"""Seconds between two tries at something that fails, at most."""


class _StoppedError(Exception):
    """Work was told to end."""


class Keeper:
    """Compares when it is woken.

    Raises:
        HeadwiseError: for whatever is wrong from the beginning: settings, a folder without documents, no store of ours.
    """

    def __init__(
        self, path: Path, flags: dict[str, Any], tell: Teller, stop: Event, *, embeds: bool, as_json: bool
    ) -> None:
        self._path = path.resolve()
        self._stop = stop
        self._flags = flags
        self._tell = tell
        self._embeds = embeds
        self._as_json = as_json
        self._files = _settings_files(self._path)
        self._config = read_config(self._path, flags)
        self._place = place_of(path, self._config.store)
        self.folder = self._place.root / self._place.below
        if not self.folder.is_dir():
            raise ReadingError(f"{path}: is a file, not a folder")
        self._models: dict[ModelSettings | None, tuple[Embedder | None, str]] = {}
        if self._config.model:
            self._models[self._config.model] = chosen_model(self._config.model, ())
        prepare(self._place, self._config.files)
        open_store(self._place.store, create=True).close()
        self._own = _own_files(self._place)
        self._said: set[str] = set()  # about the whole, since all went well
        self._problems: set[tuple[str, str]] = set()  # about documents, in the run before
        self._failures = 0
        self._next_try = 0.0
        self._is_first = True

    def is_own(self, path: str) -> bool:
        """Whether *path* is of the store."""
        return path in self._own

    def heed(self, wake: Wake) -> None:
        """Do what is due."""
        if wake == "gone":
            self._once(f"{self._path}: is not there; waiting for it")
            return
        try:
            is_new = self._reload()
            if wake == "changed" or is_new or (self._failures and time.monotonic() >= self._next_try):
                self._compare()
                self._failures = 0
                self._said.clear()
        except _StoppedError:
            return
        except HeadwiseError as error:
            self._once(str(error))
            self._failures += 1
            self._next_try = time.monotonic() + min(2.0**self._failures, _LONGEST)

    def _once(self, text: str) -> None:
        if text not in self._said:
            self._said.add(text)
            self._tell.note(text)

    def _reload(self) -> bool:
        """Take up settings that changed, and say so."""
        files = _settings_files(self._path)
        if files == self._files:
            return False
        config = read_config(self._path, self._flags)
        self._files = files
        if config == self._config:
            return False
        self._config, self._place = config, place_of(self._path, config.store)
        self._own = _own_files(self._place)
        self._tell.note("settings changed")
        return True

    def _compare(self) -> None:
        """Sync and embed, and say what was done, if anything was."""
        check_documents(self._place, self._config.files)  # a folder without any is rather a disk that is not there
        with open_store(self._place.store, create=True) as store:
            filling = Filling(store, self._config, self._place, self._model(store))
            synced = self._sync(filling)
            embedded = filling.unembedded()
            try:
                if self._embeds and filling.embedder:
                    with self._bar("embedding") as move:
                        embedded = filling.embed(move)
            finally:  # what was synced is said even if the model does not answer
                self._report(synced, embedded)

    def _model(self, store: Store) -> Embedder | None:
        """The model, opened once."""
        wanted = self._config.model
        if wanted not in self._models:
            self._models[wanted] = chosen_model(wanted, store.models())
            self._tell.note(self._models[wanted][1])
        return self._models[wanted][0]

    def _sync(self, filling: Filling) -> SyncReport:
        """Make the store equal; what is said about documents is said once."""
        with self._bar("indexing") as move:

            def watch(event: SyncEvent) -> None:
                move(event.done, event.total or None)
                self._tell.event(event)

            report = filling.sync(watch, workers=cores())
        now = {(problem.path, problem.reason) for problem in report.problems}
        new = tuple(problem for problem in report.problems if (problem.path, problem.reason) not in self._problems)
        self._problems = now
        self._tell.synced(replace(report, problems=new))
        return report

    @contextmanager
    def _bar(self, what: str) -> Generator[Callable[[int, int | None], None]]:
        """A bar; what moves it is also where work ends that is to stop, between two transactions."""
        with progress_bar(what, shown=self._tell.is_for_people) as move:

            def step(done: int, total: int | None) -> None:
                if self._stop.is_set():
                    raise _StoppedError
                move(done, total)

            yield step

    def _report(self, synced: SyncReport, embedded: EmbedReport) -> None:
        """A line, if there is something to tell."""
        done = synced.documents
        if not (self._is_first or embedded.embedded or done.added or done.changed or done.moved or done.deleted):
            return
        self._is_first = False
        if self._as_json:
            write_json(index_json(synced, embedded))
            sys.stdout.flush()
        else:
            click.echo(watch_line(time.strftime("%H:%M:%S"), synced, embedded))


def _own_files(place: Place) -> frozenset[str]:
    """The files of a store in SQLite."""
    return frozenset(location_of(place.store) + end for end in ("", "-wal", "-shm", "-journal"))


def _settings_files(start: Path) -> tuple[tuple[str, int, int], ...]:
    """The files that settings may come from, with what tells that they changed."""
    found: list[tuple[str, int, int]] = []
    for folder in (start, *start.parents):
        for name in ("headwise.toml", "pyproject.toml"):
            try:
                state = (folder / name).stat()
            except OSError:
                continue
            found.append((str(folder / name), state.st_mtime_ns, state.st_size))
    return tuple(found)
