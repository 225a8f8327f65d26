"""The settings that are compared, each as a name and a way to cut a document into what a store keeps of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from headwise.chunking.settings import Strategy
from headwise.indexing.records import IndexSettings, make_records
from headwise.model import Document
from headwise.stores.store import DocumentRecords


@dataclass(frozen=True, slots=True)
class Grid:
    """All that is to be combined with all."""

    max_tokens: tuple[int, ...] = (200, 400, 800)
    overlap: tuple[int | str, ...] = (0,)
    strategy: tuple[Strategy, ...] = ("headings", "fixed")


@dataclass(frozen=True, slots=True)
class Candidate:
    """One contender."""

    name: str
    family: str
    """What it has in common with those that differ from it in size only."""
    key: str
    """Everything that decides what it makes of a document, as one line."""
    cut: Callable[[Document], DocumentRecords]
    is_peer: bool = False
    """Whether another library cuts: then it is compared, never recommended."""


def candidates(grid: Grid, base: IndexSettings) -> list[Candidate]:
    """A candidate for every combination of *grid*; all else is as in *base*.

    Raises:
        SettingsError: for a combination that cannot work.
    """
    found: dict[str, Candidate] = {}
    for strategy in grid.strategy:
        for size in grid.max_tokens:
            for overlap in grid.overlap:
                cutting = replace(base.cutting, max_tokens=size, overlap=overlap, strategy=strategy)
                one = _candidate(replace(base, cutting=cutting))
                found.setdefault(one.key, one)
    return list(found.values())


def _candidate(settings: IndexSettings) -> Candidate:
    cutting = settings.cutting
    over = cutting.parsed_overlap()
    overlap = f", overlap {cutting.overlap}" if over.size or over.sentences else ""
    key = settings.key(obsidian=False)
    name, family = f"{cutting.strategy} {cutting.max_tokens}{overlap}", f"{cutting.strategy}{overlap}"
    return Candidate(name, family, key, partial(_records, settings))


def _records(settings: IndexSettings, document: Document) -> DocumentRecords:
    return make_records(document, settings, 0)
