"""What is tried with bytes: each target makes a document and settings of them, and asserts all that is promised.

The first bytes choose the settings, the rest is the document, so that a fuzzer that follows the branches of the code
comes to settings as well as to texts. Whatever a target raises is a finding.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from laws import graphemes, laws

from headwise import Settings, analyse
from headwise.app.page import make_article
from headwise.chunking.check import problems
from headwise.chunking.layout import is_blank
from headwise.chunking.passages import passages
from headwise.chunking.split import Analysis
from headwise.errors import ReadingError
from headwise.indexing.marks import marks
from headwise.indexing.records import IndexSettings, make_records
from headwise.model import Document, Format
from headwise.reading.decode import decode

HEADER: Final = 4
"""Bytes that choose the settings."""
PARTS: Final = "\x1e"
"""Between the parts of a document that `growth` repeats."""

_LIMITS = (1, 2, 3, 5, 7, 9, 12, 16, 20, 30, 40, 60, 80, 120, 200, 400)
_TOKENIZERS = ("cl100k_base", "o200k_base", "chars", "words")
_STRATEGIES = ("headings", "paragraphs", "sentences", "fixed")
_TINY = ("join", "join", "keep", "drop")
_OVERLAPS = (0, 0, 0, "10%", "50%", "1s", "2s", 0)
_FLAVOURS = ("auto", "none", "math,obsidian,mdx,admonitions", "mdx", "obsidian", "admonitions", "auto", "auto")
_FORMATS: tuple[Format, ...] = ("markdown", "markdown", "mdx", "plain")
_LEVELS = ("1-6", "1-6", "2,3", "1")
_ENDINGS = {"markdown": "md", "mdx": "mdx", "plain": "txt"}


def cutting(data: bytes) -> None:
    """Every law, every proof and every page holds for any text and any settings."""
    settings, flavours, document_format, obsidian = _choices(data)
    text = _text(data[HEADER:])
    made = laws(text, settings, flavours=flavours, document_format=document_format, obsidian=obsidian)
    _proved(text, made, settings)
    if settings.max_tokens >= 80:
        graphemes(text, made)


def files(data: bytes) -> None:
    """Bytes are refused with one line, or become records that can be kept as JSON and UTF-8."""
    settings, _, document_format, obsidian = _choices(data)
    path = f"folder/note.{_ENDINGS[document_format]}"
    try:
        text, warnings = decode(data[HEADER:])
    except ReadingError as error:
        assert "\n" not in str(error)
        return
    document = Document(path, text, document_format, "", 0, 0, 0, 0, warnings, obsidian)
    records = make_records(document, IndexSettings(settings, passages=16), 0)
    json.dumps((records.front_matter, records.tags, records.aliases, records.title), allow_nan=False)
    json.dumps([(record.id, record.link) for record in records.records])
    assert len({record.id for record in records.records}) == len(records.records)
    assert all("\n" not in warning for warning in records.warnings)
    made = laws(text, settings, path=path, document_format=document_format, obsidian=obsidian)
    _proved(text, made, settings)
    make_article(document, made, settings, 0)
    for chunk in made.chunks[:3]:
        spans = marks(chunk.text, text[:200])
        assert all(a.end < b.start for a, b in pairwise(spans))


def growth(data: bytes) -> None:
    """Twice the text takes about twice the time, when a part of it is repeated or two parts nest."""
    settings, flavours, document_format, obsidian = _choices(data)
    settings = replace(settings, max_tokens=max(settings.max_tokens, 16))  # chunks of a sign or two only take long
    before, unit, after = (*_text(data[HEADER:]).split(PARTS, 2), "", "")[:3]
    if not unit:
        before, unit = "", before
    if not unit:
        return
    nested = data[3] & 8 > 0

    def seconds(size: int) -> float:
        times = size // (len(unit) + nested * len(after)) + 1
        text = before + unit * times + after * (times if nested else 1)
        begun = time.process_time()
        made = analyse(text, settings=settings, flavours=flavours, document_format=document_format, obsidian=obsidian)
        passages(made, settings, 16)
        return time.process_time() - begun

    if seconds(6_000) <= 20 * seconds(1_000) + 0.02:
        return
    once, twice = (min(seconds(size) for _ in range(3)) for size in (16_000, 32_000))
    assert twice <= 3 * once, f"{once:.3f} s for 16,000 characters, {twice:.3f} s for 32,000"


TARGETS: Final[dict[str, Callable[[bytes], None]]] = {"cutting": cutting, "files": files, "growth": growth}


def _choices(data: bytes) -> tuple[Settings, str, Format, bool]:
    """Settings, flavours, format, and whether the document lies in a vault."""
    a, b, c, d = data[:HEADER].ljust(HEADER, b"\0")
    limit = _LIMITS[a & 15]
    settings = Settings(
        max_tokens=limit,
        min_tokens=None if d & 3 else limit // 2,
        overlap=_OVERLAPS[b >> 4 & 7],
        tokenizer=_TOKENIZERS[a >> 4 & 3],
        strategy=_STRATEGIES[b & 3],
        tiny=_TINY[b >> 2 & 3],
        levels=_LEVELS[c >> 5 & 3],
        max_line=8 + d if d >> 4 == 1 else None,
    )
    return settings, _FLAVOURS[c & 7], _FORMATS[c >> 3 & 3], bool(d & 4)


def _text(data: bytes) -> str:
    """The text of *data*; lone surrogates are let through, whatever else is no UTF-8 is replaced."""
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace")


def _proved(text: str, made: Analysis, settings: Settings) -> None:
    assert problems(text, made, settings) == []
    for size in (None, 16):
        for chunk, inside in zip(made.chunks, passages(made, settings, size), strict=True):
            at = chunk.own_start
            for passage in inside:
                assert passage.text == text[passage.start : passage.end]
                assert at <= passage.start < passage.end <= chunk.end
                assert is_blank(made.layout.plain(at, passage.start))
                at = passage.end
            assert is_blank(made.layout.plain(at, chunk.end))
