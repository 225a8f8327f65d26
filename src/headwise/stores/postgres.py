"""A store in a schema of a PostgreSQL database: words by `tsvector`, vectors by pgvector."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from sqlalchemy import URL, Connection, Select, func, select

from headwise.stores import changes, postgres_care, postgres_vectors, postgres_words, queries
from headwise.stores.filters import allowed_documents
from headwise.stores.postgres_server import reading, writing
from headwise.stores.postgres_setup import open_database
from headwise.stores.schema import models as model_table
from headwise.stores.schema import vectors as vector_table
from headwise.stores.sql import SqlStore
from headwise.stores.store import Filters, NearPassage, Phrase, Space, Unused, WordMatch, Words
from headwise.stores.vectors import unpack, unpack_all

if TYPE_CHECKING:
    from headwise.stores.store import Vector

_BYTES = func.vector_dims(vector_table.c.data) * 2


class PostgresStore(SqlStore):
    """A `Store` in the schema that *url* names; see `headwise.stores.postgres_setup.open_database` for its errors."""

    def __init__(self, url: URL, *, create: bool = False, wait: float = 30.0, read_only: bool = False) -> None:
        self._server = open_database(url, create=create, wait=wait, read_only=read_only)

    def _reading(self) -> AbstractContextManager[Connection]:
        return reading(self._server)

    def _writing(self) -> AbstractContextManager[Connection]:
        return writing(self._server)

    def _add_words(self, connection: Connection, rows: Sequence[int], words: Sequence[Words]) -> None:
        postgres_words.add(connection, rows, words)

    def _remove_words(self, connection: Connection, document: int) -> None:
        """They go with their chunks."""

    def _wrong_words(self, connection: Connection, words: Mapping[int, Words]) -> int:
        return postgres_words.wrong(connection, words)

    def _match(
        self, connection: Connection, words: Sequence[str], allowed: Select[int] | None, limit: int
    ) -> list[WordMatch]:
        return postgres_words.match(connection, words, allowed, limit)

    def _holding(self, phrase: Phrase) -> Select[int]:
        return postgres_words.holding(phrase)

    def _add_vectors(self, connection: Connection, model: int, new: Mapping[str, Vector]) -> None:
        postgres_vectors.add(connection, model, new)

    def vectors(self, model: str, hashes: Collection[str]) -> dict[str, Vector]:
        with self._reading() as connection:
            return {name: unpack(data) for name, data in queries.packed_vectors(connection, model, hashes)}

    def passage_vectors(self, model: str, chunks: Collection[int]) -> tuple[list[int], Vector]:
        with self._reading() as connection:
            model_id = _model_id(connection, model)
            if model_id is None:
                return [], unpack_all([])
            return postgres_vectors.of_chunks(connection, model_id, chunks)

    def dimensions(self, model: str) -> int:
        with self._reading() as connection:
            return queries.usual_size(connection, model, _BYTES) // 2

    def unused(self, keep: str | None = None) -> Unused:
        with self._reading() as connection:
            return queries.unused(connection, keep, _BYTES)

    def nearest(self, model: str, vector: Vector, filters: Filters, limit: int) -> list[NearPassage]:
        allowed = allowed_documents(filters)
        with self._reading() as connection:
            model_id = _model_id(connection, model)
            if model_id is None:
                return []
            documents = None if allowed is None else connection.scalars(allowed).all()
            return postgres_vectors.nearest(connection, model_id, vector, documents, limit)

    def faults(self) -> list[str]:
        with self._reading() as connection:
            return postgres_care.faults(connection)

    def mend(self) -> None:
        with self._writing() as connection:
            postgres_care.mend(connection)
            changes.next_generation(connection)

    def compact(self) -> Space:
        with self._reading() as connection:
            before = postgres_care.size(connection)
        with self._writing() as connection:
            postgres_vectors.index_near(connection)
        postgres_care.vacuum(self._server)
        with self._reading() as connection:
            return Space(before, postgres_care.size(connection))

    def close(self) -> None:
        self._server.engine.dispose()


def _model_id(connection: Connection, key: str) -> int | None:
    return connection.scalar(select(model_table.c.id).where(model_table.c.key == key))
