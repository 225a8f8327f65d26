"""The store, open for all threads of the service: opened when first asked for, and anew when its file is another."""

from __future__ import annotations

import gc
import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from threading import Lock

from headwise.errors import StoreError
from headwise.indexing.index import Index
from headwise.indexing.models import ModelSettings

_Identity = tuple[int, int] | None
_BLAS_THREADS = "OPENBLAS_NUM_THREADS"


@dataclass(slots=True)
class _Opened:
    index: Index
    identity: _Identity
    """Device and inode of the store's file; None for a store that is no file."""
    users: int = 0
    is_old: bool = False


class Library:
    """One `Index` for all threads, so that its vectors and its model are in memory once.

    What other processes write is seen by the next search. A store that was deleted and made again is another file:
    it is opened anew, and the old one closed when nobody uses it any more. Nothing is opened before it is asked for,
    so a service may start before its store is there.
    """

    def __init__(self, store: str, model: ModelSettings | None) -> None:
        self._store = store
        self._model = model
        self._file = None if "://" in store and not store.startswith("sqlite:///") else _file_of(store)
        self._lock = Lock()
        self._opened: _Opened | None = None

    @contextmanager
    def index(self) -> Generator[Index]:
        """The open store.

        Raises:
            StoreError: if it is not there, or cannot be opened.
        """
        opened = self._take()
        try:
            yield opened.index
        finally:
            with self._lock:
                opened.users -= 1
                is_last = opened.is_old and not opened.users
            if is_last:
                opened.index.close()

    def close(self) -> None:
        """Let go of the store as soon as nobody uses it."""
        with self._lock:
            self._drop()

    def _take(self) -> _Opened:
        with self._lock:
            identity = self._identity()
            if self._opened is not None and self._opened.identity != identity:
                self._drop()
            if self._opened is None:
                index = Index(self._store, model=self._model)
                self._opened = _Opened(index, identity)
                _warm_up(index)
            self._opened.users += 1
            return self._opened

    def _drop(self) -> None:
        old, self._opened = self._opened, None
        if old is None:
            return
        old.is_old = True
        if not old.users:
            old.index.close()

    def _identity(self) -> _Identity:
        if self._file is None:
            return None
        try:
            state = os.stat(self._file)  # noqa: PTH116 - before every request
        except OSError:
            return None
        return state.st_dev, state.st_ino


def calculate_with_one_core() -> None:
    """Have numpy multiply with one core, unless the environment says with how many; processes started later are free.

    Each search has a thread of its own. Where several multiply with all cores at once, they wait for each other's, and
    OpenBLAS waits by spinning.
    """
    if _BLAS_THREADS in os.environ:
        return
    os.environ[_BLAS_THREADS] = "1"
    with suppress(ModuleNotFoundError):  # numpy comes with the extras only
        import_module("numpy")  # it looks into the environment once, now
    del os.environ[_BLAS_THREADS]


def _file_of(store: str) -> str:
    return str(Path(store.removeprefix("sqlite:///")).expanduser())


def _warm_up(index: Index) -> None:
    """Have the model and the vectors in memory before anybody waits for them, and once rather than by each thread.

    Python's collector of garbage is to pass over what is there now: it stays, and looking through it made every
    thirtieth search take twice as long. What an index before this one has left is collected first.
    """
    with suppress(StoreError):  # said where it is asked for
        index.find("warm", 1)
    gc.unfreeze()
    gc.collect()
    gc.freeze()
