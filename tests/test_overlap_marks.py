"""Where an overlap may begin and what it takes, against the slow and obvious way; in exact sums of characters."""

from __future__ import annotations

import re
from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwise import Settings, analyse
from headwise.chunking.overlap import Marks, find_marks, overlap_start, reserve
from headwise.chunking.units import Job, prepare

TEXT = """# One. Two

It began. Say `a. B` now. Then it ended.

```py
first = 1

last = 2
```

- An item. Of two.
- b

| a | b |
|---|---|
| c. D | e |

<div>
raw
</div>

x
"""


def job_of(text: str, **options) -> Job:
    settings = Settings(**({"max_tokens": 200, "min_tokens": 0, "tokenizer": "chars"} | options))
    return prepare(analyse(text, settings=settings).layout, settings)


def marked(text: str, marks: Marks, end: int) -> list[str]:
    return [text[a:b].strip() for a, b in zip(marks.starts, [*marks.starts[1:], end], strict=True)]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_marks_are_sentences_rows_and_lines_but_no_closing_fence(newline: str) -> None:
    text = TEXT.replace("\n", newline)
    end = len(text.rstrip())

    found = [part.replace(newline, "\n") for part in marked(text, find_marks(job_of(text), 0, end), end)]
    assert [part for part in found if part] == [
        "# One.",
        "Two",
        "It began.",
        "Say `a. B` now.",
        "Then it ended.",
        "```py",
        "first = 1",
        "last = 2\n```",
        "- An item.",
        "Of two.",
        "- b",
        "| a | b |\n|---|---|",
        "| c. D | e |",
        "<div>",
        "raw",
        "</div>",
        "x",
    ]


def test_marks_of_a_span_lie_in_it_and_say_what_stands_before_each() -> None:
    job = job_of(TEXT)
    start, end = TEXT.index("began"), TEXT.index("item")
    marks = find_marks(job, start, end)

    assert marked(TEXT, marks, end)[0] == "began."
    assert marked(TEXT, marks, end)[-1] == "- An"
    assert marks.sizes[0] == 0
    edges = [*marks.starts, end]
    assert marks.sizes[1:] == [sum(job.size(a, b) for a, b in pairwise(edges[:n])) for n in range(2, len(edges) + 1)]


SENTENCES = st.lists(
    st.sampled_from(["One.", "Two of it.", "Three are here now.", "…", "A longer one, of more words."])
)
ASKED = st.sampled_from(["1s", "2s", "3s", 1, 8, 30, 60, "90%"])


@given(SENTENCES.map(" ".join), ASKED, st.integers(62, 150))
def test_what_is_reserved_is_the_most_that_whole_sentences_take(text: str, overlap: int | str, limit: int) -> None:
    text = f"Start. {text} End"
    job = job_of(text, max_tokens=limit, overlap=overlap)
    marks = find_marks(job, 0, len(text))
    room = min(job.overlap.size or limit, limit // 2)

    for at, position in enumerate(marks.starts):
        so_many = job.overlap.sentences or at
        whole = [marks.sizes[at] - size for size in marks.sizes[:at][-so_many:]]
        assert reserve(job, marks, position) == max(
            (size for size in whole if size <= room), default=min(room, marks.sizes[at])
        )


@pytest.mark.parametrize("overlap", ["1s", "2s", 1, 4, 8, 10, 30, "90%"])
def test_an_overlap_begins_at_the_first_sentence_or_word_from_which_it_fits(overlap: int | str) -> None:
    sentences = ["One.", "Two of it.", "Three are here now.", "…", "A longer one, of – — more words."]
    for text, low in product((f"Start. {a} {b} End" for a, b in product(sentences, repeat=2)), (0, 9)):
        job = job_of(text, max_tokens=62, overlap=overlap)
        marks = find_marks(job, 0, len(text))
        for position in (word.start() for word in re.finditer(r"\S+", text)):
            if position > low:
                assert overlap_start(job, marks, low, position) == obvious(text, job, marks, low, position)


def obvious(text: str, job: Job, marks: Marks, low: int, position: int) -> int:
    """Where an overlap begins: looked for in every sentence, then in every word."""
    room = min(job.overlap.size or job.limit, job.limit // 2)
    before = [start for start in marks.starts if start < position]
    fitting = [
        start
        for start in before[-(job.overlap.sentences or len(before)) :]
        if start >= low and position - start <= room
    ]
    if not fitting:
        room = room // 4 if job.overlap.sentences else room
        words = [word.start() for word in re.finditer(r"\S+", text[:position])]
        fitting = [word for word in words if word > max(low, before[-1]) and position - word <= room]
    return fitting[0] if fitting and re.search(r"\w", text[fitting[0] : position]) else position


def test_words_before_a_block_of_another_kind_are_repeated() -> None:
    text = f"{'word ' * 20}\n\n```\ncode\n```\n"
    job = job_of(text, overlap=12)
    code = text.index("```")

    assert text[overlap_start(job, find_marks(job, 0, len(text)), 0, code) : code].strip() == "word word"


def test_no_words_are_repeated_out_of_what_is_not_to_be_cut() -> None:
    text = "Start here with `one two three four five six` End"
    job = job_of(text, overlap=16)
    end = text.index("End")

    assert overlap_start(job, find_marks(job, 0, len(text)), 0, end) == end
