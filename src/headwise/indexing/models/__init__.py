"""Embedding models: three that come inside packages, and any behind an OpenAI-compatible endpoint."""

from __future__ import annotations

import os
from collections.abc import Iterable

from headwise.chunking.tokenizer_file import TokenizerFile
from headwise.errors import ModelError
from headwise.indexing.models.embedder import Embedder, ModelSettings, Reader

__all__ = ["Embedder", "ModelSettings", "Reader", "known_models", "model_tokenizer", "open_model", "preferred_model"]

_PACKAGED = ("wordllama", "minilm", "multilingual")


def preferred_model(stored: Iterable[str]) -> ModelSettings:
    """The model to use where nobody chose one: the default, unless only another has vectors among those *stored*.

    Args:
        stored: Keys of the models whose vectors a store holds.
    """
    keys = tuple(stored)
    packaged = map(ModelSettings, _PACKAGED)
    return next((m for m in packaged if any(key.startswith(m.family) for key in keys)), ModelSettings())


def known_models(key: str, beside: ModelSettings) -> tuple[ModelSettings, ...]:
    """The settings of the model whose vectors have this *key*, if that tells enough to open it again.

    Of one behind an endpoint it tells all but the address: that is taken to be the one of *beside*.
    """
    packaged = next((name for name in _PACKAGED if key.startswith(ModelSettings(name).family)), None)
    if packaged:
        return (ModelSettings(packaged),)
    if beside.url is None:
        return ()
    from headwise.indexing.models.endpoint import settings_of

    return settings_of(key, beside)


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
    if settings.name == "multilingual":
        from headwise.indexing.models.multilingual import open_multilingual

        return open_multilingual()
    known = f"{', '.join(_PACKAGED[:-1])} or {_PACKAGED[-1]}"
    raise ModelError(f"unknown model {settings.name!r}; choose {known}, or set model_url to its endpoint")


def model_tokenizer(name: str) -> TokenizerFile | None:
    """The tokenizer of the packaged model *name*, to count as it reads; None if no such model is in a package.

    Raises:
        ModelError: if it is not installed.
    """
    if name == "wordllama":
        from headwise.indexing.models.static import wordllama_tokenizer

        return wordllama_tokenizer()
    if name == "minilm":
        from headwise.indexing.models.minilm import minilm_tokenizer

        return minilm_tokenizer()
    return None
