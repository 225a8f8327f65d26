"""Another Markdown parser, which shares no code with the one in use, sees the same in every document of the corpora.

Headings at the top level with their lines, levels and titles; fences with their lines and info; tables with the lines
of their rows. What differs stands in data/differences.tsv, each with the reason: nothing more, and nothing less.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.front_matter import front_matter_plugin
from shared import shared

from headwise.chunking.layout import lay_out
from headwise.model import Tree
from headwise.reading.decode import decode
from headwise.reading.lines import line_number
from headwise.reading.parse import parse

CORPORA = (
    "commonmark-spec", "fastapi", "k8s-keps", "kepano-vault", "knowledge-garden", "prometheus-docs", "react-ar",
    "react-ja", "rust-book", "rust-rfcs", "tidb-zh", "vue-zh",
)  # fmt: skip
BLOCKS = MarkdownIt("commonmark").enable("table").use(front_matter_plugin).disable("inline")
INLINE = MarkdownIt("commonmark").enable("strikethrough")
Seen = tuple[int, str]
"""The line something is on, from 1, and what it is."""


@cache
def known() -> dict[str, frozenset[tuple[str, Seen]]]:
    """Path → what only `ours` or only `theirs` sees there."""
    with (Path(__file__).resolve().parent / "data" / "differences.tsv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE) if not row[0].startswith("#")]
    assert all(len(row) == 5 and row[4] for row in rows), "each difference has a reason"
    paths = {row[0] for row in rows}
    return {p: frozenset((who, (int(line), what)) for path, line, who, what, _ in rows if path == p) for p in paths}


@pytest.mark.parametrize("corpus", CORPORA)
def test_another_parser_sees_the_same_but_for_what_is_listed(corpus: str) -> None:
    root = shared("data", "corpora")
    different: list[str] = []
    listed = {path for path in known() if path.startswith(f"{corpus}/")}
    seen = 0
    for file in sorted(path for path in (root / corpus).rglob("*") if path.suffix.lower() == ".md"):
        path = file.relative_to(root).as_posix()
        text = decode(file.read_bytes())[0]
        tree = parse(text)
        ours, theirs = set(found_by_us(tree)), set(found_by_them(tree))
        seen += len(theirs)
        only = {*(("ours", one) for one in ours - theirs), *(("theirs", one) for one in theirs - ours)}
        for who, (line, what) in sorted(only ^ known().get(path, frozenset())):
            state = "is listed, but is no difference" if who not in {w for w, o in only if o == (line, what)} else "new"
            different.append(f"{path}\t{line}\t{who}\t{what}\t[{state}]")
        listed.discard(path)
    assert not different, "\n".join(different)
    assert not listed, f"listed, but not there: {listed}"
    assert seen


def found_by_us(tree: Tree) -> Iterator[Seen]:
    """Headings, fences and tables of *tree*."""
    text, blocks = tree.text, list(tree.blocks)
    layout = lay_out(tree, (), "", ())
    for index, block in enumerate(blocks):
        visible = block.end - len(text[block.start : block.end].lstrip())
        line = line_number(tree.lines, visible)
        if block.kind == "heading" and block.depth == 0:
            yield line, f"heading {block.level} {' '.join(tree.titles.get(block.start, '').split())}"
        elif block.kind == "code_block" and block.fence:
            fence = layout.fence(index)
            assert fence is not None
            first = line_number(tree.lines, text.index(block.fence, block.start))
            last = line_number(tree.lines, block.end - 1 if fence.closed_at is None else fence.closed_at)
            info = fence.opening.strip(" \t>").removeprefix(block.fence)
            yield first, f"fence to {last_line(tree, last)} {plain(info)}"
        elif block.kind == "table":
            rows: list[int] = []
            for inner in blocks[index + 1 :]:
                if inner.depth <= block.depth:
                    break
                if inner.kind == "table_row":
                    row = inner.end - len(text[inner.start : inner.end].lstrip())
                    rows.append(line_number(tree.lines, row))
            yield line, f"table {ranges(rows)}"


def found_by_them(tree: Tree) -> Iterator[Seen]:
    """The same of the text of *tree*, by the other parser."""
    text = tree.text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    references: dict[str, object] = {}
    tokens = BLOCKS.parse(text, references)
    rows: list[int] = []
    for token, following in pairwise((*tokens, Token("end", "", 0))):
        if token.map is None:
            if token.type == "table_close":
                yield rows[0], f"table {ranges(rows)}"
            continue
        line = token.map[0] + 1
        if token.type == "heading_open" and token.level == 0:
            yield line, f"heading {token.tag[1]} {title(following.content, references)}"
        elif token.type == "fence":
            yield line, f"fence to {last_line(tree, token.map[1])} {plain(token.info)}"
        elif token.type == "table_open":
            rows = []
        elif token.type == "tr_open":
            rows.append(line)


def last_line(tree: Tree, line: int) -> int:
    """The last line up to *line* that holds more than a quote's prefix."""
    while line > 1:
        end = tree.lines[line] if line < len(tree.lines) else len(tree.text)
        if tree.text[tree.lines[line - 1] : end].strip(" \t\r\n>"):
            break
        line -= 1
    return line


def title(source: str, references: dict[str, object]) -> str:
    """The text of a heading's *source*, as it is read."""
    (inline,) = INLINE.parseInline(source, references)
    parts = {"softbreak": " ", "hardbreak": " ", "html_inline": "", "image": ""}
    return " ".join("".join(parts.get(token.type, token.content) for token in inline.children or ()).split())


def plain(info: str) -> str:
    """*info* without what only one of the parsers has read already."""
    return " ".join(info.replace("\\", "").split())


def ranges(lines: list[int]) -> str:
    """`3-7, 9`: lines in order, those that follow each other as one."""
    starts = [line for line in lines if line - 1 not in lines]
    ends = [line for line in lines if line + 1 not in lines]
    return ", ".join(f"{a}-{b}" if a < b else str(a) for a, b in zip(starts, ends, strict=True))
