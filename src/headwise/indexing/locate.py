"""From a name to what it names in a store: a document, a section of one, or a chunk."""

from __future__ import annotations

from collections.abc import Container, Sequence
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
    roots = [(root, store.named(root)) for root in store.roots()]
    wanted, fragment = _parted(name, {one.path for _, every in roots for one in every})
    root, path, every = _find(roots, wanted)
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


def _parted(name: str, paths: Container[str]) -> tuple[str, str]:
    """Document and fragment; a `#` may stand in a path, too, so the longest that is one of *paths* goes first."""
    at = len(name)
    while at >= 0:
        if name[:at] in paths:
            return name[:at], name[at + 1 :]
        at = name.rfind("#", 0, at)
    wanted, _, fragment = name.partition("#")
    return wanted, fragment


def _find(roots: Sequence[tuple[str, Sequence[Named]]], name: str) -> tuple[str, str, Sequence[Named]]:
    """Root and path of the document called *name*, and all documents of that root; an exact path goes first."""
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
