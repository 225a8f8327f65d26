"""What stands out among documents, and when a store's figures are worth a word: at each threshold, and never below."""

from __future__ import annotations

import tomllib
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwise.app.stats_view import stats_view
from headwise.indexing.advice import advise, tiny_chunks, tiny_size, why_large
from headwise.indexing.ignore import parse_rules
from headwise.stores.folders import FOLDERS, Daily, Size, Standouts, fold
from headwise.stores.store import Counts, LargeChunk, Navigation, Repeated, Repetition, Stats

FINE = Stats(Counts(100, 0, 1000, 2000), sizes={20: 200, 300: 800}, vectors={"m": 2000}, distinct_passages=2000)
LARGE = LargeChunk("a.md::0", "a.md", 1, 9, 300, 400, ("heading", "paragraph"), 1, 1, reopened=False, oversize=False)

CUT = " too large for one chunk, filled up to the limit"


def kinds(stats: Stats, pending: int = 0) -> list[str]:
    return [item.kind for item in advise(stats, pending, "minilm")]


def said(stats: Stats, pending: int = 0) -> str:
    (item,) = advise(stats, pending, "minilm")
    return item.text


def standing(**values: object) -> Stats:
    return replace(FINE, standouts=Standouts(**values))


# --- folders ---------------------------------------------------------------------------------------------------------


def test_folders_are_those_below_the_innermost_that_holds_all():
    sizes = [
        Size("r", path, n, 10 * n) for n, path in enumerate(("x/y/a.md", "x/y/b/c.md", "x/y/b/d/e.md", "x/y/z.md"))
    ]
    found = fold(sizes)
    assert found.folders == (("r", "x/y/b", 2, 3, 30), ("r", "x/y", 2, 3, 30))[::-1]
    assert found.largest == sizes[3]
    assert fold([]) == Standouts()


def test_folders_whose_names_begin_alike_are_two():
    found = fold([Size("r", "note/a.md", 1, 1), Size("r", "notes/a.md", 2, 2), Size("s", "notes/a.md", 3, 3)])
    assert [(folder.root, folder.path, folder.chunks) for folder in found.folders] == [
        ("s", "notes", 3),
        ("r", "notes", 2),
        ("r", "note", 1),
    ]


def test_no_more_folders_are_listed_than_one_reads():
    found = fold(Size("r", f"{n}/a.md", n, n) for n in range(100))
    assert (len(found.folders), found.folder_count, found.folders[0].path) == (FOLDERS, 100, "99")


paths = st.lists(st.lists(st.sampled_from("ab"), min_size=1, max_size=4).map("/".join), unique=True, max_size=9)


@given(st.lists(st.tuples(st.sampled_from("rs"), paths), max_size=2, unique_by=lambda pair: pair[0]))
def test_every_document_is_in_one_folder(roots):
    sizes = [Size(root, path, 2, 3) for root, inside in roots for path in inside]
    found = fold(sizes)
    assert [sum(folder[n] for folder in found.folders) for n in (2, 3, 4)] == [k * len(sizes) for k in (1, 2, 3)]
    for root, path in {(folder.root, folder.path) for folder in found.folders}:
        assert any(size.root == root and size.path.startswith(f"{path}/" * bool(path)) for size in sizes)


def test_daily_notes_are_known_by_their_names():
    names = ("2024-05-01.md", "20240501 walk.md", "2024-13-01.md", "12024-05-01.md", "2024-0501.md", "2024-05-011.md")
    found = fold(Size("r", f"log/{name}", 2, 9) for name in names)
    assert found.daily == Daily(2, 4, "log", 4)
    assert fold([Size(root, "log/2024-05-01.md", 1, 1) for root in "rs"]).daily == Daily(2, 2, "", 0)


def test_long_documents_without_a_heading_are_counted():
    sizes = [Size("r", "a", 1, 5000, headed=False), Size("r", "b", 1, 5001, headed=False)]
    found = fold([*sizes, Size("r", "c", 1, 5002, headed=False), Size("r", "d", 1, 9999)])
    assert (found.headless, found.headless_path) == (2, "c")


# --- advice ----------------------------------------------------------------------------------------------------------


def test_nothing_is_said_when_nothing_is_wrong():
    assert kinds(FINE) == []
    assert kinds(Stats(Counts(0, 0, 0, 0))) == []
    assert "worth a look" not in stats_view(FINE, 0, "minilm", advise(FINE, 0, "minilm")).plain


def test_daily_notes_that_make_much_of_a_store_may_be_left_out():
    daily = Daily(30, 400, "Log [old]", 3)
    assert said(standing(daily=daily)).startswith("30 daily notes make 40 % of the chunks; ")
    assert (
        kinds(standing(daily=daily._replace(documents=29))) == kinds(standing(daily=daily._replace(chunks=399))) == []
    )


@pytest.mark.parametrize(
    ("daily", "out", "stays"),
    [
        (Daily(30, 400, "Log [old]", 3), ["Log [old]/2024-05-01.md"], ["Log o/2024-05-01.md", "a/Log [old]/b.md"]),
        (Daily(30, 400, "Log", 4), ["Log/2024-05-01.md", "Log/20240501 a.md"], ["Log/a.md", "Log/2024-99-99.md"]),
        (Daily(30, 400, "", 0), ["2024-05-01.md", "x/2024-12-31 b.md"], ["2024.md"]),
    ],
)
def test_the_setting_that_is_proposed_leaves_out_the_daily_notes(daily, out, stays):
    setting = said(standing(daily=daily)).split("`")[1]
    rules = parse_rules(tomllib.loads(setting)["exclude"])

    def named(path: str) -> bool:
        above = [path[: n + 1] for n, sign in enumerate(path) if sign == "/"]
        return any(rules.verdict(part) for part in (*above, path))

    assert [named(path) for path in (*out, *stays)] == [True] * len(out) + [False] * len(stays)


def test_many_tiny_chunks_are_worth_a_word():
    assert said(replace(FINE, sizes={29: 330, 120: 670})).startswith("33 % of the chunks are shorter than 30 tokens")
    assert kinds(replace(FINE, sizes={29: 329, 120: 671})) == []
    small = replace(FINE, sizes={10: 500, 40: 500})
    assert (tiny_size(small), tiny_chunks(small), kinds(small)) == (10, 0, [])


def test_of_few_chunks_no_shares_are_told():
    few = replace(FINE, counts=Counts(9, 0, 49, 49), sizes={2: 40, 300: 9})
    assert kinds(few) == []
    assert kinds(replace(few, counts=Counts(9, 0, 50, 50), sizes={2: 40, 300: 10})) == ["tiny"]


def test_one_file_that_makes_much_of_a_store_is_named():
    assert (
        said(standing(largest=Size("r", "log.md", 250, 9))) == "one of 100 documents makes 25 % of the chunks: log.md"
    )
    assert kinds(standing(largest=Size("r", "log.md", 249, 9))) == []
    assert kinds(replace(standing(largest=Size("r", "log.md", 900, 9)), counts=Counts(9, 0, 1000, 1))) == []


def test_template_text_is_shown_as_it_begins():
    text = Repeated(30, 20, 9, "a.md", "## Tasks\n\n- [ ] " + "x" * 99)
    stats = replace(FINE, repetition=Repetition(29, 9, (text,)))
    assert said(stats).startswith("the same text is in 20 documents, such as a.md: “## Tasks - [ ] xxx")
    assert len(said(stats)) < 120
    assert kinds(replace(FINE, repetition=Repetition(29, 9, (text._replace(documents=19),)))) == []


def test_text_that_is_there_twice_is_worth_a_word():
    tokens = 20 * 200 + 300 * 800
    assert said(replace(FINE, repetition=Repetition(9, tokens // 5))).startswith("20 % of the text stands elsewhere")
    assert kinds(replace(FINE, repetition=Repetition(9, tokens // 5 - 1))) == []


def test_long_documents_without_headings_are_counted_and_one_is_named():
    assert said(standing(headless=12, headless_path="a.md")).startswith(
        "12 documents have no heading and over 5,000 tokens, such as a.md;"
    )
    assert said(standing(headless=1, headless_path="a.md")).startswith("1 document has no heading")


def test_many_chunks_of_links_can_be_left_out():
    assert '`navigation = "skip"`' in said(replace(FINE, navigation=Navigation(250)))
    assert kinds(replace(FINE, navigation=Navigation(249, 751))) == []


def test_passages_without_a_vector_are_not_found_by_meaning():
    assert said(FINE, 3) == (
        "3 of 2,000 passages have no vector of minilm and are not found by meaning; `headwise embed` makes them"
    )
    assert said(FINE, 2000).startswith("all 2,000 passages have no vector")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({}, "one section, 100 under the limit"),
        ({"tokens": 393}, "one section, just at the limit"),
        ({"limit": None}, "one section"),
        ({"kinds": ("heading", "code_block")}, "a section that is one code block, 100 under the limit"),
        ({"kinds": ("heading",)}, "one section, 100 under the limit"),
        ({"part": 2, "parts": 3}, "part 2 of 3 of a section that is over the limit"),
        ({"parts": 3, "kinds": ("table",)}, "part 1 of 3 of a section that is over the limit: one table"),
        ({"parts": 3, "kinds": ("table",), "reopened": True}, "part of a table" + CUT),
        ({"kinds": ("table", "list"), "reopened": True}, "part of a block" + CUT),
        ({"oversize": True}, "one character that alone is over the limit"),
    ],
)  # fmt: skip
def test_it_is_said_why_a_chunk_is_large(change, why):
    assert why_large(replace(LARGE, **change)) == why
