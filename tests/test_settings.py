"""What settings mean, and which are refused."""

from __future__ import annotations

from typing import Any

import pytest

from headwise import Settings
from headwise.chunking.settings import Overlap
from headwise.errors import SettingsError


@pytest.mark.parametrize(
    "options",
    [
        {"max_tokens": 1},
        {"max_tokens": 2, "min_tokens": 1},
        {"min_tokens": 0},
        {"max_line": 1},
        {"max_tokens": 2, "overlap": 1},
        {"overlap": "99%"},
        {"overlap": "0s"},
        {"max_tokens": 2, "overlap": "9s"},
    ],
)
def test_values_at_the_edge_of_what_works_are_taken(options: dict[str, Any]) -> None:
    Settings(**options)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"max_tokens": 0}, "max_tokens is 0; it must be at least 1"),
        ({"min_tokens": -1}, "min_tokens is -1; it must be at least 0 and below max_tokens"),
        ({"max_tokens": 9, "min_tokens": 9}, "min_tokens is 9; it must be at least 0 and below max_tokens"),
        ({"strategy": "semantic"}, "unknown strategy 'semantic'; choose one of headings, paragraphs, sentences, fixed"),
        ({"tiny": "hide"}, "unknown way with tiny pieces 'hide'; choose one of join, keep, drop"),
        ({"max_line": 0}, "max_line is 0; it must be at least 1"),
        ({"overlap": -1}, "overlap is -1; it must be at least 0"),
        ({"overlap": "-1s"}, "overlap is -1s; it must be at least 0"),
        ({"max_tokens": 9, "overlap": 9}, "overlap is 9; it must be below max_tokens"),
        ({"overlap": "100%"}, "overlap is 100%; it must be below max_tokens"),
    ],
)
def test_what_cannot_work_is_refused_in_one_line(options: dict[str, Any], says: str) -> None:
    with pytest.raises(SettingsError) as raised:
        Settings(**options)

    assert says in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (0, Overlap()),
        (7, Overlap(size=7)),
        (" 7 ", Overlap(size=7)),
        ("15%", Overlap(size=60)),
        ("15 %", Overlap(size=60)),
        ("0", Overlap()),
        ("2s", Overlap(sentences=2)),
        ("2 s", Overlap(sentences=2)),
    ],
)
def test_an_overlap_is_a_size_a_share_or_sentences(given: int | str, meant: Overlap) -> None:
    assert Settings(400, overlap=given).parsed_overlap() == meant


@pytest.mark.parametrize(
    "given", ["", "s", "%", "x", "1.5", "1ss", "5%%", "5%s", "1s2", "1 2", "--1", "٣", "1   s", "9" * 5000, True]
)
def test_an_overlap_that_says_nothing_else_is_refused(given: Any) -> None:
    with pytest.raises(SettingsError, match="give a number, a share such as '15%', or sentences: '1s'"):
        Settings(overlap=given)


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("1-6", {1, 2, 3, 4, 5, 6}),
        ("2,3", {2, 3}),
        ("6", {6}),
        ("2-2", {2}),
        (" 1 - 2 , 4 ", {1, 2, 4}),
    ],
)
def test_levels_are_numbers_and_ranges(given: str, meant: set[int]) -> None:
    assert Settings(levels=given).parsed_levels() == meant


@pytest.mark.parametrize("given", ["", "0", "7", "12", "1-7", "0-2", "3-2", "1-", "-2", "1,", "1-2-3", "a"])
def test_levels_that_are_none_are_refused(given: str) -> None:
    with pytest.raises(SettingsError, match="give levels from 1 to 6, such as '1-6' or '2,3'"):
        Settings(levels=given)


@pytest.mark.parametrize(
    ("options", "minimum"),
    [
        ({}, 20),
        ({"max_tokens": 200}, 20),
        ({"max_tokens": 199}, 19),
        ({"max_tokens": 9}, 0),
        ({"min_tokens": 0}, 0),
        ({"min_tokens": 50}, 50),
    ],
)
def test_the_minimum_is_a_tenth_of_the_limit_and_at_most_20_unless_given(options: dict[str, Any], minimum: int) -> None:
    assert Settings(**options).minimum == minimum


CHANGES: list[dict[str, Any]] = [
    {"max_tokens": 300},
    {"min_tokens": 7},
    {"overlap": 30},
    {"overlap": "1s"},
    {"overlap": "2s"},
    {"tokenizer": "words"},
    {"strategy": "fixed"},
    {"tiny": "keep"},
    {"levels": "1-2"},
    {"max_line": 99},
    {"max_line": 100},
]


def test_whatever_decides_a_cut_is_in_the_key_and_how_it_is_written_is_not() -> None:
    keys = [Settings(**options).key() for options in ({}, *CHANGES)]

    assert len(set(keys)) == len(keys)
    assert not any("\n" in key for key in keys)
    assert Settings(400, 20, "10%", levels="3,1-2").key() == Settings(overlap=40, levels="1-3").key()
