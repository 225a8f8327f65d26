"""Every example of the CommonMark and GFM specifications, in every kind of newline."""

from __future__ import annotations

import html
import re
from functools import cache

import pytest
from laws import laws
from shared import shared
from support_oracle import NAMES, ORACLE

from headwise import Settings
from headwise.model import Tree
from headwise.reading.outline import outline
from headwise.reading.parse import parse

_FENCE = "`" * 32
_EXAMPLE = re.compile(rf"^{_FENCE} example[^\n]*\n(.*?)^\.\n(.*?)^{_FENCE}$", re.DOTALL | re.MULTILINE)
_HEADING = re.compile(r"<h([1-6])>")
# where the specifications differ: GFM reads a bare pipe table, CommonMark does not, and so on
SPECS = ("spec.txt", "gfm-spec.txt")


@cache
def examples(name: str) -> tuple[tuple[str, str], ...]:
    """Markdown and expected HTML of every example."""
    text = shared("data", "spec", name).read_text("utf-8").replace("→", "\t")
    found = tuple((match[1], match[2]) for match in _EXAMPLE.finditer(text))
    assert len(found) > 600
    return found


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
@pytest.mark.parametrize("limit", [1, 2, 4, 7, 12, 30, 400])
def test_laws_hold_on_every_example(spec: str, newline: str, limit: int) -> None:
    for markdown, _ in examples(spec):
        laws(markdown.replace("\n", newline), Settings(max_tokens=limit))


@pytest.mark.parametrize("overlap", [3, "20%", "1s"])
@pytest.mark.parametrize("strategy", ["headings", "paragraphs", "sentences", "fixed"])
def test_laws_hold_on_the_whole_specification(strategy: str, overlap: int | str) -> None:
    text = shared("data", "spec", "spec.txt").read_text("utf-8")
    for limit in (20, 128, 1000):
        laws(text, Settings(max_tokens=limit, strategy=strategy, overlap=overlap))


@pytest.mark.parametrize("spec", SPECS)
def test_newlines_of_any_kind_give_the_same_chunks(spec: str) -> None:
    for markdown, _ in examples(spec):
        chunks = [
            [
                (chunk.headings, chunk.embed_text, chunk.kinds)
                for chunk in laws(markdown.replace("\n", newline), Settings(max_tokens=20)).chunks
            ]
            for newline in ("\n", "\r\n", "\r")
        ]
        assert chunks[0] == chunks[1] == chunks[2], markdown


def in_containers(tree: Tree) -> list[int]:
    """Levels of all headings, in order, those inside quotes and lists included."""
    return [block.level for block in tree.blocks if block.kind == "heading"]


def test_headings_are_those_of_the_expected_html() -> None:
    # the specification's own HTML says which headings there are, wherever they stand
    for markdown, expected in examples("spec.txt"):
        without_raw = re.sub(r"<!--.*?-->", "", expected, flags=re.DOTALL)
        levels = [int(level) for level in _HEADING.findall(without_raw)]
        assert in_containers(parse(markdown, flavours="none")) == levels, markdown


def test_top_level_blocks_are_those_of_another_parser() -> None:
    # markdown-it-py shares no code with the parser in use: same kinds, same first lines
    different: list[str] = []
    for markdown, _ in examples("spec.txt"):
        expected = [
            (NAMES[token.type], token.map[0])
            for token in ORACLE.parse(markdown)
            if token.level == 0 and token.type in NAMES and token.map
        ]
        tree = parse(markdown, flavours="none")
        first = [markdown[b.start : b.end].lstrip() for b in tree.blocks]
        found = [
            (block.kind, markdown.count("\n", 0, block.end - len(text)))
            for block, text in zip(tree.blocks, first, strict=True)
            if block.depth == 0 and block.kind != "other"
        ]
        if found != expected and not front_matter(markdown):
            different.append(markdown)
    assert different == []


def front_matter(markdown: str) -> bool:
    return parse(markdown).front_matter.end > 0


def test_titles_are_the_text_of_the_expected_html() -> None:
    tags = re.compile(r"<[^>]+>")
    seen = 0
    for markdown, expected in examples("spec.txt"):
        tree = parse(markdown, flavours="none")
        sections = outline(tree)
        if len(sections) != len(_HEADING.findall(expected)) or "<img" in expected:
            continue  # a heading inside a container opens no section
        texts = re.findall(r"<h[1-6]>(.*?)</h[1-6]>", expected, re.DOTALL)
        for section, text in zip(sections, texts, strict=True):
            assert section.title == " ".join(html.unescape(tags.sub("", text)).split())
            seen += 1
    assert seen > 50
