"""A Hugging Face tokenizer from its `tokenizer.json`: the one file that the core reads, when settings name it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from headwise.errors import SettingsError
from headwise.model import content_hash

SUFFIX: Final = ".json"
"""A tokenizer whose name ends like this is a path."""

_SURROGATE: Final = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class TokenizerFile:
    """What stands in a `tokenizer.json`: a value like any other, whatever becomes of the file."""

    text: str = field(repr=False)

    @property
    def name(self) -> str:
        """Tells it from every other by its content."""
        return f"tokenizer.json:{content_hash(self.text)}"


@dataclass(frozen=True, slots=True)
class Counter:
    """How a tokenizer counts."""

    count: Callable[[str], int]
    """From a text to its tokens, without special ones."""
    extra: int
    """How many special tokens it adds to every text."""
    own_space: bool
    """Whether it puts a space before every text, even where one is."""


def read_tokenizer(path: str) -> TokenizerFile:
    """The `tokenizer.json` at *path*.

    Raises:
        SettingsError: if it is not there, cannot be read, is no tokenizer, or the package for it is not installed.
    """
    if find_spec("tokenizers") is None:
        raise SettingsError(f'{path}: to count with it, pip install "headwise[tokenizers]"')
    try:
        file = TokenizerFile(Path(path).read_text("utf-8"))
    except FileNotFoundError:
        raise SettingsError(f"{path}: there is no such tokenizer file") from None
    except OSError as error:
        raise SettingsError(f"{path}: the tokenizer file cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise SettingsError(f"{path}: is no tokenizer.json: not UTF-8") from error
    try:
        open_counter(file)
    except Exception as error:  # tokenizers raises bare Exception
        raise SettingsError(f"{path}: is no tokenizer.json: {' '.join(str(error).split())}") from error
    return file


@lru_cache(maxsize=4)
def open_counter(file: TokenizerFile) -> Counter:
    """What counts as *file* says.

    What looks like a special token in a text is text. Nothing is truncated or padded, whatever the file says.
    """
    from tokenizers import Tokenizer  # noqa: PLC0415 - comes with an extra

    tokenizer = Tokenizer.from_str(file.text)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True

    def tokens(text: str) -> int:
        try:
            return len(tokenizer.encode(text, add_special_tokens=False))
        except TypeError:  # a lone surrogate counts as the replacement character it is written as
            return len(tokenizer.encode(_SURROGATE.sub("\ufffd", text), add_special_tokens=False))

    spaces = tokenizer.encode(" a", add_special_tokens=False).tokens
    return Counter(tokens, tokenizer.num_special_tokens_to_add(is_pair=False), "".join(spaces).startswith("▁▁"))
