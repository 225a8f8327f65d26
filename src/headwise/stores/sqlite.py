"""A store in one SQLite file: words by FTS5, vectors compared exactly in memory."""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from sqlalchemy import Connection, insert

from headwise.errors import StoreError
from headwise.stores import changes, queries, sqlite_words
from headwise.stores.filters import allowed_documents
from headwise.stores.rows import run_row
from headwise.stores.schema import runs as run_table
from headwise.stores.schema import vectors as vector_table
from headwise.stores.sqlite_file import file_state, frozen_state, open_file, reading, told, writing
from headwise.stores.store import (
    Counts,
    Coverage,
    DocumentRecords,
    Filters,
    NearPassage,
    PendingPassage,
    Run,
    Stats,
    StoredChunk,
    StoredFile,
    WordMatch,
)
from headwise.stores.vectors import Matrix, load_matrix, nearest_passages, pack

if TYPE_CHECKING:
    from headwise.stores.store import Vector

_VECTORS = """
SELECT v.id, v.data FROM vectors AS v JOIN models AS m ON m.id = v.model_id
WHERE m.key = ? AND EXISTS (SELECT 1 FROM passages AS p WHERE p.content_hash = v.content_hash)
ORDER BY v.id
"""
_PLACES = """
SELECT v.id, c.id, d.id, p.start, p.end
FROM passages AS p JOIN chunks AS c ON c.id = p.chunk_id JOIN documents AS d ON d.id = c.document_id
JOIN vectors AS v ON v.content_hash = p.content_hash JOIN models AS m ON m.id = v.model_id
WHERE m.key = ? ORDER BY d.root_id, d.path, p.start
"""


class SqliteStore:
    """A `Store` in the SQLite file *path*; see `headwise.stores.sqlite_file.open_file` for what opening may raise."""

    def __init__(self, path: Path, *, create: bool = False, wait: float = 30.0) -> None:
        self._path = path
        self._wait = wait
        self._frozen = None if create else frozen_state(path)
        self._engine = open_file(path, create=create, wait=wait, frozen=self._frozen is not None)
        self._matrices: dict[str, Matrix] = {}
        self._coverage: dict[str, tuple[int, Coverage]] = {}

    @contextmanager
    def _reading(self) -> Generator[Connection]:
        try:
            with told(self._path, self._wait), reading(self._engine) as connection:
                yield connection
        finally:
            self._check_frozen()

    def _check_frozen(self) -> None:
        """Refuses what was read without locks while the file changed; the next reading begins anew."""
        now = file_state(self._path) if self._frozen is not None else None
        if now != self._frozen:
            self._frozen = now or self._frozen
            self._engine.dispose()
            self._matrices.clear()
            self._coverage.clear()
            raise StoreError(f"the store {self._path} was changed by another run while it was read; try again")

    @contextmanager
    def _writing(self) -> Generator[Connection]:
        with told(self._path, self._wait), writing(self._engine) as connection:
            yield connection

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
                _remove(connection, old)
            sqlite_words.add(connection, changes.add_document(connection, root_id, document), document.words)
            changes.next_generation(connection)
        places = ((record.chunk.anchor, record.chunk.number, record.chunk.text) for record in document.records)
        return sum(place in before for place in places) if before else 0

    def touch(self, root: str, files: Iterable[StoredFile]) -> None:
        with self._writing() as connection:
            changes.touch(connection, changes.root_id(connection, root), files)

    def delete(self, root: str, path: str) -> None:
        with self._writing() as connection:
            for old in changes.document_ids(connection, changes.root_id(connection, root), (path,)):
                _remove(connection, old)
            changes.next_generation(connection)

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

    def add_vectors(self, model: str, vectors: Mapping[str, Vector]) -> None:
        with self._writing() as connection:
            model_id = changes.model_id(connection, model)
            new = [
                {"model_id": model_id, "content_hash": content_hash, "data": pack(vector)}
                for content_hash, vector in vectors.items()
            ]
            if new:
                connection.execute(insert(vector_table).prefix_with("OR IGNORE"), new)
            changes.next_generation(connection)

    def prune(self) -> int:
        with self._writing() as connection:
            return changes.prune(connection)

    def match(self, words: Sequence[str], filters: Filters, limit: int) -> list[WordMatch]:
        if not words:
            return []
        with self._reading() as connection:
            return sqlite_words.match(connection, words, allowed_documents(filters), limit)

    def nearest(self, model: str, vector: Vector, filters: Filters, limit: int) -> list[NearPassage]:
        allowed = allowed_documents(filters)
        with self._reading() as connection:
            among = self._matrix(connection, model)
            documents = None if allowed is None else connection.scalars(allowed).all()
        return nearest_passages(among, vector, documents, limit)

    def _matrix(self, connection: Connection, model: str) -> Matrix:
        generation = queries.generation(connection)
        known = self._matrices.get(model)
        if known is not None and known.generation == generation:
            return known
        read = load_matrix(generation, _driver(connection, _VECTORS, model), _driver(connection, _PLACES, model))
        self._matrices[model] = read
        return read

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

    def close(self) -> None:
        self._engine.dispose()
        self._matrices.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        self.close()


def _remove(connection: Connection, document: int) -> None:
    sqlite_words.remove(connection, changes.chunk_ids(connection, document))
    changes.remove_document(connection, document)


def _driver(connection: Connection, statement: str, model: str) -> Iterator[Any]:
    # The driver's own cursor: SQLAlchemy's rows would cost several times as much for a million small ones.
    cursor: Any = connection.connection.cursor()
    return cursor.execute(statement, (model,))
