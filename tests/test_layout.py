"""What is looked up in a layout, against looking at every block there is."""

from __future__ import annotations

import pytest

from headwise import analyse
from headwise.chunking.layout import INVISIBLE, Layout, is_blank

TEXTS = [
    "One.\n\n# A\n\n- b\n  - c\n\n    > d\n- e\n\n|f|\n|-|\n|g|\n\nEnd <!-- h --> of <!-- i --> it.\n",
    "> - j\n>\n>   ```\n>   k\n>   ```\n> l\n\n\n## M <!--n-->\n<!-- o\n\np -->\n\n- q\n- r\r\n\r\ns",
]

NOTHING = dict.fromkeys(map(ord, INVISIBLE))


def layout(text: str) -> Layout:
    return analyse(text).layout


@pytest.mark.parametrize("text", TEXTS)
def test_what_a_position_lies_in(text: str) -> None:
    made = layout(text)
    blocks = list(enumerate(made.tree.blocks))
    for at in range(len(text) + 1):
        assert made.innermost(at) == max(n for n, block in blocks if block.start <= at)
        assert made.frames(at) == tuple(n for n, block in blocks if block.start < at < block.end)
        assert made.is_inside(at) is all(block.start != at for _, block in blocks if block.depth == 0)
        assert made.line_start(at) == max(start for start in made.tree.lines if start <= at)


@pytest.mark.parametrize("text", TEXTS)
def test_what_a_span_overlaps(text: str) -> None:
    made = layout(text)
    blocks = made.tree.blocks
    parents = [
        max((p for p in range(n) if blocks[p].end >= b.end and blocks[p].depth < b.depth), default=-1)
        for n, b in enumerate(blocks)
    ]
    for start in range(len(text)):
        for end in range(start + 1, len(text) + 1):
            overlapping = [n for n, block in enumerate(blocks) if block.start < end and block.end > start]
            assert [made.tops[n] for n in made.tops_between(start, end)] == [
                n for n in overlapping if blocks[n].depth == 0
            ]
            for parent in overlapping:
                assert made.children_between(parent, start, end) == [n for n in overlapping if parents[n] == parent]
            assert made.kinds(start, end) == tuple(
                dict.fromkeys(blocks[n].kind for n in overlapping if blocks[n].depth == 0)
            )
            inside = [(max(a, start), min(b, end)) for a, b in made.tree.omitted if a < end and b > start]
            assert made.omitted(start, end) == tuple(inside)
            kept = "".join(text[at] for at in range(start, end) if not any(a <= at < b for a, b in inside))
            assert made.plain(start, end) == kept.replace("\r\n", "\n").replace("\r", "\n")


@pytest.mark.parametrize(
    "text",
    [
        *TEXTS,
        "One.\n\n  Two \u200b three.\n\n\u200b\u200d \u200b\n\n    four\n",
        "- a\n\n" + "\u200b" * 80 + " b\n\n" + "\ufeff" * 80 + "\n",
    ],
)
def test_a_trimmed_span_shows_something_at_both_ends_but_for_indentation_that_has_a_meaning(text: str) -> None:
    made = layout(text)
    tops = [made.tree.blocks[index] for index in made.tops]
    for start in range(len(text) + 1):
        for end in range(start, len(text) + 1):
            held = text[start:end]
            assert made.is_bare(start, end) is (not made.plain(start, end).translate(NOTHING).strip())
            if not held.translate(NOTHING).strip():
                assert made.trim(start, end) == (start, start)
                continue
            first = end - len(held.lstrip())
            line = max(at for at in made.tree.lines if at <= first)
            (top,) = [block for block in tops if block.start <= first < block.end]
            if line >= start and (top.start < line or top.kind in ("code_block", "list")):
                first = line
            assert made.trim(start, end) == (first, start + len(held.rstrip()))


def test_what_prints_nothing_is_blank_with_white_space_around_it() -> None:
    assert [is_blank(text) for text in ("", " \n", " \u200b", "\u200b \u200b ", " \u200b a", "a ")] == [True] * 4 + [
        False
    ] * 2


def test_front_matter_is_inside_of_no_block() -> None:
    made = layout("---\na: 1\n---\n\nText.\n")

    assert [made.is_inside(at) for at in (0, 12, 13, 14)] == [False, False, False, True]


def test_a_heading_begins_where_its_text_or_the_space_before_it_does() -> None:
    text = "Intro.\n\n   # A *b*\n\nText.\n\nC\n===\n\n> # D\n\n# \n\nEnd.\n"
    made = layout(text)

    begins = {at: title for at in range(len(text)) if (title := made.heading_at(at))}

    shown = text.index("# A"), text.index("C\n=")
    assert {at: begins[at] for at in shown} == {shown[0]: "A b", shown[1]: "C"}
    assert set(begins.values()) == {"A b", "C"}
    assert all(not text[at : next(place for place in shown if place >= at)].strip() for at in begins)
    assert {made.heading_at(at) for at in range(len(text))} == {"", "A b", "C"}


def test_space_before_a_heading_that_comes_first_is_of_that_heading() -> None:
    assert layout("  # A\n").heading_at(1) == "A"


def test_code_in_a_container_is_closed_above_the_container_s_last_line() -> None:
    text = ":::note\nx\n```\n```\n:::\nend\n"
    made = layout(text)
    (index,) = [n for n, block in enumerate(made.tree.blocks) if block.kind == "code_block"]
    fence = made.fence(index)

    assert fence
    assert fence.closed_at == text.index("```\n:::")


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("One.\ntwo.\n\n", "One.", "two."),
        ("\n\n  One.\r\n\r\n", "  One.", "  One."),
        ("> One.\n> two.\n>\n> \n", "> One.", "> two."),
        ("x", "x", "x"),
        ("xy", "xy", "xy"),
        (">\n", ">", ">"),
        (">", ">", ">"),
        ("One.\nx\n", "One.", "x"),
        ("AX\nBX\n", "AX", "BX"),
        ("```\n\n```", "```", "```"),
    ],
)
def test_the_first_and_the_last_line_of_a_block(text: str, first: str, last: str) -> None:
    made = layout(text)
    found = [text[a:b] for a, b in (made.first_line(made.tree.blocks[0]), made.last_line(made.tree.blocks[0]))]

    assert found == [first, last]


@pytest.mark.parametrize(
    ("text", "opening", "closing", "inside"),
    [
        ("$$\na\n$$\n\n$$\nx\n$$\n\n$$\nb\n$$\n", "$$", "$$", "x\n"),
        ("$$a\n$$\n\n$$ x\ny $$\n\n$$b\n$$\n", "$$", "$$", " x\ny "),
        ("$$a\n$$\n\n  $$\nx $$\n\n$$b\n$$\n", "$$", "$$", "x "),
        ("$$a\n$$\n\n$$x\n$$\n\n$$b\n$$\n", "$$", "$$", "x\n"),
        ("$$a\n$$\n\n\\[\nx\n\\]\n\n$$b\n$$\n", "\\[", "\\]", "x\n"),
        ("```\na\n```\n\n```sh\nx\n```\n\n```\nb\n```\n", "```sh", "```", "x\n"),
        ("```\na\n```\n\n```sh \t\r\nx\r\n````\r\n\r\n```\nb\n```\n", "```sh", "```", "x\r\n"),
        ("```\na\n```\n\n- ~~~~ py\n  x\n\n  ~~~~\n\n```\nb\n```\n", "  ~~~~ py", "  ~~~~", "  x\n\n"),
        ("```\na\n```\n\n:::note\n```\nx\n```\n:::\n\n```\nb\n```\n", "```", "```", "x\n"),
        ("```\na\n```\n\n:::note\n```\nx\n:::\n", "```", "```", None),
        ("$$a\n$$\n\n$$x\n$$$$\n\n$$b\n$$\n", "$$", "$$", "x\n$$"),
        ("```\na\n```\n\n> ```\n> x\n\n```\nb\n```\n", "> ```", "> ```", None),
        ("```\na\n```\n\n```\nx\n``\n", "```", "```", None),
        ("```\na\n```\n\n```\nx\nX```\n", "```", "```", None),
        ("```\na\n```\n\n```\n```\n\n```\nb\n```\n", "```", "```", ""),
        ("$$a\n$$\n\n$$\nx\n  $$\n\n$$b\n$$\n", "$$", "$$", "x\n"),
        ("```\na\n```\n\n```", "```", "```", None),
    ],
)
def test_the_lines_that_open_and_close_code_and_formulas(
    text: str, opening: str, closing: str, inside: str | None
) -> None:
    made = layout(text)
    _, index, *_ = [n for n, block in enumerate(made.tree.blocks) if block.kind in ("code_block", "math_block")]
    fence = made.fence(index)

    assert fence
    assert (fence.opening, fence.closing) == (opening, closing)
    assert fence.closed_at is None if inside is None else text[fence.opened_at : fence.closed_at] == inside
    assert fence.opened_at == len(text) or inside is not None or text[fence.opened_at :].lstrip("> ")[0] == "x"
