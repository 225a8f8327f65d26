"""What some tools write that CommonMark does not know: one block each, and no heading inside."""

from __future__ import annotations

import random

import pytest
from laws import laws

from headwise import Settings, analyse
from headwise.errors import SettingsError
from headwise.model import Format
from headwise.reading import parse as parsing
from headwise.reading.flavours import choose_flavours
from headwise.reading.parse import parse


def tops(text: str, document_format: Format = "markdown", **options) -> list[tuple[str, str]]:
    """Kind and text of the outermost blocks, blank lines after them left out."""
    tree = parse(text, document_format=document_format, **options)
    laws(text, Settings(max_tokens=12), document_format=document_format, **options)
    return [(b.kind, text[b.start : b.end].rstrip("\n")) for b in tree.blocks if b.depth == 0]


def test_math_is_one_block_whatever_stands_in_it() -> None:
    assert tops("a\n\n$$\nx\n\n# y\n=\n- z\n$$\n\nb\n") == [
        ("paragraph", "a"),
        ("math_block", "$$\nx\n\n# y\n=\n- z\n$$"),
        ("paragraph", "b"),
    ]


def test_math_that_is_never_closed_is_text() -> None:
    assert tops("$$\nx\n\n# y\n") == [("paragraph", "$$\nx"), ("heading", "# y")]


def test_math_signs_in_code_open_nothing() -> None:
    assert [kind for kind, _ in tops("```\n$$\n```\n\n# a\n\n```\n$$\n```\n")] == [
        "code_block",
        "heading",
        "code_block",
    ]


def test_a_comment_of_a_vault_hides_its_headings_only_there() -> None:
    text = "a\n\n%%\n# b\n\nc\n%%\n\nd\n"

    assert tops(text, obsidian=True)[1] == ("comment", "%%\n# b\n\nc\n%%")
    assert ("heading", "# b") in tops(text)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("{/*\n# no\n\n- no\n*/}", "comment"),
        ("{/* # one line */}", "comment"),
        ("import Tabs from '@theme/Tabs'\nimport {\n# no\n} from 'x'", "other"),
        ("export const toc = [\n  '# no',\n]", "other"),
        ("{list.map((x) => (\n# no\n))}", "other"),
        ('<Tabs\n  values={[\n# no\n  ]}\n  label="a > b"\n>', "html_block"),
    ],
)  # fmt: skip
def test_mdx_keeps_its_code_to_itself(text: str, kind: str) -> None:
    assert tops(f"a\n\n{text}\n\n## b\n", "mdx") == [("paragraph", "a"), (kind, text), ("heading", "## b")]


def test_mdx_is_read_only_where_it_is_written() -> None:
    assert ("heading", "# no") in tops("{/*\n# no\n*/}\n")
    assert ("heading", "# no") not in tops("{/*\n# no\n*/}\n", flavours="mdx")


@pytest.mark.parametrize(
    ("opening", "closing"),
    [(":::note", ":::"), ("::: warning Mind this", ":::"), (":::{tip}", ":::"), ("/// tip | Title", "///")],
)
def test_an_admonition_holds_markdown_that_opens_no_section(opening: str, closing: str) -> None:
    text = f"a\n\n{opening}\n\nb\n\n# c\n\n```\n{closing}\n```\n\n{closing}\n\nd\n"
    tree = parse(text)

    assert [(b.kind, b.depth) for b in tree.blocks] == [
        ("paragraph", 0),
        ("admonition", 0),
        ("paragraph", 1),
        ("paragraph", 1),
        ("heading", 1),
        ("code_block", 1),
        ("paragraph", 0),
    ]
    assert not analyse(text).sections


def test_nested_admonitions_close_the_right_one() -> None:
    text = "::::note\n\n:::tip\n\na\n\n:::\n\nb\n\n::::\n\nc\n"

    assert [kind for kind, _ in tops(text)] == ["admonition", "paragraph"]


def test_other_fenced_containers_lay_out_a_page() -> None:
    assert ("heading", "# b") in tops("::: {.column}\n\n# b\n\n:::\n")


def test_an_admonition_that_is_never_closed_is_text() -> None:
    assert [kind for kind, _ in tops(":::note\n\n# a\n\nb\n")] == ["paragraph", "heading", "paragraph"]


@pytest.mark.parametrize("opening", ["!!! note", '!!! note "Careful"', "??? tip", "???+ tip", '=== "Tab"'])
def test_an_indented_admonition_is_one_block(opening: str) -> None:
    body = "    # no\n\n    ``` sh\n    # no\n    ```"

    assert tops(f"{opening}\n{body}\n\n# b\n") == [("admonition", f"{opening}\n{body}"), ("heading", "# b")]


def test_an_admonition_stays_whole_if_it_fits_and_keeps_its_first_line_if_not() -> None:
    words = "one two three four five six seven eight nine ten. "
    text = f"# T\n\n{words * 6}\n\n:::note Title\n\n{words}\n\n{words}\n\n{words}\n\n:::\n"

    whole = laws(text, Settings(max_tokens=100)).chunks
    parts = laws(text, Settings(max_tokens=40, min_tokens=0)).chunks

    assert any(":::note" in c.text and c.text.endswith("\n:::") for c in whole)
    inside = [c for c in parts if "admonition" in c.kinds]
    assert len(inside) > 1
    assert all(":::note Title" in c.embed_text for c in inside)


def test_flavours_are_named_or_refused() -> None:
    assert [kind for kind, _ in tops("$$\n# a\n$$\n", flavours="none")] == ["paragraph", "heading", "paragraph"]
    with pytest.raises(SettingsError, match="unknown flavour 'latex'; choose from auto, none, math"):
        parse("a", flavours="math,latex")


def test_a_list_indented_by_a_tab_starts_on_its_own_line() -> None:
    # the parser says that it starts at the end of the line before
    text = "- a\n\t- b\n"
    tree = parse(text)

    assert [(b.kind, b.start) for b in tree.blocks if b.kind == "list"] == [("list", 0), ("list", 4)]
    laws(text, Settings(max_tokens=2))


@pytest.mark.parametrize(("opening", "closing"), [(":::tip", ":::"), ("/// tab | Py", "///"), ("//// note", "////")])
@pytest.mark.parametrize("limit", range(16, 90, 3))
def test_code_in_a_container_ends_where_its_fence_closes(opening: str, closing: str, limit: int) -> None:
    # the container's last line belongs to the code, the last block in it; the fence closes above it all the same
    code = "```py\n" + "".join(f"x{number} = some_function({number})\n" for number in range(12)) + "```\n\n"
    made = laws(f"# A\n\n{opening}\n\n{code}{closing}\n\nAfter.\n", Settings(limit))

    for chunk in made.chunks:
        assert chunk.embed_text.count("```") in (0, 2), chunk.embed_text


@pytest.mark.parametrize("gap", ["\n", "\n\n"])
def test_a_comment_right_after_a_fence_is_one(gap: str) -> None:
    text = f"```\ncode\n```{gap}%%\n# no heading\n%%\n\n# Heading\n"

    assert [section.title for section in analyse(text, flavours="obsidian").sections] == ["Heading"]


def test_signs_in_code_open_no_comment_although_there_is_another() -> None:
    text = "%%\nhidden\n%%\n\nUse `%%` and see what stands between it and `%%` here.\n"

    (chunk,) = analyse(text, flavours="obsidian").chunks
    assert "hidden" not in chunk.embed_text
    assert "and see what stands between it and" in chunk.embed_text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\n$$\nb\n$$\n===\n", [("paragraph", 0, "a\n"), ("math_block", 0, "$$\nb\n$$\n"), ("paragraph", 0, "===\n")]),
        ("<T>\n===\n", [("html_block", 0, "<T>\n"), ("paragraph", 0, "===\n")]),
        ("# b\n:::tip\n:::\n", [("heading", 1, "# b\n"), ("admonition", 0, ":::tip\n:::\n")]),
    ],
)
def test_an_underline_makes_no_heading_of_what_stands_before_a_region(text: str, expected) -> None:
    tree = parse(text, document_format="mdx")

    assert [(b.kind, b.level, text[b.start : b.end]) for b in tree.blocks if b.depth == 0] == expected


def test_code_that_goes_on_after_a_container_has_no_fence() -> None:
    text = ":::note\n- a\n\n  ```\n:::\n      c\n"
    code = [(b.depth, b.fence, text[b.start : b.end]) for b in parse(text).blocks if b.kind == "code_block"]

    assert code == [(3, "```", "  ```\n:::\n"), (2, "", "      c\n")]


def test_plain_text_has_no_flavour() -> None:
    assert (
        choose_flavours("auto", "plain", obsidian=True) == choose_flavours("none", "markdown", obsidian=True) == set()
    )


EMPTY = [":::note\n:::\n", " \n:::note\n:::\n", "%%\n\n%%\n", ":::tip\n\n:::\n\n/// tip\n///\n"]


@pytest.mark.parametrize("empty", [*EMPTY, "---\nkey: value\n---\n" + EMPTY[0]])
@pytest.mark.parametrize("heading", ["# A", "A\n===", "## A\n## B"])
def test_a_heading_below_what_is_empty_at_the_top_is_a_heading(empty: str, heading: str) -> None:
    made = analyse(f"{empty}\n{heading}\n\nText.\n", settings=Settings(min_tokens=0), obsidian=True)
    assert [section.title for section in made.sections] == (["A", "B"] if "B" in heading else ["A"])
    laws(f"{empty}\n{heading}\n\nText.\n", Settings(8, tokenizer="words"))


def kinds_at_the_top(text: str) -> list[str]:
    return [block.kind for block in parse(text, obsidian=True).blocks if not block.depth]


def test_no_region_opens_in_html_or_in_a_list_below_code_of_its_own() -> None:
    assert kinds_at_the_top("<div>\n$$\nx\n$$\n</div>\n") == ["html_block"]
    quoted = parse("<pre>\nimport x from 'y'\n</pre>\n", document_format="mdx").blocks
    assert [block.kind for block in quoted] == ["html_block", "paragraph", "html_block"]
    assert kinds_at_the_top("- a\n\n  ```\n  x\n  ```\n\n  $$\n  y\n\n  z\n  $$\n") == ["list"]


def test_an_underline_below_a_region_is_no_heading_whatever_follows() -> None:
    assert analyse("$$\nx\n$$\n---\n\nText.\n").sections == ()
    assert analyse("$$\nx\n$$\n===\n\nText.\n").sections == ()


def test_an_indented_admonition_in_a_container_leaves_the_container_whole() -> None:
    text = ":::note\n!!! tip\n    x\n\ny\n:::\n\nAfter.\n"
    assert kinds_at_the_top(text) == ["admonition", "paragraph"]
    laws(text, Settings(4, tokenizer="words"))


@pytest.mark.parametrize(("opening", "closing"), [("::: tip", ":::"), ("/// tip | Title", "///")])
@pytest.mark.parametrize(
    "above", ["```\ncode\n```\n", "```\ncode\n```\n\n\n", "    code\n\n", "- item\n\n", "<div>\n\n"]
)
def test_an_admonition_right_below_what_has_ended_is_one(above: str, opening: str, closing: str) -> None:
    tree = parse(f"Text.\n\n{above}{opening}\n\nInside.\n\n{closing}\n\nBelow.\n")
    assert [b.kind for b in tree.blocks if not b.depth][-2:] == ["admonition", "paragraph"]


@pytest.mark.parametrize("above", ["```\n", "<!--\n\n", "- item\n\n  ", "```\ncode\n", "> quote\n"])
def test_no_admonition_opens_in_what_goes_on(above: str) -> None:
    tree = parse(f"{above}::: tip\n\nInside.\n\n:::\n")
    assert "admonition" not in {b.kind for b in tree.blocks}


def test_one_pass_reads_what_two_would(monkeypatch: pytest.MonkeyPatch) -> None:
    fences = ["::: tip", "::: tip", ":::", ":::", "/// note", "///", "  ::: tip", "- ::: tip", "```", "```", "~~~"]
    lines = [*fences, "    code", "- item", "  in it", "> quote", "text", "# Heading", "[a]: b", *[""] * 4]
    draw = random.Random(3)  # noqa: S311 - nothing secret, and the same each time
    texts = ["\n".join(draw.choice(lines) for _ in range(draw.randint(2, 14))) for _ in range(3000)]
    once = [parse(text) for text in texts]
    monkeypatch.setattr(parsing, "can_open", lambda *_: False)
    assert once == [parse(text) for text in texts]
    assert sum(any(b.kind == "admonition" for b in tree.blocks) for tree in once) > 250


def test_a_tag_in_code_between_tags_is_code_and_a_comment_below_still_hides_its_heading() -> None:
    text = "<T>\n```\n<U>\n```\n</T>\n\nText {/* a\n# b\n*/} end.\n"
    tree = parse(text, document_format="mdx")
    assert [b.kind for b in tree.blocks] == ["html_block", "code_block", "html_block", "paragraph"]
    assert [text[span.start : span.end] for span in tree.omitted] == ["{/* a\n# b\n*/}"]


@pytest.mark.parametrize(
    "above",
    [
        "",
        "Text with ::: in it.\n\n",
        "Text right above.\n",
        "```\ncode\n```\n",
        "```\ncode\n```\n\n",
        "```\ncode\n```\n\n\n",
        "````\n```\n`````\n",
        "- item\n  ~~~\n  code\n  ~~~\n\n",
        "    code\n\n",
        "> quote\n\n",
        "[^1]: Note.\n\n",
        "<div>\n\n",
        "::: note\n\nText.\n\n:::\n\n",
    ],
)
def test_containers_that_nothing_swallows_take_one_pass(monkeypatch: pytest.MonkeyPatch, above: str) -> None:
    passes = _counted_passes(monkeypatch)
    tree = parse(f"Above.\n\n{above}::: tip\n\nInside.\n\n:::\n\nBelow.\n")
    assert tree.blocks[-1].kind == "paragraph"
    assert tree.blocks[-2].depth == 1
    assert passes == ["once"]


@pytest.mark.parametrize(
    "above",
    [
        "```\n",
        "```\n\n",
        "```\na\n```\n\n```\n",
        "````\ncode\n```\n",
        "```\ncode\n~~~\n",
        "```\ncode\n``` x\n",
        "\n```\n\n",
        "- item\n\n  ",
        "- item\n",
        "- item\n\n  Text.\n",
        "> quote\n",
        "[^1]: Note.\n",
        "<div>\n",
        "<!--\n\n",
        "<script>\n\n",
        "Text.\n\n<pre>\n\n",
    ],
)
def test_what_is_swallowed_is_told_by_a_second_pass(monkeypatch: pytest.MonkeyPatch, above: str) -> None:
    text = f"{above}::: tip\n\nInside.\n\n:::\n"
    passes = _counted_passes(monkeypatch)
    once = parse(text)
    assert len(passes) > 1
    monkeypatch.setattr(parsing, "can_open", lambda *_: False)
    assert once == parse(text)
    assert once.blocks[0].kind != "admonition"


def test_signs_in_code_that_open_nothing_take_one_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    passes = _counted_passes(monkeypatch)
    tree = parse("Text.\n\n```rust\n/// What it does.\nfn f() {}\n```\n")
    assert [b.kind for b in tree.blocks] == ["paragraph", "code_block"]
    assert passes == ["once"]


def _counted_passes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    passes: list[str] = []
    whole = parsing.parse_markdown

    def counted(text: str, start: int, lines: tuple[int, ...]) -> parsing.Markdown:
        passes.append("once")
        return whole(text, start, lines)

    monkeypatch.setattr(parsing, "parse_markdown", counted)
    return passes


def test_a_container_does_not_open_on_the_first_line_of_code_below_other_code() -> None:
    tree = parse("```\na\n```\n\n```\n::: tip\n```\n:::\n")
    assert [b.kind for b in tree.blocks] == ["code_block", "code_block", "paragraph"]


@pytest.mark.parametrize(
    "text",
    [
        "One.\n\n```\n:::note\nx\n:::\n```\n\nTwo.\n",
        "- a\n\n  :::note\n  x\n  :::\n\n# B\n\nc\n",
        "<div>\n```\n:::note\nx\n:::\n```\n</div>\n\n$$a\n# b$$\n\n# C\n",
        "<div>\n<!-- x -->\n\n```\n:::note\n:::\n\n%%a\nb%%\n```\n\n$$\n# d\n$$\n\n</div>\n",
        "\ud800 one\n\n# Two \ud800\n\n- `three`\n",
        "<Tabs>\n```\nx\n<b>\n",
        "<b>\n```\n<b>\n```\n\n# D `e`\n",
        "<b>\n```\nx\n{/* c\nd */}\n<b>\n```\n\n# D\n",
        "\\( a\n<div>\n```\n\n\nx {/* c */} y\n\\[ a \\]\n",
        "<div>\n~~~\n\nx <!-- c --> y\n\\[ a \\]\nd */}\n$$\n:::\n",
        "~~~\n~~~\n:::note\n:::\n- a\nx %%c%% y\n\n\n:::note\nx %%c%% y\n",
        "```\n- a\n```\n:::note\n%%a\nx `%%` y\n:::\nx {/* c */} y\n<b>\n",
    ],
)
def test_front_matter_only_moves_what_stands_below_it(text: str) -> None:
    front = "---\ntitle: é\nother: a b c d e f g h i j k l m n o p q r s t u v w x y z\n---\n"
    alone, below = (parse(each, document_format="mdx", obsidian=True) for each in (text, front + text))
    by = len(front)
    assert [(b.kind, b.start, b.end, b.depth) for b in below.blocks] == [
        (b.kind, b.start + by, b.end + by, b.depth) for b in alone.blocks
    ]
    assert below.titles == {at + by: title for at, title in alone.titles.items()}
    assert [tuple(a) for a in below.atoms] == [(a.start + by, a.end + by) for a in alone.atoms]
