"""Names like one that is not there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from pathlib import PurePosixPath
from unicodedata import normalize

from headwise.errors import NotStoredError
from headwise.indexing.locate import locate
from headwise.model import Record
from headwise.reading.outline import slug
from headwise.stores.store import Named, Store

_MOST = 3
_LIKE = 0.7
"""How like names are, of 1, as difflib measures it; a letter missing in five is 0.9."""
_LONGEST = 120
"""Characters of a name that are compared: nobody's typing error is longer."""


def nearest_names(store: Store, name: str) -> list[str]:
    """What in *store* is called nearly as *name*, which is not there: documents, or sections of the one it names."""
    wanted, _, heading = name.partition("#")
    if heading:
        try:
            place = locate(store, wanted)
        except NotStoredError:
            pass
        else:
            return [f"{place.path}#{anchor}" for anchor in _sections(heading, place.records)]
    return _documents(wanted, (one for root in store.roots() for one in store.named(root)))


def _documents(name: str, documents: Iterable[Named]) -> list[str]:
    """The paths of those of *documents* whose path, file name, title or alias is most like *name*."""
    names: dict[str, str] = {}
    for document in documents:
        path = PurePosixPath(document.path)
        for called in (document.path, path.name, path.stem, document.title, *document.aliases):
            names.setdefault(_folded(called), document.path)
    wanted = PurePosixPath(name[:_LONGEST])
    return _nearest((wanted.stem, wanted.name, str(wanted)), names)


def _sections(heading: str, records: Iterable[Record]) -> list[str]:
    """The anchors of those sections that are most like *heading*."""
    names: dict[str, str] = {}
    for record in records:
        if anchor := record.chunk.anchor:
            names.setdefault(_folded(anchor), anchor)
            names.setdefault(_folded(record.chunk.headings[-1] if record.chunk.headings else anchor), anchor)
    last = heading.partition("::")[0].rpartition("#")[2][:_LONGEST]
    return _nearest((last, slug(last)), names)


def _nearest(wanted: Iterable[str], names: Mapping[str, str]) -> list[str]:
    """What the keys stand for that hold, or are most like, the first of *wanted* that any key is like."""
    for one in filter(None, map(_folded, wanted)):
        found = [names[key] for key in sorted(names, key=len) if len(one) > 2 and one in key]
        found += [names[key] for key in get_close_matches(one, names, _MOST, _LIKE)]
        if found:
            return list(dict.fromkeys(found))[:_MOST]
    return []


def _folded(name: str) -> str:
    return normalize("NFC", name).casefold()
