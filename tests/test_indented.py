"""Admonitions and tabs whose content is indented: what they hold is Markdown, and none of it opens a section."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from laws import laws

from headwise import Settings, analyse, split
from headwise.reading.parse import parse

PAIR = ("paragraph", 1, "!!! a"), ("paragraph", 1, "b")


def blocks(text: str) -> list[tuple[str, int, str]]:
    return [(b.kind, b.depth, text[b.start : b.end].strip()) for b in parse(text).blocks]


def test_what_stands_in_one_is_markdown() -> None:
    text = '!!! note "A [b](c)"\n    See [d](e.md) and #tag.\n\n    - `f`\n\n    ```py\n    # no\n    ```\n\n# G\n'
    tree = parse(text)

    assert blocks(text) == [
        ("admonition", 0, text[: text.index("# G")].strip()),
        ("paragraph", 1, '!!! note "A [b](c)"'),
        ("paragraph", 1, "See [d](e.md) and #tag."),
        ("list", 1, "- `f`"),
        ("list_item", 2, "- `f`"),
        ("paragraph", 3, "- `f`"),
        ("code_block", 1, "```py\n    # no\n    ```"),
        ("heading", 0, "# G"),
    ]
    assert [link.target for link in tree.links] == ["e.md"]
    assert [tag.name for tag in tree.tags] == ["tag"]


def test_one_in_another_is_a_block_in_a_block() -> None:
    text = '=== "A"\n\n    !!! tip\n        # b\n\n        c\n\n    ??? note\n        d\n\n=== "B"\n    e\n'

    assert [(kind, depth) for kind, depth, _ in blocks(text)] == [
        ("admonition", 0),
        ("paragraph", 1),
        ("admonition", 1),
        ("paragraph", 2),
        ("heading", 2),
        ("paragraph", 2),
        ("admonition", 1),
        ("paragraph", 2),
        ("paragraph", 2),
        ("admonition", 0),
        ("paragraph", 1),
        ("paragraph", 1),
    ]
    assert not analyse(text).sections


@pytest.mark.parametrize(
    "beside", ["+ real\n", "1) real\n", "- real\n", "text\n", "| a |\n|---|\n| b |\n", "# H\n", "> q\n"]
)
@pytest.mark.parametrize("gap", ["", "\n"])
def test_neighbours_stay_what_they_are(beside: str, gap: str) -> None:
    one = "!!! note\n    a\n"
    kind = parse(beside).blocks[0].kind

    for text in (one + gap + beside, one + gap + one + gap + beside):
        kinds = [block.kind for block in parse(text).blocks if block.depth == 0]
        assert kinds[-1] == kind, text
        laws(text, Settings(6, 0))
    after = [block.kind for block in parse(f"{beside}\n{one}").blocks if block.depth == 0]
    assert after[0] == kind


def test_what_looks_like_one_in_code_is_code() -> None:
    text = "!!! note\n    ~~~\n    !!! tip\n        a\n    ~~~\n    b\n"

    assert [kind for kind, _, _ in blocks(text)] == ["admonition", "paragraph", "code_block", "paragraph"]


def test_one_without_content_is_text() -> None:
    assert [kind for kind, _, _ in blocks("!!! note\n\ntext\n\n!!! tip\n  text\n")] == [
        "paragraph",
        "paragraph",
        "paragraph",
    ]


@pytest.mark.parametrize(
    "inner",
    [
        "    !!! tip",
        "    !!! tip\n    text",
        "    !!! tip\n    XXXX text",
        "    !!! tip\n    \u00a0\u00a0\u00a0\u00a0text",
        "    XXXX!!! tip\n            text",
        "    \u00a0\u00a0\u00a0\u00a0!!! tip\n            text",
    ],
)
def test_what_is_not_indented_so_far_makes_none_inside_another(inner: str) -> None:
    assert [kind for kind, _, _ in blocks(f"!!! note\n    a\n\n{inner}")] == ["admonition"] + ["paragraph"] * 3


def test_the_content_of_one_inside_another_may_be_indented_by_tabs() -> None:
    kinds = [(kind, depth) for kind, depth, _ in blocks("!!! note\n    !!! tip\n\t\ttext\n")]

    assert kinds == [("admonition", 0), ("paragraph", 1), ("admonition", 1), ("paragraph", 2), ("paragraph", 2)]


@pytest.mark.parametrize("code", ["```\n    !!! tip\n        a\n    ```", "```a``` b"])
def test_one_below_code_is_one(code: str) -> None:
    kinds = [kind for kind, _, _ in blocks(f"!!! note\n    {code}\n\n    !!! tip\n        b\n")]

    assert kinds[-3:] == ["admonition", "paragraph", "paragraph"]


def test_each_of_many_neighbours_is_one_whatever_the_length_of_its_sign() -> None:
    text = "!!! a\n    b\n\n" * 4 + "# C\n"

    assert blocks(text) == [("admonition", 0, "!!! a\n    b"), *PAIR] * 4 + [("heading", 0, "# C")]
    assert {block.level for block in parse(text).blocks if block.kind == "paragraph"} == {0}


@given(
    st.lists(
        st.sampled_from(
            [
                "!!! note",
                "    a",
                "",
                "    !!! tip",
                "        b",
                "    ```",
                '=== "T"',
                "    - c",
                "d",
                "\te",
                "    # f",
                "- g",
                "+ h",
                "> i",
            ]
        ),
        max_size=14,
    )
)
def test_laws_hold_whatever_stands_beside_and_in_them(lines: list[str]) -> None:
    text = "\n".join(lines)
    laws(text, Settings(8, 0))
    assert not [section for section in analyse(text).sections if section.title == "f"]


@pytest.mark.parametrize("limit", range(20, 60, 4))
def test_every_part_of_one_is_an_admonition_again_if_its_title_fits(limit: int) -> None:
    text = (
        '!!! note "Careful"\n    '
        + "The plate is hot, so hot. " * 9
        + "\n\n    ```py\n"
        + "    a = 1\n" * 9
        + "    ```\n"
    )
    for part in split(text, max_tokens=limit, min_tokens=0):
        if "Careful" in part.embed_text:
            (only,) = [block for block in parse(part.embed_text).blocks if block.depth == 0]
            assert only.kind == "admonition", part.embed_text
        assert part.embed_text.count("```") in (0, 2)
        assert not part.context.startswith("    ") or "```" in part.context
