"""Milliseconds of searches in stores of many passages, by words, by vectors and by both, fresh and warm, with filters.

    python bench/search.py [FOLDER …] [--passages 10000 100000 1000000] [--queries 100] [--keep PLACE] [--store URL]

Documents are made by drawing lines of the Markdown files in the folders (without any: of made-up words, as frequent as
words are): sections of some hundred words, about 45 passages a document, the same ones every time. They are
indexed as ever; their vectors are WordLlama's, turned into 384 dimensions by a rotation that changes no cosine. A
query is four to eight words of a drawn line. `--keep` keeps stores there and finds them again. A store in a database
server is named by `--store` (a schema for each number is made from its name): its index of near neighbours, if it
has one, is compared with exact answers.

"Fresh" is the first search of a process of its own, from opening the store on, imports and model not counted.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

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
        weights = [1 / rank for rank in range(2, len(words) + 2)]
        return [" ".join(pick.choices(words, weights, k=pick.randint(8, 30))) for _ in range(100_000)]
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


def taken(work: Callable[[str], object], asked: Sequence[str]) -> Iterator[float]:
    for query in asked:
        begun = time.perf_counter()
        work(query)
        yield (time.perf_counter() - begun) * 1000


def row(name: str, times: Sequence[float]) -> None:
    ordered = sorted(times)
    last = ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]
    print(f"| {name} | {statistics.median(ordered):.1f} | {last:.1f} |", flush=True)


def fresh(url: str, query: str) -> dict[str, float]:
    """What the first search of a process takes."""
    said = subprocess.run([sys.executable, __file__, "--first", url, query], capture_output=True, text=True, check=True)
    return json.loads(said.stdout)


def first(url: str, query: str) -> None:
    """Prints that, as the process of its own."""
    model = rotated()
    model.embed_query("warm")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begun = time.perf_counter()
    with open_store(url) as store:
        find(store, model, query, Filters(), limit=5)
        seconds = time.perf_counter() - begun
        begun = time.perf_counter()
        store.coverage("another model")
        counted = time.perf_counter() - begun
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(json.dumps({"ms": seconds * 1000, "coverage": counted * 1000, "MB": grown / 1024}))


def measure(url: str, store: Store, model: Rotated, pool: list[str], number: int) -> None:
    asked = queries(pool, number)
    often = common(pool)
    counts = store.counts()
    print(f"\n{counts.passages:,} passages in {counts.chunks:,} chunks of {counts.documents:,} documents; ms:\n")
    print("| | p50 | p99 |\n|---|---|---|")
    starts = [fresh(url, query) for query in asked[:5]]
    row("fresh: both", [start["ms"] for start in starts])
    row("(memory it took, MB)", [start["MB"] for start in starts])
    row("(of it counting what has vectors)", [start["coverage"] for start in starts])
    everything = Filters()

    def words(query: str, filters: Filters = everything) -> object:
        return store.match(parse_query(query).words, filters, 200)

    def vectors(query: str, filters: Filters = everything) -> object:
        return store.nearest(model.key, model.embed_query(query), filters, NEAREST)

    def both(query: str, filters: Filters = everything) -> object:
        return find(store, model, query, filters, limit=5)

    for name, work in (("words", words), ("vectors", vectors), ("both", both)):
        list(taken(work, asked[:3]))
        row(name, list(taken(work, asked)))
    row(f"words: {often}", list(taken(words, [often] * 5)))
    row("both: the same", list(taken(both, [often] * 5)))
    for title, filters in FILTERS.items():
        for name, work in (("words", words), ("vectors", vectors), ("both", both)):
            row(f"{name}, {title}", list(taken(lambda query, work=work, f=filters: work(query, f), asked[:20])))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--passages", nargs="+", type=int, default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--store")
    parser.add_argument("--first", nargs=2, metavar=("URL", "QUERY"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.first:
        first(*given.first)
        return
    pool, model = lines(given.folders), rotated()
    with tempfile.TemporaryDirectory() as place:
        for passages in given.passages:
            url = f"{given.store}_{passages}" if given.store else str((given.keep or Path(place)) / f"{passages}.db")
            with open_store(url, create=True) as store:
                measure(url, filled(store, model, pool, passages), model, pool, given.queries)


if __name__ == "__main__":
    main()
