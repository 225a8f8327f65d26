"""A text that was sent, cut."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from headwise.app.output import section_json
from headwise.app.service.chunks import chunk_view, html_of, spread
from headwise.chunking.passages import passages
from headwise.chunking.settings import Settings
from headwise.chunking.split import analyse
from headwise.indexing.documents import document_format
from headwise.integrations.stored import chunk_fields

STDIN = "-"


def cut_view(
    text: str,
    path: str,
    title: str | None,
    settings: Settings,
    size: int | None,
    *,
    obsidian: bool,
    html: bool,
) -> Mapping[str, Any]:
    """The chunks of *text* and all that is known of the cut; nothing is stored.

    Args:
        text: The document.
        path: Names the document in ids, and by its ending its format; `-` stands for no name, and Markdown.
        title: The document's title; read from the text if None.
        settings: How to cut.
        size: Largest size of a passage; None makes each chunk one.
        obsidian: Whether to read it as a note of an Obsidian vault.
        html: Whether chunks are rendered as well.
    """
    form = "markdown" if path == STDIN else document_format(path)
    analysis = analyse(
        text,
        settings=settings,
        path="" if path == STDIN else path,
        title=title,
        document_format=form,
        obsidian=obsidian,
    )
    count, tree, front = settings.measure().count, analysis.tree, analysis.tree.front_matter
    chunks = [
        chunk_view(chunk_fields(path, 0, "", front, chunk), chunk, inside, count)
        | ({"html": html_of(chunk, form, _nowhere)} if html else {})
        for chunk, inside in zip(analysis.chunks, passages(analysis, settings, size), strict=True)
    ]
    return {
        "title": analysis.title,
        "chunks": chunks,
        "sections": [
            section_json(section, count(text[section.start : section.own_end].rstrip()), tree.lines)
            | {"anchor": section.anchor}
            for section in analysis.sections
        ],
        "dropped": [dropped._asdict() for dropped in analysis.dropped],
        "tokens": spread(Counter(chunk.tokens for chunk in analysis.chunks)),
        "settings": {
            "max_tokens": settings.max_tokens,
            "min_tokens": settings.minimum,
            "overlap": str(settings.overlap),
            "strategy": settings.strategy,
            "tokenizer": settings.measure().name,
        },
    }


def _nowhere(_target: str) -> None:
    """Relative links of a text that lies nowhere lead nowhere."""
