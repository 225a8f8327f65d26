"""Chunks that say again what a better one says, folded into it: a pure step."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from headwise.model import Copy
from headwise.stores.store import StoredChunk

NEARLY = 0.9
"""Share of their runs of three words that two chunks have in common if one is nearly a copy of the other."""

_COMPARED = 50
_START = 8
"""Words; few texts begin alike, and only those are compared whole."""

# Not the terms a search goes by: finding their stems would take most of its time. Where words have no spaces between
# them, a character stands for a word.
_SPACELESS = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    r"\U00020000-\U0003ffff"
)
_WORD = re.compile(rf"[{_SPACELESS}]|[^\W_{_SPACELESS}]+")

Runs = frozenset[int]
"""Runs of words by their hashes: ten thousand tuples would keep Python's collector of garbage busy."""


def fold(ranked: Sequence[StoredChunk]) -> tuple[list[StoredChunk], dict[int, tuple[Copy, ...]]]:
    """The chunks of *ranked* without copies of better ones, and by the row of a chunk where its copies are.

    Text that is the same but for white space is a copy wherever it stands; text that is nearly the same only in
    another document, and only among the first: versions of a page are seldom both wanted, rows of a table are.
    """
    kept: list[StoredChunk] = []
    copies: dict[int, tuple[Copy, ...]] = {}
    by_text: dict[tuple[str, ...], StoredChunk] = {}
    compared: list[tuple[StoredChunk, Runs]] = []
    starts = [tuple(chunk.text.split(None, _START)[:_START]) for chunk in ranked]
    often = Counter(starts)
    for number, (chunk, start) in enumerate(zip(ranked, starts, strict=True)):
        words = tuple(chunk.text.split()) if often[start] > 1 else start
        first = by_text.setdefault(words, chunk)
        if first is chunk and number < _COMPARED:
            runs = _runs(chunk.text)
            first = next((other for other, known in compared if _alike(chunk, runs, other, known)), chunk)
            if first is chunk:
                compared.append((chunk, runs))
        if first is chunk:
            kept.append(chunk)
        else:
            by_text[words] = first
            copies[first.row] = (*copies.get(first.row, ()), Copy(chunk.path, chunk.id))
    return kept, copies


def at_most(ranked: Iterable[StoredChunk], number: int) -> list[StoredChunk]:
    """The first *number* chunks of each document of *ranked*."""
    seen: dict[tuple[str, str], int] = {}
    kept: list[StoredChunk] = []
    for chunk in ranked:
        here = chunk.root, chunk.path
        seen[here] = seen.get(here, 0) + 1
        if seen[here] <= number:
            kept.append(chunk)
    return kept


def _alike(chunk: StoredChunk, runs: Runs, other: StoredChunk, known: Runs) -> bool:
    # Their sizes first: most differ too much.
    if len(runs) < NEARLY * len(known) or len(known) < NEARLY * len(runs):
        return False
    if (chunk.root, chunk.path) == (other.root, other.path):
        return False
    common = len(runs & known)
    return common >= NEARLY * (len(runs) + len(known) - common)


def _runs(text: str) -> Runs:
    words = _WORD.findall(text.casefold())
    return frozenset(map(hash, zip(words, words[1:], words[2:], strict=False))) or frozenset({hash(tuple(words))})
