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
from headwise.stores.store import DocumentRecords, Store

_SIGNS = 8
"""So many `#` of a name are tried as its path's end."""


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


def locate(store: Store, name: str) -> Located:
    """What *name* means: a path as `search` shows it, or what a wikilink would say (a file's name, an alias).

    With `#heading` or `#anchor` it is a section with those inside it; an id (`path#anchor::0`) is a chunk.

    Raises:
        NotStoredError: if there is no such document, section or chunk.
    """
    root, document, fragment = _exact(store, name) or _called(store, *_parted(name))
    path = document.file.path
    if not fragment:
        return Located(root, path, "", "", document, document.records)
    records = [one for one in document.records if one.id == f"{path}#{fragment}"] or _section(document, fragment)
    if not records:
        raise NotStoredError(f"{path} has no section #{fragment}")
    return Located(root, path, fragment, records[0].chunk.anchor, document, records)


def names_section(fragment: str, record: Record) -> bool:
    """Whether *fragment*, an anchor or a heading (the last of `A#B`), means the section of *record*."""
    last = fragment.rpartition("#")[2]
    return bool(last) and record.chunk.anchor in {last, slug(last)}


_Found = tuple[str, DocumentRecords, str]
"""Root, document, and what part of it was named."""


def _exact(store: Store, name: str) -> _Found | None:
    """The document whose path *name* begins with; a `#` may stand in a path, too, so the longest goes first.

    It is asked for by its path: to read a document, not all others have to be looked at.
    """
    ends = [at for at, sign in enumerate(name) if sign == "#"][:_SIGNS]
    roots = store.roots()
    for at in (len(name), *reversed(ends)):
        path = name[:at]
        if not path or "\0" in path or not _is_unicode(path):  # no file is called so, and no database is asked
            continue
        for root in roots:
            document = store.load(root, path)
            if document is not None and not document.excluded:
                return root, document, name[at + 1 :]
    return None


def _called(store: Store, name: str, fragment: str) -> _Found:
    """The document that a wikilink would call *name*.

    Raises:
        NotStoredError: if there is none.
    """
    for root in store.roots():
        path = Directory(store.named(root)).named(name)
        if path is not None and (document := store.load(root, path)) is not None:
            return root, document, fragment
    raise NotStoredError(f"there is no document {name} in the store; name it as search shows it")


def _parted(name: str) -> tuple[str, str]:
    wanted, _, fragment = name.partition("#")
    return wanted, fragment


def _is_unicode(name: str) -> bool:
    return not any("\ud800" <= sign <= "\udfff" for sign in name)


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
