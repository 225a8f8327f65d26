"""Figures about every document, folded into figures about folders and about what stands out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

LONG = 5000
"""Tokens: a document of more, without a heading, is hardly found by what it is about."""
FOLDERS = 20
"""Folders that are listed, those with most chunks."""

_DATED = re.compile(r"(?:19|20)\d\d(-?)(?:0[1-9]|1[0-2])\1(?:0[1-9]|[12]\d|3[01])(?!\d)")
"""How the name of a daily note begins: `2024-05-01`, `20240501`."""


class Size(NamedTuple):
    """A document, and how much of a store is its."""

    root: str
    path: str
    chunks: int
    tokens: int
    headed: bool = True
    """Whether a chunk of it belongs to a heading."""


class Folder(NamedTuple):
    """A folder with all that is in it, and in the folders in it."""

    root: str
    path: str
    """Empty for a root itself, where documents lie beside folders: then only these documents are meant."""
    documents: int
    chunks: int
    tokens: int


class Daily(NamedTuple):
    """The daily notes: documents whose names begin with a date."""

    documents: int = 0
    chunks: int = 0
    folder: str = ""
    """The innermost folder that holds them all; empty for a root, or where they are in several roots."""
    others: int = 0
    """Documents in that folder that are no daily notes."""


@dataclass(frozen=True, slots=True)
class Standouts:
    """What stands out among the documents of a store."""

    folders: tuple[Folder, ...] = ()
    """The folders directly below the innermost that holds all of their root, those with most chunks first."""
    folder_count: int = 0
    """How many there are; `folders` holds no more than `FOLDERS`."""
    largest: Size | None = None
    """The document with most chunks."""
    daily: Daily = field(default_factory=Daily)
    headless: int = 0
    """Documents of more than `LONG` tokens without a heading."""
    headless_path: str = ""
    """The largest of them."""


def fold(sizes: Iterable[Size]) -> Standouts:
    """What stands out among documents that come one after another; memory grows with folders, not with documents."""
    direct: Counter[tuple[str, str]] = Counter()
    chunks: Counter[tuple[str, str]] = Counter()
    tokens: Counter[tuple[str, str]] = Counter()
    dated: Counter[tuple[str, str]] = Counter()
    dated_chunks = headless = 0
    largest = headless_largest = None
    for size in sizes:
        parent, _, name = size.path.rpartition("/")
        here = size.root, parent
        direct[here] += 1
        chunks[here] += size.chunks
        tokens[here] += size.tokens
        if _DATED.match(name):
            dated[here] += 1
            dated_chunks += size.chunks
        if largest is None or size.chunks > largest.chunks:
            largest = size
        if not size.headed and size.tokens > LONG:
            headless += 1
            if headless_largest is None or size.tokens > headless_largest.tokens:
                headless_largest = size
    above = {root: _common(path for name, path in direct if name == root) for root in {root for root, _ in direct}}
    groups: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for root, path in direct:
        groups.setdefault((root, _below(path, above[root])), []).append((root, path))
    folders = [
        Folder(*group, *(sum(figure[place] for place in places) for figure in (direct, chunks, tokens)))
        for group, places in groups.items()
    ]
    folders.sort(key=lambda folder: (-folder.chunks, folder.root, folder.path))
    return Standouts(
        folders=tuple(folders[:FOLDERS]),
        folder_count=len(folders),
        largest=largest,
        daily=_daily(direct, dated, dated_chunks),
        headless=headless,
        headless_path=headless_largest.path if headless_largest else "",
    )


def _daily(direct: Counter[tuple[str, str]], dated: Counter[tuple[str, str]], chunks: int) -> Daily:
    """The daily notes, of which *dated* says how many lie where."""
    roots = {root for root, _ in dated}
    if len(roots) != 1:
        number = dated.total()
        return Daily(number, chunks, "", direct.total() - number)
    (root,) = roots
    folder = _common(path for _, path in dated)
    inside = sum(number for (name, path), number in direct.items() if name == root and _is_in(path, folder))
    return Daily(dated.total(), chunks, folder, inside - dated.total())


def _is_in(path: str, folder: str) -> bool:
    return not folder or path == folder or path.startswith(f"{folder}/")


def _common(folders: Iterable[str]) -> str:
    """The innermost folder that holds all of *folders*."""
    common: list[str] | None = None
    for folder in folders:
        parts = folder.split("/") if folder else []
        if common is None:
            common = parts
        same = (n for n, (one, other) in enumerate(zip(common, parts, strict=False)) if one != other)
        common = common[: next(same, min(len(common), len(parts)))]
    return "/".join(common or ())


def _below(folder: str, above: str) -> str:
    """The folder directly below *above* that *folder* is in; *above* itself for what lies directly in it."""
    if folder == above:
        return above
    start = len(above) + 1 if above else 0
    return folder[: start + len(folder[start:].partition("/")[0])]
