"""Chunks that say again what a better one says, folded into it: a pure step."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from headwise.indexing.words import analyse_words
from headwise.model import Copy
from headwise.stores.store import StoredChunk

NEARLY = 0.9
"""Share of their runs of three words that two chunks have in common if one is nearly a copy of the other."""

_COMPARED = 50
_RUN = 3

Runs = frozenset[tuple[str, ...]]


def fold(ranked: Iterable[StoredChunk]) -> tuple[list[StoredChunk], dict[int, tuple[Copy, ...]]]:
    """The chunks of *ranked* without copies of better ones, and by the row of a chunk where its copies are.

    Text that is the same but for white space is a copy wherever it stands; text that is nearly the same only in
    another document, and only among the first: versions of a page are seldom both wanted, rows of a table are.
    """
    kept: list[StoredChunk] = []
    copies: dict[int, tuple[Copy, ...]] = {}
    by_text: dict[str, StoredChunk] = {}
    compared: list[tuple[StoredChunk, Runs]] = []
    for number, chunk in enumerate(ranked):
        first = by_text.setdefault(" ".join(chunk.text.split()), chunk)
        if first is chunk and number < _COMPARED:
            runs = _runs(chunk.text)
            first = next((other for other, known in compared if _alike(chunk, runs, other, known)), chunk)
            if first is chunk:
                compared.append((chunk, runs))
        if first is chunk:
            kept.append(chunk)
        else:
            by_text[" ".join(chunk.text.split())] = first
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
    if (chunk.root, chunk.path) == (other.root, other.path):
        return False
    common = len(runs & known)
    return common >= NEARLY * (len(runs) + len(known) - common)


def _runs(text: str) -> Runs:
    words: Sequence[str] = analyse_words(text)
    return frozenset(tuple(words[at : at + _RUN]) for at in range(max(len(words) - _RUN, 0) + 1))
