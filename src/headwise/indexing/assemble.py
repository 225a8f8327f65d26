"""Ranked chunks to the hits that are given: copies folded, reranked if asked, as many as there is room for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from headwise.errors import SettingsError
from headwise.indexing.budget import fill, text_tokens
from headwise.indexing.copies import at_most, fold
from headwise.indexing.prompt import prompt_tokens
from headwise.model import Hit, Scores, Span
from headwise.stores.store import StoredChunk

RERANKED = 50
"""How many of the best hits a reranker is given, if the limit is not higher; the others are left out."""

Rerank = Callable[[str, Sequence[Hit]], Sequence[Hit]]
"""From the query and the hits, best first, to those of them that are to be given, in a better order.

It may give hits other scores (`dataclasses.replace`), and leave some out.
"""


@dataclass(frozen=True, slots=True)
class Room:
    """How much a search is to give."""

    limit: int
    budget: int | None = None
    """Tokens that all hits may cost together."""
    per_document: int | None = None
    """How many chunks of one document are looked at."""
    as_prompt: bool = False
    """Whether the budget is that of a prompt: places, breadcrumbs and fences count as well as texts."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """What a search ranked: chunks, best first, and by their rows what is known of each."""

    chunks: Sequence[StoredChunk]
    scores: Mapping[int, float]
    parts: Callable[[int], Scores]
    passages: Mapping[int, Span]


def assemble(ranking: Ranking, room: Room, query: str, rerank: Rerank | None = None) -> tuple[Hit, ...]:
    """The hits that there is room for, each text once.

    Raises:
        SettingsError: if *rerank* gives a hit that it was not given, or one twice.
    """
    chunks, copies = fold(ranking.chunks)
    if room.per_document is not None:
        chunks = at_most(chunks, room.per_document)
    scores = ranking.scores

    def hit(rank: int, shown: StoredChunk, parts: Sequence[StoredChunk]) -> Hit:
        made = as_hit(rank, shown, scores[shown.row])
        also = tuple(copy for part in parts for copy in copies.get(part.row, ()))
        return replace(made, passage=ranking.passages.get(shown.row), also=also, scores=ranking.parts(shown.row))

    if rerank is not None:
        chunks = chunks[: max(RERANKED, room.limit) if room.budget is None else RERANKED]
        given = [hit(rank, chunk, [chunk]) for rank, chunk in enumerate(chunks, 1)]
        better = _checked(given, rerank(query, tuple(given)))
        scores = {**scores, **{chunks[found.rank - 1].row: found.score for found in better}}
        chunks = [chunks[found.rank - 1] for found in better]
    doubled = [chunk for chunk in chunks if chunk.row in copies]
    return tuple(
        hit(rank, shown, [part for part in doubled if _holds(shown, part)])
        for rank, shown in enumerate(fit(chunks, room), 1)
    )


def fit(chunks: Sequence[StoredChunk], room: Room) -> Sequence[StoredChunk]:
    """As many of *chunks*, best first, as there is room for."""
    if room.budget is None:
        return chunks[: room.limit]
    return fill(chunks, room.budget, room.limit, prompt_tokens if room.as_prompt else text_tokens)


def as_hit(rank: int, chunk: StoredChunk, score: float) -> Hit:
    """*chunk* as it is shown."""
    return Hit(
        rank=rank,
        score=score,
        id=chunk.id,
        path=chunk.path,
        start=chunk.start,
        end=chunk.end,
        start_line=chunk.start_line,
        end_line=chunk.end_line,
        title=chunk.title,
        headings=chunk.headings,
        text=chunk.text,
        link=chunk.link,
    )


def _holds(whole: StoredChunk, part: StoredChunk) -> bool:
    """Whether *whole* is *part*, what is left of it, or several that *part* is one of."""
    inside = (whole.root, whole.path) == (part.root, part.path) and whole.start <= part.start < part.end <= whole.end
    return inside or whole.row == part.row


def _checked(given: Sequence[Hit], better: Sequence[Hit]) -> Sequence[Hit]:
    """*better*, if it holds nothing but hits of *given*, each once."""
    seen: set[int] = set()
    for hit in better:
        known = 1 <= hit.rank <= len(given) and given[hit.rank - 1].id == hit.id
        if not known or hit.rank in seen:
            what = "twice" if known else "that it was not given"
            raise SettingsError(f"the reranker gave a hit {what}: {hit.id}; it may only order hits and leave some out")
        seen.add(hit.rank)
    return better
