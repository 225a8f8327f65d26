"""Statements that read, the same in every database; each function works inside its caller's transaction."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import fields
from typing import NamedTuple, TypeVar

from sqlalchemy import ColumnElement, Connection, ScalarSelect, Select, and_, exists, func, or_, select

from headwise.model import Link
from headwise.stores import rows
from headwise.stores.schema import (
    chunks,
    counters,
    document_properties,
    documents,
    models,
    passages,
    roots,
    runs,
    vectors,
)
from headwise.stores.store import (
    Counts,
    Named,
    PendingPassage,
    Place,
    Run,
    StoredChunk,
    StoredFile,
    Unused,
    WaitingPassage,
)

_Value = TypeVar("_Value")

# The columns that a `StoredChunk` has other names for; it has no more of them: most of the rest is JSON, and takes
# longer to read than all this.
_NAMED = {"row": chunks.c.id, "root": roots.c.name, "id": chunks.c.record_id} | {
    name: documents.c[name] for name in ("path", "title")
}
_SHOWN = [_NAMED[field.name] if field.name in _NAMED else chunks.c[field.name] for field in fields(StoredChunk)]

_AT_ONCE = 500  # values in one `IN (…)`: under the number of parameters any database takes


def batches(values: Iterable[_Value]) -> Iterator[list[_Value]]:
    """*values* in lists short enough for one `IN (…)`."""
    every = list(values)
    return (every[at : at + _AT_ONCE] for at in range(0, len(every), _AT_ONCE))


def files(connection: Connection, root: str, below: str) -> dict[str, StoredFile]:
    """What is known of the files of *root* at or below *below*, by path."""
    wanted = (
        select(*(documents.c[name] for name in StoredFile._fields))
        .join(roots, roots.c.id == documents.c.root_id)
        .where(roots.c.name == root)
        .order_by(documents.c.path)
    )
    if below:
        # Not LIKE, which takes `Docs/` for `docs/` in SQLite.
        inside = func.substr(documents.c.path, 1, len(below) + 1) == f"{below}/"
        wanted = wanted.where(or_(documents.c.path == below, inside))
    return {row.path: rows.stored_file(row) for row in connection.execute(wanted)}


def files_after(connection: Connection, root: str, below: str, after: str, limit: int) -> list[StoredFile]:
    """Up to *limit* files of *root* at or below *below* whose paths come after *after*, in order of code points."""
    path = documents.c.path
    wanted = (
        select(*(documents.c[name] for name in StoredFile._fields))
        .join(roots, roots.c.id == documents.c.root_id)
        .where(roots.c.name == root, path > after)
        .order_by(path)
        .limit(limit)
    )
    if below:
        # The bounds let the index find the part: what is in a folder lies between `folder/` and `folder0`, and some
        # of its neighbours (`folder.md`, `folder-2/`) between the folder's own path and these.
        wanted = wanted.where(or_(path == below, and_(path > f"{below}/", path < f"{below}0")))
    return [rows.stored_file(row) for row in connection.execute(wanted)]


def places(connection: Connection, root: str, paths: Collection[str]) -> dict[str, list[Place]]:
    """The chunks of those of *paths* that are stored, in order."""
    number = select(func.count()).where(passages.c.chunk_id == chunks.c.id).scalar_subquery()
    query = (
        select(documents.c.path, chunks.c.id, chunks.c.anchor, chunks.c.number, chunks.c.text, number.label("passages"))
        .join(roots, roots.c.id == documents.c.root_id)
        .outerjoin(chunks, chunks.c.document_id == documents.c.id)
        .where(roots.c.name == root)
        .order_by(documents.c.path, chunks.c.position)
    )
    found: dict[str, list[Place]] = {}
    for batch in batches(paths):
        for row in connection.execute(query.where(documents.c.path.in_(batch))):
            here = found.setdefault(row.path, [])
            if row.id is not None:
                here.append(Place(row.anchor, row.number, row.text, row.passages))
    return found


def named(connection: Connection, root: str) -> list[Named]:
    """Names and links of the documents of *root*, in order of path."""
    wanted = (
        select(documents.c.path, documents.c.title, documents.c.aliases, documents.c.links)
        .join(roots, roots.c.id == documents.c.root_id)
        .where(roots.c.name == root, ~documents.c.excluded)
        .order_by(documents.c.path)
    )
    return [
        Named(row.path, row.title, tuple(row.aliases), tuple(Link(*link) for link in row.links))
        for row in connection.execute(wanted)
    ]


def pending(connection: Connection, model: str, limit: int, after: int) -> list[PendingPassage]:
    """Up to *limit* passages behind row *after* without a vector of *model*, each content hash once."""
    wanted = (
        select(passages, chunks.c.text.label("chunk_text"), chunks.c.start.label("chunk_start"))
        .join(chunks, chunks.c.id == passages.c.chunk_id)
        .where(passages.c.id > after, ~_embedded(model))
        .order_by(passages.c.id)
        .limit(limit)
    )
    found: dict[str, PendingPassage] = {}
    for row in connection.execute(wanted):
        found.setdefault(row.content_hash, rows.pending_passage(row))
    return list(found.values())


def waiting(connection: Connection, model: str, limit: int, after: int) -> list[WaitingPassage]:
    """Up to *limit* passages behind row *after* without a vector of *model*, with the documents they are in."""
    wanted = (
        select(
            passages,
            chunks.c.text.label("chunk_text"),
            chunks.c.start.label("chunk_start"),
            documents.c.path,
            roots.c.name.label("root"),
        )
        .join(chunks, chunks.c.id == passages.c.chunk_id)
        .join(documents, documents.c.id == chunks.c.document_id)
        .join(roots, roots.c.id == documents.c.root_id)
        .where(passages.c.id > after, ~_embedded(model))
        .order_by(passages.c.id)
        .limit(limit)
    )
    found: list[WaitingPassage] = []
    for row in connection.execute(wanted):
        passage = rows.pending_passage(row)
        found.append(WaitingPassage(passage.row, row.root, row.path, passage.content_hash, passage.text))
    return found


def unembedded(connection: Connection, model: str, hashes: Collection[str]) -> set[str]:
    """Those of *hashes* that no vector of *model* is stored for."""
    wanted = select(vectors.c.content_hash).where(vectors.c.model_id == _model_id(model))
    return set(hashes).difference(
        *(connection.scalars(wanted.where(vectors.c.content_hash.in_(batch))) for batch in batches(hashes))
    )


def model_keys(connection: Connection) -> list[str]:
    """The keys of the models that vectors are stored of."""
    return list(connection.scalars(select(models.c.key).order_by(models.c.key)))


def packed_vectors(connection: Connection, model: str, hashes: Collection[str]) -> Iterator[tuple[str, bytes]]:
    """Content hash and bytes of the vectors of *model* with these hashes, as far as they are there."""
    query = select(vectors.c.content_hash, vectors.c.data).where(vectors.c.model_id == _model_id(model))
    for batch in batches(hashes):
        for row in connection.execute(query.where(vectors.c.content_hash.in_(batch))):
            yield row.content_hash, row.data


def usual_size(connection: Connection, model: str, size: ColumnElement[int]) -> int:
    """How many bytes most vectors of *model* have, *size* being those of one; 0 if there are none."""
    wanted = select(size).where(vectors.c.model_id == _model_id(model)).group_by(size)
    return connection.scalar(wanted.order_by(func.count().desc(), size).limit(1)) or 0


def unused(connection: Connection, keep: str | None, size: ColumnElement[int]) -> Unused:
    """How many vectors nothing uses, and how many bytes they have together, *size* being those of one."""
    counted = select(func.count(), func.coalesce(func.sum(size), 0)).where(is_unused(keep))
    return Unused(*connection.execute(counted).one())


def is_unused(keep: str | None) -> ColumnElement[bool]:
    """Whether a vector is of no passage, or of another model than *keep*, if that is given."""
    orphaned = ~exists().where(passages.c.content_hash == vectors.c.content_hash)
    return orphaned if keep is None else or_(orphaned, vectors.c.model_id != _model_id(keep))


def _embedded(model: str) -> ColumnElement[bool]:
    return exists().where(vectors.c.content_hash == passages.c.content_hash, vectors.c.model_id == _model_id(model))


def _model_id(key: str) -> ScalarSelect[int]:
    return select(models.c.id).where(models.c.key == key).scalar_subquery()


def stored_chunks(connection: Connection, wanted: Collection[int]) -> dict[int, StoredChunk]:
    """The chunks in these rows, as far as they are there."""
    query = (
        select(*_SHOWN)
        .join(documents, documents.c.id == chunks.c.document_id)
        .join(roots, roots.c.id == documents.c.root_id)
    )
    found = (connection.execute(query.where(chunks.c.id.in_(batch))) for batch in batches(wanted))
    return {chunk.row: chunk for result in found for chunk in map(rows.stored_chunk, result.all())}


def listed(connection: Connection, allowed: Select[int] | None, limit: int) -> list[int]:
    """The rows of the *allowed* chunks (None: of all), in order of root, path and place."""
    query = (
        select(chunks.c.id)
        .join(documents, documents.c.id == chunks.c.document_id)
        .join(roots, roots.c.id == documents.c.root_id)
        .order_by(roots.c.name, documents.c.path, chunks.c.position)
        .limit(limit)
    )
    return list(connection.scalars(query if allowed is None else query.where(chunks.c.id.in_(allowed.correlate(None)))))


def among(connection: Connection, wanted: Collection[int], allowed: Select[int]) -> set[int]:
    """Those of the rows *wanted* that are of *allowed* chunks."""
    found = (connection.scalars(allowed.where(chunks.c.id.in_(batch))) for batch in batches(wanted))
    return {row for result in found for row in result}


def property_names(connection: Connection) -> list[str]:
    """The names of all properties, in order: from one to the next in the index, not through all that have it."""
    name, following = document_properties.c.name, document_properties.alias().c.name
    names = select(func.min(name).label("name")).cte("names", recursive=True)
    after = select(func.min(following)).where(following > names.c.name).scalar_subquery()
    names = names.union_all(select(after).where(names.c.name.is_not(None)))
    return list(connection.scalars(select(names.c.name).where(names.c.name.is_not(None)).order_by(names.c.name)))


def counts(connection: Connection, root: str | None) -> Counts:
    """How much is stored of one root, or of all."""
    here = documents_of(root)
    pieces = select(passages.c.id)
    if root is not None:
        pieces = pieces.join(chunks, chunks.c.id == passages.c.chunk_id).where(chunks.c.document_id.in_(here))
    parts = (
        here.where(~documents.c.excluded),
        here.where(documents.c.excluded),
        select(chunks.c.id).where(chunks.c.document_id.in_(here)),
        pieces,
    )
    counted = (select(func.count()).select_from(part.subquery()).scalar_subquery() for part in parts)
    return Counts(*connection.execute(select(*counted)).one())


def documents_of(root: str | None) -> Select[int]:
    """The rows of the documents of one root, or of all."""
    every = select(documents.c.id)
    return every if root is None else every.join(roots, roots.c.id == documents.c.root_id).where(roots.c.name == root)


def last_runs(connection: Connection, limit: int) -> list[Run]:
    """The last runs, newest first."""
    return [rows.run(row) for row in connection.execute(select(runs).order_by(runs.c.id.desc()).limit(limit))]


class State(NamedTuple):
    """How often a store was changed."""

    generation: int
    """The number that goes up with every change of passages or vectors."""
    drops: int
    """The number that goes up when vectors are dropped."""


def state(connection: Connection) -> State:
    """What tells those who cache passages or vectors whether they changed."""
    found = {row.name: row.value for row in connection.execute(select(counters.c.name, counters.c.value))}
    return State(found["generation"], found.get("drops", 0))
