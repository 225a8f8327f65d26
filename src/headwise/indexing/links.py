"""Which document a link points to: a wikilink by name, path or alias, any other by its path."""

from __future__ import annotations

import re
from collections.abc import Iterable
from posixpath import normpath
from typing import NamedTuple
from unicodedata import normalize
from urllib.parse import unquote

from headwise.model import Link
from headwise.stores.store import Named

_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.IGNORECASE)
_EXTENSION = re.compile(r"\.(?:md|markdown|mdx|txt)\Z", re.IGNORECASE)
_FOLDER_NOTES = ("readme", "index")


class Target(NamedTuple):
    """A document, and the part of it that is meant."""

    path: str
    fragment: str
    """An anchor, or a heading as it is written; empty for all of it."""


class Directory:
    """The documents of a root by all that links may call them. Letter case does not matter, but the same is preferred.

    >>> here = Directory([Named("a/Motor notes.md", "Motors", ("N20",), ()), Named("b.md", "B", (), ())])
    >>> here.resolve("b.md", Link(0, 9, "a/Motor%20notes.md#wiring", "link"))
    Target(path='a/Motor notes.md', fragment='wiring')
    >>> here.named("n20", "b.md")
    'a/Motor notes.md'
    """

    def __init__(self, documents: Iterable[Named]) -> None:
        self._by_name: dict[str, list[str]] = {}
        self._by_alias: dict[str, list[str]] = {}
        for document in documents:
            names = document.path.split("/")
            for at in range(len(names)):
                tail = "/".join(names[at:])
                for name in dict.fromkeys((tail, _EXTENSION.sub("", tail))):
                    self._by_name.setdefault(_folded(name), []).append(document.path)
            for alias in document.aliases:
                self._by_alias.setdefault(_folded(alias), []).append(document.path)

    def resolve(self, source: str, link: Link) -> Target | None:
        """What *link*, which stands in the document *source*, points to; None if that is no document here."""
        path, _, fragment = link.target.partition("#")
        if link.kind in {"wikilink", "embed"}:
            found = self.named(path.strip(), source) if path.strip() else source
        elif _SCHEME.match(link.target):
            return None
        else:
            path, fragment = unquote(path.partition("?")[0]), unquote(fragment)
            found = self._at(path, source) if path else source
        return None if found is None else Target(found, fragment.strip())

    def named(self, name: str, source: str = "") -> str | None:
        """The document called *name*: with or without folders and extension, else by an alias.

        Of several the one beside *source*, else the one with the shortest path.
        """
        found = self._by_name.get(_folded(name.strip("/"))) or self._by_alias.get(_folded(name)) or []
        return min(found, key=lambda path: (_folder(path) != _folder(source), path.count("/"), path), default=None)

    def _at(self, path: str, source: str) -> str | None:
        """The document at *path*, seen from *source*; a folder stands for its README or index."""
        folder = "" if path.startswith("/") else _folder(source)
        whole = normpath(f"{folder}/{path}".strip("/"))
        for name in (whole, *(f"{whole}/{note}".removeprefix("./") for note in _FOLDER_NOTES)):
            found = [one for one in self._by_name.get(_folded(name), ()) if one.count("/") == name.count("/")]
            if found:
                return min(found, key=lambda one: (not one.startswith(name), one))
        return None


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _folded(name: str) -> str:
    return normalize("NFC", name).casefold()
