"""A span of a document as a row of units: what is to stay whole, with the boundary before each.

A block that fits is one unit. One that does not is opened at its own inner boundaries: items, rows, lines,
sentences, clauses, words, graphemes, each only where the one before it does not suffice.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final, NamedTuple

from headwise.chunking.boundaries import RULES, Boundary, Rules
from headwise.chunking.context import has_heads, lead_in, surround
from headwise.chunking.graphemes import last_boundary, next_boundary
from headwise.chunking.layout import Layout, unfilled
from headwise.chunking.measure import Measure
from headwise.chunking.settings import Overlap, Settings
from headwise.chunking.sizes import add_sizes, block_sizes
from headwise.chunking.words import parts_letters, word_start
from headwise.reading.cells import after_key, cell_starts
from headwise.reading.inline import is_block_id
from headwise.reading.sentences import clause_starts, sentence_starts, word_starts, word_starts_anywhere

_WHOLE: Final = frozenset(
    {"code_block", "table", "table_row", "list", "block_quote", "admonition", "footnote", "math_block", "html_block"}
)
"""Blocks never opened to stay with their heading: cutting one that fits is worse than a heading alone."""

_INTRODUCED: Final = frozenset({"code_block", "table", "list", "math_block", "block_quote"})

_HEADED: Final = frozenset({"table", "admonition"})

_SLICES: Final = 8
"""Slices per part of a run without boundaries: fine enough to fill parts, coarse enough to count well."""

_STARTS: Final = 32
"""Starts of clauses or words looked at for each part of a long sentence: more would hardly make parts more even."""

_FEW: Final = 16
"""Characters without a word among them that begin or end no part of their own."""

_SIGNS: Final = re.compile(r"[\W_]*(?:\d{1,9}[.)])?[\W_]*")

_FINER: Final = (
    (Boundary.SENTENCE, sentence_starts),
    (Boundary.CLAUSE, clause_starts),
    (Boundary.WORD, word_starts),
    (Boundary.GRAPHEME, word_starts_anywhere),
)


class Unit(NamedTuple):
    """Something to stay whole, from `start` to the start of the next."""

    start: int
    size: int
    boundary: Boundary
    """The boundary before it."""
    before: int
    """Size of the context of a part that begins here."""
    after: int
    """Size of what must be closed if a part ends before it."""


@dataclass(frozen=True, slots=True)
class Job:
    """What cutting one document needs: its layout, the settings, and the measure they name."""

    layout: Layout
    settings: Settings
    measure: Measure
    count: Callable[[str], int]
    """That of the measure."""
    limit: int
    """Largest size of a chunk, without what the measure adds to every text."""
    rules: Rules
    overlap: Overlap
    contexts: dict[str, int] = field(default_factory=unfilled)
    """Sizes of context already counted in this call: the same few texts come again and again."""
    sizes: dict[tuple[int, int], dict[int, int]] = field(default_factory=unfilled)
    """Sizes of blocks in spans found to be over the limit, until they are opened."""

    def size(self, start: int, end: int) -> int:
        """Size of the span as part of a larger one: counts of words add up if each takes the space before it."""
        text = self.layout.text
        start -= start > 0 and text[start - 1] == " " and not self.measure.own_space
        end -= end > start and text[end - 1] == " "
        return self.count(self.layout.plain(start, end))

    def context_size(self, text: str) -> int:
        """Size of a context."""
        size = self.contexts.get(text)
        if size is None:
            size = self.contexts[text] = self.count(text)
        return size


def prepare(layout: Layout, settings: Settings) -> Job:
    """The job of cutting *layout* by *settings*."""
    measure = settings.measure()
    limit = settings.max_tokens - measure.extra
    rules = RULES[settings.strategy]
    return Job(layout, settings, measure, measure.count, limit, rules, settings.parsed_overlap())


def make_units(job: Job, start: int, end: int, limit: int, *, with_context: bool = True) -> list[Unit]:
    """Units of the span, none larger than *limit* with its context unless it is a single code point.

    Args:
        job: the document and how it is cut.
        start: where the span begins, in characters.
        end: where it ends.
        limit: largest size of a unit, in the measure.
        with_context: whether a unit's context counts against *limit*.
    """
    opener = _Opener(job, start, end, limit, with_context)
    opener.open_span()
    return opener.units


class _Opener:
    """Opens a span into units; made for one span and thrown away."""

    def __init__(self, job: Job, start: int, end: int, limit: int, with_context: bool) -> None:
        self.job = job
        self.layout = job.layout
        self.start = start
        self.end = end
        self.limit = limit
        self.with_context = with_context
        self.units: list[Unit] = []
        self.at_line = job.sizes.pop((start, end), None) or block_sizes(job, start, end)
        """Size of all before a place, for starts of blocks and of lines that were asked for."""
        self.breadcrumbs: dict[int, int] = {}
        """Size of the breadcrumb below the heading of a section, by its index."""
        self.measured: list[int] = []
        """Starts of blocks whose sizes are known, once one of them is to be opened."""

    def open_span(self) -> None:
        """Every top-level block of the span, opened as far as it must be.

        Most fit as they are, below the same breadcrumb as the block before: those are added right here.
        """
        blocks, tops, sizes = self.layout.tree.blocks, self.layout.tops, self.at_line
        starts, ends, shapes = blocks.starts, blocks.ends, blocks.shapes
        may_stay = self.job.rules.whole <= Boundary.BLOCK
        plain = Boundary.BLOCK
        lead = 0
        before: int | None = None
        breadcrumb: int | None = None
        for number in self.layout.tops_between(self.start, self.end):
            index = tops[number]
            kind, start, end = shapes[index].kind, starts[index], ends[index]
            boundary, glued = (plain, False) if before is None else self._boundary(before, index, plain)
            before = index
            if kind == "heading":
                breadcrumb = None
                self._open_block(index, boundary, glued, lead)
                lead += self.size(max(start, self.start), min(end, self.end))
                # one heading after the other is a list of headings, not a heading to be kept with a block
                lead = lead if lead <= self.limit // 2 else 0
                continue
            first, last = sizes.get(start), sizes.get(min(self.end, end))
            if may_stay and first is not None and last is not None:
                size = last - first
                if breadcrumb is None:
                    breadcrumb = self._before(index)
                room = self.limit - breadcrumb
                if size + lead <= room or (kind in _WHOLE and size <= room):
                    self._add(start, size, boundary, glued, (breadcrumb, 0))
                    lead = 0
                    continue
            self._open_block(index, boundary, glued, lead)
            lead = 0

    def size(self, start: int, end: int) -> int:
        """Size of a span; exact sums of lines where both ends begin one."""
        first, last = self.at_line.get(start), self.at_line.get(end)
        if first is not None and last is not None:
            return last - first
        return self.job.size(max(start, self.start), end)

    def _measure_lines(self, start: int, end: int) -> None:
        """Fill `at_line` for the lines of the span, which is to be opened."""
        self.measured = self.measured or list(self.at_line)
        first = bisect_right(self.measured, start) - 1
        last = bisect_left(self.measured, end, lo=first)
        lines = self.layout.tree.lines
        for begun, until in pairwise(self.measured[first : last + 1]):
            starts = lines[bisect_right(lines, begun) : bisect_left(lines, until)]
            add_sizes(self.job, self.at_line, begun, starts, until)

    def _trimmed_size(self, start: int, end: int, size: int, room: int) -> int:
        """*size* of the span, or that without the blank lines at its ends if they alone are too much for *room*."""
        if size <= room:
            return size
        text = self.layout.text
        span = self.layout.trim(start, end)
        blank = self.job.count(text[start : span.start]) + self.job.count(text[span.end : end])
        return self.job.size(span.start, span.end) if size <= room + blank else size

    def _boundary(self, before: int, index: int, plain: Boundary) -> tuple[Boundary, bool]:
        """The boundary between block *before* and its sibling *index*, and whether they belong together."""
        blocks = self.layout.tree.blocks
        kind, above = blocks.shapes[index].kind, blocks.shapes[before].kind
        if above == "heading" or kind == "thematic_break":
            return plain, True
        text = self.layout.text
        start = blocks.starts[index]
        if kind == "paragraph" and text[start] in "^> " and is_block_id(text, start, blocks.ends[index]):
            return plain, True
        if kind == "heading":
            return Boundary.SECTION if blocks.shapes[index].depth == 0 else plain, False
        if above == "thematic_break":
            return Boundary.BREAK, False
        if above == "paragraph" and kind in _INTRODUCED:
            short = self.size(max(blocks.starts[before], self.start), blocks.ends[before]) <= self.limit // 4
            glued = (short and kind in ("code_block", "table")) or lead_in(self.layout, index) is not None
            return Boundary.INTRODUCED, glued
        return plain, False

    def _before(self, index: int) -> int:
        """Size of the context of a part that begins with block *index*."""
        start, shape = self.layout.tree.blocks.starts[index], self.layout.tree.blocks.shapes[index]
        if shape.depth or shape.kind == "heading":
            return self._contexts(start)[0]
        # only a breadcrumb, the same for most blocks of a section
        section = self.layout.section_at(start)
        if section not in self.breadcrumbs:
            self.breadcrumbs[section] = self._contexts(start)[0]
        return self.breadcrumbs[section]

    def _contexts(self, position: int) -> tuple[int, int]:
        """Sizes of the context of a part that begins at *position*, and of what ends before it."""
        if not self.with_context:
            return 0, 0
        around = surround(self.layout, position, position + 1, self.job.limit // 2, self.job.context_size)
        return self.job.context_size(around.before), self.job.context_size(around.after)

    def _add(self, start: int, size: int, boundary: Boundary, glued: bool, contexts: tuple[int, int]) -> None:
        """Add a unit, or its size to that of the unit before it if they belong together and fit."""
        units = self.units
        if glued and units:
            last = units[-1]
            if last.before + last.size + size <= self.limit:
                units[-1] = Unit(last.start, last.size + size, last.boundary, last.before, last.after)
                return
        units.append(Unit(start, size, boundary, contexts[0], contexts[1]))

    def _open_block(self, index: int, boundary: Boundary, glued: bool, lead: int) -> None:
        """Add block *index* as one unit, or as those inside it. *lead* is the size of a heading to be kept with it."""
        blocks = self.layout.tree.blocks
        kind = blocks.shapes[index].kind
        start, end = max(blocks.starts[index], self.start), min(blocks.ends[index], self.end)
        whole = self.job.rules.whole
        before = self._before(index) if start == blocks.starts[index] else self._contexts(start)[0]
        size = self._trimmed_size(start, end, self.size(start, end), self.limit - before)
        lead = 0 if kind in _WHOLE and size + before <= self.limit else lead
        if whole <= Boundary.BLOCK and size + lead + before <= self.limit:
            self._add(start, size, boundary, glued, (before, 0))
            return
        if blocks.shapes[index].depth == 0:
            self._measure_lines(start, end)
        inner = self.layout.children_between(index, self.start, self.end)
        if inner:
            self._open_block(inner[0], boundary, glued, lead)
            for before, child in pairwise(inner):
                boundary, glued = self._boundary(before, child, Boundary.ITEM)
                # what follows a table's header, or the first line of an admonition, goes with it
                self._open_block(child, boundary, glued or (kind in _HEADED and before == index + 1), 0)
        elif kind in ("paragraph", "heading"):
            self._open_text(start, end, size, boundary, glued, lead, 0)
        else:
            self._open_lines(index, start, end, boundary, glued)

    def _open_lines(self, index: int, start: int, end: int, boundary: Boundary, glued: bool) -> None:
        """Lines of code, rows, or whatever has lines; a fence's own lines go with those beside them."""
        fence = self.layout.fence(index)
        lines = self.layout.tree.lines
        text = self.layout.text
        starts = [start]
        starts += [at for at in lines[bisect_right(lines, start) : bisect_right(lines, end - 1)] if at in self.at_line]
        inside = self._contexts(starts[1]) if len(starts) > 1 else (0, 0)
        closing = self.job.context_size("\n" + fence.closing) if fence and self.with_context else 0
        # in a row, cells take the place of sentences; code has none
        row = self.layout.tree.blocks.shapes[index].kind == "table_row"
        level = 0 if row else 1
        for number, (at, until) in enumerate(zip(starts, [*starts[1:], end], strict=True)):
            if number:
                boundary = Boundary.ITEM if _ends_blank(text, at) else Boundary.SENTENCE
                # a row of two lines is a header with its delimiter row
                glued = row or (fence is not None and (at == fence.opened_at or at >= (fence.closed_at or end)))
            contexts = self._contexts(at) if number == 0 else (inside[0], closing)
            self._open_line(at, until, boundary, glued, level, contexts)

    def _open_line(
        self, start: int, end: int, boundary: Boundary, glued: bool, level: int, contexts: tuple[int, int]
    ) -> None:
        size = self.size(start, end)
        if self.job.rules.whole <= Boundary.SENTENCE and size + contexts[0] <= self.limit:
            self._add(start, size, boundary, glued, contexts)
        else:
            self._open_text(start, end, size, boundary, glued, 0, level, contexts)

    def _open_text(
        self,
        start: int,
        end: int,
        size: int,
        boundary: Boundary,
        glued: bool,
        lead: int,
        level: int,
        contexts: tuple[int, int] | None = None,
    ) -> None:
        """Sentences, clauses, words of a span: the finer boundaries from number *level* on; then even slices."""
        contexts = contexts or self._contexts(start)
        if level == len(_FINER):
            self._slice(start, end, size, boundary, glued, lead, contexts)
            return
        kind, find = _FINER[level]
        block = self.layout.tree.blocks[self.layout.innermost(start)]
        if block.kind == "table_row" and level == 0:
            kind, find = Boundary.CLAUSE, cell_starts
        every = find(self.layout.text, start, end, self.layout.tree.atoms)
        if block.kind == "table_row":
            every = after_key(self.layout.text, block.start, every)
        every.insert(0, start)  # not copied: a line may hold millions of words
        if kind != Boundary.GRAPHEME:  # else there is no other place left
            every = _with_words(self.layout.text, every, end)
        starts = every if kind == Boundary.SENTENCE else self._thin(every, end, size, contexts)
        # within a paragraph or line, all parts but the first have the same context, but for what their lines begin with
        vary = self.with_context and has_heads(self.layout, start)
        inside = contexts if len(starts) == 1 else (self._contexts(starts[1])[0], contexts[1])
        for number, (at, until) in enumerate(zip(starts, [*starts[1:], end], strict=True)):
            first = number == 0
            part = size if len(starts) == 1 else self.size(at, until)
            around = contexts if first else (self._contexts(at)[0], inside[1]) if vary else inside
            ahead = lead if first else 0
            # several together that do not fit are taken apart at the same level
            fits = part + ahead + around[0] <= self.limit
            finer = level + (fits or len(starts) == len(every))
            between = boundary if first else kind
            if fits and _FINER[finer - 1][0] >= self.job.rules.whole:
                self._add(at, part, between, glued and first, around)
            else:
                self._open_text(at, until, part, between, glued and first, ahead, finer, around)

    def _thin(self, starts: list[int], end: int, size: int, contexts: tuple[int, int]) -> list[int]:
        """*starts*, at most so many for each part there will be: a row of all words of a long line takes memory."""
        parts = max(-(-size // max(self.limit - contexts[0], 1)), 1)
        if len(starts) <= 2 * _STARTS * parts:
            return starts
        step = (end - starts[0]) // (_STARTS * parts)
        kept = starts[:1]
        for at in starts:
            if at >= kept[-1] + step:
                kept.append(at)
        return kept

    def _slice(
        self, start: int, end: int, size: int, boundary: Boundary, glued: bool, lead: int, contexts: tuple[int, int]
    ) -> None:
        """Even slices of a run without boundaries, at words or at least at graphemes, halved until each fits."""
        text = self.layout.text
        room = max(self.limit - contexts[0] - lead, 1)
        pieces = max(-(-size // room) * _SLICES, 1)
        step = -(-(end - start) // pieces)
        pending = [(min(at + step, end), False, True) for at in range(start, end, step)][::-1]
        low = start
        while pending:
            until, inside_grapheme, may_wait = pending.pop()
            after = Boundary.GRAPHEME
            if until < end and not inside_grapheme:
                until, after = _place_to_cut(text, low, until, end)
            if until <= low or (may_wait and until < end and parts_letters(text, low, until)):
                continue
            part = self.size(low, until)
            if part > room and until - low > 1:
                one = not inside_grapheme and next_boundary(text, low, until) >= until
                # a grapheme that fits only without context is left whole, to stand without it
                if not one or part > self.job.limit:
                    inside_grapheme = inside_grapheme or one
                    middle = low + (until - low) // 2
                    pending += ((until, inside_grapheme, False), (middle, inside_grapheme, False))
                    continue
            self._add(low, part, boundary, glued, contexts)
            low, boundary, glued, room = until, after, False, max(self.limit - contexts[0], 1)


def _place_to_cut(text: str, low: int, wanted: int, end: int) -> tuple[int, Boundary]:
    """Where to cut a run without boundaries near *wanted*: at a word, else at a grapheme; and what lies there."""
    place = word_start(text, low, wanted)
    if place:
        return place.at, Boundary.WORD if place.word else Boundary.GRAPHEME
    at = last_boundary(text, low, wanted)
    return (at if at > low else next_boundary(text, low, end)), Boundary.GRAPHEME


def _with_words(text: str, starts: list[int], end: int) -> list[int]:
    """*starts* without those after or before a few signs that hold no word: `-`, `1.`, `>`, `|`, an emoji."""
    kept = starts[:1]
    for at in starts:
        if at - kept[-1] > _FEW or not _SIGNS.fullmatch(text, kept[-1], at):
            kept.append(at)
    while len(kept) > 1 and len(signs := text[kept[-1] : end].strip()) <= _FEW and _SIGNS.fullmatch(signs):
        kept.pop()
    return kept


def _ends_blank(text: str, at: int) -> bool:
    """Whether the line before the one that begins at *at* is blank, or holds nothing but a quote's signs."""
    before = at - 1
    if text[before] == "\n" and before and text[before - 1] == "\r":
        before -= 1
    while before and text[before - 1] in " \t>":
        before -= 1
    return before == 0 or text[before - 1] in "\r\n"
