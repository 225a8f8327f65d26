"""How the chunks of a document differ from those that were stored of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass
from operator import add

from headwise.model import Record
from headwise.stores.store import Place


@dataclass(frozen=True, slots=True)
class ChunkChanges:
    """How many chunks had which outcome; those of untouched documents are not counted.

    A chunk is the same as before if it has the same section, the same number in it, and the same text, wherever in its
    document that now stands.
    """

    added: int = 0
    """At a place that had none."""
    changed: int = 0
    """At a place that had another text."""
    moved: int = 0
    """The same as before, in a document that moved."""
    unchanged: int = 0
    """The same as before, in a document that stayed and was cut anew."""
    removed: int = 0

    @property
    def reused(self) -> int:
        """Those that were there before."""
        return self.moved + self.unchanged

    def __add__(self, other: ChunkChanges) -> ChunkChanges:
        return ChunkChanges(*map(add, astuple(self), astuple(other)))


def compare_chunks(before: Iterable[Place], now: Sequence[Record], *, moved: bool) -> ChunkChanges:
    """What became of the chunks *before*, of a document that may have *moved*."""
    texts = {(place.anchor, place.number): place.text for place in before}
    found = [texts.pop((record.chunk.anchor, record.chunk.number), None) for record in now]
    same = sum(text == record.chunk.text for text, record in zip(found, now, strict=True))
    added = found.count(None)
    return ChunkChanges(
        added=added,
        changed=len(now) - added - same,
        moved=same if moved else 0,
        unchanged=0 if moved else same,
        removed=len(texts),
    )
