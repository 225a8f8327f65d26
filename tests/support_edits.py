"""Edits that people make in one section: at random places of a text, each at most once."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from headwise.chunking.split import Analysis
from headwise.model import Block, Kind, Spans
from headwise.reading.sentences import sentence_starts

_WORD = re.compile(r"[^\W_]{2,}")
_BEFORE_TEXT = re.compile(r"[ \t>]*(?:(?:[-*+]|\d+[.)])[ \t]+)*")


class Source(NamedTuple):
    """A span of a text to edit, its blocks, sentences to take words from, and a source of chance."""

    text: str
    start: int
    end: int
    blocks: tuple[Block, ...]
    donor: Sequence[str]
    pick: random.Random

    def of(self, *kinds: Kind) -> list[Block]:
        return [b for b in self.blocks if b.kind in kinds and self.text[b.start : b.end].strip()]

    def sentences(self) -> list[tuple[int, int]]:
        """Sentences of all paragraphs, white space after them included but for the paragraph's last."""
        found: list[tuple[int, int]] = []
        for block in self.of("paragraph"):
            start = _after_prefix(self.text, block)
            end = block.start + len(self.text[block.start : block.end].rstrip("> \t\r\n"))
            if start < end:
                starts = [start, *sentence_starts(self.text, start, end, Spans())]
                found += zip(starts, [*starts[1:], end], strict=True)
        return found

    def put(self, at: int, new: str, until: int | None = None) -> str:
        return self.text[:at] + new + self.text[at if until is None else until :]


def source(made: Analysis, start: int, end: int, donor: Sequence[str], pick: random.Random) -> Source:
    """What can be edited between two places of a document."""
    blocks = tuple(b for b in made.tree.blocks if start <= b.start < b.end <= end)
    return Source(made.tree.text, start, end, blocks, donor or ["Now it says more than before."], pick)


def insert_sentence(given: Source) -> str | None:
    spans = given.sentences()
    return given.put(given.pick.choice(spans)[0], given.pick.choice(given.donor) + " ") if spans else None


def delete_sentence(given: Source) -> str | None:
    spans = given.sentences()
    if len(spans) < 2:
        return None
    start, end = given.pick.choice(spans)
    return given.put(start, "", end)


def replace_word(given: Source) -> str | None:
    spans = given.sentences()
    start, end = given.pick.choice(spans) if spans else (0, 0)
    words = list(_WORD.finditer(given.text, start, end))
    if not words:
        return None
    word = given.pick.choice(words)
    return given.put(word.start(), "altered", word.end())


def append_sentence(given: Source) -> str | None:
    tops = [b for b in given.blocks if not b.depth]
    if not tops or tops[-1].kind != "paragraph":
        return None
    end = tops[-1].start + len(given.text[tops[-1].start : tops[-1].end].rstrip())
    return given.put(end, " " + given.pick.choice(given.donor))


def insert_paragraph(given: Source) -> str | None:
    tops = [b for b in given.blocks if not b.depth and b.kind != "heading"]
    if not tops:
        return None
    some = given.pick.sample(given.donor, min(3, len(given.donor)))
    return given.put(given.pick.choice(tops).start, " ".join(some) + "\n\n")


def insert_item(given: Source) -> str | None:
    return _again(given, [(b.start, b.end) for b in given.of("list_item")])


def insert_row(given: Source) -> str | None:
    rows = [(b, a) for a, b in zip(given.blocks, given.blocks[1:], strict=False) if b.kind == "table_row"]
    return _again(given, [(row.start, row.end) for row, before in rows if before.kind == "table_row"])


def insert_line(given: Source) -> str | None:
    spans: list[tuple[int, int]] = []
    for block in given.of("code_block"):
        lines = list(re.finditer(r"[^\n]*\n", given.text[block.start : block.end]))
        spans += ((block.start + line.start(), block.start + line.end()) for line in lines[1:-1])
    return _again(given, spans)


EDITS: tuple[Callable[[Source], str | None], ...] = (
    insert_sentence,
    delete_sentence,
    replace_word,
    append_sentence,
    insert_paragraph,
    insert_item,
    insert_row,
    insert_line,
)
"""Each gives the edited text, or None where nothing in the span allows it."""


def sentences(made: Analysis) -> list[str]:
    """Sentences of a document that stand in one line."""
    given = source(made, 0, len(made.tree.text), (), random.Random(0))  # noqa: S311 - nothing is drawn
    found = (given.text[start:end].strip() for start, end in given.sentences())
    return [sentence for sentence in found if "\n" not in sentence and 20 < len(sentence) < 400]


def _after_prefix(text: str, block: Block) -> int:
    found = _BEFORE_TEXT.match(text, block.start, block.end)
    return found.end() if found else block.start


def _again(given: Source, spans: list[tuple[int, int]]) -> str | None:
    """One of the spans, which are whole lines, once more after it with another word."""
    if not spans:
        return None
    start, end = given.pick.choice(spans)
    one = given.text[start:end]
    changed = _WORD.sub("another", one, count=1)
    return None if changed == one else given.put(end, ("" if one.endswith("\n") else "\n") + changed)
