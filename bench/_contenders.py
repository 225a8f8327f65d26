"""Those whose embedding `churn.py` counts: Headwise, the peers, and what nobody can go below who embeds such pieces."""

from __future__ import annotations

import re
from collections import Counter as Multiset
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from headwise.chunking.measure import find_measure
from headwise.indexing.embed import embed_pending
from headwise.indexing.files import FileOptions
from headwise.indexing.records import IndexSettings
from headwise.indexing.sync import sync
from headwise.stores.open import open_store

LIMIT = 400
HEADERS = [("#" * level, f"h{level}") for level in range(1, 7)]

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


def langchain(_place: Path, *, headers: bool = False, by_text: bool = False, **splitting: Any) -> Contender:
    """Its index hashes a piece with its metadata, where the headers are; *by_text*, the text alone."""
    from langchain_core.documents import Document
    from langchain_core.embeddings import Embeddings
    from langchain_core.indexing import InMemoryRecordManager, index
    from langchain_core.vectorstores import InMemoryVectorStore
    from langchain_text_splitters import MarkdownHeaderTextSplitter, RecursiveCharacterTextSplitter

    class Counting(Counter, Embeddings):
        def embed_query(self, text: str) -> list[float]:
            return self.embed([text])[0]

    def text_of(document: Document) -> str:
        return blake2b(document.page_content.encode()).hexdigest()

    counter = Counting()
    records = InMemoryRecordManager("notes")
    records.create_schema()
    vectors = InMemoryVectorStore(counter)
    recursive = RecursiveCharacterTextSplitter(**splitting)
    by_headers = MarkdownHeaderTextSplitter(HEADERS, strip_headers=False)
    pieces: dict[str, list[Document]] = {}

    def cut(path: str, text: str) -> list[Document]:
        parts = by_headers.split_text(text) if headers else [Document(page_content=text)]
        for part in parts:
            part.metadata["source"] = path
        return recursive.split_documents(parts)

    def step(now: Folder, changed: Mapping[str, str | None]) -> Step:
        for path in changed:
            pieces.pop(path, None)
        pieces.update({path: cut(path, text) for path, text in now.items() if path not in pieces})
        documents = [document for path in sorted(pieces.keys() & now.keys()) for document in pieces[path]]
        key = text_of if by_text else "blake2b"
        index(documents, records, vectors, cleanup="full", source_id_key="source", key_encoder=key)
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


def bound(split: Callable[[str], Iterable[str]]) -> Contender:
    """Nobody's program: embeds each piece that stands nowhere in the folder yet, without any context."""
    held: Multiset[str] = Multiset()
    of: dict[str, set[str]] = {}
    size = cache(count)
    total = 0

    def step(_now: Folder, changed: Mapping[str, str | None]) -> Step:
        nonlocal total
        before = held.copy()
        for path, text in changed.items():
            held.subtract(of.pop(path, ()))
            if text is not None:
                of[path] = set(filter(None, map(str.strip, split(text))))
                held.update(of[path])
        new = [piece for path in changed if path in of for piece in of[path] if not before[piece]]
        new = list(dict.fromkeys(new))
        gone = [piece for piece, times in held.items() if not times]
        for piece in gone:
            del held[piece]
        tokens = sum(map(size, new))
        total += tokens - sum(size(piece) for piece in gone if before[piece])
        return Step(len(new), tokens, len(held), total)

    return step


# in a run of prose at the end of a sentence, and before what is a line of its own in Markdown
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n[ \t]*\n|\n(?=[ \t]*(?:[-*+|>#]|\d+\.))")
_BLANK = re.compile(r"\n[ \t]*\n")
BOUNDS: Mapping[str, Callable[[str], Iterable[str]]] = {
    "lines that are new": str.splitlines,
    "sentences that are new": _SENTENCE.split,
    "paragraphs that are new": _BLANK.split,
}
