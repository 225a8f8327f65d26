"""Named ways to count the size of a text: tokens of an encoding, characters, words."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import toktok

from headwise.errors import SettingsError

ENCODINGS: Final = ("cl100k_base", "o200k_base")
"""Encodings whose vocabularies come with the package; counts equal tiktoken's, special tokens read as text."""

_IDEOGRAPH: Final = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_WORD: Final = re.compile(f"[{_IDEOGRAPH}]|[^\\s{_IDEOGRAPH}]+")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Measure:
    """A way to count size: a name, and a function from text to its size."""

    name: str
    count: Callable[[str], int]


@cache
def find_measure(name: str) -> Measure:
    """The measure called *name*: `cl100k_base`, `o200k_base`, `chars` (code points) or `words`.

    A Chinese or Japanese character counts as one word.

    Raises:
        SettingsError: if there is none of that name.
    """
    if name == "chars":
        return Measure(name, len)
    if name == "words":
        return Measure(name, _words)
    if name in ENCODINGS:
        return Measure(name, _tokens(name))
    known = ", ".join((*ENCODINGS, "chars", "words"))
    raise SettingsError(f"unknown tokenizer {name!r}; choose one of {known}")


def _words(text: str) -> int:
    return sum(1 for _ in _WORD.finditer(text))


def _tokens(encoding: str) -> Callable[[str], int]:
    # The public batch function costs 40 µs a call, single counts 1: hence the one private name, used here only.
    find: Callable[[str], Any] = getattr(toktok, "_encoding")  # noqa: B009 - its types end at the public functions
    count: Callable[[str], int] = find(encoding).count

    def tokens(text: str) -> int:
        try:
            return count(text)
        except UnicodeEncodeError:  # a lone surrogate counts as the replacement character it is written as
            return count(_SURROGATE.sub("\ufffd", text))

    return tokens
