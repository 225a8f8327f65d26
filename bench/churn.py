"""The share of text that is embedded anew after each commit of real histories, beside the peers that are installed.

    python bench/churn.py HISTORY.jsonl.gz [HISTORY.jsonl.gz …] [--commits N] [--each]

A history is JSON Lines: the whole folder first, then what each commit changed (`{"changed": {path: text or null}}`).
Every contender begins with the whole folder, then gets the folder after each commit, and is given the same embedder:
one that only counts what it is asked for, in texts and in `cl100k_base` tokens. The share of a commit is what was
asked for, divided by what the contender holds after it; so small passages and large chunks are compared alike. Nobody
can embed less than the lines that are new to the whole folder: their share is the last line of each table. `typically`
is the middle of the shares of all commits, each divided by Headwise's for the same commit.

- Headwise: `sync` into an SQLite store, then `embed_pending`, with the defaults (400 tokens, passages of 64).
- LangChain: `langchain_core.indexing.index(cleanup="full")` with `RecursiveCharacterTextSplitter` at 400 tokens
  without overlap, and as it comes (4,000 characters, 200 of them overlap).
- LlamaIndex: `IngestionPipeline` with `MarkdownNodeParser` and `SentenceSplitter(400)`, a document store and a
  vector store under `UPSERTS_AND_DELETE`: as its documentation says, a changed document is taken whole.

Peers are measured if they can be imported: `pip install langchain-core langchain-text-splitters llama-index-core`.
"""

from __future__ import annotations

import argparse
import gzip
import json
import shutil
import statistics
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec
from math import inf
from pathlib import Path

import numpy as np
from _results import save

from headwise.chunking.measure import find_measure
from headwise.indexing.embed import embed_pending
from headwise.indexing.files import FileOptions
from headwise.indexing.records import IndexSettings
from headwise.indexing.sync import sync
from headwise.stores.open import open_store

LIMIT = 400

count = find_measure("cl100k_base").count
Folder = dict[str, str]


@dataclass
class Counter:
    """An embedder that only counts."""

    texts: int = 0
    tokens: int = 0
    name: str = "counter"
    key: str = "counter 1"
    reads: str = "all"
    dimensions: int = 1
    sizes: dict[str, int] = field(default_factory=dict)

    def embed(self, texts: list[str]) -> list[list[float]]:
        self.texts += len(texts)
        for text in texts:
            self.sizes[text] = self.sizes.get(text) or count(text)
            self.tokens += self.sizes[text]
        return [[1.0] for _ in texts]

    def taken(self) -> tuple[int, int]:
        taken = self.texts, self.tokens
        self.texts = self.tokens = 0
        return taken

    # as Headwise asks
    def fits(self, _text: str) -> bool:
        return True

    def knows(self, _text: str) -> float:
        return 1.0

    def embed_passages(self, texts: list[str]) -> np.ndarray:
        return np.array(self.embed(texts), dtype=np.float32)

    embed_query = embed_passages

    # as LangChain asks
    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return self.embed(texts)


@dataclass(frozen=True)
class Step:
    """What a contender had to embed, and what it holds after it, in texts and tokens."""

    texts: int
    tokens: int
    held_texts: int
    held_tokens: int


Contender = Callable[[Folder, Mapping[str, str | None]], Step]
"""Takes the folder after a commit, and what that commit changed."""


def headwise(place: Path) -> Contender:
    folder = place / "notes"
    folder.mkdir()
    store = open_store(str(place / "index.db"), create=True)
    counter = Counter()

    def step(_now: Folder, changed: Mapping[str, str | None]) -> Step:
        for path, text in changed.items():
            file = folder / path
            if text is None:
                file.unlink(missing_ok=True)
            else:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, encoding="utf-8", newline="")
        sync(store, folder, "notes", FileOptions(), IndexSettings(embedder=counter))
        embed_pending(store, counter)
        store.prune()  # as strict as the peers, which keep no vector that nothing uses
        held = sum(counter.sizes[text] for text in held_texts())
        return Step(*counter.taken(), store.stats().distinct_passages, held)

    def held_texts() -> Iterator[str]:
        after, seen = 0, set[str]()
        while page := store.pending("none", 1000, after):
            after = page[-1].row
            yield from (p.text for p in page if p.content_hash not in seen)
            seen.update(p.content_hash for p in page)

    return step


def langchain(_place: Path, **splitting: object) -> Contender:
    from langchain_core.documents import Document
    from langchain_core.embeddings import Embeddings
    from langchain_core.indexing import InMemoryRecordManager, index
    from langchain_core.vectorstores import InMemoryVectorStore
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    class Counting(Counter, Embeddings):
        def embed_query(self, text: str) -> list[float]:
            return self.embed([text])[0]

    counter = Counting()
    records = InMemoryRecordManager("notes")
    records.create_schema()
    vectors = InMemoryVectorStore(counter)
    splitter = RecursiveCharacterTextSplitter(**splitting)
    pieces: dict[str, list[str]] = {}

    def step(now: Folder, changed: Mapping[str, str | None]) -> Step:
        for path in changed:
            pieces.pop(path, None)
        pieces.update({path: splitter.split_text(text) for path, text in now.items() if path not in pieces})
        documents = [
            Document(page_content=text, metadata={"source": path})
            for path in sorted(pieces.keys() & now.keys())
            for text in pieces[path]
        ]
        index(documents, records, vectors, cleanup="full", source_id_key="source", key_encoder="blake2b")
        held = [entry["text"] for entry in vectors.store.values()]
        return Step(*counter.taken(), len(held), sum(counter.sizes[text] for text in held))

    return step


def llama_index(_place: Path) -> Contender:
    from llama_index.core import Document
    from llama_index.core.embeddings import BaseEmbedding
    from llama_index.core.ingestion import DocstoreStrategy, IngestionPipeline
    from llama_index.core.node_parser import MarkdownNodeParser, SentenceSplitter
    from llama_index.core.storage.docstore import SimpleDocumentStore
    from llama_index.core.vector_stores import SimpleVectorStore

    counter = Counter()
    held: dict[str, list[str]] = {}

    class Counting(BaseEmbedding):
        def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
            return counter.embed(texts)

        def _get_text_embedding(self, text: str) -> list[float]:
            return counter.embed([text])[0]

        def _get_query_embedding(self, query: str) -> list[float]:
            return counter.embed([query])[0]

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return counter.embed([query])[0]

    pipeline = IngestionPipeline(
        transformations=[
            MarkdownNodeParser(),
            SentenceSplitter(chunk_size=LIMIT, chunk_overlap=0, tokenizer=lambda text: [0] * count(text)),
            Counting(),
        ],
        docstore=SimpleDocumentStore(),
        vector_store=SimpleVectorStore(),
        docstore_strategy=DocstoreStrategy.UPSERTS_AND_DELETE,
        disable_cache=False,
    )

    def step(now: Folder, changed: Mapping[str, str | None]) -> Step:
        nodes = pipeline.run(documents=[Document(text=text, id_=path) for path, text in sorted(now.items())])
        for path in changed:
            held.pop(path, None)
        fresh: dict[str, list[str]] = {}
        for node in nodes:
            fresh.setdefault(node.ref_doc_id, []).append(node.get_content("embed"))
        held.update(fresh)
        texts = [text for path in held.keys() & now.keys() for text in held[path]]
        return Step(*counter.taken(), len(texts), sum(counter.sizes[text] for text in texts))

    return step


def contenders() -> dict[str, Callable[[Path], Contender]]:
    found: dict[str, Callable[[Path], Contender]] = {f"headwise {version('headwise')}": headwise}
    if find_spec("langchain_core") and find_spec("langchain_text_splitters"):
        alike = partial(langchain, chunk_size=LIMIT, chunk_overlap=0, length_function=count)
        found[f"langchain-core {version('langchain-core')} indexing, recursive"] = alike
        found[f"langchain-core {version('langchain-core')} indexing, recursive, its defaults"] = langchain
    else:
        print("langchain-core and langchain-text-splitters are not installed: left out")
    if find_spec("llama_index"):
        found[f"llama-index-core {version('llama-index-core')} pipeline, Markdown + sentence"] = llama_index
    else:
        print("llama-index-core is not installed: left out")
    return found


def new_lines() -> Contender:
    """Nobody's program: the tokens of lines that stood nowhere in the folder before."""
    known: dict[str, set[str]] = {}
    sizes: dict[str, int] = {}

    def step(now: Folder, changed: Mapping[str, str | None]) -> Step:
        before = set().union(*known.values())
        new: set[str] = set()
        for path, text in changed.items():
            known.pop(path, None)
            if text is not None:
                known[path] = set(text.splitlines(keepends=True))
                sizes[path] = count(text)
                new |= known[path] - before
        return Step(len(new), sum(map(count, new)), 0, sum(sizes[path] for path in now))

    return step


def replay(history: Path, commits: int | None) -> Iterator[tuple[Folder, Mapping[str, str | None]]]:
    folder: Folder = {}
    with gzip.open(history, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            if commits is not None and number > commits:
                return
            changed: Mapping[str, str | None] = json.loads(line)["changed"]
            folder |= {path: text for path, text in changed.items() if text is not None}
            folder = {path: text for path, text in folder.items() if changed.get(path, "") is not None}
            yield folder, changed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("histories", nargs="*", type=Path)
    parser.add_argument("--commits", type=int, help="how many commits at most")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the shares of all commits to it")
    parser.add_argument("--each", action="store_true", help="a line for every commit")
    given = parser.parse_args()
    if not given.histories:
        print("name histories to replay: python bench/churn.py HISTORY.jsonl.gz …")
    found: dict[str, dict[str, list[float]]] = {}
    for history in given.histories:
        shares: dict[str, list[Step]] = {}
        for name, make in contenders().items():
            place = Path(tempfile.mkdtemp())
            try:
                contender = make(place)
                shares[name] = [contender(*state) for state in replay(history, given.commits)]
            finally:
                shutil.rmtree(place)
        least = new_lines()
        shares["lines that are new, the least possible"] = [least(*state) for state in replay(history, given.commits)]
        show(history.name.removesuffix(".jsonl.gz"), shares, each=given.each)
        found[history.name.removesuffix(".jsonl.gz")] = {
            name: [step.tokens / step.held_tokens for step in steps[1:]] for name, steps in shares.items()
        }
        save(given.json, found)


def typical(part: list[float], ours: list[float]) -> float:
    """How many times the share of ours it is in the middle one of all commits after which either embeds anything."""
    return statistics.median(its / own if own else inf for its, own in zip(part, ours, strict=True) if its or own)


def show(name: str, shares: Mapping[str, list[Step]], *, each: bool) -> None:
    edits = {contender: steps[1:] for contender, steps in shares.items()}
    ours = sum(step.tokens for step in next(iter(edits.values()))) or 1
    print(f"\n{name}: {len(next(iter(edits.values())))} commits")
    if each:
        for number, row in enumerate(zip(*edits.values(), strict=True), 1):
            told = "  ".join(f"{step.texts:5} texts {step.tokens / step.held_tokens:8.3%}" for step in row)
            print(f"  {number:4}  {told}")
    print(f"  {'first':>8} {'texts':>7} {'tokens':>9} {'mean':>8} {'median':>8} {'× headwise':>10} {'typically':>9}")
    first = [step.tokens / step.held_tokens for step in next(iter(edits.values()))]
    for contender, steps in edits.items():
        part = [step.tokens / step.held_tokens for step in steps]
        tokens = sum(step.tokens for step in steps)
        print(
            f"  {shares[contender][0].texts:8} {sum(step.texts for step in steps):7} {tokens:9} "
            f"{statistics.mean(part):8.3%} {statistics.median(part):8.3%} {tokens / ours:10.2f} "
            f"{typical(part, first):9.2f}  {contender}"
        )


if __name__ == "__main__":
    main()
