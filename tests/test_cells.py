"""Where the cells of a row begin; `¦` marks a start, and is no part of the text."""

from __future__ import annotations

from itertools import pairwise

import pytest

from headwise.model import Spans
from headwise.reading.cells import after_key, cell_starts


@pytest.mark.parametrize(
    "marked",
    [
        "| a ¦| b ¦| c |\n",
        "a ¦| b ¦| c",
        "|a¦|b|",
        "|¦| a ¦| b |\n",
        "|`b`¦|c|",
        "| a ¦|¦| c |\n",
        "| a |  | \t\r\n",
        "| a \\| b ¦| c |\n",
        "| a ¦| `b|c` ¦| d |\n",
    ],
)
@pytest.mark.parametrize("before", ["", "|x|\n", "`|`\n> "])
def test_a_cell_begins_at_its_pipe_but_not_where_only_the_rows_end_is_left(marked: str, before: str) -> None:
    text = before + marked.replace("¦", "")
    ticks = [at for at, sign in enumerate(text) if sign == "`"]
    atoms = Spans(ticks[::2][: len(ticks) // 2], [tick + 1 for tick in ticks[1::2]])
    after = f"{text}| y | z |\n"
    starts = cell_starts(after, len(before), len(text), atoms)

    assert "¦".join(text[a:b] for a, b in pairwise([len(before), *starts, len(text)])) == marked


@pytest.mark.parametrize("before", ["", "One.\n\n", "|x|\n"])
@pytest.mark.parametrize("head", ["", "| ", "|", "> | ", " > |"])
@pytest.mark.parametrize(("key", "stays"), [(1, False), (16, False), (17, True), (40, True)])
def test_only_a_key_of_a_few_characters_stays_with_the_cell_after_it(
    before: str, head: str, key: int, stays: bool
) -> None:
    row = f"{head}{'k' * key}| some words that go on | and more |\n"
    first = len(before) + len(head) + key
    last = (before + row).rindex("| and")
    word = first + 2

    assert after_key(before + row, len(before), [first, word, last]) == [*([first] if stays else []), word, last]
