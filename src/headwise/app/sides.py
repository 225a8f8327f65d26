"""Two cuts of one document, as they are shown side by side: which settings differ, and figures about each."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, fields
from typing import Any

from headwise.app.figures import Distribution, distribution
from headwise.app.render import unit
from headwise.chunking.compare import Comparison, compare
from headwise.chunking.settings import Settings
from headwise.chunking.split import Analysis
from headwise.model import Chunk, Document


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two cuts."""

    name: str
    settings: Settings
    label: str
    """The settings that differ from those of the other side."""
    chunks: tuple[Chunk, ...]
    same: frozenset[int]
    """The indexes of the chunks that the other side has, too."""

    @property
    def tokens(self) -> int:
        """What all chunks have together, context and overlap included, in the side's own measure."""
        return sum(chunk.tokens for chunk in self.chunks)

    @property
    def sizes(self) -> Distribution:
        """How large its chunks are."""
        return distribution(Counter(chunk.tokens for chunk in self.chunks))

    @property
    def figures(self) -> str:
        """Its chunks and their sizes in a line."""
        number, sizes = len(self.chunks), self.sizes
        chunks = "1 chunk" if number == 1 else f"{number:,} chunks"
        return f"{chunks}, {self.tokens:,} {unit(self.settings.tokenizer)}, median {sizes.median}, max {sizes.max}"


@dataclass(frozen=True, slots=True)
class Sides:
    """A document, cut in two ways."""

    document: Document
    left: Side
    right: Side
    found: Comparison

    @property
    def both(self) -> frozenset[int]:
        """Where on both sides a chunk's own text begins."""
        return frozenset(self.found.both)

    @property
    def verdict(self) -> str:
        """What both have, and how much differs, in a sentence."""
        found = self.found
        same = "1 chunk is the same" if len(found.same) == 1 else f"{len(found.same):,} chunks are the same"
        edges = f"{len(found.both):,} boundaries in both, {len(found.only_left):,} only left"
        share = f"{100 * self.share:.0f} % of the text is in another chunk"
        return f"{same}; {edges}, {len(found.only_right):,} only right; {share}"

    @property
    def share(self) -> float:
        """How much of the text is in a chunk that only one side has, from 0 to 1."""
        return self.found.changed / self.found.text if self.found.text else 0.0


def make_sides(document: Document, cuts: tuple[Analysis, Analysis], settings: tuple[Settings, Settings]) -> Sides:
    """*document*, cut left and right with *settings*."""
    left, right = (cut.chunks for cut in cuts)
    found = compare(left, right)
    one, other = settings
    return Sides(
        document,
        Side("left", one, _label(one, other), left, frozenset(pair[0] for pair in found.same)),
        Side("right", other, _label(other, one), right, frozenset(pair[1] for pair in found.same)),
        found,
    )


def sides_json(sides: Sides) -> dict[str, Any]:
    """Both cuts and how they differ, for programs; positions are characters."""
    found = sides.found
    return {
        "path": sides.document.path,
        "left": _side_json(sides.left),
        "right": _side_json(sides.right),
        "same": len(found.same),
        "changed": round(sides.share, 4),
        "boundaries": {"both": found.both, "left": found.only_left, "right": found.only_right},
    }


def _side_json(side: Side) -> dict[str, Any]:
    names = ("index", "start", "own_start", "end", "start_line", "end_line", "headings", "tokens")
    return {
        "settings": _values(side.settings) | {"min_tokens": side.settings.minimum},
        "chunks": len(side.chunks),
        "tokens": side.tokens,
        "median": side.sizes.median,
        "max": side.sizes.max,
        "cut": [
            {name: getattr(chunk, name) for name in names} | {"same": chunk.index in side.same} for chunk in side.chunks
        ],
    }


def _label(settings: Settings, other: Settings) -> str:
    mine, theirs = _values(settings), _values(other)
    return " ".join(f"{name}={value}" for name, value in mine.items() if value != theirs[name]) or "the same settings"


def _values(settings: Settings) -> dict[str, Any]:
    named = {field.name: getattr(settings, field.name) for field in fields(settings)}
    return named | {"tokenizer": settings.measure().name}
