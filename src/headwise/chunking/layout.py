"""A parsed document made ready for cutting: what contains a position, and what stands in a span."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from headwise.model import Block, Kind, Link, Section, Span, Tag, Tree, plain
from headwise.reading.lines import line_number

INVISIBLE: Final = "\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\u00ad\u180e"
"""Characters that print nothing although they are no white space: a span of only these is blank."""

_BLANK: Final = re.compile(r"\s*")
_VISIBLE: Final = re.compile(r"\S")
_LINE_BREAK: Final = re.compile(r"\r\n?|\n")
_NOT_PREFIX: Final = re.compile(r"[^\s>]")
_CONTAINER_END: Final = re.compile(r" {0,3}(?::{3,}|/{3,})")


class Fence(NamedTuple):
    """The lines that open and close a fenced code block or a formula; a list marker before them is read as spaces."""

    opening: str
    closing: str
    opened_at: int
    """Where the line after the opening one begins."""
    closed_at: int | None
    """Where the closing line begins, if there is one."""


class Surroundings(NamedTuple):
    """Text put before and after a span; both with their separators, LF only."""

    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Layout:
    """A tree with its sections, and the indices that make looking things up cheap."""

    tree: Tree
    text: str
    """The document's text."""
    sections: tuple[Section, ...]
    title: str
    block_starts: tuple[int, ...]
    parents: tuple[int, ...]
    """Index of each block's parent, -1 at the top."""
    children: dict[int, list[int]]
    """Indices of the blocks right inside each block that has any."""
    tops: tuple[int, ...]
    """Indices of the blocks at the top level."""
    top_starts: tuple[int, ...]
    section_starts: tuple[int, ...]
    left_out: tuple[Span, ...]
    """Lines, without their newlines, that no chunk may hold."""
    unsaid: frozenset[str]
    """Titles of the sections whose heading is left out: no breadcrumb holds them."""
    link_starts: tuple[int, ...]
    tag_starts: tuple[int, ...]
    omitted_starts: tuple[int, ...]
    omitted_ends: tuple[int, ...]
    has_returns: bool
    """Whether a CR stands anywhere in the text."""
    fences: dict[int, Fence] = field(default_factory=dict[int, "Fence"], compare=False)
    """Fences already read, by the index of their block; filled as they are asked for."""
    openings: dict[int, str] = field(default_factory=dict[int, str], compare=False)
    """What reopens a block, by its index, where that was asked for; empty if nothing does."""

    trails: dict[int, tuple[str, ...]] = field(default_factory=dict[int, "tuple[str, ...]"], compare=False)
    """Titles of a section's trail, by its index, where they were asked for."""
    paths: dict[tuple[int | str, ...], tuple[str, ...]] = field(
        default_factory=dict["tuple[int | str, ...]", "tuple[str, ...]"], compare=False
    )
    """Parts of breadcrumbs, by what decides them, where they were asked for."""
    surroundings: dict[tuple[object, ...], Surroundings] = field(
        default_factory=dict["tuple[object, ...]", "Surroundings"], compare=False
    )
    """What is put around spans, by all that decides it, where that was asked for."""

    def plain(self, start: int, end: int) -> str:
        """What a measure counts of the span: LF newlines, without what is omitted."""
        omitted = self.omitted(start, end)
        text = self.text[start:end]
        return plain(text, start, omitted) if omitted or self.has_returns else text

    def omitted(self, start: int, end: int) -> tuple[Span, ...]:
        """The parts of the span that are left out for an embedder."""
        first = bisect_right(self.omitted_ends, start)
        last = bisect_left(self.omitted_starts, end, lo=first)
        return tuple(Span(max(span.start, start), min(span.end, end)) for span in self.tree.omitted[first:last])

    def links_between(self, start: int, end: int) -> tuple[Link, ...]:
        """The links that begin in the span."""
        return self.tree.links[bisect_left(self.link_starts, start) : bisect_left(self.link_starts, end)]

    def tags_between(self, start: int, end: int) -> tuple[Tag, ...]:
        """The tags that begin in the span."""
        return self.tree.tags[bisect_left(self.tag_starts, start) : bisect_left(self.tag_starts, end)]

    def left_out_between(self, start: int, end: int) -> tuple[Span, ...]:
        """The lines that are left out and begin in the span."""
        first = bisect_left(self.left_out, start, key=_start)
        return self.left_out[first : bisect_left(self.left_out, end, lo=first, key=_start)]

    def innermost(self, position: int) -> int:
        """Index of the innermost block that holds the character at *position*, -1 if none does."""
        return bisect_right(self.block_starts, position) - 1

    def frames(self, position: int) -> tuple[int, ...]:
        """Indices of the blocks that *position* lies strictly inside, outermost first."""
        index = self.innermost(position)
        found: list[int] = []
        while index >= 0:
            block = self.tree.blocks[index]
            if block.start < position < block.end:
                found.append(index)
            index = self.parents[index]
        return tuple(reversed(found))

    def line_start(self, position: int) -> int:
        """Start of the line that holds *position*."""
        return self.tree.lines[line_number(self.tree.lines, position) - 1]

    def tops_between(self, start: int, end: int) -> range:
        """Which of `tops` overlap the span."""
        first = max(bisect_right(self.top_starts, start) - 1, 0)
        return range(first, bisect_left(self.top_starts, end))

    def kinds(self, start: int, end: int) -> tuple[Kind, ...]:
        """Kinds of the top-level blocks in the span, in order, each once."""
        blocks = self.tree.blocks
        return tuple(dict.fromkeys(blocks[self.tops[i]].kind for i in self.tops_between(start, end)))

    def first_child(self, index: int) -> Block | None:
        """The first block inside block *index*."""
        blocks = self.tree.blocks
        following = index + 1
        return blocks[following] if following < len(blocks) and self.parents[following] == index else None

    def children_between(self, index: int, start: int, end: int) -> list[int]:
        """Indices of the blocks right inside block *index* that overlap the span."""
        inside = self.children.get(index, [])
        first = max(bisect_right(inside, start, key=self.block_starts.__getitem__) - 1, 0)
        return inside[first : bisect_left(inside, end, lo=first, key=self.block_starts.__getitem__)]

    def first_line(self, block: Block) -> Span:
        """The block's first visible line, without its newline."""
        blank = _BLANK.match(self.text, block.start, block.end)
        start = max(self.line_start(blank.end() if blank else block.start), block.start)
        lines = self.tree.lines
        number = line_number(lines, start)
        end = min(lines[number], block.end) if number < len(lines) else block.end
        while end > start and self.text[end - 1] in "\r\n":
            end -= 1
        return Span(start, end)

    def last_line(self, block: Block) -> Span:
        """The block's last line that holds more than a quote's prefix, without its newline."""
        end = block.end
        while end > block.start + 1 and self.text[end - 1] in " \t\r\n>":
            end -= 1
        return Span(max(self.line_start(end - 1), block.start), end)

    def fence(self, index: int) -> Fence | None:
        """The fence of block *index*, or the signs around a formula; None if it has none."""
        block = self.tree.blocks[index]
        if index not in self.fences and (block.fence or block.kind == "math_block"):
            self.fences[index] = self._read_fence(block) if block.fence else self._read_formula(block)
        return self.fences.get(index)

    def _read_formula(self, block: Block) -> Fence:
        line = self.first_line(block)
        opens = line.start + len(self.text[line.start : line.end]) - len(self.text[line.start : line.end].lstrip())
        opening = self.text[opens : opens + 2]
        closing = {"\\[": "\\]"}.get(opening, opening)
        closes = self.text.rindex(closing, opens + 2, block.end)
        bare = not self.text[opens + 2 : line.end].strip()
        alone = not self.text[self.line_start(closes) : closes].strip()
        line_break = _LINE_BREAK.search(self.text, line.end, block.end)
        opened_at = line_break.end() if bare and line_break else opens + 2
        return Fence(opening, closing, opened_at, self.line_start(closes) if alone else closes)

    def _read_fence(self, block: Block) -> Fence:
        # lines before the fence's own hold nothing but the marker of the item that begins with it
        run_at = self.text.index(block.fence, block.start)
        prefix = _NOT_PREFIX.sub(" ", self.text[max(self.line_start(run_at), block.start) : run_at])
        line_break = _LINE_BREAK.search(self.text, run_at, block.end)
        opening = self.text[run_at : line_break.start() if line_break else block.end].rstrip()
        opened_at = line_break.end() if line_break else block.end
        last = self.last_line(block)
        while last.start > opened_at and _CONTAINER_END.fullmatch(self.text, last.start, last.end):
            last = self.last_line(block._replace(end=last.start))  # it closes what stands around the code
        bare = self.text[last.start : last.end].lstrip(" \t>")
        closed = last.start >= opened_at and len(bare) >= len(block.fence) and not bare.strip(block.fence[0])
        return Fence(prefix + opening, prefix + block.fence, opened_at, last.start if closed else None)

    def heading_at(self, position: int) -> str:
        """Text of the top-level heading that begins at *position*, whether it opens a section or not; else empty."""
        at = bisect_right(self.top_starts, position) - 1
        begun = self.top_starts[at] if at >= 0 else position
        title = self.tree.titles.get(begun)
        return title if title and not self.shows(begun, position) else ""

    def shows(self, start: int, end: int) -> bool:
        """Whether the span holds more than white space; looked at no further than needed, however long it is."""
        return _VISIBLE.search(self.text, start, end) is not None

    def section_at(self, position: int) -> int:
        """Index of the innermost section that holds *position*, -1 before the first."""
        return bisect_right(self.section_starts, position) - 1

    def trim(self, start: int, end: int) -> Span:
        """The span without white space at its edges; empty if nothing visible is left.

        Indentation stays where it carries meaning: before a line of code, a list item, or anything inside a
        block.
        """
        text = self.text
        while end > start and text[end - 1].isspace():
            end -= 1
        first = start
        while first < end and text[first].isspace():
            first += 1
        if all(c in INVISIBLE or c.isspace() for c in text[first : min(end, first + 64)]) and is_blank(text[first:end]):
            return Span(start, start)
        line = self.line_start(first)
        if line >= start:
            top = self.tree.blocks[self.tops[self.tops_between(first, first + 1)[0]]]
            if top.start < line or top.kind in ("code_block", "list"):
                first = line
        return Span(first, end)


def lay_out(tree: Tree, sections: tuple[Section, ...], title: str, left_out: tuple[Span, ...] = ()) -> Layout:
    """*tree* and its *sections* with their indices, to be cut around the lines that are *left_out*."""
    parents: list[int] = []
    children: dict[int, list[int]] = {}
    open_blocks: list[int] = []
    for index, block in enumerate(tree.blocks):
        del open_blocks[block.depth :]
        parents.append(open_blocks[-1] if open_blocks else -1)
        children.setdefault(parents[-1], []).append(index)
        open_blocks.append(index)
    tops = tuple(children.get(-1, ()))
    return Layout(
        tree=tree,
        text=tree.text,
        sections=sections,
        title=title,
        block_starts=tuple(block.start for block in tree.blocks),
        parents=tuple(parents),
        children=children,
        tops=tops,
        top_starts=tuple(tree.blocks[index].start for index in tops),
        section_starts=tuple(section.start for section in sections),
        left_out=left_out,
        unsaid=frozenset(_unsaid(sections, left_out)),
        link_starts=tuple(link.start for link in tree.links),
        tag_starts=tuple(tag.start for tag in tree.tags),
        omitted_starts=tuple(span.start for span in tree.omitted),
        omitted_ends=tuple(span.end for span in tree.omitted),
        has_returns="\r" in tree.text,
    )


def _unsaid(sections: tuple[Section, ...], left_out: tuple[Span, ...]) -> Iterator[str]:
    for section in sections if left_out else ():
        first = bisect_left(left_out, section.start, key=_start)
        if first < len(left_out) and left_out[first].start < section.own_start:
            yield section.title


def _start(span: Span) -> int:
    return span.start


def is_blank(text: str) -> bool:
    """Whether *text* shows nothing: white space and invisible characters only."""
    return not text.strip() or all(c in INVISIBLE or c.isspace() for c in text)
