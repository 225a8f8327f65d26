"""Where a chunk begins that repeats the end of the one before it: at a sentence, else at a word."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from typing import Final, NamedTuple

from headwise.chunking.units import Job
from headwise.reading.sentences import sentence_starts, word_starts

_CHARACTERS_A_TOKEN: Final = 12
"""How far back words are looked for, per unit of the measure; so that one endless sentence costs no more."""


_WORD: Final = re.compile(r"\w")
_PROSE: Final = frozenset({"paragraph", "heading", "html_block", "footnote"})


class Marks(NamedTuple):
    """Starts of the sentences and lines of code in a span, and the size of all before each."""

    starts: list[int]
    sizes: list[int]


def find_marks(job: Job, start: int, end: int) -> Marks:
    """The marks of a span, counted in one pass."""
    layout = job.layout
    blocks = layout.tree.blocks
    starts: list[int] = []
    for index in range(max(layout.innermost(start), 0), layout.innermost(end - 1) + 1):
        a, b = max(blocks.starts[index], start), min(blocks.ends[index], end)
        kind = blocks.shapes[index].kind
        if layout.has_children(index) or a >= b:
            continue
        starts.append(a)
        if kind in ("paragraph", "heading"):
            starts += sentence_starts(layout.text, a, b, layout.tree.atoms)
        elif kind != "table_row":
            lines = layout.tree.lines
            fence = layout.fence(index)
            # a chunk that began with a closing fence would reopen one that holds nothing
            closed_at = fence.closed_at if fence else None
            starts += (at for at in lines[bisect_right(lines, a) : bisect_left(lines, b)] if at != closed_at)
    sizes = [0]
    for a, b in zip(starts, [*starts[1:], end], strict=True):
        sizes.append(sizes[-1] + job.size(a, b))
    return Marks(starts, sizes)


def reserve(job: Job, marks: Marks, position: int) -> int:
    """About how much an overlap before *position* will take."""
    room = _room(job)
    at = bisect_left(marks.starts, position)
    earliest = max(at - job.overlap.sentences, 0) if job.overlap.sentences else 0
    first = bisect_left(marks.sizes, marks.sizes[at] - room, earliest)
    return marks.sizes[at] - marks.sizes[first] if first < at else min(room, marks.sizes[at])


def overlap_start(job: Job, marks: Marks, low: int, position: int) -> int:
    """Start of the overlap for a chunk whose own text begins at *position*: at or after *low*.

    As many whole sentences as the settings ask for; if not even one fits, as many whole words, but of prose only:
    of a table or code, whole rows or lines or nothing. What holds no word is not repeated.
    """
    room = _room(job)
    at = bisect_left(marks.starts, position)
    first = bisect_left(marks.starts, low)
    if job.overlap.sentences:
        first = max(first, at - job.overlap.sentences)
    elif first < at:
        reached = marks.sizes[at - 1] + job.size(marks.starts[at - 1], position)  # which may be within a sentence
        first = max(first, bisect_left(marks.sizes, reached - room) - 1)
    for start in marks.starts[first:at]:
        if job.count(job.layout.plain(start, position)) <= room:
            return start if _WORD.search(job.layout.text, start, position) else position
    if job.layout.tree.blocks.shapes[job.layout.innermost(position - 1)].kind not in _PROSE:
        return position  # half a row or half a line of code would only mislead
    if job.overlap.sentences:
        room //= 4  # asked for a sentence, one gives the words before the cut, not all of a sentence without an end
    begin = max(marks.starts[at - 1], low, position - room * _CHARACTERS_A_TOKEN)
    for start in word_starts(job.layout.text, begin, position, job.layout.tree.atoms):
        if job.count(job.layout.plain(start, position)) <= room:
            return start if _WORD.search(job.layout.text, start, position) else position
    return position


def _room(job: Job) -> int:
    """The most an overlap may take: never more than half of the limit."""
    half = job.limit // 2
    return min(job.overlap.size, half) if job.overlap.size else half
