"""A folder, the store that is to mirror it, and all that has to be true of the two after anything was done."""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any
from unicodedata import normalize

from sqlalchemy import Engine, event, make_url
from support_embedder import WordBag
from support_postgres import ask
from support_store import dump, raw

from headwise.indexing.embed import embed_pending
from headwise.indexing.files import FileOptions
from headwise.indexing.plan import make_plan
from headwise.indexing.records import IndexSettings
from headwise.indexing.sync import SyncEvent, SyncReport, sync
from headwise.indexing.verify import verify
from headwise.stores.open import open_store
from headwise.stores.store import Filters, Store

ROOT = "notes"
GARBAGE = b"\x89PNG\r\x00\x00"
"""No text, and nothing else here has such bytes."""
TABLES = "documents", "tags", "properties", "chunks", "passages", "words"
ASKED = (["motor"], ["wheel", "電動"], ["red", "arm", "beta"])
STEPS = "before_cursor_execute", "after_cursor_execute", "commit"
"""Of a run, as SQLAlchemy tells them: between any two of them it may end."""

Dump = dict[str, list[tuple[Any, ...]]]


class Stopped(BaseException):
    """A run ends in the middle: as Ctrl-C does, or anything that nobody expected."""


class CountingBag(WordBag):
    """A model that ends the run when it is given more than *most* texts."""

    most: int | None = None

    def embed_passages(self, texts: list[str]):
        if self.most is not None and len(self.seen) + len(texts) > self.most:
            raise Stopped
        return super().embed_passages(texts)

    def embed_query(self, text: str):
        return _vector(self.dimensions, text)


@cache
def _vector(dimensions: int, text: str):
    return WordBag(dimensions=dimensions).embed_query(text)


class Mirror:
    """A folder and its store; whatever is done is held against a store made from nothing."""

    def __init__(self, new_url: Callable[[], str], settings: IndexSettings) -> None:
        self.place = Path(tempfile.mkdtemp(prefix="headwise-mirror-"))
        self.folder = self.place / ROOT
        self.folder.mkdir()
        self.url, self.fresh = new_url(), new_url()
        self.settings = settings
        self.ignored: Callable[[str], bool] = lambda _: False
        open_store(self.url, create=True).close()

    def close(self) -> None:
        remove_store(self.url)
        remove_store(self.fresh)
        for entry in self.locked():
            entry.chmod(0o700)
        shutil.rmtree(self.place)

    @property
    def bag(self) -> CountingBag:
        """The model of the settings, as if it had not been used yet."""
        model = self.settings.embedder
        assert isinstance(model, CountingBag)
        return CountingBag(dimensions=model.dimensions, max_tokens=model.max_tokens)

    # --- what is done, each with all that must be true then ---

    def run(self, below: str = "", *, checksum: bool = False) -> None:
        """A plan, the sync it speaks of, and embedding."""
        before, kept, model = self.dump(), self.vectors(), self.bag
        planned: list[SyncEvent] = []
        done: list[SyncEvent] = []
        with open_store(self.url) as store, unprivileged():
            plan = make_plan(*self._what(store), below=below, checksum=checksum, on_event=planned.append)
            report = self.sync(store, below=below, checksum=checksum, on_event=done.append)
            embedded = embed_pending(store, model, batch=7)
        assert replace(plan.report, seconds=0) == replace(report, seconds=0)
        assert planned == done
        assert (plan.to_embed, plan.unread) == (embedded.embedded, embedded.unread)
        after, fresh = self.dump(), self.rebuilt()
        assert (report.chunks, report.passages) == (len(after["chunks"]), len(after["passages"]))
        self._check_documents(before, after, fresh, normalize("NFC", below))
        self._check_embedded(kept, model.seen)
        vectors = dict(after["vectors"])
        with open_store(self.url) as store:
            assert not any(model.fits(waiting.text) for waiting in store.pending(model.key, 1000))
        if not below:
            assert set(fresh["vectors"]) <= set(vectors.items())
        if not below and not self.locked():
            self._check_answers()

    def mend(self) -> None:
        """`verify --fix` instead of a sync; what is known of files that say what they said stays as it is."""
        before, kept = self.dump(), self.vectors()
        with open_store(self.url) as store:
            if ROOT not in store.roots():
                return
            with unprivileged():
                verify(*self._what(store), fix=True)
        self._check_documents(before, self.dump(), self.rebuilt(), times=False)
        assert self.vectors() == kept

    def verify(self) -> None:
        """Nothing differs: to be called after a run."""
        with open_store(self.url) as store:
            if ROOT in store.roots():
                with unprivileged():
                    assert verify(*self._what(store)).differences == ()

    def clean(self, *, others: bool) -> None:
        """`gc` takes what no passage uses, with *others* also what another model made, and nothing else."""
        before, kept = self.dump(), self.vectors()
        # A model without any vector is none yet: nothing goes for its sake.
        keep = self.bag.key if others and any(key == self.bag.key for key, _ in kept) else None
        with open_store(self.url) as store:
            covered = {key: store.coverage(key).embedded for key, _ in kept}
            assert store.unused(keep).vectors == store.prune(keep)
            store.compact()
            assert store.unused(keep) == (0, 0)
            left = {key: store.coverage(key).embedded for key in covered}
        used = {row[-1] for row in before["passages"]}
        wanted = {(key, name) for key, name in kept if name in used and keep in (None, key)}
        assert self.vectors() == wanted
        assert left == {key: sum(key == other for other, _ in wanted) for key in covered}
        after = self.dump()
        assert {name: after[name] for name in TABLES} == {name: before[name] for name in TABLES}

    def crash(self, what: str, at: int, *, hard: bool) -> None:
        """A run that ends at its step number *at*; each document is then as it was, or as it should be."""
        before, kept = self.dump(), self.vectors()
        if hard:
            in_child(lambda: self.stopped(what, at, lambda: os.kill(os.getpid(), signal.SIGKILL)))
        else:
            with suppress(Stopped):
                self.stopped(what, at, _stop)
        after, fresh, shut = self.dump(), self.rebuilt(), self._shut()
        for path in {row[1] for made in (before, after, fresh) for row in made["documents"]}:
            now, old, new = (_rows_of(made, path) for made in (after, before, fresh))
            if any(_is_in(path, name) for name in shut):
                new = old
            assert now.pop("documents") in (old.pop("documents"), new.pop("documents", None)), path
            assert now in (old, new), path
        assert what == "gc" or kept <= self.vectors()

    def embed_some(self, most: int) -> None:
        """A model that stops answering: what it gave is kept."""
        kept, model = self.vectors(), self.bag
        model.most = most
        with open_store(self.url) as store, suppress(Stopped):
            embed_pending(store, model, batch=2)
        self._check_embedded(kept, model.seen)

    def sync(self, store: Store, **arguments: Any) -> SyncReport:
        """A sync, and nothing else."""
        return sync(*self._what(store), allow_mass_deletion=True, **arguments)

    def stopped(self, what: str, at: int, end: Callable[[], None]) -> None:
        """A run, at whose step number *at* something happens."""
        left = at

        def count(*_: Any) -> None:
            nonlocal left
            left -= 1
            if left == 0:
                end()

        with open_store(self.url) as store:
            for name in STEPS:
                event.listen(Engine, name, count)
            try:
                with unprivileged():
                    if what == "sync":
                        self.sync(store)
                    elif what == "embed":
                        embed_pending(store, self.bag, batch=2)
                    elif what == "gc":
                        store.prune()
                        store.compact()
                    elif ROOT in store.roots():
                        verify(*self._what(store), fix=True)
            finally:
                for name in STEPS:
                    event.remove(Engine, name, count)

    def _what(self, store: Store) -> tuple[Store, Path, str, FileOptions, IndexSettings]:
        return store, self.folder, ROOT, FileOptions(), self.settings

    # --- what is true ---

    def _check_documents(self, before: Dump, after: Dump, fresh: Dump, below: str = "", *, times: bool = True) -> None:
        """At *below* the store holds what one made from nothing does; all else, and what is locked, is as before."""
        shut = self._shut()
        stays = {row[1] for row in before["documents"] if not _is_in(row[1], below)}
        stays |= {row[1] for row in before["documents"] if any(_is_in(row[1], name) for name in shut)}
        wanted = {path for path in self._readable(shut) if _is_in(path, below)}
        assert {row[1] for row in after["documents"]} == stays | wanted
        for name in TABLES:
            rows = [row for row in before[name] if row[1] in stays] + [row for row in fresh[name] if row[1] in wanted]
            has = after[name]
            if name == "documents" and not times:
                has, rows = ([(*row[:4], *row[8:]) for row in some] for some in (has, rows))
            assert sorted(has, key=repr) == sorted(rows, key=repr), name

    def _check_embedded(self, kept: set[tuple[str, str]], seen: list[str]) -> None:
        """No vector was lost, and each text that had none was embedded once."""
        now = self.vectors()
        assert kept <= now
        assert len(seen) == len(set(seen)) == len(now - kept)

    def _check_answers(self) -> None:
        """Searches find the same as in a store made from nothing."""
        with open_store(self.url) as one, open_store(self.fresh) as other:
            assert _answers(one, self.bag) == _answers(other, self.bag)

    def _readable(self, shut: set[str]) -> set[str]:
        """The paths that are to be stored, by looking at the folder in another way than Headwise does."""
        found: dict[str, Path] = {}
        for file in sorted(self.folder.rglob("*"), key=os.fspath):
            path = _path(file, self.folder)
            if file.suffix in {".md", ".txt"} and file.is_file() and not self.ignored(path):
                found.setdefault(path, file)
        here = (path for path in found if not any(_is_in(path, name) for name in shut))
        return {path for path in here if b"\0" not in found[path].read_bytes()}

    def locked(self) -> list[Path]:
        """What may not be read, but for what is in it."""
        return [entry for entry in self.folder.rglob("*") if not entry.stat().st_mode & 0o400]

    def _shut(self) -> set[str]:
        """The paths at and below which nothing can be known; everything is, where a `.gitignore` cannot be read.

        What is to be left out need not be known.
        """
        entries = {_path(entry, self.folder) + "/" * entry.is_dir(): entry for entry in self.locked()}
        if any(entry.name == ".gitignore" for entry in entries.values()):
            return {""}
        return {path.rstrip("/") for path in entries if not self.ignored(path)}

    # --- what the stores hold ---

    def dump(self) -> Dump:
        return dump(self.url, self.bag.key)

    def vectors(self) -> set[tuple[str, str]]:
        """Model and content hash of all vectors."""
        with raw(self.url) as run:
            return set(run("SELECT m.key, content_hash FROM vectors v JOIN models m ON m.id = v.model_id"))

    def rebuilt(self) -> Dump:
        """What a store made from nothing holds."""
        remove_store(self.fresh)
        with open_store(self.fresh, create=True) as store, unprivileged():
            self.sync(store)
            embed_pending(store, self.bag)
        return dump(self.fresh, self.bag.key)


def remove_store(url: str) -> None:
    """Leaves nothing of it."""
    place = make_url(url)
    if place.get_backend_name() == "postgresql":
        uri = place.set(drivername="postgresql").difference_update_query(["schema"]).render_as_string()
        ask(f"DROP SCHEMA IF EXISTS {place.query['schema']} CASCADE", uri=uri)
    else:
        for end in ("", "-wal", "-shm"):
            Path(f"{place.database}{end}").unlink(missing_ok=True)


def in_child(work: Callable[[], None]) -> None:
    """Does *work* in another process, which may be killed, but not fail."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of other threads: the child needs none of them
        child = os.fork()
    if not child:
        try:
            work()
        except BaseException:  # noqa: BLE001 - there is nobody to tell but by this
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) in (0, -signal.SIGKILL)


@contextmanager
def unprivileged() -> Generator[None]:
    """Root may read whatever it wants; in this block it may not, where the system can take that right away."""
    if sys.platform != "linux" or os.geteuid() != 0:
        yield
        return
    before = _capabilities()
    _capabilities((before[0] & ~_READ_ANYTHING, *before[1:]))
    try:
        yield
    finally:
        _capabilities(before)


_READ_ANYTHING = 1 << 1 | 1 << 2  # CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH


def _capabilities(wanted: tuple[int, ...] | None = None) -> tuple[int, ...]:
    """Capabilities of this thread, as capget(2) gives them: effective, permitted, inheritable, twice."""
    libc = ctypes.CDLL(None, use_errno=True)
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    data = (ctypes.c_uint32 * 6)(*(wanted or ()))
    if (libc.capset if wanted else libc.capget)(header, data):
        raise OSError(ctypes.get_errno(), "capabilities")
    return tuple(data)


def _stop() -> None:
    raise Stopped


def _rows_of(made: Dump, path: str) -> Dump:
    return {name: [row for row in made[name] if row[1] == path] for name in TABLES}


def _is_in(path: str, folder: str) -> bool:
    return not folder or path == folder or path.startswith(f"{folder}/")


def _path(file: Path, folder: Path) -> str:
    return normalize("NFC", file.relative_to(folder).as_posix())


def _answers(store: Store, model: WordBag) -> list[Any]:
    found: list[Any] = []
    for words in ASKED:
        matches = store.match(words, Filters(), 50)
        near = store.nearest(model.key, model.embed_query(" ".join(words)), Filters(), 20)
        chunks = store.chunks([hit.chunk for hit in (*matches, *near)])
        # Which of two chunks with one score comes first is up to each store.
        found.append(sorted((-round(hit.score, 9), chunks[hit.chunk].id) for hit in matches))
        found.append([(chunks[hit.chunk].id, hit.span, round(hit.score, 6)) for hit in near])
    return found
