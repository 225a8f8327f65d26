"""The one ordered table of boundaries, and what each strategy makes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from headwise.chunking.settings import Strategy


class Boundary(IntEnum):
    """Places where a document can be cut, strongest first."""

    SECTION = 0
    BREAK = 1
    """After a thematic break."""
    BLOCK = 2
    INTRODUCED = 3
    """Between a paragraph and the block it introduces."""
    ITEM = 4
    """List item, table row, child of a quote, blank line in code."""
    SENTENCE = 5
    """Sentence, line of code."""
    CLAUSE = 6
    """Clause, table cell, line of a paragraph."""
    WORD = 7
    GRAPHEME = 8


@dataclass(frozen=True, slots=True)
class Rules:
    """How a strategy reads the table.

    A cut's weakness is weighed against how far it is from where it is wanted: 0.25 is as bad as a limit away.
    """

    sections: bool
    """Whether every section starts a piece of its own."""
    whole: Boundary
    """What lies between two boundaries of this strength is kept whole if it fits; anything larger is opened."""
    weakness: Mapping[Boundary, float]


_WEAKNESS: Final[dict[Boundary, float]] = {
    Boundary.SECTION: 0.0,
    Boundary.BREAK: 0.0,
    Boundary.BLOCK: 0.02,
    Boundary.INTRODUCED: 0.3,
    Boundary.ITEM: 0.08,
    Boundary.SENTENCE: 0.15,
    Boundary.CLAUSE: 0.4,
    Boundary.WORD: 0.6,
    Boundary.GRAPHEME: 1.0,
}

RULES: Final[Mapping[Strategy, Rules]] = {
    "headings": Rules(sections=True, whole=Boundary.BLOCK, weakness=_WEAKNESS),
    "paragraphs": Rules(sections=False, whole=Boundary.BLOCK, weakness=_WEAKNESS),
    "sentences": Rules(
        sections=False,
        whole=Boundary.SENTENCE,
        weakness={b: 0.0 if b <= Boundary.SENTENCE else w for b, w in _WEAKNESS.items()},
    ),
    "fixed": Rules(
        sections=False,
        whole=Boundary.WORD,
        weakness={b: 0.0 if b <= Boundary.WORD else w for b, w in _WEAKNESS.items()},
    ),
}
