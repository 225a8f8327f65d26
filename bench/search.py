"""Milliseconds of searches in stores of many passages, by words, by vectors and by both, fresh and warm, with filters.

    python bench/search.py [FOLDER …] [--passages 10000 100000] [--queries 100] [--keep PLACE] [--store URL]

Documents are made by drawing lines of the Markdown files in the folders (without any: of made-up words, as frequent as
words are): sections of some hundred words, about 45 passages a document, the same ones every time. They are
indexed as ever; their vectors are WordLlama's, turned into 384 dimensions by a rotation that changes no cosine. A
query is four to eight words of a drawn line. `--keep` keeps stores there and finds them again. A store in PostgreSQL is
named by `--store` (a schema for each number is made from its name); `--approximate` then has the index of near
neighbours made, however few there are, compares what it finds with the exact answers, and measures once more.

"Fresh" is the first search of a process of its own, from opening the store on, imports and model not counted. After the
first few, Python's collector of garbage passes over what is there by then, as in `headwise serve`. Times are by the
clock; "CPU" is what this process's cores worked together, half the searches at least: not that of a server.
"After an edit" is the first search after another process gave a document other text, and vectors.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

import numpy as np
from _results import save

from headwise.indexing.embed import embed_pending
from headwise.indexing.files import FileOptions
from headwise.indexing.models import Embedder, ModelSettings, open_model
from headwise.indexing.query import parse_query
from headwise.indexing.records import IndexSettings
from headwise.indexing.search import find
from headwise.indexing.sync import sync
from headwise.stores.open import open_store
from headwise.stores.store import Filters, Store

DIMENSIONS = 384
PER_NOTE = 45
"""Passages of a document, nearly."""
NEAREST = 400
"""As many as a search asks for."""
FILTERS = {
    "one folder in ten": Filters(paths=("3",)),
    "one document in a hundred": Filters(tags=("rare",)),
    "all but one in a hundred": Filters(without_tags=("rare",)),
}


class Rotated(NamedTuple):
    """WordLlama in more dimensions, all cosines as they were."""

    model: Embedder
    turn: np.ndarray
    name: str = "rotated"
    key: str = f"rotated {DIMENSIONS}"
    reads: str = "all"
    dimensions: int = DIMENSIONS

    def fits(self, text: str) -> bool:
        return self.model.fits(text)

    def knows(self, text: str) -> float:
        return self.model.knows(text)

    def embed_passages(self, texts: list[str]) -> np.ndarray:
        return self.model.embed_passages(texts) @ self.turn

    def embed_query(self, text: str) -> np.ndarray:
        return self.model.embed_query(text) @ self.turn


def rotated() -> Rotated:
    model = open_model(ModelSettings())
    numbers = np.random.default_rng(1).standard_normal((DIMENSIONS, model.dimensions))
    return Rotated(model, np.linalg.qr(numbers)[0].T.astype(np.float32))


def lines(folders: Sequence[Path]) -> list[str]:
    """Lines of prose, each once."""
    if not folders:
        pick = random.Random(1)
        words = ["".join(pick.choices("abcdefghijklmnoprstuvwz", k=pick.randint(2, 10))) for _ in range(40_000)]
        weights = list(accumulate(1 / rank for rank in range(2, len(words) + 2)))
        return [" ".join(pick.choices(words, cum_weights=weights, k=pick.randint(8, 30))) for _ in range(50_000)]
    texts = (p.read_text("utf-8", "replace") for folder in folders for p in sorted(folder.rglob("*.md")) if p.is_file())
    found = (line.strip() for text in texts for line in text.splitlines())
    return list(dict.fromkeys(line for line in found if line[:1].isalpha() and line.count(" ") > 6))


def note(pool: list[str], seed: int) -> str:
    pick = random.Random(seed)
    parts = ["---\ntags: [rare]\n---\n" if seed % 100 == 0 else "", f"# Note {seed} {pick.choice(pool)[:40]}\n"]
    for _ in range(8):
        parts.append(f"## {' '.join(pick.choice(pool).split()[:4])}\n")
        for _ in range(3):
            paragraph = pick.choice(pool)
            while len(paragraph) < 260:
                paragraph += f"\n{pick.choice(pool)}"
            parts.append(f"{paragraph[:500]}\n")
    return "\n".join(parts)


def make_notes(folder: Path, pool: list[str], number: int) -> None:
    for seed in range(number):
        file = folder / str(seed % 10) / str(seed // 1000) / f"{seed}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(note(pool, seed), "utf-8")


def filled(store: Store, model: Rotated, pool: list[str], passages: int) -> Store:
    """*store* with so many passages or a few more, unless it has them already."""
    while (have := store.counts().passages) < passages:
        documents = store.counts().documents
        per_note = have / documents if documents else PER_NOTE
        with tempfile.TemporaryDirectory() as place:
            make_notes(Path(place), pool, max(int(passages / per_note) + 1, documents + 1))
            begun = time.perf_counter()
            settings = IndexSettings(embedder=model)
            sync(store, Path(place), "notes", FileOptions(), settings, workers=os.cpu_count() or 1)
            synced = time.perf_counter()
            embed_pending(store, model)
            embedded = time.perf_counter()
            print(f"made in {synced - begun:.0f} s, embedded in {embedded - synced:.0f} s", file=sys.stderr)
    store.compact()
    return store


def queries(pool: list[str], number: int) -> list[str]:
    pick = random.Random(2)
    made: list[str] = []
    while len(made) < number:
        words = pick.choice(pool).split()
        length = pick.randint(4, 8)
        at = pick.randrange(max(len(words) - length, 0) + 1)
        made.append(" ".join(word for word in words[at : at + length] if word.isalnum()))
        if not parse_query(made[-1]).words:
            made.pop()
    return made


def common(pool: list[str]) -> str:
    """The words that most lines have, but for those a query does without."""
    counts: dict[str, int] = {}
    for line in pool[:20_000]:
        for word in {word.lower() for word in line.split() if word.isalpha() and parse_query(word).words}:
            counts[word] = counts.get(word, 0) + 1
    best = sorted(counts, key=lambda word: -counts[word])
    return " ".join([word for word in best if parse_query(f"{word} zebra").words != ("zebra",)][:6])


class Time(NamedTuple):
    """What a search took, in milliseconds."""

    clock: float
    cpu: float


def taken(work: Callable[[str], object], asked: Sequence[str]) -> list[Time]:
    times: list[Time] = []
    for query in asked:
        begun, worked = time.perf_counter(), time.process_time()
        work(query)
        times.append(Time((time.perf_counter() - begun) * 1000, (time.process_time() - worked) * 1000))
    return times


def row(name: str, times: Sequence[Time]) -> dict[str, object]:
    ordered = sorted(one.clock for one in times)
    last = ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]
    cpu = statistics.median(one.cpu for one in times)
    print(f"| {name} | {statistics.median(ordered):.1f} | {last:.1f} | {cpu:.1f} |", flush=True)
    return {"name": name, "p50": statistics.median(ordered), "p99": last, "cpu": cpu}


def memory() -> float:
    """Megabytes of this process in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def fresh(url: str, query: str) -> dict[str, float]:
    """What the first search of a process takes."""
    said = subprocess.run([sys.executable, __file__, "--first", url, query], capture_output=True, text=True, check=True)
    return json.loads(said.stdout)


def first(url: str, query: str) -> None:
    """Prints that, as the process of its own."""
    model = rotated()
    model.embed_query("warm")
    before = memory()
    with open_store(url) as store:
        (took,) = taken(lambda query: find(store, model, query, Filters(), limit=5), [query])
        print(json.dumps({**took._asdict(), "MB": memory() - before}))


def edited(url: str, seed: str) -> None:
    """Gives a document another text, as a process of its own."""
    model = rotated()
    with open_store(url) as store, tempfile.TemporaryDirectory() as place:
        file = Path(place, "0", "0", "0.md")
        file.parent.mkdir(parents=True)
        file.write_text(note(lines([]), int(seed)), "utf-8")
        sync(store, Path(place), "notes", FileOptions(), IndexSettings(embedder=model), below="0/0/0.md")
        embed_pending(store, model)


def measure(url: str, store: Store, model: Rotated, pool: list[str], number: int) -> dict[str, object]:
    asked = queries(pool, number)
    often = common(pool)
    counts = store.counts()
    print(f"\n{counts.passages:,} passages in {counts.chunks:,} chunks of {counts.documents:,} documents; ms:\n")
    print("| | p50 | p99 | CPU |\n|---|---|---|---|")
    rows: list[dict[str, object]] = []

    def tell(name: str, times: Sequence[Time]) -> None:
        rows.append(row(name, times))

    starts = [fresh(url, query) for query in asked[:5]]
    tell("both, fresh", [Time(start["clock"], start["cpu"]) for start in starts])
    everything = Filters()

    def words(query: str, filters: Filters = everything) -> object:
        return store.match(parse_query(query).words, filters, 200)

    def vectors(query: str, filters: Filters = everything) -> object:
        return store.nearest(model.key, model.embed_query(query), filters, NEAREST)

    def both(query: str, filters: Filters = everything) -> object:
        return find(store, model, query, filters, limit=5)

    works = {"words": words, "vectors": vectors, "both": both}
    for work in works.values():
        taken(work, asked[:3])
    gc.collect()
    gc.freeze()
    for name, work in works.items():
        tell(name, taken(work, asked))
    after: list[Time] = []
    for seed in range(3):
        command = [sys.executable, __file__, "--edit", url, str(seed + time.time_ns() % 10**6)]
        subprocess.run(command, check=True)
        after += taken(both, asked[:1])
    tell("both, after an edit", after)
    tell(f"words: {often}", taken(words, [often] * 5))
    tell("both: the same", taken(both, [often] * 5))
    for title, filters in FILTERS.items():
        for name, work in works.items():
            tell(f"{name}, {title}", taken(lambda query, work=work, f=filters: work(query, f), asked[:20]))
    print(f"\nmemory for it: {starts[0]['MB']:.0f} MB")
    return counts._asdict() | {"rows": rows, "memory": starts[0]["MB"]}


def approximate(url: str, store: Store, model: Rotated, pool: list[str], number: int) -> dict[str, object]:
    """Has the index of near neighbours made, and says how often it finds what comparing with all does, and how fast."""
    from headwise.stores import postgres_vectors

    def near(query: str) -> list[int]:
        return [found.chunk for found in store.nearest(model.key, model.embed_query(query), Filters(), NEAREST)]

    asked = queries(pool, number)
    exact = [near(query) for query in asked]
    begun = time.perf_counter()
    postgres_vectors.APPROXIMATE_FROM = 1
    store.compact()
    postgres_vectors.APPROXIMATE_FROM = sys.maxsize
    made = time.perf_counter() - begun
    print(f"\nindex of near neighbours made in {made:.0f} s")
    found = [near(query) for query in asked]
    recall: dict[str, tuple[float, float]] = {}
    for first_of in (10, NEAREST):
        shares = [
            len(set(one[:first_of]) & set(other[:first_of])) / len(set(other[:first_of]))
            for one, other in zip(found, exact, strict=True)
        ]
        recall[str(first_of)] = statistics.mean(shares), min(shares)
        print(f"recall@{first_of}: {statistics.mean(shares):.4f}, worst {min(shares):.2f}")
    return measure(url, store, model, pool, number) | {"index": made, "recall": recall}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--passages", nargs="+", type=int, default=[10_000, 100_000])
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--store")
    parser.add_argument("--approximate", action="store_true")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what was found to it")
    parser.add_argument("--first", nargs=2, metavar=("URL", "QUERY"), help=argparse.SUPPRESS)
    parser.add_argument("--edit", nargs=2, metavar=("URL", "SEED"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.first:
        first(*given.first)
        return
    if given.edit:
        edited(*given.edit)
        return
    if given.approximate:  # all else is measured without it, however many there are
        from headwise.stores import postgres_vectors

        postgres_vectors.APPROXIMATE_FROM = sys.maxsize
    pool, model = lines(given.folders), rotated()
    found: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory() as place:
        for passages in given.passages:
            url = f"{given.store}_{passages}" if given.store else str((given.keep or Path(place)) / f"{passages}.db")
            with open_store(url, create=True) as store:
                found.append(measure(url, filled(store, model, pool, passages), model, pool, given.queries))
                if given.approximate:
                    found.append(approximate(url, store, model, pool, given.queries))
                save(given.json, found)


if __name__ == "__main__":
    main()
