"""What one candidate did, as a frozen value: what is kept of it, and what everything else is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from headwise.evaluating.churn import Churn
from headwise.evaluating.metrics import Scores

BEGINS = 200
"""Characters of a piece that are shown at most."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A piece that was found, for people."""

    path: str
    start_line: int
    end_line: int
    headings: tuple[str, ...]
    text: str
    """How it begins, in one line."""


@dataclass(frozen=True, slots=True)
class Result:
    """What one candidate did."""

    name: str
    family: str
    """What candidates that differ in size only have in common."""
    settings: str
    """Everything that decides what it makes of a document, as one line."""
    is_peer: bool
    sizes: Mapping[int, int]
    """Size of a chunk, in the measure it was cut with → how many have it, in ascending order."""
    vectors: int
    bytes: int
    """Of the vectors, as a store keeps them."""
    seconds: float
    """To cut all documents."""
    churn: Churn
    scores: tuple[Scores, ...]
    """One for each question, in their order."""
    found: tuple[tuple[Shown, ...], ...]
    """For each question the best pieces."""

    @property
    def chunks(self) -> int:
        """How many there are."""
        return sum(self.sizes.values())
