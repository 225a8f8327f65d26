"""Statements that change documents and what hangs on them, the same in every database.

Each function works inside its caller's transaction. Words are left to the store: each indexes them its own way.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from sqlalchemy import Connection, Table, bindparam, delete, exists, insert, select, update

from headwise.stores import coverage, queries, rows
from headwise.stores.filters import tags_of
from headwise.stores.properties import properties_of
from headwise.stores.queries import is_unused
from headwise.stores.schema import (
    chunks,
    counters,
    document_properties,
    document_tags,
    documents,
    models,
    passages,
    roots,
    vectors,
)
from headwise.stores.store import DocumentRecords, StoredFile


def root_id(connection: Connection, name: str) -> int:
    """The id of the root called *name*, made if it is new."""
    found = connection.scalar(select(roots.c.id).where(roots.c.name == name))
    return found or connection.execute(insert(roots).values(name=name).returning(roots.c.id)).scalar_one()


def model_id(connection: Connection, key: str) -> int:
    """The id of the model with this key, made if it is new."""
    found = connection.scalar(select(models.c.id).where(models.c.key == key))
    return found or connection.execute(insert(models).values(key=key).returning(models.c.id)).scalar_one()


def document_ids(connection: Connection, root: int, paths: Collection[str]) -> list[int]:
    """The ids of those of *paths* that are stored."""
    wanted = select(documents.c.id).where(documents.c.root_id == root)
    return [
        document
        for batch in queries.batches(paths)
        for document in connection.scalars(wanted.where(documents.c.path.in_(batch)))
    ]


def chunk_ids(connection: Connection, document: int) -> list[int]:
    """The ids of the chunks of *document*, in order."""
    wanted = select(chunks.c.id).where(chunks.c.document_id == document)
    return list(connection.scalars(wanted.order_by(chunks.c.position)))


def remove_documents(connection: Connection, ids: Collection[int]) -> None:
    """Remove documents with their tags, properties, chunks and passages."""
    for batch in queries.batches(ids):
        connection.execute(delete(documents).where(documents.c.id.in_(batch)))


def add_documents(connection: Connection, root: int, new: Sequence[DocumentRecords]) -> list[int]:
    """Add documents with their tags, properties, chunks and passages, and say the ids of all chunks, in order.

    A table gets all its rows at once: for small documents that is less than half the work.
    """
    made = [rows.document_row(root, document) for document in new]
    added = _add(connection, documents, made)
    tags = [
        {"document_id": row, "tag": tag}
        for row, document in zip(added, new, strict=True)
        for tag in sorted(tags_of(document))
    ]
    if tags:
        connection.execute(insert(document_tags), tags)
    properties = [
        rows.property_row(row, value)
        for row, document in zip(added, new, strict=True)
        for value in properties_of(document.front_matter)
    ]
    if properties:
        connection.execute(insert(document_properties), properties)
    records = [(row, record) for row, document in zip(added, new, strict=True) for record in document.records]
    ids = _add(connection, chunks, [rows.chunk_row(row, record) for row, record in records])
    pieces = [
        rows.passage_row(chunk, passage)
        for chunk, (_, record) in zip(ids, records, strict=True)
        for passage in record.passages
    ]
    if pieces:
        connection.execute(insert(passages), pieces)
    return ids


def _add(connection: Connection, table: Table, new: list[dict[str, Any]]) -> list[int]:
    if not new:
        return []
    return list(connection.scalars(insert(table).returning(table.c.id, sort_by_parameter_order=True), new))


def touch(connection: Connection, root: int, files: Iterable[StoredFile]) -> None:
    """Note what is known of *files* now."""
    changed = [rows.file_row(file) | {"touched_path": file.path} for file in files]
    if changed:
        here = documents.c.root_id == root, documents.c.path == bindparam("touched_path")
        connection.execute(update(documents).where(*here), changed)


def drop_vectors(connection: Connection, model: str, hashes: Collection[str]) -> None:
    """Drop the vectors of *model* with these content hashes."""
    of_model = vectors.c.model_id == select(models.c.id).where(models.c.key == model).scalar_subquery()
    gone = [{"gone": content_hash} for content_hash in hashes]
    if gone:
        coverage.enter_dropped(connection, model, hashes)
        connection.execute(delete(vectors).where(of_model, vectors.c.content_hash == bindparam("gone")), gone)
        next_drop(connection)


def prune(connection: Connection, keep: str | None) -> int:
    """Drop vectors that nothing uses (see `headwise.stores.queries.is_unused`), and models without vectors."""
    dropped = connection.execute(delete(vectors).where(is_unused(keep))).rowcount
    connection.execute(delete(models).where(~exists().where(vectors.c.model_id == models.c.id)))
    if dropped:
        next_drop(connection)
    return dropped


def next_generation(connection: Connection) -> None:
    """Tell those who cache passages or vectors that they changed."""
    connection.execute(update(counters).where(counters.c.name == "generation").values(value=counters.c.value + 1))


def next_drop(connection: Connection) -> None:
    """Tell them that vectors are gone: until then new ones only come behind those that are known."""
    counted = update(counters).where(counters.c.name == "drops").values(value=counters.c.value + 1)
    if not connection.execute(counted).rowcount:
        connection.execute(insert(counters).values(name="drops", value=1))
    next_generation(connection)
