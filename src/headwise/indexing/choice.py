"""Which model's vectors a search goes by: the one that is wanted, unless another knows more of the store."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from headwise.errors import ModelError
from headwise.indexing.models import Embedder, ModelSettings, known_models, preferred_model
from headwise.stores.store import Store


class Choice(NamedTuple):
    """A model, or the reason why there is none."""

    model: Embedder | None
    notes: tuple[str, ...] = ()


def choose_model(store: Store, wanted: ModelSettings | None, open_model: Callable[[ModelSettings], Embedder]) -> Choice:
    """The model to search *store* with.

    That is the *wanted* one (without a wish the default, or the only other that comes in a package and made vectors),
    as soon as every passage has its vector. Until then it is the one that has vectors of most passages: while a new
    model is at work, the old one's vectors are still there. A model is asked for by *open_model* only if it has any.
    """
    stored = store.models()
    if not stored:
        return Choice(None, ("searched by words alone: the store has no vectors yet",))
    first = wanted or preferred_model(stored)
    if wanted is None and not any(key.startswith(first.family) for key in stored):
        known = ", ".join(stored)
        return Choice(None, (f"searched by words alone: the store has vectors of {known}; choose that model",))
    try:
        model = open_model(first)
    except ModelError as error:
        return Choice(None, (f"searched by words alone: {error}",))
    embedded, pending = store.coverage(model.key)
    if not pending:
        return Choice(model)
    more = sorted(_others(store, stored, model.key, embedded), reverse=True)
    for key, settings in ((name, settings) for _, name in more for settings in known_models(name, first)):
        try:
            other = open_model(settings)
        except ModelError:  # what made the vectors is gone: the next one, or the wanted one with what it has
            continue
        if other.key == key:
            share = f"{embedded:,} of {embedded + pending:,} passages have a vector of {model.name} yet"
            return Choice(other, (f"searched with {other.name}: only {share}",))
    return Choice(model)


def _others(store: Store, stored: list[str], key: str, embedded: int) -> Iterator[tuple[int, str]]:
    """How many passages have vectors of the other models *stored*, if those are more."""
    for other in stored:
        if other != key and (number := store.coverage(other).embedded) > embedded:
            yield number, other
