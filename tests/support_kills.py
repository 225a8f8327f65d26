"""Runs in processes of their own, to be killed at any moment or to go on side by side.

As a script it imports everything once and then starts a child for every job it reads, one JSON object a line, so that
a run costs what it does and not its imports.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
import traceback
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, Self

from support_embedder import WordBag

from headwise.chunking.settings import Settings
from headwise.indexing import outcomes, workers
from headwise.indexing.embed import embed_pending
from headwise.indexing.files import FileOptions
from headwise.indexing.records import IndexSettings
from headwise.indexing.search import find
from headwise.indexing.sync import sync
from headwise.indexing.verify import verify
from headwise.stores import sqlite_care
from headwise.stores.open import open_store
from headwise.stores.store import Filters, Store

ROOT = "notes"
SETTINGS = IndexSettings(Settings(max_tokens=40), embedder=WordBag())


class Ended(NamedTuple):
    """How a child ended."""

    code: int
    seconds: float
    """Since it was started."""
    left: list[int]
    """Processes that it started and that did not end within twenty seconds after it."""
    said: Any = None


class Runner:
    """The process that starts the others, seen from the test."""

    def __enter__(self) -> Self:
        command = [sys.executable, __file__]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        assert self._line() == "ready"
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def start(self, what: str, url: str, folder: Path, **more: Any) -> int:
        """Starts a run; its number is to be given to `end`."""
        job = {"what": what, "url": url, "folder": str(folder), **more}
        return int(self._ask({"start": job}))

    def end(self, child: int, *, kill_after: float | None = None) -> Ended:
        """Waits for the end of a run, or kills it after so many seconds from now."""
        return Ended(*self._ask({"end": child, "kill_after": kill_after}))

    def run(self, what: str, url: str, folder: Path, **more: Any) -> Ended:
        return self.end(self.start(what, url, folder, **more))

    def _ask(self, question: dict[str, Any]) -> Any:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(question) + "\n")
        return json.loads(self._line())

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()


def processes_of(group: int) -> list[int]:
    """What still runs of a process group; nothing where the system does not tell."""
    found: list[int] = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[2]) == group and fields[0] != "Z":
            found.append(int(entry.name))
    return found


def do(job: dict[str, Any]) -> Any:
    """What a child does, with much smaller steps than usual, so that there are many moments between them."""
    outcomes._DOCUMENTS, workers.WORTHWHILE = 5, 0
    sqlite_care._LEAST_PAGES, sqlite_care._LEAST_SHARE = 1, 1_000_000
    what, folder = job["what"], Path(job["folder"])
    with open_store(job["url"], create=True) as store:
        if what in {"create", "sync", "workers"}:
            finish(store, folder, batch=10, workers=2 if what == "workers" else 1)
        elif what == "embed":
            embed_pending(store, WordBag(), batch=3)
        elif what == "gc":
            store.prune()
            store.compact()
        elif what == "mend":
            if ROOT in store.roots():
                verify(store, folder, ROOT, FileOptions(), SETTINGS, fix=True)
        elif what == "hold":
            with store._writing():  # type: ignore[attr-defined]
                Path(job["flag"]).touch()
                time.sleep(job["seconds"])
        else:
            return read_until(store, Path(job["flag"]))
    return None


def finish(store: Store, folder: Path, *, batch: int = 256, workers: int = 1) -> list[str]:
    """A run to its end; the texts that were embedded."""
    model = WordBag()
    sync(store, folder, ROOT, FileOptions(), SETTINGS, workers=workers, allow_mass_deletion=True)
    embed_pending(store, model, batch=batch)
    return model.seen


def read_until(store: Store, flag: Path) -> list[int]:
    """Searches and reads until *flag* is there: how often, and how many versions of documents were seen.

    Every chunk of a document says which version it is of, and how many chunks that has.
    """
    model, times, seen = WordBag(), 0, set[str]()
    while not flag.exists():
        times += 1
        found: dict[str, set[str]] = {}
        for hit in find(store, model, "version motor", Filters(), limit=60).hits:
            found.setdefault(hit.path, set()).add(hit.text.split()[-1])
        for path in store.files(ROOT):
            if (document := store.load(ROOT, path)) is not None:
                ends = [record.chunk.text.split()[-1] for record in document.records]
                assert len(ends) == int(ends[0].partition("/")[2]), ends
                assert len(set(ends)) == 1, ends
        assert all(len(ends) == 1 for ends in found.values()), found
        seen.update(*found.values())
    return [times, len(seen)]


def _serve() -> None:
    for late in ("headwise.stores.postgres", "psycopg"):  # so that no child has to
        import_module(late)

    print("ready", flush=True)  # noqa: T201 - to the test
    begun: dict[int, tuple[float, int]] = {}
    for line in sys.stdin:
        question = json.loads(line)
        if "start" in question:
            answer: Any = _start(question["start"], begun)
        else:
            answer = _end(question["end"], question["kill_after"], *begun.pop(question["end"]))
        print(json.dumps(answer), flush=True)  # noqa: T201 - to the test


def _start(job: dict[str, Any], begun: dict[int, tuple[float, int]]) -> int:
    ours, theirs = os.pipe()
    child = os.fork()
    if child:
        os.close(theirs)
        begun[child] = time.perf_counter(), ours
        return child
    os.setsid()  # Ctrl-C in a terminal is not for it, and what it starts can be found by it
    os.close(ours)
    os.dup2(2, 1)
    try:
        os.write(theirs, json.dumps(do(job)).encode())
    except BaseException:  # noqa: BLE001 - there is nobody to tell but by this
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def _end(child: int, kill_after: float | None, begun: float, pipe: int) -> Ended:
    if kill_after is not None:
        time.sleep(kill_after)
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    seconds = time.perf_counter() - begun
    code = os.waitstatus_to_exitcode(status)
    with os.fdopen(pipe) as said:
        # Workers may hold the pipe as long as they live: it is read only if there can be none.
        answer = json.loads(said.read()) if code == 0 else None
    deadline = time.monotonic() + 20
    while (left := processes_of(child)) and time.monotonic() < deadline:
        time.sleep(0.01)
    return Ended(code, seconds, left, answer)


def two_states(place: Path, pick: random.Random, number: int) -> tuple[Path, Path]:
    """A folder before and after many changes; what did not change is the same file in both, as in one folder."""
    one, two = place / "one", place / "two"
    for at in range(number):
        name, other = f"{at % 4}/{at:02}.md", f"{at % 4}/{at:02}.md"
        text = _note(at, pick)
        _write(one / name, text)
        kind = at % 6
        if kind == 0:
            _write(two / name, text.replace("Wheels", "Tracks"))
        elif kind == 1:
            other = f"moved/{at:02}.md"
        elif kind == 2:
            _write(two / f"new-{at:02}.md", _note(at + 100, pick))
        if kind in {1, 3, 4, 5} and at != 5:
            (two / other).parent.mkdir(parents=True, exist_ok=True)
            (two / other).hardlink_to(one / name)
    time.sleep(0.06)
    return one, two


def _note(number: int, pick: random.Random) -> str:
    parts = (f"## Part {part}\n\nWheels {pick.randrange(30)} turn by motor {number}.\n\n" for part in range(4))
    return f"# Note {number}\n\n" + "".join(parts)


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


if __name__ == "__main__":
    _serve()
