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
@pytest.mark.parametrize("settings", [SETTINGS, Settings(max_tokens=90, min_tokens=0, overlap=20, tokenizer="chars")])
def test_a_sound_cut_has_no_problems(newline, settings):
    text = TEXT.replace("\n", newline)
    assert problems(text, analyse(text, settings=settings), settings) == []


def test_spans_may_be_omitted_anywhere_in_a_chunk():
    chunk = replace(SOUND.chunks[0], omitted=(Span(21, 23), Span(23, 30), Span(40, 40), Span(80, 85)))
    chunk = replace(chunk, tokens=SETTINGS.measure().size(chunk.embed_text))

    assert problems(TEXT, replace(SOUND, chunks=(chunk, *SOUND.chunks[1:])), SETTINGS) == []


@pytest.mark.parametrize("text", ["", "\n\n", "\ufeff", "\ufeff# A\n", "---\na: b\n---\n", "\u200b"])
def test_texts_with_next_to_nothing_in_them_have_no_problems(text):
    assert problems(text, analyse(text, settings=SETTINGS), SETTINGS) == []


@pytest.mark.parametrize(
    ("damaged", "says"),
    [
        (
            with_chunk(0, text=SOUND.chunks[0].text.replace("drive", "steer")),
            ["line 4: chunk 0 is not the text of its span"],
        ),
        (
            with_chunk(1, start=SOUND.chunks[1].end + 1),
            ["line 11: chunk 1 has the impossible span 116:87:115 in 348 characters"],
        ),
        (
            with_chunk(LAST, end=len(TEXT) + 1),
            ["line 22: chunk 9 has the impossible span 318:318:349 in 348 characters"],
        ),
        (with_chunk(0, start=-1), ["line 1: chunk 0 has the impossible span -1:21:85 in 348 characters"]),
        (
            with_chunk(1, own_start=SOUND.chunks[1].end),
            [
                "line 8: 22 characters are in no chunk: '## Wiring\\n\\nRed goes to plus.'",
                "line 8: chunk 1 has the impossible span 87:115:115 in 348 characters",
            ],
        ),
        (
            with_chunk(0, end=SOUND.chunks[0].end + 1, text=SOUND.chunks[0].text + "\n"),
            ["line 4: chunk 0 ends in white space"],
        ),
        (with_chunk(0, start_line=5), ["line 4: chunk 0 says lines 5-6, but is on 4-6"]),
        (with_chunk(1, end_line=9), ["line 8: chunk 1 says lines 8-9, but is on 8-10"]),
        (with_chunk(0, tokens=1), ["line 4: chunk 0 says 1 cl100k_base, but has 18"]),
        (with_chunk(0, context="word " * 30, tokens=48), ["line 4: chunk 0 has 48 cl100k_base, over the limit of 24"]),
        (
            with_chunk(0, context="word " * 30, tokens=48, oversize=True),
            ["line 4: chunk 0 has 48 cl100k_base, over the limit of 24"],
        ),
        (
            with_chunk(0, omitted=(Span(0, 3),)),
            ["line 4: chunk 0 omits 0:3, which is outside it or out of order"],
        ),
        (
            with_chunk(0, omitted=(Span(84, 86),)),
            ["line 4: chunk 0 omits 84:86, which is outside it or out of order"],
        ),
        (
            with_chunk(0, omitted=(Span(40, 50), Span(45, 60))),
            ["line 4: chunk 0 omits 45:60, which is outside it or out of order"],
        ),
        (with_chunk(0, omitted=(Span(25, 24),)), ["line 4: chunk 0 omits 25:24, which is outside it or out of order"]),
        (with_chunk(0, index=7), ["line 4: chunk 7 stands in place 0"]),
        (
            with_chunk(1, anchor=SOUND.chunks[0].anchor, number=SOUND.chunks[0].number),
            ["line 8: chunk 1 has an id that another has: #motor::0"],
        ),
        (
            replace(SOUND, chunks=SOUND.chunks[1::-1]),
            [
                "line 4: chunk 0 does not come after chunk 1",
                "line 4: chunk 0 stands in place 1",
                "line 8: chunk 1 stands in place 0",
                "line 12: 162 characters are in no chunk: '## Code\\n\\n```python\\npin = 7  # the left m'",
            ],
        ),
        (
            replace(SOUND, chunks=SOUND.chunks[:-1]),
            ["line 22: 21 characters are in no chunk: 'pin = 7  # the left motor\\n```'"],
        ),
        (replace(SOUND, dropped=()), ["line 1: 17 characters are in no chunk: '---\\ntitle: Motor\\n---'"]),
        (
            replace(SOUND, dropped=(Dropped(0, 30, "front matter"),)),
            ["line 1: dropped as 'front matter', which it is not: '---\\ntitle: Motor\\n---\\n# Motor'"],
        ),
        *(
            (
                replace(SOUND, dropped=(*SOUND.dropped, Dropped(40, 49, reason))),
                [f"line 6: dropped as '{reason}', which it is not: 'our pins.'"],
            )
            for reason in (
                "nothing visible",
                "byte order mark",
                "front matter",
                "under min_tokens",
                "line over max_line",
                "dull",
            )
        ),
    ],
)
def test_damage_is_seen_once_and_where_it_is(damaged, says):
    assert problems(TEXT, damaged, SETTINGS) == says


@pytest.mark.parametrize(
    ("change", "is_sound"),
    [({}, True), ({"start": 1}, True), ({"start": 0}, False), ({"own_start": 12}, False), ({"own_start": 14}, True)],
)
def test_a_chunk_begins_after_the_one_before_and_owns_nothing_of_it(change, is_sound):
    text = "One two three four five six"
    made = analyse(text, settings=SETTINGS)
    first = replace(made.chunks[0], end=13)
    second = replace(first, **{"index": 1, "number": 1, "start": 8, "own_start": 13, "end": 27} | change)

    said = problems(text, replace(made, chunks=(first, second)), SETTINGS)
    assert ("line 1: chunk 1 does not come after chunk 0" in said) != is_sound


@pytest.mark.parametrize(
    ("changes", "is_sound"),
    [
        ({}, True),
        ({"oversize": False}, False),
        ({"context": "x"}, False),
        ({"context_after": "x"}, False),
        ({"end": 2}, False),
    ],
)
def test_only_one_character_without_context_may_be_over_the_limit(changes, is_sound):
    text, settings = "\U0001f9d1\U0001f9d1", Settings(max_tokens=1)
    made = analyse(text, settings=settings)
    assert problems(text, made, settings) == []
    chunk = replace(made.chunks[0], **changes)
    chunk = replace(chunk, text=text[: chunk.end])
    chunk = replace(chunk, tokens=settings.measure().size(chunk.embed_text))

    said = problems(text, replace(made, chunks=(chunk,)), settings)
    assert any("over the limit of 1" in line for line in said) != is_sound


@pytest.mark.parametrize(
    ("options", "is_sound"),
    [
        ({"min_tokens": 50, "tiny": "drop"}, True),
        ({"min_tokens": 7, "tiny": "drop"}, True),
        ({"min_tokens": 6, "tiny": "drop"}, False),
        ({"min_tokens": 50, "tiny": "keep"}, False),
        ({"min_tokens": 50, "tiny": "join"}, False),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_what_was_dropped_as_tiny_must_be_under_the_minimum_section_by_section(options, is_sound, newline):
    text = (
        "# A\n\nb\n\n# C\n\nd\n\n# Long\n\nThat is a text of more than fifty characters, and then no more.\n".replace(
            "\n", newline
        )
    )
    tiny = Span(0, text.index("# Long"))
    settings = Settings(**options, tokenizer="chars")
    made = analyse(text, settings=Settings(min_tokens=0, tokenizer="chars"))
    kept = replace(made.chunks[2], index=0)

    said = problems(text, replace(made, chunks=(kept,), dropped=(Dropped(*tiny, "under min_tokens"),)), settings)
    assert said == (
        [] if is_sound else [f"line 1: dropped as 'under min_tokens', which it is not: {text[: tiny.end].strip()!r}"]
    )


@pytest.mark.parametrize("start", ["", "\ufeff", "# A\n\n"])
def test_a_long_line_is_in_no_chunk_and_only_a_long_line_is_dropped_as_one(start):
    text = f"{start}{'word ' * 8}end\n\nshort\n"
    long = Span(text.index("word"), text.index("\n\nshort"))
    settings = Settings(min_tokens=0, max_line=long.end - long.start - 1)
    left_out, kept = analyse(text, settings=settings), analyse(text, settings=Settings(min_tokens=0))
    line = 3 if "A" in start else 1

    assert [Span(*span) for *span, reason in left_out.dropped if "max_line" in reason] == [long]
    assert problems(text, left_out, settings) == []
    assert problems(text, kept, settings) == [f"line {1 if 'A' in start else line}: chunk 0 holds a line over max_line"]
    for limit in (None, long.end - long.start):
        said = problems(text, left_out, Settings(min_tokens=0, max_line=limit))
        assert said == [
            f"line {line}: dropped as 'line over max_line', which it is not: {text[long.start : long.end][:40]!r}"
        ]


@pytest.mark.parametrize("line", ["\ufeff" + "word " * 8 + "end", "word " * 8 + "data:text/plain;base64," + "A" * 300])
def test_a_long_line_is_one_with_what_it_may_hold_besides(line):
    text = f"# A\n\n{line}\n\nshort\n"
    settings = Settings(min_tokens=0, max_line=39 if "data" in line else len(line) - 1)
    made = analyse(text, settings=settings)

    assert [text[start:end] for start, end, reason in made.dropped if "max_line" in reason] == [line]
    assert problems(text, made, settings) == []


def test_every_chunk_that_holds_some_of_a_long_line_is_seen():
    text = f"# A\n\nshort\n\n{'word ' * 30}end\n"
    made = analyse(text, settings=Settings(12, 0))
    holding = [(chunk.start_line, chunk.index) for chunk in made.chunks if "word" in chunk.text]

    assert len(holding) > 2
    said = problems(text, made, Settings(12, 0, max_line=100))
    assert said == [f"line {line}: chunk {index} holds a line over max_line" for line, index in holding]


def test_a_byte_order_mark_is_one_at_the_start_only():
    text = "\ufeffOne \ufeff two."
    made = analyse(text, settings=SETTINGS)

    assert problems(text, made, SETTINGS) == []
    inner = Dropped(5, 6, "byte order mark")
    assert "which it is not" in problems(text, replace(made, dropped=(*made.dropped, inner)), SETTINGS)[0]
    wide = Dropped(0, 2, "byte order mark")
    assert "which it is not" in problems(text, replace(made, dropped=(wide,)), SETTINGS)[0]


def test_a_measure_that_disagrees_is_seen():
    assert any(" chars, but has " in line for line in problems(TEXT, SOUND, Settings(24, 0, 6, "chars")))
