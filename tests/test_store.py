"""What every store does alike: what goes in comes out, in whole transactions, found by words, vectors and filters."""

from __future__ import annotations

import re
import threading
import time
from dataclasses import replace
from posixpath import normpath

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support_store import document, dump, raw

from headwise.errors import StoreError
from headwise.stores.filters import fold_tag, glob_pattern, python_pattern, searchable_tags
from headwise.stores.folders import Standouts
from headwise.stores.open import open_store
from headwise.stores.store import Filters, Run, Store

ALL = Filters()


@pytest.fixture
def store(store_url):
    with open_store(store_url, create=True) as opened:
        yield opened


def found(store: Store, *words: str, filters: Filters = ALL, limit: int = 10) -> list[str]:
    matches = store.match(words, filters, limit)
    chunks = store.chunks([match.chunk for match in matches])
    return [chunks[match.chunk].id for match in matches]


def near(store: Store, vector: list[float], filters: Filters = ALL, limit: int = 10) -> list[str]:
    passages = store.nearest("m", np.array(vector, dtype=np.float32), filters, limit)
    chunks = store.chunks([passage.chunk for passage in passages])
    return [chunks[passage.chunk].id for passage in passages]


def embed(store: Store, **vectors: list[float]) -> None:
    """Gives the passages whose text ends with a name the vector of that name."""
    for pending in store.pending("m", 1000):
        for name, vector in vectors.items():
            if pending.text.endswith(name):
                store.add_vectors("m", {pending.content_hash: np.array(vector, dtype=np.float32)})


# --- documents -------------------------------------------------------------------------------------------------------


def test_a_document_comes_out_as_it_went_in(store):
    note = document("a b/ü.md", "Motors turn.", "日本 wheels", title="Robots")
    assert store.replace("notes", note) == 0
    assert store.files("notes") == {"a b/ü.md": note.file}
    (match,) = store.match(["motor"], ALL, 5)
    chunk = store.chunks([match.chunk])[match.chunk]
    original = note.records[0].chunk
    assert (chunk.root, chunk.id, chunk.path, chunk.title) == ("notes", "a b/ü.md#part::0", "a b/ü.md", "Robots")
    for name in ("headings", "start", "own_start", "end", "start_line", "end_line", "text", "tokens", "content_hash"):
        assert getattr(chunk, name) == getattr(original, name)


def test_replacing_leaves_nothing_of_what_was_there(store, store_url, new_url):
    store.replace("r", document("n.md", "Old words here.", "More."))
    store.replace("r", document("n.md", "New text."))
    fresh = new_url()
    with open_store(fresh, create=True) as other:
        other.replace("r", document("n.md", "New text."))
    assert dump(store_url) == dump(fresh)
    assert found(store, "old") == []


def test_replacing_says_how_many_chunks_stay(store):
    store.replace("r", document("n.md", "One.", "Two.", "Three."))
    assert store.replace("r", document("n.md", "One.", "Two changed.", "Three.")) == 2


def test_a_move_is_one_transaction_in_which_the_old_place_goes(store):
    store.replace("r", document("old.md", "One."))
    assert store.replace("r", document("new/place.md", "One."), instead_of="old.md") == 1
    assert list(store.files("r")) == ["new/place.md"]
    assert found(store, "one") == ["new/place.md#part::0"]


def test_a_failing_transaction_changes_nothing(store, store_url):
    store.replace("r", document("n.md", "Kept."))
    before = dump(store_url)
    broken = document("n.md", "Lost.")
    with pytest.raises(ValueError, match="zip"):
        store.replace("r", type(broken)(broken.file, broken.format, broken.title, records=broken.records))
    assert dump(store_url) == before


def test_deleting_takes_words_and_passages_along_and_leaves_the_rest(store):
    store.replace("r", document("a/license.md", "Use it freely."))
    store.replace("r", document("b/license.md", "Use it freely."))
    store.delete("r", "a/license.md")
    store.delete("r", "never/was.md")
    assert found(store, "freeli") == ["b/license.md#part::0"]
    assert store.counts().passages == 1


def test_roots_are_apart(store):
    store.replace("one", document("n.md", "First."))
    store.replace("two", document("n.md", "Second."))
    store.delete("one", "n.md")
    assert (list(store.files("one")), list(store.files("two"))) == ([], ["n.md"])


def test_files_below_a_folder_are_those_in_it_only(store):
    for path in ("docs/a.md", "docs/b/c.md", "Docs/a.md", "docs.md", "docs-old/a.md", "docs_/x.md"):
        store.replace("r", document(path, "Text."))
    assert list(store.files("r", "docs")) == ["docs/a.md", "docs/b/c.md"]
    assert list(store.files("r", "docs.md")) == ["docs.md"]


def test_touching_changes_what_is_known_of_a_file_and_no_record(store, store_url):
    note = document("n.md", "Text.")
    store.replace("r", note)
    chunks = dump(store_url)["chunks"]
    touched = note.file._replace(mtime_ns=2**62, inode=2**80, checked_ns=9)
    store.touch("r", [touched])
    assert store.files("r") == {"n.md": touched}
    assert dump(store_url)["chunks"] == chunks


def test_rows_of_chunks_are_never_used_again(store):
    store.replace("r", document("n.md", "First."))
    (row,) = (match.chunk for match in store.match(["first"], ALL, 1))
    store.replace("r", document("n.md", "Second."))
    assert store.chunks([row]) == {}


# --- words -----------------------------------------------------------------------------------------------------------


def test_a_term_is_neither_split_nor_folded(store):
    note = document("n.md", "x")
    terms = "c++ .net foo-bar a_b kubectl.kubernetes.io/last-applied 日本 naïve straße ñ"
    words = (note.words[0]._replace(text=terms),)
    store.replace("r", type(note)(note.file, note.format, note.title, records=note.records, words=words))
    for term in terms.split():
        assert found(store, term) == ["n.md#part::0"], term
    for part in ("c", "net", "foo", "b", "kubernetes", "日", "naive", "strasse"):
        assert found(store, part) == [], part


@pytest.mark.parametrize(
    "query", ["OR", "NOT", "a AND b", "text:one", "(", "*", "one*", "^one", "-one", "NEAR(a b)", ";"]
)
def test_the_search_language_of_the_database_is_text(store, query):
    store.replace("r", document("n.md", "One."))
    assert found(store, query) == []


def test_title_and_headings_count_more_than_text(store):
    store.replace("r", document("a.md", "pump and wheel and more words"))
    store.replace("r", document("b.md", "other words stand in this text", title="pump"))
    assert found(store, "pump") == ["b.md#part::0", "a.md#part::0"]
    scores = [match.score for match in store.match(["pump"], ALL, 5)]
    assert scores == sorted(scores, reverse=True)


def test_no_words_match_nothing(store):
    store.replace("r", document("n.md", "One."))
    assert store.match([], ALL, 5) == []


# --- filters ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("glob", "yes", "no"),
    [
        ("*.md", ["a.md", "x/y/a.md"], ["a.mdx", "a.md.txt"]),
        ("guide", ["guide/a.md", "x/guide/b/c.md"], ["guidebook/a.md", "guide.md"]),
        ("guide/", ["guide/a.md"], ["guide", "guides/a.md"]),
        ("docs/*.md", ["docs/a.md"], ["docs/x/a.md", "x/docs/a.md"]),
        ("docs/**", ["docs/a.md", "docs/x/a.md"], ["docs2/a.md"]),
        ("docs/**/a.md", ["docs/a.md", "docs/x/y/a.md"], ["docs/ba.md"]),
        ("**/a.md", ["a.md", "x/a.md"], ["ba.md"]),
        ("./docs/a?.md", ["docs/ab.md"], ["docs/a/.md", "docs/a.md"]),
        ("a+(b).md", ["a+(b).md"], ["aab.md"]),
        ("[x].md", ["[x].md"], ["x.md"]),
        ("cafe\u0301", ["caf\u00e9/a.md"], []),
    ],
)
def test_globs_find_the_paths_they_stand_for(store, glob, yes, no):
    for path in yes + no:
        store.replace("r", document(path, "word"))
    inside = found(store, "word", filters=Filters(paths=(glob,)), limit=50)
    assert {path.partition("#")[0] for path in inside} == set(yes)
    outside = found(store, "word", filters=Filters(without_paths=(glob,)), limit=50)
    assert {path.partition("#")[0] for path in outside} == set(no)
    assert "\n" not in glob_pattern(glob)


@given(st.text("ab/*?", max_size=12), st.text("ab/", max_size=12))
@settings(max_examples=1000)
def test_the_quick_pattern_finds_what_the_plain_one_finds(glob, path):
    path = normpath(path).strip("/.")
    plain = re.search(glob_pattern(glob), path)
    assert bool(re.search(python_pattern(glob), path)) == bool(plain), (glob_pattern(glob), python_pattern(glob))


@pytest.mark.parametrize(
    "glob", ["*a" * 60 + "b", "**" * 60 + "b", "**/" * 60 + "b", "**a*" * 40 + "b", "a*/" * 40 + "b"]
)
def test_many_wildcards_take_no_time(store, glob):
    for number in range(20):
        store.replace("r", document("/".join(["a" * 30] * 4) + f"{number}.md", "word"))
    began = time.perf_counter()
    assert found(store, "word", filters=Filters(paths=(glob,))) == []
    assert time.perf_counter() - began < 5


def test_a_tag_stands_for_those_nested_in_it_in_any_letter_case(store):
    store.replace("r", document("a.md", "word", tags=("Robot/Motor", "x")))
    store.replace("r", document("b.md", "word", tags=("robots",)))
    for tag in ("robot", "#ROBOT/", "robot/motor", "x"):
        assert found(store, "word", filters=Filters(tags=(tag,))) == ["a.md#part::0"], tag
    assert found(store, "word", filters=Filters(tags=("robot", "robots"))) == []
    assert found(store, "word", filters=Filters(paths=("b.md",), tags=("robots",))) == ["b.md#part::0"]
    assert searchable_tags(["#A/b/C", ""]) == {"a", "a/b", "a/b/c"}
    assert fold_tag("##Ä/") == "ä"


# --- vectors ---------------------------------------------------------------------------------------------------------


def test_pending_are_passages_without_a_vector_each_content_once(store):
    store.replace("r", document("a.md", "Same.", "Other."))
    store.replace("r", document("b.md", "Same."))
    pending = store.pending("m", 10)
    assert [p.text for p in pending] == ["Note > Part\n\nSame.", "Note > Part\n\nOther."]
    assert store.coverage("m") == (0, 2)
    assert next(p.text for p in store.pending("m", 10, after=pending[0].row)) == "Note > Part\n\nOther."
    store.add_vectors("m", {pending[0].content_hash: np.array([1, 0], dtype=np.float32)})
    assert (store.coverage("m"), store.coverage("another model")) == ((1, 1), (0, 2))
    assert store.models() == ["m"]
    assert store.stats().vectors == {"m": 1}
    assert store.stats("r").distinct_passages == 2


def test_nearest_is_exact_and_equal_ones_come_in_order_of_path_and_place(store):
    for path in ("c.md", "a.md", "b.md"):
        store.replace("r", document(path, "east", "north"))
    embed(store, east=[1, 0], north=[0, 1])
    assert near(store, [1, 0.1], limit=4) == ["a.md#part::0", "b.md#part::0", "c.md#part::0", "a.md#part::1"]
    assert near(store, [0, 1], Filters(paths=("b.md",))) == ["b.md#part::1", "b.md#part::0"]
    assert near(store, [0, 1], Filters(paths=("nothing",))) == []
    for number in range(99, 40, -1):
        store.replace("r", document(f"{number}.md", "east"))
    assert near(store, [1, 0], limit=50) == [f"{number}.md#part::0" for number in range(41, 91)]
    passage = store.nearest("m", np.array([0, 2], dtype=np.float32), Filters(paths=("b.md",)), 1)[0]
    assert (passage.span, passage.score) == ((5, 10), pytest.approx(1))


def test_nearest_sees_what_another_connection_changed(store, store_url):
    store.replace("r", document("a.md", "east"))
    embed(store, east=[1, 0])
    assert near(store, [1, 0]) == ["a.md#part::0"]
    with open_store(store_url) as other:
        other.replace("r", document("b.md", "east", "west"))
    assert near(store, [1, 0]) == ["a.md#part::0", "b.md#part::0"]
    with open_store(store_url) as other:
        embed(other, west=[-1, 0])
    assert near(store, [1, 0]) == ["a.md#part::0", "b.md#part::0", "b.md#part::1"]
    with open_store(store_url) as other:
        other.delete("r", "a.md")
    assert near(store, [1, 0]) == ["b.md#part::0", "b.md#part::1"]


def test_nearest_without_vectors_finds_nothing(store):
    assert near(store, [1, 0]) == []
    store.replace("r", document("a.md", "east"))
    assert near(store, [1, 0]) == []


def test_a_word_that_is_said_twice_counts_twice(store):
    store.replace("r", document("a.md", "motor wheel motor", "wheel and axle", "motor of an arm"))
    store.replace("r", document("b.md", *("nothing of that" for _ in range(9))))

    def scores(*words: str) -> dict[int, float]:
        return {match.chunk: match.score for match in store.match(words, ALL, 20)}

    motor, wheel, both = scores("motor"), scores("wheel"), scores("motor", "wheel", "motor")
    assert set(both) == set(motor) | set(wheel)
    for chunk, score in both.items():
        assert score == pytest.approx(2 * motor.get(chunk, 0) + wheel.get(chunk, 0))


def test_the_passages_of_a_chunk_give_their_vectors_in_order_of_place(store):
    store.replace("r", document("a.md", "east", "north", "not embedded"))
    store.replace("r", document("b.md", "north"))
    embed(store, east=[1, 0], north=[0, 1])
    rows = [match.chunk for match in store.match(["east", "north", "embed"], ALL, 9)]

    owners, vectors = store.passage_vectors("m", [*rows, 10**9])

    named = {store.chunks([row])[row].id: vector.tolist() for row, vector in zip(owners, vectors, strict=True)}
    assert named == {"a.md#part::0": [1, 0], "a.md#part::1": [0, 1], "b.md#part::0": [0, 1]}
    assert [len(found) for found in store.passage_vectors("another model", rows)] == [0, 0]


def test_half_floats_rank_as_single_floats_do(store):
    random = np.random.default_rng(1)
    rows = random.standard_normal((2000, 64)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    store.replace("r", document("n.md", *(f"passage {n}" for n in range(len(rows)))))
    store.add_vectors("m", {p.content_hash: rows[n] for n, p in enumerate(store.pending("m", 5000))})
    query = rows[:20].mean(axis=0)
    got = store.nearest("m", query, ALL, 10)
    chunks = store.chunks([passage.chunk for passage in got])
    exact = rows @ (query / np.linalg.norm(query))
    assert [chunks[p.chunk].start_line - 1 for p in got] == list(np.argsort(-exact)[:10])
    assert [p.score for p in got] == pytest.approx(sorted(exact)[:-11:-1], abs=1e-4)


def test_vectors_live_as_long_as_the_last_passage_that_uses_them(store):
    store.replace("r", document("a.md", "east"))
    store.replace("r", document("b.md", "east", "north"))
    embed(store, east=[1, 0], north=[0, 1])
    store.delete("r", "a.md")
    assert store.prune() == 0
    store.replace("r", document("b.md", "north"))
    assert store.prune() == 1
    assert store.stats().vectors == {"m": 1}
    store.delete("r", "b.md")
    assert (store.prune(), dict(store.stats().vectors)) == (1, {})


# --- figures ---------------------------------------------------------------------------------------------------------


def test_stats_count_what_is_there(store):
    store.replace("r", document("a.md", "one two three", "one"))
    store.replace("s", document("b.md", "one"))
    hidden = document("c.md")
    store.replace("r", type(hidden)(hidden.file, hidden.format, hidden.title, excluded=True))
    everything, one = store.stats(), store.stats("r")
    assert everything.counts == (2, 1, 3, 3)
    assert (one.counts, dict(one.sizes)) == ((1, 1, 2, 2), {1: 1, 3: 1})
    assert store.counts("r") == one.counts
    assert [(large.path, large.tokens) for large in one.largest] == [("a.md", 3), ("a.md", 1)]
    assert store.counts("none") == (0, 0, 0, 0)


def test_stats_tell_repeated_text_folders_and_links(store):
    store.replace("r", document("a/1.md", "same text here", "one"))
    store.replace("r", document("a/2.md", "same text here", "two", "same text here"))
    links = document("b/3.md", "same text here", "four")
    chunk = replace(links.records[1].chunk, navigation=True, oversize=True, anchor="")
    store.replace("s", replace(links, records=(links.records[0], links.records[1]._replace(chunk=chunk))))
    hidden = document("c.md")
    store.replace("r", replace(hidden, excluded=True))
    everything, one = store.stats(), store.stats("r")
    assert everything.repetition == (3, 9, ((4, 3, 3, "a/1.md", "same text here"),))
    assert one.repetition == (2, 6, ((3, 2, 3, "a/1.md", "same text here"),))
    assert (everything.navigation, everything.oversize) == ((1, 0), 1)
    assert (one.navigation, one.oversize) == ((0, 0), 0)
    assert everything.standouts.folders == (("r", "a", 2, 5, 11), ("s", "b", 1, 2, 4))
    assert one.standouts.largest == ("r", "a/2.md", 3, 7, True)
    assert {(large.path, large.part, large.parts) for large in one.largest} == {
        ("a/1.md", 1, 2), ("a/1.md", 2, 2), ("a/2.md", 1, 3), ("a/2.md", 2, 3), ("a/2.md", 3, 3),
    }  # fmt: skip
    assert store.load("s", "b/3.md").records[1].chunk.navigation
    assert store.stats("none").standouts == Standouts()


def test_runs_are_logged_newest_first(store):
    for number in range(3):
        store.log_run(Run("sync", "r", number, 0.5, {"added": number}))
    assert [run.report["added"] for run in store.runs(2)] == [2, 1]


# --- one writer, many readers ----------------------------------------------------------------------------------------


def test_a_reader_sees_whole_states_while_a_writer_is_at_work(store, store_url):
    store.replace("r", document("a.md", "before"))
    with raw(store_url) as run:
        run("DELETE FROM words")
        run("DELETE FROM documents")
        assert found(store, "befor") == ["a.md#part::0"]
    assert found(store, "befor") == []


def test_a_second_writer_waits_then_says_that_the_store_is_in_use(store, store_url):
    with open_store(store_url, wait=0.1) as second:
        with store._writing():
            with pytest.raises(StoreError, match=r"the store .* is in use by another run; waited 0\.1 s"):
                second.replace("r", document("a.md", "x"))
            assert second.counts().documents == 0
        second.replace("r", document("a.md", "x"))


@pytest.mark.parametrize("wait", [0, 10**8])
def test_one_may_wait_for_others_not_at_all_or_for_years(store, store_url, wait):
    with open_store(store_url, wait=wait) as other:
        other.replace("r", document("a.md", "x"))


def test_many_threads_use_one_store(store):
    store.replace("r", document("a.md", "word"))
    seen: list[list[str]] = []

    def work(number: int) -> None:
        store.replace("r", document(f"{number}.md", "word"))
        seen.append(found(store, "word", limit=1))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 8
    assert store.counts().documents == 9
