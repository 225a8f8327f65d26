"""What the tests of stores and syncs share: hand-made documents, and the whole content of a store for comparison."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy
from sqlalchemy import create_engine, make_url
from sqlalchemy.pool import NullPool

from headwise.indexing.words import analyse_words
from headwise.model import Chunk, Record, content_hash, passage
from headwise.stores.open import open_store
from headwise.stores.store import DocumentRecords, StoredFile, Words


def document(
    path: str,
    *texts: str,
    title: str = "Note",
    tags: tuple[str, ...] = (),
    key: str = "k",
    front: Mapping[str, Any] | None = None,
) -> DocumentRecords:
    """A document with one chunk and one passage per text."""
    records: list[Record] = []
    at = 0
    for number, text in enumerate(texts):
        chunk = Chunk(
            index=number,
            start=at,
            own_start=at,
            end=at + len(text),
            start_line=number + 1,
            end_line=number + 1,
            title=title,
            headings=("Part",),
            anchor="part",
            number=number,
            context=f"{title} > Part\n\n",
            text=text,
            context_after="",
            tokens=len(text.split()),
            kinds=("paragraph",),
        )
        piece = passage(at, at + len(text), chunk.context, text, "")
        records.append(Record(f"{path}#part::{number}", path, f"{path}#part", chunk, (piece,)))
        at += len(text) + 1
    whole = "\n".join(texts)
    return DocumentRecords(
        file=StoredFile(path, content_hash(whole), key, len(whole), 1, 2, 3, 4),
        format="markdown",
        title=title,
        tags=tags,
        front_matter=front or {},
        records=tuple(records),
        words=tuple(Words(_words(title), _words("Part"), _words(text)) for text in texts),
    )


def _words(text: str) -> str:
    return " ".join(analyse_words(text))


@contextmanager
def raw(url: str | Path) -> Iterator[Callable[..., list[tuple[Any, ...]]]]:
    """A function that runs statements (with `:name` for values) in a store behind its back, all in one transaction."""
    place = make_url(str(url) if "://" in str(url) else f"sqlite:///{url}")
    schema = place.query.get("schema", "headwise")
    engine = create_engine(place.difference_update_query(["schema"]), poolclass=NullPool)
    with engine.begin() as connection:
        if engine.name == "postgresql":
            connection.exec_driver_sql(f"SET LOCAL search_path TO {schema}, public")

        def run(statement: str, **values: Any) -> list[tuple[Any, ...]]:
            found = connection.execute(sqlalchemy.text(statement), values)
            return [tuple(_as_text(value) for value in row) for row in found] if found.returns_rows else []

        yield run


def _as_text(value: Any) -> Any:
    """JSON as SQLite holds it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) if isinstance(value, list | dict) else value


def dump(url: str | Path, model: str | None = None) -> dict[str, list[tuple[Any, ...]]]:
    """All that a store says of its documents, without row numbers and times: equal dumps are equal stores."""
    kind = "postgres" if str(url).startswith("postgres") else "sqlite"
    with raw(url) as run:
        result = {name: run(sql) for name, sql in _DUMP.items()}
        result["words"] = run(_WORDS[kind])
        result["vectors"] = run(_VECTORS[kind], model=model)
    with open_store(str(url)) as store:
        assert store.faults() == []
    return result


_DUMP = {
    "documents": """SELECT r.name, path, content_hash, settings_key, size, mtime_ns, inode, ctime_ns, format, title,
        tags, aliases, front_matter, links, warnings, excluded
        FROM documents d JOIN roots r ON r.id = d.root_id ORDER BY r.name, path""",
    "tags": """SELECT r.name, path, tag FROM document_tags t JOIN documents d ON d.id = t.document_id
        JOIN roots r ON r.id = d.root_id ORDER BY r.name, path, tag""",
    "properties": """SELECT r.name, path, p.name, text, number, moment FROM document_properties p
        JOIN documents d ON d.id = p.document_id JOIN roots r ON r.id = d.root_id
        ORDER BY r.name, path, p.name, text, number, moment""",
    "chunks": """SELECT r.name, d.path, record_id, link, position, start, own_start, "end", start_line, end_line,
        headings, anchor, number, context, text, context_after, tokens, kinds, c.tags, c.links, omitted, oversize,
        c.content_hash, c.gap, c.navigation FROM chunks c JOIN documents d ON d.id = c.document_id
        JOIN roots r ON r.id = d.root_id ORDER BY r.name, d.path, position""",
    "passages": """SELECT r.name, d.path, p.start, p."end", p.context, p.context_after, p.omitted, p.content_hash
        FROM passages p JOIN chunks c ON c.id = p.chunk_id JOIN documents d ON d.id = c.document_id
        JOIN roots r ON r.id = d.root_id ORDER BY r.name, d.path, p.start, p."end" """,
}
_WORDS = {
    "sqlite": """SELECT r.name, d.path, position, w.title, w.headings, w.text
        FROM words w LEFT JOIN chunks c ON c.id = w.rowid LEFT JOIN documents d ON d.id = c.document_id
        LEFT JOIN roots r ON r.id = d.root_id
        ORDER BY r.name, d.path, position""",
    "postgres": """SELECT r.name, d.path, position, part, length, CAST(terms AS text)
        FROM words w LEFT JOIN chunks c ON c.id = w.chunk_id LEFT JOIN documents d ON d.id = c.document_id
        LEFT JOIN roots r ON r.id = d.root_id
        ORDER BY r.name, d.path, position, part""",
}
_VECTORS = {
    kind: f"""SELECT content_hash, {data} FROM vectors v JOIN models m ON m.id = v.model_id
        WHERE m.key = :model AND content_hash IN (SELECT content_hash FROM passages) ORDER BY content_hash"""
    for kind, data in (("sqlite", "hex(data)"), ("postgres", "CAST(data AS text)"))
}
