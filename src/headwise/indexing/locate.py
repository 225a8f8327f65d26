"""From a name to what it names in a store: a document, a section of one, or a chunk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from headwise.chunking.split import analyse
from headwise.errors import NotStoredError
from headwise.indexing.links import Directory
from headwise.model import Record
from headwise.reading.outline import slug
from headwise.stores.store import DocumentRecords, Named, Store


@dataclass(frozen=True, slots=True)
class Located:
    """A document, or the part of it that was named."""

    root: str
    path: str
    fragment: str
    """The part that was named, as written; empty for all of the document."""
    anchor: str
    """Of the section; empty for all of the document."""
    document: DocumentRecords
    records: Sequence[Record]
    """The chunks of what was named, in order."""
    every: Sequence[Named]
    """All documents of that root."""


def locate(store: Store, name: str) -> Located:
    """What *name* means: a path as `search` shows it, or what a wikilink would say (a file's name, an alias).

    With `#heading` or `#anchor` it is a section with those inside it; an id (`path#anchor::0`) is a chunk.

    Raises:
        NotStoredError: if there is no such document, section or chunk.
    """
    wanted, _, fragment = name.partition("#")
    root, path, every = _find(store, wanted)
    document = store.load(root, path)
    if document is None:  # it went just now
        raise NotStoredError(f"there is no document {wanted} in the store")
    if not fragment:
        return Located(root, path, "", "", document, document.records, every)
    records = [one for one in document.records if one.id == f"{path}#{fragment}"] or _section(document, fragment)
    if not records:
        raise NotStoredError(f"{path} has no section #{fragment}")
    return Located(root, path, fragment, records[0].chunk.anchor, document, records, every)


def names_section(fragment: str, record: Record) -> bool:
    """Whether *fragment*, an anchor or a heading (the last of `A#B`), means the section of *record*."""
    last = fragment.rpartition("#")[2]
    return bool(last) and record.chunk.anchor in {last, slug(last)}


def _find(store: Store, name: str) -> tuple[str, str, Sequence[Named]]:
    """Root and path of the document called *name*, and all documents of that root; an exact path goes first."""
    roots = [(root, store.named(root)) for root in store.roots()]
    for root, every in roots:
        if any(one.path == name for one in every):
            return root, name, every
    for root, every in roots:
        if (path := Directory(every).named(name)) is not None:
            return root, path, every
    raise NotStoredError(f"there is no document {name} in the store; name it as search shows it")


def _section(document: DocumentRecords, fragment: str) -> Sequence[Record]:
    """The records of the section that *fragment* means, with those of the sections inside it.

    One so small that it was joined with another has no record of its own: then it is the one with its heading.
    """
    at = next((at for at, record in enumerate(document.records) if names_section(fragment, record)), None)
    if at is None:
        wanted = {fragment.rpartition("#")[2], slug(fragment.rpartition("#")[2])}
        return [
            record
            for record in document.records
            if any(section.anchor in wanted for section in analyse(record.chunk.text).sections)
        ][:1]
    first = document.records[at].chunk

    def inside(record: Record) -> bool:
        chunk, depth = record.chunk, len(first.headings)
        return chunk.anchor == first.anchor or (
            len(chunk.headings) > depth and chunk.headings[:depth] == first.headings
        )

    return list(takewhile(inside, document.records[at:]))
