"""A parsed document made ready for cutting: what contains a position, and what stands in a span."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from headwise.model import Block, Kind, Link, Section, Span, Tag, Tree, plain
from headwise.reading.lines import line_number

INVISIBLE: Final = "\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\u00ad\u180e"
"""Characters that print nothing although they are no white space: a span of only these is blank."""

LEADING: Final = ("://", "]:")
"""One of them is in every text that has a bare URL or a definition."""

_BLANK: Final = re.compile(r"\s*")
_VISIBLE: Final = re.compile(r"\S")
_LINE_BREAK: Final = re.compile(r"\r\n?|\n")
_NOT_PREFIX: Final = re.compile(r"[^\s>]")
_CONTAINER_END: Final = re.compile(r" {0,3}(?::{3,}|/{3,})")


def unfilled() -> dict[Any, Any]:
    """A dictionary to be filled; `dict[int, str]()` takes ten times as long, which every document would pay."""
    return {}


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
    tops: Sequence[int]
    """Indices of the blocks at the top level."""
    top_starts: Sequence[int]
    top_kinds: tuple[Kind, ...]
    section_starts: tuple[int, ...]
    only_sections: bool
    """Whether every heading at the top level opens a section."""
    left_out: tuple[Span, ...]
    """Lines, without their newlines, that no chunk may hold."""
    unsaid: frozenset[str]
    """Titles of the sections whose heading is left out: no breadcrumb holds them."""
    link_starts: tuple[int, ...]
    tag_starts: tuple[int, ...]
    omitted_starts: tuple[int, ...]
    omitted_ends: tuple[int, ...]
    leads: bool
    """Whether anything in the text may lead elsewhere: links, bare URLs, definitions."""
    has_returns: bool
    """Whether a CR stands anywhere in the text."""
    as_it_stands: bool
    """Whether a measure counts the text as it stands: nothing is omitted, and no CR stands anywhere."""
    parents: list[int] = field(compare=False)
    """Index of the parent of each block inside a top-level block that was looked into, else -1."""
    children: dict[int, list[int]] = field(default_factory=unfilled, compare=False)
    """Indices of the blocks right inside a block, where they were asked for."""
    fences: dict[int, Fence] = field(default_factory=unfilled, compare=False)
    """Fences already read, by the index of their block; filled as they are asked for."""
    openings: dict[int, str] = field(default_factory=unfilled, compare=False)
    """What reopens a block, by its index, where that was asked for; empty if nothing does."""

    mixes: dict[tuple[Kind, ...], tuple[Kind, ...]] = field(default_factory=unfilled, compare=False)
    """Kinds of the blocks in spans: there are few, for many spans."""
    trails: dict[int, tuple[str, ...]] = field(default_factory=lambda: {-1: ()}, compare=False)
    """Titles of a section's trail, by its index, where they were asked for."""
    names: dict[int, tuple[str, ...]] = field(default_factory=unfilled, compare=False)
    """The same for a breadcrumb: with the document's title, without repeats."""
    paths: dict[tuple[int, str], tuple[str, ...]] = field(default_factory=unfilled, compare=False)
    """Parts of breadcrumbs, by the innermost section named and the heading said already, where asked for."""
    surroundings: dict[tuple[object, ...], Surroundings] = field(default_factory=unfilled, compare=False)
    """What is put around spans, by all that decides it, where that was asked for."""

    def plain(self, start: int, end: int) -> str:
        """What a measure counts of the span: LF newlines, without what is omitted."""
        text = self.text[start:end]
        if self.as_it_stands:
            return text
        # most spans of a document that omits something omit nothing
        first = bisect_right(self.omitted_ends, start)
        omits = first < len(self.omitted_ends) and self.omitted_starts[first] < end
        return plain(text, start, self.omitted(start, end)) if omits or self.has_returns else text

    def omitted(self, start: int, end: int) -> tuple[Span, ...]:
        """The parts of the span that are left out for an embedder."""
        first = bisect_right(self.omitted_ends, start)
        if first == len(self.omitted_ends) or self.omitted_starts[first] >= end:
            return ()
        found = self.tree.omitted[first : bisect_left(self.omitted_starts, end, lo=first)]
        if start <= found[0].start and found[-1].end <= end:
            return found
        return tuple(Span(max(span.start, start), min(span.end, end)) for span in found)

    def omits_at(self, position: int) -> bool:
        """Whether what is left out for an embedder touches *position*."""
        first = bisect_left(self.omitted_ends, position)
        return first < len(self.omitted_ends) and self.omitted_starts[first] <= position

    def links_between(self, start: int, end: int) -> tuple[Link, ...]:
        """The links that begin in the span."""
        first = bisect_left(self.link_starts, start)
        return self.tree.links[first : bisect_left(self.link_starts, end, first)]

    def tags_between(self, start: int, end: int) -> tuple[Tag, ...]:
        """The tags that begin in the span."""
        first = bisect_left(self.tag_starts, start)
        return self.tree.tags[first : bisect_left(self.tag_starts, end, first)]

    def left_out_between(self, start: int, end: int) -> tuple[Span, ...]:
        """The lines that are left out and begin in the span."""
        if not self.left_out:
            return ()
        first = bisect_left(self.left_out, start, key=_start)
        return self.left_out[first : bisect_left(self.left_out, end, lo=first, key=_start)]

    def innermost(self, position: int) -> int:
        """Index of the innermost block that holds the character at *position*, -1 if none does."""
        return bisect_right(self.tree.blocks.starts, position) - 1

    def frames(self, position: int) -> tuple[int, ...]:
        """Indices of the blocks that *position* lies strictly inside, outermost first."""
        if not self.is_inside(position):
            return ()
        self._look_into(self.tops[bisect_right(self.top_starts, position) - 1])
        starts, ends, parents = self.tree.blocks.starts, self.tree.blocks.ends, self.parents
        index = self.innermost(position)
        found: list[int] = []
        while index >= 0:
            if starts[index] < position < ends[index]:
                found.append(index)
            index = parents[index]
        found.reverse()
        return tuple(found)

    def is_inside(self, position: int) -> bool:
        """Whether *position* may lie strictly inside a block: not where one at the top level begins."""
        top = bisect_right(self.top_starts, position) - 1
        return top >= 0 and self.top_starts[top] != position

    def _look_into(self, top: int) -> None:
        """Fill `parents` for the blocks inside the top-level block *top*: few are ever asked for."""
        shapes, parents = self.tree.blocks.shapes, self.parents
        if top + 1 < len(parents) and parents[top + 1] >= 0:
            return
        around = [top]
        for index in range(top + 1, len(shapes)):
            depth = shapes[index].depth
            if depth == 0:
                break
            del around[depth:]
            parents[index] = around[-1]
            around.append(index)

    def _children(self, index: int) -> list[int]:
        """Indices of the blocks right inside block *index*."""
        known = self.children.get(index)
        if known is None:
            self._look_into(self.tops[bisect_right(self.tops, index) - 1])
            known = self.children[index] = []
            for at in range(index + 1, len(self.parents)):
                parent = self.parents[at]
                if parent < index:
                    break
                if parent == index:
                    known.append(at)
        return known

    def line_start(self, position: int) -> int:
        """Start of the line that holds *position*."""
        return self.tree.lines[line_number(self.tree.lines, position) - 1]

    def tops_between(self, start: int, end: int) -> range:
        """Which of `tops` overlap the span."""
        first = max(bisect_right(self.top_starts, start) - 1, 0)
        return range(first, bisect_left(self.top_starts, end))

    def kinds(self, start: int, end: int) -> tuple[Kind, ...]:
        """Kinds of the top-level blocks in the span, in order, each once."""
        first = max(bisect_right(self.top_starts, start) - 1, 0)
        found = tuple(dict.fromkeys(self.top_kinds[first : bisect_left(self.top_starts, end, first)]))
        return self.mixes.setdefault(found, found)

    def has_children(self, index: int) -> bool:
        """Whether there are blocks inside block *index*."""
        shapes = self.tree.blocks.shapes
        following = index + 1
        return following < len(shapes) and shapes[following].depth > shapes[index].depth

    def children_between(self, index: int, start: int, end: int) -> list[int]:
        """Indices of the blocks right inside block *index* that overlap the span."""
        if not self.has_children(index):
            return []
        inside = self._children(index)
        first = max(bisect_right(inside, start, key=self.tree.blocks.starts.__getitem__) - 1, 0)
        return inside[first : bisect_left(inside, end, lo=first, key=self.tree.blocks.starts.__getitem__)]

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
        shape = self.tree.blocks.shapes[index]
        if not shape.fence and shape.kind != "math_block":
            return None
        known = self.fences.get(index)
        if known is None:
            block = self.tree.blocks[index]
            known = self.fences[index] = self._read_fence(block) if block.fence else self._read_formula(block)
        return known

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

    def is_bare(self, start: int, end: int) -> bool:
        """Whether what a measure counts of the span shows nothing; most often its first sign tells."""
        first = _VISIBLE.search(self.text, start, end)
        if first is None:
            return True
        if self.as_it_stands and first[0] not in INVISIBLE:
            return False
        return is_blank(self.plain(start, end))

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
        if first == end or (text[first] in INVISIBLE and is_blank(text[first:end])):
            return Span(start, start)
        if first == start:
            return Span(start, end)
        line = self.line_start(first)
        if line >= start:
            top = self.tree.blocks[self.tops[self.tops_between(first, first + 1)[0]]]
            if top.start < line or top.kind in ("code_block", "list"):
                first = line
        return Span(first, end)


def lay_out(tree: Tree, sections: tuple[Section, ...], title: str, left_out: tuple[Span, ...] = ()) -> Layout:
    """*tree* and its *sections* with their indices, to be cut around the lines that are *left_out*."""
    starts, shapes = tree.blocks.starts, tree.blocks.shapes
    tops = [index for index, shape in enumerate(shapes) if not shape.depth]
    flat = len(tops) == len(shapes)
    kinds: tuple[Kind, ...] = tuple([shapes[index].kind for index in tops])
    has_returns = "\r" in tree.text
    return Layout(
        tree=tree,
        text=tree.text,
        sections=sections,
        title=title,
        tops=tops,
        top_starts=starts if flat else [starts[index] for index in tops],
        top_kinds=kinds,
        section_starts=tuple([section.start for section in sections]),
        left_out=left_out,
        unsaid=frozenset(_unsaid(sections, left_out)) if left_out else frozenset(),
        link_starts=tuple([link.start for link in tree.links]),
        tag_starts=tuple([tag.start for tag in tree.tags]),
        omitted_starts=tuple([span.start for span in tree.omitted]),
        omitted_ends=tuple([span.end for span in tree.omitted]),
        parents=[-1] * len(starts),
        only_sections=kinds.count("heading") == len(sections),
        leads=bool(tree.links) or any(map(tree.text.__contains__, LEADING)),
        has_returns=has_returns,
        as_it_stands=not (tree.omitted or has_returns),
    )


def _unsaid(sections: tuple[Section, ...], left_out: tuple[Span, ...]) -> Iterator[str]:
    for section in sections:
        first = bisect_left(left_out, section.start, key=_start)
        if first < len(left_out) and left_out[first].start < section.own_start:
            yield section.title


def _start(span: Span) -> int:
    return span.start


def is_blank(text: str) -> bool:
    """Whether *text* shows nothing: white space and invisible characters only."""
    bare = text.lstrip()
    return not bare or (bare[0] in INVISIBLE and all(c in INVISIBLE or c.isspace() for c in bare))
