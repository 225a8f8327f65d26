"""A watched folder: a real process, real files, and a store that follows whatever happens to them."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from support_endpoint import reply, serving
from support_store import dump

from headwise.errors import ReadingError
from headwise.indexing.watch import wakes

PATIENCE = 60.0
"""Seconds to wait for something to happen: many, for a busy machine; what happens is waited for, nothing else."""

TEXTS = "SELECT path, text FROM documents LEFT JOIN chunks ON document_id = documents.id ORDER BY path, position"


class Watching:
    """A process that watches *folder*, and what it said."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.folder, self.store = folder, folder / ".headwise" / "index.db"
        command = [sys.executable, "-m", "headwise", "watch", str(folder), "--interval", "0.05", "--json", *options]
        environ = {name: value for name, value in os.environ.items() if not name.startswith("HEADWISE_")}
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environ, cwd=folder.parent
        )
        self.runs: list[dict] = []
        self.errors: list[str] = []
        self.threads = [
            threading.Thread(target=self._read, args=(self.process.stdout, self.runs, json.loads)),
            threading.Thread(target=self._read, args=(self.process.stderr, self.errors, bytes.decode)),
        ]
        for thread in self.threads:
            thread.start()

    def _read(self, stream, into: list, parse: Callable) -> None:
        into.extend(parse(line.rstrip()) for line in stream)

    def until(self, is_so: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE
        while not is_so():
            assert self.process.poll() is None, ("it ended", self.errors)
            assert time.monotonic() < deadline, (self.texts(), self.runs, self.errors)
            time.sleep(0.02)

    def texts(self) -> dict[str, list[str]]:
        """Path → texts of its chunks."""
        if not self.store.exists():
            return {}
        found: dict[str, list[str]] = {}
        with closing(sqlite3.connect(self.store)) as store:
            try:
                rows = store.execute(TEXTS).fetchall()
            except sqlite3.OperationalError:  # it is being made
                return {}
        for path, text in rows:
            found.setdefault(path, []).append(text)
        return found

    def follows(self) -> None:
        """Waits until the store holds what the folder holds, and nothing else."""
        wanted = {
            file.relative_to(self.folder).as_posix(): [file.read_text().rstrip()]
            for file in self.folder.rglob("*.md")
            if ".headwise" not in file.parts
        }
        self.until(lambda: self.texts() == wanted)

    def end(self, how: int = signal.SIGTERM) -> int:
        self.process.send_signal(how)
        code = self.process.wait(PATIENCE)
        for thread in self.threads:
            thread.join()
        self.process.stdout.close()
        self.process.stderr.close()
        return code


@contextmanager
def watching(folder: Path, *options: str):
    watch = Watching(folder, *options)
    try:
        yield watch
    finally:
        if watch.process.poll() is None:
            watch.process.kill()
        watch.end(signal.SIGKILL)


@pytest.fixture
def folder(tmp_path):
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("First.\n")
    return notes


def test_the_store_follows_whatever_happens_to_files_and_equals_one_made_anew(folder, tmp_path):
    with watching(folder, "--no-embed") as watch:
        watch.follows()

        (folder / "a.md").write_text("Edited.\n")
        watch.follows()

        (folder / ".a.md.swp").write_text("Saved by an editor that renames.\n")
        (folder / ".a.md.swp").replace(folder / "a.md")
        watch.follows()

        (folder / "new" / "deeper").mkdir(parents=True)
        (folder / "new" / "deeper" / "b.md").write_text("In a folder just made.\n")
        watch.follows()

        (folder / "new").rename(folder / "moved")
        watch.follows()
        (folder / "moved" / "deeper" / "b.md").write_text("Written in a folder that moved.\n")
        watch.follows()

        (tmp_path / "outside").mkdir()
        (tmp_path / "outside" / "c.md").write_text("From elsewhere.\n")
        (tmp_path / "outside").rename(folder / "inside")
        watch.follows()

        shutil.rmtree(folder / "moved")
        watch.follows()

        (folder / "inside" / ".gitignore").write_text("c.md\n")
        watch.until(lambda: "inside/c.md" not in watch.texts())
        (folder / "inside" / ".gitignore").unlink()
        watch.follows()

        (folder / "a.md").unlink()
        watch.follows()
        assert watch.end() == 0
        assert watch.errors == []
    followed = dump(watch.store)
    shutil.rmtree(folder / ".headwise")
    subprocess.run([sys.executable, "-m", "headwise", "index", folder, "--no-embed"], check=True, capture_output=True)
    assert dump(watch.store) == followed


def test_a_burst_is_few_runs_and_each_run_is_one_line(folder):
    with watching(folder, "--no-embed") as watch:
        watch.until(lambda: len(watch.runs) == 1)
        for number in range(1000):
            (folder / f"{number}.md").write_text(f"Note {number}.\n")
        watch.follows()
        watch.end()
    assert watch.runs[0]["documents"]["added"] == 1
    assert len(watch.runs) < 40
    assert watch.errors == []


def test_new_text_is_embedded_and_nothing_is_embedded_twice(folder):
    with watching(folder) as watch:
        watch.until(lambda: bool(watch.runs))
        (folder / "b.md").write_text("Second.\n")
        watch.until(lambda: len(watch.runs) == 2)
        (folder / "sub").mkdir()
        (folder / "b.md").rename(folder / "sub" / "b.md")
        watch.until(lambda: len(watch.runs) == 3)
        watch.end()
    assert [(run["embedded"], run["reused"], run["pending"]) for run in watch.runs] == [(1, 0, 0), (1, 1, 0), (0, 2, 0)]
    assert watch.runs[2]["documents"]["moved"] == 1


def test_a_model_that_does_not_answer_is_said_once_and_asked_again(folder):
    with serving() as server:
        (folder / "headwise.toml").write_text(f"model = 'tiny'\nmodel_url = '{server.url}'\n")
        with watching(folder) as watch:
            watch.until(lambda: len(watch.runs) == 1)
            server.answers.append(reply(400, {"error": "not today"}))
            (folder / "b.md").write_text("Second.\n")
            watch.until(lambda: len(watch.runs) == 3)
            assert watch.end() == 0
    assert [(run["documents"]["added"], run["embedded"], run["pending"]) for run in watch.runs] == [
        (1, 1, 0),
        (1, 0, 1),
        (0, 1, 0),
    ]
    assert len(watch.errors) == 1
    assert "not today" in watch.errors[0]


def test_changed_settings_are_taken_up_and_wrong_ones_said_once(folder):
    (folder / "a.md").write_text("# One\n\n" + "A sentence of some length that is repeated. " * 30)
    with watching(folder, "--no-embed") as watch:
        watch.until(lambda: len(watch.texts().get("a.md", ())) == 1)
        (folder / "headwise.toml").write_text("max_tokens = 60\n")
        watch.until(lambda: len(watch.texts()["a.md"]) > 3)
        assert watch.errors == ["settings changed"]

        (folder / "headwise.toml").write_text("max_tokens = 'many'\n")
        watch.until(lambda: len(watch.errors) == 2)
        (folder / "b.md").write_text("Kept waiting.\n")
        time.sleep(2.2)
        assert watch.errors[1:] == [f"{folder}/headwise.toml: max_tokens is 'many'; it must be a whole number"]

        (folder / "headwise.toml").unlink()
        watch.until(lambda: len(watch.texts()["a.md"]) == 1 and "b.md" in watch.texts())
        assert watch.end() == 0
        assert watch.errors[2:] == ["settings changed"]


def test_what_is_wrong_with_a_file_is_said_once_and_again_when_it_comes_back(folder):
    binary, said = b"\x89PNG\r\n\x1a\n\0\0", "bad.md: looks like a binary file, not text"
    (folder / "bad.md").write_bytes(binary)
    with watching(folder, "--no-embed") as watch:
        watch.until(lambda: watch.errors == [said])
        for number in range(3):
            (folder / "b.md").write_text(f"Edit {number}.\n")
            watch.until(lambda number=number: watch.texts().get("b.md") == [f"Edit {number}."])
        assert watch.errors == [said]

        (folder / "bad.md").write_text("Good.\n")
        watch.follows()
        (folder / "bad.md").write_bytes(binary)
        watch.until(lambda: watch.errors == [said, said])
        watch.end()


def test_a_folder_that_is_gone_is_waited_for_and_nothing_is_deleted(folder, tmp_path):
    store = tmp_path / "index.db"
    with watching(folder, "--no-embed", "--store", str(store)) as watch:
        watch.store = store
        watch.follows()
        before = dump(store)["chunks"]

        folder.rename(tmp_path / "away")
        watch.until(lambda: bool(watch.errors))
        assert watch.errors == [f"{folder}: is not there; waiting for it"]
        folder.mkdir()  # what is left of a disk that was taken out
        watch.until(lambda: len(watch.errors) == 2)
        assert watch.errors[1] == f"{folder}: no documents to index here"
        assert dump(store)["chunks"] == before

        folder.rmdir()
        (tmp_path / "away" / "b.md").write_text("Written while it was away.\n")
        (tmp_path / "away").rename(folder)
        watch.follows()
        (folder / "a.md").write_text("It is heard again.\n")
        watch.follows()
        assert watch.end() == 0


def test_a_store_in_use_is_waited_for(folder):
    with watching(folder, "--no-embed") as watch:
        watch.follows()
        with closing(sqlite3.connect(watch.store, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            (folder / "a.md").write_text("Written while another run writes.\n")
            time.sleep(0.7)
            assert watch.texts()["a.md"] == ["First."]
            other.execute("ROLLBACK")
        watch.follows()
        assert watch.end() == 0
        assert watch.errors == []


def test_it_ends_quietly_in_the_middle_of_work_and_leaves_nothing_half_written(folder):
    for number in range(600):
        (folder / f"{number}.md").write_text(f"# Note {number}\n\n" + f"Sentence {number}. " * 100)
    with watching(folder, "--no-embed") as watch:
        watch.until(lambda: len(watch.texts()) > 20)
        assert watch.end() == 0
    assert watch.errors == []
    some = len(dump(watch.store)["documents"])
    assert 20 < some < 601
    with watching(folder, "--no-embed") as watch:
        watch.until(lambda: bool(watch.runs))
        assert watch.end(signal.SIGINT) == 0
    assert watch.errors == []
    assert len(dump(watch.store)["documents"]) == 601
    assert watch.runs[0]["documents"]["added"] == 601 - some


@pytest.mark.parametrize(
    ("path", "options", "says"),
    [
        ("gone", (), "gone: no such file or folder"),
        ("notes/a.md", (), "is a file, not a folder"),
        ("empty", (), "no documents to index here"),
        ("notes", ("--store", "notes/a.md"), "is not a Headwise store"),
        ("notes", ("--max-tokens", "0"), "max_tokens is 0"),
        ("notes", ("--model", "bert"), "unknown model 'bert'"),
    ],
)
def test_what_is_wrong_from_the_beginning_ends_it(folder, tmp_path, path, options, says):
    (tmp_path / "empty").mkdir()
    done = subprocess.run(
        [sys.executable, "-m", "headwise", "watch", path, *options],
        cwd=tmp_path,
        capture_output=True,
        timeout=PATIENCE,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert says in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_store_among_the_notes_does_not_wake_itself(folder):
    with watching(folder, "--no-embed", "--store", str(folder / "notes.db")) as watch:
        watch.store = folder / "notes.db"
        watch.follows()
        with closing(sqlite3.connect(watch.store)) as store:
            watch.until(lambda: store.execute("SELECT count(*) FROM runs").fetchone() == (1,))
            time.sleep(0.7)
            assert store.execute("SELECT count(*) FROM runs").fetchone() == (1,)
        (folder / "notes.db.md").write_text("A note about the store.\n")
        watch.follows()
        watch.end()


def test_only_a_part_is_watched_if_a_part_is_asked_for(folder):
    (folder / ".headwise").mkdir()
    (folder / "sub").mkdir()
    (folder / "sub" / "b.md").write_text("In the part.\n")
    with watching(folder / "sub", "--no-embed") as watch:
        watch.store = folder / ".headwise" / "index.db"
        watch.until(lambda: set(watch.texts()) == {"sub/b.md"})
        (folder / "a.md").write_text("Outside of it.\n")
        (folder / "sub" / "c.md").write_text("Inside.\n")
        watch.until(lambda: set(watch.texts()) == {"sub/b.md", "sub/c.md"})
        watch.end()


def test_a_line_for_people_says_what_was_done(folder):
    command = [sys.executable, "-m", "headwise", "watch", str(folder), "--no-embed"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        line = process.stdout.readline()
        process.terminate()
        assert process.wait(PATIENCE) == 0
    assert line[2] == line[5] == ":"
    assert line[8:].startswith("  1 added, 1 pending, ")


# The clock of it, without a process


def told(folder: Path, number: int, *, is_own=lambda _: False, quiet: float = 0.05, act=lambda _: None) -> list[str]:
    """The first wakes about *folder*; *act* is called after each."""
    found: list[str] = []
    stop = threading.Event()
    for wake in wakes(folder, quiet, is_own, stop):
        found.append(wake)
        if len(found) == number:
            stop.set()
        act(len(found))
    return found


def test_the_first_wake_comes_when_changes_are_heard_already(folder):
    def act(number: int) -> None:
        if number == 1:
            (folder / "b.md").write_text("Right after.\n")

    assert told(folder, 2, act=act) == ["changed", "changed"]


def test_what_lies_in_hidden_folders_of_tools_or_is_of_the_store_is_no_change(folder):
    for name in (".git", ".headwise", ".obsidian", ".trash"):
        (folder / name / "deep").mkdir(parents=True)

    def act(number: int) -> None:
        if number == 1:
            for name in (".git", ".headwise", ".obsidian", ".trash"):
                (folder / name / "deep" / "x.md").write_text("x")
            (folder / "own.db-wal").write_text("x")

    assert told(folder, 3, act=act, is_own=lambda path: "own.db" in path) == ["changed", "idle", "idle"]


def test_that_there_is_such_a_folder_is_one(folder):
    def act(number: int) -> None:
        if number == 1:
            (folder / ".obsidian").mkdir()

    assert told(folder, 2, act=act) == ["changed", "changed"]


def test_now_and_then_it_is_compared_anyway(folder, monkeypatch):
    monkeypatch.setattr("headwise.indexing.watch._SELDOM", 0.0)
    assert told(folder, 2) == ["changed", "changed"]


def test_without_the_package_one_line_says_what_to_install(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "watchfiles", None)
    with pytest.raises(ReadingError, match=r'watching needs watchfiles: pip install "headwise\[watch\]"'):
        next(wakes(folder, 0.1, lambda _: False, threading.Event()))


def test_a_system_that_watches_no_more_is_one_line(folder, monkeypatch):
    import watchfiles

    def refuse(*_: object, **__: object):
        raise OSError("OS file watch limit reached.")
        yield

    monkeypatch.setattr(watchfiles, "watch", refuse)
    with pytest.raises(ReadingError, match=r"cannot be watched \(OS file watch limit reached.\); set WATCHFILES_FORCE"):
        next(wakes(folder, 0.1, lambda _: False, threading.Event()))
