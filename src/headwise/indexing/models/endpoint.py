"""A model behind an OpenAI-compatible HTTP endpoint: Ollama, vLLM, OpenAI and their like."""

from __future__ import annotations

import random
import re
import time
from ast import literal_eval
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from headwise.chunking.measure import find_measure
from headwise.errors import ModelError
from headwise.indexing.models.embedder import ModelSettings, readable, unit

if TYPE_CHECKING:
    import httpx

    from headwise.indexing.models.embedder import Vectors

BATCH = 64
"""Texts in one request."""
PATIENT, PROMPT = 6, 2
"""Attempts for passages, where a night's work may wait, and for a question, where a person does."""
FIRST_WAIT, LONGEST_WAIT = 0.5, 60.0
"""Seconds before the second attempt, doubled for each one after; never longer, whatever the server asks."""
TIMEOUT = 60.0
"""Seconds for an answer; a local server may have to load the model first."""

_KEY = re.compile(r"endpoint (.+) (\d+) query=(.+) passage=(.+)", re.DOTALL)
"""As `Endpoint.key` writes it."""


@dataclass(frozen=True, slots=True, eq=False)
class Endpoint:
    """The model `settings.name` at `settings.url`."""

    settings: ModelSettings
    dimensions: int
    api_key: str | None = field(default=None, repr=False)

    @property
    def name(self) -> str:
        """The model's name at the endpoint."""
        return self.settings.name

    @property
    def key(self) -> str:
        """Name, dimensions and prefixes; not the address: a server that moves gives the same vectors."""
        s = self.settings
        return f"{s.family}{self.dimensions} query={s.query_prefix!r} passage={s.passage_prefix!r}"

    @property
    def reads(self) -> str:
        """As set: an endpoint does not tell."""
        s = self.settings
        after = f" after {s.passage_prefix!r}" if s.passage_prefix else ""
        return f"{s.max_tokens} {find_measure(s.tokenizer).name}{after}"

    def fits(self, text: str) -> bool:
        """True if prefix and *text* are within `settings.max_tokens`, counted by `settings.tokenizer`."""
        size = find_measure(self.settings.tokenizer).size
        return size(self.settings.passage_prefix + text) <= self.settings.max_tokens

    def knows(self, text: str) -> float:  # noqa: ARG002 - every model has this method
        """1: nobody can tell, and most models that are served know many languages."""
        return 1.0

    def embed_passages(self, texts: list[str]) -> Vectors:
        """One row for each of *texts*, asked for in batches; overload and time-outs are waited out.

        Raises:
            ModelError: if the server refuses, answers nonsense, or does not answer after several attempts.
        """
        return self._embed([self.settings.passage_prefix + text for text in texts], PATIENT)

    def embed_query(self, text: str) -> Vectors:
        """The vector of *text*.

        Raises:
            ModelError: as for passages, but sooner.
        """
        return self._embed([self.settings.query_prefix + text], PROMPT)[0]

    def _embed(self, texts: list[str], attempts: int) -> Vectors:
        import httpx
        import numpy as np

        rows: list[list[float]] = []
        with httpx.Client(timeout=TIMEOUT, headers=_headers(self.api_key)) as client:
            for at in range(0, len(texts), BATCH):
                rows += _ask(client, self.settings, texts[at : at + BATCH], attempts)
        for row in rows:
            if len(row) != self.dimensions:
                raise ModelError(
                    f"{_where(self.settings)} gave {len(row)} dimensions, not {self.dimensions}: "
                    "set model_dimensions to what it gives"
                )
        vectors = np.array(rows, np.float32).reshape(len(rows), self.dimensions)
        if not np.isfinite(vectors).all():
            raise ModelError(f"{_where(self.settings)} gave numbers that are not finite")
        return unit(vectors)


def settings_of(key: str, beside: ModelSettings) -> tuple[ModelSettings, ...]:
    """The settings of the model with this key, at the address of *beside*; nothing if it is no endpoint's."""
    found = _KEY.fullmatch(key)
    if found is None:
        return ()
    name, dimensions, query, passage = found.groups()
    prefixes = {"query_prefix": literal_eval(query), "passage_prefix": literal_eval(passage)}
    return (replace(beside, name=name, dimensions=int(dimensions), **prefixes),)


def open_endpoint(settings: ModelSettings, api_key: str | None) -> Endpoint:
    """The model at an endpoint; asks it for one vector if `settings.dimensions` is not given.

    Raises:
        ModelError: if httpx is not installed, or the endpoint does not answer as it should.
    """
    if find_spec("httpx") is None or find_spec("numpy") is None:
        raise ModelError(f'the model {settings.name} needs HTTP: pip install "headwise[http]"')
    if settings.dimensions is not None:
        return Endpoint(settings, settings.dimensions, api_key)
    import httpx

    with httpx.Client(timeout=TIMEOUT, headers=_headers(api_key)) as client:
        (row,) = _ask(client, settings, [settings.passage_prefix + "dimensions"], PROMPT)
    if not row:
        raise ModelError(f"{_where(settings)} gave an empty vector")
    return Endpoint(settings, len(row), api_key)


def _ask(client: httpx.Client, settings: ModelSettings, texts: list[str], attempts: int) -> list[list[float]]:
    """One request, tried again while that may help."""
    import httpx

    url = f"{(settings.url or '').rstrip('/')}/embeddings"
    body: dict[str, Any] = {"model": settings.name, "input": [readable(text) for text in texts]}
    waits = _waits(attempts)
    while True:
        try:
            response = client.post(url, json=body)
        except httpx.InvalidURL as error:
            raise ModelError(f"{_where(settings)}: {error}") from error
        except httpx.TransportError as error:
            trouble, asked = str(error) or type(error).__name__, 0.0
        else:
            if response.is_success:
                return _rows(response, len(texts), _where(settings))
            trouble, asked = f"{response.status_code} {_message(response)}", _retry_after(response)
            if response.status_code not in {408, 429} and response.status_code < 500:
                raise ModelError(f"{_where(settings)} refused: {trouble}")
        wait = next(waits, None)
        if wait is None:
            raise ModelError(f"{_where(settings)} did not answer after {attempts} attempts: {trouble}")
        time.sleep(min(max(wait, asked), LONGEST_WAIT))


def _waits(attempts: int) -> Iterator[float]:
    """Seconds between attempts: doubling, with jitter so that many clients do not come back at once."""
    for n in range(attempts - 1):
        yield FIRST_WAIT * 2**n * random.uniform(0.5, 1.5)  # noqa: S311 - jitter, no secret


def _retry_after(response: httpx.Response) -> float:
    """Seconds the server asks to wait, given as a number or a date; 0 if it does not say."""
    value = response.headers.get("retry-after", "").strip()
    if value.replace(".", "", 1).isdecimal():
        return float(value)
    try:
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):  # no date, or one without a zone
        return 0.0


def _rows(response: httpx.Response, count: int, where: str) -> list[list[float]]:
    """The vectors of an answer, in the order of the texts."""
    try:
        data: list[dict[str, Any]] = response.json()["data"]
        rows = [[float(x) for x in item["embedding"]] for item in sorted(data, key=lambda d: int(d.get("index", 0)))]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelError(f"{where} gave no list of vectors, but: {_line(response.text)}") from error
    if len(rows) != count:
        raise ModelError(f"{where} gave {len(rows)} vectors for {count} texts")
    return rows


def _message(response: httpx.Response) -> str:
    """What the server says is wrong, on one line."""
    try:
        said: Any = response.json()
        said = said.get("error", said)
        said = said.get("message", said) if isinstance(said, dict) else said  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType] - any JSON
    except (ValueError, AttributeError):
        said = response.text
    return _line(str(said)) or response.reason_phrase  # pyright: ignore[reportUnknownArgumentType] - any JSON


def _line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 200 else f"{line[:200]}…"


def _where(settings: ModelSettings) -> str:
    return f"the model {settings.name} at {settings.url}"


def _headers(api_key: str | None) -> dict[str, str]:
    return {"Authorization": f"Bearer {api_key}"} if api_key else {}
