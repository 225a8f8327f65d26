"""What becomes of sections with hardly any text, and of headings without."""

from __future__ import annotations

import pytest
from laws import laws

from headwise import Settings
from headwise.chunking.check import problems

TEXT = "# A\n\nThis is a text that has more words than ten, as one can see.\n\n## B\n\nNo.\n\n## C\n\nNor this.\n"
A, B, C = TEXT[: TEXT.index("\n\n## B")], "## B\n\nNo.", "## C\n\nNor this."


def cut(text: str, **options) -> list[str]:
    made = laws(text, Settings(**({"min_tokens": 10, "tokenizer": "words"} | options)))
    return [chunk.text for chunk in made.chunks]


@pytest.mark.parametrize(
    ("tiny", "chunks"),
    [("join", [f"{A}\n\n{B}\n\n{C}"]), ("keep", [A, B, C]), ("drop", [A])],
    ids=["join", "keep", "drop"],
)
def test_tiny_sections_are_joined_kept_or_dropped(tiny: str, chunks: list[str]) -> None:
    assert cut(TEXT, tiny=tiny) == chunks


def test_what_is_dropped_is_listed_with_its_reason() -> None:
    made = laws(TEXT, Settings(min_tokens=10, tokenizer="words", tiny="drop"))

    assert [(TEXT[start:end].strip(), reason) for start, end, reason in made.dropped] == [
        (f"{B}\n\n{C}", "under min_tokens")
    ]


def test_a_section_is_tiny_by_its_own_words_whatever_its_context() -> None:
    parts = [
        "# A heading of many words, so that the context is long\n\n## B\n\nOne two three.",
        "## C\n\nFour five six.",
    ]
    text = "\n\n".join(parts) + "\n"

    assert cut(text, min_tokens=5) == cut(text, min_tokens=5, tiny="drop") == parts
    assert cut(text, min_tokens=6) == ["\n\n".join(parts)]
    assert cut(text, min_tokens=6, tiny="drop") == parts[:1]


def test_text_before_the_first_heading_is_joined_with_the_first_section() -> None:
    assert cut("Hello.\n\n# A\n\nNo.\n") == ["Hello.\n\n# A\n\nNo."]


def test_a_heading_without_text_goes_with_the_next_of_its_level_not_with_what_was_before() -> None:
    assert cut("# Z\n\nZ text.\n\n# A\n\n# B\n\nB text.\n", min_tokens=0) == ["# Z\n\nZ text.", "# A\n\n# B\n\nB text."]


def test_a_heading_without_text_before_one_above_it_goes_with_what_was_before() -> None:
    text = "# Z\n\nZ text.\n\n## A\n\n# B\n\nB text.\n"

    assert cut(text, min_tokens=0) == ["# Z\n\nZ text.\n\n## A", "# B\n\nB text."]


WORDS = "Many words are here. " * 12


def test_headings_without_text_go_together_with_what_follows() -> None:
    assert cut("### A\n\n## B\n\n# C\n\nText.\n", min_tokens=0) == ["### A\n\n## B\n\n# C\n\nText."]


def test_nothing_tiny_is_joined_with_the_last_part_of_what_was_cut() -> None:
    chunks = cut(f"### A\n\n{WORDS}\n\n### B\n\n## C\n\nNo.\n", max_tokens=30)

    assert chunks[-2].endswith("### B")
    assert chunks[-1] == "## C\n\nNo."


def test_a_heading_after_what_was_cut_with_an_overlap_takes_nothing_of_it_for_its_own() -> None:
    cuts = [laws(f"# A\n\n{WORDS}\n\n## B\n", Settings(n, 0, overlap=8, tokenizer="words")) for n in range(24, 44)]
    joined = [made.chunks[-1] for made in cuts if made.chunks[-1].text != "## B"]

    assert joined
    assert all(chunk.start < chunk.own_start for chunk in joined)


def test_a_tiny_section_with_a_heading_before_it_is_joined_with_the_next() -> None:
    text = "### A\n\n# C\n\nNo.\n\n# D\n\nNor this."

    assert cut(text) == [text]


@pytest.mark.parametrize(("minimum", "joined"), [(5, False), (6, True)])
def test_a_section_of_just_the_minimum_is_not_tiny(minimum: int, joined: bool) -> None:
    parts = ["# B\n\nOne two three.", "# C\n\nThis has more than six words, as one can see."]

    assert cut("\n\n".join(parts), min_tokens=minimum) == (["\n\n".join(parts)] if joined else parts)


@pytest.mark.parametrize(("limit", "joined"), [(5, False), (6, True)])
def test_what_just_fits_is_joined(limit: int, joined: bool) -> None:
    parts = ["# A\n\nOne.", "# B\n\nTwo."]

    assert cut("\n\n".join(parts), max_tokens=limit, min_tokens=4) == (["\n\n".join(parts)] if joined else parts)


def test_a_heading_that_finds_no_room_before_it_is_joined_with_all_that_is_tiny_after_it() -> None:
    before, after = f"## Z\n\n{'word ' * 11}end.", "### A\n\n# C\n\nNo.\n\n# D\n\nNor this."

    assert cut(f"{before}\n\n{after}", max_tokens=14) == [before, after]


@pytest.mark.parametrize("overlap", [0, "50%"])
@pytest.mark.parametrize("heading", ["", "\n# Two\n"])
def test_no_part_of_what_was_cut_is_dropped_whatever_follows_it(heading: str, overlap: str | int) -> None:
    text = f"# One\n\nText of the\xa0first chapter.\n\n--+\ncond      chz chch\nunk2\n{heading}"
    settings = Settings(7, min_tokens=3, overlap=overlap, tiny="drop")

    made = laws(text, settings)

    assert made.dropped == ()
    assert problems(text, made, settings) == []


def test_the_last_part_of_what_was_cut_is_not_dropped_for_a_heading_that_is_joined_with_it() -> None:
    settings = Settings(5, min_tokens=4, tokenizer="chars", tiny="drop")

    made = laws("## One\n\n--+ lmno.\n\n## Two\n\n# Two\n", settings)

    assert made.dropped == ()


def test_the_proof_sizes_what_was_dropped_without_comments() -> None:
    text = "foo <!-- a comment of many words -- and more of them -->\n"
    settings = Settings(80, strategy="paragraphs", tiny="drop")

    made = laws(text, settings)

    assert [reason for _, _, reason in made.dropped] == ["under min_tokens"]
    assert problems(text, made, settings) == []


def test_the_proof_sizes_what_was_dropped_without_its_part_of_a_comment() -> None:
    # lines that are too long part the comment: each of its parts holds nothing for an embedder
    long = "long " * 20
    text = f"Some words here.\n\n<!-- begun\n{long}\nfour more words here\n{long}\nand done -->\n\nText of it.\n"
    settings = Settings(80, min_tokens=2, max_line=40, tiny="drop")

    made = laws(text, settings)

    assert [reason for _, _, reason in made.dropped] == ["line over max_line", "under min_tokens", "line over max_line"]
    assert problems(text, made, settings) == []
