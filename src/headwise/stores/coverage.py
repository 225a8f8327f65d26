"""How many passages there are, and how many of them have a vector: kept by whoever writes, so that nobody has to count.

Passages with equal text for the embedder count once. Each function works inside its caller's transaction.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import NamedTuple

from sqlalchemy import Connection, func, insert, select, update

from headwise.stores.queries import batches, unembedded
from headwise.stores.schema import chunks, counters, models, passages, vectors
from headwise.stores.store import Coverage

_DISTINCT = "distinct_passages"


class _Figures(NamedTuple):
    """What is kept."""

    distinct: int
    """How many different content hashes passages have."""
    embedded: Mapping[int, int]
    """Id of a model → how many of them have a vector of it, models without any left out."""


def coverage(connection: Connection, model: str) -> Coverage:
    """How many distinct passages have a vector of *model*, and how many do not."""
    distinct = select(counters.c.value).where(counters.c.name == _DISTINCT).scalar_subquery()
    embedded = select(models.c.embedded).where(models.c.key == model).scalar_subquery()
    total, having = connection.execute(select(distinct, func.coalesce(embedded, 0))).one()
    return Coverage(having, total - having)


def hashes_in(connection: Connection, documents: Collection[int]) -> set[str]:
    """The content hashes of the passages of *documents*."""
    wanted = select(passages.c.content_hash).join(chunks, chunks.c.id == passages.c.chunk_id)
    found = (connection.scalars(wanted.where(chunks.c.document_id.in_(batch))) for batch in batches(documents))
    return {name for result in found for name in result}


def enter_passages(connection: Connection, leaving: set[str], arriving: set[str]) -> None:
    """Enter that passages with the hashes *leaving* are gone, and that those *arriving* are about to be there."""
    changed = leaving ^ arriving
    changed -= _present(connection, changed)
    come, gone = changed & arriving, changed & leaving
    if not changed:
        return
    distinct = counters.c.name == _DISTINCT
    connection.execute(update(counters).where(distinct).values(value=counters.c.value + len(come) - len(gone)))
    having = _having(connection, come)
    having.subtract(_having(connection, gone))
    for model, number in having.items():
        _add(connection, model, number)


def enter_vectors(connection: Connection, model: int, hashes: Collection[str]) -> None:
    """Enter that passages with these *hashes*, as far as there are any, are about to have vectors of *model*."""
    _add(connection, model, len(_present(connection, hashes)))


def enter_dropped(connection: Connection, model: str, hashes: Collection[str]) -> None:
    """Enter that those of these vectors of *model* that are there are about to go."""
    going = set(hashes) - unembedded(connection, model, hashes)
    found = connection.scalar(select(models.c.id).where(models.c.key == model))
    if found is not None:
        _add(connection, found, -len(_present(connection, going)))


def faults(connection: Connection) -> list[str]:
    """A line if what is kept is not what there is."""
    distinct = connection.scalar(select(counters.c.value).where(counters.c.name == _DISTINCT))
    embedded = connection.execute(select(models.c.id, models.c.embedded).where(models.c.embedded != 0)).all()
    right = _counted(connection) == (distinct, {row.id: row.embedded for row in embedded})
    return [] if right else ["the kept number of passages, or of those with a vector, is wrong"]


def recount(connection: Connection) -> None:
    """Keep what there is, counted anew."""
    distinct, embedded = _counted(connection)
    kept = update(counters).where(counters.c.name == _DISTINCT).values(value=distinct)
    if not connection.execute(kept).rowcount:
        connection.execute(insert(counters).values(name=_DISTINCT, value=distinct))
    connection.execute(update(models).values(embedded=0))
    for model, number in embedded.items():
        _add(connection, model, number)


def _counted(connection: Connection) -> _Figures:
    each = select(passages.c.content_hash).distinct().subquery()
    having = select(vectors.c.model_id, func.count()).join(each, each.c.content_hash == vectors.c.content_hash)
    distinct = connection.scalar(select(func.count()).select_from(each)) or 0
    return _Figures(distinct, dict(connection.execute(having.group_by(vectors.c.model_id)).all()))


def _present(connection: Connection, hashes: Collection[str]) -> set[str]:
    """Those of *hashes* that a passage has."""
    wanted = select(passages.c.content_hash).distinct()
    found = (connection.scalars(wanted.where(passages.c.content_hash.in_(batch))) for batch in batches(hashes))
    return {name for result in found for name in result}


def _having(connection: Connection, hashes: Collection[str]) -> Counter[int]:
    """Id of a model → for how many of *hashes* there is a vector of it."""
    wanted = select(vectors.c.model_id, func.count()).group_by(vectors.c.model_id)
    found: Counter[int] = Counter()
    for batch in batches(hashes):
        found.update(dict(connection.execute(wanted.where(vectors.c.content_hash.in_(batch))).all()))
    return found


def _add(connection: Connection, model: int, number: int) -> None:
    if number:
        connection.execute(update(models).where(models.c.id == model).values(embedded=models.c.embedded + number))
