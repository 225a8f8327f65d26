"""Everything that `speed.py` has cut texts: Headwise, its limits, and the peers that can be imported."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import cache, partial
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pyromark

from headwise import Settings, analyse
from headwise.chunking.measure import find_measure

TOKENS = 400
CHARACTERS = 1500
OPTIONS = (
    pyromark.Options.ENABLE_TABLES
    | pyromark.Options.ENABLE_FOOTNOTES
    | pyromark.Options.ENABLE_MATH
    | pyromark.Options.ENABLE_GFM
)
Work = Callable[[str], object]


class Cutter(NamedTuple):
    """One that cuts."""

    name: str
    unit: str
    """What it counts: tokens of `cl100k_base`, or characters."""
    work: Work
    share: float = 1.0
    """Of the texts that it gets, if all would take it too long."""
    kind: str = "peer"
    """Or "headwise", or "limit"."""


def cutters() -> Iterator[Cutter]:
    tokens, chars = Settings(TOKENS), Settings(CHARACTERS, tokenizer="chars")
    ours = f"headwise {version('headwise')}"
    yield Cutter(ours, "tokens", lambda text: analyse(text, settings=tokens), kind="headwise")
    yield Cutter(ours, "characters", lambda text: analyse(text, settings=chars), kind="headwise")
    count = find_measure("cl100k_base").count
    yield Cutter("limit: parser and tokenizer", "tokens", lambda text: (events(text), count(text)), kind="limit")
    yield Cutter("limit: tokenizer", "tokens", count, kind="limit")
    yield Cutter("limit: whole blocks, in bare Python", "tokens", partial(bare, count, TOKENS), kind="limit")
    yield Cutter("limit: parser", "characters", events, kind="limit")
    yield Cutter("limit: whole blocks, in bare Python", "characters", partial(bare, len, CHARACTERS), kind="limit")
    encoding = tiktoken_encoding()
    yield from semantic()
    yield from langchain(encoding)
    yield from llama(encoding)
    yield from semchunk(encoding)
    yield from chonkie(encoding)
    yield from docling(encoding)


def events(text: str) -> None:
    for _ in pyromark.events_with_range(text, options=OPTIONS):
        pass


def bare(count: Callable[[str], int], limit: int, text: str) -> list[str]:
    """The least that somebody may call cutting: top-level blocks together as far as they fit, and no more than that.

    No headings, breadcrumbs, sentences, positions or flavours, and a block over the limit stays whole: what is left
    of Python's time over the two native parts if almost nothing is asked of it.
    """
    data = text.encode("utf-8", "replace")
    starts: list[int] = []
    depth = 0
    for event, place in pyromark.events_with_range(text, options=OPTIONS):
        if isinstance(event, dict):
            if "Start" in event:
                if not depth:
                    starts.append(place["start"])
                depth += 1
            elif "End" in event:
                depth -= 1
    pieces = [data[start:end].decode() for start, end in pairwise((*starts, len(data)))]
    chunks: list[str] = []
    at = size = 0
    for number, piece in enumerate(pieces):
        own = count(piece)
        if size and size + own > limit:
            chunks.append("".join(pieces[at:number]))
            at, size = number, 0
        size += own
    return [*chunks, "".join(pieces[at:])]


@cache
def tiktoken_encoding() -> Any:
    """What most peers count tokens with; nothing if its vocabulary is not on the disk, which is said once."""
    try:
        import tiktoken

        return tiktoken.get_encoding("cl100k_base")
    except Exception as error:  # noqa: BLE001 - whatever it says about a vocabulary that is not on the disk
        print(
            f"peers that count with tiktoken are left out ({type(error).__name__}): TIKTOKEN_CACHE_DIR names its files"
        )
        return None


def semantic() -> Iterator[Cutter]:
    if not installed("semantic_text_splitter"):
        return
    from semantic_text_splitter import MarkdownSplitter, TextSplitter

    for kind, splitter in (("Markdown", MarkdownSplitter), ("text", TextSplitter)):
        name = f"{named('semantic-text-splitter')} {kind}"
        yield Cutter(name, "tokens", splitter.from_tiktoken_model("gpt-4", TOKENS).chunks)
        yield Cutter(name, "characters", splitter(CHARACTERS).chunks)


def langchain(encoding: Any) -> Iterator[Cutter]:
    if not installed("langchain_text_splitters"):
        return
    from langchain_text_splitters import MarkdownHeaderTextSplitter, RecursiveCharacterTextSplitter

    name = named("langchain-text-splitters")
    headers = MarkdownHeaderTextSplitter([("#" * n, f"h{n}") for n in range(1, 7)], strip_headers=False)
    ways: list[tuple[str, Any]] = [
        ("characters", RecursiveCharacterTextSplitter(chunk_size=CHARACTERS, chunk_overlap=0))
    ]
    if encoding:
        by_tokens = RecursiveCharacterTextSplitter(
            chunk_size=TOKENS, chunk_overlap=0, length_function=lambda text: len(encoding.encode_ordinary(text))
        )
        ways.append(("tokens", by_tokens))
    for unit, recursive in ways:
        yield Cutter(f"{name} recursive", unit, recursive.split_text)
        yield Cutter(
            f"{name} Markdown headers + recursive",
            unit,
            lambda text, recursive=recursive: recursive.split_documents(headers.split_text(text)),
        )


def llama(encoding: Any) -> Iterator[Cutter]:
    if not installed("llama_index.core") or not encoding:
        return
    core = find_spec("llama_index.core")
    inside = Path(next(iter(core.submodule_search_locations or ()))) if core else Path()
    os.environ.setdefault("NLTK_DATA", str(inside / "_static" / "nltk_cache"))  # it would fetch what lies inside it
    from llama_index.core import Document
    from llama_index.core.node_parser import MarkdownNodeParser, SentenceSplitter

    markdown = MarkdownNodeParser()
    sentences = SentenceSplitter(chunk_size=TOKENS, chunk_overlap=0, tokenizer=encoding.encode_ordinary)
    yield Cutter(
        f"{named('llama-index-core')} Markdown + sentence",
        "tokens",
        lambda text: sentences.get_nodes_from_documents(markdown.get_nodes_from_documents([Document(text=text)])),
    )


def semchunk(encoding: Any) -> Iterator[Cutter]:
    if not installed("semchunk") or not encoding:
        return
    from semchunk import chunkerify

    # it remembers the counts of all texts it has seen: here they are always new
    yield Cutter(named("semchunk"), "tokens", chunkerify(lambda text: len(encoding.encode_ordinary(text)), TOKENS))


def chonkie(encoding: Any) -> Iterator[Cutter]:
    if installed("chonkie"):
        from chonkie import RecursiveChunker, TokenChunker

        name = named("chonkie")
        if encoding:
            yield Cutter(f"{name} recursive", "tokens", RecursiveChunker(encoding, chunk_size=TOKENS).chunk)
            yield Cutter(f"{name} token", "tokens", TokenChunker(encoding, chunk_size=TOKENS).chunk)
        yield Cutter(f"{name} recursive", "characters", RecursiveChunker("character", chunk_size=CHARACTERS).chunk)
    if installed("chonkie_core"):
        from chonkie_core import Chunker

        yield Cutter(named("chonkie-core"), "characters", lambda text: list(Chunker(text, size=CHARACTERS)))


def docling(encoding: Any) -> Iterator[Cutter]:
    """Docling reads Markdown into a document of its own, and its chunker cuts that; a tenth of the texts will do."""
    if not installed("docling_core") or not installed("docling") or not encoding:
        return
    from docling.backend.md_backend import MarkdownDocumentBackend
    from docling.datamodel.base_models import InputFormat
    from docling.datamodel.document import InputDocument
    from docling_core.transforms.chunker.hybrid_chunker import HybridChunker
    from docling_core.transforms.chunker.tokenizer.openai import OpenAITokenizer

    chunker = HybridChunker(tokenizer=OpenAITokenizer(tokenizer=encoding, max_tokens=TOKENS))

    def work(text: str) -> object:
        given = InputDocument(
            path_or_stream=BytesIO(text.encode()),
            format=InputFormat.MD,
            backend=MarkdownDocumentBackend,
            filename="page.md",
        )
        return list(chunker.chunk(given._backend.convert()))  # noqa: SLF001 - as its own converter does

    yield Cutter(f"{named('docling-core')} HybridChunker", "tokens", work, share=0.1)


def installed(module: str) -> bool:
    try:
        found = find_spec(module) is not None
    except ModuleNotFoundError:
        found = False
    if not found:
        print(f"left out, as not installed: {module.partition('.')[0]}")
    return found


def named(name: str) -> str:
    try:
        return f"{name} {version(name)}"
    except PackageNotFoundError:
        return name
