"""Where a word begins in scripts that put no space between words, looked at only around a wanted cut."""

from __future__ import annotations

from typing import Final, NamedTuple

import regex

from headwise.chunking.graphemes import last_boundary
from headwise.chunking.word_places import LONGEST, places

_REACH: Final = 24
"""Characters before a wanted cut that are searched."""

_SCRIPT: Final = regex.compile(
    r"(?P<chinese>[\p{Han}\p{Hiragana}\p{Katakana}])|(?P<thai>[\u0e01-\u0e4e])|(?P<lao>[\u0e81-\u0edf])"
    r"|(?P<khmer>[\u1780-\u17d3])|(?P<burmese>[\u1000-\u103f])|(?P<tibetan>[\u0f40-\u0fbc])"
)
_PARTED: Final = regex.compile(
    r"(?<=[\u0e40-\u0e44\u0ec0-\u0ec4\u1039\u17d2])|[\u0e30\u0e32\u0e45\u0eb0\u0eb2\u102b\u102c\u1038]"
)
_KANA: Final = regex.compile(r"[\u3041-\u3096\u30a1-\u30fa\uff66-\uff9d]")


class Place(NamedTuple):
    """A place to cut at."""

    at: int
    word: bool
    """Whether a word begins there for all that can be seen, and not only a syllable."""


def word_start(text: str, low: int, position: int) -> Place | None:
    """The last place in *text* after *low*, at or near before *position*, where a word begins; None if none is near.

    Only in scripts without spaces between words, and never inside a grapheme. *low* must be a grapheme boundary.
    """
    first = max(low + 1, position - _REACH + 1)
    script = _SCRIPT.search(text, first - 1, position + 1)
    if script is None:
        return None
    kind = script.lastgroup or ""
    if kind == "chinese" and _KANA.search(text, max(position - _REACH, 0), position + _REACH):
        kind = "japanese"
    for number, pattern in enumerate(places(kind)):
        found = [match.start() for match in pattern.finditer(text, first, position + LONGEST)]
        for at in reversed(found):
            if at <= position and last_boundary(text, low, at) == at:
                return Place(at, number == 0)
    return None


def parts_letters(text: str, low: int, at: int) -> bool:
    """Whether a cut at *at*, between two graphemes, would part what Thai, Lao, Khmer or Burmese write as one.

    Not so far from *low* that no syllable is so long: a run of such signs is cut like anything else.
    """
    return at - low < _REACH and _PARTED.match(text, at) is not None
