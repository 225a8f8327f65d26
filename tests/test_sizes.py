"""A span that the sizes of its blocks prove to be over the limit is over it when counted as one text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwise import Settings, analyse
from headwise.chunking.drafts import draft
from headwise.chunking.sizes import is_over
from headwise.chunking.units import prepare

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


def test_a_long_text_is_over_by_its_blocks_and_one_of_nothing_but_comments_is_not() -> None:
    settings = Settings(20)
    said, left_out = "Screws hold the plate.\n\n" * 20, "\u3000<!-- nothing -->\n\n" * 40
    for text, over in ((said, True), (left_out, False)):
        job = prepare(analyse(text, settings=settings).layout, settings)
        assert is_over(job, 0, len(text)) is over
    assert not is_over(prepare(job.layout, Settings(20, tokenizer="o200k_base")), 0, len(said))
