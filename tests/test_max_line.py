"""Lines over `max_line` are in no chunk and no context, are listed, and nothing else is lost."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from laws import laws

from headwise import Settings, analyse, split
from headwise.chunking.check import problems
from headwise.chunking.split import Analysis
from headwise.errors import SettingsError
from headwise.model import Dropped

LONG = "x9f3 " * 60
"""300 characters."""


def cut(text: str, newline: str = "\n", **options) -> tuple[Analysis, list[str]]:
    """*text* cut without lines over 100 characters, its laws and the proof checked; and the text of its chunks."""
    settings = Settings(**({"max_line": 100, "min_tokens": 0} | options))
    text = text.replace("\n", newline)
    made = laws(text, settings)
    assert problems(text, made, settings) == []
    assert not any(LONG.strip() in chunk.embed_text for chunk in made.chunks)
    return made, [chunk.text.replace(newline, "\n") for chunk in made.chunks]


def dropped(made: Analysis) -> list[str]:
    return [made.tree.text[d.start : d.end] for d in made.dropped if d.reason == "line over max_line"]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_a_long_line_parts_what_stands_before_and_after_it(newline: str) -> None:
    made, texts = cut(f"# Log\n\nIt began well.\n\n{LONG}\n\nIt ended well.\n", newline)

    assert texts == ["# Log\n\nIt began well.", "It ended well."]
    assert dropped(made) == [LONG]
    assert [chunk.headings for chunk in made.chunks] == [("Log",), ("Log",)]
    assert made.chunks[1].context == "Log\n\n"


def test_a_long_line_right_below_a_heading_leaves_the_heading_in_breadcrumbs() -> None:
    made, texts = cut(f"# Log\n{LONG}\n\nIt ended well.\n")

    assert texts == ["# Log", "It ended well."]
    assert made.chunks[1].context == "Log\n\n"


def test_code_whose_fence_is_left_out_is_not_closed_either() -> None:
    text = f"One.\n\n```text {LONG.strip()}\n" + "one two three four five\n" * 30 + "```\n\nTwo.\n"
    made, _ = cut(text, max_tokens=60)

    assert len(made.chunks) > 3
    assert {(chunk.context, chunk.context_after) for chunk in made.chunks} == {("", "")}


def test_without_the_setting_nothing_is_left_out() -> None:
    assert LONG.strip() in "".join(chunk.text for chunk in split(f"# Log\n\n{LONG}\n"))


def test_a_line_as_long_as_allowed_stays() -> None:
    _, texts = cut("a" * 100 + "\n\n" + "X" * 101 + "\n")

    assert texts == ["a" * 100]


def test_what_stands_before_a_long_line_is_cut_if_it_must_be() -> None:
    _, texts = cut(f"# Log\n\n{'It began well. ' * 9}\n\n{LONG}\n\nIt ended well.\n", max_tokens=20, max_line=200)

    assert len(texts) > 2
    assert texts[-1] == "It ended well."


def test_front_matter_is_dropped_as_such_however_long_its_lines() -> None:
    made, texts = cut(f"---\nnote: {LONG}\n---\n# Log\n\nIt began well.\n")

    assert texts == ["# Log\n\nIt began well."]
    assert [drop.reason for drop in made.dropped] == ["front matter"]


def test_a_data_uri_does_not_make_a_line_long() -> None:
    uri = "data:image/png;base64," + "A" * 500
    assert dropped(cut(f"{'B' * 60} ![dot]({uri}) {'a' * 60}\n")[0]) != []
    made, texts = cut(f"Before ![dot]({uri}) after.\n")

    assert len(texts) == 1
    assert made.chunks[0].embed_text == "Before ![dot]() after."
    assert dropped(made) == []


def test_white_space_is_no_line_to_be_dropped() -> None:
    made, texts = cut("One.\n" + " " * 500 + "\nTwo.\n")

    assert "".join(texts).split() == ["One.", "Two."]
    assert made.dropped == ()


def test_code_and_tables_are_reopened_after_a_long_line() -> None:
    _, texts = cut(f"```sh\nls\n{LONG}\npwd\n```\n")
    made, _ = cut(f"```sh\nls\n{LONG}\npwd\n```\n")
    assert texts == ["```sh\nls", "pwd\n```"]
    assert [chunk.embed_text for chunk in made.chunks] == ["```sh\nls\n```", "```sh\npwd\n```"]

    made, _ = cut(f"| a | b |\n|---|---|\n| 1 | 2 |\n| {LONG} | 3 |\n| 4 | 5 |\n")
    assert made.chunks[1].embed_text == "| a | b |\n|---|---|\n| 4 | 5 |"


@pytest.mark.parametrize(
    "text",
    [
        f"| {LONG} | b |\n|---|---|\n| 1 | 2 |\n",
        f"``` {LONG}\ncode\n```\n",
        f"- {LONG}\n  - inside\n",
        f"{LONG}:\n\n- inside\n",
        f"> [!note] {LONG}\n> inside\n",
        f"# {LONG}\n\ninside\n\n## Part\n\nmore inside\n",
        f"{LONG}\n===\n\ninside\n",
        f"{LONG}\n\n# Bare\n\n{LONG}\n\n# Other\n\ninside\n",
        f"\ufeff{LONG}\n\ninside\n",
        f"---\ntitle: {LONG}\n---\n\ninside\n\n{LONG}",
        f"$$\n{LONG}\ninside\n$$\n",
        f"<details>\n{LONG}\ninside\n</details>\n",
        f"[^1]: {LONG}\n    inside\n",
    ],
)
@pytest.mark.parametrize("strategy", ["headings", "paragraphs", "sentences", "fixed"])
@pytest.mark.parametrize("overlap", [0, "1s"])
@pytest.mark.parametrize("tiny", ["join", "keep", "drop"])
def test_a_long_line_may_stand_anywhere(text: str, strategy: str, overlap: int | str, tiny: str) -> None:
    for size in (6, 40, 400):
        cut(text, max_tokens=size, strategy=strategy, overlap=overlap, tiny=tiny, min_tokens=min(5, size - 1))


def test_no_chunk_joins_across_a_long_line() -> None:
    made, texts = cut(f"# A\n\nOne.\n\n## B\n\n{LONG}\n\n## C\n\nTwo.\n", min_tokens=20)

    assert texts == ["# A\n\nOne.\n\n## B", "## C\n\nTwo."]
    assert dropped(made) == [LONG]


def test_a_long_heading_opens_its_section_unseen() -> None:
    made, texts = cut(f"# Guide\n\nStart.\n\n## {LONG}\n\nText.\n")

    assert texts == ["# Guide\n\nStart.", "Text."]
    assert made.chunks[1].headings == ("Guide", LONG.strip())
    assert made.chunks[1].context == "Guide\n\n"


_LINES = st.sampled_from(
    [
        "",
        "",
        "word word.",
        LONG,
        "# H",
        "## H2",
        f"## {LONG}",
        "- item",
        f"  - {LONG}",
        "```",
        "> q",
        "| a | b |",
        "|---|---|",
    ]
)


@given(st.lists(_LINES, max_size=14), st.sampled_from(["\n", "\r\n", "\r"]), st.sampled_from([3, 12, 100]))
def test_laws_hold_whatever_stands_around(lines: list[str], newline: str, size: int) -> None:
    made, texts = cut("\n".join(lines), newline, max_tokens=size, min_tokens=min(20, size - 1), overlap="1s")

    held = "".join("".join(texts).split())
    assert "x9f3x9f3" not in held
    assert len(dropped(made)) == sum(LONG in line for line in lines)


def test_time_is_linear_in_the_number_of_long_lines() -> None:
    made = analyse(f"Word.\n\n{'x' * 101}\n\n" * 10_000, settings=Settings(max_line=100))

    assert len(made.chunks) == len(made.dropped) == 10_000


def test_damage_is_seen() -> None:
    text = f"One.\n\n{LONG}\n\nTwo.\n"
    settings = Settings(max_line=100)
    made, _ = cut(text)

    none = replace(made, dropped=())
    assert "characters are in no chunk" in problems(text, none, settings)[0]
    wrong = replace(made, dropped=(*made.dropped, Dropped(0, 4, "line over max_line")))
    assert "dropped as 'line over max_line', which it is not" in problems(text, wrong, settings)[0]
    part = replace(made, dropped=(Dropped(6, 200, "line over max_line"),))
    assert problems(text, part, settings)
    assert problems(text, made, replace(settings, max_line=None))
    whole = laws(text, Settings())
    assert "chunk 0 holds a line over max_line" in "\n".join(problems(text, whole, settings))


def test_the_setting_is_checked_and_is_in_the_key() -> None:
    with pytest.raises(SettingsError, match="max_line is 0; it must be at least 1"):
        Settings(max_line=0)
    assert Settings(max_line=500).key() != Settings().key() != Settings(max_line=501).key()


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("tiny", ["join", "keep", "drop"])
def test_what_is_left_of_a_heading_begins_without_the_newline_before_it(tiny: str, newline: str) -> None:
    # an underlined heading may be a long line itself: its underline is left, and goes with the heading after it
    _, texts = cut(f"{LONG}\n---\n\n# After\n\n{LONG}\n\n# Last\n\nText.\n", newline, tiny=tiny)

    assert texts[0].startswith("---")
