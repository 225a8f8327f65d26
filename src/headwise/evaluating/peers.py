"""Other libraries that cut text, as candidates: their chunks, embedded as they embed them, searched as ours are."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import redirect_stdout
from functools import partial
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from typing import Any

from headwise.chunking.measure import find_measure
from headwise.errors import SettingsError
from headwise.evaluating.candidates import Candidate
from headwise.indexing.records import IndexSettings, stored_file
from headwise.indexing.words import analyse_words
from headwise.model import Chunk, Document, Record, passage
from headwise.reading.lines import line_number, line_starts
from headwise.stores.store import DocumentRecords, Words

_HEADERS = [("#" * level, f"h{level}") for level in range(1, 7)]
_count = find_measure("cl100k_base").count

Split = Callable[[str], Iterable[tuple[str, str]]]
"""From a text to its pieces: each as it is shown, and as it is embedded."""


def peer_candidates(sizes: Sequence[int]) -> list[Candidate]:
    """The libraries of the extra `peers`, each at all *sizes* in tokens, without overlap, which is their best here.

    Raises:
        SettingsError: if one of them is not installed.
    """
    makers: tuple[tuple[str, str, str, Callable[[int], Split]], ...] = (
        ("LangChain", "langchain-text-splitters", "Markdown headers, then recursive", _langchain),
        ("LlamaIndex", "llama-index-core", "Markdown, then sentences", _llama),
        ("semantic-text-splitter", "semantic-text-splitter", "Markdown", _semantic),
    )
    modules = ("langchain_text_splitters", "llama_index", "semantic_text_splitter")
    for module, (_, package, _, _) in zip(modules, makers, strict=True):
        if find_spec(module) is None:
            raise SettingsError(f"{package} is not installed; pip install 'headwise[peers]'")
    return [
        Candidate(
            f"{family} {size}",
            family,
            f"{package} {version(package)}: {what}, {size} tokens, no overlap",
            partial(_records, make(size)),
            is_peer=True,
        )
        for family, package, what, make in makers
        for size in sizes
    ]


def _records(split: Split, document: Document) -> DocumentRecords:
    """What a store keeps of the pieces of *document*: each one passage, with words but without title or trail."""
    records = tuple(_placed(document, split))
    return DocumentRecords(
        file=stored_file(document, IndexSettings(), 0),
        format=document.format,
        title="",
        records=records,
        words=tuple(Words("", "", " ".join(analyse_words(record.chunk.embed_text))) for record in records),
    )


def _placed(document: Document, split: Split) -> Iterator[Record]:
    lines = line_starts(document.text)
    for number, (start, end, context) in enumerate(located(document.text, split(document.text))):
        text = document.text[start:end]
        piece = passage(start, end, context, text, "")
        chunk = Chunk(
            index=number,
            start=start,
            own_start=start,
            end=end,
            start_line=line_number(lines, start),
            end_line=line_number(lines, end - 1),
            title="",
            headings=(),
            anchor="",
            number=number,
            context=context,
            text=text,
            context_after="",
            tokens=_count(piece.embed_text),
            kinds=(),
        )
        yield Record(f"{document.path}::{number}", document.path, document.path, chunk, (piece,))


def located(text: str, pieces: Iterable[tuple[str, str]]) -> Iterator[tuple[int, int, str]]:
    """Where *pieces* stand in *text*, whatever was done to what cannot be seen in them, and what is put before each.

    A peer that changes more than that loses what cannot be found again.
    """
    places = [at for at, character in enumerate(text) if _visible(character)]
    bare = "".join(text[at] for at in places)
    last = 0
    for piece, embedded in pieces:
        wanted = "".join(filter(_visible, piece))
        at = bare.find(wanted, last) if wanted else -1
        at = bare.find(wanted) if wanted and at < 0 else at
        if at >= 0:
            last = at + 1
            before = embedded[: -len(piece)] if embedded.endswith(piece) else ""
            yield places[at], places[at + len(wanted) - 1] + 1, before


def _visible(character: str) -> bool:
    return character.isprintable() and not character.isspace()


def _tokens(text: str) -> list[int]:
    return [0] * _count(text)


def _langchain(size: int) -> Split:
    library: Any = import_module("langchain_text_splitters")
    headers = library.MarkdownHeaderTextSplitter(_HEADERS, strip_headers=False)
    recursive = library.RecursiveCharacterTextSplitter(chunk_size=size, chunk_overlap=0, length_function=_count)

    def split(text: str) -> Iterator[tuple[str, str]]:
        for piece in recursive.split_documents(headers.split_text(text)):
            trail = " > ".join(piece.metadata[key] for key in sorted(piece.metadata))
            yield piece.page_content, f"{trail}\n\n{piece.page_content}" if trail else piece.page_content

    return split


def _llama(size: int) -> Split:
    spec = find_spec("llama_index.core")
    if spec and spec.submodule_search_locations:  # it would fetch what already lies inside it
        inside = Path(next(iter(spec.submodule_search_locations))) / "_static" / "nltk_cache"
        os.environ.setdefault("NLTK_DATA", str(inside))
    parsers: Any = import_module("llama_index.core.node_parser")
    schema: Any = import_module("llama_index.core.schema")
    headings = parsers.MarkdownNodeParser.from_defaults()
    sentences = parsers.SentenceSplitter(chunk_size=size, chunk_overlap=0, tokenizer=_tokens)

    def split(text: str) -> Iterator[tuple[str, str]]:
        with redirect_stdout(StringIO()):  # it prints what it thinks of the sizes, for every node
            parts = headings.get_nodes_from_documents([schema.Document(text=text)])
            nodes = sentences.get_nodes_from_documents(parts)
        for node in nodes:
            yield node.get_content(schema.MetadataMode.NONE), node.get_content(schema.MetadataMode.EMBED)

    return split


def _semantic(size: int) -> Split:
    # its own table of the encoding `cl100k_base`
    library: Any = import_module("semantic_text_splitter")
    splitter = library.MarkdownSplitter.from_tiktoken_model("gpt-4", size)
    return lambda text: ((piece, piece) for piece in splitter.chunks(text))
