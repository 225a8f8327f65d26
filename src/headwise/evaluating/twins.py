"""Where documents say the same: sections and pages that say nearly all another says, and pages that hold a sentence."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from zlib import crc32

from headwise.evaluating.metrics import Place
from headwise.evaluating.sources import WITHOUT_SPACES, Source

_COVERED = 0.7
"""Share of a place's rows of words that stand in another one that answers as well."""
_ROW = 4
"""Words in a row, as Broder (1997) compares documents by their shingles."""
_SKETCH = 48
"""Rows of a place, those with the smallest hashes, that others are looked for by."""
_SHARED = 3
_WORD = re.compile(rf"[{WITHOUT_SPACES}]|[^\W{WITHOUT_SPACES}]+")
_MASK = (1 << 61) - 1
_LEAST_WORDS = 6
"""Of a sentence that is looked for: fewer stand in many places by chance."""


class Twins:
    """All sections and pages of *sources*, to be asked for those that say the same."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self._sources = {source.path: source for source in sources}
        self._sketches: dict[Place, list[int]] = {}
        self._places: defaultdict[int, list[Place]] = defaultdict(list)
        for source in sources:
            for place in dict.fromkeys((source.body(), *map(source.own, source.sections))):
                self._sketches[place] = sorted(self._rows(place))[:_SKETCH]
                for row in self._sketches[place]:
                    self._places[row].append(place)
        self._rows_of = lru_cache(maxsize=1 << 12)(self._rows)

    def _rows(self, place: Place) -> frozenset[int]:
        return frozenset(_rows(_words(self._sources[place.document].text_of(place))))

    def of(self, place: Place, most: int) -> tuple[Place, ...]:
        """*place*, a section's own text or a page, and others that say nearly all it says; none overlap.

        There may be thousands: it is looked for no more when there are more than *most* together.
        """
        wanted = self._rows_of(place)
        shared = Counter(other for row in self._sketches.get(place, ()) for other in self._places[row])
        found = [place]
        for other in sorted(shared, key=lambda one: (one.end - one.start, one)):
            if len(found) > most:
                break
            if shared[other] < min(_SHARED, len(wanted)) or any(_overlap(other, one) for one in found):
                continue
            if len(wanted & self._rows_of(other)) >= _COVERED * len(wanted):
                found.append(other)
        return tuple(sorted(found))


def holders(sources: Sequence[Source], sentences: Iterable[str]) -> Mapping[str, frozenset[str]]:
    """For each of *sentences* the paths of the documents that hold its words, in order; none if it is short."""
    wanted: defaultdict[int, dict[tuple[str, ...], str]] = defaultdict(dict)
    found: dict[str, set[str]] = {}
    for sentence in sentences:
        words = _words(sentence)
        found[sentence] = set()
        if len(words) >= _LEAST_WORDS:
            wanted[next(_rows(words))][tuple(words)] = sentence
    for source in sources:
        there = _words(source.document.text)
        for at, row in enumerate(_rows(there)):
            for words, sentence in wanted.get(row, {}).items():
                if tuple(there[at : at + len(words)]) == words:
                    found[sentence].add(source.path)
    return {sentence: frozenset(paths) for sentence, paths in found.items()}


def _overlap(one: Place, other: Place) -> bool:
    return one.document == other.document and one.start < other.end and other.start < one.end


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _rows(words: Sequence[str]) -> Iterator[int]:
    """A hash for every row of words, the same in every run; of a text with fewer than a row has, one."""
    hashes = [_hash(word) for word in words]
    hashes += [0] * (_ROW - len(hashes)) if hashes else []
    for one, two, three, four in zip(hashes, hashes[1:], hashes[2:], hashes[3:], strict=False):
        mixed = one + 0x9E3779B1 * two + 0x85EBCA77 * three + 0xC2B2AE3D * four
        yield (mixed ^ (mixed >> 29)) * 0xBF58476D1CE4E5B9 & _MASK


@lru_cache(maxsize=1 << 16)
def _hash(word: str) -> int:
    return crc32(word.encode("utf-8", "surrogatepass"))
