"""The model a command embeds with, or why there is none."""

from __future__ import annotations

from headwise.app.config import Config
from headwise.errors import ModelError
from headwise.indexing.embed import EmbedReport
from headwise.indexing.models import Embedder, open_model


def chosen_model(config: Config) -> tuple[Embedder | None, str]:
    """The model of *config*, or None and what is missing, if it is only the default and not installed.

    Raises:
        ModelError: if somebody chose the model and it cannot be used.
    """
    try:
        return open_model(config.model), ""
    except ModelError as error:
        if config.model_chosen:
            raise
        return None, f"search will be by words alone: {error}"


def unread_note(report: EmbedReport) -> str:
    """What to say about passages that are too long for the model, or nothing."""
    if not report.unread:
        return ""
    return f"{report.unread} passages are longer than the model reads and have no vector: run `headwise index` with it"
