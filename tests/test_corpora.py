"""Real documents in ten languages: the laws hold on them."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

import pytest
from laws import graphemes, laws
from shared import shared

from headwise import Settings
from headwise.reading.decode import decode


@cache
def documents() -> tuple[Path, ...]:
    return tuple(sorted(path for path in shared("data", "corpora").rglob("*") if path.suffix in (".md", ".txt")))


def sample(size: int, seed: int) -> list[tuple[str, str]]:
    """Name and text of so many documents, the same ones every time, every corpus among them."""
    pick = random.Random(seed)  # noqa: S311 - the same files every time are wanted
    root = shared("data", "corpora")
    by_corpus: dict[str, list[Path]] = {}
    for path in documents():
        by_corpus.setdefault(path.relative_to(root).parts[0], []).append(path)
    each = -(-size // len(by_corpus))
    chosen = [path for files in by_corpus.values() for path in pick.sample(files, min(each, len(files)))]
    return [(str(path.relative_to(root)), decode(path.read_bytes())[0]) for path in chosen]


@pytest.mark.parametrize(
    ("size", "settings"),
    [
        (150, Settings(400)),
        (40, Settings(40)),
        (40, Settings(400, overlap="15%")),
        (24, Settings(200, overlap="1s", strategy="sentences")),
        (24, Settings(1200, overlap=150, tokenizer="chars", strategy="paragraphs")),
    ],
    ids=lambda value: value.key() if isinstance(value, Settings) else str(value),
)
def test_laws_hold_on_real_documents(size: int, settings: Settings) -> None:
    for name, text in sample(size, settings.max_tokens):
        document_format = "plain" if name.endswith(".txt") else "markdown"
        made = laws(text, settings, document_format=document_format, obsidian="vault" in name)
        if len(text) < 20_000:
            graphemes(text, made)


def test_no_chunk_is_next_to_nothing() -> None:
    for name, text in sample(60, 3):
        for chunk in laws(text).chunks:
            assert any(character.isalnum() for character in chunk.text) or len(text) < 200, (name, chunk.text)
