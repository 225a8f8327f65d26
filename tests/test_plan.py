"""Planning: what is said is what then happens, and saying it leaves no trace."""

from __future__ import annotations

import random
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from support_embedder import WordBag
from support_folder import Folder, random_change, settle

from headwise.chunking.settings import Settings
from headwise.errors import StoreError
from headwise.indexing.embed import embed_pending
from headwise.indexing.records import IndexSettings
from headwise.indexing.sync import DocumentCounts, SyncReport
from headwise.indexing.tally import ChunkChanges
from headwise.stores.open import open_store


@pytest.fixture
def notes(tmp_path):
    folder = Folder(tmp_path)
    folder.write("a.md", "# Alpha\n\nMotors turn wheels.\n\n## Wiring\n\nRed goes to plus, and black to ground.\n")
    folder.write("sub/b.md", "# Beta\n\nArms lift boxes.\n")
    settle()
    return folder


def without_time(report: SyncReport) -> SyncReport:
    return replace(report, seconds=0.0)


def state(folder: Path) -> list[tuple[str, int, int]]:
    """Everything below *folder*, with its size and the time it was last written."""
    entries = sorted(folder.rglob("*"))
    return [(str(entry), entry.stat().st_size, entry.stat().st_mtime_ns) for entry in [folder, *entries]]


def test_a_plan_says_what_changes_in_documents_and_chunks(notes):
    notes.settings = IndexSettings(Settings(max_tokens=60, min_tokens=0))
    notes.write("long.md", "# Long\n\nOne.\n\n## Two\n\nTwo.\n")
    notes.write("gone.md", "# Gone\n\nOne.\n\n## Two\n\nTwo.\n")
    notes.sync()
    text = (notes.path / "a.md").read_text()
    notes.write("a.md", text.replace("wheels", "belts") + "\n## New\n\nX.\n")
    notes.write("long.md", "# Long\n\nOne.\n")
    notes.write("c.md", "# Gamma\n\nGears.\n")
    (notes.path / "sub/b.md").rename(notes.path / "b.md")
    (notes.path / "gone.md").unlink()
    report = notes.plan().report
    assert report.documents == DocumentCounts(added=1, changed=2, moved=1, deleted=1)
    assert report.changes == ChunkChanges(added=2, changed=1, moved=1, unchanged=2, removed=3)
    assert (report.chunks, report.reused) == (6, 3)


def test_passages_to_embed_are_counted_once_with_their_tokens_and_price(notes):
    model = WordBag()
    notes.settings = IndexSettings(Settings(max_tokens=60, tokenizer="words"), embedder=model)
    notes.write("c.md", "# Beta\n\nArms lift boxes.\n")
    notes.sync()
    with open_store(str(notes.file)) as store:
        pending = store.pending(model.key, 99)
    plan = notes.plan()
    size = Settings(tokenizer="words").measure().size
    assert plan.to_embed == len(pending) == len({passage.text for passage in pending})
    assert plan.tokens == sum(size(passage.text) for passage in pending)
    assert plan.cost(2.5) == plan.tokens * 2.5 / 1_000_000
    with open_store(str(notes.file)) as store:
        embed_pending(store, model)
    assert (notes.plan().to_embed, notes.plan().tokens) == (0, 0)
    notes.write("d.md", "# Beta\n\nArms lift boxes.\n\n# Delta\n\nNew words here.\n")
    assert notes.plan().to_embed == 1


def test_planning_reads_a_store_without_leaving_a_trace(notes):
    notes.sync()
    notes.write("c.md", "# Gamma\n\nGears.\n")
    before = state(notes.file.parent)
    assert notes.plan().report.documents.added == 1
    assert state(notes.file.parent) == before
    with open_store(str(notes.file)) as store:
        assert len(store.runs()) == 1


def test_planning_beside_a_run_that_writes_sees_one_state_and_changes_nothing(notes):
    notes.sync()
    with closing(sqlite3.connect(notes.file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        other.execute("DELETE FROM documents")
        assert notes.plan().report.documents == DocumentCounts(unchanged=2)
        other.execute("ROLLBACK")
    assert notes.plan().report.documents == DocumentCounts(unchanged=2)


def test_a_store_of_an_older_headwise_is_not_brought_up_to_date_by_a_plan(notes):
    notes.sync()
    with closing(sqlite3.connect(notes.file)) as raw:
        raw.execute("PRAGMA user_version = 0")
        raw.commit()
    before = state(notes.file.parent)
    with pytest.raises(StoreError, match="older Headwise"):
        notes.plan()
    assert state(notes.file.parent) == before


@pytest.mark.parametrize("seed", range(12))
def test_a_plan_is_what_the_run_then_reports(notes, seed):
    pick = random.Random(seed)  # noqa: S311 - the same changes every time are wanted
    model = WordBag(max_tokens=pick.choice([12, 1000]))
    for _ in range(5):
        for _ in range(pick.randint(1, 5)):
            random_change(pick, notes)
        if pick.random() < 0.3:
            (notes.path / "garbage.md").write_bytes(pick.randbytes(3) + b"\0")
        notes.settings = replace(notes.settings, embedder=model)
        below = "x" if pick.random() < 0.2 and (notes.path / "x").is_dir() else ""
        arguments = {"below": below, "checksum": pick.random() < 0.2}
        if not notes.file.exists():
            open_store(str(notes.file), create=True).close()
        before = state(notes.file.parent)
        plan = notes.plan(**arguments)
        assert state(notes.file.parent) == before
        report = notes.sync(**arguments)
        assert without_time(plan.report) == without_time(report)
        with open_store(str(notes.file)) as store:
            waiting = store.coverage(model.key).pending
            assert (plan.to_embed + plan.unread) == waiting
            if pick.random() < 0.6:
                embedded = embed_pending(store, model)
                assert (plan.to_embed, plan.unread) == (embedded.embedded, embedded.unread)


def test_a_plan_with_several_workers_says_the_same(notes, monkeypatch):
    for number in range(80):
        notes.write(f"many/{number}.md", f"# Note {number}\n\nText {number}.\n")
    notes.sync()
    shutil.move(notes.path / "many", notes.path / "more")
    monkeypatch.setattr("headwise.indexing.workers.WORTHWHILE", 0)
    plans = [notes.plan(workers=workers) for workers in (1, 3)]
    assert plans[0].report.documents.moved == 80
    assert replace(plans[0], report=without_time(plans[0].report)) == replace(
        plans[1], report=without_time(plans[1].report)
    )
