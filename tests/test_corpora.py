"""Real documents in ten languages: the laws hold on them, and another parser sees the same headings."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

import pytest
from laws import graphemes, laws
from markdown_it import MarkdownIt
from mdit_py_plugins.front_matter import front_matter_plugin
from shared import shared

from headwise import Settings
from headwise.reading.decode import decode
from headwise.reading.lines import line_number
from headwise.reading.parse import parse


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


# Where the two parsers differ with reason: in these files headings stand inside a tab or an admonition
# (`//// tab`), which markdown-it-py takes for a paragraph, and where a heading opens no section.
IN_CONTAINERS = {"fastapi/docs/*/docs/_llm-test.md"}


def test_headings_are_those_of_another_parser() -> None:
    oracle = MarkdownIt("commonmark").enable("table").use(front_matter_plugin).disable("inline")
    seen = 0
    different: list[str] = []
    for name, raw in sample(320, 5):
        if name.endswith(".txt") or any(Path(name).match(pattern) for pattern in IN_CONTAINERS):
            continue
        text = raw.removeprefix("\ufeff").replace("\r\n", "\n")
        expected = [
            (int(token.tag[1]), token.map[0] + 1)
            for token in oracle.parse(text)
            if token.type == "heading_open" and token.level == 0 and token.map
        ]
        tree = parse(text)
        found = [
            (block.level, line_number(tree.lines, block.end - len(text[block.start : block.end].lstrip())))
            for block in tree.blocks
            if block.depth == 0 and block.kind == "heading"
        ]
        seen += len(found)
        if found != expected:
            different.append(f"{name}: {set(found) ^ set(expected)}")
    assert seen > 2_000
    assert not different
