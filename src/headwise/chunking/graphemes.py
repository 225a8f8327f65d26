r"""Where graphemes (UAX #29) begin and end, looked at only around a wanted cut.

`\X` of the regex library is exact but slow, and quadratic on runs of flags: it is given a short stretch, and flags
are counted in pairs here.
"""

from __future__ import annotations

from typing import Final

import regex

_CLUSTER: Final = regex.compile(r"\X")
_AHEAD: Final = 64

# between two of these there is always a boundary: ideographs, kana, and letters, digits and signs that do not join
_APART: Final = regex.compile(r"[ -~\p{Han}\p{Hiragana}\p{Katakana}\p{Latin}\p{Cyrillic}\p{Greek}\p{Nd}]")
_FLAG_LETTERS: Final = ("\U0001f1e6", "\U0001f1ff")


def last_boundary(text: str, low: int, position: int) -> int:
    """The last grapheme boundary in *text* at or before *position*; *low* if there is none after it.

    *low* must be a boundary itself.
    """
    if position > low and _is_flag(text[position - 1]) and position < len(text) and _is_flag(text[position]):
        begun = position
        while begun > low and _is_flag(text[begun - 1]):
            begun -= 1
        return position - (position - begun) % 2
    begin = position
    while begin > low and not (
        begin < len(text) and _APART.fullmatch(text[begin]) and _APART.fullmatch(text[begin - 1])
    ):
        begin -= 1
    at = begin
    for match in _CLUSTER.finditer(text[begin : position + _AHEAD]):
        if begin + match.end() > position:
            break
        at = begin + match.end()
    return at


def next_boundary(text: str, low: int, end: int) -> int:
    """Where the grapheme that begins at *low* ends; *end* if it goes on there."""
    ahead = _AHEAD
    while True:
        match = _CLUSTER.match(text[low : min(low + ahead, end)])
        length = match.end() if match else 1
        if length < ahead or low + ahead >= end:
            return min(low + length, end)
        ahead *= 4


def _is_flag(character: str) -> bool:
    return _FLAG_LETTERS[0] <= character <= _FLAG_LETTERS[1]
