"""From ranked chunks to what is given: copies folded, a reranker asked, prompts that keep to their budget."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support_store import document

import headwise
from headwise.chunking.measure import find_measure
from headwise.errors import SettingsError
from headwise.indexing.assemble import RERANKED
from headwise.indexing.copies import fold
from headwise.indexing.prompt import prompt, prompt_tokens
from headwise.indexing.search import find
from headwise.model import Copy
from headwise.stores.open import open_store
from headwise.stores.store import Filters, StoredChunk

ALL = Filters()
count = find_measure("cl100k_base").count


def chunk(row: int, text: str, path: str = "") -> StoredChunk:
    path = path or f"{row}.md"
    lines = text.count("\n")
    return StoredChunk(row, "", f"{path}#a::{row}", path, path, "T", ("A",), 0, 0, len(text), 1, 1 + lines, text, 1, "")


@pytest.fixture
def store(tmp_path):
    with open_store(str(tmp_path / "x.db"), create=True) as opened:
        yield opened


# --- copies ----------------------------------------------------------------------------------------------------------

LONG = "The motor driver takes four pins. " + " ".join(f"word{number}" for number in range(60))


def test_the_same_text_is_one_hit_that_names_the_others():
    kept, copies = fold(
        [chunk(1, "Same  text.\n"), chunk(2, "Other."), chunk(3, "Same text."), chunk(4, "Same\ntext.")]
    )
    assert [one.row for one in kept] == [1, 2]
    assert copies == {1: (Copy("3.md", "3.md#a::3"), Copy("4.md", "4.md#a::4"))}


def test_nearly_the_same_text_is_one_hit_if_it_stands_in_other_documents():
    near, far = LONG + " changed", LONG.replace("pins", "wires").replace("word9 ", "x ").replace("word40", "y")
    assert [one.row for one in fold([chunk(1, LONG), chunk(2, near), chunk(3, far)])[0]] == [1, 3]
    assert [one.row for one in fold([chunk(1, LONG, "a.md"), chunk(2, near, "a.md")])[0]] == [1, 2]
    assert fold([chunk(1, LONG), chunk(2, near), chunk(3, near)])[1].keys() == {1}


def test_short_texts_are_copies_only_if_they_are_equal():
    kept, _ = fold([chunk(1, "One two."), chunk(2, "One three."), chunk(3, "?!"), chunk(4, "…"), chunk(5, "One, two!")])
    assert [one.row for one in kept] == [1, 2, 3]


@given(
    st.lists(
        st.sampled_from(["a b c", "a  b c", "a b d", "e", LONG, f" {LONG}\n", LONG + " z", LONG[:400]]), max_size=12
    )
)
def test_nothing_is_lost_by_folding_and_the_best_stays(texts):
    ranked = [chunk(row, text) for row, text in enumerate(texts)]
    kept, copies = fold(ranked)
    named = [copy.id for also in copies.values() for copy in also]
    assert sorted([*named, *(one.id for one in kept)]) == sorted(one.id for one in ranked)
    assert kept[:1] == ranked[:1]
    assert [one.row for one in kept] == sorted(one.row for one in kept)
    assert len({" ".join(one.text.split()) for one in kept}) == len(kept)


def test_a_search_folds_copies_with_and_without_a_budget(store):
    for path in ("b.md", "a.md", "c.md"):
        store.replace("r", document(path, "The motor driver takes four pins.", f"Motors of {path}"))
    for budget in (None, 1000):
        hits = find(store, None, "motor driver pins", ALL, limit=9, budget=budget).hits
        assert hits[0].also == (Copy("b.md", "b.md#part::0"), Copy("c.md", "c.md#part::0"))
        assert (hits[0].path, len(hits)) == ("a.md", 4)


def test_of_one_document_at_most_so_many_chunks_are_looked_at(store):
    store.replace("r", document("a.md", *(f"motor {n}" for n in range(6))))
    store.replace("r", document("b.md", "a motor that is far less about what was asked for"))
    assert [hit.path for hit in find(store, None, "motor", ALL, limit=4).hits] == ["a.md"] * 4
    assert [hit.path for hit in find(store, None, "motor", ALL, limit=4, per_document=2).hits] == ["a.md"] * 2 + [
        "b.md"
    ]


# --- reranker --------------------------------------------------------------------------------------------------------


def filled(store, number: int = 6):
    for n in range(number):
        store.replace("r", document(f"{n:02}.md", f"motor number {n} " + "filler " * n))


def test_a_reranker_orders_scores_and_leaves_out(store):
    filled(store)
    asked: list[str] = []

    def backwards(query, hits):
        asked.append(query)
        return [replace(hit, score=hit.rank + 0.5) for hit in reversed(hits) if "number 3" not in hit.text]

    plain = [hit.path for hit in find(store, None, "motor", ALL, limit=9).hits]
    hits = find(store, None, "motor", ALL, limit=9, rerank=backwards).hits
    assert asked == ["motor"]
    assert [hit.path for hit in hits] == [path for path in reversed(plain) if path != "03.md"]
    assert [hit.rank for hit in hits] == [1, 2, 3, 4, 5]
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert hits[0].score == 6.5
    first = find(store, None, "motor", ALL, limit=9, budget=hits[0].text.count(" ") + 6, rerank=backwards).hits[0]
    assert first.path == hits[0].path, "the budget goes by the new order"
    assert find(store, None, "motor", ALL, limit=9, rerank=lambda _query, _hits: []).hits == ()


@pytest.mark.parametrize(
    ("give", "what"),
    [
        (lambda _, hits: [hits[0], hits[0]], "a hit twice: 00.md#part::0"),
        (lambda _, hits: [replace(hits[0], id="made up")], "a hit that it was not given: made up"),
        (lambda _, hits: [replace(hits[0], rank=99)], "a hit that it was not given"),
    ],
)
def test_a_reranker_cannot_invent(store, give, what):
    filled(store)
    with pytest.raises(SettingsError, match=f"the reranker gave {what}"):
        find(store, None, "motor", ALL, limit=3, rerank=give)


def test_a_reranker_gets_enough(store):
    filled(store, RERANKED + 20)
    got: list[int] = []

    def watch(_, hits):
        got.append(len(hits))
        return hits

    find(store, None, "motor", ALL, limit=3, rerank=watch)
    find(store, None, "motor", ALL, limit=RERANKED + 10, rerank=watch)
    find(store, None, "motor", ALL, limit=10**9, budget=500, rerank=watch)
    assert got == [RERANKED, RERANKED + 10, RERANKED]


# --- how a hit came by its score -------------------------------------------------------------------------------------


def test_the_parts_of_a_score_make_it_up(store):
    store.replace("r", document("a.md", "motor motor motor", "beside it a motor", "far"))
    store.replace("r", document("b.md", "another thing with one motor in it somewhere"))
    hits = find(store, None, "motor", ALL, limit=9).hits
    assert [hit.scores.words.rank for hit in hits if hit.scores.mixed == 1] == [1]
    for hit in hits:
        assert hit.scores.vectors is None
        assert hit.score == pytest.approx(
            hit.scores.mixed + hit.scores.headings + hit.scores.neighbours + hit.scores.document
        )
    beside = next(hit for hit in hits if hit.text.startswith("beside"))
    assert beside.scores.neighbours > 0
    assert beside.scores.document > 0


# --- prompts ---------------------------------------------------------------------------------------------------------

TEXTS = st.text(st.sampled_from("ab `~\n\r\t#[]().:1中\x1b"), min_size=1, max_size=60).filter(str.strip)


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=5))
def test_a_prompt_costs_what_its_parts_do_and_no_text_ends_its_fence(parts):
    chunks = [replace(chunk(row, text), headings=(heading,)) for row, (text, heading) in enumerate(parts)]
    hits = [as_hit_of(one, rank) for rank, one in enumerate(chunks, 1)]
    shown = prompt(hits)
    assert count(shown) <= sum(map(prompt_tokens, chunks)) <= count(shown) + 2
    fences = [block.fence for block in headwise.analyse(shown).tree.blocks if block.fence and not block.depth]
    assert len(fences) == len(hits)
    assert re.search(r"[^\n\t -~中]", shown) is None


def as_hit_of(one: StoredChunk, rank: int) -> headwise.model.Hit:
    from headwise.indexing.assemble import as_hit

    return as_hit(rank, one, 1.0)


def test_a_prompt_says_what_to_cite():
    one = chunk(1, "Use it:\n\n```\ncode\n```\n", "docs/a b.md")
    two = replace(chunk(2, "Short.\r\nTwo.", "x.md"), headings=(), start_line=7, end_line=7)
    assert prompt([as_hit_of(one, 1), as_hit_of(two, 2)]) == (
        "[1] docs/a b.md:1-6 (T > A)\n````\nUse it:\n\n```\ncode\n```\n````\n\n[2] x.md:7 (T)\n```\nShort.\nTwo.\n```\n"
    )
    assert prompt([]) == ""


def test_a_search_for_a_prompt_counts_all_of_it(store):
    filled(store, 30)
    for budget in (10, 60, 300, 1000):
        hits = find(store, None, "motor", ALL, limit=99, budget=budget, as_prompt=True).hits
        assert count(prompt(hits)) <= budget
        assert len(hits) <= len(find(store, None, "motor", ALL, limit=99, budget=budget).hits)
        assert hits or budget == 10
