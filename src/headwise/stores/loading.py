"""Whole documents out of a store, the same in every database."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, Row, select

from headwise.model import Chunk, Link, Record, Span
from headwise.stores import rows
from headwise.stores.schema import chunks, documents, passages, roots
from headwise.stores.store import DocumentRecords


def root_names(connection: Connection) -> list[str]:
    """The names of all roots, in order."""
    return list(connection.scalars(select(roots.c.name).order_by(roots.c.name)))


def load(connection: Connection, root: str, path: str) -> DocumentRecords | None:
    """All that is stored of a document but its words; None if it is not there."""
    here = roots.c.name == root, documents.c.path == path
    wanted = select(documents).join(roots, roots.c.id == documents.c.root_id).where(*here)
    document = connection.execute(wanted).one_or_none()
    if document is None:
        return None
    pieces = pieces_of(connection, document.id)
    return DocumentRecords(
        file=rows.stored_file(document),
        format=document.format,
        title=document.title,
        tags=tuple(document.tags),
        aliases=tuple(document.aliases),
        front_matter=document.front_matter,
        links=tuple(Link(*link) for link in document.links),
        warnings=tuple(document.warnings),
        excluded=document.excluded,
        records=tuple(
            _record(document, chunk, pieces.get(chunk.id, ())) for chunk in chunks_of(connection, document.id)
        ),
    )


def chunks_of(connection: Connection, document: int) -> Sequence[Row[Any]]:
    """The rows of the chunks of *document*, in order."""
    wanted = select(chunks).where(chunks.c.document_id == document)
    return connection.execute(wanted.order_by(chunks.c.position, chunks.c.id)).all()


def pieces_of(connection: Connection, document: int) -> Mapping[int, Sequence[Row[Any]]]:
    """The rows of the passages of *document*, in order, by the row of their chunk."""
    wanted = (
        select(passages)
        .join(chunks, chunks.c.id == passages.c.chunk_id)
        .where(chunks.c.document_id == document)
        .order_by(passages.c.chunk_id, passages.c.id)
    )
    return {chunk: list(found) for chunk, found in groupby(connection.execute(wanted), key=lambda row: row.chunk_id)}


def _record(document: Row[Any], row: Row[Any], pieces: Iterable[Row[Any]]) -> Record:
    chunk = Chunk(
        index=row.position,
        start=row.start,
        own_start=row.own_start,
        end=row.end,
        start_line=row.start_line,
        end_line=row.end_line,
        title=document.title,
        headings=tuple(row.headings),
        anchor=row.anchor,
        number=row.number,
        context=row.context,
        text=row.text,
        context_after=row.context_after,
        tokens=row.tokens,
        kinds=tuple(row.kinds),
        tags=tuple(row.tags),
        links=tuple(row.links),
        omitted=tuple(Span(*span) for span in row.omitted),
        oversize=row.oversize,
        navigation=bool(row.navigation),
    )
    made = tuple(rows.passage(piece, chunk.text, chunk.start) for piece in pieces)
    return Record(row.record_id, document.path, row.link, chunk, made, row.gap)
