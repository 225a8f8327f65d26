"""Seconds, CPU and memory of syncing many small files: the first run, one that finds nothing to do, one after edits.

    python bench/sync.py [--files 10000 100000] [--real FOLDER …] [--store URL] [--workers N] [--json FILE]

Files of 2 kB with headings and paragraphs of made-up words, the same ones every time, a hundred in a folder; or with
`--real` the Markdown files of these folders, some again under other names if they are too few. Each
run is `headwise index FOLDER --no-embed` as a process of its own. CPU is of that process and all that it starts;
memory is the most that it itself, and all of them together, had at once (looked at every 20 ms; pages they share
are counted for each). Needs /proc. A store in a database server is named by `--store` (an empty schema): then the
server's own work is not counted.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import NamedTuple

from _results import save

SIZE = 2_000
PER_FOLDER = 100
PAGE = os.sysconf("SC_PAGE_SIZE")


class Cost(NamedTuple):
    """What a run took: CPU seconds and bytes."""

    seconds: float
    cpu: float
    own: int
    """The most memory of the command itself."""
    all: int
    """The most memory of all its processes together."""


def words() -> list[str]:
    pick = random.Random(1)
    return ["".join(pick.choices("abcdefghijklmnoprstuvwz", k=pick.randint(2, 10))) for _ in range(4_000)]


def note(vocabulary: list[str], seed: int) -> str:
    pick = random.Random(seed)
    parts = [f"# {' '.join(pick.choices(vocabulary, k=3))}\n\n"]
    size = len(parts[0])
    while size < SIZE:
        heading = f"## {' '.join(pick.choices(vocabulary, k=2))}\n\n" if len(parts) % 3 == 1 else ""
        parts.append(f"{heading}{' '.join(pick.choices(vocabulary, k=pick.randint(20, 50))).capitalize()}.\n\n")
        size += len(parts[-1])
    return "".join(parts)[:SIZE]


def path_of(folder: Path, number: int) -> Path:
    return folder / f"{number // PER_FOLDER // 100:03}" / f"{number // PER_FOLDER % 100:02}" / f"{number:06}.md"


def make(folder: Path, number: int) -> None:
    vocabulary = words()
    for seed in range(number):
        file = path_of(folder, seed)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(note(vocabulary, seed))


def copy(folder: Path, number: int, real: list[Path]) -> None:
    files = [(place, file) for place in real for file in sorted(place.rglob("*.md")) if file.is_file()]
    for seed, (place, file) in zip(range(number), itertools.cycle(files), strict=False):
        copied = folder / f"{place.name}-{seed // len(files)}" / file.relative_to(place)
        copied.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copied)


def edit(folder: Path, share: int) -> None:
    """Adds a sentence to the first file in every *share*."""
    for path in sorted(folder.rglob("*.md"))[::share]:
        with path.open("a") as file:
            file.write("\nAnd one more sentence.\n")


def measured(command: list[str]) -> tuple[Cost, dict]:
    """Runs *command* in a session of its own and watches all of it."""
    begun = time.perf_counter()
    running = subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True)
    peaks = {"own": 0, "all": 0}
    done = threading.Event()

    def watch() -> None:
        while not done.wait(0.02):
            memory: dict[int, int] = {}
            for entry in Path("/proc").iterdir():
                if not entry.name.isdigit():
                    continue
                try:
                    fields = (entry / "stat").read_text().rpartition(")")[2].split()
                except OSError:
                    continue
                if int(fields[3]) == running.pid:
                    memory[int(entry.name)] = int(fields[21]) * PAGE
            peaks["own"] = max(peaks["own"], memory.get(running.pid, 0))
            peaks["all"] = max(peaks["all"], sum(memory.values()))

    watcher = threading.Thread(target=watch)
    watcher.start()
    assert running.stdout is not None
    said = running.stdout.read()
    _, status, used = os.wait4(running.pid, 0)
    done.set()
    watcher.join()
    assert status == 0, said
    worked = used.ru_utime + used.ru_stime  # with all that it has started, as it waits for them
    own = max(peaks["own"], used.ru_maxrss * 1024)  # which sees what stands between two looks
    cost = Cost(time.perf_counter() - begun, worked, own, max(own, peaks["all"]))
    return cost, json.loads(said)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", nargs="+", type=int, default=[10_000, 100_000])
    parser.add_argument("--real", nargs="+", type=Path)
    parser.add_argument("--store", help="URL of an empty store; by default a file for each number of files")
    parser.add_argument("--workers", type=int, help="processes that cut; by default one for each core")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what was found to it")
    given = parser.parse_args()
    found: list[dict[str, object]] = []
    print("| files | run | documents | seconds | CPU seconds | MB, itself | MB, with its processes |")
    print("|---|---|---|---|---|---|---|")
    for number in given.files:
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place, "notes")
            if given.real:
                copy(folder, number, given.real)
            else:
                make(folder, number)
            store = given.store or str(Path(place, "index.db"))
            command = [sys.executable, "-m", "headwise", "index", str(folder), "--no-embed", "--json"]
            command += ["--store", store]
            command += ["--workers", str(given.workers)] if given.workers else []
            for run, share in (("first", 0), ("nothing changed", 0), ("one file edited", number), ("1 % edited", 100)):
                if share:
                    edit(folder, share)
                cost, report = measured(command)
                outcomes = ", ".join(f"{count:,} {name}" for name, count in report["documents"].items() if count)
                own, together = cost.own / 1e6, cost.all / 1e6
                print(
                    f"| {number:,} | {run} | {outcomes} | {cost.seconds:.1f} | {cost.cpu:.1f} | {own:.0f} "
                    f"| {together:.0f} |",
                    flush=True,
                )
                row = {"files": number, "run": run, "documents": report["documents"]}
                found.append(row | cost._asdict())
    save(given.json, found)


if __name__ == "__main__":
    main()
