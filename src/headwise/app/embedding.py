"""The model a command embeds with, or why there is none."""

from __future__ import annotations

from collections.abc import Iterable

from headwise.errors import ModelError
from headwise.indexing.embed import EmbedReport
from headwise.indexing.models import Embedder, open_model, preferred_model


def unchosen_model(stored: Iterable[str]) -> tuple[Embedder | None, str]:
    """The model to embed with where nobody chose one, or None and what is missing.

    Args:
        stored: Keys of the models whose vectors the store holds.
    """
    try:
        return open_model(preferred_model(stored)), ""
    except ModelError as error:
        return None, f"search will be by words alone: {error}"


def unread_note(report: EmbedReport) -> str:
    """What to say about passages that are too long for the model, or nothing."""
    if not report.unread:
        return ""
    return f"{report.unread} passages are longer than the model reads and have no vector: run `headwise index` with it"
