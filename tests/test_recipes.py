"""The ways of cutting that people use today, each as settings."""

from __future__ import annotations

from itertools import pairwise

import pytest
from laws import laws

from headwise import Settings, split
from headwise.chunking.check import problems
from headwise.errors import SettingsError

WORDS = "The gate opens at six and closes at nine in the evening. "
NOTE = f"""# Rules

Short.

## Gate

{WORDS * 12}

### Keys

{WORDS * 3}

#### Spare

{WORDS * 2}

## Yard

Ring.

## Lift

{WORDS * 30}
"""


def test_character_windows_of_paragraphs_with_overlap_inside_sections() -> None:
    settings = Settings(1200, overlap=150, tokenizer="chars")
    chunks = laws(NOTE, settings).chunks

    assert all(len(chunk.embed_text) <= 1200 for chunk in chunks)
    for before, chunk in pairwise(chunks):
        assert chunk.own_start - chunk.start <= 151
        assert chunk.start >= before.end or chunk.anchor == before.anchor


def test_fixed_windows() -> None:
    chunks = laws(NOTE, Settings(1024, overlap=128, tokenizer="chars", strategy="fixed")).chunks

    assert len(chunks) == 3
    assert min(len(chunk.text) for chunk in chunks) > 500


def test_sentences_with_one_of_overlap() -> None:
    chunks = laws(NOTE, Settings(100, overlap="1s", strategy="sentences")).chunks

    repeated = {chunk.text[: chunk.own_start - chunk.start].strip() for chunk in chunks[1:]}
    assert repeated == {WORDS.strip()}


def test_only_some_levels_open_sections() -> None:
    chunks = laws(NOTE, Settings(levels="2,3", min_tokens=0)).chunks

    assert [chunk.headings for chunk in chunks] == [
        (),
        ("Gate",),
        ("Gate", "Keys"),
        ("Yard",),
        ("Lift",),
    ]
    assert chunks[0].context == ""  # the heading at its head says the title already
    assert chunks[0].title == "Rules"
    assert chunks[2].context == "Rules > Gate\n\n"
    assert "#### Spare" in chunks[2].text


def test_tiny_pieces_are_joined_kept_or_dropped() -> None:
    joined = split(NOTE, max_tokens=400, min_tokens=20, levels="2-6")
    kept = split(NOTE, max_tokens=400, min_tokens=20, levels="2-6", tiny="keep")
    dropped = laws(NOTE, Settings(400, 20, tiny="drop", levels="2-6"))

    assert [chunk.anchor for chunk in joined] == ["", "gate", "keys", "spare", "yard"]
    assert [chunk.anchor for chunk in kept] == ["", "gate", "keys", "spare", "yard", "lift"]
    assert [chunk.anchor for chunk in dropped.chunks] == ["gate", "keys", "spare", "lift"]
    assert [NOTE[d.start : d.end].strip() for d in dropped.dropped] == ["# Rules\n\nShort.", "## Yard\n\nRing."]
    assert {d.reason for d in dropped.dropped} == {"under min_tokens"}
    assert problems(NOTE, dropped, Settings(400, 20, tiny="drop", levels="2-6")) == []
    assert problems(NOTE, dropped, Settings(400, 5, tiny="drop", levels="2-6"))


@pytest.mark.parametrize("levels", ["", "0", "7", "3-2", "a", "2-", "1-6-2", "2,,3"])
def test_levels_that_are_none_are_refused(levels: str) -> None:
    with pytest.raises(SettingsError, match="give levels from 1 to 6"):
        Settings(levels=levels)


def test_the_key_holds_every_setting() -> None:
    keys = {
        Settings(**options).key()  # type: ignore[arg-type]
        for options in (
            {},
            {"max_tokens": 300},
            {"min_tokens": 5},
            {"overlap": 40},
            {"overlap": "1s"},
            {"tokenizer": "chars"},
            {"strategy": "fixed"},
            {"tiny": "drop"},
            {"levels": "2-3"},
            {"max_line": 500},
        )
    }

    assert len(keys) == 10
    assert Settings(levels="1-3").key() == Settings(levels="1,2,3").key()
