"""A query to hits: words and vectors, each ranked by the store, fused into one ranking of chunks."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from headwise.errors import ModelError
from headwise.indexing.assemble import Ranking, Rerank, Room, as_hit, assemble, fit
from headwise.indexing.budget import place_in_section
from headwise.indexing.copies import at_most
from headwise.indexing.headings import gain
from headwise.indexing.models import Embedder
from headwise.indexing.query import Query, parse_query
from headwise.indexing.rank import cosines, mix, with_documents, with_neighbours
from headwise.indexing.where import unknown_names
from headwise.model import Hit, Scores, Span, Standing
from headwise.stores.store import NO_CONDITIONS, NO_FILTERS, Conditions, Filters, NearPassage, Store

if TYPE_CHECKING:
    from headwise.stores.store import Vector

VECTOR_WEIGHT = 0.4
"""Share of the vectors in the mixed score of a query in a language that the model knows, less in others; see
docs/decisions/0020-ranking.md for how these shares were chosen."""
LEAST_KNOWN = 0.125
"""What is taken to be known of any query, so that vectors always order what words do not find."""
WHOLE_WEIGHT = 0.5
"""Share of all its passages together in a chunk's likeness to the query, beside its nearest passage."""
NEIGHBOUR_WEIGHT = 0.4
"""Share of the best neighbour in a chunk's score: an answer is often longer than the chunk that its words match."""
DOCUMENT_WEIGHT = 0.2
"""What a chunk gains of the mean of its document's three best: who writes of it at length, means it."""

_CHUNKS = 200
_PASSAGES = 400  # several of them lie in one chunk


class _Like(NamedTuple):
    """A chunk that vectors found."""

    score: float
    span: Span
    """Of the passage nearest to the query."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found, and what there is to say about how."""

    hits: tuple[Hit, ...]
    notes: tuple[str, ...] = ()
    """One line each: what the search had to do without."""
    matched: int = 0
    """How many chunks were ranked, whether they fit or not."""
    model: str = ""
    """Name of the model whose vectors were compared; empty if words alone were."""


def find(
    store: Store,
    embedder: Embedder | None,
    query: str,
    filters: Filters,
    *,
    limit: int,
    budget: int | None = None,
    per_document: int | None = None,
    as_prompt: bool = False,
    rerank: Rerank | None = None,
) -> Found:
    """The chunks of *store* that answer *query* best, each once.

    Args:
        store: Where to look.
        embedder: The model whose vectors are compared; None for words alone.
        query: Words, a question, or what `headwise.indexing.query` knows. Filters without words list what they let
            through in order of path; without either it finds nothing.
        filters: Which documents to look at.
        limit: How many hits at most.
        budget: How many `cl100k_base` tokens all texts may have together; chunks that do not fit are passed over,
            text that stands in an earlier hit is left out, neighbours in one section become one hit.
        per_document: How many chunks of one document at most.
        as_prompt: Whether the budget is for what `headwise.indexing.prompt.prompt` makes of the hits.
        rerank: What orders the best hits anew.
    """
    room = Room(limit, budget, per_document, as_prompt)
    asked = parse_query(query)
    filters = _both(filters, asked.filters)
    restricts = asked.restricts or (not query.strip() and filters != NO_FILTERS)
    if limit < 1 or not (asked.words or restricts):
        return Found(())
    if not asked.words:
        return _listed(store, filters, asked.conditions, room)
    like, notes = _like(store, embedder, asked, filters)
    spans = {chunk: found.span for chunk, found in (like or {}).items()}
    by_vectors = {chunk: found.score for chunk, found in (like or {}).items()}
    by_words = {match.chunk: match.score for match in store.match(asked.words, filters, _CHUNKS, asked.conditions)}
    weight = VECTOR_WEIGHT * max(embedder.knows(asked.text), LEAST_KNOWN) if embedder and by_vectors else 0.0
    mixed = dict(mix(by_words, by_vectors, weight))
    chunks = store.chunks(mixed)
    said = frozenset(asked.words)
    named = {row: mixed[row] + gain(said, chunk.title, chunk.headings) for row, chunk in chunks.items()}
    beside = with_neighbours(named, {row: place_in_section(chunk) for row, chunk in chunks.items()}, NEIGHBOUR_WEIGHT)
    scores = with_documents(beside, {row: (chunk.root, chunk.path) for row, chunk in chunks.items()}, DOCUMENT_WEIGHT)
    ranked = sorted(chunks.values(), key=lambda chunk: (-scores[chunk.row], chunk.root, chunk.path, chunk.start))
    words, vectors = _standings(by_words), _standings(by_vectors)

    def parts(row: int) -> Scores:
        return Scores(
            words=words.get(row),
            vectors=vectors.get(row),
            weight=weight,
            mixed=mixed[row],
            headings=named[row] - mixed[row],
            neighbours=beside[row] - named[row],
            document=scores[row] - beside[row],
        )

    notes = (*unknown_names(store, filters.where), *notes)
    model = embedder.name if embedder and like is not None else ""
    return Found(assemble(Ranking(ranked, scores, parts, spans), room, query, rerank), notes, len(ranked), model)


def _listed(store: Store, filters: Filters, conditions: Conditions, room: Room) -> Found:
    """The chunks that *filters* and *conditions* let through, in order of path and place, all alike good."""
    rows = store.listed(filters, conditions, min(room.limit, sys.maxsize) if room.budget is None else _CHUNKS)
    chunks = store.chunks(rows)
    found = [chunks[row] for row in rows if row in chunks]
    found = found if room.per_document is None else at_most(found, room.per_document)
    hits = (as_hit(rank, chunk, 0.0) for rank, chunk in enumerate(fit(found, room), 1))
    return Found(tuple(hits), unknown_names(store, filters.where), len(found))


def _standings(scores: Mapping[int, float]) -> dict[int, Standing]:
    """The places of those in *scores*, which are in order, best first."""
    return {key: Standing(rank, score) for rank, (key, score) in enumerate(scores.items(), 1)}


def _both(one: Filters, other: Filters) -> Filters:
    """What both let through."""
    return Filters(
        one.paths + other.paths,
        one.tags + other.tags,
        one.without_paths + other.without_paths,
        one.without_tags + other.without_tags,
        one.where + other.where,
    )


def _like(
    store: Store, embedder: Embedder | None, asked: Query, filters: Filters
) -> tuple[dict[int, _Like] | None, tuple[str, ...]]:
    """The chunks most like the query, best first, None if vectors cannot be compared; and what there is to say."""
    if embedder is None:
        return None, ()
    embedded, pending = store.coverage(embedder.key)
    if not embedded:
        known = ", ".join(store.models()) or "no model"
        return None, (f"searched by words alone: the store has vectors of {known}, not of {embedder.name}",)
    try:
        vector = embedder.embed_query(asked.text)
    except ModelError as error:
        return None, (f"searched by words alone: {error}",)
    nearest = store.nearest(embedder.key, vector, filters, _PASSAGES)
    if nearest and asked.conditions != NO_CONDITIONS:
        allowed = store.fulfilling({passage.chunk for passage in nearest}, asked.conditions)
        nearest = [passage for passage in nearest if passage.chunk in allowed]
    notes = (f"{pending} passages have no vector of {embedder.name} yet and are found by words alone",)
    return _by_likeness(store, embedder.key, vector, nearest), notes if pending else ()


def _by_likeness(store: Store, model: str, asked: Vector, nearest: Sequence[NearPassage]) -> dict[int, _Like]:
    """The chunks of the passages *nearest*, which come best first: each by its best, and by all of its passages."""
    best: dict[int, NearPassage] = {}
    for passage in nearest:
        best.setdefault(passage.chunk, passage)
    wholes = cosines(asked, *store.passage_vectors(model, best))
    found: dict[int, _Like] = {}
    for chunk, passage in best.items():
        # A chunk that a sync took away meanwhile has its passage only.
        whole = wholes.get(chunk, passage.score)
        found[chunk] = _Like((1 - WHOLE_WEIGHT) * passage.score + WHOLE_WEIGHT * whole, passage.span)
    return dict(sorted(found.items(), key=lambda item: -item[1].score))
