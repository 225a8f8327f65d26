"""Comments and formulas that begin and end anywhere: what is hidden, what is not cut, and what is never swallowed."""

from __future__ import annotations

import pytest
from laws import laws

from headwise import Settings, analyse, split
from headwise.indexing.records import IndexSettings, make_records
from headwise.model import Document, content_hash
from headwise.reading.parse import parse


def titles(text: str, **options) -> list[str]:
    laws(text, Settings(max_tokens=12, min_tokens=0), **options)
    return [section.title for section in analyse(text, **options).sections]


@pytest.mark.parametrize(
    ("text", "embedded"),
    [
        ("seen %%not seen%% seen", "seen  seen"),
        ("seen %%\nnot\n%%", "seen"),
        ("seen\n\n%%\nnot\n\nnot\n%%\n\nseen", "seen\n\n\n\nseen"),
        ("seen %%not\n# not\n\nnot%% seen", "seen  seen"),
        ("> seen %%not%%\n> seen", "> seen \n> seen"),
        ("- %%not%% seen", "-  seen"),
        ("|a|\n|-|\n|%%b%%|", "|a|\n|-|\n||"),
        ("seen <!-- not --> seen", "seen  seen"),
        ("<!-- not\n\n# not\n-->\n\nseen", "\n\nseen"),
        ("<div><!-- not --> seen</div>", "<div> seen</div>"),
        ("<pre>\n<!-- not -->\n</pre>", "<pre>\n\n</pre>"),
        ("<script>\n// <!-- seen -->\n</script>", "<script>\n// <!-- seen -->\n</script>"),
        ("seen `%%seen%%` <!-- seen", "seen `%%seen%%` <!-- seen"),
        ("```\n%%seen%% <!-- seen -->\n```", "```\n%%seen%% <!-- seen -->\n```"),
        ("100%% sure, 50%% more", "100%% sure, 50%% more"),
        ("seen %% seen\n\nseen", "seen %% seen\n\nseen"),
        ("[seen](a%%b%%c)", "[seen](a%%b%%c)"),
    ],
)
def test_comments_stay_in_the_text_and_are_not_embedded(text: str, embedded: str) -> None:
    made = laws(text, flavours="obsidian,math")
    (chunk,) = made.chunks

    assert chunk.text == text
    assert chunk.embed_text.rstrip() == embedded


def test_comments_of_mdx_are_not_embedded_either() -> None:
    (chunk,) = analyse("seen {/* not # not */} seen\n\n{/*\nnot\n*/}\n\nseen", document_format="mdx").chunks

    assert chunk.embed_text == "seen  seen\n\n\n\nseen"
    assert not chunk.tags


def test_a_comment_takes_no_room() -> None:
    text = f"Seen. %%{'not seen ' * 200}%% Seen too."

    (chunk,) = split(text, max_tokens=12, flavours="obsidian")
    assert chunk.text == text


def test_words_in_comments_can_be_found_in_an_index() -> None:
    text = "seen %%private%% <!-- hidden -->\n"
    document = Document("a.md", text, "markdown", content_hash(text), 1, 2, 3, 4, obsidian=True)
    made = make_records(document, IndexSettings(), 0)

    assert [record.chunk.embed_text for record in made.records] == ["a\n\nseen  "]
    assert {"privat", "hidden"} <= set(made.words[0].text.split())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# A\n\ntext %%hidden\n# no\nend%% more\n\n# B", ["A", "B"]),
        ("# A\n\ntext %%hidden\n\n# no\n\nend%% more\n\n# B", ["A", "B"]),
        ("# A\n\n%% hidden\n# no\nend %%\n\n# B", ["A", "B"]),
        ("# A\n\n%% hidden\n# no\nend %% more\n\n# B", ["A", "no", "B"]),
        ("# A\n\n> text %%hidden\n> # no\n> end%%\n\n# B", ["A", "B"]),
        ("# A %%hidden%%\n\n# %%hidden%% B", ["A", "B"]),
        ("# A\n\n100%% sure\n\n# B\n\n50%% more\n\n# C", ["A", "B", "C"]),
        ("# A\n\nescape %% so\n\n# B\n\nand %% so\n\n# C", ["A", "B", "C"]),
        ("# A\n\ntext %%unclosed\n\n# B", ["A", "B"]),
        ("# A\n\n%%unclosed\n\n# B", ["A", "B"]),
        ("# A\n\n`%%`\n\n# B\n\n`%%`", ["A", "B"]),
        ("# A\n\n```\n%%\n```\n\n# B\n\n```\n%%\n```", ["A", "B"]),
        ("# A\n\nx %%y\n\n```\n%%\n```\n\n# no\n\ny%% z\n\n# B", ["A", "B"]),
    ],
)
def test_a_heading_in_a_comment_opens_no_section_and_none_is_hidden_by_a_slip(text: str, expected: list[str]) -> None:
    assert titles(text, flavours="obsidian") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# A\n\n\\[\na\n=\nb\n# c\n\\]\n\n# B", ["A", "B"]),
        ("# A\n\n\\[ a\n=\nb \\]\n\n# B", ["A", "B"]),
        ("# A\n\nSo \\[ a\n=\nb \\] is.\n\n# B", ["A", "B"]),
        ("# A\n\nSo $$ a\n=\nb $$ is.\n\n# B", ["A", "B"]),
        ("# A\n\n$$\na\n=\nb\n$$ {#eq:1}\n\n# B\n\n$$ c $$", ["A", "B"]),
        ("# A\n\n$$\na\n=\nb\n$$ where $a$ is.\n\n# B\n\n$$\nc\n$$", ["A", "B"]),
        ("# A\n\n\\[see above\n\n# B\n\nand below\\]", ["A", "B"]),
        ("# A\n\npay $$ now\n# B\nor $$ later", ["A", "B"]),
        ("# A\n\n\\[x\\] and \\[y\n===\n\nz\\]", ["A", "[x] and [y"]),
        ("# A\n\n`$$`\n# B\n`$$`", ["A", "B"]),
    ],
)
def test_a_formula_hides_its_lines_and_nothing_else(text: str, expected: list[str]) -> None:
    assert titles(text, flavours="math") == expected


@pytest.mark.parametrize(
    "formula",
    [r"\( a + b + c + d + e \)", r"\[ a + b + c + d + e \]", "$$ a + b\n+ c + d + e $$", "> $$\n> a\n> =\n> b\n> $$"],
)
def test_no_cut_falls_into_a_formula_if_another_fits(formula: str) -> None:
    text = (
        f"These are words and words.\n\n{formula} and these are words, and more of them stand here, and more of them."
    )
    for limit in range(24, 40):
        assert any(formula in chunk.text for chunk in split(text, max_tokens=limit)), limit


def test_formulas_in_quotes_and_lists_are_no_headings() -> None:
    kinds = {block.kind for block in parse("> $$\n> x\n> =\n> y\n> $$\n\n- a\n  $$\n  x\n  =\n  y\n  $$\n").blocks}

    assert kinds == {"block_quote", "list", "list_item", "paragraph"}


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        (":::note\n\na\n\n:::tip\n\nb\n\n:::\n", ["paragraph", "paragraph", "admonition"]),
        ("::::note\n\n:::tip\n\nb\n\n::::\n", ["admonition"]),
        (":::note\n\n::: {.column}\n\na\n\n:::\n\nb\n\n:::\n", ["admonition"]),
        ("$$ a\n\nb\n\n$$\nc\n$$\n", ["paragraph", "paragraph", "math_block"]),
        ("%% a\n\n%% b\n\nc %% d\n\n%%\ne\n%%\n", ["paragraph", "paragraph", "paragraph", "comment"]),
    ],
)  # fmt: skip
def test_what_is_never_closed_leaves_what_is_closed_below_it_alone(text: str, kinds: list[str]) -> None:
    assert [b.kind for b in parse(text, flavours="admonitions,math,obsidian").blocks if b.depth == 0] == kinds


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("{a\n\nb\n\n{c\n\n# no\n}\n", ["paragraph", "paragraph", "other"]),
        ("<A b={\n\nc\n\n<D\n  e={[\n# no\n]}\n>\n", ["paragraph", "paragraph", "html_block"]),
        ("import a from 'a'\nexport const b = {\n\n# no\n}\n\n# c\n", ["other", "heading"]),
    ],
)
def test_what_is_never_closed_in_mdx_leaves_what_is_closed_below_it_alone(text: str, kinds: list[str]) -> None:
    assert [b.kind for b in parse(text, document_format="mdx").blocks if b.depth == 0] == kinds
