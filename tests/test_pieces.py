"""What is cut on its own and what is joined; and that an edit stays within its section."""

from __future__ import annotations

import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from laws import laws

from headwise import Settings, analyse, split


def texts(text: str, **options) -> list[str]:
    return [chunk.text for chunk in split(text, **options)]


BODY = "This section says enough to stand on its own in every index, as it has more than twenty tokens in it."


def test_every_section_is_a_piece_of_its_own() -> None:
    text = f"# A\n\n{BODY}\n\n## B\n\n{BODY}\n\n### C\n\n{BODY}\n\n# D\n\n{BODY}\n"

    assert texts(text) == [part.strip() for part in text.replace("\n#", "\n\0#").split("\0") if part.strip()]


def test_tiny_sections_under_one_parent_are_joined() -> None:
    text = f"# A\n\n{BODY}\n\n## B\n\nTiny.\n\n## C\n\nSmall.\n\n# D\n\n{BODY}\n"

    assert texts(text) == [f"# A\n\n{BODY}\n\n## B\n\nTiny.\n\n## C\n\nSmall.", f"# D\n\n{BODY}"]


def test_tiny_sections_of_different_parents_are_not_joined() -> None:
    text = f"# A\n\n{BODY}\n\n## B\n\n{BODY}\n\n### C\n\nTiny.\n\n## D\n\n### E\n\nSmall.\n\n# F\n\nLittle.\n"

    assert texts(text)[1:] == [f"## B\n\n{BODY}\n\n### C\n\nTiny.", "## D\n\n### E\n\nSmall.", "# F\n\nLittle."]


def test_what_is_joined_fits() -> None:
    big = " ".join([BODY] * 3)
    text = f"# A\n\n{big}\n\n## B\n\nTiny.\n\n## C\n\n{big}\n"

    for limit in range(60, 120):
        for chunk in split(text, max_tokens=limit):
            assert chunk.tokens <= limit


def test_nothing_is_joined_without_a_minimum() -> None:
    text = "# A\n\nOne.\n\n## B\n\nTwo.\n\n## C\n\nThree.\n"

    assert texts(text, min_tokens=0) == ["# A\n\nOne.", "## B\n\nTwo.", "## C\n\nThree."]


@pytest.mark.parametrize(
    ("text", "chunks"),
    [
        ("# A\n\n## B\n\ntext\n", ["# A\n\n## B\n\ntext"]),
        ("# A\n\n## B\n\n### C\n\ntext\n", ["# A\n\n## B\n\n### C\n\ntext"]),
        ("# A\n\ntext\n\n## B\n", ["# A\n\ntext\n\n## B"]),
        ("# A\n\ntext\n\n## B\n\n# C\n\nmore\n", ["# A\n\ntext\n\n## B", "# C\n\nmore"]),
        ("# A\n", ["# A"]),
        ("# A\n\n# B\n\n## C\n", ["# A\n\n# B\n\n## C"]),
        ("text\n\n# A\n", ["text\n\n# A"]),
        ("## A\n\n# B\n\ntext\n", ["## A\n\n# B\n\ntext"]),
        ("#\n\ntext\n", ["#\n\ntext"]),
    ],
)
def test_a_heading_is_never_alone_beside_text(text: str, chunks: list[str]) -> None:
    assert texts(text, min_tokens=0) == chunks


HEADING = st.integers(1, 4).map(lambda level: "#" * level + " Title")
PART = st.one_of(HEADING, HEADING, st.sampled_from(["A few words.", "- one\n- two", "```\nx = 1\n```", BODY]))


@given(st.lists(PART, min_size=1, max_size=12).map("\n\n".join), st.integers(40, 120), st.sampled_from([0, 5, 20]))
def test_no_chunk_is_bare_headings_if_it_could_be_joined(text: str, limit: int, minimum: int) -> None:
    made = analyse(text, settings=Settings(limit, minimum))
    assume(len(made.chunks) > 1)
    for chunk in made.chunks:
        if all(line.startswith("#") or not line for line in chunk.text.split("\n")):
            beside = [c.tokens for c in made.chunks if abs(c.index - chunk.index) == 1]
            assert min(beside) + chunk.tokens > limit - 12, chunk.text


def test_a_heading_at_the_end_goes_with_the_last_part_of_what_was_cut_before_it() -> None:
    long = " ".join([BODY] * 4)
    parts = texts(f"# A\n\n{long}\n\n## B\n\n# C\n\nTiny.\n\n# D\n\n{long}\n\n# E\n", max_tokens=60, min_tokens=5)

    assert next(part for part in parts if part.endswith(("\n\n## B", "\n\n# E"))).startswith("This")
    assert parts[-1].endswith("\n\n# E")
    assert "# C\n\nTiny." in parts


def document(sections: list[tuple[int, str, list[str]]]) -> str:
    return "\n\n".join("\n\n".join(("#" * level + " " + title, *body)) for level, title, body in sections) + "\n"


SENTENCES = st.lists(st.sampled_from(["It takes four pins.", "Red goes to plus.", "See below, too."]), min_size=8)
SECTIONS = st.lists(
    st.tuples(st.integers(1, 3), st.lists(SENTENCES.map(" ".join), min_size=1, max_size=4)), min_size=2, max_size=5
).map(lambda found: [(level, f"Part {number}", body) for number, (level, body) in enumerate(found)])


@given(SECTIONS, st.data(), st.integers(50, 150), st.sampled_from([0, "20%", "1s"]))
def test_an_edit_in_one_section_changes_no_chunk_outside_it(sections, data, limit: int, overlap: int | str) -> None:
    number = data.draw(st.integers(0, len(sections) - 1))
    level, title, body = sections[number]
    at = data.draw(st.integers(0, len(body) - 1))
    edited = [*body[:at], data.draw(SENTENCES.map(" ".join)), *body[at + data.draw(st.integers(0, 1)) :]]
    after = [*sections[:number], (level, title, edited), *sections[number + 1 :]]

    before, changed = (
        [
            (chunk.headings, chunk.anchor, chunk.embed_text)
            for chunk in split(document(each), max_tokens=limit, overlap=overlap, title="T")
            if chunk.headings[-1] != title
        ]
        for each in (sections, after)
    )
    assert before == changed


def test_an_inserted_sentence_leaves_most_chunks_of_a_long_section() -> None:
    sentences = [f"The number {i} follows the number {i - 1}, as it always did." for i in range(80)]
    changed = []
    for at in range(0, 80, 8):
        edited = [*sentences[:at], "A new one.", *sentences[at:]]
        old, new = (set(texts(" ".join(each), max_tokens=100)) for each in (sentences, edited))
        changed.append(len(new - old) / len(new))
    assert sum(changed) / len(changed) < 0.8


def test_joined_pieces_say_the_headings_that_hold_all_of_them() -> None:
    made = split(f"# A\n\n{BODY}\n\n## B\n\nTiny.\n\n## C\n\nSmall.\n\n## D\n\n{BODY}\n")

    assert [(chunk.headings, chunk.text.count("#")) for chunk in made] == [(("A",), 5), (("A", "D"), 2)]


def test_a_heading_that_finds_no_room_before_it_repeats_nothing_as_its_own() -> None:
    # the last part of what was cut before it begins with an overlap, which belongs to the part before
    text = "## one two three four five\n\n# B C"
    made = laws(text, Settings(4, overlap=1, tokenizer=lambda t: len(re.findall(r"\w+|[^\w\s]", t))))
    assert [chunk.text[chunk.own_start - chunk.start :] for chunk in made.chunks] == [
        "## one two",
        "three four five",
        "# B C",
    ]
