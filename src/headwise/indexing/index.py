"""The library's door to a store: sync, search and figures."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self

from headwise.chunking.settings import Settings
from headwise.errors import ModelError, StoreError
from headwise.indexing.assemble import Rerank
from headwise.indexing.choice import choose_model
from headwise.indexing.embed import EmbedReport, embed_pending
from headwise.indexing.excerpt import Excerpt, excerpt
from headwise.indexing.files import FileOptions
from headwise.indexing.models import Embedder, ModelSettings, open_model, preferred_model
from headwise.indexing.plan import Plan, make_plan
from headwise.indexing.records import IndexSettings
from headwise.indexing.related import Related, related
from headwise.indexing.search import Found, find
from headwise.indexing.sync import SyncEvent, SyncReport, sync
from headwise.indexing.where import parse_where
from headwise.model import Hit
from headwise.stores.open import open_store
from headwise.stores.store import Filters, Stats, Store

STORE = Path(".headwise", "index.db")
"""Where a folder's store lies by default."""

OWN_ROOT = "."
"""Name, in a store that lies in its root's own `.headwise`, of that root."""

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


def root_name(folder: Path, store: str) -> str:
    """What the resolved *folder* is called in *store*.

    In a store in its own `.headwise` it has no name, so that both may be moved together; elsewhere its path tells it
    from other folders.
    """
    is_own = "://" not in store and Path(store).expanduser().resolve() == folder / STORE
    return OWN_ROOT if is_own else str(folder)


def folder_of(root: str, store: str) -> Path:
    """The folder that is called *root* in *store*; see `root_name`."""
    return Path(store).expanduser().resolve().parent.parent if root == OWN_ROOT else Path(root)


class Index:
    """An indexed folder, open for searching; to be closed, or used in a `with`.

    >>> with Index("notes/.headwise/index.db") as index:  # doctest: +SKIP
    ...     hits = index.search("how many pins does the motor driver need", budget=2000)

    Args:
        store_url: `sqlite:///FILE`, a plain path, or `postgresql+psycopg://…`; the nearest `.headwise/index.db` upward
            from here if not given.
        model: The model that made the vectors, opened when it is first needed; if not given, the default one, or the
            other that comes inside a package if only that one made any. As long as some passages have no vector of
            it, that of another model which has more is used.
        create: Make the store if it is not there; the folder it is in has to be.
        rerank: A function of a query and its best hits (50, or as many as the limit) that gives them in a better
            order, and may leave some out; limit and budget then go by that order.

    Raises:
        StoreError: if there is no such store, or it cannot be opened.
    """

    def __init__(
        self,
        store_url: str | None = None,
        *,
        model: ModelSettings | None = None,
        create: bool = False,
        rerank: Rerank | None = None,
    ) -> None:
        self._url = find_store(Path()) if store_url is None else store_url
        self._store = open_store(self._url, create=create)
        self._model = model
        self._rerank = rerank
        self._opened: dict[ModelSettings, Embedder] = {}

    def sync(
        self,
        folder: str | Path,
        settings: Settings | None = None,
        *,
        files: FileOptions | None = None,
        below: str = "",
        workers: int = 1,
        allow_mass_deletion: bool = False,
        on_event: Callable[[SyncEvent], None] = lambda _: None,
    ) -> SyncReport:
        """Make the store equal to *folder*; `embed` then gives vectors to what is new.

        Args:
            folder: Where the documents are. A store may follow several folders.
            settings: How they are cut.
            files: Which files are read.
            below: A path in the folder: nothing outside it is read or changed.
            workers: How many processes cut, this one included, where there is enough to cut.
            allow_mass_deletion: Whether more than half of 20 or more documents may be deleted.
            on_event: Called with what became of each document.

        Raises:
            ReadingError: if *folder* is missing or cannot be read.
            MassDeletionError: if too many documents would be deleted; nothing was changed.
            StoreError: if the store is in use for too long, full, or damaged.
            ModelError: if a model was named and is missing.
        """
        root = Path(folder).resolve()
        return sync(
            self._store,
            root,
            root_name(root, self._url),
            files or FileOptions(),
            self._how(settings),
            below=below,
            workers=workers,
            allow_mass_deletion=allow_mass_deletion,
            on_event=on_event,
        )

    def plan(
        self,
        folder: str | Path,
        settings: Settings | None = None,
        *,
        files: FileOptions | None = None,
        below: str = "",
        workers: int = 1,
    ) -> Plan:
        """What `sync` and `embed` would do, and how many tokens that would take; nothing is written."""
        root = Path(folder).resolve()
        name = root_name(root, self._url)
        wanted = files or FileOptions()
        return make_plan(self._store, root, name, wanted, self._how(settings), below=below, workers=workers)

    def embed(self, on_progress: Callable[[int, int], None] = lambda _done, _total: None) -> EmbedReport:
        """Give every passage that has none its vector; what is done is kept, whatever happens.

        Raises:
            ModelError: if the model is missing, refuses, or does not answer.
        """
        return embed_pending(self._store, self._open(self._wanted()), on_progress)

    def search(
        self,
        query: str,
        limit: int | None = None,
        budget: int | None = None,
        path: str | None = None,
        tag: str | Sequence[str] | None = None,
        where: str | Sequence[str] | None = None,
    ) -> list[Hit]:
        """The chunks that answer *query* best, best first, each once; see `find` for the arguments."""
        return list(self.find(query, limit, budget, path, tag, where).hits)

    def find(
        self,
        query: str,
        limit: int | None = None,
        budget: int | None = None,
        path: str | None = None,
        tag: str | Sequence[str] | None = None,
        where: str | Sequence[str] | None = None,
        *,
        per_document: int | None = None,
        as_prompt: bool = False,
    ) -> Found:
        """As `search`, with notes about what the search had to do without, such as vectors.

        Args:
            query: Words, a question, `"several words"`, `-word`, `title:word`, `tag:name`, `path:glob`; nothing that
                stands in it is an error. Filters without words list what they let through, in order of path.
            limit: How many hits at most; 5 if neither this nor a budget is given.
            budget: How many `cl100k_base` tokens the texts of all hits may have together.
            path: A glob over paths: `docs/*.md`, `**/guide`; without `/` it names files or folders at any depth.
            tag: A tag that documents must have, or several; one stands for those nested in it.
            where: What properties must be like, `status = done` or `date >= 2024-01`, one or several; see
                `headwise.indexing.where.parse_where`.
            per_document: How many chunks of one document at most.
            as_prompt: Whether the budget is for what `headwise.indexing.prompt.prompt` makes of the hits.

        Raises:
            StoreError: if the store is damaged, or in use for too long.
            SettingsError: if a filter is not understood, or the reranker gives a hit that it was not given.
        """
        most = limit if limit is not None else _LIMIT if budget is None else sys.maxsize
        filters = Filters((path,) if path else (), _several(tag), where=tuple(map(parse_where, _several(where))))
        model, notes = choose_model(self._store, self._model, self._open)
        found = find(
            self._store,
            model,
            query,
            filters,
            limit=most,
            budget=budget,
            per_document=per_document,
            as_prompt=as_prompt,
            rerank=self._rerank,
        )
        return replace(found, notes=(*notes, *found.notes))

    def get(self, name: str) -> Excerpt:
        """What a document, a section or a chunk says, as far as it is indexed.

        Args:
            name: A path as hits have it, or a file's name or alias; with `#heading` or `#anchor` a section with those
                inside it; the id of a hit is a chunk.

        Raises:
            NotStoredError: if there is no such document, section or chunk, or nothing of it is indexed.
        """
        return excerpt(self._store, name)

    def related(self, name: str) -> Related:
        """What the document *name* has to do with others: links, backlinks, and what is near by its vectors.

        Args:
            name: A path as hits have it, or a file's name or alias; with `#heading` or `#anchor` for a section.

        Raises:
            NotStoredError: if there is no such document or section.
        """
        model, notes = choose_model(self._store, self._model, self._open)
        found = related(self._store, model, name)
        if model is None:
            return replace(found, notes=tuple(f"without what is near: {note.partition(': ')[2]}" for note in notes))
        return found

    @property
    def store(self) -> Store:
        """The store itself, for what only doors to it need."""
        return self._store

    def stats(self) -> Stats:
        """Figures about all that is stored."""
        return self._store.stats()

    def folders(self) -> list[Path]:
        """The folders whose documents are in the store; one that lies in its folder's `.headwise` moves with it."""
        return [folder_of(root, self._url) for root in self._store.roots()]

    def close(self) -> None:
        """Let go of the store."""
        self._store.close()

    def _wanted(self) -> ModelSettings:
        return self._model or preferred_model(self._store.models())

    def _how(self, settings: Settings | None) -> IndexSettings:
        """How documents are cut: so that the model reads all of each passage, if it is there."""
        try:
            model = self._open(self._wanted())
        except ModelError:
            if self._model is not None:
                raise
            model = None
        return IndexSettings(settings or Settings(), embedder=model)

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


def _several(value: str | Sequence[str] | None) -> tuple[str, ...]:
    return () if value is None else (value,) if isinstance(value, str) else tuple(value)
