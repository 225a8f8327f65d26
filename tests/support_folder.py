"""A folder of notes with a store that follows it, and changes to it at random."""

from __future__ import annotations

import os
import random
import shutil
import time
from collections.abc import Callable
from itertools import chain, count
from pathlib import Path

from support_store import dump

from headwise.chunking.settings import Settings
from headwise.indexing.files import FileOptions
from headwise.indexing.plan import Plan, make_plan
from headwise.indexing.prepare import TICK_NS
from headwise.indexing.records import IndexSettings
from headwise.indexing.sync import SyncEvent, SyncReport, sync
from headwise.stores.open import open_store
from headwise.stores.store import Filters

ROOT = "notes"


class Folder:
    """A folder of notes and the store that is to follow it: a file beside it, or what *new_url* gives."""

    def __init__(self, path: Path, new_url: Callable[[], str] | None = None) -> None:
        self.path = path / "notes"
        self.path.mkdir()
        self.file = path / "index.db"
        files = chain([self.file], (path / f"fresh-{number}.db" for number in count(1)))
        self.new_url = new_url or (lambda: str(next(files)))
        self.url = self.new_url()
        self.settings = IndexSettings(Settings(max_tokens=60))
        self.options = FileOptions()
        self.events: list[SyncEvent] = []

    def write(self, name: str, text: str, *, quiet: bool = True) -> None:
        """Writes a file; *quiet* as if that was long ago, else just now."""
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        if quiet:
            age(file)

    def sync(self, **arguments) -> SyncReport:
        self.events.clear()
        with open_store(self.url, create=True) as store:
            return sync(store, self.path, ROOT, self.options, self.settings, on_event=self.events.append, **arguments)

    def plan(self, **arguments) -> Plan:
        """What would be done, seen without leaving a trace."""
        with open_store(self.url, read_only=True) as store:
            return make_plan(store, self.path, ROOT, self.options, self.settings, **arguments)

    def outcomes(self, **arguments) -> dict[str, list[str]]:
        self.sync(**arguments)
        found: dict[str, list[str]] = {}
        for event in self.events:
            found.setdefault(event.outcome, []).append(event.path)
        return found

    def dump(self):
        return dump(self.url)

    def rebuilt(self):
        """What a store made from nothing holds."""
        fresh = self.new_url()
        with open_store(fresh, create=True) as store:
            sync(store, self.path, ROOT, self.options, self.settings)
        return dump(fresh)

    def stored(self) -> list[str]:
        with open_store(self.url) as store:
            return list(store.files(ROOT))

    def found(self, word: str) -> list[str]:
        with open_store(self.url) as store:
            matches = store.match([word], Filters(), 50)
            return sorted(chunk.id for chunk in store.chunks([m.chunk for m in matches]).values())


def age(file: Path) -> None:
    """Makes *file* quiet: its change time cannot be set, so wait until it is a tick old."""
    old = time.time_ns() - 3_600_000_000_001
    os.utime(file, ns=(old, old))


def settle() -> None:
    time.sleep(TICK_NS / 1e9 + 0.01)


WORDS = ("motor", "wheel", "arm", "gear", "sensor", "電動機", "башня", "battery", "wire", "pin")


def random_note(pick: random.Random) -> str:
    parts = [f"---\ntags: [{pick.choice(WORDS)}]\n---\n\n"] if pick.random() < 0.3 else []
    for _ in range(pick.randrange(4)):
        parts.append(f"{'#' * pick.randint(1, 3)} {pick.choice(WORDS)}\n\n")
        parts += [" ".join(pick.choices(WORDS, k=pick.randint(1, 40))) + ".\n\n" for _ in range(pick.randrange(4))]
    return "".join(parts)


def random_change(pick: random.Random, notes: Folder) -> None:
    files = sorted(path for path in notes.path.rglob("*") if path.is_file())
    name = f"{pick.choice(['', 'x/', 'x/y/'])}{pick.choice('abcdefg')}.md"
    kind = pick.choice(["write", "write", "edit", "move", "delete", "touch", "copy", "settings"])
    if kind == "write" or not files:
        notes.write(name, random_note(pick), quiet=pick.random() < 0.5)
    elif kind == "edit":
        with pick.choice(files).open("a", encoding="utf-8") as file:
            file.write(f"\n{pick.choice(WORDS)}\n")
    elif kind == "settings":
        notes.settings = IndexSettings(Settings(max_tokens=pick.choice([20, 60])), pick.choice([None, 16]))
    elif kind == "delete":
        pick.choice(files).unlink()
    elif kind == "touch":
        age(pick.choice(files))
    else:
        target = notes.path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        {"move": os.replace, "copy": shutil.copy}[kind](pick.choice(files), target.with_suffix(f".{kind}.md"))
