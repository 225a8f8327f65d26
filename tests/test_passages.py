"""Passages: what is embedded, inside one chunk and small enough for a model."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwise import Chunk, Settings, analyse
from headwise.chunking.measure import find_measure
from headwise.chunking.passages import passages
from headwise.model import Passage, content_hash

COUNT = find_measure("cl100k_base").count
SENTENCES = [f"The number {i} stands here, as {'very ' * (i % 4)}usual." for i in range(60)]
TABLE = "| a | b |\n|---|---|\n" + "".join(f"| row {i} | {i} |\n" for i in range(20))
TEXT = "# One\n\n" + " ".join(SENTENCES[:40]) + "\n\n## Two\n\nThe table:\n\n" + TABLE + "\nAnd that is all.\n"


def cut(text: str, settings: Settings, *args, **options) -> list[tuple[Chunk, tuple[Passage, ...]]]:
    made = analyse(text, settings=settings)
    return list(zip(made.chunks, passages(made, settings, *args, **options), strict=True))


def check(text: str, pairs: list[tuple[Chunk, tuple[Passage, ...]]]) -> None:
    for chunk, inside in pairs:
        at = chunk.own_start
        for passage in inside:
            assert passage.text == text[passage.start : passage.end]
            assert passage.content_hash == content_hash(passage.embed_text)
            assert passage.embed_text.strip()
            # together they are the chunk's own text, but for white space between them
            assert at <= passage.start < passage.end <= chunk.end
            assert not text[at : passage.start].strip()
            at = passage.end
        assert not text[at : chunk.end].strip()


@pytest.mark.parametrize("overlap", [0, "20%", "1s"])
@pytest.mark.parametrize("limit", [40, 128, 400])
@pytest.mark.parametrize("size", [1, 8, 32, 128])
def test_passages_tile_the_own_text_of_their_chunk(size: int, limit: int, overlap: int | str) -> None:
    pairs = cut(TEXT, Settings(limit, overlap=overlap), size)

    check(TEXT, pairs)
    for _, inside in pairs:
        for passage in inside:
            assert COUNT(passage.text) <= size or passage.end - passage.start == 1
            assert COUNT(passage.context) + COUNT(passage.context_after) <= size


def test_passages_are_whole_sentences_and_rows() -> None:
    for _, inside in cut(TEXT, Settings(), 48):
        for passage in inside:
            assert passage.text.startswith(("#", "The number", "The table", "|", "And"))
            assert passage.text.endswith((".", "|"))


def test_passages_of_a_table_repeat_its_header() -> None:
    rows = [p for _, inside in cut(TEXT, Settings(), 48) for p in inside if p.text.startswith("| row")]

    assert rows
    assert {passage.context for passage in rows} == {"One > Two\n\n| a | b |\n|---|---|\n"}


@pytest.mark.parametrize(("size", "words"), [(4, [4, 4, 2]), (5, [5, 5]), (10, [10]), (3, [3, 3, 3, 1]), (None, [10])])
def test_as_many_sentences_as_fit_are_one_passage(size: int | None, words: list[int]) -> None:
    ((_, inside),) = cut("Yes. " * 10, Settings(tokenizer="words"), size)

    assert [len(passage.text.split()) for passage in inside] == words


def test_a_passage_has_64_if_nothing_else_is_asked() -> None:
    ((_, inside),) = cut("Yes. " * 150, Settings(tokenizer="words"))

    assert [len(passage.text.split()) for passage in inside] == [64, 64, 22]


def test_a_passage_names_the_heading_it_begins_with_too_and_its_chunk_does_not() -> None:
    text = "# Robots\n\n## Motors\n\n### Wiring\n\nThe driver takes four pins.\n"
    pairs = cut(text, Settings(min_tokens=0, tokenizer="words"), 64)

    assert [(chunk.context, [p.context for p in inside]) for chunk, inside in pairs] == [
        ("", ["Robots > Motors > Wiring\n\n"])
    ]
    ((chunk, (first, *_)), *_) = cut(text, Settings(min_tokens=0, tokenizer="words"), 5)
    assert (chunk.context, first.context) == ("", "Robots\n\n")


def test_what_embeds_nothing_is_no_passage_and_hides_none_after_it() -> None:
    ((_, inside),) = cut("One two.\n\n<!-- hidden from all -->\n\nThree four.\n", Settings(tokenizer="words"), 3)

    assert [passage.embed_text.strip() for passage in inside] == ["One two.", "Three four."]


@pytest.mark.parametrize("tokenizer", ["cl100k_base", "words"])
def test_for_a_model_that_can_read_nothing_every_character_is_a_passage_without_context(tokenizer: str) -> None:
    ((_, inside),) = cut("# A\n\nText b.\n", Settings(tokenizer=tokenizer), 128, fits=lambda _: False)

    assert "".join(passage.text for passage in inside) == "#AText" + "b."
    assert {passage.context for passage in inside} == {""}


def test_what_a_model_cannot_read_whole_is_not_made_much_smaller_than_it_can() -> None:
    text = "Yes. " * 120
    ((_, inside),) = cut(text, Settings(tokenizer="words"), 120, fits=lambda embedded: len(embedded) <= 300)

    assert len(inside) <= 4


@pytest.mark.parametrize(
    ("longest", "parts"),
    [
        (14, ["# A\n\nOne", "two.", "Three four.", "Five six."]),
        (12, ["# A\n\nOne", "two.", "Three", "four.", "Five six."]),
        (7, ["# A", "One", "two.", "Thr", "ee", "fou", "r.", "Five", "six."]),
    ],
)
def test_what_is_made_smaller_is_as_large_as_can_be_and_names_its_heading_still(longest: int, parts: list[str]) -> None:
    text = "# A\n\nOne two. Three four. Five six.\n"
    ((_, inside),) = cut(text, Settings(tokenizer="chars"), 40, fits=lambda embedded: len(embedded) <= longest)

    assert [(passage.context, passage.text) for passage in inside] == [("A\n\n", part) for part in parts]


def test_the_smallest_parts_are_of_two_characters_where_a_model_can_read_two() -> None:
    ((_, inside),) = cut("Three.\n", Settings(tokenizer="chars"), 40, fits=lambda embedded: len(embedded) <= 2)

    assert [passage.text for passage in inside] == ["Th", "re", "e."]


@pytest.mark.parametrize("size", [6, 7])
def test_a_row_that_fits_is_whole_whatever_its_header_takes(size: int) -> None:
    ((_, inside),) = cut(TABLE, Settings(tokenizer="words"), size)

    rows = [passage.text for passage in inside if "row" in passage.text]
    assert rows == [f"| row {i} | {i} |" for i in range(20)]


def test_passages_carry_the_breadcrumb() -> None:
    *_, (_, inside) = cut(TEXT, Settings(), 48)

    assert all(passage.context.startswith("One > Two\n\n") for passage in inside[1:])


def test_passages_of_a_small_chunk_are_one() -> None:
    ((chunk, (passage,)),) = cut("# A\n\nText.\n", Settings())

    assert (passage.embed_text, passage.start, passage.end) == (f"A\n\n{chunk.embed_text}", chunk.start, chunk.end)


def test_without_a_size_a_chunk_is_one_passage() -> None:
    for chunk, inside in cut(TEXT, Settings(120), None):
        assert [(passage.start, passage.end) for passage in inside] == [(chunk.own_start, chunk.end)]
        assert inside[0].embed_text == chunk.embed_text


@pytest.mark.parametrize("longest", [1, 12, 60, 200, 2000])
def test_what_a_model_cannot_read_whole_is_made_smaller(longest: int) -> None:
    pairs = cut(TEXT, Settings(), 128, fits=lambda text: len(text) <= longest)

    check(TEXT, pairs)
    for _, inside in pairs:
        for passage in inside:
            assert len(passage.embed_text) <= longest


def test_an_edit_changes_the_passages_it_touches_only() -> None:
    paragraphs = [" ".join(SENTENCES[i : i + 5]) for i in range(0, 40, 5)]
    edited = [*paragraphs[:3], paragraphs[3].replace("usual", "always"), *paragraphs[4:]]
    old, new = (
        [p.embed_text for _, inside in cut("\n\n".join(each), Settings(), 100) for p in inside]
        for each in (paragraphs, edited)
    )

    assert len(old) == len(new)
    assert sum(a != b for a, b in zip(old, new, strict=True)) <= 1


PART = st.sampled_from(
    [
        "## Part",
        "One. Two. Three.",
        "```\na = 1\n\nb = 2\n```",
        "- one\n- two",
        "> A quote. Of two.",
        "字。" * 30,
        TABLE,
    ]
) | st.sampled_from(["\U0001f469\U0001f3fd\u200d\U0001f680" * 9, f"![x](data:image/png;base64,{'A' * 80})", "\u200b"])


@given(
    st.lists(PART, min_size=1, max_size=8).map("\n\n".join),
    st.integers(1, 100),
    st.integers(1, 60) | st.none(),
    st.integers(5, 200),
    st.sampled_from([0, "20%", "1s"]),
)
def test_passages_of_any_document(text: str, limit: int, size: int | None, longest: int, overlap: int | str) -> None:
    settings = Settings(limit, overlap=overlap if limit > 1 else 0)
    pairs = cut(text, settings, size, fits=lambda embedded: len(embedded) <= longest)
    for chunk, inside in pairs:
        for passage in inside:
            assert passage.text == text[passage.start : passage.end]
            assert chunk.own_start <= passage.start < passage.end <= chunk.end
            assert len(passage.embed_text) <= longest or passage.end - passage.start == 1
        for before, after in pairwise(inside):
            assert before.end <= after.start
