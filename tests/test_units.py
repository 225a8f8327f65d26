"""What stays whole: blocks that fit, and what belongs together."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from laws import laws

from headwise import Settings, analyse, split
from headwise.chunking.boundaries import Boundary
from headwise.chunking.context import surround
from headwise.chunking.measure import find_measure
from headwise.chunking.units import make_units, prepare

SENTENCE = st.sampled_from(
    ["It takes four pins.", "Red goes to plus, and black to minus.", "図書館は月曜に休みです。", "See `a. b` too."]
)
PARAGRAPH = st.lists(SENTENCE, min_size=1, max_size=8).map(" ".join)
ROWS = st.integers(1, 8)
WHOLE = st.one_of(
    ROWS.map(lambda n: "```py\n" + "".join(f"x{i} = f({i})\n" for i in range(n)) + "```"),
    ROWS.map(lambda n: "~~~\n" + "a\n\n" * n + "~~~"),
    ROWS.map(lambda n: "\n".join(f"    x{i} = f({i})" for i in range(n))),
    ROWS.map(lambda n: "| a | b |\n|---|---|\n" + "\n".join(f"| x | {i} |" for i in range(n))),
    ROWS.map(lambda n: "\n".join(f"- item {i}" for i in range(n))),
    ROWS.map(lambda n: "\n".join(f"{i + 1}. item\n   - under" for i in range(n))),
    ROWS.map(lambda n: "\n>\n".join(f"> Quoted {i}." for i in range(n))),
    ROWS.map(lambda n: "$$\n" + "a = b\n" * n + "$$"),
    ROWS.map(lambda n: "<div>\n" + "<b>x</b>\n" * n + "</div>"),
)
DOCUMENT = st.lists(PARAGRAPH | WHOLE | st.just("## Part"), min_size=1, max_size=10)


@given(DOCUMENT, st.integers(30, 120), st.sampled_from([0, "20%", "1s"]))
def test_blocks_that_fit_are_never_cut(parts: list[str], limit: int, overlap: int | str) -> None:
    text = "\n\n".join(parts) + "\n"
    made = analyse(text, settings=Settings(limit, 0, overlap), title="Title")
    count = find_measure("cl100k_base").count
    edges = {edge for chunk in made.chunks for edge in (chunk.own_start, chunk.end)}
    for block in made.tree.blocks:
        if block.depth or block.kind not in ("code_block", "table", "list", "block_quote", "math_block", "html_block"):
            continue
        body = text[block.start : block.end].rstrip()
        # with the longest breadcrumb, and room for an overlap of another part
        if count("Title > Part\n\n" + body) <= limit // (2 if overlap else 1):
            assert not [e for e in edges if block.start < e < block.start + len(body)], body


@given(DOCUMENT, st.integers(1, 60), st.sampled_from(["cl100k_base", "chars", "words"]))
def test_units_tile_the_span_and_none_is_over_the_limit(parts: list[str], limit: int, tokenizer: str) -> None:
    text = "\n\n".join(parts) + "\n"
    settings = Settings(limit, 0, tokenizer=tokenizer)
    job = prepare(analyse(text, settings=settings).layout, settings)
    units = make_units(job, 0, len(text), limit, with_context=False)

    starts = [unit.start for unit in units]
    assert starts[0] == 0
    assert starts == sorted(set(starts))
    for unit, until in zip(units, [*starts[1:], len(text)], strict=True):
        assert unit.size <= limit or len(text[unit.start : until].strip()) <= 1


@pytest.mark.parametrize(
    "text",
    [
        "Some words.",
        "# Head\n\nSome words.",
        "```\nx = 1\ny = 2\n```",
        "- one\n- two",
        "| a | b |\n|---|---|\n| x | y |",
    ],
)
def test_what_just_fits_is_one_unit_and_what_does_not_is_more(text: str) -> None:
    settings = Settings(100, 0, tokenizer="chars")
    job = prepare(analyse(text, settings=settings).layout, settings)

    row = [make_units(job, 0, len(text), limit, with_context=False) for limit in (len(text), len(text) - 1)]
    assert [unit.size for unit in row[0]] == [len(text)]
    assert len(row[1]) > 1


def units(text: str, limit: int) -> list[tuple[str, Boundary]]:
    """The units of the text, in characters without their context, each with the boundary before it."""
    settings = Settings(1000, 0, tokenizer="chars")
    row = make_units(
        prepare(analyse(text, settings=settings).layout, settings), 0, len(text), limit, with_context=False
    )
    ends = [*(unit.start for unit in row[1:]), len(text)]
    return [(text[unit.start : end], unit.boundary) for unit, end in zip(row, ends, strict=True)]


@pytest.mark.parametrize(
    ("first", "second", "boundary"),
    [
        ("Some words.\n\n", "More words.\n", Boundary.BLOCK),
        ("Some words.\n\n^id-1\n\n", "More words.\n", Boundary.BLOCK),
        ("- one\n- two\n\n^id-1\n\n", "More words.\n", Boundary.BLOCK),
        ("Some words.\n\n---\n\n", "More words.\n", Boundary.BREAK),
        ("# A\n\nSome words.\n\n", "# B\n\nMore words.\n", Boundary.SECTION),
        ("# A\n\n## B\n\nSome words.\n\n---\n\n", "# C\n", Boundary.SECTION),
        ("Some words.\n\n", "- one\n- two\n", Boundary.INTRODUCED),
        ("Some words.\n\n", "> one\n> two\n", Boundary.INTRODUCED),
        ("Some words of it.\n\n", "```\nx = 1\n```\n", Boundary.INTRODUCED),
        ("Some words:\n\n- one\n- two\n\n", "More.\n", Boundary.BLOCK),
        ("Some words:\n\n> one\n> two\n\n", "More.\n", Boundary.BLOCK),
        ("Run it:\n\n```\nx = 1\n```\n\n", "More.\n", Boundary.BLOCK),
        ("Run it.\n\n```\nx = 1\n```\n\n", "More.\n", Boundary.BLOCK),
        ("As so.\n\n|a|b|\n|-|-|\n|c|d|\n\n", "More.\n", Boundary.BLOCK),
        ("As so:\n\n|a|b|\n|-|-|\n|c|d|\n\n", "More.\n", Boundary.BLOCK),
        ("- one\n- two\n\n", "Some words.\n", Boundary.BLOCK),
        ("<b>\none\n</b>\n\n", "```\nx = 1\n```\n", Boundary.BLOCK),
    ],
)
def test_what_belongs_together_is_one_unit_and_how_strong_a_cut_is_beside_it(
    first: str, second: str, boundary: Boundary
) -> None:
    row = units(first + second, 50)

    assert [text for text, _ in row] == [first, second]
    assert row[1][1] == boundary


def test_a_paragraph_of_up_to_a_quarter_of_the_limit_stays_with_the_code_below_it() -> None:
    text = "Run it.\n\n```\nx = 1\n```\n"

    assert [part for part, _ in units(text, 36)] == [text]
    assert units(text, 35)[1] == (text[9:], Boundary.INTRODUCED)


@pytest.mark.parametrize("newline", ["\n", "\r", "\r\n"])
@pytest.mark.parametrize("head", ["", "> "])
def test_no_unit_of_code_is_a_blank_line(head: str, newline: str) -> None:
    first, second = (
        "".join(f"{head}{line}".rstrip() + newline for line in lines)
        for lines in (("```", "abcd", ""), ("efgh", "```"))
    )

    assert units(first + second, len(first))[1:] == [(second, Boundary.ITEM)]


@pytest.mark.parametrize("newline", ["\n", "\r", "\r\n"])
@pytest.mark.parametrize("line", ["a", "X", "abX", "X>"])
def test_no_line_of_code_with_a_sign_in_it_is_blank(line: str, newline: str) -> None:
    row = units(newline.join(("```", "abcd", line, "efgh", "```", "")), 12)

    assert {boundary for _, boundary in row[1:]} == {Boundary.SENTENCE}


def test_the_last_line_of_a_block_is_a_line_even_if_it_is_a_single_sign() -> None:
    assert units("<b>\nabcde\n}", 6)[-1] == ("}", Boundary.SENTENCE)


def test_a_first_line_of_signs_alone_is_blank() -> None:
    assert units("    >>>\n    abcd", 8)[1:] == [("    abcd", Boundary.ITEM)]


def test_a_row_of_just_the_limit_is_whole_where_sentences_are() -> None:
    row = "|itandsomemoreofit, x y|and|\n"
    text = f"|a|b|\n|-|-|\n{row}"
    settings = Settings(1000, 0, tokenizer="chars", strategy="sentences")
    job = prepare(analyse(text, settings=settings).layout, settings)

    assert [unit.size for unit in make_units(job, 0, len(text), len(row), with_context=False)] == [12, len(row)]


def lengths(text: str, settings: Settings) -> list[int]:
    """How many characters each unit of the last paragraph has, but for the last unit, which has what is left."""
    job = prepare(analyse(text, settings=settings).layout, settings)
    begun = text.rindex("\n\n") + 2
    return [b.start - a.start for a, b in pairwise(make_units(job, 0, len(text), job.limit)) if a.start >= begun]


def test_a_long_row_of_words_is_few_units_of_several_words_each() -> None:
    settings = Settings(1000, 0, tokenizer="chars", strategy="fixed")
    assert set(lengths("Some words.\n\n" + "ab " * 60, settings)) == {3}
    assert set(lengths("Some words.\n\n" + "ab " * 200, settings)) == {18}
    assert set(lengths("Some words.\n\n" + "ab " * 75, settings)) == {9}
    assert set(lengths("Some words.\n\n" + "ab " * 100, replace(settings, max_tokens=160))) == {3}


def test_a_paragraph_that_is_opened_begins_with_the_boundary_of_a_block() -> None:
    assert units("One.\n\nSome words. More words.\n", 14) == [
        ("One.\n\n", Boundary.BLOCK),
        ("Some words. ", Boundary.BLOCK),
        ("More words.\n", Boundary.SENTENCE),
    ]


def test_how_many_units_a_long_row_of_words_is_depends_on_the_room_that_context_leaves() -> None:
    text = f"# {'Title ' * 16}abcd\n\nSome words.\n\n" + "a " * 1000

    assert set(lengths(text, Settings(330, 0, tokenizer="chars"))) == {6}


def test_each_of_many_sentences_is_a_unit() -> None:
    settings = Settings(2000, 0, tokenizer="chars", strategy="sentences")

    assert set(lengths("Some words.\n\n" + "Go on. " * 200, settings)) == {7}


def test_a_run_without_boundaries_is_even_slices() -> None:
    assert set(lengths("Some words.\n\n" + "x" * 80, Settings(40, 0, tokenizer="chars"))) == {5}
    assert set(lengths("# Ab\n\nSome words.\n\n" + "x" * 76, Settings(40, 0, tokenizer="chars"))) == {4}


def test_the_first_slice_of_a_run_without_boundaries_stays_with_its_heading() -> None:
    for limit in range(12, 60):
        (first, _), *_ = units("# Some\n\n" + "x" * 100, limit)
        assert first.startswith("# Some\n\nx"), limit


@pytest.mark.parametrize("limit", range(17, 38))
def test_the_first_slice_of_a_long_grapheme_stays_with_its_heading(limit: int) -> None:
    first = split("# Some\n\nx" + "\u0301" * 80, max_tokens=limit, tokenizer="chars", min_tokens=0)[0]

    assert first.text.startswith("# Some\n\nx")


def test_a_grapheme_over_the_limit_is_halved_until_each_part_fits() -> None:
    text = "x" + "\u0301" * 19
    settings = [Settings(limit, 0, tokenizer="chars") for limit in (20, 10, 9)]

    jobs = [prepare(analyse(text, settings=each).layout, each) for each in settings]

    assert [[unit.size for unit in make_units(job, 0, 20, job.limit)] for job in jobs] == [[20], [10, 10], [5] * 4]
    assert [chunk.text for chunk in split("e\u0301" * 4, max_tokens=1, tokenizer="chars")] == ["e", "\u0301"] * 4


@pytest.mark.parametrize("text", ["x" * 30 + "\u0e40", "\u0e01" + "\u0e30" * 60, "\u0e01\u0e32" * 20])
def test_letters_that_belong_together_are_parted_where_they_do_not_fit(text: str) -> None:
    for limit in (1, 2, 3, 10):
        settings = Settings(1000, 0, tokenizer="chars")
        job = prepare(analyse(text, settings=settings).layout, settings)
        sizes = [unit.size for unit in make_units(job, 0, len(text), limit, with_context=False)]
        assert sum(sizes) == len(text), limit
        assert max(sizes) <= limit


@pytest.mark.parametrize("before", [1, 2, 3])
@pytest.mark.parametrize("head", ["# Ab\n\n", "# Ab\n\nOne.\n\n"])
def test_a_word_that_fits_is_whole_in_a_row_of_ever_so_many(before: int, head: str) -> None:
    short = "a " * (400 + before)
    for length in (185, 190, 193, 195):
        for text in (f"{head}{short}{'x' * length} {short}", f"{head}{'a ' * before}{'x' * length} {short}{short}"):
            for strategy in ("paragraphs", "fixed"):
                settings = Settings(200, 0, tokenizer="chars", strategy=strategy)
                job = prepare(analyse(text, settings=settings).layout, settings)
                row = make_units(job, 0, len(text), 200)
                assert not [unit for unit in row if unit.boundary == Boundary.GRAPHEME], (length, strategy)


def test_several_words_that_just_fit_are_one_unit_where_words_stay_whole() -> None:
    text = f"Some words.\n\n{'a ' * 401}{'x' * 195} {'a ' * 400}"

    assert 200 in lengths(text, Settings(200, 0, tokenizer="chars", strategy="fixed"))


def test_a_run_that_ends_in_a_long_grapheme_is_tiled_by_slices() -> None:
    text = "Some words.\n\n" + "x" * 40 + "e" + "\u0301" * 12
    for limit in range(13, 60):
        row = units(text, limit)
        assert all(part for part, _ in row), limit
        assert "e" + "\u0301" * 12 in row[-1][0], limit


def test_no_sign_alone_is_a_unit_wherever_it_stands() -> None:
    assert [part for part, _ in units("Some words stand here — and here, too.\n", 7)] == [
        "Some ",
        "words ",
        "stand ",
        "here — ",
        "and ",
        "here, ",
        "too.\n",
    ]


@pytest.mark.parametrize("strategy", ["paragraphs", "fixed"])
@pytest.mark.parametrize("limit", range(18, 60, 3))
@pytest.mark.parametrize(
    "text",
    [
        "# A title\n\nOne.\n\nSome words of it, and more of them. And more words, all of them short, too.\n",
        "# A title\n\nOne.\n\n" + "x" * 100 + "\n",
        "# A title\n\n- one\n- Some words of it, and more of them. And more words, all of them short.\n",
        "# A title\n\nOne.\n\n> Some words of it, and more.\n> And more words, all of them\n> short, and more.\n",
        "# A title\n\n```py\nvalue = other_value + another_value\nx = 1\n```\n",
        "# A title\n\n<b>\nSome words of it, and more of them.\n</b>\n",
        "# A title\n\nOne.\n\n<b>\nSome words.\n",
        "# A title\n\n    value = other_value + another_value\n    x = 1\n",
        "# A title\n\nOne.\n\nabx" + "\u0301" * 80,
    ],
)
def test_every_unit_fits_with_its_context_at_every_limit(text: str, limit: int, strategy) -> None:
    settings = Settings(limit, 0, tokenizer="chars", strategy=strategy)
    job = prepare(analyse(text, settings=settings).layout, settings)
    for unit in make_units(job, 0, len(text), limit):
        around = surround(job.layout, unit.start, unit.start + 1, limit // 2, job.context_size)
        assert unit.before == len(around.before), text[unit.start :]
        assert unit.before + unit.size <= limit
    assert {unit[3:] for unit in make_units(job, 0, len(text), 10, with_context=False)} == {(0, 0)}


@pytest.mark.parametrize(
    ("text", "limit", "parts"),
    [
        ("# Some words. More, words.\n", 16, ["# Some words. ", "More, words.\n"]),
        ("# Ab\n\n```\nabcd\nefgh\n```\n", 16, ["# Ab\n\n```\nabcd\n", "efgh\n```\n"]),
        ("    one two. Three, four\n", 19, ["    one two. Three, ", "four\n"]),
        ("# Ab\n\nSome words go. On.\n", 18, ["# Ab\n\nSome ", "words ", "go. ", "On.\n"]),
        ("# Ab\n\n<b>one two three four five</b>\n", 13, ["# Ab\n\n<b>one ", "two ", "three ", "four ", "five</b>\n"]),
        ("<b>\nabcdefgh i\nx\n</b>", 11, ["<b>\n", "abcdefgh i\n", "x\n", "</b>"]),
        ("<b>\nabcde\n}", 6, ["<b>\n", "abcde\n", "}"]),
        ("- on\n- Some words. More words.\n", 26, ["- on\n", "- Some words. More words.\n"]),
        (
            "|a|b|\n|-|-|\n|words|of|\n|it|and|\n|it|and|\n",
            24,
            ["|a|b|\n|-|-|\n|words|of|\n", "|it|and|\n", "|it|and|\n"],
        ),
    ],
)
def test_what_does_not_fit_is_opened_at_its_sentences_items_rows_or_lines(
    text: str, limit: int, parts: list[str]
) -> None:
    assert [part for part, _ in units(text, limit)] == parts


def test_the_context_of_a_unit_is_counted_as_that_of_the_chunk_that_begins_there() -> None:
    settings = Settings(40, 0, tokenizer="chars")
    text = "# A title of words\n\nSome words.\n\nMore words.\n\nAnd more of them.\n"
    made = analyse(text, settings=settings)
    row = {unit.start: unit for unit in make_units(prepare(made.layout, settings), 0, len(text), 40)}

    assert len(made.chunks) > 1
    assert {chunk.context for chunk in made.chunks[1:]} == {"A title of words\n\n"}
    assert [row[chunk.start].before for chunk in made.chunks[1:]] == [len("A title of words\n\n")] * len(
        made.chunks[1:]
    )
    assert not any(unit.after for unit in row.values())


@given(DOCUMENT, st.integers(40, 90))
def test_every_unit_fits_with_the_context_of_a_chunk_that_begins_there(parts: list[str], limit: int) -> None:
    settings = Settings(limit, 0, tokenizer="chars")
    text = "# Part\n\nOne.\n\n" + "\n\n".join(parts) + "\n"
    job = prepare(analyse(text, settings=settings).layout, settings)
    for unit in make_units(job, 0, len(text), limit):
        around = surround(job.layout, unit.start, unit.start + 1, limit // 2, job.context_size)
        assert unit.before == len(around.before), text[unit.start :]
        assert unit.before + unit.size <= limit


SEVERAL = """# One

A first paragraph of several words.

- an item
- another item of the list

# The second part, which has a long heading

Its text, which is one of several words.

| a | b |
|---|---|
| 1 | 2 |
| 3 | 4 |

$$
a = b
$$

```
x = 1
y = 2
```

Its last words.
"""


@pytest.mark.parametrize("start", [at for at in range(len(SEVERAL)) if not at or SEVERAL[at - 1] == "\n"])
def test_a_unit_knows_the_context_of_its_own_section_wherever_the_span_begins(start: int) -> None:
    settings = Settings(400, 0, tokenizer="chars")
    job = prepare(analyse(SEVERAL, settings=settings).layout, settings)
    for unit in make_units(job, start, len(SEVERAL), 120):
        around = surround(job.layout, unit.start, unit.start + 1, 200, job.context_size)
        assert unit.before == len(around.before), SEVERAL[unit.start :]


def test_lines_of_code_are_counted_with_what_opens_and_closes_it() -> None:
    settings = Settings(20, 0, tokenizer="chars")
    for text in ("```py\nabcd\nefgh\nijkl\n```\n", "```py\nabcd\nefgh ijkl mnop qrst\n```\n"):
        job = prepare(analyse(text, settings=settings).layout, settings)
        first, *rest = make_units(job, 0, len(text), 20)

        assert first.before == 0
        assert len(rest) > 1
        assert {(unit.before, unit.after) for unit in rest} == {(len("```py\n"), len("\n```"))}
    text = "Some words.\n\n```py\nabcd\nefgh\nijkl\n```\n"
    for limit in range(8, 40):  # the room for context may hold the closing fence, but not what opens it again, too
        settings = Settings(limit, 0, tokenizer="chars")
        job = prepare(analyse(text, settings=settings).layout, settings)
        for unit in make_units(job, 0, len(text), limit)[1:]:
            assert unit.after >= len(surround(job.layout, 0, unit.start, limit // 2, job.context_size).after)
    settings = Settings(20, 0, tokenizer="chars")
    text = "# H\n\n<b>\nabcdefgh ijkl\n"
    job = prepare(analyse(text, settings=settings).layout, settings)
    assert [(unit.before, unit.after) for unit in make_units(job, 0, len(text), 20)] == [(0, 0), (len("H\n\n"), 0)]


@pytest.mark.parametrize(
    ("strategy", "parts"),
    [
        ("paragraphs", ["Some words, too. More words.\n\n", "|a|b|\n|-|-|\n|c|d|\n\n", "<b>\nx y\n"]),
        (
            "sentences",
            ["Some words, too. ", "More words.\n\n", "|a|b|\n|-|-|\n|c|d|\n\n", "<b>\n", "x y\n"],
        ),
        (
            "fixed",
            ["Some ", "words, ", "too. ", "More ", "words.\n\n", "|a|b|\n|-|-|\n|c|d|\n\n", "<b>\n", "x ", "y\n"],
        ),
    ],
)
def test_a_strategy_says_what_stays_whole(strategy, parts: list[str]) -> None:
    text = "".join(parts)
    settings = Settings(100, 0, tokenizer="chars", strategy=strategy)
    row = make_units(prepare(analyse(text, settings=settings).layout, settings), 0, len(text), 100)

    assert [text[a:b] for a, b in pairwise([*(unit.start for unit in row), len(text)])] == parts


@pytest.mark.parametrize(
    ("text", "limit", "part"),
    [
        ("# Head\n\nOne.\n\nSome words.\n\nMore.\n", 17, "Some words.\n\n"),  # its last line alone does not fit
        ("# Head\n\n- Some words. And more.\n- on\n", 30, "# Head\n\n- Some words. "),
    ],
)
def test_context_takes_room_of_units(text: str, limit: int, part: str) -> None:
    settings = Settings(limit, 0, tokenizer="chars")
    row = make_units(prepare(analyse(text, settings=settings).layout, settings), 0, len(text), limit)

    assert part in [text[a.start : b.start] for a, b in pairwise(row)]


def test_units_of_a_span_are_sized_without_what_follows_it() -> None:
    settings = Settings(100, 0, tokenizer="chars")
    text = "Some words.\n\nMore words.\n\nAnd more of them.\n"
    job = prepare(analyse(text, settings=settings).layout, settings)

    assert [unit.size for unit in make_units(job, 0, 26, 15, with_context=False)] == [13, 13]


def test_a_heading_in_a_quote_is_no_section() -> None:
    row = units("> Some words.\n>\n> # Head\n>\n> More words.\n", 30)

    assert [text for text, _ in row] == ["> Some words.\n>\n", "> # Head\n>\n> More words.\n"]
    assert row[1][1] == Boundary.ITEM


@pytest.mark.parametrize("limit", [26, 32])
def test_all_headings_in_a_row_stay_with_the_beginning_of_a_paragraph_that_fits_without_them(limit: int) -> None:
    row = units("# Ab\n\n## Cd\n\nSome words. More words.\n", limit)

    assert [text for text, _ in row] == ["# Ab\n\n## Cd\n\nSome words. ", "More words.\n"]


@pytest.mark.parametrize("before", ["# Ab\n\n## Cd\n\n", "One.\n\n", "# Ab\n\nOne.\n\n"])
def test_what_stands_before_a_paragraph_of_just_the_limit_does_not_open_it(before: str) -> None:
    assert [text for text, _ in units(f"{before}Some words. More words.\n", 24)][1:] == ["Some words. More words.\n"]


def test_blank_lines_around_a_block_do_not_open_it() -> None:
    settings = Settings(100, 0, tokenizer="chars")
    text = "\n\nSome words.\n\n"
    job = prepare(analyse(text, settings=settings).layout, settings)
    sizes = [[unit.size for unit in make_units(job, 0, 15, limit, with_context=False)] for limit in (15, 11, 10)]

    assert sizes[:2] == [[15], [11]]
    assert len(sizes[2]) > 1


@pytest.mark.parametrize("tokenizer", ["cl100k_base", "o200k_base"])
def test_sizes_of_words_add_up_to_that_of_their_sentence(tokenizer: str) -> None:
    text = "It runs on twelve volts and takes two of them while it does so for as long as it has to."
    settings = Settings(100, 0, tokenizer=tokenizer)
    job = prepare(analyse(text, settings=settings).layout, settings)
    units = make_units(job, 0, len(text), 2)

    assert len(units) > 10
    assert sum(unit.size for unit in units) == job.count(text)
    for beside in (f"{text} ", f" {text}"):
        job = prepare(analyse(beside, settings=settings).layout, settings)
        assert sum(unit.size for unit in make_units(job, 0, len(beside), 2)) == job.count(text), beside


def test_what_a_measure_adds_to_every_text_takes_room() -> None:
    def framed(text: str) -> int:
        return len(text.split()) + 3

    laws("It runs on twelve volts, and takes two. Red is plus. " * 9, Settings(12, 0, tokenizer=framed))


def test_a_chunk_may_be_as_large_as_the_limit() -> None:
    assert len(split("abcde fghij", max_tokens=11, tokenizer="chars", min_tokens=0)) == 1
    assert len(split("abcde\n\n" * 4, max_tokens=14, tokenizer="chars", min_tokens=0)) == 2


@pytest.mark.parametrize("overlap", [0, "1s", "30%"])
def test_laws_hold_where_the_whole_is_more_than_its_parts(overlap: int | str) -> None:
    def steep(text: str) -> int:
        return len(text) ** 2 // 40

    text = "# Head\n\n" + "It runs on twelve volts. Red is plus, and black is minus. " * 4 + "\n\n- one\n- two\n" * 3
    for limit in (12, 40, 90):
        laws(text, Settings(limit, 0, overlap, tokenizer=steep))


def test_a_grapheme_that_fits_with_its_context_has_it() -> None:
    for text in ("# Ab\n\nabc\n\nabcdefghi\n\nx\n", "# Ab\n\nOne.\n\nx" + "\u0301" * 9):
        last = split(text, max_tokens=14, tokenizer="chars", min_tokens=0)[-1]
        assert last.text.rstrip("\u0301") == "x"
        assert last.context == "Ab\n\n"


@pytest.mark.parametrize(
    ("before", "after", "limit"),
    [
        ("# Ab cd\n\nOne.\n\n", "\n\nTwo.\n", 14),
        ("# Ab\n\nOne.\n\n", "\n\nTwo.\n", 10),
        ("```\nabcd\n", "\nefgh\n```\n", 16),
    ],
)
def test_a_grapheme_that_fits_only_without_context_stands_without(before: str, after: str, limit: int) -> None:
    grapheme = "x" + "\u0301" * 9
    made = laws(before + grapheme + after, Settings(limit, 0, tokenizer="chars"))
    (alone,) = [chunk for chunk in made.chunks if "x" in chunk.text]

    assert (alone.context, alone.text, alone.context_after) == ("", grapheme, "")
    assert made.chunks[-1].context


CODE = "```\n" + "".join(f"value_{i} = {i}\n" for i in range(6)) + "```"
TABLE = "| a | b |\n|---|---|\n| x | y |\n| z | w |\n| x | y |\n| z | w |"
LIST = "- one thing to do\n- another thing to do\n- and the last thing to do"


@pytest.mark.parametrize("block", [CODE, TABLE, LIST])
@pytest.mark.parametrize("before", ["Run this:", "如下：", "Do it like so, then: "])
def test_a_paragraph_that_introduces_stays_with_what_it_introduces(block: str, before: str) -> None:
    filler = "This is one of the sentences that stand before it. " * 3
    for limit in range(60, 140, 4):
        chunks = split(f"{filler}\n\n{before}\n\n{block}\n\n{filler}\n", max_tokens=limit, min_tokens=0)
        (holding,) = [chunk for chunk in chunks if before.strip() in chunk.text]
        assert block.split("\n", maxsplit=1)[0] in holding.text, limit


@pytest.mark.parametrize("sentences", [2, 3, 20])
def test_the_heading_of_a_section_stays_with_the_beginning_of_its_text(sentences: int) -> None:
    for limit in range(12, 80):
        chunks = split("# Heading\n\n" + "Some words and more of them. " * sentences, max_tokens=limit, min_tokens=0)
        assert chunks[0].text.startswith("# Heading\n\nSome words")


def test_a_rule_is_a_better_place_to_cut_than_a_paragraph_beside_it() -> None:
    part = "A paragraph with a few words in it.\n\n"
    chunks = split(part * 4 + "---\n\n" + part * 3, max_tokens=50)

    assert [chunk.text.count("A paragraph") for chunk in chunks] == [4, 3]
    assert chunks[0].text.endswith("---")


def test_code_is_cut_at_blank_lines_first() -> None:
    function = "def f(x):\n    y = x + 1\n    return y\n"
    chunks = split("```py\n" + "\n".join([function] * 6) + "```\n", max_tokens=50)

    assert len(chunks) > 1
    for chunk in chunks[1:]:
        assert chunk.text.startswith("def f")


def test_rows_are_cut_whole_and_a_row_over_the_limit_at_its_cells() -> None:
    wide = "| " + "many words in a cell " * 8 + "| " + "other words in a cell " * 8 + "|"
    chunks = split(f"| a | b |\n|---|---|\n| x | y |\n{wide}\n| z | w |\n", max_tokens=60)

    assert all(chunk.tokens <= 60 for chunk in chunks)
    assert any(chunk.text.startswith("| other") for chunk in chunks)
    assert "| z | w |" in chunks[-1].text


@pytest.mark.parametrize(
    ("strategy", "first"),
    [
        ("headings", "# A\n\nOne. Two."),
        ("paragraphs", "# A\n\nOne. Two.\n\n# B\n\nThree. Four."),
        ("sentences", "# A\n\nOne. Two.\n\n# B\n\nThree. Four."),
        ("fixed", "# A\n\nOne. Two.\n\n# B\n\nThree. Four."),
    ],
)
def test_only_headings_makes_sections_pieces(strategy, first: str) -> None:
    text = "# A\n\nOne. Two.\n\n# B\n\nThree. Four.\n"
    assert split(text, strategy=strategy, min_tokens=0)[0].text == first


def test_sentences_and_words_fill_parts_evenly() -> None:
    text = "\n\n".join("Word " * 9 + "end." for _ in range(40))
    for strategy in ("sentences", "fixed"):
        sizes = [chunk.tokens for chunk in split(text, max_tokens=60, strategy=strategy)]
        assert max(sizes) - min(sizes) <= 24, strategy


def test_windows_of_characters_with_overlap() -> None:
    text = "The pump is off when it rains. " * 200
    chunks = split(text, max_tokens=1200, overlap=150, tokenizer="chars", strategy="paragraphs")

    assert all(len(chunk.embed_text) <= 1200 for chunk in chunks)
    assert all(0 < chunk.own_start - chunk.start <= 150 for chunk in chunks[1:])


ROW = (
    "| M6 | It holds the motor to the frame, two for each, and is not to be left out. | Keep spare ones in the box. |\n"
)


@pytest.mark.parametrize("row", [ROW, ROW.replace("| ", "|").replace(" |", "|"), "> " + ROW, ROW.strip("| \n") + "\n"])
@pytest.mark.parametrize("limit", range(18, 60, 3))
def test_a_row_over_the_limit_is_cut_at_cells_and_its_key_and_its_end_stay_with_words(row: str, limit: int) -> None:
    head = "| Part | Use | Stock |\n|---|---|---|\n"
    text = "".join("> " + line if row[0] == ">" else line for line in head.splitlines(keepends=True)) + row
    chunks = split(text, max_tokens=limit, min_tokens=0)

    for chunk in chunks:
        assert "|---" not in chunk.text or "Part" in chunk.text  # header and delimiter row stay together
        assert chunk.text.strip("|> \n")
        last = chunk.text.split("\n")[-1]
        assert last.strip("|> ") != "M6", "the first cell says what the row is about"
    if limit > 40:  # each cell fits
        first, *_ = [chunk for chunk in chunks if "M6" in chunk.text]
        assert "left out." in first.text


def test_a_header_and_its_delimiter_row_stay_together_rather_than_with_a_heading() -> None:
    text = "# Terms\n\n| Clause | Text | Who |\n|---|---|---|\n| 1 | It is so. | Both |\n"

    assert [chunk.text for chunk in split(text, max_tokens=16, min_tokens=0)] == [
        "# Terms",
        "| Clause | Text | Who |\n|---|---|---|",
        "| 1 | It is so. | Both |",
    ]


@pytest.mark.parametrize("limit", range(8, 40))
@pytest.mark.parametrize(
    "text",
    [
        "- \n  An item whose first line is empty and that is long enough to be cut somewhere in it.",
        "> A quoted paragraph that is long enough to be cut somewhere in it.\n>\n> And one more of them.\n>",
        "It went well for all of us, and for those who saw it, too 🎉 !!",
        "It is so — and not otherwise — and so it shall be — as it was before us —",
        "1) \n   The first of many that are there to be cut.\n2) The second of many that are there to be cut.",
    ],
)
def test_signs_without_a_word_make_no_part_of_their_own(text: str, limit: int) -> None:
    for chunk in split(text, max_tokens=limit, min_tokens=0):
        assert any(map(str.isalnum, chunk.text.strip("1)"))), chunk.text
        assert not chunk.text.endswith(("\n-", "\n1)", " —\n>"))
        assert not chunk.text.startswith((">\n", "!", "—"))


@pytest.mark.parametrize("head", ["> ", "> > ", ">", "- > "])
def test_code_in_a_quote_is_cut_at_its_blank_lines(head: str) -> None:
    rest = head.replace("-", " ")
    lines = ["```py", *("def f(x):\n    y = x + 1\n    return y\n\n" * 5).splitlines(), "```"]
    text = head + f"\n{rest}".join(lines).replace(f"{rest}\n", f"{rest.rstrip()}\n") + "\n"
    chunks = split(text, max_tokens=60, min_tokens=0)

    assert len(chunks) > 1
    for chunk in chunks[1:]:
        assert chunk.text.startswith(f"{rest}def f"), chunk.text
