"""How much of the answer is found within the tokens one can afford, beside the peers that are installed.

    python bench/retrieval.py [SET …] [--sizes 400,200] [--only WORD] [--k1 N] [--model NAME] [--vectors FILE]
                              [--json FILE]

A set is a folder with `docs.jsonl` (`id`, `text`) and `questions.jsonl` (`q`, `doc`, `spans`: where the answer stands;
maybe `exclude`, the document that the question was taken from, and `hov`, the share of the heading's words in it).
Without a SET: those in `questions/` of the data (`_data.py`).

*Cut by others, found alike*: every contender cuts all documents, and the same retriever ranks what an embedder is
given of each chunk: BM25 (k1 1.2 or `--k1`, b 0.75; a word counts as often as the question says it) over the words as
Headwise reads them in every language, the vectors of Headwise's default model or of `--model`, or both mixed as
Headwise mixes them, with the same share for all. Nobody has passages here, nor weighted fields, nor neighbours.

*The program*: the same documents in a folder, indexed and searched by Headwise with its defaults (with `--sizes`:
its other settings by default), by words alone, by vectors alone and by both.

Scores are those of `headwise.evaluating.metrics`, in per cent, the mean with its 95 % interval by bootstrap. `hov < .5`
is recall within 2,000 tokens for the questions that hold less than half of the words of the heading they ask for. The
difference is the paired one in recall within 2,000 tokens to the best peer with the same retriever and size.

Peers are measured if they can be imported: `pip install langchain-text-splitters llama-index-core
semantic-text-splitter semchunk chonkie`; Chonkie counts with tiktoken, whose vocabulary has to lie on the disk.

`bench/link_set.py` makes sets of the links of a documentation.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path
from unittest.mock import patch

import numpy as np
from _data import DATA, there
from _peers import Cut, peers
from _results import save
from numpy.typing import NDArray

from headwise import Settings, analyse
from headwise.chunking.measure import find_measure, token_starts
from headwise.evaluating.metrics import BUDGETS, Piece, Place, Scores, interval, score
from headwise.indexing import search
from headwise.indexing.embed import embed_pending
from headwise.indexing.files import FileOptions
from headwise.indexing.models import Embedder, ModelSettings, open_model
from headwise.indexing.rank import mix
from headwise.indexing.records import IndexSettings
from headwise.indexing.sync import sync
from headwise.indexing.words import analyse_words, query_words
from headwise.stores.open import open_store
from headwise.stores.store import Filters, Store

SETS = ("links-s", "links-zh", "chroma")
RETRIEVERS = ("words", "vectors", "both")
DEPTH = 200
count = find_measure("cl100k_base").count
Scored = list[Scores]


@dataclass(frozen=True)
class Question:
    """What is asked, and where the answer stands."""

    text: str
    answer: tuple[Place, ...]
    exclude: str
    overlap: float
    """Share of the heading's words that it holds."""


@dataclass(frozen=True)
class Set:
    """Documents, and questions to them."""

    name: str
    texts: Mapping[str, str]
    questions: tuple[Question, ...]
    tokens: Mapping[str, Sequence[int]]


def read_set(folder: Path) -> Set:
    texts = {one["id"]: one["text"] for one in map(json.loads, (folder / "docs.jsonl").open(encoding="utf-8"))}
    questions = tuple(
        Question(
            one["q"],
            tuple(Place(one["doc"], *span) for span in one["spans"]),
            one.get("exclude") or "",
            one.get("hov", 1.0),
        )
        for one in map(json.loads, (folder / "questions.jsonl").open(encoding="utf-8"))
    )
    return Set(folder.name, texts, questions, {name: token_starts(text) for name, text in texts.items()})


class Words:
    """BM25 over texts."""

    def __init__(self, texts: Sequence[str], k1: float, b: float = 0.75) -> None:
        counts = [Counter(analyse_words(text)) for text in texts]
        lengths = np.array([counted.total() for counted in counts], dtype=np.float64)
        relative = k1 * (1 - b + b * lengths / (lengths.mean() or 1))
        entries: defaultdict[str, list[tuple[int, float]]] = defaultdict(list)
        for row, counted in enumerate(counts):
            for term, n in counted.items():
                entries[term].append((row, n * (k1 + 1) / (n + relative[row])))
        self.size = len(texts)
        self.entries = {
            term: (
                np.array([row for row, _ in found]),
                np.log(1 + (len(texts) - len(found) + 0.5) / (len(found) + 0.5))
                * np.array([value for _, value in found]),
            )
            for term, found in entries.items()
        }

    def scores(self, query: str) -> NDArray[np.float64]:
        """A word counts as often as *query* says it; stop words only if it has nothing else."""
        total = np.zeros(self.size)
        wanted = set(query_words(query))
        for term in analyse_words(query):
            if term in wanted and term in self.entries:
                rows, values = self.entries[term]
                total[rows] += values
        return total


class Remembered:
    """A model that embeds each text once, also over several runs if *file* keeps the vectors."""

    def __init__(self, embedder: Embedder, file: Path | None = None) -> None:
        self.embedder, self.file = embedder, file
        self.name, self.key, self.reads = embedder.name, embedder.key, embedder.reads
        self.dimensions, self.fits, self.knows = embedder.dimensions, embedder.fits, embedder.knows
        self.embed_query = embedder.embed_query
        self.known: dict[str, NDArray[np.float32]] = {}
        self.kept = 0
        if file and file.exists():
            with np.load(file) as stored:
                if str(stored["model"]) != self.key:
                    raise SystemExit(f"{file} has vectors of {stored['model']}, not of {self.key}")
                self.known.update(zip(stored["texts"], stored["vectors"], strict=True))
            self.kept = len(self.known)

    def embed_passages(self, texts: list[str]) -> NDArray[np.float32]:
        names = {_digest(text): text for text in texts}
        new = [name for name in names if name not in self.known]
        for at in range(0, len(new), 512):
            batch = new[at : at + 512]
            self.known.update(zip(batch, self.embedder.embed_passages([names[name] for name in batch]), strict=True))
            if len(self.known) > self.kept + 2048:
                self.keep()
        return np.stack([self.known[_digest(text)] for text in texts])

    def keep(self) -> None:
        if self.file and len(self.known) > self.kept:
            np.savez(self.file, model=self.key, texts=list(self.known), vectors=np.stack(list(self.known.values())))
            self.kept = len(self.known)


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def best(scores: NDArray[np.float64], allowed: NDArray[np.bool_], least: float = -np.inf) -> dict[int, float]:
    """The best of the *allowed* rows, best first, with their scores."""
    rows = np.flatnonzero(allowed & (scores > least))
    rows = rows[np.argsort(-scores[rows], kind="stable")[:DEPTH]]
    return {int(row): float(scores[row]) for row in rows}


def found_alike(data: Set, cuts: Mapping[str, Sequence[Cut]], embedder: Remembered, k1: float) -> dict[str, Scored]:
    """The scores of chunks that were cut by anybody, by each retriever."""
    pieces, texts = [], []
    for name, several in cuts.items():
        for cut in several:
            context = max(0, count(cut.embed_text) - count(data.texts[name][cut.start : cut.end]))
            pieces.append(Piece(name, cut.start, cut.end, context))
            texts.append(cut.embed_text)
    words, matrix = Words(texts, k1), embedder.embed_passages(texts)
    documents = np.array([piece.document for piece in pieces])
    results: dict[str, Scored] = {retriever: [] for retriever in RETRIEVERS}
    for question in data.questions:
        allowed = documents != question.exclude
        by_words = best(words.scores(question.text), allowed, 0.0)
        by_vectors = best((matrix @ embedder.embed_query(question.text)).astype(np.float64), allowed)
        both = search.VECTOR_WEIGHT * max(embedder.knows(question.text), search.LEAST_KNOWN)
        for retriever, weight in zip(RETRIEVERS, (0.0, 1.0, both), strict=True):
            lists = (by_words if weight < 1 else {}), (by_vectors if weight > 0 else {})
            ranking = [pieces[row] for row, _ in mix(*lists, weight)]
            results[retriever].append(score(ranking, [question.answer], data.tokens))
    return results


def program(data: Set, settings: Settings, embedder: Remembered) -> dict[str, Scored]:
    """The scores of a search in a store that was made of the documents as files."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "notes"
        for name, text in data.texts.items():
            file = folder / _file(name)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8", newline="")
        with open_store(str(Path(place) / "index.db"), create=True) as store:
            sync(store, folder, "", FileOptions(), IndexSettings(settings, embedder=embedder))
            embed_pending(store, embedder)
            files = {_file(name): name for name in data.texts}
            records = [(files[path], record) for path in files for record in store.load("", path).records]
            places = {record.id: Piece(name, record.chunk.start, record.chunk.end) for name, record in records}
            results: dict[str, Scored] = {}
            for retriever, weight in zip(RETRIEVERS, (0.0, 1.0, search.VECTOR_WEIGHT), strict=True):
                alone = weight == 1.0  # whatever they know, and without the words of headings
                with ExitStack() as patches:
                    patches.enter_context(patch.object(search, "VECTOR_WEIGHT", weight))
                    if alone:
                        patches.enter_context(patch.object(search, "LEAST_KNOWN", 1.0))
                        patches.enter_context(patch.object(search, "gain", lambda *_: 0.0))
                    model = embedder if weight else None
                    results[retriever] = [_asked(store, model, data, places, question) for question in data.questions]
            return results


def _file(name: str) -> str:
    return name if name.endswith(".md") else f"{name}.md"


def _asked(
    store: Store, embedder: Embedder | None, data: Set, places: Mapping[str, Piece], question: Question
) -> Scores:
    without = (_file(question.exclude),) if question.exclude else ()
    found = search.find(store, embedder, question.text, Filters(without_paths=without), limit=DEPTH // 2)
    # copies are told with a hit instead of being one: they are read with it
    ranking = [places[name] for hit in found.hits for name in (hit.id, *(copy.id for copy in hit.also))]
    return score(ranking, [question.answer], data.tokens)


def contenders(sizes: Sequence[int]) -> Iterator[tuple[str, int, object]]:
    for size in sizes:
        settings = Settings(size)

        def ours(text: str, settings: Settings = settings) -> list[Cut]:
            return [Cut(chunk.start, chunk.end, chunk.embed_text) for chunk in analyse(text, settings=settings).chunks]

        yield f"headwise {version('headwise')}", size, ours
        for name, chunker in peers(size):
            yield name, size, chunker


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", type=Path)
    parser.add_argument("--sizes", default="400,200", help="tokens of a chunk")
    parser.add_argument("--only", default="", help="contenders with this word in their name")
    parser.add_argument("--k1", type=float, default=1.2, help="of BM25 over the chunks of every cutter")
    parser.add_argument("--model", default=ModelSettings().name, help="the packaged model whose vectors are compared")
    parser.add_argument("--vectors", type=Path, help="a file (.npz) that keeps the vectors from run to run")
    parser.add_argument("--json", type=Path, help="write all means and intervals to this file")
    given = parser.parse_args()
    sizes = [int(size) for size in given.sizes.split(",")]
    embedder = Remembered(open_model(ModelSettings(given.model)), given.vectors)
    told = []
    sets = given.sets or there((DATA / "questions" / name for name in SETS), "the sets of questions")
    for data in map(read_set, sets):
        print(f"\n{data.name}: {len(data.texts)} documents, {len(data.questions)} questions", flush=True)
        rows: list[tuple[str, int, str, Scored, int]] = []
        for name, size, chunker in contenders(sizes):
            if given.only in name:
                cuts = {path: chunker(text) for path, text in data.texts.items()}
                for retriever, scored in found_alike(data, cuts, embedder, given.k1).items():
                    rows.append((name, size, retriever, scored, sum(map(len, cuts.values()))))
        for size in sizes:
            if given.only in "headwise, the program":
                for retriever, scored in program(data, Settings(size), embedder).items():
                    rows.append(("headwise, the program", size, retriever, scored, 0))
        embedder.keep()
        told += list(show(data, rows))
        save(given.json, told)


def show(data: Set, rows: Sequence[tuple[str, int, str, Scored, int]]) -> Iterator[dict[str, object]]:
    hard = [at for at, question in enumerate(data.questions) if question.overlap < 0.5]
    two_thousand = BUDGETS.index(2000)
    for retriever in RETRIEVERS:
        for size in dict.fromkeys(row[1] for row in rows):
            chosen = [row for row in rows if row[1] == size and row[2] == retriever]
            others = [row for row in chosen if not row[0].startswith("headwise")]
            rival = max(others, key=lambda row: sum(one.within[two_thousand] for one in row[3]), default=None)
            print(f"\n  {retriever}, {size} tokens, {len(hard)} of the questions under hov .5")
            head = f"  {'chunks':>6} {'@500':>5} {'@1000':>5} {'@2000':>5} {'':13} {'@4000':>5} {'paid':>5}"
            head += f" {'nDCG':>5} {'':13}"
            print(f"{head} {'IoU':>5} {'':13} {'hov<.5':>6}  to the best peer")
            for name, _, _, scored, chunks in chosen:
                means = [interval([one.within[at] for one in scored]) for at in range(len(BUDGETS))]
                ndcg, iou = interval([one.ndcg for one in scored]), interval([one.iou for one in scored])
                paid = interval([one.paid[two_thousand] for one in scored]).mean
                rare = interval([scored[at].within[two_thousand] for at in hard]).mean if hard else 0.0
                difference = None
                if rival and name.startswith("headwise"):
                    pairs = zip(scored, rival[3], strict=True)
                    difference = interval([a.within[two_thousand] - b.within[two_thousand] for a, b in pairs])
                at2 = means[two_thousand]
                told = f"{difference.mean:+.1%} {_bounds(difference)}" if difference else ""
                line = f"  {chunks or '':>6} {means[0].mean:5.1%} {means[1].mean:5.1%} {at2.mean:5.1%} {_bounds(at2)}"
                line += f" {means[3].mean:5.1%} {paid:5.1%} {ndcg.mean:5.1%} {_bounds(ndcg)} {iou.mean:5.1%}"
                line += f" {_bounds(iou)} {rare:6.1%}  {told:21} {name}"
                print(line.replace("%", ""), flush=True)
                yield {
                    "set": data.name, "contender": name, "size": size, "retriever": retriever, "chunks": chunks,
                    "within": {budget: mean._asdict() for budget, mean in zip(BUDGETS, means, strict=True)},
                    "paid": paid, "ndcg": ndcg._asdict(), "iou": iou._asdict(), "hard": rare,
                    "to_best_peer": difference._asdict() if difference else None,
                }  # fmt: skip


def _bounds(found) -> str:
    return f"[{found.low:5.1%} {found.high:5.1%}]"


if __name__ == "__main__":
    main()
