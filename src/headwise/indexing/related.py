"""What a document, or a section of it, has to do with others: links both ways, and what is near by its vectors."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from headwise.indexing.links import Directory
from headwise.indexing.locate import locate, names_section
from headwise.indexing.models import Embedder
from headwise.indexing.rank import mean_direction
from headwise.model import Record
from headwise.stores.store import Filters, Store

NEAR = 5
"""How many near documents are named."""

_PASSAGES = 400


class Linked(NamedTuple):
    """A document at the other end of a link."""

    path: str
    title: str
    fragment: str
    """The part that the link names, as written; empty for all of it."""


class Near(NamedTuple):
    """A document that is near by its vectors."""

    path: str
    title: str
    id: str
    """Of its nearest chunk."""
    score: float
    """The cosine of its nearest passage to the mean of those it is compared with."""


@dataclass(frozen=True, slots=True)
class Related:
    """What a document or a section has to do with others."""

    path: str
    anchor: str
    """Of the section; empty for the whole document."""
    links: tuple[Linked, ...]
    """Where its links lead, in order, each once."""
    backlinks: tuple[Linked, ...]
    """Whose links lead to it, in order of path, and to which part of it."""
    near: tuple[Near, ...]
    """Other documents, the nearest first."""
    notes: tuple[str, ...] = ()


def related(store: Store, embedder: Embedder | None, name: str) -> Related:
    """What the document *name* has to do with others.

    Args:
        store: Where to look.
        embedder: The model whose vectors are compared; None for links alone.
        name: A path as `search` shows it, or what a wikilink would say (a file's name, an alias); with `#heading`
            or `#anchor` for a section of it.

    Raises:
        NotStoredError: if there is no such document or section.
    """
    place = locate(store, name)
    root, path, anchor, document = place.root, place.path, place.anchor, place.document
    every = store.named(root)
    records, fragment = place.records, place.fragment
    directory, titles = Directory(every), {one.path: one.title for one in every}
    spans = [(record.chunk.start, record.chunk.end) for record in records]
    links = [
        Linked(target.path, titles[target.path], target.fragment)
        for link in document.links
        if not fragment or any(start <= link.start < end for start, end in spans)
        if (target := directory.resolve(path, link)) and target.path != path
    ]
    backlinks = [
        Linked(one.path, one.title, target.fragment)
        for one in every
        for link in one.links
        if one.path != path and (target := directory.resolve(one.path, link)) and target.path == path
        if not fragment or names_section(target.fragment, records[0])
    ]
    near = _near(store, embedder, root, path, records) if embedder else ()
    return Related(path, anchor, tuple(dict.fromkeys(links)), tuple(dict.fromkeys(backlinks)), near)


def _near(store: Store, embedder: Embedder, root: str, path: str, records: Iterable[Record]) -> tuple[Near, ...]:
    """The documents with the passages nearest to the mean of those in *records*."""
    hashes = [passage.content_hash for record in records for passage in record.passages]
    known = store.vectors(embedder.key, hashes)
    mean = mean_direction([known[one] for one in hashes if one in known])
    if mean is None:
        return ()
    found = store.nearest(embedder.key, mean, Filters(), _PASSAGES + len(hashes))
    chunks = store.chunks({passage.chunk for passage in found})
    near: dict[tuple[str, str], Near] = {}
    for passage in found:
        chunk = chunks.get(passage.chunk)
        if chunk and (chunk.root, chunk.path) != (root, path):
            near.setdefault((chunk.root, chunk.path), Near(chunk.path, chunk.title, chunk.id, passage.score))
    return tuple(near.values())[:NEAR]
