"""Statements that change documents and what hangs on them, the same in every database.

Each function works inside its caller's transaction. Words are left to the store: each indexes them its own way.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection, bindparam, delete, exists, insert, select, update

from headwise.stores import rows
from headwise.stores.filters import searchable_tags
from headwise.stores.schema import chunks, counters, document_tags, documents, models, passages, roots, vectors
from headwise.stores.store import DocumentRecords, StoredFile


def root_id(connection: Connection, name: str) -> int:
    """The id of the root called *name*, made if it is new."""
    found = connection.scalar(select(roots.c.id).where(roots.c.name == name))
    return found or connection.execute(insert(roots).values(name=name).returning(roots.c.id)).scalar_one()


def model_id(connection: Connection, key: str) -> int:
    """The id of the model with this key, made if it is new."""
    found = connection.scalar(select(models.c.id).where(models.c.key == key))
    return found or connection.execute(insert(models).values(key=key).returning(models.c.id)).scalar_one()


def document_ids(connection: Connection, root: int, paths: Iterable[str]) -> list[int]:
    """The ids of those of *paths* that are stored."""
    wanted = select(documents.c.id).where(documents.c.root_id == root, documents.c.path.in_(list(paths)))
    return list(connection.scalars(wanted.order_by(documents.c.path)))


def chunk_ids(connection: Connection, document: int) -> list[int]:
    """The ids of the chunks of *document*, in order."""
    wanted = select(chunks.c.id).where(chunks.c.document_id == document)
    return list(connection.scalars(wanted.order_by(chunks.c.position)))


def chunk_places(connection: Connection, document: int) -> set[tuple[str, int, str]]:
    """Section, number in it and text of every chunk of *document*."""
    wanted = select(chunks.c.anchor, chunks.c.number, chunks.c.text).where(chunks.c.document_id == document)
    return {(anchor, number, text) for anchor, number, text in connection.execute(wanted)}


def remove_document(connection: Connection, document: int) -> None:
    """Remove *document* with its tags, chunks and passages."""
    connection.execute(delete(documents).where(documents.c.id == document))


def add_document(connection: Connection, root: int, document: DocumentRecords) -> list[int]:
    """Add *document* with its tags, chunks and passages, and say the ids of its chunks, in order."""
    row = rows.document_row(root, document)
    added = connection.execute(insert(documents).values(row).returning(documents.c.id)).scalar_one()
    tags = searchable_tags((*document.tags, *(tag for record in document.records for tag in record.chunk.tags)))
    if tags:
        connection.execute(insert(document_tags), [{"document_id": added, "tag": tag} for tag in sorted(tags)])
    if not document.records:
        return []
    new = [rows.chunk_row(added, record) for record in document.records]
    ids = list(connection.scalars(insert(chunks).returning(chunks.c.id, sort_by_parameter_order=True), new))
    pieces = [
        rows.passage_row(chunk, passage)
        for chunk, record in zip(ids, document.records, strict=True)
        for passage in record.passages
    ]
    if pieces:
        connection.execute(insert(passages), pieces)
    return ids


def touch(connection: Connection, root: int, files: Iterable[StoredFile]) -> None:
    """Note what is known of *files* now."""
    changed = [rows.file_row(file) | {"touched_path": file.path} for file in files]
    if changed:
        here = documents.c.root_id == root, documents.c.path == bindparam("touched_path")
        connection.execute(update(documents).where(*here), changed)


def prune(connection: Connection) -> int:
    """Drop vectors that no passage uses, and models without vectors."""
    used = exists().where(passages.c.content_hash == vectors.c.content_hash)
    dropped = connection.execute(delete(vectors).where(~used)).rowcount
    connection.execute(delete(models).where(~exists().where(vectors.c.model_id == models.c.id)))
    return dropped


def next_generation(connection: Connection) -> None:
    """Tell those who cache passages or vectors that they changed."""
    connection.execute(update(counters).where(counters.c.name == "generation").values(value=counters.c.value + 1))
