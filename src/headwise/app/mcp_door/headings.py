"""The sections of a stored document, with their lines and what it takes to read them."""

from __future__ import annotations

from typing import NamedTuple

from headwise.app.mcp_door.slices import between
from headwise.chunking.measure import find_measure
from headwise.indexing.budget import MEASURE
from headwise.reading.lines import line_number, line_starts
from headwise.reading.outline import outline
from headwise.reading.parse import parse
from headwise.stores.store import DocumentRecords


class Heading(NamedTuple):
    """A section."""

    level: int
    title: str
    anchor: str
    start_line: int
    end_line: int
    tokens: int
    """`cl100k_base` tokens of all of it, the sections inside it included."""


def headings_of(document: DocumentRecords, *, is_vault: bool) -> list[Heading]:
    """The sections of *document* in order, as far as it is indexed.

    Args:
        document: As it is stored.
        is_vault: Whether it is read as a note of an Obsidian vault.
    """
    text = _laid_out(document)
    starts = line_starts(text)
    sections = outline(parse(text, document_format=document.format, obsidian=is_vault))
    count = find_measure(MEASURE).count
    sizes = [count(text[section.start : section.own_end].strip()) for section in sections]
    totals = list(sizes)
    for number in range(len(sections) - 1, -1, -1):
        if (parent := sections[number].parent) >= 0:
            totals[parent] += totals[number]
    return [
        Heading(
            section.level,
            section.title,
            section.anchor,
            line_number(starts, start),
            line_number(starts, start + len(text[start : section.end].rstrip()) - 1),
            total,
        )
        for section, total in zip(sections, totals, strict=True)
        for start in (section.own_start - len(text[section.start : section.own_start].lstrip()),)
    ]


def _laid_out(document: DocumentRecords) -> str:
    """The document's text with every line where it is: what is not stored, such as front matter, is blank."""
    parts: list[str] = []
    line, end = 1, 0
    for record in document.records:
        chunk = record.chunk
        start = max(chunk.own_start, end)
        own = chunk.text[start - chunk.start :]
        own_line = chunk.end_line - len(line_starts(own)) + 1
        space = between(record, end, start) if parts else None
        if space is None:
            space = "\n" * (own_line - line) or (" " if parts else "")
        parts.append(space)
        parts.append(own)
        line, end = chunk.end_line, max(end, chunk.end)
    return "".join(parts)
