"""What every store in an SQL database does alike: the statements are shared, the transactions are each store's own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Self

from sqlalchemy import Connection, Select, insert

from headwise.stores import changes, queries
from headwise.stores.filters import allowed_documents
from headwise.stores.rows import run_row
from headwise.stores.schema import runs as run_table
from headwise.stores.store import (
    Counts,
    Coverage,
    DocumentRecords,
    Filters,
    PendingPassage,
    Run,
    Stats,
    StoredChunk,
    StoredFile,
    WordMatch,
    Words,
)


class SqlStore(ABC):
    """The part of a `Store` that is the same in every database.

    A store of its own kind says how its transactions begin and end, keeps words and vectors in its own way, and adds
    `add_vectors`, `nearest` and `close`.
    """

    def __init__(self) -> None:
        self._coverage: dict[str, tuple[int, Coverage]] = {}

    @abstractmethod
    def _reading(self) -> AbstractContextManager[Connection]:
        """A connection that sees one state of the store, whatever others write meanwhile."""

    @abstractmethod
    def _writing(self) -> AbstractContextManager[Connection]:
        """A connection in one transaction, the only one that writes, committed at the end, undone by any exception."""

    @abstractmethod
    def _add_words(self, connection: Connection, rows: Sequence[int], words: Sequence[Words]) -> None:
        """Index the words of the chunks in *rows*."""

    @abstractmethod
    def _remove_words(self, connection: Connection, document: int) -> None:
        """Forget the words of all chunks of *document*, which are still there."""

    @abstractmethod
    def _match(
        self, connection: Connection, words: Sequence[str], documents: Select[int] | None, limit: int
    ) -> list[WordMatch]:
        """The chunks of *documents* (None: of all) that match any of *words* best, best first."""

    @abstractmethod
    def close(self) -> None:
        """Let go of files and connections."""

    def files(self, root: str, below: str = "") -> dict[str, StoredFile]:
        with self._reading() as connection:
            return queries.files(connection, root, below)

    def replace(self, root: str, document: DocumentRecords, *, instead_of: str | None = None) -> int:
        with self._writing() as connection:
            root_id = changes.root_id(connection, root)
            paths = {document.file.path, instead_of or document.file.path}
            before: set[tuple[str, int, str]] = set()
            for old in changes.document_ids(connection, root_id, paths):
                before |= changes.chunk_places(connection, old)
                self._remove(connection, old)
            self._add_words(connection, changes.add_document(connection, root_id, document), document.words)
            changes.next_generation(connection)
        places = ((record.chunk.anchor, record.chunk.number, record.chunk.text) for record in document.records)
        return sum(place in before for place in places) if before else 0

    def touch(self, root: str, files: Iterable[StoredFile]) -> None:
        with self._writing() as connection:
            changes.touch(connection, changes.root_id(connection, root), files)

    def delete(self, root: str, path: str) -> None:
        with self._writing() as connection:
            for old in changes.document_ids(connection, changes.root_id(connection, root), (path,)):
                self._remove(connection, old)
            changes.next_generation(connection)

    def _remove(self, connection: Connection, document: int) -> None:
        self._remove_words(connection, document)
        changes.remove_document(connection, document)

    def pending(self, model: str, limit: int, after: int = 0) -> list[PendingPassage]:
        with self._reading() as connection:
            return queries.pending(connection, model, limit, after)

    def coverage(self, model: str) -> Coverage:
        with self._reading() as connection:
            generation = queries.generation(connection)
            if self._coverage.get(model, (-1,))[0] != generation:
                self._coverage[model] = generation, queries.coverage(connection, model)
            return self._coverage[model][1]

    def models(self) -> list[str]:
        with self._reading() as connection:
            return queries.model_keys(connection)

    def prune(self) -> int:
        with self._writing() as connection:
            return changes.prune(connection)

    def match(self, words: Sequence[str], filters: Filters, limit: int) -> list[WordMatch]:
        if not words:
            return []
        with self._reading() as connection:
            return self._match(connection, words, allowed_documents(filters), limit)

    def chunks(self, rows: Collection[int]) -> dict[int, StoredChunk]:
        with self._reading() as connection:
            return queries.stored_chunks(connection, rows)

    def counts(self, root: str | None = None) -> Counts:
        with self._reading() as connection:
            return queries.counts(connection, root)

    def stats(self, root: str | None = None) -> Stats:
        with self._reading() as connection:
            return queries.stats(connection, root)

    def log_run(self, run: Run) -> None:
        with self._writing() as connection:
            connection.execute(insert(run_table).values(run_row(run)))

    def runs(self, limit: int = 20) -> list[Run]:
        with self._reading() as connection:
            return queries.last_runs(connection, limit)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        self.close()
