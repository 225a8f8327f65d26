"""Admonitions and tabs whose content is indented: shown to the parser as items of lists, and taken back from them.

`!!! note "Title"` becomes `+   # xxxxx`: a list's item that begins with a heading, whose content is indented by four
columns just as that of an admonition. So what it holds is Markdown again, and so are those inside it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from headwise.model import Shape, Span
from headwise.reading.markers import INDENTED, Lines

_WIDTH: Final = 4
Row = tuple[int, int, Shape]
"""Where a block starts and ends, and what it is."""

# in turn, so that no list holds two of them; both may stand right below a paragraph
_MARKS: Final = ("+   #", "1)  #")


def find_openers(lines: Lines, first: int, last: int) -> tuple[Span, ...]:
    """The opening lines, without newline, of the admonition from line *first* to *last*, and of those inside it.

    None without content counts; one in code does no harm, as the parser makes no list there. Empty if a line without
    indentation goes on right below: the parser would take it for more of the last paragraph.
    """
    if last + 1 < len(lines.starts) and lines.line(last + 1):
        return ()
    found: list[Span] = []
    for number in range(first, last + 1):
        line = lines.line(number)
        bare = line.lstrip(" ")
        indent = len(line) - len(bare)
        if indent % _WIDTH == 0 and INDENTED.match(bare) and _has_content(lines, number, last, indent + _WIDTH):
            found.append(Span(lines.starts[number], lines.starts[number] + len(line)))
    return tuple(found)


def _has_content(lines: Lines, number: int, last: int, indent: int) -> bool:
    """Whether the first line below that is not blank, up to line *last*, is indented so far."""
    for below in range(number + 1, last + 1):
        if line := lines.line(below):
            return not line[:indent].strip(" ") or line.startswith("\t" * (indent // _WIDTH))
    return False


def mask_openers(text: str, openers: Iterable[Span], start: int, end: int, before: Counter[int]) -> str:
    """*text* from *start* to *end* with the *openers* as headings that begin an item.

    *before* counts the openers so far by their indentation, so that neighbours are items of different lists.
    """
    parts: list[str] = []
    at = start
    for begun, until in openers:
        bare = text[begun:until].lstrip(" ")
        indent = until - begun - len(bare)
        mark = _MARKS[before[indent] % len(_MARKS)]
        before[indent] += 1
        title = "x" * (len(bare) - len(mark) - 1)
        parts += (text[at : begun + indent], mark, " " if len(bare) > len(mark) else "", title)
        at = until
    return "".join((*parts, text[at:end]))


def unlist(rows: Sequence[Row], lines: frozenset[int]) -> Iterator[Row]:
    """*rows* with the lists of one item that begin at one of the *lines* as admonitions, their headings as text."""
    opened: list[int] = []  # depths of lists that have become admonitions
    skipped = -1
    for at, (start, end, shape) in enumerate(rows):
        while opened and shape.depth <= opened[-1]:
            opened.pop()
        if at == skipped:
            continue
        shallower = shape._replace(depth=shape.depth - len(opened)) if opened else shape
        if start not in lines:
            yield start, end, shallower
        elif shape.kind == "list" and rows[at + 1][1] == end:
            yield start, end, shallower._replace(kind="admonition")
            opened.append(shape.depth)
            skipped = at + 1
        elif shape.kind == "heading":
            yield start, end, shallower._replace(kind="paragraph", level=0)
        else:
            yield start, end, shallower
