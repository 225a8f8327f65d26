"""How much of what a chunk is called a query says: of its own heading, and of all above it with the title."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from headwise.indexing.words import analyse_words, stop_terms

HEADING_WEIGHT = 0.1
"""What a chunk gains whose own heading the query says whole; see docs/decisions/0020-ranking.md."""
TRAIL_WEIGHT = 0.2
"""What it gains if the query says all of its title and headings."""

_NONE: frozenset[str] = frozenset()


def gain(words: frozenset[str], title: str, headings: tuple[str, ...]) -> float:
    """What a chunk under *headings*, outermost first, gains by what a query of *words* says of them and its *title*.

    *words* are terms as `query_words` gives them. Shares are squared: half a heading says little of what is meant.
    A document's text before its first heading has no heading of its own.
    """
    known = [_terms(text) for text in (title, *headings)]
    if all(words.isdisjoint(one.every) for one in known):  # so it is with most chunks
        return 0.0
    own = _said(words, known[-1:]) if headings else 0.0
    return HEADING_WEIGHT * own**2 + TRAIL_WEIGHT * _said(words, known) ** 2


def _said(words: frozenset[str], known: Sequence[_Terms]) -> float:
    """The share of the different terms of *known* that are among *words*; 0 if they have none."""
    terms = _NONE.union(*(one.telling for one in known)) or _NONE.union(*(one.every for one in known))
    return len(terms.intersection(words)) / len(terms) if terms else 0.0


class _Terms(NamedTuple):
    """The different terms of a text."""

    every: frozenset[str]
    telling: frozenset[str]
    """Those that `query_words` keeps as long as there are any."""


# Each by itself: chunks share their title, and the headings above them.
@lru_cache(maxsize=1 << 14)
def _terms(text: str) -> _Terms:
    every = frozenset(analyse_words(text))
    return _Terms(every, every if every.isdisjoint(stop_terms()) else every - stop_terms())
