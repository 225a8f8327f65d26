"""The proof itself: a sound cut passes, and every kind of damage to it is seen and located."""

from dataclasses import replace

import pytest

from headwise.chunking.check import problems
from headwise.chunking.settings import Settings
from headwise.chunking.split import analyse
from headwise.model import Dropped, Span

SETTINGS = Settings(max_tokens=24, min_tokens=0, overlap=6)
TEXT = (
    "---\ntitle: Motor\n---\n# Motor\n\nIt takes four pins. Two of them drive it. Two brake it.\n\n"
    "## Wiring\n\nRed goes to plus.\n\n## Code\n\n```python\n" + "pin = 7  # the left motor\n" * 8 + "```\n"
)
SOUND = analyse(TEXT, settings=SETTINGS)
LAST = len(SOUND.chunks) - 1


def with_chunk(at, **changes):
    chunks = list(SOUND.chunks)
    chunks[at] = replace(chunks[at], **changes)
    return replace(SOUND, chunks=tuple(chunks))


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_a_sound_cut_has_no_problems(newline):
    text = TEXT.replace("\n", newline)
    assert problems(text, analyse(text, settings=SETTINGS), SETTINGS) == []


@pytest.mark.parametrize("text", ["", "\n\n", "\ufeff", "\ufeff# A\n", "---\na: b\n---\n", "\u200b"])
def test_texts_with_next_to_nothing_in_them_have_no_problems(text):
    assert problems(text, analyse(text, settings=SETTINGS), SETTINGS) == []


@pytest.mark.parametrize(
    ("damaged", "says"),
    [
        (with_chunk(0, text=SOUND.chunks[0].text.upper()), "line 4: chunk 0 is not the text of its span"),
        (with_chunk(1, start=SOUND.chunks[1].end + 1), "has the impossible span"),
        (with_chunk(LAST, end=len(TEXT) + 1), "has the impossible span"),
        (with_chunk(0, end=SOUND.chunks[0].end + 1, text=SOUND.chunks[0].text + "\n"), "ends in white space"),
        (with_chunk(0, start_line=5), "says lines 5-"),
        (with_chunk(0, tokens=1), "says 1 cl100k_base, but has"),
        (with_chunk(0, context="word " * 30), "over the limit of 24"),
        (with_chunk(0, context="word " * 30, oversize=True), "over the limit of 24"),
        (with_chunk(0, omitted=(Span(0, 3),)), "omits 0:3, which is outside it"),
        (with_chunk(0, index=7), "chunk 7 stands in place 0"),
        (with_chunk(1, anchor=SOUND.chunks[0].anchor, number=SOUND.chunks[0].number), "has an id that another has"),
        (replace(SOUND, chunks=SOUND.chunks[::-1]), "does not come after"),
        (replace(SOUND, chunks=SOUND.chunks[1:]), "line 4: "),
        (replace(SOUND, chunks=SOUND.chunks[:-1]), "characters are in no chunk"),
        (replace(SOUND, dropped=()), "line 1: 17 characters are in no chunk: '---\\ntitle: Motor\\n---'"),
        (replace(SOUND, dropped=(Dropped(0, 30, "front matter"),)), "dropped as 'front matter', which it is not"),
        (
            replace(SOUND, dropped=(*SOUND.dropped, Dropped(40, 50, "nothing visible"))),
            "dropped as 'nothing visible', which it is not",
        ),
        (replace(SOUND, dropped=(*SOUND.dropped, Dropped(40, 50, "dull"))), "dropped as 'dull', which it is not"),
    ],
)
def test_damage_is_seen(damaged, says):
    assert says in "\n".join(problems(TEXT, damaged, SETTINGS))


def test_a_measure_that_disagrees_is_seen():
    assert any(" chars, but has " in line for line in problems(TEXT, SOUND, Settings(24, 0, 6, "chars")))
