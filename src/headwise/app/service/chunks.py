"""Chunks as the service gives them: the fields of `headwise chunk --json`, passages, navigation, and HTML."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from headwise.app.figures import distribution
from headwise.app.service.rendering import Resolve, chunk_html
from headwise.integrations.stored import chunk_fields
from headwise.model import Chunk, Format, FrontMatter, Passage
from headwise.stores.store import DocumentRecords


def chunk_view(
    fields: Mapping[str, Any], chunk: Chunk, passages: Sequence[Passage], count: Callable[[str], int]
) -> dict[str, Any]:
    """A chunk: *fields*, and what is known of it beside them; *count* gives the size of a passage's text."""
    return {
        **fields,
        "anchor": chunk.anchor,
        "navigation": chunk.navigation,
        "oversize": chunk.oversize,
        "omitted": [span._asdict() for span in chunk.omitted],
        "passages": [{"start": p.start, "end": p.end, "tokens": count(p.text)} for p in passages],
    }


def record_views(
    document: DocumentRecords,
    count: Callable[[str], int],
    resolve: Resolve,
    opens: Callable[[Chunk], str | None],
    wanted: str | None = None,
) -> list[dict[str, Any]]:
    """The stored chunks of *document*, or the one whose id is *wanted*, each with its links and its HTML."""
    file, front = document.file, FrontMatter(data=document.front_matter)
    return [
        {
            **chunk_view(
                chunk_fields(file.path, file.mtime_ns, file.content_hash, front, record.chunk),
                record.chunk,
                record.passages,
                count,
            ),
            "id": record.id,
            "link": record.link,
            "open": opens(record.chunk),
            "html": chunk_html(record.chunk, document.format, resolve),
        }
        for record in document.records
        if wanted in {None, record.id}
    ]


def html_of(chunk: Chunk, document_format: Format, resolve: Resolve) -> str:
    """The HTML of a chunk that is in no store."""
    return chunk_html(chunk, document_format, resolve)


def spread(sizes: Mapping[int, int]) -> dict[str, Any]:
    """The distribution of *sizes*: size → how many have it."""
    found = asdict(distribution(sizes))
    found["histogram"] = [
        {"from": bar["least"], "to": bar["most"], "count": bar["number"]} for bar in found["histogram"]
    ]
    return found
