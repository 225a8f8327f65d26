"""The model a command embeds with, or whose vectors it takes, or why there is none."""

from __future__ import annotations

from collections.abc import Iterable

from headwise.errors import ModelError
from headwise.indexing.embed import EmbedReport
from headwise.indexing.models import Embedder, ModelSettings, open_model, preferred_model
from headwise.stores.store import Store


def unchosen_model(stored: Iterable[str]) -> tuple[Embedder | None, str]:
    """The model to embed with where nobody chose one, or None and what is missing.

    Args:
        stored: Keys of the models whose vectors the store holds.
    """
    try:
        return open_model(preferred_model(stored)), ""
    except ModelError as error:
        return None, f"search will be by words alone: {error}"


def chosen_model(wanted: ModelSettings | None, stored: Iterable[str]) -> tuple[Embedder | None, str]:
    """The model to embed with, or None and what is missing; a model that somebody named has to be there.

    Raises:
        ModelError: if the *wanted* one cannot be opened.
    """
    return (open_model(wanted), "") if wanted else unchosen_model(stored)


def stored_model(store: Store, wanted: ModelSettings | None) -> str | None:
    """The key of the model whose vectors are meant: of those named so, the one with most vectors; None without any.

    Raises:
        ModelError: if there are none of the *wanted* one.
    """
    stored = store.models()
    model = wanted or preferred_model(stored)
    keys = [key for key in stored if key.startswith(model.family)]
    if not keys and wanted:
        raise ModelError(f"the store has no vectors of {model.name}; run `headwise embed` with it first")
    return max(keys, key=lambda key: store.coverage(key).embedded, default=None)


def complete_model(store: Store, wanted: ModelSettings | None) -> str:
    """The key of the model that is meant, which has a vector of every passage.

    Raises:
        ModelError: if it has not.
    """
    key = stored_model(store, wanted)
    if key is None:
        raise ModelError("the store has no vectors; run `headwise embed` first")
    if pending := store.coverage(key).pending:
        raise ModelError(f"{pending:,} passages have no vector of {key} yet; run `headwise embed` first")
    return key


def unread_note(report: EmbedReport) -> str:
    """What to say about passages that are too long for the model, or nothing."""
    if not report.unread:
        return ""
    return f"{report.unread} passages are longer than the model reads and have no vector: run `headwise index` with it"
