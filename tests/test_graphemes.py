"""Where graphemes begin and end, looked at only around a place, against the whole text cut by the standard's rules."""

from __future__ import annotations

from itertools import pairwise

import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st

from headwise.chunking.graphemes import last_boundary, next_boundary

CLUSTER = regex.compile(r"\X")
SIGNS = [
    "a",
    "1",
    " ",
    "é",
    "中",
    "あ",
    "한",
    "\u0301",
    "\u200d",
    "👩",
    "👩🏽\u200d🚀",
    "🏽",
    "❤\ufe0f",
    "🇩",
    "🇩🇪",
    "🇯",
    "🇦",
    "🇿",
    "\u1100",
    "\u1161",
    "\u11a8",
    "क",
    "\u094d",
    "क\u094dष",
    "\u0e33",
    "\u0600",
    "\r",
    "\n",
    "\r\n",
]
TEXTS = st.lists(
    st.sampled_from(SIGNS),
    min_size=1,
    max_size=20,
).map("".join)
LONG = [
    first + sign * count for first in ("", "x", "x中") for sign in ("\u0301", "🇩", "é") for count in (63, 64, 65, 300)
]


def boundaries(text: str) -> list[int]:
    return [0, *(match.end() for match in CLUSTER.finditer(text))]


@given(TEXTS)
@example("🇩🇪")
@example("a🇩🇪b🇯🇵🇩🇦")
@example("🇿🇿🇿🇦🇦🇦")
@example("🇩\u0600🇪")
def test_the_last_boundary_is_that_of_the_standard_from_wherever_it_is_looked_for(text: str) -> None:
    every = boundaries(text)
    for low in every[:-1]:
        for position in range(low, len(text) + 1):
            assert last_boundary(text, low, position) == max(at for at in every if at <= position), (low, position)


@given(TEXTS)
def test_a_grapheme_ends_where_the_standard_says_or_where_the_text_does(text: str) -> None:
    for begun, ended in pairwise(boundaries(text)):
        for end in range(begun + 1, len(text) + 1):
            assert next_boundary(text, begun, end) == min(ended, end), (begun, end)


@pytest.mark.parametrize("text", LONG, ids=lambda text: f"{text[:3]} {len(text)}")
def test_however_long_a_grapheme_or_a_run_of_them_is(text: str) -> None:
    every = boundaries(text)
    assert [next_boundary(text, at, len(text)) for at in every[:-1]] == every[1:]
    assert [last_boundary(text, 0, at) for at in range(len(text))] == [
        max(edge for edge in every if edge <= at) for at in range(len(text))
    ]
