"""What is right by CommonMark, GFM or common sense for the kinds of input that go wrong elsewhere."""

from __future__ import annotations

import re
import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from laws import graphemes, laws
from support_cases import holding, titles, trail

from headwise import Chunk, Settings
from headwise.chunking.split import Analysis


def cut(text: str, limit: int = 400, *, overlap: int | str = 0, minimum: int = 0, **options) -> Analysis:
    return laws(text, Settings(limit, minimum, overlap), **options)


def kind_at(made: Analysis, text: str) -> str:
    at = made.tree.text.index(text)
    return [b for b in made.tree.blocks if b.start <= at < b.end][-1].kind


def outline(text: str, **options) -> list[tuple[int, str]]:
    return [(s.level, s.title) for s in cut(text, **options).sections]


def own(chunk: Chunk) -> str:
    return chunk.text[chunk.own_start - chunk.start :]


# --- fences ----------------------------------------------------------------------------------------------------------


def test_tildes_and_backticks_do_not_close_each_other() -> None:
    made = cut("# A\n\n~~~\n# no\n```\n## no\n~~~\n\n## B\n\n```\n~~~\n# no\n```\n\nEnd.\n")
    assert titles(made) == ["A", "B"]
    assert trail(made, "End.") == ["A", "B"]


def test_a_fence_in_a_list_ends_with_its_item() -> None:
    items = "1. One\n\n   ```sh\n   # no heading\n   make\n   ```\n\n2. Two\n\n   ```\n   # open\n\n"
    made = cut(f"# A\n\n{items}After.\n\n## B\n\nText.\n")
    assert titles(made) == ["A", "B"]
    assert kind_at(made, "# no heading") == kind_at(made, "# open") == "code_block"
    assert kind_at(made, "After.") == "paragraph"
    assert holding(made, "1. One\n\n   ```sh\n   # no heading\n   make\n   ```")


def test_a_fence_indented_by_a_tab_or_four_spaces_is_code_and_opens_nothing() -> None:
    assert outline("# A\n\nText.\n\n\t```\n\n# B\n\nText.\n\n    ~~~\n\n# C\n") == [(1, "A"), (1, "B"), (1, "C")]


def test_a_fence_interrupts_a_paragraph_and_indented_code_does_not() -> None:
    made = cut("Words\n```\n# no\n```\n# A\n\nWords\n    # not code, not heading\n")
    assert titles(made) == ["A"]
    assert kind_at(made, "    # not code") == "paragraph"


def test_a_closing_fence_has_no_info_string() -> None:
    assert outline("```\n# no\n``` not closed\n# no\n```\n# A\n") == [(1, "A")]


def test_an_empty_fence_and_one_at_the_end_without_newline() -> None:
    assert outline("```\n```\n# A\n\n```\n# no\n```") == [(1, "A")]


def test_a_long_code_line_without_spaces_is_cut_in_order() -> None:
    line = "".join(f"v{n}=" for n in range(300))
    made = cut(f"# A\n\n```\n{line}\nshort = 1\n```\n", 40)
    assert "".join("".join(own(c).split()) for c in made.chunks) == "".join(made.tree.text.split())
    assert holding(made, "short = 1")
    assert {c.headings for c in made.chunks} == {("A",)}


# --- headings --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A\n---\n", [(2, "A")]),
        ("A\n\n---\n", []),
        ("- A\n---\n", []),
        ("> A\n---\n", []),
        ("A\n- - -\n", []),
        ("A\n***\n", []),
        ("A\n==\nB\n--\n", [(1, "A"), (2, "B")]),
        ("A\n   ---   \n", [(2, "A")]),
        ("A\n    ---\n", []),
        ("---\nA\n---\n", [(2, "A")]),
        ("\\> A\n---\n", [(2, "> A")]),
        ("`A\n---\n`\n", [(2, "`A")]),
    ],
)
def test_an_underline_is_a_heading_only_below_a_paragraph(text: str, expected) -> None:
    assert outline(text, flavours="none") == outline(text) == expected


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("# A #", "A"),
        ("# A ####   ", "A"),
        ("# A#", "A#"),
        ("# A # b", "A # b"),
        ("# A \\#", "A #"),
        ("# A\t#", "A"),
        ("#\tA", "A"),
        ("   # A", "A"),
        ("# C#", "C#"),
        ("# F# and C# #", "F# and C#"),
        ("# #", ""),
        ("#", ""),
        ("# ", ""),
        ("## ##", ""),
    ],
)
def test_closing_hashes_belong_to_no_title(line: str, title: str) -> None:
    assert titles(cut(f"{line}\n\nText.\n")) == [title]


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("# The `print` *function*", "The print function"),
        ("# [Guide](guide.md) to **Go**", "Guide to Go"),
        ("# [Guide][g]\n\n[g]: /g", "Guide"),
        ("# A &amp; B &copy;", "A & B ©"),
        ("# ~~Old~~ new", "Old new"),
        ("# `a  b`", "a b"),
        ("# <em>Hot</em> news", "Hot news"),
        ("# snake_case_name and 2*3*4", "snake_case_name and 234"),
        ("# Line<br>break", "Linebreak"),
        ("# <https://example.org>", "https://example.org"),
        ("# \\*stars\\*", "*stars*"),
        ("# 10 $ and 20 $", "10 $ and 20 $"),
    ],
)
def test_a_title_is_the_plain_text_of_its_heading(line: str, title: str) -> None:
    assert titles(cut(f"{line}\n\nText.\n")) == [title]


def test_an_image_in_a_heading_leaves_its_section_a_name() -> None:
    (section,) = cut("# ![Logo](logo.png) Product\n\nText.\n").sections
    assert "Product" in section.title
    (section,) = cut("# ![Logo](logo.png)\n\nText.\n").sections
    assert section.title in ("", "Logo")


def test_headings_in_quotes_lists_and_comments_open_no_section() -> None:
    text = (
        "# A\n\n> # quoted\n> text\n\n- # in a list\n- ## again\n\n1. item\n\n   ### in an item\n\n"
        "<!--\n# commented\n\n## still\n-->\n\n<div>\n# raw\n</div>\n\n[^1]: note\n\n    # in a note\n\n## B\n\nText.\n"
    )
    made = cut(text)
    assert titles(made) == ["A", "B"]
    assert trail(made, "Text.") == ["A", "B"]


def test_an_html_comment_within_a_paragraph_hides_no_heading_below() -> None:
    assert outline("Words <!-- open\n\n# A\n\n-->\n") == [(1, "A")]


def test_the_deepest_levels_nest_and_clear() -> None:
    text = "".join(f"{'#' * n} L{n}\n\nText {n}.\n\n" for n in (1, 2, 3, 4, 5, 6, 4, 2))
    made = cut(text)
    assert [list(c.headings) for c in made.chunks][5] == ["L1", "L2", "L3", "L4", "L5", "L6"]
    assert list(made.chunks[6].headings) == ["L1", "L2", "L3", "L4"]
    assert list(made.chunks[7].headings) == ["L1", "L2"]


@pytest.mark.parametrize("limit", [20, 30, 60])
def test_a_very_long_heading_takes_at_most_half(limit: int) -> None:
    long = " ".join(f"word{n}" for n in range(80))
    made = cut(f"# {long}\n\n## Part\n\nThe body is here.\n", limit)
    # where the end of a heading that is over the limit comes along, the trail is that of both sections
    assert holding(made, "body").headings[0] == long
    assert holding(made, "## Part\n\nThe body is here.")


def test_two_files_in_one_with_numbered_duplicates_have_distinct_anchors() -> None:
    made = cut("# A\n\nx\n\n# A-1\n\ny\n\n# A\n\nz\n\n# A\n\nw\n")
    anchors = [s.anchor for s in made.sections]
    assert len(set(anchors)) == 4


# --- front matter and rules ------------------------------------------------------------------------------------------


def test_a_block_of_properties_in_the_middle_is_text() -> None:
    made = cut("# A\n\nText.\n\n---\ntitle: no\ndraft: true\n---\n\nMore.\n")
    assert made.tree.front_matter.end == 0
    assert holding(made, "More.")
    assert made.title == "A"
    assert titles(made) == ["A", "title: no draft: true"]  # an underline, as CommonMark has it


def test_toml_front_matter() -> None:
    made = cut('+++\ntitle = "Shop"\ntags = ["a"]\n\n[extra]\nx = 1\n+++\n\n# B\n\nText.\n')
    assert (made.title, titles(made), made.tree.front_matter.tags) == ("Shop", ["B"], ("a",))


def test_front_matter_with_rules_and_hashes_inside() -> None:
    made = cut('---\ntitle: "A # b"\ntext: |\n  one\n  --- two\n# comment\n---\n\n# B\n\nText.\n\n---\n\nTail.\n')
    assert (made.title, titles(made)) == ("A # b", ["B"])
    assert trail(made, "Tail.") == ["B"]


@pytest.mark.parametrize("rule", ["---", "***", "_ _ _", "- - -", "  ---"])
def test_a_rule_of_any_form_ends_no_section_and_is_no_chunk_of_its_own(rule: str) -> None:
    made = cut(f"# A\n\nText.\n\n{rule}\n\nTail.\n")
    assert titles(made) == ["A"]
    assert trail(made, "Tail.") == ["A"]
    assert not [c for c in cut(f"# A\n\nText.\n\n{rule}\n\nTail.\n", 10).chunks if c.kinds == ("thematic_break",)]


# --- tables ----------------------------------------------------------------------------------------------------------


def rows(count: int, form: str = "| {0} | value {0} |") -> str:
    return "".join(form.format(n) + "\n" for n in range(count))


@pytest.mark.parametrize(
    ("header", "row"),
    [
        ("| a | b |\n|---|---|\n", "| {0} | value {0} |"),
        ("a | b\n--|--\n", "{0} | value {0}"),
        ("| a | b |\n| :-: | --: |\n", "| `x|y` {0} | \\| {0} |"),
        ("| a | b |\n|---|---|\n", "| only one {0}"),
        ("| a | b |\n|---|---|\n", "| {0} | value {0} | too | many |"),
        ("  | a | b |\n  |---|---|\n", "  | {0} | [x](y.md) ![z](q.png) |"),
    ],
)
def test_a_table_of_any_form_is_cut_between_rows_under_its_header(header: str, row: str) -> None:
    made = cut(f"# A\n\n{header}{rows(30, row)}\nAfter.\n", 60)
    assert [b.kind for b in made.tree.blocks].count("table") == 1
    for n in range(30):
        assert [c for c in made.chunks if row.format(n).strip() in map(str.strip, c.text.splitlines())]
    for chunk in made.chunks[1:]:
        if "table" in chunk.kinds:
            assert chunk.context == f"A\n\n{header}"
    for before, after in pairwise(made.chunks):
        assert made.tree.text[before.end : after.own_start].strip(" ") in ("\n", "\n\n")


def test_what_is_no_table_is_a_paragraph() -> None:
    assert kind_at(cut("| a | b |\n| c | d |\n"), "| a") == "paragraph"
    assert kind_at(cut("| a | b |\n|---|\n| c | d |\n"), "| a") == "paragraph"


def test_a_table_ends_at_a_blank_line_or_another_block() -> None:
    made = cut("| a |\n|---|\n| 1 |\n# B\n\n| a |\n|---|\n| 1 |\n> quote\n\nText | with a pipe.\n")
    assert titles(made) == ["B"]
    assert kind_at(made, "> quote") == "paragraph"
    assert [b.kind for b in made.tree.blocks if b.depth == 0] == [
        "table",
        "heading",
        "table",
        "block_quote",
        "paragraph",
    ]


def test_a_table_in_a_quote_or_list_keeps_its_prefixes() -> None:
    for prefix in ("> ", "  "):
        lead = "" if prefix == "> " else "- item\n\n"
        table = "".join(f"{prefix}{line}\n" for line in f"| a | b |\n|---|---|\n{rows(30)}".splitlines())
        made = cut(f"# A\n\n{lead}{table}\nAfter.\n", 60)
        for n in range(30):
            assert holding(made, f"{prefix}| {n} | value {n} |".strip())


def test_a_wide_header_gives_way_before_rows_do() -> None:
    header = "| " + " | ".join(f"Column number {n}" for n in range(30)) + " |\n|" + "---|" * 30 + "\n"
    made = cut(f"# A\n\n{header}{rows(20)}\n", 50)
    assert all("| 7 | value 7 |" in c.text for c in made.chunks if "value 7 " in c.text)


# --- lists, footnotes, html ------------------------------------------------------------------------------------------


def test_nested_lists_are_cut_between_items_with_their_indentation() -> None:
    text = "# A\n\n" + "".join(
        f"- Parent {p} with some words\n" + "".join(f"  - Child {p}.{c} says a thing\n" for c in range(4))
        for p in range(8)
    )
    made = cut(text, 50)
    for p in range(8):
        for c in range(4):
            assert holding(made, f"  - Child {p}.{c} says a thing")
    for chunk in made.chunks:
        if own(chunk).lstrip().startswith("- Child"):
            parent = own(chunk).lstrip()[8]
            assert f"- Parent {parent}" in chunk.context
            assert chunk.text.startswith("  - Child")


def test_loose_items_of_several_paragraphs_stay_whole() -> None:
    items = [f"{n}. First paragraph of {n}.\n\n   Second paragraph of {n}.\n" for n in range(1, 13)]
    made = cut("# A\n\n" + "\n".join(items), 50)
    for n in range(1, 13):
        assert holding(made, f"{n}. First paragraph of {n}.\n\n   Second paragraph of {n}.")


def test_task_lists_keep_their_boxes() -> None:
    made = cut("# A\n\n" + "".join(f"- [{'x' if n % 2 else ' '}] Task number {n} is here\n" for n in range(30)), 40)
    for n in range(30):
        assert re.search(rf"- \[.\] Task number {n} is here", holding(made, f"Task number {n} is here").text)


def test_footnotes_stay_and_open_no_section() -> None:
    made = cut("# A\n\nWords[^n] here.\n\n[^n]: The note.\n\n    More of it.\n\n## B\n\nText.\n")
    assert titles(made) == ["A", "B"]
    assert kind_at(made, "More of it.") in ("paragraph", "code_block")
    assert trail(made, "The note.") == ["A"]


def test_definition_lists_and_colons_are_text() -> None:
    made = cut("# A\n\nTerm\n: Definition one\n: Definition two\n\n::: {.column}\n# B\n:::\n\nText.\n")
    assert titles(made) == ["A", "B"]
    assert holding(made, "Term\n: Definition one\n: Definition two")


def test_script_style_and_pre_hold_hashes_and_blank_lines() -> None:
    text = (
        "# A\n\n<pre>\n# no\n\n# no\n</pre>\n\n<script>\n# no\n\n# no\n</script>\n\n<style>\n\n# no\n</style>\n\n## B\n"
    )
    assert titles(cut(text)) == ["A", "B"]


# --- mdx -------------------------------------------------------------------------------------------------------------


def test_mdx_components_and_imports_open_no_section_and_what_they_hold_does() -> None:
    text = (
        "import {Card} from './card'\nexport const meta = {\n  title: '# no',\n}\n\n# A\n\n"
        '<Card title="# no"\n  icon={<b># no</b>}\n>\n\n## Inside\n\nHello {user.name}.\n\n</Card>\n\n'
        "{/* # no\n\n# no */}\n\n{\n  items.map(i => '# no')\n}\n\n## B\n\nText.\n"
    )
    made = cut(text, document_format="mdx")
    assert titles(made) == ["A", "Inside", "B"]
    assert holding(made, "Hello {user.name}.")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<Card>\n## A\nText.\n</Card>\n", ["A"]),
        ("<Steps>\n  <Step title='a > b'>\n  ## A\n  Text.\n  </Step>\n</Steps>\n\n## B\n", ["A", "B"]),
        ("<Tab a={1 > 0}>\n```sh\n# no\n```\n</Tab>\n\n## B\n", ["B"]),
        ("<>\n\n## A\n\n</>\n", ["A"]),
        ("Words\n<br />\nmore\n\n## B <Badge />\n", ["B"]),
        ("<Tab>\n    indented\n    # no\n</Tab>\n\n## B\n", ["B"]),
        ("<Tab>\n```html\n<div>\n# no\n</div>\n```\n</Tab>\n\n## B\n", ["B"]),
        ("import A from 'a'\n# A\n", ["A"]),
        ("import {\n  A,\n\n  B,\n} from 'a'\n# A\n", ["A"]),
        ("export const x = `\n# no\n\n# no\n`\n\n# A\n", ["A"]),
        ("export const F = () => {\n  const x = 1\n\n  return (\n\n# no\n  )\n}\n\n# A\n", ["A"]),
        ("export const x = '('\n\n# A\n", ["A"]),
        ("<a href='x'>y</a> and\n\n## A\n", ["A"]),
    ],
)
def test_mdx_tags_are_lines_of_their_own_and_statements_end_with_their_brackets(text: str, expected) -> None:
    assert titles(cut(text, document_format="mdx")) == expected


def test_tags_in_a_fence_between_mdx_tags_are_code() -> None:
    fence = "```html\n<div>\n  <p>\n</div>\n```"
    made = cut(f"<Tab>\n{fence}\n</Tab>\n\n<Tab>\n- item\n\n  ```\n  <div>\n  ```\n\n</Tab>\n", document_format="mdx")
    kinds = [b.kind for b in made.tree.blocks if b.depth == 0]
    assert kinds == ["html_block", "code_block", "html_block", "html_block", "list", "html_block"]
    assert holding(made, fence)
    assert kind_at(made, "  <div>\n  ```") == "code_block"


MDX_LINES = [
    *("<Tab>\n", "</Tab>\n", "text\n", "\n", "# H\n", "- item\n", "    ind\n", "```\n", "===\n", "> q\n", "`\n"),
    *("import a\n", "export const x = {\n", "}\n", "<br/>\r\n", "é<b>\n", "{/*\n", "*/}\n", "<Foo\n a='>'\n", "/>\n"),
    *("$$\n", ":::note\n", ":::\n", "!!! note\n", "| a |\n|---|\n| 1 |\n", "%%\n", "^id\n", "[x]: /y\n"),
]


@given(st.lists(st.sampled_from(MDX_LINES), max_size=14).map("".join), st.sampled_from([1, 5, 20, 100]))
def test_laws_hold_on_any_mix_of_flavours(text: str, limit: int) -> None:
    cut(text, limit, document_format="mdx")
    cut(text, limit, flavours="math,obsidian,mdx,admonitions")


# --- vaults ----------------------------------------------------------------------------------------------------------

VAULT = {"flavours": "math,obsidian"}


def test_wikilinks_in_tables_keep_their_alias_and_cell() -> None:
    made = cut("# A\n\n| n | link |\n|---|---|\n| 1 | [[Note\\|alias]] |\n| 2 | ![[pic.png\\|100]] |\n", **VAULT)
    assert [b.kind for b in made.tree.blocks].count("table_row") == 3
    assert made.chunks[0].links == ("Note", "pic.png")


def test_tags_are_words_not_numbers_colours_or_code() -> None:
    line = "#tag, (#in/side) #y1984 #1984 a#b `#code` https://x.org/#frag #été"
    assert cut(f"# A\n\n{line}\n\n    #indented\n\n```\n#fenced\n```\n", **VAULT).chunks[0].tags == (
        "tag",
        "in/side",
        "y1984",
        "été",
    )


def test_comment_signs_in_code_and_on_one_line_open_nothing() -> None:
    text = "# A\n\n```\n%%\n```\n\n# B\n\n%% aside %%\n\n# C\n\n50 %% of\n\n# D\n\n%%\n# no\n%%\n\n# E\n"
    assert titles(cut(text, **VAULT)) == ["A", "B", "C", "D", "E"]


def test_a_callout_holds_its_headings_lists_and_folds() -> None:
    text = "# A\n\n> [!note]+ Title\n> # no\n> - item\n> > [!tip]\n> > ## no\n\n## B\n\nText.\n"
    made = cut(text, **VAULT)
    assert titles(made) == ["A", "B"]
    assert holding(made, "> > ## no")


def test_math_on_one_line_or_in_code_opens_nothing() -> None:
    text = "# A\n\n$$ x = 1 $$\n\n## B\n\n```\n$$\n```\n\n## C\n\nCosts $$ here.\n\n## D\n\n$$\na\n---\nb\n$$\n\n## E\n"
    assert titles(cut(text)) == ["A", "B", "C", "D", "E"]


# --- admonitions and templates ---------------------------------------------------------------------------------------


def test_docusaurus_admonitions_hold_their_headings_and_close() -> None:
    text = "# A\n\n:::note Careful\n\n## no section\n\nInside.\n\n:::\n\n## B\n\nText.\n"
    made = cut(text)
    assert titles(made) == ["A", "B"]
    assert trail(made, "Inside.") == ["A"]
    assert trail(made, "Text.") == ["A", "B"]


def test_template_tags_are_text() -> None:
    text = "# A {{ page.title }}\n\n{% if x %}\n\n## B\n\n{{< figure src='#no' >}}\n\n{% endif %}\n\n<% tp.date %>\n"
    made = cut(text)
    assert titles(made) == ["A {{ page.title }}", "B"]
    assert holding(made, "{{< figure src='#no' >}}")


# --- blocks that meet without a blank line ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Words\n# A\n", ["A"]),
        ("- item\n# A\n", ["A"]),
        ("1. item\n   # no\n# A\n", ["A"]),
        ("> quote\n# A\n", ["A"]),
        ("> quote\nlazy\n# A\n", ["A"]),
        ("<div>\n# no\n\n# A\n", ["A"]),
        ("| a |\n|---|\n# A\n", ["A"]),
        ("[x]: /y\n# A\n", ["A"]),
        ("# A\n# B\n## C\nText\n", ["A", "B", "C"]),
        ("Words\n2. no list\n# A\n", ["A"]),
        ("\ufeff# A\r\n## B\r\n", ["A", "B"]),
        ("# A", ["A"]),
        ("\\# no\n\\## no\n# A\n", ["A"]),
        ("#\u00a0no\n\n#\u3000no\n\n＃ no\n\n# A\n", ["A"]),
        ("\u00a0# no\n\n\u200b# no\n\n# A\n", ["A"]),
        ("# A\\\n# B\n", ["A\\", "B"]),
        ("![a\n# B\n](x.png)\n", ["B"]),
        ("<a\n# B\n>\n", ["B"]),
    ],
)
def test_a_heading_needs_no_blank_line_and_nothing_else_is_one(text: str, expected: list[str]) -> None:
    assert titles(cut(text)) == expected


# --- scripts ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("本日は晴天なり。明日は雨でしょう！本当ですか？はい、そうです。" * 8, "。！？"),
        ("هذا نص عربي قصير. هل تقرأ هذا؟ نعم، أقرأه الآن. " * 8, ".؟"),
        ("यह एक वाक्य है। यह दूसरा है। " * 10, "।"),
        ("Das z. B. ist ein Satz. Dr. Meier kam um 3 Uhr. Gut so! " * 8, ".!"),
        ("Это предложение. Вот другое, т. е. второе! А это третье? " * 8, ".!?"),
        ("이것은 문장입니다. 저것도 문장입니다. 정말 그렇습니까? " * 8, ".?"),
    ],
)
def test_prose_of_any_script_is_cut_at_sentences(text: str, ends: str) -> None:
    made = cut(f"# 1\n\n{text.strip()}\n", 60)
    assert len(made.chunks) > 2
    assert all(chunk.text[-1] in ends for chunk in made.chunks)


def test_thai_is_cut_between_clusters_and_at_spaces_where_there_are_some() -> None:
    phrase = "ภาษาไทยไม่มีช่องว่างระหว่างคำ แต่มีระหว่างประโยค "
    made = cut(f"# ก\n\n{phrase * 8}\n", 80)
    graphemes(made.tree.text, made)
    for before, after in pairwise(made.chunks):
        assert made.tree.text[before.end : after.own_start].isspace()
    long = cut(f"# ก\n\n{'ภาษาไทยไม่มีช่องว่างระหว่างคำ' * 20}\n", 60)
    graphemes(long.tree.text, long)


def test_arabic_marks_and_directions_are_kept() -> None:
    text = "# العنوان\n\n\u202bكَتَبَ الطَّالِبُ\u202c \u200fwith English\u200e words.\n"
    made = cut(text)
    assert trail(made, "كَتَبَ") == ["العنوان"]
    assert holding(made, "\u202bكَتَبَ الطَّالِبُ\u202c \u200fwith English\u200e words.")
    assert made.sections[0].anchor == "العنوان"


@pytest.mark.parametrize(
    "run", ["a" * 20_000, "=" * 9_999, "аб" * 5_000, "漢" * 5_000, "https://x.org/" + "a%20" * 3_000]
)
def test_one_endless_word_is_cut_in_order_and_quickly(run: str) -> None:
    begun = time.perf_counter()
    made = cut(f"# A\n\nBefore.\n\n{run}\n\nAfter.\n", 64)
    assert time.perf_counter() - begun < 3
    assert "".join("".join(own(c).split()) for c in made.chunks) == "".join(made.tree.text.split())
    assert holding(made, "Before.")
    assert holding(made, "After.")


# --- overlap ---------------------------------------------------------------------------------------------------------

PROSE = " ".join(f"Sentence number {n} has these seven words." for n in range(40))


@pytest.mark.parametrize("overlap", ["1s", "2s", 12, "25%"])
def test_overlap_is_whole_sentences_of_the_chunk_before(overlap: int | str) -> None:
    made = cut(f"# A\n\n{PROSE}\n", 80, overlap=overlap)
    repeated = [c.text[: c.own_start - c.start].strip() for c in made.chunks[1:]]
    assert all(repeated)
    wanted = {"1s": 1, "2s": 2}.get(str(overlap))
    for words in repeated:
        assert re.fullmatch(r"(Sentence number \d+ has these seven words\. ?)+", words), words
        assert wanted is None or words.count("Sentence") == wanted


def test_overlap_never_crosses_a_heading() -> None:
    made = cut(f"# A\n\n{PROSE}\n\n# B\n\n{PROSE}\n", 80, overlap="1s")
    for chunk in made.chunks:
        if chunk.number == 0:
            assert chunk.start == chunk.own_start
        assert not ("# B" in chunk.text and chunk.headings == ("A",))
