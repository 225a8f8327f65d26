"""How a document is cut: a few options in one frozen value, checked when it is made."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, get_args

from headwise.chunking.measure import Measure, Tokenizer, find_measure, settled
from headwise.errors import SettingsError

Strategy = Literal["headings", "paragraphs", "sentences", "fixed"]
Tiny = Literal["join", "keep", "drop"]

_LEVELS = frozenset("123456")
_OVERLAP = re.compile(r"(-?[0-9]{1,9}) ?([s%]?)")

RULES = 3
"""Raised by one whenever a change moves chunk boundaries, so that stores cut anew."""


@dataclass(frozen=True, slots=True)
class Overlap:
    """How much of the chunk before is repeated: so much of the measure, or so many sentences."""

    size: int = 0
    sentences: int = 0


@dataclass(frozen=True, slots=True)
class Settings:
    """What decides where a document is cut.

    Sizes are in the unit of `tokenizer`: `cl100k_base` or `o200k_base`, `chars` or `words`, the path of a Hugging
    Face `tokenizer.json` (read when the settings are made; the special tokens that it adds to every text count), or
    a function from text to its size. A function is known by its module and name only: when its meaning changes, give
    it another name.
    `min_tokens` is `min(20, max_tokens // 10)` if not given. `overlap` is a number in the same unit,
    a share of `max_tokens` such as `"15%"`, or a number of sentences such as `"1s"`; it takes at most half
    of a chunk. `tiny` says what becomes of a section's text under `min_tokens`: it joins a neighbour, is kept as it
    is, or is dropped (and listed as such). `levels` are those of the headings that open a section, `"1-6"` or
    `"2,3"`: all others are text like any other. Lines of more than `max_line` characters, data URIs not counted, are
    in no chunk (and listed as dropped).

    Raises:
        SettingsError: for a limit or line below 1, a minimum or overlap that is negative or not below the limit,
            an unknown strategy, level or way with tiny pieces; for a tokenizer that is unknown, cannot be read, or
            adds as much as the limit to every text.
    """

    max_tokens: int = 400
    min_tokens: int | None = None
    overlap: int | str = 0
    tokenizer: Tokenizer = "cl100k_base"
    strategy: Strategy = "headings"
    tiny: Tiny = "join"
    levels: str = "1-6"
    max_line: int | None = None

    def __post_init__(self) -> None:
        if self.max_tokens < 1:
            raise SettingsError(f"max_tokens is {self.max_tokens}; it must be at least 1")
        if self.min_tokens is not None and not 0 <= self.min_tokens < self.max_tokens:
            raise SettingsError(
                f"min_tokens is {self.min_tokens}; it must be at least 0 and below max_tokens ({self.max_tokens})"
            )
        if self.strategy not in get_args(Strategy):
            raise SettingsError(f"unknown strategy {self.strategy!r}; choose one of {', '.join(get_args(Strategy))}")
        if self.tiny not in get_args(Tiny):
            raise SettingsError(
                f"unknown way with tiny pieces {self.tiny!r}; choose one of {', '.join(get_args(Tiny))}"
            )
        object.__setattr__(self, "tokenizer", settled(self.tokenizer))  # frozen but while it is made
        measure = self.measure()
        if self.max_tokens <= measure.extra:
            raise SettingsError(
                f"max_tokens is {self.max_tokens}; it must be above {measure.extra}, "
                "which is what the tokenizer adds to every text"
            )
        if self.max_line is not None and self.max_line < 1:
            raise SettingsError(f"max_line is {self.max_line}; it must be at least 1 (characters)")
        self.parsed_overlap()
        self.parsed_levels()

    @property
    def minimum(self) -> int:
        """The size under which a piece joins a neighbour."""
        return min(20, self.max_tokens // 10) if self.min_tokens is None else self.min_tokens

    def measure(self) -> Measure:
        """The measure that `tokenizer` names."""
        return find_measure(self.tokenizer)

    def parsed_overlap(self) -> Overlap:
        """`overlap`, read and checked."""
        found = _OVERLAP.fullmatch(str(self.overlap).strip())
        if not found:
            raise SettingsError(
                f"overlap is {self.overlap!r}; give a number, a share such as '15%', or sentences: '1s'"
            )
        given, value = found[0], int(found[1])
        if value < 0:
            raise SettingsError(f"overlap is {given}; it must be at least 0 (max_tokens is {self.max_tokens})")
        if found[2] == "s":
            return Overlap(sentences=value)
        size = self.max_tokens * value // 100 if found[2] else value
        if size >= self.max_tokens:
            raise SettingsError(f"overlap is {given}; it must be below max_tokens ({self.max_tokens})")
        return Overlap(size=size)

    def parsed_levels(self) -> frozenset[int]:
        """`levels`, read and checked."""
        found: set[int] = set()
        for part in self.levels.replace(" ", "").split(","):
            first, dash, last = part.partition("-")
            if first not in _LEVELS or (dash and last not in _LEVELS) or first > (last or first):
                raise SettingsError(f"levels is {self.levels!r}; give levels from 1 to 6, such as '1-6' or '2,3'")
            found.update(range(int(first), int(last or first) + 1))
        return frozenset(found)

    def key(self) -> str:
        """Everything that decides where a document is cut, as one line: equal keys give equal chunks.

        Raises:
            SettingsError: if the tokenizer is a function without a name of its own.
        """
        over = self.parsed_overlap()
        measure = self.measure()
        if not measure.lasting:
            raise SettingsError(
                f"tokenizer {measure.name} has no name of its own; define it with def at the top of a module"
            )
        return (
            f"rules={RULES} max={self.max_tokens} min={self.minimum} overlap={over.size}+{over.sentences}s "
            f"tokenizer={measure.name} strategy={self.strategy} "
            f"tiny={self.tiny} levels={','.join(map(str, sorted(self.parsed_levels())))}"
            f"{'' if self.max_line is None else f' line={self.max_line}'}"
        )
