"""What a sync would do and what embedding after it would take, found by the same steps, with nothing written."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from headwise.indexing.files import FileOptions
from headwise.indexing.outcomes import deletions
from headwise.indexing.records import IndexSettings
from headwise.indexing.survey import Outlook, take_survey
from headwise.indexing.sync import Done, Ledger, SyncEvent, SyncReport, work
from headwise.stores.store import Store

_PAGE = 500


@dataclass(frozen=True, slots=True)
class Plan:
    """What would be done. Passages with equal text for the embedder count as one."""

    report: SyncReport
    """What the sync would report."""
    to_embed: int
    """Passages of the whole store that would then have no vector, and that the model reads to their end."""
    tokens: int
    """Their size, in the measure of the settings."""
    unread: int
    """Passages that are longer than the model reads."""
    deletes_most: bool
    """Whether the sync would ask before it deletes more than half of the documents."""

    def cost(self, price: float) -> float:
        """What embedding would cost at *price* for a million tokens."""
        return self.tokens * price / 1_000_000


def make_plan(
    store: Store,
    folder: Path,
    root: str,
    options: FileOptions,
    settings: IndexSettings,
    *,
    below: str = "",
    checksum: bool = False,
    workers: int = 1,
    on_outlook: Callable[[Outlook], None] = lambda _: None,
    on_event: Callable[[SyncEvent], None] = lambda _: None,
) -> Plan:
    """What `headwise.indexing.sync.sync` with the same arguments would do; embedding by the model in *settings*.

    Memory grows with the number of passages to embed (some 100 bytes each), which have to be told apart.

    Raises:
        ReadingError, SyncError, StoreError: as `sync` does.
    """
    started, clock = time.time_ns(), time.perf_counter()
    ledger = Ledger(on_event)
    embedding = _Embedding(settings)
    replaced: set[str] = set()
    chunks, passages = store.counts(root)[2:]
    with closing(take_survey(store, folder, root, options, settings, below, ledger.same, checksum=checksum)) as survey:
        on_outlook(survey.outlook)
        deletes_most = deletions(survey) > 0
        ledger.begin(survey)
        with closing(work(store, root, survey, settings, started, workers)) as batches:
            for batch in batches:
                ledger.enter(batch, survey)
                for done in batch:
                    action = done.action
                    replaced.update({action.path if action.records else "", action.gone})
                    records = action.records.records if action.records else ()
                    chunks += len(records) - len(done.before)
                    passages += sum(len(record.passages) for record in records)
                    passages -= sum(place.passages for place in done.before)
                    embedding.add(_to_embed(done))
    embedding.add(_waiting(store, embedding.model, root, replaced))
    report = ledger.report(survey, chunks, passages, time.perf_counter() - clock)
    return Plan(report, len(embedding.seen) - embedding.unread, embedding.tokens, embedding.unread, deletes_most)


class _Embedding:
    """What is to be embedded, each text once."""

    def __init__(self, settings: IndexSettings) -> None:
        self.model = settings.embedder.key if settings.embedder else ""
        self.tokens = self.unread = 0
        self.seen: set[bytes] = set()
        self._reader = settings.embedder
        self._size = settings.cutting.measure().size

    def add(self, passages: Iterator[tuple[str, str]]) -> None:
        """Count those that were not counted yet, given by content hash and text."""
        for name, text in passages:
            key = bytes.fromhex(name)
            if key in self.seen:
                continue
            self.seen.add(key)
            if self._reader is None or self._reader.fits(text):
                self.tokens += self._size(text)
            else:
                self.unread += 1


def _to_embed(done: Done) -> Iterator[tuple[str, str]]:
    """Content hash and text of the passages that come without a vector."""
    records = done.action.records.records if done.action.records else ()
    for record in records:
        for passage in record.passages:
            if passage.content_hash in done.waiting:
                yield passage.content_hash, passage.embed_text


def _waiting(store: Store, model: str, root: str, replaced: set[str]) -> Iterator[tuple[str, str]]:
    """Content hash and text of the passages that wait for a vector already, and stay."""
    after = 0
    while page := store.waiting(model, _PAGE, after):
        after = page[-1].row
        for passage in page:
            if passage.root != root or passage.path not in replaced:
                yield passage.content_hash, passage.text
