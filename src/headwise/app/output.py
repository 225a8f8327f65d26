"""Values as JSON for programs: the field names of the command line's contract, and how a line is written."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from headwise.app.figures import distribution
from headwise.chunking.split import Analysis
from headwise.indexing.embed import EmbedReport
from headwise.indexing.records import record_id
from headwise.indexing.sync import SyncReport
from headwise.model import Chunk, Document, FrontMatter, Hit, Section
from headwise.reading.lines import line_number
from headwise.stores.store import Stats

_LAST_SECOND = 253_402_300_799  # of the year 9999; file systems know later ones
_SURROGATE = re.compile("[\ud800-\udfff]")


def write_json(value: Mapping[str, Any]) -> None:
    """Write *value* to stdout as one line of JSON: readable UTF-8, with lone surrogates escaped."""
    line = json.dumps(value, ensure_ascii=False, separators=(", ", ": "))
    sys.stdout.write(_SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", line) + "\n")


def chunk_json(document: Document, front_matter: FrontMatter, chunk: Chunk) -> dict[str, Any]:
    """A chunk with its identity and what is known of its document."""
    names = "index start own_start end start_line end_line title headings context text context_after tokens kinds"
    return {
        "id": record_id(document.path, chunk),
        "path": document.path,
        **_fields(chunk, names),
        "content_hash": chunk.content_hash,
        "metadata": {
            **front_matter.data,
            "folder": document.folder,
            "tags": list(dict.fromkeys((*front_matter.tags, *chunk.tags))),
            "links": chunk.links,
            "aliases": front_matter.aliases,
            "mtime": _moment(document.mtime_ns) if document.mtime_ns else None,
            "document_hash": document.content_hash,
            **({"navigation": True} if chunk.navigation else {}),
        },
    }


def section_json(section: Section, tokens: int, lines: Sequence[int]) -> dict[str, Any]:
    """A section with its lines, and the size of its own text."""
    return {
        **_fields(section, "level title start end"),
        "start_line": line_number(lines, section.start),
        "end_line": line_number(lines, section.end - 1),
        "tokens": tokens,
    }


def check_json(path: str, analysis: Analysis, problems: Sequence[str]) -> dict[str, Any]:
    """What was proved about a document, and what of it is in no chunk."""
    return {
        "path": path,
        "ok": not problems,
        "problems": list(problems),
        "chunks": len(analysis.chunks),
        "dropped": [dropped._asdict() for dropped in analysis.dropped],
    }


def index_json(synced: SyncReport, embedded: EmbedReport) -> dict[str, Any]:
    """What indexing did."""
    return {
        "documents": asdict(synced.documents),
        "chunks": synced.chunks,
        "passages": synced.passages,
        **_fields(embedded, "embedded reused pending"),
        "seconds": round(synced.seconds + embedded.seconds, 3),
        "problems": [{"path": p.path, "problem": p.reason} for p in synced.problems],
        "warnings": [warned._asdict() for warned in synced.warnings],
    }


def embed_json(report: EmbedReport) -> dict[str, Any]:
    """What embedding did: `reused` passages had their vector before, `pending` ones still have none."""
    return {**_fields(report, "embedded reused pending"), "seconds": round(report.seconds, 3)}


def stats_json(stats: Stats, pending: int) -> dict[str, Any]:
    """Figures about a store."""
    return {
        **stats.counts._asdict(),
        "tokens": asdict(distribution(stats.sizes)),
        "largest": [asdict(chunk) for chunk in stats.largest],
        "vectors": dict(stats.vectors),
        "pending": pending,
    }


def hit_json(hit: Hit) -> dict[str, Any]:
    """A hit, without the passage that matched."""
    return _fields(hit, "rank score id path start end start_line end_line title headings text link")


def _fields(value: object, names: str) -> dict[str, Any]:
    return {name: getattr(value, name) for name in names.split()}


def _moment(nanoseconds: int) -> str:
    """An instant as ISO 8601 in UTC, to the second."""
    seconds = min(nanoseconds // 1_000_000_000, _LAST_SECOND)
    return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")
