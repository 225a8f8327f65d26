"""A little embedding model of our own: a text is the sum of directions that its words hash to."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import blake2b

import numpy as np

from headwise.errors import ModelError
from headwise.indexing.words import analyse_words


@dataclass
class WordBag:
    """Keeps all texts it was given, refuses blank ones as services do, and can be told to fail."""

    name: str = "bag"
    dimensions: int = 32
    max_tokens: int = 1000
    fails_at: str = ""
    error: BaseException = field(default_factory=lambda: ModelError("the model does not answer"))
    seen: list[str] = field(default_factory=list)

    @property
    def key(self) -> str:
        return f"{self.name} {self.dimensions}"

    @property
    def reads(self) -> str:
        return f"{self.max_tokens} words"

    def fits(self, text: str) -> bool:
        return len(text.split()) <= self.max_tokens

    def knows(self, _text: str) -> float:
        return 1.0

    def embed_passages(self, texts: list[str]):
        for text in texts:
            if not text.strip():
                raise ModelError("input cannot be an empty string")
            assert self.fits(text)
            if self.fails_at and self.fails_at in text:
                raise self.error
        self.seen += texts
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str):
        total = np.zeros(self.dimensions, dtype=np.float32)
        for word in analyse_words(text):
            seed = int.from_bytes(blake2b(word.encode(), digest_size=8).digest(), "big")
            total += np.random.default_rng(seed).standard_normal(self.dimensions, dtype=np.float32)
        return total / (np.linalg.norm(total) or 1)
