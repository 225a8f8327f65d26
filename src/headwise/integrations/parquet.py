"""Stored chunks as a Parquet file: a row each, in the fields of `headwise chunk --json`, with passages and vectors."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

from headwise.errors import ExportError
from headwise.indexing.models.embedder import readable
from headwise.integrations.files import written
from headwise.integrations.stored import Stored, ignore, record_fields, stored_documents
from headwise.stores.store import Store

_ROWS = 1_000
"""Rows of a group, which is what is held in memory."""


def export_parquet(
    store: Store, path: Path, model: str | None, on_progress: Callable[[int, int], None] = ignore
) -> int:
    """Write every chunk of *store* to the file *path*, in order of root, path and place, and say how many there are.

    Front matter is one text in JSON, since every document has fields of its own. Each passage has the text that an
    embedder is given and its vector of the model with the key *model*, or null where there is none; that key is in the
    file's metadata as `headwise_model`.

    Raises:
        ExportError: if pyarrow is not installed, or the file cannot be written; it is then as it was.
    """
    try:
        pa: Any = import_module("pyarrow")
        pq: Any = import_module("pyarrow.parquet")
    except ImportError as error:
        raise ExportError('Parquet needs pyarrow: pip install "headwise[parquet]"') from error
    schema = _schema(pa).with_metadata({"headwise_model": model or ""})
    rows = (row for stored in stored_documents(store, on_progress) for row in _rows(store, stored, model))
    total = 0
    with written(path) as file, pq.ParquetWriter(file, schema, compression="zstd") as writer:
        while group := list(islice(rows, _ROWS)):
            writer.write_table(pa.Table.from_pylist(group, schema))
            total += len(group)
    return total


def _schema(pa: Any) -> Any:
    text, texts, number = pa.string(), pa.list_(pa.string()), pa.int32()
    metadata = {"folder": text, "tags": texts, "links": texts, "aliases": texts, "mtime": pa.timestamp("s", "UTC")}
    passage = {"start": number, "end": number, "text": text, "content_hash": text, "vector": pa.list_(pa.float32())}
    columns = {
        "id": text,
        "path": text,
        "root": text,
        **dict.fromkeys(("index", "start", "own_start", "end", "start_line", "end_line"), number),
        "title": text,
        "headings": texts,
        **dict.fromkeys(("context", "text", "context_after"), text),
        "tokens": number,
        "kinds": texts,
        "content_hash": text,
        "metadata": pa.struct({**metadata, "document_hash": text, "front_matter": text}),
        "passages": pa.list_(pa.struct(passage)),
    }
    return pa.schema(columns)


def _rows(store: Store, stored: Stored, model: str | None) -> Iterator[dict[str, Any]]:
    document = stored.document
    front_matter = json.dumps(document.front_matter, ensure_ascii=False)
    hashes = [passage.content_hash for record in document.records for passage in record.passages]
    vectors = store.vectors(model, hashes) if model else {}
    for record, fields in zip(document.records, record_fields(stored), strict=True):
        passages = [
            {
                "start": passage.start,
                "end": passage.end,
                "text": passage.embed_text,
                "content_hash": passage.content_hash,
                "vector": vectors.get(passage.content_hash),
            }
            for passage in record.passages
        ]
        metadata = fields["metadata"] | {
            "mtime": document.file.mtime_ns // 1_000_000_000 or None,
            "front_matter": front_matter,
        }
        yield _readable(fields | {"metadata": metadata, "passages": passages})


def _readable(value: Any) -> Any:
    """*value* with no lone surrogate in it, which UTF-8 cannot hold."""
    match value:
        case str():
            return readable(value)
        case dict():
            return {name: _readable(part) for name, part in value.items()}  # pyright: ignore[reportUnknownVariableType] - nested JSON
        case list() | tuple():
            return [_readable(part) for part in value]  # pyright: ignore[reportUnknownVariableType] - the same
        case _:
            return value
