"""Figures about what is stored, made by the database in one reading, the same in every database."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlalchemy import ColumnElement, Connection, Integer, Select, and_, case, cast, func, select

from headwise.stores import rows
from headwise.stores.folders import Size, fold
from headwise.stores.queries import counts, documents_of
from headwise.stores.schema import chunks, document_properties, documents, models, passages, roots, vectors
from headwise.stores.store import Navigation, Repeated, Repetition, Stats

_LARGEST = 5
_REPEATED = 5
_SHOWN = 200
"""Characters of a repeated text that are shown."""


def stats(connection: Connection, root: str | None) -> Stats:
    """Figures about one root, or about all."""
    inside = chunks.c.document_id.in_(documents_of(root))
    sizes = select(chunks.c.tokens, func.count()).where(inside).group_by(chunks.c.tokens).order_by(chunks.c.tokens)
    pieces = select(passages.c.content_hash).distinct()
    if root is not None:
        pieces = pieces.join(chunks, chunks.c.id == passages.c.chunk_id).where(inside)
    per_model = (
        select(models.c.key, func.count())
        .select_from(models)
        .join(vectors, and_(vectors.c.model_id == models.c.id, vectors.c.content_hash.in_(pieces)))
        .group_by(models.c.key)
        .order_by(models.c.key)
    )
    having = (
        select(document_properties.c.name, func.count(document_properties.c.document_id.distinct()))
        .where(document_properties.c.document_id.in_(documents_of(root).where(~documents.c.excluded)))
        .group_by(document_properties.c.name)
        .order_by(document_properties.c.name)
    )
    marked = func.coalesce(func.sum(cast(chunks.c.navigation, Integer)), 0)
    flags = select(
        func.coalesce(func.sum(cast(chunks.c.oversize, Integer)), 0),
        marked,
        func.count(),
        func.count(chunks.c.navigation),
    )
    oversize, navigation, every, known = connection.execute(flags.where(inside)).one()
    return Stats(
        counts=counts(connection, root),
        sizes=dict(connection.execute(sizes).all()),
        largest=tuple(rows.large_chunk(row) for row in connection.execute(_largest(inside))),
        vectors=dict(connection.execute(per_model).all()),
        distinct_passages=connection.execute(select(func.count()).select_from(pieces.subquery())).scalar_one(),
        properties=dict(connection.execute(having).all()),
        oversize=int(oversize),
        navigation=Navigation(int(navigation), every - known),
        repetition=_repetition(connection, inside),
        standouts=fold(_documents(connection, root)),
    )


def _largest(inside: ColumnElement[bool]) -> Select[Any]:
    """The largest chunks, each with how many chunks its section has."""
    others = chunks.alias()
    same = others.c.document_id == chunks.c.document_id, others.c.anchor == chunks.c.anchor
    parts = select(func.count()).select_from(others).where(*same).scalar_subquery()
    return (
        select(chunks, documents.c.path, documents.c.settings_key, parts.label("parts"))
        .join(documents, documents.c.id == chunks.c.document_id)
        .where(inside)
        .order_by(chunks.c.tokens.desc(), documents.c.path, chunks.c.position)
        .limit(_LARGEST)
    )


def _repetition(connection: Connection, inside: ColumnElement[bool]) -> Repetition:
    """Chunks whose text stands in others, too; their breadcrumbs may differ."""
    number, size = func.count(), func.sum(chunks.c.tokens)
    groups = (
        select(number.label("chunks"), (size - func.max(chunks.c.tokens)).label("again"))
        .where(inside)
        .group_by(chunks.c.text)
        .having(number > 1)
        .subquery()
    )
    totals = select(func.coalesce(func.sum(groups.c.chunks - 1), 0), func.coalesce(func.sum(groups.c.again), 0))
    most = (
        select(
            number.label("chunks"),
            func.count(chunks.c.document_id.distinct()).label("documents"),
            func.max(chunks.c.tokens).label("tokens"),
            func.min(documents.c.path).label("path"),
            chunks.c.text,
        )
        .join(documents, documents.c.id == chunks.c.document_id)
        .where(inside)
        .group_by(chunks.c.text)
        .having(number > 1)
        .order_by(number.desc(), chunks.c.text)
        .limit(_REPEATED)
    )
    copies, tokens = connection.execute(totals).one()
    found = connection.execute(most).all()
    return Repetition(
        int(copies),
        int(tokens),
        tuple(Repeated(row.chunks, row.documents, row.tokens, row.path, row.text[:_SHOWN]) for row in found),
    )


def _documents(connection: Connection, root: str | None) -> Iterator[Size]:
    """Every document that does not keep itself out, with its size, in order of root and path."""
    headed = func.max(case((chunks.c.anchor != "", 1), else_=0))
    each = (
        select(
            chunks.c.document_id,
            func.count().label("chunks"),
            func.sum(chunks.c.tokens).label("tokens"),
            headed.label("headed"),
        )
        .group_by(chunks.c.document_id)
        .subquery()
    )
    wanted = (
        select(roots.c.name, documents.c.path, each.c.chunks, each.c.tokens, each.c.headed)
        .join(roots, roots.c.id == documents.c.root_id)
        .outerjoin(each, each.c.document_id == documents.c.id)
        .where(~documents.c.excluded)
        .order_by(roots.c.name, documents.c.path)
    )
    if root is not None:
        wanted = wanted.where(roots.c.name == root)
    for name, path, number, tokens, has_heading in connection.execute(wanted):
        yield Size(name, path, number or 0, int(tokens or 0), bool(has_heading))
