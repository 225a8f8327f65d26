"""One candidate, measured: its records in a store of their own, searched as every store is."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from headwise.chunking.measure import find_measure, token_starts
from headwise.evaluating.cache import RULES, Cache
from headwise.evaluating.candidates import Candidate
from headwise.evaluating.churn import Edit, measure_churn
from headwise.evaluating.metrics import BUDGETS, Piece, Scores, score
from headwise.evaluating.pointing import HOLE
from headwise.evaluating.questions import Question
from headwise.evaluating.result import BEGINS, Result, Shown
from headwise.evaluating.sources import Source
from headwise.indexing.embed import embed_pending
from headwise.indexing.models import Embedder
from headwise.indexing.search import find
from headwise.model import Chunk, Record
from headwise.reading.lines import line_number
from headwise.stores.open import open_store
from headwise.stores.store import Change, Filters, Store

_LEAST_DEPTH, _MOST_DEPTH = 20, 100
"""Hits ranked for each question: about twice as many as fill the largest budget."""
_SHOWN = 3
_AT_ONCE = 64
_BYTES = 2
"""Of a dimension, as stores keep vectors."""

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Task:
    """What every candidate has to do."""

    sources: tuple[Source, ...]
    questions: tuple[Question, ...]
    edits: tuple[Edit, ...]

    @cached_property
    def tokens(self) -> Mapping[str, Sequence[int]]:
        """For each document, where its tokens begin."""
        return {source.path: token_starts(source.document.text) for source in self.sources}

    @cached_property
    def key(self) -> str:
        """Hash of all of it."""
        told = blake2b(digest_size=16)
        for source in self.sources:
            told.update(f"{source.path}\n{source.document.content_hash}\n{source.document.obsidian}\n".encode())
        for question in self.questions:
            told.update(question.key.encode())
        for edit in self.edits:
            for text in (edit.before.path, edit.before.text, edit.after.text):
                told.update(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest())
        return told.hexdigest()


def evaluate(candidate: Candidate, task: Task, embedder: Embedder | None, cache: Cache, progress: Progress) -> Result:
    """What *candidate* does with *task*; taken from *cache* if it was measured before, else kept there."""
    model = embedder.key if embedder else ""
    key = blake2b(
        f"{RULES}\n{candidate.name}\n{candidate.family}\n{candidate.key}\n{model}\n{task.key}".encode(), digest_size=16
    ).hexdigest()
    known = cache.result(key)
    if known is None:
        known = _measured(candidate, task, embedder, progress)
        cache.keep_result(key, known)
    return known


def _measured(candidate: Candidate, task: Task, embedder: Embedder | None, progress: Progress) -> Result:
    clock = time.perf_counter()
    documents = [candidate.cut(source.document) for source in task.sources]
    seconds = time.perf_counter() - clock
    records = {record.id: record for document in documents for record in document.records}
    tokens = sum(map(len, task.tokens.values()))
    depth = min(_MOST_DEPTH, max(_LEAST_DEPTH, 2 * BUDGETS[-1] * len(records) // (tokens or 1)))
    with (
        TemporaryDirectory(prefix="headwise-eval-") as folder,
        open_store(str(Path(folder, "index.db")), create=True) as store,
    ):
        changes = iter(documents)
        while some := [Change(document) for document in islice(changes, _AT_ONCE)]:
            store.apply("", some)
        if embedder:
            embed_pending(store, embedder, progress)
        asked: list[tuple[Scores, tuple[Shown, ...]]] = []
        for question in task.questions:
            progress(len(asked), len(task.questions))
            asked.append(_asked(store, embedder, question, records, task.tokens, depth))
    vectors = len({p.content_hash for record in records.values() for p in record.passages}) if embedder else 0
    return Result(
        name=candidate.name,
        family=candidate.family,
        settings=candidate.key,
        is_peer=candidate.is_peer,
        sizes=dict(sorted(Counter(record.chunk.tokens for record in records.values()).items())),
        vectors=vectors,
        bytes=vectors * embedder.dimensions * _BYTES if embedder else 0,
        seconds=seconds,
        churn=measure_churn(candidate, task.edits),
        scores=tuple(scores for scores, _ in asked),
        found=tuple(found for _, found in asked),
    )


def _asked(
    store: Store,
    embedder: Embedder | None,
    question: Question,
    records: Mapping[str, Record],
    tokens: Mapping[str, Sequence[int]],
    depth: int,
) -> tuple[Scores, tuple[Shown, ...]]:
    # A glob without `/` would name files of other folders, too: what it lets through is taken out below.
    without = tuple(path for path in question.exclude if "/" in path and not {"*", "?"} & set(path))
    hits = find(store, embedder, as_words(question.text), Filters(without_paths=without), limit=depth).hits
    # Copies are told with a hit instead of being hits: they are read with it.
    found = [records[name] for hit in hits for name in (hit.id, *(copy.id for copy in hit.also))]
    found = [record for record in found if record.path not in question.exclude]
    ranking = [Piece(record.path, record.chunk.start, record.chunk.end, _context(record.chunk)) for record in found]
    return score(ranking, question.answers, tokens), tuple(shown(record) for record in found[:_SHOWN])


def as_words(text: str) -> str:
    """*text* without what the language of queries would read as a filter or an exclusion, and without holes."""
    return " ".join(word.lstrip("-").replace('"', " ").replace(":", " ") for word in text.replace(HOLE, " ").split())


def shown(record: Record) -> Shown:
    """*record* for people."""
    chunk = record.chunk
    return Shown(record.path, chunk.start_line, chunk.end_line, chunk.headings, " ".join(chunk.text.split())[:BEGINS])


def shown_answer(question: Question, sources: Mapping[str, Source]) -> Shown:
    """The first right answer for people."""
    place = question.answers[0][0]
    source = sources[place.document]
    first, last = (line_number(source.tree.lines, at) for at in (place.start, place.end - 1))
    heading = (question.heading,) if question.heading else ()
    return Shown(place.document, first, last, heading, " ".join(source.text_of(place).split())[:BEGINS])


def _context(chunk: Chunk) -> int:
    """How many tokens are read with it besides its text."""
    if not chunk.context and not chunk.context_after:
        return 0
    count = find_measure("cl100k_base").count
    return max(0, count(chunk.embed_text) - count(chunk.text))
