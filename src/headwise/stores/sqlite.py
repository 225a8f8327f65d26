"""A store in one SQLite file: words by FTS5, vectors compared exactly in memory."""

from __future__ import annotations

from collections.abc import Collection, Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, Select, func, insert

from headwise.errors import StoreError
from headwise.stores import changes, queries, sqlite_care, sqlite_vectors, sqlite_words
from headwise.stores.filters import allowed_documents
from headwise.stores.schema import vectors as vector_table
from headwise.stores.sql import SqlStore
from headwise.stores.sqlite_file import file_state, frozen_state, open_file, reading, told, writing
from headwise.stores.sqlite_matrices import Matrices
from headwise.stores.store import Filters, NearPassage, Phrase, Space, Unused, WordMatch, Words
from headwise.stores.vectors import pack, unpack

if TYPE_CHECKING:
    from headwise.stores.store import Vector

_BYTES = func.length(vector_table.c.data)


class SqliteStore(SqlStore):
    """A `Store` in the SQLite file *path*; see `headwise.stores.sqlite_file.open_file` for what opening may raise."""

    def __init__(self, path: Path, *, create: bool = False, wait: float = 30.0, read_only: bool = False) -> None:
        self._path = path
        self._wait = wait
        self._frozen = None if create else frozen_state(path, read_only=read_only)
        self._engine = open_file(path, create=create, wait=wait, frozen=self._frozen is not None, read_only=read_only)
        self._matrices = Matrices()

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
            raise StoreError(f"the store {self._path} was changed by another run while it was read; try again")

    @contextmanager
    def _writing(self) -> Generator[Connection]:
        with told(self._path, self._wait), writing(self._engine) as connection:
            yield connection

    def _add_words(self, connection: Connection, rows: Sequence[int], words: Sequence[Words]) -> None:
        sqlite_words.add(connection, rows, words)

    def _remove_words(self, connection: Connection, document: int) -> None:
        sqlite_words.remove(connection, changes.chunk_ids(connection, document))

    def _wrong_words(self, connection: Connection, words: Mapping[int, Words]) -> int:
        return sqlite_words.wrong(connection, words)

    def _match(
        self, connection: Connection, words: Sequence[str], allowed: Select[int] | None, limit: int
    ) -> list[WordMatch]:
        return sqlite_words.match(connection, words, allowed, limit)

    def _holding(self, phrase: Phrase) -> Select[int]:
        return sqlite_words.holding(phrase)

    def _add_vectors(self, connection: Connection, model: int, new: Mapping[str, Vector]) -> None:
        rows = [{"model_id": model, "content_hash": name, "data": pack(vector)} for name, vector in new.items()]
        if rows:
            connection.execute(insert(vector_table), rows)

    def vectors(self, model: str, hashes: Collection[str]) -> dict[str, Vector]:
        with self._reading() as connection:
            return {name: unpack(data) for name, data in queries.packed_vectors(connection, model, hashes)}

    def passage_vectors(self, model: str, chunks: Collection[int]) -> tuple[list[int], Vector]:
        with self._reading() as connection:
            among = self._matrices.matrix(connection, model)
            return sqlite_vectors.of_chunks(connection, model, among, chunks)

    def dimensions(self, model: str) -> int:
        with self._reading() as connection:
            return queries.usual_size(connection, model, _BYTES) // 2

    def unused(self, keep: str | None = None) -> Unused:
        with self._reading() as connection:
            return queries.unused(connection, keep, _BYTES)

    def nearest(self, model: str, vector: Vector, filters: Filters, limit: int) -> list[NearPassage]:
        allowed = allowed_documents(filters)
        with self._reading() as connection:
            among = self._matrices.matrix(connection, model)
            documents = None if allowed is None else connection.scalars(allowed).all()
            return sqlite_vectors.nearest(connection, model, among, vector, documents, limit)

    def faults(self) -> list[str]:
        may_write = self._frozen is None
        with self._writing() if may_write else self._reading() as connection:
            return sqlite_care.faults(connection, writable=may_write)

    def mend(self) -> None:
        with self._writing() as connection:
            sqlite_care.mend(connection)
            changes.next_drop(connection)

    def compact(self) -> Space:
        before = self._size()
        with told(self._path, self._wait), self._engine.connect() as connection:
            sqlite_care.compact(connection)
        return Space(before, self._size())

    def _size(self) -> int:
        log = self._path.with_name(f"{self._path.name}-wal")
        return self._path.stat().st_size + (log.stat().st_size if log.exists() else 0)

    def close(self) -> None:
        self._engine.dispose()
        self._matrices.clear()
