"""How much of what a chunk is called a query says: of its own heading, and of all above it with the title."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

from headwise.indexing.words import query_words

HEADING_WEIGHT = 0.1
"""What a chunk gains whose own heading the query says whole; see docs/decisions/0020-ranking.md."""
TRAIL_WEIGHT = 0.2
"""What it gains if the query says all of its title and headings."""


def gain(words: Collection[str], title: str, headings: tuple[str, ...]) -> float:
    """What a chunk under *headings*, outermost first, gains by what a query of *words* says of them and its *title*.

    *words* are terms as `query_words` gives them. Shares are squared: half a heading says little of what is meant.
    A document's text before its first heading has no heading of its own.
    """
    own = _said(words, headings[-1]) if headings else 0.0
    return HEADING_WEIGHT * own**2 + TRAIL_WEIGHT * _said(words, "\n".join((title, *headings))) ** 2


def _said(words: Collection[str], text: str) -> float:
    """The share of the different terms of *text* that are among *words*; 0 if it has none."""
    terms = _terms(text)
    return len(terms.intersection(words)) / len(terms) if terms else 0.0


@lru_cache(maxsize=1 << 13)
def _terms(text: str) -> frozenset[str]:
    return frozenset(query_words(text))
