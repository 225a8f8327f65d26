"""Peers that cut text, each as a function from a document to the spans of its chunks and what an embedder is given."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from _cutters import tiktoken_encoding

from headwise.chunking.measure import find_measure

count = find_measure("cl100k_base").count


class Cut(NamedTuple):
    """A chunk: its span in the document, and the text an embedder is given."""

    start: int
    end: int
    embed_text: str


Chunker = Callable[[str], list[Cut]]
HEADERS = [("#" * level, f"h{level}") for level in range(1, 7)]


def located(text: str, pieces: Iterable[tuple[str, str]]) -> Iterator[Cut]:
    """Where *pieces* (their text, what is embedded) stand in *text*, whatever was done to what cannot be seen in them.

    LangChain takes out white space, zero-width spaces and the like. A peer that changes more loses what cannot be
    found again.
    """
    places = [at for at, character in enumerate(text) if _visible(character)]
    bare = "".join(text[at] for at in places)
    last = 0
    for piece, embedded in pieces:
        wanted = "".join(filter(_visible, piece))
        if not wanted:
            continue
        at = bare.find(wanted, last)
        at = bare.find(wanted) if at < 0 else at
        if at >= 0:
            last = at + 1
            yield Cut(places[at], places[at + len(wanted) - 1] + 1, embedded)


def _visible(character: str) -> bool:
    return character.isprintable() and not character.isspace()


def plainly(split: Callable[[str], Iterable[str]]) -> Chunker:
    return lambda text: list(located(text, ((piece, piece) for piece in split(text))))


def peers(size: int) -> Iterator[tuple[str, Chunker]]:
    """The peers that are installed, set to *size* tokens without overlap, with their names and versions."""
    if find_spec("langchain_text_splitters"):
        name = f"langchain-text-splitters {version('langchain-text-splitters')}"
        yield f"{name} recursive", plainly(_langchain(size, 0).split_text)
        yield f"{name} recursive, overlap {size // 5}", plainly(_langchain(size, size // 5).split_text)
        yield f"{name} Markdown headers + recursive", _langchain_headers(size, breadcrumb=False)
        yield f"{name} Markdown headers + recursive, breadcrumb", _langchain_headers(size, breadcrumb=True)
    if find_spec("llama_index"):
        name = f"llama-index-core {version('llama-index-core')}"
        yield f"{name} sentence", plainly(_llama_sentences(size).split_text)
        yield f"{name} Markdown + sentence", _llama_markdown(size)
    if find_spec("semantic_text_splitter"):
        from semantic_text_splitter import MarkdownSplitter, TextSplitter

        name = f"semantic-text-splitter {version('semantic-text-splitter')}"
        # its own table of the encoding `cl100k_base`
        yield f"{name} text", plainly(TextSplitter.from_tiktoken_model("gpt-4", size).chunks)
        yield f"{name} Markdown", plainly(MarkdownSplitter.from_tiktoken_model("gpt-4", size).chunks)
    if find_spec("semchunk"):
        yield f"semchunk {version('semchunk')}", _semchunk(size)
    if find_spec("chonkie") and (encoding := tiktoken_encoding()):
        yield f"chonkie {version('chonkie')} recursive", _chonkie(size, encoding)


def _langchain(size: int, overlap: int) -> Any:
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    return RecursiveCharacterTextSplitter(chunk_size=size, chunk_overlap=overlap, length_function=count)


def _langchain_headers(size: int, *, breadcrumb: bool) -> Chunker:
    from langchain_text_splitters import MarkdownHeaderTextSplitter

    headers, recursive = MarkdownHeaderTextSplitter(HEADERS, strip_headers=False), _langchain(size, 0)

    def pieces(text: str) -> Iterator[tuple[str, str]]:
        for piece in recursive.split_documents(headers.split_text(text)):
            trail = " > ".join(piece.metadata[key] for key in sorted(piece.metadata))
            body = piece.page_content
            yield body, f"{trail}\n\n{body}" if breadcrumb and trail else body

    return lambda text: list(located(text, pieces(text)))


def _llama() -> None:
    # it would fetch what already lies inside it
    spec = find_spec("llama_index.core")
    if spec and spec.submodule_search_locations:
        inside = Path(next(iter(spec.submodule_search_locations))) / "_static" / "nltk_cache"
        os.environ.setdefault("NLTK_DATA", str(inside))


def _llama_sentences(size: int) -> Any:
    _llama()
    from llama_index.core.node_parser import SentenceSplitter

    return SentenceSplitter(chunk_size=size, chunk_overlap=0, tokenizer=lambda text: [0] * count(text))


def _llama_markdown(size: int) -> Chunker:
    sentences = _llama_sentences(size)
    from llama_index.core import Document
    from llama_index.core.node_parser import MarkdownNodeParser
    from llama_index.core.schema import MetadataMode

    headings = MarkdownNodeParser.from_defaults()

    def pieces(text: str) -> Iterator[tuple[str, str]]:
        nodes = headings.get_nodes_from_documents([Document(text=text)])
        for node in sentences.get_nodes_from_documents(nodes):
            yield node.get_content(MetadataMode.NONE), node.get_content(MetadataMode.EMBED)

    return lambda text: list(located(text, pieces(text)))


def _semchunk(size: int) -> Chunker:
    import semchunk

    cut = semchunk.chunkerify(count, size)

    def chunks(text: str) -> list[Cut]:
        _, offsets = cut(text, offsets=True)
        return [Cut(start, end, text[start:end]) for start, end in offsets]

    return chunks


def _chonkie(size: int, encoding: Any) -> Chunker:
    import chonkie

    recursive = chonkie.RecursiveChunker(tokenizer=encoding, chunk_size=size)
    return plainly(lambda text: [piece.text for piece in recursive.chunk(text)])
