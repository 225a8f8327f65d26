"""What a search answers."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from headwise.app.editor_links import Editor, Opening, openings
from headwise.app.output import hit_json
from headwise.indexing.index import Index
from headwise.indexing.marks import matched_words, passage_lines
from headwise.indexing.query import parse_query
from headwise.model import Hit


def search_view(
    index: Index,
    query: str,
    limit: int,
    budget: int | None,
    path: str | None,
    tags: Sequence[str],
    where: Sequence[str],
    *,
    explain: bool,
    editor: Editor | None,
) -> dict[str, Any]:
    """Hits, as `headwise search --json` gives them, with what a page marks in them, and how they were found.

    Raises:
        SettingsError: if a filter is not understood.
        StoreError: if the store cannot be searched.
    """
    started = time.perf_counter()
    found = index.find(query, limit, budget, path, tags, where)
    asked, opening = parse_query(query).text, openings(index.folders(), editor)
    return {
        "query": query,
        "hits": [_hit(hit, asked, opening(hit), explain=explain) for hit in found.hits],
        "notes": found.notes,
        "model": found.model or None,
        "seconds": round(time.perf_counter() - started, 4),
    }


def _hit(hit: Hit, asked: str, opening: Opening | None, *, explain: bool) -> dict[str, Any]:
    span, lines = hit.passage, passage_lines(hit)
    return {
        **hit_json(hit, asked if explain else None),
        "passage": span and lines and {**span._asdict(), "start_line": lines[0], "end_line": lines[1]},
        "matched": matched_words(hit.text, asked),
        "open": opening and opening.shown,
    }
