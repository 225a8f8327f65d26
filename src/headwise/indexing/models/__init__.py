"""Embedding models: two that come inside packages, and any behind an OpenAI-compatible endpoint."""

from __future__ import annotations

import os

from headwise.errors import ModelError
from headwise.indexing.models.embedder import Embedder, ModelSettings

__all__ = ["Embedder", "ModelSettings", "open_model"]


def open_model(settings: ModelSettings) -> Embedder:
    """The model that *settings* name, ready to embed.

    The key for an endpoint is the environment's `HEADWISE_API_KEY`: it is no setting, so that it is in no file.

    Raises:
        ModelError: if it is unknown, not installed (with what to install), or its endpoint does not answer.
    """
    if settings.url is not None:
        from headwise.indexing.models.endpoint import open_endpoint

        return open_endpoint(settings, os.environ.get("HEADWISE_API_KEY"))
    if settings.name == "wordllama":
        from headwise.indexing.models.static import open_wordllama

        return open_wordllama()
    if settings.name == "minilm":
        from headwise.indexing.models.minilm import open_minilm

        return open_minilm()
    raise ModelError(f"unknown model {settings.name!r}; choose wordllama or minilm, or set model_url to its endpoint")
