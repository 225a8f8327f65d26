"""A span that the sizes of its blocks prove to be over the limit is over it when counted as one text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwise import Settings, analyse
from headwise.chunking.drafts import draft
from headwise.chunking.sizes import add_sizes, is_over
from headwise.chunking.units import Job, prepare

BLOCKS = [
    "Screws hold the plate.",
    "# Motor",
    "/path/to it!!!",
    "\u3000",
    "<!-- left out -->",
    "<!-- left out\n\nwith a blank line -->",
    "before <!-- and --> after",
    "- one\n\n\n- two",
    "> quoted\n>\n>\n> again",
    "    code\n\n\n    more",
    "```\nlet a = 1;\n\n\n```",
    "机器人的齿轮。",
    "\u00a0\n\u00a0",
    "![](data:image/png;base64," + "A" * 80 + ")",
]


@pytest.mark.parametrize("tokenizer", ["cl100k_base", "o200k_base", "words", "chars"])
@given(blocks=st.lists(st.sampled_from(BLOCKS), min_size=1, max_size=30), limit=st.integers(3, 40), lines=st.booleans())
def test_what_is_over_by_its_blocks_is_over_as_a_whole(tokenizer, blocks, limit, lines) -> None:
    text = ("\r\n\r\n" if lines else "\n\n").join(blocks) + "\n"
    settings = Settings(limit, tokenizer=tokenizer)
    layout = analyse(text, settings=settings).layout
    job = prepare(layout, settings)
    start, end = layout.trim(0, len(text))
    if start < end and is_over(job, start, end):
        assert draft(job, start, end).size > limit


def made(text: str, limit: int, tokenizer: str = "words") -> Job:
    settings = Settings(limit, tokenizer=tokenizer)
    return prepare(analyse(text, settings=settings).layout, settings)


def test_a_long_text_is_over_by_its_blocks_and_one_of_nothing_but_comments_is_not() -> None:
    said, left_out = "Screws hold the plate.\n\n" * 20, "\u3000<!-- nothing -->\n\n" * 40
    assert is_over(made(said, 20, "cl100k_base"), 0, len(said))
    assert is_over(made(said + left_out, 20, "cl100k_base"), 0, len(said + left_out))
    assert not is_over(made(left_out, 20, "cl100k_base"), 0, len(left_out))
    assert not is_over(made(said, 20, "o200k_base"), 0, len(said))


@pytest.mark.parametrize(
    ("blocks", "over"),
    [
        ((18,), False),  # eight over the limit of ten may be the work of its context
        ((19,), True),
        ((9, 9, 1, "\u3000w"), False),  # before and after what begins with white space nothing is sure
        ((9, 10, 1, "\u3000w"), True),
        ((9, 9, 1, "<!-- left out --> w"), False),  # nor where something is left out
        ((9, 10, 1, "<!-- left out --> w"), True),
        ((9, 9, "w <!-- left out --> w"), True),
    ],
)
def test_a_span_is_over_when_more_than_its_context_could_change_stands_in_blocks_apart(blocks, over) -> None:
    text = "\n\n".join(" ".join(["word"] * block) if isinstance(block, int) else block for block in blocks)
    assert is_over(made(text, 10), 0, len(text)) is over


@pytest.mark.parametrize("tokenizer", ["cl100k_base", "words", "chars"])
@pytest.mark.parametrize(
    ("text", "measured"),
    [("a" * 39, False), ("a" * 40, True), ("é" * 19, False), ("é" * 20, True), ("a" * 64 + "é", True)],
)
def test_blocks_are_counted_from_four_characters_a_unit_of_the_limit_on_or_two(tokenizer, text, measured) -> None:
    limit = 10 if len(text) < 64 else 16
    job = made("before\n\n" + text, limit, tokenizer)
    is_over(job, 8, 8 + len(text))
    assert bool(job.sizes) is measured


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_sizes_are_known_before_lines_that_show_something_besides_a_quotes_signs(newline) -> None:
    lines = ["one two", "", "three", ">", "> four", " \t", "\tfive", "> > \t", "six <!-- left out --> seven", "eight"]
    text = newline.join(lines) + newline
    job = made(text, 10)
    starts = job.layout.tree.lines
    sizes = {0: 3}  # one more than it is: the sizes go on from there
    add_sizes(job, sizes, 0, starts[1:], len(text))
    shown = {2: 5, 4: 7, 6: 9, 8: 12, 9: 14}
    assert sizes == {0: 3, **{starts[line]: size for line, size in shown.items()}, len(text): 15}
