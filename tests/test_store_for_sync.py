"""What a sync asks of every store: files in pages of one order, many documents in one transaction, what waits."""

from __future__ import annotations

import numpy as np
import pytest
from support_folder import Folder
from support_store import document, dump

from headwise.chunking.settings import Settings
from headwise.errors import MassDeletionError
from headwise.indexing.files import FileOptions
from headwise.indexing.plan import make_plan
from headwise.indexing.records import IndexSettings
from headwise.indexing.sync import sync
from headwise.stores.open import open_store
from headwise.stores.store import Change, Place

NAMES = ["B.md", "a", "a-b.md", "a.md", "a/x.md", "a/x/y.md", "a0.md", "aé.md", "b/_.md", "é.md", "\uffee.md", "😀.md"]


@pytest.fixture
def store(store_url):
    with open_store(store_url, create=True) as opened:
        yield opened


def test_files_come_in_pages_in_order_of_code_points(store):
    store.apply("r", [Change(document(name, "Text.")) for name in reversed(NAMES)])
    store.apply("other", [Change(document("a/other.md", "Text."))])
    for limit in (1, 3, 100):
        found: list[str] = []
        while page := store.files_after("r", "", found[-1] if found else "", limit):
            assert len(page) <= limit
            found += [file.path for file in page]
        assert found == NAMES == sorted(NAMES)
    assert store.files_after("r", "", "", 1)[0] == document("B.md", "Text.").file
    assert [file.path for file in store.files_after("r", "a", "", 9)] == ["a", "a/x.md", "a/x/y.md"]
    assert [file.path for file in store.files_after("r", "a", "a/x.md", 9)] == ["a/x/y.md"]
    assert [file.path for file in store.files_after("r", "a.md", "", 9)] == ["a.md"]
    assert store.files_after("r", "nowhere", "", 9) == store.files_after("none", "", "", 9) == []


def test_changes_together_leave_what_they_leave_one_by_one(store, store_url, new_url):
    before = [document(name, "Same.", f"{name} words.", tags=("t",)) for name in ("a.md", "b.md", "c.md", "d.md")]
    store.apply("r", [Change(note) for note in before])
    store.apply(
        "r",
        [
            Change(document("a.md", "Other.")),
            Change(document("new/b.md", "Same.", "b.md words.", tags=("t",)), "b.md"),
            Change(None, "c.md"),
            Change(None, "never.md"),
            Change(document("e.md")),
        ],
    )
    fresh = new_url()
    with open_store(fresh, create=True) as other:
        for note in before:
            other.replace("r", note)
        other.replace("r", document("a.md", "Other."))
        other.replace("r", document("new/b.md", "Same.", "b.md words.", tags=("t",)), instead_of="b.md")
        other.delete("r", "c.md")
        other.replace("r", document("e.md"))
    assert dump(store_url) == dump(fresh)


def test_changes_together_happen_together_or_not_at_all(store, store_url):
    store.apply("r", [Change(document("a.md", "Kept."))])
    before = dump(store_url)
    broken = document("b.md", "Lost.")
    broken = type(broken)(broken.file, broken.format, broken.title, records=broken.records)  # no words
    with pytest.raises(ValueError, match="zip"):
        store.apply("r", [Change(document("c.md", "New.")), Change(None, "a.md"), Change(broken)])
    assert dump(store_url) == before


def test_many_documents_are_more_than_one_statement_takes(store):
    store.apply("r", [Change(document(f"{n:04}.md", "Text.")) for n in range(1200)])
    assert len(store.places("r", [f"{n:04}.md" for n in range(1200)])) == 1200
    store.apply("r", [Change(None, f"{n:04}.md") for n in range(1199)])
    assert list(store.files("r")) == ["1199.md"]


def test_places_are_what_chunks_say_and_where(store):
    store.apply("r", [Change(document("a.md", "One.", "Two.")), Change(document("empty.md"))])
    store.apply("other", [Change(document("a.md", "Else."))])
    assert store.places("r", ["a.md", "empty.md", "none.md"]) == {
        "a.md": [Place("part", 0, "One.", 1), Place("part", 1, "Two.", 1)],
        "empty.md": [],
    }


def test_passages_wait_with_their_documents_until_they_have_a_vector(store):
    store.apply("r", [Change(document("a.md", "Same.", "One.")), Change(document("b.md", "Same."))])
    store.apply("s", [Change(document("a.md", "Same."))])
    waiting = store.waiting("m", 99)
    assert [(w.root, w.path, w.text.split()[-1]) for w in waiting] == [
        ("r", "a.md", "Same."),
        ("r", "a.md", "One."),
        ("r", "b.md", "Same."),
        ("s", "a.md", "Same."),
    ]
    assert store.waiting("m", 2) + store.waiting("m", 9, waiting[1].row) == waiting
    same, one = waiting[0].content_hash, waiting[1].content_hash
    assert store.unembedded("m", {same, one, "0" * 32}) == {same, one, "0" * 32}
    store.add_vectors("m", {same: np.ones(4, dtype=np.float32) / 2})
    assert store.unembedded("m", [same, one]) == {one}
    assert store.unembedded("other", [same, one]) == {same, one}
    assert [w.content_hash for w in store.waiting("m", 9)] == [one]


def test_a_sync_a_plan_and_a_refusal_are_the_same_on_every_store(store, store_url, new_url, tmp_path):
    folder = Folder(tmp_path)
    settings, options = IndexSettings(Settings(max_tokens=60)), FileOptions()
    for number in range(30):
        folder.write(f"{number % 4}/{number:02}é.md", f"# Note {number}\n\nText {number}.\n\n## Part\n\n日本 words.\n")

    def synced(**arguments):
        plan = make_plan(store, folder.path, "r", options, settings)
        report = sync(store, folder.path, "r", options, settings, **arguments)
        assert (plan.report.documents, plan.report.changes) == (report.documents, report.changes)
        assert (plan.report.chunks, plan.report.passages) == (report.chunks, report.passages)
        assert plan.to_embed == store.coverage("").pending
        return report.documents

    assert synced().added == 30
    (folder.path / "0").rename(folder.path / "zero")
    (folder.path / "1/01é.md").unlink()
    folder.write("2/02é.md", "# Note 2\n\nEdited.\n")
    documents = synced()
    assert (documents.moved, documents.deleted, documents.changed) == (8, 1, 1)
    fresh = new_url()
    with open_store(fresh, create=True) as other:
        sync(other, folder.path, "r", options, settings)
    assert dump(store_url) == dump(fresh)
    for name in ("2", "3", "zero"):
        (folder.path / name).rename(tmp_path / name)
    with pytest.raises(MassDeletionError, match="22 of 29"):
        sync(store, folder.path, "r", options, settings)
    assert dump(store_url) == dump(fresh)
    assert synced(allow_mass_deletion=True).deleted == 22
