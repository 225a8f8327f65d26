"""Sizes of a span's blocks and lines, each counted once, and whether they alone are over the limit."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from headwise.chunking.units import Job

_LONG: Final = 4
"""Characters for each unit of the limit from which a span is likely over it; half of that where not all is ASCII."""
_HEAD: Final = 64
"""Characters that tell whether all is ASCII."""
_LEEWAY: Final = 8
"""How much over the limit a span must be for its context to make no difference."""

_BLANK_LINE: Final = re.compile(r"[ \t>]*(?:[\r\n]|\Z)")


def is_over(job: Job, start: int, end: int) -> bool:
    """Whether a long span is over the limit by the sizes of its blocks, which are needed next; False if in doubt."""
    layout = job.layout
    text = layout.text
    long = job.limit * (_LONG if text[start : start + _HEAD].isascii() else _LONG // 2)
    if end - start < long or not job.measure.adds_up:
        return False
    sizes = job.sizes[start, end] = block_sizes(job, start, end)
    wanted = job.limit + _LEEWAY
    if sizes[end] <= wanted:
        return False
    omits = bool(layout.omitted(start, end))
    least, before, apart = 0, 0, True
    for at, size in sizes.items():
        # what begins with white space, or with what is omitted, may make one token with the end of what is before it
        was_apart, apart = apart, at == end or not (text[at].isspace() or (omits and layout.omits_at(at)))
        if was_apart and apart:
            least += size - before
            if least > wanted:
                return True
        before = size
    return False


def block_sizes(job: Job, start: int, end: int) -> dict[int, int]:
    """Size of all in the span before each of its top-level blocks, most of which need not be opened, and before *end*.

    Without those that begin with a blank line.
    """
    top_starts = job.layout.top_starts
    sizes = {start: 0}
    add_sizes(job, sizes, start, top_starts[bisect_right(top_starts, start) : bisect_left(top_starts, end)], end)
    return sizes


def add_sizes(job: Job, sizes: dict[int, int], begun: int, starts: Sequence[int], end: int) -> None:
    """Add the sizes of all before each of these starts of lines and before *end*, from that before *begun* on.

    Not at a blank line, nor at one of nothing but a quote's signs: token counts add up at others only.
    """
    layout, text, count = job.layout, job.layout.text, job.count
    # asked once: most spans are counted as they stand
    bare = not (layout.has_returns or layout.omitted(begun, end))
    total = sizes[begun]
    for at in starts:
        if text[at] in " \t\r\n>" and _BLANK_LINE.match(text, at):
            continue
        total += count(text[begun:at] if bare else layout.plain(begun, at))
        sizes[at] = total
        begun = at
    if end not in sizes:
        sizes[end] = total + count(layout.plain(begun, end))
