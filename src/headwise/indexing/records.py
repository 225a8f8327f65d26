"""A read document to the records a store keeps of it: a pure step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal
from urllib.parse import quote

from headwise.chunking.passages import passages
from headwise.chunking.settings import Settings
from headwise.chunking.split import analyse
from headwise.indexing.models import Reader
from headwise.indexing.words import analyse_words
from headwise.model import Chunk, Document, FrontMatter, Record, plain
from headwise.reading.inline import find_data_uris
from headwise.stores.store import DocumentRecords, StoredFile, Words

RULES = 4
"""Raised by one whenever words, passages, ids or links are made differently, so that stores make them anew."""


Navigation = Literal["keep", "skip"]


@dataclass(frozen=True, slots=True)
class IndexSettings:
    """What decides the records of a document, checked when made.

    Raises:
        SettingsError: if `cutting` counts by a function without a name of its own, which no store could know again.
    """

    cutting: Settings = field(default_factory=Settings)
    passages: int | None = 64
    """Largest size of a passage's text in the measure of `cutting`; None makes each chunk one passage."""
    embedder: Reader | None = None
    """The model that is to read the passages whole; None where there is none yet."""
    navigation: Navigation = "keep"
    """Whether chunks that are only links get records; those of the others are the same either way."""

    def __post_init__(self) -> None:
        self.cutting.key()

    def key(self, *, obsidian: bool) -> str:
        """Everything that decides the records of an unchanged file, as one line: equal keys give equal records."""
        reads = self.embedder.reads if self.embedder else "all"
        return (
            f"{self.cutting.key()} records={RULES} passages={self.passages or 'off'} model-reads={reads}"
            f"{' obsidian' if obsidian else ''}{' navigation=skip' if self.navigation == 'skip' else ''}"
        )

    def portable(self) -> IndexSettings:
        """The same without the model's weights and connections, to be sent to another process."""
        model = self.embedder
        if model is None:
            return self
        return replace(self, embedder=_Limit(model.key, model.reads, _always if model.reads == "all" else model.fits))


@dataclass(frozen=True, slots=True)
class _Limit:
    """What cutting needs of a model, and nothing else."""

    key: str
    reads: str
    fits: Callable[[str], bool]


def _always(_text: str) -> bool:
    return True


def make_records(document: Document, settings: IndexSettings, checked_ns: int) -> DocumentRecords:
    """All that a store keeps of *document*, which a sync that began at *checked_ns* has read.

    A document with `headwise: false` in its front matter gets no records: it is only remembered, so that it is not
    read again. One of nothing but front matter is recorded by that, cut as plain text.
    """
    analysis = analyse(
        document.text,
        settings=settings.cutting,
        path=document.path,
        document_format=document.format,
        obsidian=document.obsidian,
    )
    front, tree, title = analysis.tree.front_matter, analysis.tree, analysis.title
    excluded = front.data.get("headwise") is False
    if front.data and not document.text[front.end :].strip():
        properties = document.text[: front.end]
        analysis = analyse(properties, settings=settings.cutting, title=title, document_format="plain")
    chunks = () if excluded else analysis.chunks
    fits = settings.embedder.fits if settings.embedder else None
    pieces = passages(analysis, settings.cutting, settings.passages, fits) if chunks else ()
    skipping = settings.navigation == "skip"
    kept = [pair for pair in zip(chunks, pieces, strict=True) if not (skipping and pair[0].navigation)]
    return DocumentRecords(
        file=stored_file(document, settings, checked_ns),
        format=document.format,
        title=title,
        tags=tuple(dict.fromkeys((*front.tags, *(tag.name for tag in tree.tags)))),
        aliases=front.aliases,
        front_matter=front.data,
        links=tree.links,
        warnings=document.warnings if front.warning is None else (*document.warnings, front.warning),
        excluded=excluded,
        records=tuple(
            Record(
                record_id(document.path, chunk),
                document.path,
                link(document.path, chunk.anchor),
                chunk,
                pieces,
                _gap(document.text, chunks, chunk),
            )
            for chunk, pieces in kept
        ),
        words=_words(title, front, tuple(chunk for chunk, _ in kept)),
    )


def stored_file(document: Document, settings: IndexSettings, checked_ns: int) -> StoredFile:
    """What a store knows of the file of *document*, read by a sync that began at *checked_ns*."""
    return StoredFile(
        document.path,
        document.content_hash,
        settings.key(obsidian=document.obsidian),
        document.size,
        document.mtime_ns,
        document.inode,
        document.ctime_ns,
        checked_ns,
    )


def record_id(path: str, chunk: Chunk) -> str:
    """`path#anchor::n`, or `path::n` before the first heading: readable, untouched by edits in other sections."""
    return f"{path}#{chunk.anchor}::{chunk.number}" if chunk.anchor else f"{path}::{chunk.number}"


def link(path: str, anchor: str) -> str:
    """The percent-encoded way to open *path*, relative to the root, at *anchor*."""
    return f"{quote(path)}#{quote(anchor)}" if anchor else quote(path)


def _gap(text: str, chunks: tuple[Chunk, ...], chunk: Chunk) -> str:
    """The white space between the chunk before *chunk* and it, if nothing else stands there."""
    between = text[chunks[chunk.index - 1].end : chunk.start] if chunk.index else ""
    return "" if between.strip() else between


def _words(title: str, front: FrontMatter, chunks: tuple[Chunk, ...]) -> tuple[Words, ...]:
    """The words of every chunk by field, those in comments too; trails repeat from chunk to chunk: analysed once.

    Those of the properties are the first chunk's, which is what to show of a document that is found by them: aliases
    are titles; tags, description and summary stand beside its headings.
    """
    in_title = _analysed(title)
    trails = {trail: _analysed("\n".join(trail)) for trail in {chunk.headings for chunk in chunks}}
    words = [
        Words(in_title, trails[chunk.headings], _analysed(plain(chunk.text, 0, find_data_uris(chunk.text))))
        for chunk in chunks
    ]
    if words:
        first = words[0]
        about = (text for name in ("description", "summary") if isinstance(text := front.data.get(name), str))
        words[0] = first._replace(
            title=_joined(first.title, *map(_analysed, front.aliases)),
            headings=_joined(first.headings, *map(_analysed, (*front.tags, *about))),
        )
    return tuple(words)


def _joined(*terms: str) -> str:
    return " ".join(filter(None, terms))


def _analysed(text: str) -> str:
    return " ".join(analyse_words(text))
