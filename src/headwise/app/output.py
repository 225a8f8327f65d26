"""Values as JSON for programs: the field names of the command line's contract, and how a line is written."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from headwise.app.editor_links import Opening
from headwise.app.figures import distribution
from headwise.chunking.split import Analysis
from headwise.indexing.advice import Advice, tiny_chunks, tiny_size, why_large
from headwise.indexing.embed import EmbedReport
from headwise.indexing.excerpt import Excerpt
from headwise.indexing.marks import matched_words, passage_lines
from headwise.indexing.plan import Plan
from headwise.indexing.related import Related
from headwise.indexing.sync import SyncReport
from headwise.indexing.verify import VerifyReport
from headwise.integrations.jsonl import json_line
from headwise.integrations.stored import chunk_fields
from headwise.model import Chunk, Document, FrontMatter, Hit, Section
from headwise.reading.lines import line_number
from headwise.stores.store import Space, Stats, Unused


def write_json(value: Mapping[str, Any]) -> None:
    """Write *value* to stdout as one line of JSON: readable UTF-8, with lone surrogates escaped."""
    sys.stdout.write(json_line(value))


def chunk_json(document: Document, front_matter: FrontMatter, chunk: Chunk) -> dict[str, Any]:
    """A chunk with its identity and what is known of its document."""
    return chunk_fields(document.path, document.mtime_ns, document.content_hash, front_matter, chunk)


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
        "chunk_changes": asdict(synced.changes),
    }


def plan_json(plan: Plan, model: str, price: float | None) -> dict[str, Any]:
    """What indexing would do, with the fields of `index_json` where it would do the same."""
    report = plan.report
    return {
        "plan": True,
        "documents": asdict(report.documents),
        "chunk_changes": asdict(report.changes),
        "chunks": report.chunks,
        "passages": report.passages,
        "model": model or None,
        "to_embed": plan.to_embed,
        "tokens": plan.tokens,
        "unread": plan.unread,
        "price": price,
        "cost": None if price is None else round(plan.cost(price), 6),
        "asks": plan.deletes_most,
        "seconds": round(report.seconds, 3),
        "problems": [{"path": p.path, "problem": p.reason} for p in report.problems],
        "warnings": [warned._asdict() for warned in report.warnings],
    }


def embed_json(report: EmbedReport) -> dict[str, Any]:
    """What embedding did: `reused` passages had their vector before, `pending` ones still have none."""
    return {**_fields(report, "embedded reused pending"), "seconds": round(report.seconds, 3)}


def verify_json(report: VerifyReport) -> dict[str, Any]:
    """What differed between a folder and its store; an empty path stands for the store as a whole."""
    return {
        **_fields(report, "documents is_clean"),
        "differences": [{"path": d.path, "difference": d.what, "mended": d.mended} for d in report.differences],
        "problems": [{"path": p.path, "problem": p.reason} for p in report.problems],
        "pending": report.pending,
        "unused_vectors": report.unused.vectors,
        "vectors_checked": report.with_vectors,
        "seconds": round(report.seconds, 3),
    }


def gc_json(dropped: Unused, space: Space) -> dict[str, Any]:
    """What was dropped, and the store's size in bytes before and after."""
    return {"vectors": dropped.vectors, "bytes": dropped.bytes, **space._asdict()}


def stats_json(stats: Stats, pending: int, advice: Sequence[Advice]) -> dict[str, Any]:
    """Figures about a store, and what is worth a look."""
    again, found = stats.repetition, stats.standouts
    return {
        **stats.counts._asdict(),
        "tokens": asdict(distribution(stats.sizes)),
        "largest": [asdict(chunk) | {"why": why_large(chunk)} for chunk in stats.largest],
        "vectors": dict(stats.vectors),
        "properties": dict(stats.properties),
        "pending": pending,
        "tiny": {"under": tiny_size(stats), "chunks": tiny_chunks(stats)},
        "oversize": stats.oversize,
        "navigation": stats.navigation._asdict(),
        "repeated": again._asdict() | {"most": [text._asdict() for text in again.most]},
        "folder_count": found.folder_count,
        "folders": [folder._asdict() for folder in found.folders],
        "largest_document": found.largest and _fields(found.largest, "root path chunks tokens"),
        "daily_notes": _fields(found.daily, "documents chunks folder"),
        "without_headings": found.headless,
        "warnings": [item._asdict() for item in advice],
    }


def hit_json(hit: Hit, asked: str | None = None, opening: Opening | None = None) -> dict[str, Any]:
    """A hit: `open` if it is known how, `also` for copies of its text, `explain` if it is said what was *asked*."""
    shown = _fields(hit, "rank score id path start end start_line end_line title headings text link")
    if opening:
        shown["open"] = opening.shown
    if hit.also:
        shown["also"] = [copy._asdict() for copy in hit.also]
    if asked is not None:
        shown["explain"] = _explain_json(hit, asked)
    return shown


def excerpt_json(found: Excerpt) -> dict[str, Any]:
    """A document, a section or a chunk: where it stands and what it says."""
    return asdict(found)


def related_json(found: Related) -> dict[str, Any]:
    """What a document or section has to do with others."""
    return {
        **_fields(found, "path anchor"),
        **{
            name: [one._asdict() for one in group]
            for name, group in (("links", found.links), ("backlinks", found.backlinks), ("near", found.near))
        },
    }


def _explain_json(hit: Hit, asked: str) -> dict[str, Any]:
    """How a hit came by its score; null for a list that it is not in, and where no passage was near."""
    scores = hit.scores
    words, vectors = (scores.words, scores.vectors) if scores else (None, None)
    span, lines = hit.passage, passage_lines(hit)
    return {
        "words": words and words._asdict() | {"matched": matched_words(hit.text, asked)},
        "vectors": vectors and vectors._asdict(),
        "weight": scores and scores.weight,
        "mixed": scores and scores.mixed,
        "headings": scores and scores.headings,
        "neighbours": scores and scores.neighbours,
        "document": scores and scores.document,
        "passage": span and lines and span._asdict() | {"start_line": lines[0], "end_line": lines[1]},
    }


def _fields(value: object, names: str) -> dict[str, Any]:
    return {name: getattr(value, name) for name in names.split()}
