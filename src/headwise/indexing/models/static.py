"""WordLlama: the mean of one vector per token, fast and small, its weights inside its own package."""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headwise.chunking.tokenizer_file import TokenizerFile
from headwise.errors import ModelError
from headwise.indexing.models.embedder import latin_share, readable, unit

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from headwise.indexing.models.embedder import Vectors

WEIGHTS = "l2_supercat_256"
"""The only weights inside the package; the file, its tokenizer and so its vectors go by this name."""

TOKENIZER = Path("tokenizers", "l2_supercat_tokenizer_config.json")
"""Where its tokenizer lies in the package."""


@dataclass(frozen=True, slots=True, eq=False)
class WordLlama:
    """256 dimensions from a table of 32,000 token vectors."""

    tokenizer: Tokenizer
    table: Vectors
    name: str = "wordllama"
    key: str = f"wordllama {WEIGHTS}"
    reads: str = "all"

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return self.table.shape[1]

    def fits(self, text: str) -> bool:  # noqa: ARG002 - every model has this method
        """True: a mean is taken of all tokens, however many there are."""
        return True

    def knows(self, text: str) -> float:
        """The share of Latin letters: it was trained on English."""
        return latin_share(text)

    def embed_passages(self, texts: list[str]) -> Vectors:
        """One row for each of *texts*; zeros for an empty one."""
        import numpy as np

        # "Fast" because it does not say where in the text a token stands; all cores work if there are many texts.
        encoded = self.tokenizer.encode_batch_fast([readable(t) for t in texts], add_special_tokens=False)
        rows = np.zeros((len(texts), self.dimensions), np.float32)
        for row, tokens in zip(rows, encoded, strict=True):
            ids = tokens.ids
            if ids:  # what `mean` does, to the last bit, in half the time
                places = np.fromiter(ids, np.intp, len(ids))
                row[:] = np.add.reduce(self.table.take(places, axis=0), axis=0) / len(ids)
        return unit(rows)

    def embed_query(self, text: str) -> Vectors:
        """The vector of *text*."""
        return self.embed_passages([text])[0]


def open_wordllama() -> WordLlama:
    """The model, read from the files of its package without importing it.

    Its import sets up logging for the whole process, loads an HTTP client, and its loader may download.

    Raises:
        ModelError: if the package or its files are not there.
    """
    folder = _folder()
    weights = folder / "weights" / f"{WEIGHTS}.safetensors"
    try:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return WordLlama(tokenizer, _read_table(weights))
    except Exception as error:  # tokenizers raises bare Exception
        raise ModelError(
            f'the model wordllama in {folder} cannot be read ({error}): pip install --upgrade "headwise[vectors]"'
        ) from error


def wordllama_tokenizer() -> TokenizerFile:
    """What counts the tokens of a text as the model reads it: without the special ones that its file would add.

    Raises:
        ModelError: if the package is not installed.
    """
    file = _folder() / TOKENIZER
    try:
        made = json.loads(file.read_text("utf-8"))
    except OSError as error:
        raise ModelError(f"{file} cannot be read ({error.strerror}): reinstall wordllama") from error
    return TokenizerFile(json.dumps(made | {"post_processor": None}))


def _folder() -> Path:
    spec = find_spec("wordllama")
    if spec is None or spec.origin is None:
        raise ModelError('the model wordllama is not installed: pip install "headwise[vectors]"')
    return Path(spec.origin).parent


def _read_table(path: Path) -> Vectors:
    """The one tensor of a safetensors file: length of the header, header as JSON, numbers."""
    import numpy as np

    data = path.read_bytes()
    (size,) = struct.unpack_from("<Q", data)
    header: dict[str, Any] = json.loads(data[8 : 8 + size])
    tensor = header["embedding.weight"]
    kind = np.dtype({"F16": "<f2", "F32": "<f4"}[tensor["dtype"]])
    start, end = tensor["data_offsets"]
    numbers = np.frombuffer(data, kind, (end - start) // kind.itemsize, 8 + size + start)
    return numbers.reshape(tensor["shape"]).astype(np.float32)
