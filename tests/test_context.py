"""What is put around parts so that each stands alone: golden examples, and another parser's word that they do."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from laws import laws
from markdown_it.token import Token
from support_oracle import ORACLE

from headwise import Chunk, Settings, analyse, split
from headwise.chunking.context import surround
from headwise.reading.parse import parse


def cut(text: str, limit: int, **options) -> list[str]:
    """The chunks with `⟦` and `⟧` between text and what surrounds it."""
    chunks = split(text, max_tokens=limit, min_tokens=0, **options)
    return [f"{chunk.context}⟦{chunk.text}⟧{chunk.context_after}" for chunk in chunks]


def parsed(chunk: Chunk) -> list[Token]:
    return ORACLE.parse(chunk.embed_text)


def test_a_cut_table_repeats_its_header_and_delimiter_rows() -> None:
    table = "| Part | Count |\n|:--|--:|\n" + "".join(f"| part number {i} | {i} |\n" for i in range(6))

    assert cut(f"# Parts\n\nAll parts:\n\n{table}\nDone.\n", 46) == [
        (
            "⟦# Parts\n\nAll parts:\n\n| Part | Count |\n|:--|--:|\n| part number 0 | 0 |\n| part number 1 | 1 |\n"
            "| part number 2 | 2 |⟧"
        ),
        (
            "Parts\n\n| Part | Count |\n|:--|--:|\n⟦| part number 3 | 3 |\n| part number 4 | 4 |\n"
            "| part number 5 | 5 |\n\nDone.⟧"
        ),
    ]


@pytest.mark.parametrize("fence", ["```", "~~~", "`````"])
@pytest.mark.parametrize(
    ("first", "prefix"),
    [("", ""), ("- ", "  "), ("> ", "> "), ("3. ", "   "), ("> - ", ">   "), (" ", "")],
)
def test_a_cut_fence_is_opened_and_closed_as_it_stands(fence: str, first: str, prefix: str) -> None:
    lines = [f"{prefix}value_{i} = compute({i})" for i in range(8)]
    text = "\n".join((f'{first}{fence}python title="a.py"', *lines, f"{prefix}{fence}"))
    parts = split(text + "\n", max_tokens=45, min_tokens=0)

    assert len(parts) > 1
    at_line = first.replace("-", " ").replace("3.", "  ")
    for part in parts[1:]:
        assert part.context == f'{at_line}{fence}python title="a.py"\n'
    for part in parts[:-1]:
        assert part.context_after == f"\n{at_line}{fence}"
    assert not parts[0].context
    assert not parts[-1].context_after


def test_a_fence_that_the_document_never_closes_is_closed_where_it_is_cut_only() -> None:
    parts = split("```\n" + "".join(f"value_{i} = compute({i})\n" for i in range(9)), max_tokens=30)

    assert [part.context_after for part in parts[:-1]] == ["\n```"] * (len(parts) - 1)
    assert len(parts) > 1


@given(
    st.lists(st.sampled_from(["x = 1", "", "    y", "# no heading", "``` no", "~~~", "中文"]), min_size=1, max_size=30),
    st.sampled_from(["```", "~~~~", "``````"]),
    st.integers(24, 60),
)
def test_every_part_of_a_fence_is_one_fence_to_another_parser(lines: list[str], fence: str, limit: int) -> None:
    lines = [line for line in lines if not line.startswith(fence[:3])] or ["x"]
    document = "\n".join((f"{fence}py", *lines, fence))
    held: list[str] = []
    for part in split(document, max_tokens=limit, min_tokens=0):
        (only,) = parsed(part)
        assert (only.type, only.info, only.markup) == ("fence", "py", fence)
        held += only.content.split("\n")[:-1]
    # blank lines at a cut belong to no chunk
    assert [line for line in held if line] == [line for line in lines if line]


@given(
    st.lists(st.tuples(*[st.sampled_from(["a", "two words", "`x`", "", "中文", "\\|"])] * 2), min_size=1, max_size=20),
    st.sampled_from(["|A|B|\n|-|-|\n", "A | B\n:-- | --:\n", "  | A | B |\n  |---|---|\n"]),
    st.integers(30, 60),
)
def test_every_part_of_a_table_is_one_table_to_another_parser(rows, head: str, limit: int) -> None:
    document = head + "".join(f"| {a} | {b} |\n" for a, b in rows)
    bodies = 0
    for part in split(document, max_tokens=limit, min_tokens=0):
        tokens = parsed(part)
        assert (tokens[0].type, tokens[-1].type) == ("table_open", "table_close")
        assert sum(token.type == "table_open" for token in tokens) == 1
        assert [t.content for t in tokens if t.type == "inline"][:2] == ["A", "B"]
        bodies += sum(token.type == "tr_open" for token in tokens) - 1
    assert bodies == len(rows)


def test_a_cut_list_keeps_its_lead_in_and_its_numbers() -> None:
    steps = "".join(f"{i}. Do the thing number {i} now.\n" for i in range(1, 7))

    assert cut(f"# L\n\nThere is more. These steps\nare needed:\n\n{steps}", 48) == [
        (
            "⟦# L\n\nThere is more. These steps\nare needed:\n\n1. Do the thing number 1 now.\n"
            "2. Do the thing number 2 now.⟧"
        ),
        (
            "L\n\nare needed:\n\n⟦3. Do the thing number 3 now.\n4. Do the thing number 4 now.\n"
            "5. Do the thing number 5 now.\n"
            "6. Do the thing number 6 now.⟧"
        ),
    ]


@pytest.mark.parametrize(
    ("before", "introduces"),
    [
        ("As follows:", True),
        ("如下：", True),
        ("**Steps:**", True),
        ("*Steps:*", True),
        ("*Note*: ", True),
        ("Steps: do", False),
        ("Steps: a", False),
        ("", False),
    ],
)
def test_a_lead_in_is_a_line_that_ends_in_a_colon(before: str, introduces: bool) -> None:
    steps = "".join(f"- Do the thing number {i} now.\n" for i in range(1, 12))
    last = split(f"{before}\n\n{steps}", max_tokens=40)[-1]

    assert last.context == (f"{before.strip()}\n\n" if introduces else "")


def test_nested_items_keep_the_first_lines_of_their_parents() -> None:
    children = "".join(f"    - The child number {i} is here.\n" for i in range(1, 7))

    assert cut(f"- Top\n  more of it\n  - Under\n{children}", 48)[1] == (
        "- Top\n  - Under\n⟦    - The child number 3 is here.\n    - The child number 4 is here.\n"
        "    - The child number 5 is here.\n"
        "    - The child number 6 is here.⟧"
    )


def test_a_cut_callout_keeps_its_title() -> None:
    body = "".join(f"> The plate number {i} is hot.\n>\n" for i in range(1, 7))

    parts = cut(f"> [!warning]- Hot surface\n{body}", 50)
    assert parts[1].startswith("> [!warning]- Hot surface\n⟦> The plate number 4 is hot.\n")
    assert "[!" not in "".join(cut(body, 50))


@pytest.mark.parametrize(
    ("title", "headings", "crumbs"),
    [
        ("SMARS", ["# SMARS", "## Motor wiring"], "SMARS > Motor wiring"),
        ("smars ", ["# SMARS", "## Motor wiring"], "smars  > Motor wiring"),
        (" smars", ["# SMARS", "## Motor wiring"], " smars > Motor wiring"),
        ("Guide", ["# SMARS", "## Motor wiring"], "Guide > SMARS > Motor wiring"),
        ("", ["# SMARS", "## Motor wiring"], "SMARS > Motor wiring"),
        ("SMARS", ["## SMARS", "#### SMARS", "##### Wiring"], "SMARS > Wiring"),
        ("T", ["# One", "#### Four", "## Two"], "T > One > Two"),
        ("T", ["# A", "##", "### C"], "T > A > C"),
        ("T", ["# A `code` *b*", "## [C](d)"], "T > A code b > C"),
    ],
)
def test_the_breadcrumb_says_nothing_twice_and_leaves_no_gap(title: str, headings: list[str], crumbs: str) -> None:
    words = "One more sentence about it. " * 12
    text = "\n\n".join(f"{heading}\n\n{words}" for heading in headings)
    last = split(text, title=title, max_tokens=60, min_tokens=0)[-1]

    assert last.context == f"{crumbs}\n\n"


def test_what_a_chunk_begins_with_is_not_said_again() -> None:
    text = "# SMARS\n\nA robot of plastic.\n\n## Motors\n\n### Wiring\n\nRed goes to plus.\n"

    assert cut(text, 100, title="SMARS") == [
        "⟦# SMARS\n\nA robot of plastic.⟧",
        "SMARS\n\n⟦## Motors\n\n### Wiring\n\nRed goes to plus.⟧",
    ]
    assert cut("# Robots\n\nText.\n\n## Motors\n\nText.\n\n### motors\n\nMore.\n", 100, title="SMARS") == [
        "SMARS\n\n⟦# Robots\n\nText.⟧",
        "SMARS > Robots\n\n⟦## Motors\n\nText.⟧",
        "SMARS > Robots\n\n⟦### motors\n\nMore.⟧",
    ]


DEEP = (
    "# Title\n\nText.\n\n## Alpha\n\nText.\n\n### Beta\n\nText.\n\n#### Gamma\n\nDo these:\n\n- Parent line:\n\n"
    "  ```python\n" + "".join(f"  value_{i} = {i}\n" for i in range(60)) + "  ```\n"
)


def test_context_gives_way_in_its_order_as_the_limit_shrinks() -> None:
    shapes: list[tuple[bool, bool, bool, bool, str]] = []
    for limit in range(110, 3, -1):
        inside = [c for c in split(DEEP, max_tokens=limit, min_tokens=0) if "value_" in c.text[:10]][:-1]
        for chunk in inside:
            parent, lead_in = "Parent line:" in chunk.context, "Do these:" in chunk.context
            closing, header = bool(chunk.context_after), "```python" in chunk.context
            crumbs = chunk.context.partition("\n\n")[0] if "\n\n" in chunk.context else ""

            # whatever is there, all that gives way later is there too
            assert not parent or lead_in
            assert not lead_in or closing
            assert not closing or header
            assert not header or crumbs == "Title > Alpha > Beta > Gamma"
            shapes.append((parent, lead_in, closing, header, crumbs))
    assert list(dict.fromkeys(shapes)) == [
        (True, True, True, True, "Title > Alpha > Beta > Gamma"),
        (False, True, True, True, "Title > Alpha > Beta > Gamma"),
        (False, False, True, True, "Title > Alpha > Beta > Gamma"),
        (False, False, False, True, "Title > Alpha > Beta > Gamma"),
        (False, False, False, False, "Title > Alpha > Beta > Gamma"),
        (False, False, False, False, "Title > Alpha > Gamma"),
        (False, False, False, False, "Title > Gamma"),
        (False, False, False, False, "Gamma"),
    ]


@pytest.mark.parametrize("tokenizer", ["cl100k_base", "chars", "words"])
@pytest.mark.parametrize("limit", [3, 10, 40, 90])
def test_context_takes_at_most_half(limit: int, tokenizer: str) -> None:
    from headwise.chunking.measure import find_measure

    count = find_measure(tokenizer).count
    for chunk in split(DEEP, max_tokens=limit, tokenizer=tokenizer):
        assert count(chunk.context) + count(chunk.context_after) <= limit // 2


def test_a_part_of_one_letter_has_its_context_if_both_fit() -> None:
    chunks = split("# A\n\nx y z\n", max_tokens=2, tokenizer="words")

    assert [chunk.embed_text for chunk in chunks][-3:] == ["A\n\nx", "A\n\ny", "A\n\nz"]


def test_context_has_newlines_of_one_kind() -> None:
    for part in split(DEEP.replace("\n", "\r\n"), max_tokens=60)[1:]:
        assert "\r" not in part.context + part.context_after
        assert "\r" not in part.embed_text


SENTENCES = st.lists(
    st.sampled_from(
        [
            "One has a few words in it.",
            "Two, too, goes on for a bit!",
            "Is three here?",
            "`x` is *four* **words** here.",
        ]
    ),
    min_size=2,
    max_size=9,
)


@given(
    st.lists(SENTENCES, min_size=1, max_size=4),
    st.sampled_from(["> ", "> > ", ">> ", "> - ", "> 7. "]),
    st.integers(18, 40),
)
def test_every_part_of_a_quote_is_a_quote_to_another_parser(paragraphs: list[list[str]], head: str, limit: int) -> None:
    rest = head.replace("-", " ").replace("7.", "  ")
    document = head + f"\n{rest.rstrip()}\n{rest}".join(" ".join(sentences) for sentences in paragraphs)
    for part in split(document, max_tokens=limit, min_tokens=0):
        tokens = parsed(part)
        assert (tokens[0].type, tokens[-1].type) == ("blockquote_open", "blockquote_close"), part.embed_text
        assert sum(token.type == "blockquote_open" for token in tokens) == head.count(">")


@pytest.mark.parametrize("head", ["- ", "3. ", "12) ", "* [x] ", "> - ", "  - "])
def test_a_part_of_an_item_that_begins_within_its_line_has_the_item_s_marker(head: str) -> None:
    text = head + "It goes on and on for a while. " * 8
    first, *later = split(f"{text}\n", max_tokens=30, min_tokens=0)

    assert first.text.startswith(head)
    assert later
    assert {part.context for part in later} == {head}


def test_what_looks_like_a_marker_in_a_paragraph_is_text() -> None:
    text = "> It was in the year of\n> 1986. A good year it was for wine, and for many more things that we do like. So?"

    assert [part.context for part in split(text, max_tokens=24, min_tokens=0)] == ["", "> "]


@given(st.lists(SENTENCES, min_size=1, max_size=4), st.sampled_from(["", "- ", "> ", "1. "]), st.integers(24, 40))
def test_every_part_of_a_footnote_is_that_footnote(paragraphs: list[list[str]], head: str, limit: int) -> None:
    document = "[^a-1]: Text.\n\n" + "\n\n".join(f"    {head}{' '.join(sentences)}" for sentences in paragraphs)
    for part in split(f"{document}\n", max_tokens=limit, min_tokens=0):
        assert "[^a-1]:" in part.embed_text
        (only,) = [block for block in parse(part.embed_text).blocks if block.depth == 0]
        assert only.kind == "footnote", part.embed_text


@given(
    st.lists(st.sampled_from([r"a = b \\", "=", "# c", r"\frac{a}{b}", "- d", "e & f"]), min_size=1, max_size=30),
    st.sampled_from([("$$\n", "\n$$"), ("\\[\n", "\n\\]"), ("$$ a\n", "\nb $$"), ("\\[ a=b\n", " \\]")]),
    st.integers(24, 40),
)
def test_every_part_of_a_formula_is_a_formula(lines: list[str], signs: tuple[str, str], limit: int) -> None:
    document = "\n".join(lines).join(signs)
    for part in split(f"{document}\n", max_tokens=limit, min_tokens=0):
        assert [block.kind for block in parse(part.embed_text).blocks] == ["math_block"], part.embed_text


@pytest.mark.parametrize(
    "opening", ['!!! note "Careful"', "??? tip", '=== "Shell"', ":::note Careful", "/// tip | Careful"]
)
def test_a_cut_admonition_keeps_its_title(opening: str) -> None:
    indent, end = ("", "\n" + opening[:3]) if opening[0] in ":/" else ("    ", "")
    body = "\n".join(f"{indent}The plate number {i} is hot.\n" for i in range(1, 9))
    parts = split(f"{opening}\n\n{body}{end}\n", max_tokens=40, min_tokens=0)

    assert len(parts) > 1
    assert all(opening in part.embed_text for part in parts)


def test_what_goes_on_after_a_tag_in_a_footnote_has_no_label() -> None:
    text = "[^1]: It is\n</div><A>\nThe rest of it that goes on for a while, and on.\n"
    parts = laws(text, Settings(12, 0), flavours="mdx").chunks

    assert parts[-1].text.endswith("and on.")
    assert not parts[-1].text.startswith("The rest")
    assert not parts[-1].context


BODY = "One has a few words in it. Two, too, goes on for a bit! Is three here? Four is all."
ITEMS = "".join(f"- Item number {i} is here.\n" for i in range(6))
CODE = "".join(f"c_{i} = {i}\n" for i in range(8))
ROWS = "".join(f"    | a{i} b c | {i} |\n" for i in range(4))
ROW = "| one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen | 1 |\n"
LONG = "x" * 130


@pytest.mark.parametrize(
    ("text", "limit", "contexts"),
    [
        (f"[^5]: {BODY}\n", 24, ["", "[^5]: "]),
        (f"* [^8]: {BODY}\n", 22, ["", "* [^8]: ", "* [^8]: "]),
        (f"[^5]: Text.\n\n    - {BODY}\n", 22, ["", "[^5]:\n    - ", "[^5]:\n    - "]),
        (
            f"[^7]: | A | B |\n    |--|--|\n{ROWS}",
            26,
            ["", "[^7]: | A | B |\n    |--|--|\n", "[^7]: | A | B |\n    |--|--|\n", "[^7]: | A | B |\n    |--|--|\n"],
        ),
        (f"[^2]: | A | B |\n    |--|--|\n    {ROW}", 26, ["", "[^2]: | A | B |\n    |--|--|\n"]),
        (f"- > Quoted.\n\n  Short.\n  {BODY}\n", 22, ["", "- > Quoted.\n  ", "- > Quoted.\n  "]),
        (f"- Item.\n\n  {BODY}\n", 22, ["", "- Item.\n  "]),
        (f"> - Item.\n>\n>   {BODY}\n", 24, ["", "> - Item.\n>   "]),
        (f"1. Item.\n   > {BODY}\n", 24, ["", "1. Item.\n   > "]),
        (f"- Item.\n\n      code = {BODY}\n", 18, ["", "- Item.\n"]),
        (f"1. Item.\n   | A | B |\n   |--|--|\n   {ROW}", 26, ["", "   | A | B |\n   |--|--|\n"]),
        (f'!!! note "Xa"\n\n    {BODY}\n', 24, ["", '!!! note "Xa"\n    ', '!!! note "Xa"\n    ']),
        (f">>> It was \n> 1. {BODY}", 24, ["", "> 1. "]),
        (f"> Steps follow:\n\n{ITEMS}", 26, ["", "", ""]),
        (f"Xylem goes here:\n\n{ITEMS}", 26, ["", "Xylem goes here:\n\n", "Xylem goes here:\n\n"]),
        (f"***\n...\n\n{ITEMS}", 26, ["", ""]),
        (f"- ```\n  > {BODY}\n  ```\n", 26, ["", "  ```\n"]),
        (f"> ```\n> > {BODY}\n> ```\n", 26, ["", "> ```\n> "]),
        (f"- ```\n  - {BODY}\n  ```\n", 26, ["", "  ```\n"]),
        (f"- One.\n- # - {BODY}\n", 22, ["", "- "]),
    ],
)
def test_each_part_has_the_signs_of_the_line_it_begins_in(text: str, limit: int, contexts: list[str]) -> None:
    assert [part.context for part in split(text, max_tokens=limit, min_tokens=0)] == contexts


@pytest.mark.parametrize(
    ("text", "limit", "contexts"),
    [
        (f"- {LONG}\n  Short.\n  {BODY}\n", 22, ["", ""]),
        (f"> {LONG}\n> {BODY}\n", 24, ["", "> "]),
        (f"> {BODY}\n> {LONG}\n", 24, ["", "> "]),
        (f"> [!note] {LONG}\n> {BODY}\n>\n> {BODY}", 24, ["", "> ", "> "]),
        (f"    | A | {LONG} |\n    |--|--|\n{ROWS * 5}".replace("    ", ""), 120, ["", ""]),
        (f"```py {LONG}\n{CODE * 5}```\n", 120, ["", "", ""]),
        (f"```py\n{LONG}\n{CODE}```\n", 30, ["", "```py\n", "```py\n", "```py\n"]),
        (f"[^5]: {LONG}\n\n    - {BODY}\n", 24, ["", "    - "]),
        (f"{LONG}:\n\n{ITEMS * 4}", 120, ["", ""]),
    ],
)
def test_a_line_that_is_left_out_is_in_no_context(text: str, limit: int, contexts: list[str]) -> None:
    parts = split(text, max_tokens=limit, min_tokens=0, max_line=120)

    assert [part.context for part in parts] == contexts
    assert not any("xxx" in part.embed_text for part in parts)


def test_the_rest_of_a_footnote_after_a_tag_has_no_label_at_its_second_line() -> None:
    text = "[^1]: It is\n</div><A>\nThe rest of it that goes on for a while.\nAnd it goes on and on.\n"

    assert [part.context for part in split(text, max_tokens=12, flavours="mdx")] == ["", "", ""]


def test_a_fence_is_closed_where_it_is_cut_after_its_first_line_and_not_after_a_paragraph() -> None:
    assert [c.context_after for c in split("```py title one two three four five six\nv = 1\n", max_tokens=12)] == [
        "\n```",
        "",
    ]
    assert cut(f"Xylem goes on and on, and then on.\n```\n{CODE[:16]}```\n", 20)[0] == (
        "⟦Xylem goes on and on, and then on.⟧"
    )
    assert cut("```\nv_0 = f(0)\n\n", 24) == ["⟦```\nv_0 = f(0)⟧"]
    assert cut(f"```\n{CODE}", 20)[1].startswith("```\n⟦c")


def test_a_breadcrumb_may_fill_its_half_to_the_last_word() -> None:
    assert cut("One two three four. Five.\n", 10, tokenizer="words", title="A b c d e") == [
        "A b c d e\n\n⟦One two three four. Five.⟧"
    ]


@pytest.mark.parametrize(
    ("text", "least", "headings"),
    [
        ("# A\n\n## B", 0, ("A",)),
        ("# B", 0, ("B",)),
        ("# A\n\n##\n\n### B\n\nText.", 0, ("A", "B")),
        ("# B\n\nText.", 0, ("B",)),
        ("# A\n\nText.\n\n# B\n\nText.\n", 50, ()),
    ],
)
def test_the_trail_is_what_holds_the_whole_body(text: str, least: int, headings: tuple[str, ...]) -> None:
    assert [part.headings for part in split(text, min_tokens=least)] == [headings]


def test_a_heading_without_its_text_is_its_own_trail() -> None:
    text = "## Beta\n\n```\nv_0 = f(0)\nv_1 = f(1)\nv_2 = f(2)\n"
    first = split(text, max_tokens=16, min_tokens=0, title="A Title")[0]

    assert (first.text, first.headings) == ("## Beta", ("Beta",))


def test_what_is_left_of_a_cut_heading_says_no_more_than_its_section() -> None:
    text = "# One two three four five six seven eight nine ten\n\nText.\n"
    parts = split(text, max_tokens=8, tokenizer="words", title="T")

    assert [part.context for part in parts] == ["T\n\n", ""]


@pytest.mark.parametrize(
    ("title", "heading", "context"),
    [("beta", "Beta", ""), ("beta a", "Beta  a", ""), ("Other", "Beta", "Other\n\n")],
)
@pytest.mark.parametrize("levels", ["1-6", "2-6"])
def test_a_title_that_the_heading_repeats_is_not_said(title: str, heading: str, context: str, levels: str) -> None:
    assert split(f"# {heading}\n\nText.\n", max_tokens=24, title=title, levels=levels)[0].context == context


def test_a_long_title_is_another_than_the_heading() -> None:
    title = "Beta " * 200
    assert split("# Beta\n\nText.\n", title=title, tokenizer="words")[0].context == f"{title}\n\n"


def around(text: str, at: str, room: int = 1000) -> tuple[str, str]:
    """What surrounds the rest of *text* from *at* on, in so many characters."""
    layout = analyse(text).layout
    return tuple(surround(layout, text.index(at), len(text.rstrip()), room, len))


def test_code_is_closed_for_what_begins_in_it_and_not_for_what_stands_below_it() -> None:
    assert around("```\naaaa bbbb\ncccc dddd\n", "aaaa") == ("```\n", "\n```")
    assert around("> ```\n> code\n\nx\n", "x") == ("", "")


def test_code_in_a_footnote_is_opened_again() -> None:
    before, _ = around("[^1]: Note.\n\n    ```py\n    a = 1\n    b = 2\n    ```\n\nText[^1].\n", "b = 2")
    assert "```py\n" in before
    assert "[^1]: " in before


@pytest.mark.parametrize(
    ("room", "before"),
    [(100, "Steps:\n\n- the first line of it\n  "), (25, "Steps:\n\n  "), (10, "Steps:\n\n  "), (9, "")],
)
def test_indentation_stays_as_long_as_anything_that_it_stands_below(room: int, before: str) -> None:
    text = "Steps:\n\n- the first line of it\n\n  one two three. Four five six.\n"
    assert around(text, "Four", room) == (before, "")


@pytest.mark.parametrize(
    ("text", "before"),
    [
        ("- > a b c\n", "- > "),
        ("> - - > x y z\n", "> - - > "),
        ("-     - x y z\n", "- "),
        (">     - x y z\n", "> "),
        (">     > x y z\n", "> "),
    ],
)
def test_what_looks_like_a_sign_in_indented_code_is_none(text: str, before: str) -> None:
    assert around(text, text.split()[-2]) == (before, "")
