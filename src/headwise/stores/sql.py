"""What every store in an SQL database does alike: the statements are shared, the transactions are each store's own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import TYPE_CHECKING, Self

from sqlalchemy import Connection, Select, insert

from headwise.stores import changes, comparing, coverage, figures, listing, loading, queries
from headwise.stores.filters import allowed_chunks
from headwise.stores.rows import run_row
from headwise.stores.schema import runs as run_table
from headwise.stores.store import (
    NO_CONDITIONS,
    NO_FILTERS,
    Change,
    Conditions,
    Counts,
    Coverage,
    DocumentRecords,
    Filters,
    Listed,
    Named,
    PendingPassage,
    Phrase,
    Place,
    Run,
    Stats,
    StoredChunk,
    StoredFile,
    WaitingPassage,
    WordMatch,
    Words,
)

if TYPE_CHECKING:
    from headwise.stores.store import Vector


class SqlStore(ABC):
    """The part of a `Store` that is the same in every database.

    A store of its own kind says how its transactions begin and end, keeps words and vectors in its own way, and adds
    `vectors`, `passage_vectors`, `dimensions`, `unused`, `nearest`, `faults`, `mend`, `compact` and
    `close`.
    """

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
    def _wrong_words(self, connection: Connection, words: Mapping[int, Words]) -> int:
        """How many of the chunks in these rows do not have these words."""

    @abstractmethod
    def _match(
        self, connection: Connection, words: Sequence[str], allowed: Select[int] | None, limit: int
    ) -> list[WordMatch]:
        """Those of the *allowed* chunks (None: of all) that match any of *words* best, best first."""

    @abstractmethod
    def _holding(self, phrase: Phrase) -> Select[int]:
        """The rows of the chunks that hold *phrase*."""

    @abstractmethod
    def _add_vectors(self, connection: Connection, model: int, new: Mapping[str, Vector]) -> None:
        """Keep the vectors *new*, by content hash, of the model with this id; none of them is there."""

    @abstractmethod
    def close(self) -> None:
        """Let go of files and connections."""

    def files(self, root: str, below: str = "") -> dict[str, StoredFile]:
        with self._reading() as connection:
            return queries.files(connection, root, below)

    def files_after(self, root: str, below: str, after: str, limit: int) -> list[StoredFile]:
        with self._reading() as connection:
            return queries.files_after(connection, root, below, after, limit)

    def places(self, root: str, paths: Collection[str]) -> dict[str, list[Place]]:
        with self._reading() as connection:
            return queries.places(connection, root, paths)

    def named(self, root: str) -> list[Named]:
        with self._reading() as connection:
            return queries.named(connection, root)

    def apply(self, root: str, changes: Sequence[Change]) -> None:
        with self._writing() as connection:
            self._apply(connection, root, changes)

    def replace(self, root: str, document: DocumentRecords, *, instead_of: str | None = None) -> int:
        with self._writing() as connection:
            places = queries.places(connection, root, {document.file.path, instead_of or document.file.path})
            self._apply(connection, root, [Change(document, instead_of)])
        before = {place[:3] for old in places.values() for place in old}
        return sum(
            (record.chunk.anchor, record.chunk.number, record.chunk.text) in before for record in document.records
        )

    def touch(self, root: str, files: Iterable[StoredFile]) -> None:
        with self._writing() as connection:
            changes.touch(connection, changes.root_id(connection, root), files)

    def delete(self, root: str, path: str) -> None:
        self.apply(root, [Change(None, path)])

    def _apply(self, connection: Connection, root: str, wanted: Sequence[Change]) -> None:
        root_id = changes.root_id(connection, root)
        new = [change.document for change in wanted if change.document is not None]
        paths = {document.file.path for document in new} | {change.gone for change in wanted if change.gone is not None}
        old = changes.document_ids(connection, root_id, paths)
        leaving = coverage.hashes_in(connection, old)
        for document in old:
            self._remove_words(connection, document)
        changes.remove_documents(connection, old)
        entering = {name for document in new for name in document.content_hashes}
        coverage.enter_passages(connection, leaving, entering)
        added = changes.add_documents(connection, root_id, new)
        self._add_words(connection, added, [words for document in new for words in document.words])
        changes.next_generation(connection)

    def roots(self) -> list[str]:
        with self._reading() as connection:
            return loading.root_names(connection)

    def load(self, root: str, path: str) -> DocumentRecords | None:
        with self._reading() as connection:
            return loading.load(connection, root, path)

    def compare(self, root: str, document: DocumentRecords) -> list[str]:
        with self._reading() as connection:
            compared = comparing.compare(connection, root, document)
            wrong = self._wrong_words(connection, compared.words)
        return [*compared.differences, *([f"words of {wrong} chunks not as in the file"] if wrong else [])]

    def pending(self, model: str, limit: int, after: int = 0) -> list[PendingPassage]:
        with self._reading() as connection:
            return queries.pending(connection, model, limit, after)

    def waiting(self, model: str, limit: int, after: int = 0) -> list[WaitingPassage]:
        with self._reading() as connection:
            return queries.waiting(connection, model, limit, after)

    def unembedded(self, model: str, hashes: Collection[str]) -> set[str]:
        with self._reading() as connection:
            return queries.unembedded(connection, model, hashes)

    def coverage(self, model: str) -> Coverage:
        with self._reading() as connection:
            return coverage.coverage(connection, model)

    def models(self) -> list[str]:
        with self._reading() as connection:
            return queries.model_keys(connection)

    def add_vectors(self, model: str, vectors: Mapping[str, Vector]) -> None:
        with self._writing() as connection:
            model_id = changes.model_id(connection, model)
            new = queries.unembedded(connection, model, vectors)
            self._add_vectors(connection, model_id, {name: vectors[name] for name in vectors if name in new})
            coverage.enter_vectors(connection, model_id, new)
            changes.next_generation(connection)

    def drop_vectors(self, model: str, hashes: Collection[str]) -> None:
        with self._writing() as connection:
            changes.drop_vectors(connection, model, hashes)

    def prune(self, keep: str | None = None) -> int:
        with self._writing() as connection:
            return changes.prune(connection, keep)

    def match(
        self, words: Sequence[str], filters: Filters, limit: int, conditions: Conditions = NO_CONDITIONS
    ) -> list[WordMatch]:
        if not words:
            return []
        with self._reading() as connection:
            return self._match(connection, words, allowed_chunks(filters, conditions, self._holding), limit)

    def documents(self, filters: Filters, after: tuple[str, str], limit: int) -> list[Listed]:
        with self._reading() as connection:
            return listing.list_documents(connection, filters, after, limit)

    def document_count(self, filters: Filters) -> int:
        with self._reading() as connection:
            return listing.count_documents(connection, filters)

    def sizes(self) -> dict[int, int]:
        with self._reading() as connection:
            return listing.sizes(connection)

    def listed(self, filters: Filters, conditions: Conditions, limit: int) -> list[int]:
        with self._reading() as connection:
            return queries.listed(connection, allowed_chunks(filters, conditions, self._holding), limit)

    def fulfilling(self, rows: Collection[int], conditions: Conditions) -> set[int]:
        allowed = allowed_chunks(NO_FILTERS, conditions, self._holding)
        if allowed is None:
            return set(rows)
        with self._reading() as connection:
            return queries.among(connection, rows, allowed)

    def chunks(self, rows: Collection[int]) -> dict[int, StoredChunk]:
        with self._reading() as connection:
            return queries.stored_chunks(connection, rows)

    def property_names(self) -> list[str]:
        with self._reading() as connection:
            return queries.property_names(connection)

    def counts(self, root: str | None = None) -> Counts:
        with self._reading() as connection:
            return queries.counts(connection, root)

    def stats(self, root: str | None = None) -> Stats:
        with self._reading() as connection:
            return figures.stats(connection, root)

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
