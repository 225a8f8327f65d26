"""What of a stored document is not as it should be, the same in every database.

Rows are compared as the same functions make them that write them, so that nothing a store holds is left out.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, select

from headwise.model import Passage
from headwise.stores import rows
from headwise.stores.filters import tags_of
from headwise.stores.loading import chunks_of, pieces_of
from headwise.stores.properties import Property, properties_of
from headwise.stores.schema import document_properties, document_tags, documents, roots
from headwise.stores.store import DocumentRecords, Words

# What is known of the file is not of the records; a warning is about one reading of it.
_PASSING = frozenset({"size", "mtime_ns", "inode", "ctime_ns", "checked_ns", "warnings", "root_id"})


@dataclass(frozen=True, slots=True)
class Comparison:
    """What differs, one line each, and the words that the chunks found should have."""

    differences: tuple[str, ...]
    words: Mapping[int, Words]
    """By the row of their chunk; each store looks by itself whether it has them."""


def compare(connection: Connection, root: str, document: DocumentRecords) -> Comparison:
    """How what is stored under the path of *document* differs from it."""
    here = roots.c.name == root, documents.c.path == document.file.path
    wanted = select(documents).join(roots, roots.c.id == documents.c.root_id).where(*here)
    stored = connection.execute(wanted).one_or_none()
    if stored is None:
        return Comparison(("is not in the store",), {})
    found: list[str] = []
    if names := _changed(stored, rows.document_row(stored.root_id, document)):
        found.append(f"{', '.join(names)} of the document not as in the file")
    tags = set(connection.scalars(select(document_tags.c.tag).where(document_tags.c.document_id == stored.id)))
    if tags != tags_of(document):
        found.append(f"tags to search by: {_tally(tags, tags_of(document))}")
    if names := _wrong_properties(connection, stored.id, properties_of(document.front_matter)):
        found.append(f"properties to filter by: {_some(names)} not as in the file")
    kept = {row.record_id: row for row in chunks_of(connection, stored.id)}
    made = {record.id: rows.chunk_row(stored.id, record) for record in document.records}
    if what := _amiss(kept, made):
        found.append(f"chunks: {what}")
    pieces = pieces_of(connection, stored.id)
    at_fault = [
        record.id
        for record in document.records
        if (chunk := kept.get(record.id)) and not _are(pieces.get(chunk.id, ()), chunk.id, record.passages)
    ]
    if at_fault:
        found.append(f"passages: those of {_some(at_fault)} not as in the file")
    words = zip(document.records, document.words, strict=True)
    return Comparison(tuple(found), {kept[record.id].id: own for record, own in words if record.id in kept})


def _wrong_properties(connection: Connection, document: int, made: Sequence[Property]) -> list[str]:
    """The names of the properties whose rows are not those *made*."""
    columns = (document_properties.c[name] for name in Property._fields)
    wanted = select(*columns).where(document_properties.c.document_id == document)
    kept = Counter(Property(*row) for row in connection.execute(wanted))
    differing = (kept - Counter(made)) + (Counter(made) - kept)
    return sorted({value.name for value in differing})


def _amiss(kept: Mapping[str, Row[Any]], made: Mapping[str, Mapping[str, Any]]) -> str:
    """How the rows *kept* differ from those *made*, by id."""
    changed = [(name, _changed(kept[name], row)) for name, row in made.items() if name in kept]
    parts = (
        ("missing", [name for name in made if name not in kept]),
        ("too many", [name for name in kept if name not in made]),
        ("changed", [f"{name} ({', '.join(columns)})" for name, columns in changed if columns]),
    )
    return ", ".join(f"{_some(names)} {how}" for how, names in parts if names)


def _tally(kept: set[str], wanted: set[str]) -> str:
    parts = (("missing", wanted - kept), ("too many", kept - wanted))
    return ", ".join(f"{_some(sorted(names))} {how}" for how, names in parts if names)


def _some(names: Sequence[str]) -> str:
    """The first of *names*, and how many more there are."""
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"


def _are(kept: Sequence[Row[Any]], chunk: int, made: Sequence[Passage]) -> bool:
    """Whether the rows *kept* hold the passages *made*."""
    return len(kept) == len(made) and not any(
        _changed(row, rows.passage_row(chunk, passage)) for row, passage in zip(kept, made, strict=True)
    )


def _changed(row: Row[Any], made: Mapping[str, Any]) -> list[str]:
    """The columns of *row* that do not hold what was *made*."""
    came_back: dict[str, Any] = json.loads(json.dumps(made))  # as out of a JSON column: lists for tuples
    return [name for name, value in came_back.items() if name not in _PASSING and getattr(row, name) != value]
