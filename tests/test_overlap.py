"""Overlap: whole sentences before a chunk's own text, within one section, at most what was asked for."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from laws import laws

from headwise import Chunk, Settings, split
from headwise.chunking.measure import find_measure

SENTENCES = [f"The number {i} stands here, as {'very ' * (i % 4)}usual." for i in range(60)]
TEXT = "# One\n\n" + " ".join(SENTENCES[:30]) + "\n\n## Two\n\n" + " ".join(SENTENCES[30:]) + "\n"


def repeated(chunk: Chunk) -> str:
    """What a chunk repeats of the one before it."""
    return chunk.text[: chunk.own_start - chunk.start]


@pytest.mark.parametrize("tokenizer", ["cl100k_base", "o200k_base", "chars", "words"])
@pytest.mark.parametrize("share", [5, 15, 40, 80])
def test_overlap_is_whole_sentences_and_at_most_what_was_asked(tokenizer: str, share: int) -> None:
    count = find_measure(tokenizer).count
    limit = count(" ".join(SENTENCES[:7]))
    size = limit * share // 100
    chunks = split(TEXT, max_tokens=limit, overlap=size, tokenizer=tokenizer)

    assert any(map(repeated, chunks)) or size < count(SENTENCES[0])
    for chunk in chunks:
        assert chunk.tokens <= limit
        assert count(repeated(chunk)) <= min(size, limit // 2)
        if repeated(chunk) and share >= 40:
            assert repeated(chunk).startswith("The number")
            assert repeated(chunk).rstrip().endswith("usual.")


def test_a_share_is_one_of_the_limit() -> None:
    shared, sized = (split(TEXT, max_tokens=100, overlap=overlap) for overlap in ("20%", 20))

    assert shared == sized


@pytest.mark.parametrize("sentences", [1, 2, 3])
def test_overlap_in_sentences_is_so_many(sentences: int) -> None:
    chunks = split(TEXT, max_tokens=120, overlap=f"{sentences}s")

    for before, chunk in pairwise(chunks):
        # never all of the chunk before
        most = before.text[before.own_start - before.start :].count("The number") - 1
        assert repeated(chunk).count("The number") == (min(sentences, most) if chunk.anchor == before.anchor else 0)


def test_overlap_is_what_the_chunk_before_ends_with() -> None:
    for before, chunk in pairwise(split(TEXT, max_tokens=100, overlap=30)):
        if repeated(chunk):
            assert before.text.endswith(repeated(chunk).rstrip())
            assert before.end <= chunk.own_start
            assert before.start < chunk.start


def test_nothing_of_another_section_is_repeated() -> None:
    chunks = split(TEXT, max_tokens=100, overlap="2s")

    assert [chunk.text.startswith("#") for chunk in chunks if not repeated(chunk)] == [True, True]
    for chunk in chunks:
        assert ("## Two" in chunk.text) == chunk.text.startswith("## Two")


def test_without_overlap_nothing_is_repeated() -> None:
    assert not any(map(repeated, split(TEXT, max_tokens=50)))


def test_an_overlap_may_fill_the_limit() -> None:
    chunks = split("a b c d e f g h i j k l m n o p q r s t u v w x y z", max_tokens=10, overlap=2, tokenizer="words")

    assert [chunk.text for chunk in chunks] == ["a b c d e f g h i j", "i j k l m n o p q r", "q r s t u v w x y z"]


def of_a_whole_more_than_of_its_parts(text: str) -> int:
    """A measure by which what was divided does not fit, and is divided again."""
    return len(text.split()) * 5 // 4


def test_what_is_divided_again_is_not_made_smaller_than_need_be() -> None:
    text = "word0 word1 word2 word3 word4 word5"

    assert len(split(text, max_tokens=6, tokenizer=of_a_whole_more_than_of_its_parts, min_tokens=0)) == 2


def test_what_is_divided_again_has_room_for_an_overlap_too() -> None:
    text = " ".join(f"word{number}" for number in range(40))
    chunks = split(text, max_tokens=8, overlap=3, tokenizer=of_a_whole_more_than_of_its_parts)

    assert sum(bool(repeated(chunk)) for chunk in chunks) == 4  # of what is left no unit is small enough


def test_a_line_of_code_that_is_cut_in_parts_leaves_room_for_an_overlap() -> None:
    chunks = split("```\nalpha b b b\nalpha\n```\n", max_tokens=5, overlap=1, tokenizer="words", min_tokens=0)

    assert [chunk.embed_text for chunk in chunks] == ["```\nalpha b\n```", "```\nb b\n```", "```\nalpha\n```"]


def test_lines_of_code_are_repeated_whole() -> None:
    code = "```py\n" + "".join(f"value_{i} = compute({i})\n" for i in range(40)) + "```\n"
    chunks = split(code, max_tokens=60, overlap=16)

    assert any(map(repeated, chunks))
    for chunk in chunks[1:]:
        assert repeated(chunk).startswith(("value_", "```")) or not repeated(chunk)
        assert repeated(chunk).endswith("\n") or not repeated(chunk)


def test_no_chunk_repeats_a_closing_fence_or_a_delimiter_row_alone() -> None:
    parts = "".join(f"Step {i}:\n\n```\nrun {i}\n```\n\n|a|b|\n|-|-|\n|{i}|x|\n\nSo it is.\n\n" for i in range(12))
    for limit in range(40, 90):
        for chunk in split(parts, max_tokens=limit, overlap="40%"):
            assert not chunk.text.startswith("|-|-|")
            assert not chunk.text.startswith("```\n\n")


def test_words_are_repeated_where_no_sentence_is_small_enough() -> None:
    chunks = split("word " * 400, max_tokens=60, overlap=10)

    assert all(repeated(chunk) == "word " * repeated(chunk).count("word") for chunk in chunks)
    assert all(5 <= repeated(chunk).count("word") <= 10 for chunk in chunks[1:])


def test_rows_are_repeated_whole_or_not_at_all() -> None:
    table = "| name | what it does |\n|---|---|\n" + "".join(
        f"| part {i} | it turns the wheel number {i} and then stops |\n" for i in range(30)
    )
    for overlap in (4, 8, 20, 40):
        for chunk in split(table, max_tokens=90, overlap=overlap):
            assert repeated(chunk) == "" or repeated(chunk).startswith(("| part", "| name"))


def test_what_holds_no_word_is_not_repeated() -> None:
    text = "\n\n".join(f"{word} {word} {word} {word} …" for word in ("one", "two", "three", "four") * 5)

    assert not [r for chunk in split(text, max_tokens=16, overlap=2) if (r := repeated(chunk)) and not r.strip("… \n")]


def test_of_a_sentence_without_an_end_only_the_last_words_are_repeated() -> None:
    chunks = split("word " * 400, max_tokens=80, overlap="1s")

    assert all(1 <= repeated(chunk).count("word") <= 10 for chunk in chunks[1:])


PART = st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=12).map(" ".join) | st.sampled_from(
    [
        "## Part",
        "```\na = 1\nb = 2\n```",
        "- one\n- two. Three.",
        "> A quote. Of two.",
        "字" * 50,
        "| a | b |\n|-|-|\n|x|y|",
    ]
)


@given(
    st.lists(PART, min_size=1, max_size=8).map("\n\n".join),
    st.integers(20, 100),
    st.integers(1, 19) | st.sampled_from(["10%", "50%", "90%", "1s", "4s"]),
    st.sampled_from(["cl100k_base", "chars", "words"]),
)
def test_laws_of_overlap_on_any_document(text: str, limit: int, overlap: int | str, tokenizer: str) -> None:
    settings = Settings(limit, overlap=overlap, tokenizer=tokenizer)
    made = laws(text, settings)
    asked = settings.parsed_overlap()
    count = settings.measure().count
    starts = {section.start for section in made.sections}
    for before, chunk in pairwise(made.chunks):
        assert count(made.layout.plain(chunk.start, chunk.own_start)) <= (asked.size or limit)
        assert count(made.layout.plain(chunk.start, chunk.own_start)) <= limit // 2
        if chunk.start < chunk.own_start:
            assert chunk.start < before.end
            assert not [at for at in starts if chunk.start < at <= chunk.own_start and at >= before.end]
