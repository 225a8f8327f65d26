"""How fast texts are cut, beside limits and the peers that are installed; how that grows; how long a start takes.

    python bench/speed.py cut [FOLDER …] [--rounds 5] [--megabytes 1] [--only WORD] [--json FILE]
    python bench/speed.py grow [FOLDER …] [--largest 100] [--json FILE]
    python bench/speed.py start [--json FILE]
    python bench/speed.py cores [FOLDER …] [--json FILE]

`cut`: megabytes per second. Every contender gets the same Markdown files, in turn, round after round, on one core;
its own processor time counts, and of the rounds the median. Each round has files that no round before it had, as some
contenders remember what they counted. The limits are one pass of the parser (its events) and one of the tokenizer
(counts of whole texts), which no cutter over these two can beat, and the least Python that can be called a cut.
Peers that count tokens do it with tiktoken, which needs its vocabulary on the disk (`TIKTOKEN_CACHE_DIR`), or with a
table of their own. Without a FOLDER: English, Chinese and Japanese, and mixed ones, if they are there (`_data.py`),
else the vault of the examples.

`grow`: processor time for one text against its size, from 10 kB on, and the slope of the line through both logarithms;
the peak of memory above what the process had before the text was made, by the size of the text in UTF-8; the same
for the files of each FOLDER, by default of some corpora, with all texts and chunks kept, and joined to one text.
`start`: the least of several times from a new interpreter to the first chunks, beside the peers. `cores`: a folder
read and cut by one process, and by two, by the clock.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from math import log
from pathlib import Path
from typing import Any

from _cutters import CHARACTERS, TOKENS, Cutter, Work, cutters, installed, named, tiktoken_encoding
from _data import VAULT, corpora, markdown
from _results import save

from headwise import Index, Settings, analyse
from headwise.indexing.models.embedder import latin_share

CORPORA = {
    "English": ("rust-rfcs", "k8s-keps", "prometheus-docs"),
    "Chinese and Japanese": ("tidb-zh", "fastapi/docs/zh", "fastapi/docs/ja"),
    "mixed, with code": ("rust-book/2018-edition", "fastapi/docs/en", "vue-zh", "react-ja"),
}
"""No folder twice: no text is to be seen before."""

MEMORY = ("rust-book", "rust-rfcs", "k8s-keps", "tidb-zh", "vue-zh", "fastapi")
"""Corpora whose memory is measured."""


def texts_of(folders: Sequence[Path]) -> Mapping[str, Iterator[str]]:
    """Streams of texts by name: each of the folders, or those that are there without being named."""
    if folders:
        return {folder.name: markdown([folder]) for folder in folders}
    there = {name: found for name, names in CORPORA.items() if (found := corpora(*names))}
    if not there:
        return {"examples/vault": markdown([VAULT])}
    return {name: filter(other if name == "Chinese and Japanese" else None, markdown(f)) for name, f in there.items()}


def other(text: str) -> bool:
    """Whether it is mostly in another script: folders of translations have pages that nobody translated."""
    return latin_share(text) < 0.7


def parts(texts: Iterator[str], rounds: int, megabytes: float) -> list[list[str]]:
    """Texts for each round, of so many megabytes; smaller ones if there are not enough."""
    sized: list[tuple[str, float]] = []
    total = 0.0
    for text in texts:
        sized.append((text, len(text.encode("utf-8", "replace")) / 1e6))
        total += sized[-1][1]
        if total >= rounds * megabytes:
            break
    found: list[list[str]] = [[] for _ in range(rounds)]
    done = 0.0
    for text, size in sized:
        found[min(int(done / total * rounds), rounds - 1)].append(text)
        done += size
    return [part for part in found if part]


def seconds(work: Work, texts: Sequence[str]) -> float:
    begun = time.process_time()
    for text in texts:
        work(text)
    return time.process_time() - begun


def rate(cutter: Cutter, texts: Sequence[str]) -> float:
    """Megabytes per second, over the share of *texts* that the cutter gets."""
    some = texts[: max(1, int(len(texts) * cutter.share))]
    return sum(len(text.encode("utf-8", "replace")) for text in some) / 1e6 / seconds(cutter.work, some)


def cut(folders: Sequence[Path], rounds: int, megabytes: float, only: str) -> list[dict[str, Any]]:
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    print(f"on one core, {TOKENS} tokens of cl100k_base or {CHARACTERS:,} characters, no overlap", flush=True)
    runners = [one for one in cutters() if only in one.name or one.kind == "headwise"]
    for one in runners:
        one.work("# A title\n\n" + "What is made at first use is made here.\n" * 200)
    found: list[dict[str, Any]] = []
    for name, texts in texts_of(folders).items():
        by_round = parts(texts, rounds, megabytes)
        rates = [[rate(one, part) for one in runners] for part in by_round]
        size = sum(len(text.encode("utf-8", "replace")) for part in by_round for text in part) / 1e6
        print(f"\n{name}: {sum(map(len, by_round))} files, {size:.1f} MB, median of {len(rates)} rounds")
        for unit in ("tokens", "characters"):
            print(f"  in {unit}\n    MB/s, least to most    headwise is × as fast")
            ours = next(at for at, one in enumerate(runners) if one.kind == "headwise" and one.unit == unit)
            rows = []
            for at, one in enumerate(runners):
                if one.unit == unit:
                    mine = [line[at] for line in rates]
                    times = statistics.median(line[ours] / line[at] for line in rates)
                    row = {"corpus": name, "name": one.name, "unit": unit, "kind": one.kind, "share": one.share}
                    rows.append(row | {"rate": statistics.median(mine), "low": min(mine), "high": max(mine)})
                    rows[-1]["headwise_is"] = times
            for row in sorted(rows, key=lambda row: -row["rate"]):
                bounds = f"{row['low']:8.2f} {row['high']:8.2f}"
                print(f"  {row['rate']:8.2f} {bounds} {row['headwise_is']:8.2f}   {row['name']}", flush=True)
            found += rows
    return found


def page() -> str:
    return "\n\n".join(path.read_text("utf-8") for path in sorted(VAULT.rglob("*.md")))


def grow(largest: float, folders: Sequence[Path]) -> dict[str, Any]:
    """Each size, and each folder, in a process of its own."""
    print("       MB    seconds   MB/s   peak MB   × the text")
    points: list[dict[str, float]] = []
    size = 0.01
    while size <= largest * 1.01:
        command = [sys.executable, __file__, "grow", "--one", str(round(size * 1e6))]
        told = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        points.append(told)
        megabytes, taken, peak = told["bytes"] / 1e6, told["seconds"], told["peak"] / 1e6
        row = f"  {megabytes:7.2f}   {taken:8.3f}   {megabytes / taken:5.2f}   {peak:7.0f}   {peak / megabytes:5.1f}"
        print(row, flush=True)
        size *= 10**0.5
    logs = [(log(one["bytes"]), log(one["seconds"])) for one in points]
    slope = statistics.linear_regression(*zip(*logs, strict=True)).slope
    print(f"slope of the logarithms: {slope:.3f}")
    print("       MB   peak of all files, × them, of it the texts   as one text, × it, of it the text")
    memory: list[dict[str, Any]] = []
    for folder in folders:
        command = [sys.executable, __file__, "grow", str(folder), "--one"]
        said = [subprocess.run([*command, way], check=True, capture_output=True, text=True).stdout for way in "12"]
        files, whole = (json.loads(one) for one in said)
        memory.append({"folder": folder.name, "files": files, "whole": whole})
        times = (f"{one['peak'] / one['bytes']:8.1f} {one['itself'] / one['bytes']:8.1f}" for one in (files, whole))
        print(f"  {files['bytes'] / 1e6:7.2f}   {'   '.join(times)}   {folder.name}", flush=True)
    return {"points": points, "slope": slope, "memory": memory}


def one_corpus(folder: Path, *, whole: bool) -> None:
    """Prints what it takes to cut all files of a folder and keep texts and chunks, or to cut them as one text."""
    settings = Settings(TOKENS)
    analyse("# Warm\n\nCaches and imports.\n", settings=settings)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    texts = ["\n\n".join(markdown([folder]))] if whole else list(markdown([folder]))
    itself = sum(map(sys.getsizeof, texts))
    kept = [analyse(text, settings=settings).chunks for text in texts]
    peak = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    size = sum(len(text.encode("utf-8", "replace")) for text in texts)
    print(json.dumps({"bytes": size, "itself": itself, "peak": peak, "chunks": sum(map(len, kept))}))


def one_size(size: int) -> None:
    """Prints what cutting a text of so many bytes takes; of small ones, on average, as no two are alike."""
    settings = Settings(TOKENS)
    analyse("# Warm\n\nCaches and imports.\n", settings=settings)
    once = page().encode()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    raw = once if size <= len(once) else (once * (size // len(once) + 1))[:size]
    texts = [raw[at : at + size].decode("utf-8", "ignore") for at in range(0, len(raw) - size + 1, size)]
    del raw
    times = [seconds(lambda text: analyse(text, settings=settings), texts)]
    peak = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    times += [seconds(lambda text: analyse(text, settings=settings), texts) for _ in range(4 if size < 5e6 else 0)]
    print(json.dumps({"bytes": size, "seconds": min(times) / len(texts), "peak": peak}))


_TEXT = "text = '# A title\\n\\nSome words.\\n'; "
_TOKENS = "import tiktoken; e = tiktoken.get_encoding('cl100k_base'); "
STARTS = {
    "headwise": ("headwise", "import headwise", "headwise.split(text)"),
    "semantic-text-splitter": (
        "semantic_text_splitter",
        "from semantic_text_splitter import MarkdownSplitter",
        "MarkdownSplitter.from_tiktoken_model('gpt-4', 400).chunks(text)",
    ),
    "langchain-text-splitters": (
        "langchain_text_splitters",
        "from langchain_text_splitters import RecursiveCharacterTextSplitter as R",
        _TOKENS + "R(chunk_size=400, chunk_overlap=0, length_function=lambda t: len(e.encode(t))).split_text(text)",
    ),
    "llama-index-core": (
        "llama_index.core",
        "from llama_index.core import Document; from llama_index.core.node_parser import MarkdownNodeParser",
        "MarkdownNodeParser().get_nodes_from_documents([Document(text=text)])",
    ),
    "semchunk": (
        "semchunk",
        "import semchunk",
        _TOKENS + "semchunk.chunkerify(lambda t: len(e.encode(t)), 400)(text)",
    ),
    "chonkie": ("chonkie", "from chonkie import RecursiveChunker", _TOKENS + "RecursiveChunker(e)(text)"),
}


def start(rounds: int) -> list[dict[str, Any]]:
    """Times of new processes: the interpreter alone, with the import, with the first chunks."""
    bare = least("pass", rounds)
    print(f"  import s  first chunks s   (the interpreter itself, {bare:.3f} s, is in neither)")
    found: list[dict[str, Any]] = []
    for name, (module, imports, first) in STARTS.items():
        if not installed(module) or (first.startswith(_TOKENS) and not tiktoken_encoding()):
            continue
        row = {
            "name": named(name),
            "import": least(imports, rounds) - bare,
            "first": least(f"{imports}; {_TEXT}{first}", rounds) - bare,
        }
        found.append(row)
        print(f"  {row['import']:8.3f}  {row['first']:14.3f}   {row['name']}", flush=True)
    return found


def least(code: str, rounds: int) -> float:
    """The least processor time of so many."""
    times: list[float] = []
    for _ in range(rounds):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", code], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times)


def cores(folder: Path) -> dict[str, Any]:
    """Each run in a process of its own: what one run has learnt, such as the stems of words, no worker knows."""
    times: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(3):
        for workers, taken in times.items():
            command = [sys.executable, __file__, "cores", str(folder), "--one", str(workers)]
            taken.append(float(subprocess.run(command, check=True, capture_output=True, text=True).stdout))
    one, two = (min(taken) for taken in times.values())
    print(
        f"  {one:6.2f} s by one process, {two:6.2f} s by two: {one / two:.2f} times as fast: {folder.name}", flush=True
    )
    return {"folder": folder.name, "one": one, "two": two}


def one_plan(folder: Path, workers: int) -> None:
    """Prints the seconds that it takes so many processes to read and cut a folder."""
    with tempfile.TemporaryDirectory() as place, Index(str(Path(place, "index.db")), create=True) as index:
        index.plan(VAULT / "Recipes", workers=1)  # everything is imported
        begun = time.perf_counter()
        index.plan(folder, workers=workers)
        print(time.perf_counter() - begun)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", choices=["cut", "grow", "start", "cores"], default="cut")
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--rounds", type=int, default=5, help="or times a process is started")
    parser.add_argument("--megabytes", type=float, default=1, help="of a round")
    parser.add_argument("--largest", type=float, default=100, help="megabytes of one text")
    parser.add_argument("--only", default="", metavar="WORD", help="only contenders with it in their names")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what was found to it")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one and given.what == "cores":
        one_plan(given.folders[0], given.one)
    elif given.one and given.folders:
        one_corpus(given.folders[0], whole=given.one == 2)
    elif given.one:
        one_size(given.one)
    elif given.what == "cut":
        save(given.json, cut(given.folders, given.rounds, given.megabytes, given.only))
    elif given.what == "grow":
        save(given.json, grow(given.largest, given.folders or corpora(*MEMORY)))
    elif given.what == "start":
        save(given.json, start(given.rounds))
    else:
        folders = given.folders or corpora("rust-rfcs", "tidb-zh", "k8s-keps") or [VAULT]
        save(given.json, [cores(folder) for folder in folders])


if __name__ == "__main__":
    main()
