"""The nearest passages in SQLite: a query compared with all vectors in memory, then who uses the nearest."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Collection
from typing import TYPE_CHECKING

from sqlalchemy import Connection, func, select

from headwise.errors import StoreError
from headwise.stores.schema import documents as document_table
from headwise.stores.sqlite_file import ask
from headwise.stores.store import NearPassage
from headwise.stores.vectors import (
    DIFFERENT,
    Matrix,
    Place,
    are_enough,
    nearest_passages,
    unit,
)

if TYPE_CHECKING:
    from headwise.stores.store import Vector

_DOUBT = 1e-5
"""More than twice the error of a cosine in single floats."""
_SPARE = 100
"""Vectors looked at beyond those wanted: some are used by no passage, some are nearly equal."""

_DEARER = 3
"""Asking who uses a vector takes as long as asking which vectors so many passages use."""

# CROSS JOIN: in this order, from the few that are asked for to what hangs on them.
_PLACES = """
SELECT v.id, c.id, d.id, p.start, p.end FROM json_each(:wanted) AS w
CROSS JOIN vectors AS v ON v.id = w.value
CROSS JOIN passages AS p ON p.content_hash = v.content_hash
CROSS JOIN chunks AS c ON c.id = p.chunk_id
CROSS JOIN documents AS d ON d.id = c.document_id
WHERE :documents IS NULL OR c.document_id IN (SELECT value FROM json_each(:documents))
ORDER BY d.root_id, d.path, p.start
"""
_OF_CHUNKS = """
SELECT p.chunk_id, v.id FROM json_each(:chunks) AS w
CROSS JOIN passages AS p ON p.chunk_id = w.value
CROSS JOIN vectors AS v ON v.content_hash = p.content_hash
WHERE v.model_id = (SELECT id FROM models WHERE key = :model) ORDER BY p.chunk_id, p.start
"""
_OF_DOCUMENTS = """
SELECT DISTINCT v.id FROM json_each(:documents) AS w
CROSS JOIN chunks AS c ON c.document_id = w.value
CROSS JOIN passages AS p ON p.chunk_id = c.id
CROSS JOIN vectors AS v ON v.content_hash = p.content_hash
WHERE v.model_id = (SELECT id FROM models WHERE key = :model) ORDER BY v.id
"""


def nearest(
    connection: Connection, model: str, among: Matrix, vector: Vector, documents: Collection[int] | None, limit: int
) -> list[NearPassage]:
    """The *limit* passages of *documents* (None: of all) with the highest cosine; equal ones in their order.

    The vector is compared with all of *among*, and it is asked who uses the nearest: more of them if those of
    *documents* are too few. Instead, it is asked which vectors the documents use, as soon as that takes less.
    """
    if limit < 1 or not vector.any() or not len(among.ids) or (documents is not None and not documents):
        return []
    if len(vector) != among.rows.shape[1]:
        raise StoreError(DIFFERENT)
    wanted = limit + _SPARE
    if documents is None:
        return _look(connection, among, vector, None, limit, wanted) or []
    meant = json.dumps(list(documents))
    share = len(documents) / (connection.scalar(select(func.count()).select_from(document_table)) or 1)
    used = share * len(among.ids)  # about so many vectors
    found = _look(connection, among, vector, meant, limit, int(wanted / share), used / _DEARER)
    if found is None:
        found = _look(connection, _of_documents(connection, model, among, meant), vector, meant, limit, wanted)
    return found or []


def _look(
    connection: Connection,
    among: Matrix,
    vector: Vector,
    documents: str | None,
    limit: int,
    first: int,
    most: float = math.inf,
) -> list[NearPassage] | None:
    """The same of *documents*, ids as JSON, by who uses the *first* nearest of *among*, then more of them.

    None where that would be more than *most*.
    """
    import numpy as np  # noqa: PLC0415 - numpy comes with the extras only

    if first > most:
        return None
    cosines = among.rows @ unit(vector).astype(np.float32)
    if not len(cosines):
        return []
    while first <= most:
        count = min(first, len(cosines))
        found = np.argpartition(cosines, len(cosines) - count)[len(cosines) - count :]
        found = found[np.argsort(-cosines[found])]
        ids: list[int] = among.ids[found].tolist()
        places = list(map(Place._make, ask(connection, _PLACES, {"wanted": json.dumps(ids), "documents": documents})))
        uses = Counter(place.vector for place in places)
        if count == len(cosines) or are_enough(cosines[found].tolist(), [uses[row] for row in ids], limit, _DOUBT):
            return nearest_passages(among, places, vector, limit)
        first *= 4
    return None


def _of_documents(connection: Connection, model: str, among: Matrix, documents: str) -> Matrix:
    """The vectors *among* that passages of *documents*, ids as JSON, use."""
    import numpy as np  # noqa: PLC0415 - numpy comes with the extras only

    rows = ask(connection, _OF_DOCUMENTS, {"model": model, "documents": documents})
    used = np.searchsorted(among.ids, np.fromiter((row for (row,) in rows), np.int64))
    return Matrix(among.ids[used], among.rows[used])


def of_chunks(connection: Connection, model: str, among: Matrix, chunks: Collection[int]) -> tuple[list[int], Vector]:
    """The vectors of *model* (all are *among*) that the passages of *chunks* have, and which chunk each is of."""
    import numpy as np  # noqa: PLC0415 - numpy comes with the extras only

    found = ask(connection, _OF_CHUNKS, {"model": model, "chunks": json.dumps(list(chunks))}).fetchall()
    used = np.searchsorted(among.ids, np.array([row for _, row in found], dtype=np.int64))
    return [chunk for chunk, _ in found], among.rows[used]
