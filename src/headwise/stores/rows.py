"""Between the frozen values and the rows that hold them."""

from __future__ import annotations

import re
from typing import Any

from sqlalchemy import Row

from headwise.model import Passage, Record, Span
from headwise.stores.properties import Property
from headwise.stores.store import DocumentRecords, LargeChunk, PendingPassage, Run, StoredChunk, StoredFile

_LIMIT = re.compile(r"\bmax=(\d+)")
"""Where the limit stands in `Settings.key`."""


def document_row(root_id: int, document: DocumentRecords) -> dict[str, Any]:
    """The row of *document* in `documents`."""
    return file_row(document.file) | {
        "root_id": root_id,
        "path": document.file.path,
        "format": document.format,
        "title": document.title,
        "tags": list(document.tags),
        "aliases": list(document.aliases),
        "front_matter": dict(document.front_matter),
        "links": [list(link) for link in document.links],
        "warnings": list(document.warnings),
        "excluded": document.excluded,
    }


def file_row(file: StoredFile) -> dict[str, Any]:
    """What `documents` keeps of *file*, apart from its path."""
    return {
        "content_hash": file.content_hash,
        "settings_key": file.settings_key,
        "size": file.size,
        "mtime_ns": file.mtime_ns,
        "inode": str(file.inode),
        "ctime_ns": file.ctime_ns,
        "checked_ns": file.checked_ns,
    }


def property_row(document_id: int, value: Property) -> dict[str, Any]:
    """The row of *value* in `document_properties`."""
    return {"document_id": document_id, **value._asdict()}


def chunk_row(document_id: int, record: Record) -> dict[str, Any]:
    """The row of *record* in `chunks`."""
    chunk = record.chunk
    return {
        "document_id": document_id,
        "record_id": record.id,
        "link": record.link,
        "position": chunk.index,
        "start": chunk.start,
        "own_start": chunk.own_start,
        "end": chunk.end,
        "start_line": chunk.start_line,
        "end_line": chunk.end_line,
        "headings": list(chunk.headings),
        "anchor": chunk.anchor,
        "number": chunk.number,
        "context": chunk.context,
        "text": chunk.text,
        "context_after": chunk.context_after,
        "tokens": chunk.tokens,
        "kinds": list(chunk.kinds),
        "tags": list(chunk.tags),
        "links": list(chunk.links),
        "omitted": [list(span) for span in chunk.omitted],
        "oversize": chunk.oversize,
        "content_hash": chunk.content_hash,
        "gap": record.gap,
        "navigation": chunk.navigation,
    }


def passage_row(chunk_id: int, passage: Passage) -> dict[str, Any]:
    """The row of *passage* in `passages`: its text is a slice of its chunk's and not stored again."""
    return {
        "chunk_id": chunk_id,
        "start": passage.start,
        "end": passage.end,
        "context": passage.context,
        "context_after": passage.context_after,
        "omitted": [list(span) for span in passage.omitted],
        "content_hash": passage.content_hash,
    }


def run_row(run: Run) -> dict[str, Any]:
    """The row of *run* in `runs`."""
    return {
        "kind": run.kind,
        "root": run.root,
        "started_ns": run.started_ns,
        "seconds": run.seconds,
        "report": dict(run.report),
    }


def stored_file(row: Row[Any]) -> StoredFile:
    """A file from its row in `documents`."""
    return StoredFile(
        row.path,
        row.content_hash,
        row.settings_key,
        row.size,
        row.mtime_ns,
        int(row.inode),
        row.ctime_ns,
        row.checked_ns,
    )


def stored_chunk(row: Row[*tuple[Any, ...]]) -> StoredChunk:
    """A chunk from a row with its fields in their order."""
    number, root, name, path, link, title, headings, *others = row  # by name it takes three times as long
    return StoredChunk(number, root, name, path, link, title, tuple(headings), *others)


def large_chunk(row: Row[Any]) -> LargeChunk:
    """A chunk as `stats` lists it."""
    limit = _LIMIT.search(row.settings_key)
    return LargeChunk(
        id=row.record_id,
        path=row.path,
        start_line=row.start_line,
        end_line=row.end_line,
        tokens=row.tokens,
        limit=int(limit[1]) if limit else None,
        kinds=tuple(row.kinds),
        part=row.number + 1,
        parts=row.parts,
        reopened=bool(row.context.partition("\n\n")[2]),
        oversize=row.oversize,
    )


def passage(row: Row[Any], chunk_text: str, chunk_start: int) -> Passage:
    """A passage from its row in `passages`, with its text cut from its chunk's, which begins at *chunk_start*."""
    return Passage(
        row.start,
        row.end,
        row.context,
        chunk_text[row.start - chunk_start : row.end - chunk_start],
        row.context_after,
        tuple(Span(*span) for span in row.omitted),
        row.content_hash,
    )


def pending_passage(row: Row[Any]) -> PendingPassage:
    """What is to be embedded, from a passage's row with the text of its chunk."""
    return PendingPassage(row.id, row.content_hash, passage(row, row.chunk_text, row.chunk_start).embed_text)


def run(row: Row[Any]) -> Run:
    """A run from its row in `runs`."""
    return Run(row.kind, row.root, row.started_ns, row.seconds, row.report)
