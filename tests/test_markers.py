"""Where the regions of each flavour end, and what looks like one and is none."""

from __future__ import annotations

import pytest
from laws import laws

from headwise import Settings
from headwise.model import Format
from headwise.reading.parse import parse


def tops(text: str, document_format: Format = "markdown", **options) -> list[tuple[str, str]]:
    """Kind and text of the outermost blocks, blank lines after them left out."""
    laws(text, Settings(max_tokens=12), document_format=document_format, **options)
    tree = parse(text, document_format=document_format, **options)
    return [(b.kind, text[b.start : b.end].strip("\n")) for b in tree.blocks if b.depth == 0]


@pytest.mark.parametrize(
    "formula",
    [
        "$$\n# a\n$$",
        "$$\n$$",
        "$$a\n# b$$",
        "$$\n# a\n$$ {#eq-a}",
        "$$\n# a\n$$ (1.2).",
        "\\[\n# a\n\\]",
        "\\[ a =\n# b\n\\],",
        "$$\n\n```\n$$\n```\n\n# a\n$$",
    ],
)
@pytest.mark.parametrize("before", ["", "$$\nz\n$$\n\n", "$$z\n\n"])
@pytest.mark.parametrize("after", ["", "\n", "\n\nb\n\n$$\n# c\n$$\n"])
def test_a_formula_ends_where_its_signs_close_code_apart(formula: str, before: str, after: str) -> None:
    found = tops(before + formula + after)

    assert ("math_block", formula) in found
    assert not [text for kind, text in found if kind == "heading"]


@pytest.mark.parametrize(
    "text", ["$$\na\n\n# b\n\n$$ c\n", "$$a\n\n# b\n\nc $$\n", "$$\na\n\n# b", "\\[ a =\n\n# b\n\n\\]\n"]
)
def test_signs_with_more_text_beside_them_close_nothing(text: str) -> None:
    assert ("heading", "# b") in tops(text)
    assert "math_block" not in dict(tops(text))


@pytest.mark.parametrize("text", ["%%\na\n\n# b\n\n%% c\n", "%%\na\n\n# b", "%% a %%\n\n# b\n\n%% c %%\n"])
def test_a_comment_with_more_text_after_it_hides_nothing(text: str) -> None:
    assert ("heading", "# b") in tops(text, obsidian=True)


def test_a_line_that_closes_nothing_may_open_a_comment() -> None:
    assert ("comment", "%% b\n# c\n%%") in tops("%%\na\n%% b\n# c\n%%\n", obsidian=True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # of as many signs, whatever was open before it
        (":::note\na\n:::\n::::note\n# b\n:::", [":::note\na\n:::", "::::note\n# b\n:::"]),
        (
            ":::note\n\n:::tip\n\na\n\n:::\n\n::::note\n\n# b\n\n:::",
            [":::note\n\n:::tip\n\na\n\n:::\n\n::::note\n\n# b\n\n:::"],
        ),
        (":::note\n::::tip\n# a\n:::\n:::note\n# b\n::::", [":::note\n::::tip\n# a\n:::", ":::note\n# b\n::::"]),
        ("   :::note\n# a\n   :::", ["   :::note\n# a\n   :::"]),
        ("/// note\n/// more below\n# a\n///", ["/// note\n/// more below\n# a\n///"]),
        ("/// note\n# a\n/////", ["/// note\n# a\n/////"]),
        (":::note\n# a\n::: :\n# b\n:::", [":::note\n# a\n::: :\n# b\n:::"]),
        (":::\n\n:::note\n# a\n:::", [":::note\n# a\n:::"]),
    ],
)
def test_a_container_ends_at_the_line_of_signs_that_is_its_own(text: str, expected: list[str]) -> None:
    assert [block for kind, block in tops(f"a\n\n{text}\n\nb\n") if kind == "admonition"] == expected


@pytest.mark.parametrize(
    "text", [":::note\n\n# a", ":::note\n\n# a\n\n```\n:::\n```", "/// note\n\n# a\n\n:::", "/// x\n\n# a\n\n///"]
)
def test_a_container_without_an_end_is_text(text: str) -> None:
    assert ("heading", "# a") in tops(text)


@pytest.mark.parametrize(
    "statement",
    [
        "export const a = [\n\n# b\n]",
        "export const a = [[1],\n\n# b\n\n[2]]",
        "export const a = [`\nimport b from 'c'\n\n# b\n`]",
        "export const a = `[\n\n# b\n`",
        "import a from 'b'\nimport c from 'd'",
    ],
)
@pytest.mark.parametrize("end", ["", "\n", "\n\nb\n"])
def test_a_statement_goes_on_while_something_in_it_is_open(statement: str, end: str) -> None:
    assert tops(statement + end, "mdx")[0] == ("other", statement)
    assert [kind for kind, _ in tops(statement + end, "mdx")[1:]] == ["paragraph"] * ("b" in end)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import {a\nimport b from 'c'\n\n# H\n\na }\n", ["other", "heading", "paragraph"]),
        ("import {a\nimport b from 'c'\n\n# H\n\na }", ["other", "heading", "paragraph"]),
        ("import {a\nb\nc\nd\n\n# H\n", ["other", "heading"]),
        ("# H\n\nimport {a\nb\nc", ["heading", "other"]),
        ("import a from 'b'\n# H\n", ["other", "heading"]),
        ("a\n\nimport {a\n\n# H\n", ["paragraph", "other", "heading"]),
    ],
)
def test_a_statement_whose_bracket_is_never_closed_ends_at_the_blank_line(text: str, expected: list[str]) -> None:
    assert [kind for kind, _ in tops(text, "mdx")] == expected


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("{a(() => {\n# b\n})}", "other"),
        ("{a(() => {\n\n# b\n\n})}", "other"),
        ("<A\n  b={c > d\n# b\n  }\n>", "html_block"),
        ("<A\n  b='>'\n# b\n>", "html_block"),
        ("<A\n  b={c => `d`}\n# b\n/>", "html_block"),
    ],
)
@pytest.mark.parametrize("before", ["", "a\n\n", "{a}\n\n", "<B c={\n\n"])
@pytest.mark.parametrize("after", ["", "\n", "\n\nb }\n"])
def test_braces_and_tags_are_read_to_their_end(text: str, kind: str, before: str, after: str) -> None:
    assert (kind, text) in tops(before + text + after, "mdx")


@pytest.mark.parametrize(
    "text", ["{a\n\n# b\n", "{a\n\n# b", "<A b\n\n# b\n\n/>", "<A b={\n<C d> e\n\n# b", "# b\n\n<A b={\n<C d> e"]
)
def test_braces_and_tags_that_are_never_closed_are_text(text: str) -> None:
    assert ("heading", "# b") in tops(text, "mdx")
    assert {kind for kind, _ in tops(text, "mdx")} == {"heading", "paragraph"}
