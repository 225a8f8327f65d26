"""What an embedding model is to Headwise, and the settings that name one."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from headwise.chunking.measure import Tokenizer, find_measure, settled
from headwise.errors import SettingsError

if TYPE_CHECKING:  # numpy comes with the extras only, and is slow to import
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

_SURROGATE = re.compile("[\ud800-\udfff]")


class Reader(Protocol):
    """As much of a model as decides how documents are cut for it."""

    @property
    def key(self) -> str:
        """Everything that decides its vectors, as one line: stored vectors are reused only under an equal key."""
        ...

    @property
    def reads(self) -> str:
        """How much of a text it reads, and in whose tokens, as one word or a few: `all` if there is no limit.

        Models that read alike get the same passages, so that one can take the other's place without cutting anew.
        """
        ...

    def fits(self, text: str) -> bool:
        """True if the model reads *text* as a passage to its end."""
        ...


class Embedder(Reader, Protocol):
    """A model that turns text into vectors whose dot product says how near two meanings are.

    Vectors are float32 rows of length one; a text without any token the model knows gives zeros,
    which are near to nothing.
    """

    @property
    def name(self) -> str:
        """What people call it."""
        ...

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        ...

    def knows(self, text: str) -> float:
        """The share of *text*, from 0 to 1, whose language the model knows: so much its vectors count in a search."""
        ...

    def embed_passages(self, texts: list[str]) -> Vectors:
        """One row for each of *texts*.

        Raises:
            ModelError: if the model refuses or does not answer.
        """
        ...

    def embed_query(self, text: str) -> Vectors:
        """The vector of a question: one dimension.

        Raises:
            ModelError: if the model refuses or does not answer.
        """
        ...


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """Which model embeds, checked when made.

    `name` is `wordllama`, `minilm` or `multilingual`, which come inside packages and use no network; with `url` it
    is the name of a model at an OpenAI-compatible endpoint, such as `http://localhost:11434/v1`. All that follows is
    for such an endpoint only: `dimensions` is asked from it if not given; `max_tokens` is how much it reads,
    counted by `tokenizer`: the path of the model's own `tokenizer.json` counts exactly, with any other leave room.

    Raises:
        SettingsError: for a number below 1, or a tokenizer that is unknown, cannot be read, or has no name.
    """

    name: str = "wordllama"
    url: str | None = None
    dimensions: int | None = None
    max_tokens: int = 256
    tokenizer: Tokenizer = "cl100k_base"
    query_prefix: str = ""
    passage_prefix: str = ""

    def __post_init__(self) -> None:
        if self.max_tokens < 1:
            raise SettingsError(f"model_max_tokens is {self.max_tokens}; it must be at least 1")
        if self.dimensions is not None and self.dimensions < 1:
            raise SettingsError(f"model_dimensions is {self.dimensions}; it must be at least 1")
        if self.url is not None and not self.url.startswith(("http://", "https://")):
            raise SettingsError(f"model_url is {self.url!r}; it must begin with http:// or https://")
        object.__setattr__(self, "tokenizer", settled(self.tokenizer))  # frozen but while it is made
        measure = find_measure(self.tokenizer)
        if not measure.lasting:
            raise SettingsError(
                f"tokenizer {measure.name} has no name of its own; define it with def at the top of a module"
            )

    @property
    def family(self) -> str:
        """What the keys of the model's vectors begin with, whatever its dimensions and prefixes."""
        return f"{self.name} " if self.url is None else f"endpoint {self.name} "


def readable(text: str) -> str:
    """*text* as a tokenizer or JSON can take it: lone surrogates become U+FFFD."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def latin_share(text: str) -> float:
    """The share of Latin letters among the letters of *text*, 1 if it has none: what a model of English may know."""
    return letter_share(text, lambda letter: letter < "\u0250")


def letter_share(text: str, known: Callable[[str], bool]) -> float:
    """The share of *known* letters among the letters of *text*, 1 if it has none."""
    letters = [letter for letter in text if letter.isalpha()]
    return sum(map(known, letters)) / len(letters) if letters else 1.0


def unit(rows: Vectors) -> Vectors:
    """*rows*, each scaled to length one; rows of zeros stay zeros."""
    import numpy as np

    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return (rows / np.where(lengths == 0, 1, lengths)).astype(np.float32)
