"""The second pass of indexing: passages without a vector get one."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass

from headwise.indexing.models import Embedder
from headwise.stores.store import Run, Store

MOST_AT_ONCE = 1024
"""Passages embedded, and kept, at once by a model that is quick: WordLlama's tokenizer then has work for all cores."""
_FIRST = 256
"""As many are embedded at once at first."""
_QUICK = 0.1
"""Seconds below which twice as many are taken the next time."""


@dataclass(frozen=True, slots=True)
class EmbedReport:
    """What a pass did; passages with equal text for the embedder count as one.

    `embedded + reused + pending` are all passages of the store.
    """

    embedded: int
    """New vectors."""
    reused: int
    """Passages that had their vector before."""
    pending: int
    """Passages that still have none."""
    unread: int
    """Those of `pending` that are longer than what the model reads: index again with this model to cut them smaller."""
    seconds: float


def _ignore(done: int, total: int) -> None:
    """Nobody watches."""


def embed_pending(
    store: Store,
    embedder: Embedder,
    on_progress: Callable[[int, int], None] = _ignore,
    *,
    batch: int | None = None,
) -> EmbedReport:
    """Give every passage of *store* its vector of *embedder*, each text once.

    Every batch is kept when it is done, so that a pass that was stopped is resumed by the next. A passage that the
    model would not read to its end is left without a vector, never cut silently.

    Args:
        store: Where passages wait.
        embedder: The model.
        on_progress: Called with how many are done, and how many there were to do.
        batch: Passages embedded, and kept, at once; None for a few hundred, and more where the model is quick.

    Raises:
        ModelError: if the model refuses or does not answer; what was done before is kept.
    """
    started, clock = time.time_ns(), time.perf_counter()
    reused, todo = store.coverage(embedder.key)
    done, after, size = 0, 0, batch or _FIRST
    unread: set[str] = set()
    on_progress(done, todo)
    while page := store.pending(embedder.key, size, after):
        begun = time.perf_counter()
        after = page[-1].row
        texts = {passage.content_hash: passage.text for passage in page if embedder.fits(passage.text)}
        unread.update(passage.content_hash for passage in page if passage.content_hash not in texts)
        if texts:
            vectors = embedder.embed_passages(list(texts.values()))
            store.add_vectors(embedder.key, dict(zip(texts, vectors, strict=True)))
            done += len(texts)
        on_progress(done, todo)
        if batch is None and time.perf_counter() - begun < _QUICK:
            size = min(2 * size, MOST_AT_ONCE)
    pending = store.coverage(embedder.key).pending if todo else 0
    report = EmbedReport(done, reused, pending, len(unread), time.perf_counter() - clock)
    if todo:
        store.log_run(Run("embed", "", started, report.seconds, asdict(report) | {"model": embedder.key}))
    return report
