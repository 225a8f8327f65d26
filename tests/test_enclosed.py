"""Comments and formulas that begin and end anywhere: what is hidden, what is not cut, and what is never swallowed."""

from __future__ import annotations

import pytest
from laws import laws

from headwise import Settings, analyse, split
from headwise.indexing.records import IndexSettings, make_records
from headwise.model import Document, Span, content_hash
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
        ("%%not%% seen", " seen"),
        ("`seen`%%not%% seen", "`seen` seen"),
        ("seen %%not %% seen\n\nseen", "seen  seen\n\nseen"),
        ("seen %%\nnot\n%%\nseen", "seen \nseen"),
        ("seen \\% seen %%not%% seen", "seen \\% seen  seen"),
        ("%%\nnot\n%%\n\nseen (%%not%%)", "\n\nseen ()"),
        ("<div><!-- not --> b <!-- not --> d <!-- not --></div>", "<div> b  d </div>"),
        ("`<!-- b -->`\n\n<div><!-- not --></div>\n\n`<!-- b -->`", "`<!-- b -->`\n\n<div></div>\n\n`<!-- b -->`"),
        ("<div>\n</div>\n\n`<!-- seen -->`", "<div>\n</div>\n\n`<!-- seen -->`"),
        ("<div><!-- b\n\nseen --> seen", "<div><!-- b\n\nseen --> seen"),
        ("<div><!-- seen\n\n<div><!-- not --></div>", "<div><!-- seen\n\n<div></div>"),
        (f"seen <!-- ![n](data:image/png;base64,{'iVBORw0K' * 9}) --> seen", "seen  seen"),
    ],
)
def test_comments_stay_in_the_text_and_are_not_embedded(text: str, embedded: str) -> None:
    made = laws(text, flavours="obsidian,math")
    (chunk,) = made.chunks

    assert chunk.text == text
    assert chunk.embed_text.rstrip() == embedded


def test_no_sign_in_front_matter_opens_a_comment() -> None:
    (chunk,) = laws("---\na: b %%c\n---\n\nseen (%%not%%)", flavours="obsidian").chunks

    assert chunk.embed_text == "seen ()"


def test_a_comment_of_mdx_begins_at_its_first_sign_and_ends_at_its_first() -> None:
    (chunk,) = analyse("seen {/* not {/* not */} seen", document_format="mdx").chunks

    assert chunk.embed_text == "seen  seen"


def test_the_id_in_a_comment_of_mdx_is_the_anchor_of_its_heading() -> None:
    (section,) = analyse("# A b {/*own-id*/}\n\ntext\n", document_format="mdx").sections

    assert (section.title, section.anchor) == ("A b", "own-id")


@pytest.mark.parametrize("newline", ["\n", "\r"])
def test_a_comment_at_the_start_of_a_line_parts_no_paragraph(newline: str) -> None:
    text = newline.join(("a", "b", "%%not", "not%% c"))

    assert [block.kind for block in parse(text, flavours="obsidian").blocks] == ["paragraph"]


def test_a_comment_after_a_heading_in_a_quote_stays_in_the_quote() -> None:
    blocks = parse("> # A %%not\n> not%% seen\n", flavours="obsidian").blocks

    assert [(block.kind, block.depth) for block in blocks] == [("block_quote", 0), ("heading", 1), ("paragraph", 1)]


def test_a_comment_around_an_admonition_hides_it() -> None:
    text = "seen (%%\n\n:::note\n\nnot\n\n:::\n\nnot%%) seen\n\n:::tip\n\nseen\n\n:::\n"
    made = analyse(text, flavours="obsidian,admonitions")

    assert [block.kind for block in made.tree.blocks].count("admonition") == 1
    assert "not" not in "".join(chunk.embed_text for chunk in made.chunks)


@pytest.mark.parametrize("text", [":::note\n%%not%% seen\n:::", "!!! note\n    seen %%not%%", ":::n\n\n%%not%%\n\n:::"])
def test_a_comment_in_an_admonition_is_one(text: str) -> None:
    (chunk,) = laws(text, flavours="obsidian,admonitions").chunks

    assert chunk.embed_text == text.replace("%%not%%", "")


def test_a_comment_that_an_admonition_ends_in_is_none() -> None:
    text = ":::note\n\na (%%not\n\n:::\n\n# B\n\nend%%)\n"

    assert titles(text, flavours="obsidian,admonitions") == ["B"]


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
        ("A %%not%%\n===\n", ["A"]),
        ("# A\r\rB %%not%%\r===\r", ["A", "B"]),
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
        ("# A\n\n\\(a\\) and \\[ b\n=\nc \\]\n\n# B", ["A", "B"]),
        ("# A\n\n\\(a\\)\\[\nb\n=\nc\n\\]\n\n# B", ["A", "B"]),
        ("# A\n\na \\) b \\[\nc\n=\nd\n\\]\n\n# B", ["A", "B"]),
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


def test_formulas_side_by_side_are_two_that_may_be_parted() -> None:
    assert list(parse("\\(a\\)\\(b\\)", flavours="math").atoms) == [Span(0, 5), Span(5, 10)]


def test_comments_and_formulas_are_found_in_one_text() -> None:
    text = r"A $$a+b$$ and \(c\) here. %%Not said.%% The end."
    found = [text[span.start : span.end] for span in parse(text, obsidian=True).atoms]
    assert found == ["$$a+b$$", r"\(c\)", "%%Not said.%%"]
