"""Vectors in PostgreSQL: written by COPY, compared by pgvector, and the nearest compared once more as everywhere."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import Connection, text
from sqlalchemy.exc import DataError

from headwise.errors import StoreError
from headwise.stores.postgres_types import as_literal, from_sent
from headwise.stores.store import NearPassage
from headwise.stores.vectors import (
    DIFFERENT,
    Matrix,
    Place,
    are_enough,
    nearest_passages,
    pack,
    unit_rows,
    unpack_all,
)

if TYPE_CHECKING:
    from headwise.stores.store import Vector

APPROXIMATE_FROM = 500_000
"""Vectors of a model from which on `index_near` gives them an index."""

_MOST_DIMENSIONS = 4000
"""Dimensions of half floats that such an index can have."""
_SPARE = 100
"""Vectors looked at beyond those wanted: some are used by no passage, some are nearly equal."""
_PATIENT = {"ef": "1000", "tuples": "200000", "memory": "32"}
"""How long a search in such an index goes on: candidates it keeps, the most that pgvector allows; vectors it visits to
find as many as it is asked for, not only those; memory for that, in multiples of `work_mem`."""
# Not in strict order: that drops what it finds late, and all are ranked once more anyway.
_PATIENCE = """
SELECT set_config('hnsw.ef_search', :ef, true), set_config('hnsw.iterative_scan', 'relaxed_order', true),
    set_config('hnsw.max_scan_tuples', :tuples, true), set_config('hnsw.scan_mem_multiplier', :memory, true)
"""

_DOUBT = 3e-3
"""More than twice what a cosine moves when the query too is half floats, and every length is taken for 1."""

_COPY = "COPY vectors (model_id, content_hash, data) FROM STDIN (FORMAT BINARY)"
_COPY_HEAD = b"PGCOPY\n\xff\r\n\0" + struct.pack(">ii", 0, 0)
_COPY_END = struct.pack(">h", -1)

# What is sorted are a few bytes for each vector, never its numbers: with these it would not fit in `work_mem`.
_ALL = """
SELECT id, data <#> CAST(:asked AS halfvec) AS away FROM vectors WHERE model_id = :model ORDER BY away LIMIT :most
"""
_SOME = """
WITH wanted AS MATERIALIZED (
    SELECT DISTINCT p.content_hash FROM passages AS p JOIN chunks AS c ON c.id = p.chunk_id
    WHERE c.document_id = ANY(CAST(:documents AS bigint[]))
) SELECT id, data <#> CAST(:asked AS halfvec) AS away FROM vectors JOIN wanted USING (content_hash)
WHERE model_id = :model ORDER BY away LIMIT :most
"""
# An index on a part of a table is used only where the statement itself, not a parameter, says that part.
_INDEXED = """
SELECT id, CAST(data AS halfvec({dimensions})) <#> CAST(:asked AS halfvec({dimensions})) AS away FROM vectors
WHERE model_id = {model} ORDER BY away LIMIT :most
"""
_DATA = "SELECT id, halfvec_send(data) FROM vectors WHERE id = ANY(CAST(:vectors AS bigint[])) ORDER BY id"
_SHARE = """
SELECT CAST(:meant AS float8) / greatest(count(*), 1),
    (SELECT reltuples FROM pg_class WHERE oid = CAST('vectors' AS regclass)) FROM documents
"""
_PLACES = """
SELECT v.id, c.id, c.document_id, p.start, p."end"
FROM vectors AS v JOIN passages AS p USING (content_hash) JOIN chunks AS c ON c.id = p.chunk_id
JOIN documents AS d ON d.id = c.document_id
WHERE v.id = ANY(CAST(:vectors AS bigint[])) {where} ORDER BY d.root_id, d.path, p.start
"""
_OF_CHUNKS = """
SELECT p.chunk_id, halfvec_send(v.data) FROM passages AS p JOIN vectors AS v USING (content_hash)
WHERE p.chunk_id = ANY(CAST(:chunks AS bigint[])) AND v.model_id = :model
ORDER BY p.chunk_id, p.start
"""
_INDEX = """
CREATE INDEX vectors_near_{model} ON vectors
USING hnsw ((CAST(data AS halfvec({dimensions}))) halfvec_ip_ops) WITH (m = 32, ef_construction = 128)
WHERE model_id = {model}
"""


class _Near(NamedTuple):
    """A vector as it was found: its row, its negative inner product with the query."""

    row: int
    away: float


def add(connection: Connection, model: int, new: Mapping[str, Vector]) -> None:
    """Keep the vectors *new*, by content hash, none of which is there."""
    cursor: Any = connection.connection.cursor()
    with cursor, cursor.copy(_COPY) as copy:
        copy.write(_COPY_HEAD)
        for content_hash, vector in new.items():
            copy.write(_copied(model, content_hash, vector))
        copy.write(_COPY_END)


def _copied(model: int, content_hash: str, vector: Vector) -> bytes:
    """A row as COPY reads it: the number of fields, then each with its length before it."""
    name, data = content_hash.encode(), vector.astype(">f2").tobytes()
    head = struct.pack(">hiqi", 3, 8, model, len(name))
    return head + name + struct.pack(">iHH", len(data) + 4, len(vector), 0) + data


def nearest(
    connection: Connection, model: int, vector: Vector, documents: Collection[int] | None, limit: int
) -> list[NearPassage]:
    """The *limit* passages of *documents* (None: of all) with the highest cosine; equal ones in their order.

    pgvector compares with all vectors, or asks its index if there is one; who uses the nearest is asked afterwards.
    Where few documents are meant, only their vectors are compared. pgvector's figures are rough; so it is asked for
    more than are wanted, and those are ranked as in every store.
    """
    if limit < 1 or not vector.any() or (documents is not None and not documents):
        return []
    most, meant = 2 * limit + _SPARE, documents
    if documents is not None:
        share, vectors = connection.execute(text(_SHARE), {"meant": len(documents)}).one()
        if most <= share * share * vectors:  # so many must be looked at to find enough: fewer than the documents have
            most, meant = int(most / share), None
    # Twice as many of an index, which passes over some; where a filter wants many more, comparing with all is as quick.
    indexed = meant is None and most < 4 * limit + _SPARE and has_index(connection, model)
    if indexed:
        most = 4 * limit + _SPARE
        connection.execute(text(_PATIENCE), _PATIENT)
    while True:
        try:
            found = _found(connection, model, vector, meant, most, indexed=indexed)
        except DataError as error:
            raise StoreError(DIFFERENT) from error
        places = _places(connection, found, documents)
        uses = Counter(place.vector for place in places)
        cosines, counts = [-near.away for near in found], [uses[near.row] for near in found]
        if len(places) >= limit if indexed else len(found) < most or are_enough(cosines, counts, limit, _DOUBT):
            break
        if indexed or meant is not documents:  # what is quicker did not find enough
            most, meant, indexed = 2 * limit + _SPARE, documents, False
        else:
            most *= 4
    return nearest_passages(_matrix(connection, list(uses)), places, vector, limit)


def _matrix(connection: Connection, vectors: Sequence[int]) -> Matrix:
    """The vectors in these rows."""
    import numpy as np  # noqa: PLC0415 - numpy comes with the extras only

    found = connection.execute(text(_DATA), {"vectors": vectors}).all()
    rows = unit_rows(unpack_all([from_sent(sent) for _, sent in found]))
    return Matrix(np.array([row for row, _ in found], np.int64), rows)


def _found(
    connection: Connection, model: int, vector: Vector, documents: Collection[int] | None, most: int, *, indexed: bool
) -> list[_Near]:
    """The *most* vectors nearest to *vector*, nearest first."""
    import numpy as np  # noqa: PLC0415 - numpy comes with the extras only

    length = float(np.linalg.norm(vector)) or 1.0
    asked = {"asked": as_literal(pack(vector / np.float32(length))), "most": most}
    if indexed:
        found = connection.execute(text(_INDEXED.format(model=int(model), dimensions=len(vector))), asked)
    elif documents is None:
        found = connection.execute(text(_ALL), asked | {"model": model})
    else:
        found = connection.execute(text(_SOME), asked | {"model": model, "documents": list(documents)})
    return [_Near(row, away) for row, away in found]


def _places(connection: Connection, found: Sequence[_Near], documents: Collection[int] | None) -> list[Place]:
    """The passages of *documents* (None: of all) that use a vector of *found*, in order of path and place."""
    where = "" if documents is None else "AND c.document_id = ANY(CAST(:documents AS bigint[]))"
    values = {"vectors": [near.row for near in found]} | ({} if documents is None else {"documents": list(documents)})
    rows = connection.execute(text(_PLACES.format(where=where)), values)
    return [Place(*row) for row in rows]


def of_chunks(connection: Connection, model: int, chunks: Collection[int]) -> tuple[list[int], Vector]:
    """The vectors of *model* that the passages of *chunks* have, and before them which chunk each is of."""
    found = connection.execute(text(_OF_CHUNKS), {"model": model, "chunks": list(chunks)}).all()
    return [chunk for chunk, _ in found], unit_rows(unpack_all([from_sent(sent) for _, sent in found]))


def has_index(connection: Connection, model: int) -> bool:
    """Whether the vectors of *model* have an index of near neighbours."""
    return connection.execute(
        text("SELECT to_regclass(:name) IS NOT NULL"), {"name": f"vectors_near_{model}"}
    ).scalar_one()


def index_near(connection: Connection) -> None:
    """Give models with very many vectors an index, and take it from those that are gone.

    It takes minutes to make and slows down every later `add`, so that only who looks after the store has it made.
    """
    sizes = text("SELECT model_id, min(vector_dims(data)), max(vector_dims(data)), count(*) FROM vectors GROUP BY 1")
    for model, shortest, longest, count in connection.execute(sizes).all():
        fit = shortest == longest <= _MOST_DIMENSIONS
        if count >= APPROXIMATE_FROM and fit and not has_index(connection, model):
            connection.execute(text(_INDEX.format(model=int(model), dimensions=int(longest))))
    gone = r"""
        SELECT c.relname FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid
        WHERE i.indrelid = to_regclass('vectors') AND c.relname ~ '^vectors_near_\d+$'
            AND NOT EXISTS (SELECT 1 FROM models AS m WHERE c.relname = 'vectors_near_' || m.id)
    """
    for name in connection.scalars(text(gone)).all():
        connection.execute(text(f"DROP INDEX {name}"))
