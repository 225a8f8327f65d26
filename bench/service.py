"""Searches per second and their times by `headwise serve`, asked by wrk over 16 connections, alone and during a sync.

    python bench/service.py FOLDER … [--keep PLACE] [--seconds 20] [--connections 16] [--json FILE]

The Markdown files of the folders are copied to a folder of their own and indexed as ever, with vectors by the default
model; `--keep` has it in that place and finds it again. Queries are four to eight words in a row of lines drawn from
the documents, 500 of them, the same ones every time, each asked for 5 hits. Before the last run every document is
changed, and synced by `POST /index` meanwhile; how far the sync was at its end is said.
Needs wrk (Debian's package `wrk`). All of it is on one machine: wrk takes its share of the cores, too.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import httpx
from _results import save

QUERIES = 500
_LUA = """
local at, queries = 0, {{ {queries} }}
function init(args) math.randomseed(os.time()); at = math.random(#queries) end
request = function()
  at = at % #queries + 1
  return wrk.format("GET", "/search?limit=5&q=" .. queries[at])
end
"""


class Run(NamedTuple):
    """What wrk says of a run; times in milliseconds."""

    per_second: float
    p50: float
    p99: float
    failed: int
    cpu: float
    """Of the service, for each search: it says most where other work is going on."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what was found to it")
    asked = parser.parse_args()
    if shutil.which("wrk") is None:
        sys.exit("wrk is not installed")
    with tempfile.TemporaryDirectory() as place:
        notes = (asked.keep or Path(place)) / "notes"
        if not (notes / ".headwise").is_dir():
            copy(notes, asked.folders)
            subprocess.run([sys.executable, "-m", "headwise", "index", str(notes)], check=True, stdout=sys.stderr)
        script = Path(place) / "queries.lua"
        made = ", ".join(f'"{quote(query)}"' for query in queries(notes))
        script.write_text(_LUA.format(queries=made))
        save(asked.json, serve(notes, script, asked.connections, asked.seconds))


def serve(notes: Path, script: Path, connections: int, seconds: int) -> dict[str, Any]:
    command = [sys.executable, "-m", "headwise", "serve", str(notes), "--port", "0", "--log-json"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr
        url = re.findall(r'"url": "([^"]*)/"', process.stderr.readline())[0]
        # Somebody has to read what it says.
        sink = subprocess.Popen(["cat"], stdin=process.stderr, stdout=subprocess.DEVNULL)
        with httpx.Client(base_url=url, timeout=600, trust_env=False) as client:
            found = report(client, script, connections, seconds, process.pid, notes)
    finally:
        process.terminate()
        process.wait()
    sink.wait()
    return found


def report(client: httpx.Client, script: Path, connections: int, seconds: int, pid: int, notes: Path) -> dict[str, Any]:
    health = client.get("/health").json()
    print(f"{health['documents']:,} documents, {health['chunks']:,} chunks, {health['passages']:,} passages")
    print(f"load before: {os.getloadavg()[0]:.1f}")
    print("| | searches per second | p50 ms | p99 ms | CPU ms for each | failed |\n|---|---|---|---|---|---|")
    wrk(client, script, connections, 5, pid)  # warm
    runs = [
        show("one connection", wrk(client, script, 1, seconds, pid)),
        show(f"{connections} connections", wrk(client, script, connections, seconds, pid)),
    ]
    for file in notes.rglob("*.md"):
        with file.open("a") as opened:
            opened.write(f"\nTouched at {time.time_ns()}.\n")
    job = client.post("/index", json={}).json()["id"]
    while client.get(f"/jobs/{job}").json()["progress"]["done"] == 0:
        time.sleep(0.05)
    runs.append(show(f"{connections} connections, during a sync", wrk(client, script, connections, seconds, pid)))
    state: dict[str, Any] = client.get(f"/jobs/{job}").json()
    print(f"the sync is {state['state']} at its end: {state['progress']}")
    held = memory(pid)
    print(f"memory of the service: {held:.0f} MB")
    counts = {name: health[name] for name in ("documents", "chunks", "passages")}
    return counts | {"seconds": seconds, "runs": runs, "synced": state["progress"], "memory": held}


def show(name: str, run: Run) -> dict[str, object]:
    times = f"{run.per_second:.0f} | {run.p50:.0f} | {run.p99:.0f} | {run.cpu:.1f}"
    print(f"| {name} | {times} | {run.failed} |", flush=True)
    return {"name": name} | run._asdict()


def wrk(client: httpx.Client, script: Path, connections: int, seconds: int, pid: int) -> Run:
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "--timeout", "30s", "-s", str(script)]
    begun = worked(pid)
    said = subprocess.run([*command, str(client.base_url)], check=True, capture_output=True, text=True).stdout
    cpu = worked(pid) - begun
    failed = sum(map(int, re.findall(r"(?:connect|read|write|timeout|responses:) (\d+)", said)))
    return Run(
        float(re.findall(r"Requests/sec: *([\d.]+)", said)[0]),
        milliseconds(re.findall(r"50% *([\d.]+\w+)", said)[0]),
        milliseconds(re.findall(r"99% *([\d.]+\w+)", said)[0]),
        failed,
        1000 * cpu / int(re.findall(r"(\d+) requests in", said)[0]),
    )


def milliseconds(said: str) -> float:
    number, unit = re.fullmatch(r"([\d.]+)([a-z]+)", said).groups()  # pyright: ignore[reportOptionalMemberAccess]
    return float(number) * {"us": 0.001, "ms": 1, "s": 1000, "m": 60_000}[unit]


def copy(notes: Path, folders: list[Path]) -> None:
    for folder in folders:
        for file in sorted(folder.rglob("*.md")):
            if file.is_file():
                copied = notes / folder.name / file.relative_to(folder)
                copied.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file, copied)
                copied.chmod(0o644)


def queries(notes: Path) -> list[str]:
    pick = random.Random(1)
    files = sorted(notes.rglob("*.md"))
    made: list[str] = []
    while len(made) < QUERIES:
        lines = pick.choice(files).read_text("utf-8", "replace").splitlines()
        words = re.findall(r"\w+", pick.choice(lines)) if lines else []
        length = pick.randint(4, 8)
        if len(words) >= length:
            at = pick.randrange(len(words) - length + 1)
            made.append(" ".join(words[at : at + length]))
    return made


def worked(pid: int) -> float:
    """Seconds of cores that a process took until now, without its children."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory(pid: int) -> float:
    """Megabytes of a process in memory."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


if __name__ == "__main__":
    main()
