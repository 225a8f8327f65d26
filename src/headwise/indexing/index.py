"""The library's door to a store: search and figures."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self

from headwise.errors import StoreError
from headwise.indexing.choice import choose_model
from headwise.indexing.models import Embedder, ModelSettings, open_model
from headwise.indexing.search import Found, find
from headwise.model import Hit
from headwise.stores.open import open_store
from headwise.stores.store import Filters, Stats

STORE = Path(".headwise", "index.db")
"""Where a folder's store lies by default."""

_LIMIT = 5


def find_store(start: Path) -> str:
    """The path of the nearest store at or above the folder *start*.

    Raises:
        StoreError: if there is none.
    """
    here = start.absolute()
    for folder in (here, *here.parents):
        if (folder / STORE).is_file():
            return str(folder / STORE)
    raise StoreError(f"there is no {STORE.as_posix()} in {here} or above it; index a folder first, or name a store")


class Index:
    """An indexed folder, open for searching; to be closed, or used in a `with`.

    >>> with Index("notes/.headwise/index.db") as index:  # doctest: +SKIP
    ...     hits = index.search("how many pins does the motor driver need", budget=2000)

    Args:
        store_url: `sqlite:///FILE` or a plain path; the nearest `.headwise/index.db` upward from here if not given.
        model: The model that made the vectors, opened when it is first needed; if not given, the default one, or the
            other that comes inside a package if only that one made any. As long as some passages have no vector of
            it, that of another model which has more is used.

    Raises:
        StoreError: if there is no such store, or it cannot be opened.
    """

    def __init__(self, store_url: str | None = None, *, model: ModelSettings | None = None) -> None:
        self._store = open_store(find_store(Path()) if store_url is None else store_url)
        self._model = model
        self._opened: dict[ModelSettings, Embedder] = {}

    def search(
        self,
        query: str,
        limit: int | None = None,
        budget: int | None = None,
        path: str | None = None,
        tag: str | Sequence[str] | None = None,
    ) -> list[Hit]:
        """The chunks that answer *query* best, best first, each once; see `find` for the arguments."""
        return list(self.find(query, limit, budget, path, tag).hits)

    def find(
        self,
        query: str,
        limit: int | None = None,
        budget: int | None = None,
        path: str | None = None,
        tag: str | Sequence[str] | None = None,
    ) -> Found:
        """As `search`, with notes about what the search had to do without, such as vectors.

        Args:
            query: Words or a question; nothing in it has a special meaning.
            limit: How many hits at most; 5 if neither this nor a budget is given.
            budget: How many `cl100k_base` tokens the texts of all hits may have together.
            path: A glob over paths: `docs/*.md`, `**/guide`; without `/` it names files or folders at any depth.
            tag: A tag that documents must have, or several; one stands for those nested in it.

        Raises:
            StoreError: if the store is damaged, or in use for too long.
        """
        most = limit if limit is not None else _LIMIT if budget is None else sys.maxsize
        filters = Filters(path, () if tag is None else (tag,) if isinstance(tag, str) else tuple(tag))
        model, notes = choose_model(self._store, self._model, self._open)
        found = find(self._store, model, query, filters, limit=most, budget=budget)
        return replace(found, notes=(*notes, *found.notes))

    def stats(self) -> Stats:
        """Figures about all that is stored."""
        return self._store.stats()

    def close(self) -> None:
        """Let go of the store."""
        self._store.close()

    def _open(self, model: ModelSettings) -> Embedder:
        if model not in self._opened:
            self._opened[model] = open_model(model)
        return self._opened[model]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        self.close()
