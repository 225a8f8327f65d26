"""Ways to count the size of a text: tokens of an encoding or a model, characters, words, or a function."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from types import ModuleType
from typing import Any, Final

import toktok

from headwise.chunking.tokenizer_file import SUFFIX, TokenizerFile, open_counter, read_tokenizer
from headwise.errors import SettingsError

Tokenizer = str | Callable[[str], int] | TokenizerFile
"""What names a measure: a name, a function from text to its size, or a `tokenizer.json` that was read."""

ENCODINGS: Final = ("cl100k_base", "o200k_base")
"""Encodings whose vocabularies come with the package; special tokens are read as text.

Counts equal tiktoken's, but for one token where a letter, mark or digit that came with Unicode 17 stands right before
punctuation, as tiktoken takes it for punctuation, and (`o200k_base`) now and then at an apostrophe before `ſ`.
"""

_IDEOGRAPH: Final = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_WORD: Final = re.compile(f"[{_IDEOGRAPH}]|[^\\s{_IDEOGRAPH}]+")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Measure:
    """A way to count size, and its name."""

    name: str
    count: Callable[[str], int]
    """Size of a text as a part of others: sums of parts are about the size of the whole."""
    extra: int = 0
    """What is added to every text that is read on its own: the special tokens of an embedding model."""
    own_space: bool = False
    """Whether every text is counted as if a space stood before it: then a part does not bring its own."""
    adds_up: bool = False
    """Whether the sizes of parts that begin with a line's first letter or sign add up to the size of the whole."""
    lasting: bool = True
    """Whether the name tells the measure from all others, in other runs too."""

    def size(self, text: str) -> int:
        """Size of a text that is read on its own."""
        return self.count(text) + self.extra


def settled(tokenizer: Tokenizer) -> Tokenizer:
    """*tokenizer*, with the path of a `tokenizer.json` read, so that it means the same from now on.

    Raises:
        SettingsError: if the file cannot be used.
    """
    if isinstance(tokenizer, str) and tokenizer.endswith(SUFFIX):
        return read_tokenizer(tokenizer)
    return tokenizer


def find_measure(tokenizer: Tokenizer) -> Measure:
    """The measure that *tokenizer* names.

    It is `cl100k_base`, `o200k_base`, `chars` (code points), `words` (a Chinese or Japanese character counts as
    one), a `tokenizer.json`, or a function from text to its size. What a function gives for the empty text is taken
    for what it adds to every text.

    Raises:
        SettingsError: if there is none of that name, or the function gives no size.
    """
    if isinstance(tokenizer, str):
        return _named(tokenizer)
    if isinstance(tokenizer, TokenizerFile):
        counter = open_counter(tokenizer)
        return Measure(tokenizer.name, counter.count, counter.extra, counter.own_space)
    return _of_function(tokenizer)


@cache
def _named(name: str) -> Measure:
    if name == "chars":
        return Measure(name, len, adds_up=True)
    if name == "words":
        return Measure(name, _words, adds_up=True)
    if name in ENCODINGS:
        # o200k_base makes one token of signs at the end of a line and a `/` that begins the next
        return Measure(name, _tokens(name), adds_up=name == "cl100k_base")
    known = ", ".join((*ENCODINGS, "chars", "words"))
    raise SettingsError(
        f"unknown tokenizer {name!r}; choose one of {known}, or give the path of a Hugging Face tokenizer.json"
    )


def _of_function(function: Callable[[str], Any]) -> Measure:
    name = getattr(function, "__qualname__", type(function).__name__)
    extra = function("")
    if not isinstance(extra, int) or extra < 0:
        raise SettingsError(f"tokenizer {name} gives {extra!r} for an empty text; it must give a size, 0 or more")
    # methods of an object, functions made by others and lambdas share their names with those that count otherwise
    owner = getattr(function, "__self__", None)
    lasting = "<" not in name and hasattr(function, "__qualname__") and isinstance(owner, ModuleType | type | None)
    full = f"{function.__module__}.{name}" if lasting else name
    return Measure(full, (lambda text: function(text) - extra) if extra else function, extra, lasting=lasting)


def _words(text: str) -> int:
    return sum(1 for _ in _WORD.finditer(text))


def _tokens(encoding: str) -> Callable[[str], int]:
    known: Callable[[str], int] | None = None

    def tokens(text: str) -> int:
        nonlocal known
        count = known
        if count is None:  # the vocabulary takes 60 ms to read, and a search needs none
            # The public batch function costs 40 µs a call, single counts 1: hence the one private name, used here only.
            find: Callable[[str], Any] = getattr(toktok, "_encoding")  # noqa: B009 - its types end at the public functions
            count = known = find(encoding).count
        try:
            return count(text)
        except UnicodeEncodeError:  # a lone surrogate counts as the replacement character it is written as
            return count(_SURROGATE.sub("\ufffd", text))

    return tokens


def token_starts(text: str, encoding: str = "cl100k_base") -> list[int]:
    """The character in which each token of *text* begins, in order; several begin in one that takes several tokens."""
    written = _SURROGATE.sub("\ufffd", text)
    find: Callable[[str], Any] = getattr(toktok, "_encoding")  # noqa: B009 - its types end at the public functions
    begun = [start for start, _ in find(encoding).encode_with_offsets(written)[1]]
    data = written.encode()
    if len(data) == len(text):
        return begun
    characters = list(accumulate((byte & 0xC0) != 0x80 for byte in data))  # a byte that goes on
    return [characters[byte] - 1 for byte in begun]
