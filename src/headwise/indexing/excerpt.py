"""What a document, a section or a chunk says, put together from what is stored of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from headwise.errors import NotStoredError
from headwise.indexing.locate import locate
from headwise.model import Record
from headwise.stores.store import Store

CUT = "\n\n[…]\n\n"
"""Stands where text was left out of the index: front matter apart, only what was dropped for a reason."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A part of a document, or all of it."""

    path: str
    anchor: str
    """Of the section; empty for all of the document."""
    title: str
    headings: tuple[str, ...]
    """Titles of the sections that it lies in, outermost first."""
    start: int
    end: int
    start_line: int
    end_line: int
    link: str
    ids: tuple[str, ...]
    """Of the chunks that it is made of."""
    text: str


def excerpt(store: Store, name: str) -> Excerpt:
    """What *name* says: see `headwise.indexing.locate.locate` for how things are named.

    Raises:
        NotStoredError: if there is no such document, section or chunk, or nothing of it is indexed.
    """
    place = locate(store, name)
    if not place.records:
        raise NotStoredError(f"nothing of {place.path} is indexed: it is empty, or keeps itself out")
    first, last = place.records[0], place.records[-1]
    whole = not place.fragment
    return Excerpt(
        path=place.path,
        anchor=place.anchor,
        title=place.document.title,
        headings=() if whole else first.chunk.headings,
        start=first.chunk.start if len(place.records) == 1 else first.chunk.own_start,
        end=last.chunk.end,
        start_line=first.chunk.start_line,
        end_line=last.chunk.end_line,
        link=first.link.partition("#")[0] if whole else first.link,
        ids=tuple(record.id for record in place.records),
        text=_joined(place.records),
    )


def _joined(records: Sequence[Record]) -> str:
    """The texts one after the other, what overlaps once, with the white space that stood between them."""
    if len(records) == 1:
        return records[0].chunk.text
    parts: list[str] = []
    end = records[0].chunk.own_start
    for record in records:
        chunk = record.chunk
        if chunk.start <= end:
            parts.append(chunk.text[end - chunk.start :])
        else:
            parts += (record.gap if len(record.gap) == chunk.start - end else CUT, chunk.text)
        end = chunk.end
    return "".join(parts)
