"""What some tools write that CommonMark does not know, each as a small function.

A flavour finds its regions in the lines of a text; `mask` then replaces what stands in them by a text of
equal length that the parser takes for plain paragraphs, and `replace_blocks` puts one block in their place.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final, Literal, NamedTuple, get_args

from headwise.errors import SettingsError
from headwise.model import Block, Format, Kind

Flavour = Literal["math", "obsidian"]


class Region(NamedTuple):
    """Whole lines (characters `start` to `end`) that are one block of *kind*."""

    start: int
    end: int
    kind: Kind


_NOT_SPACE: Final = re.compile(r"\S")


_CLOSED: Final = frozenset({"code_block", "html_block", "list", "block_quote", "footnote"})


class _Marker(NamedTuple):
    flavour: Flavour
    sign: str
    opens: re.Pattern[str]
    closes: re.Pattern[str]
    kind: Kind


_MARKERS: Final = (
    _Marker("math", "$$", re.compile(r" {0,3}\$\$(?!.*\$\$)"), re.compile(r".*\$\$\s*$"), "math_block"),
    _Marker("obsidian", "%%", re.compile(r" {0,3}%%(?!.*%%)"), re.compile(r".*%%"), "comment"),
)


def choose_flavours(given: str, document_format: Format, *, obsidian: bool) -> frozenset[Flavour]:
    """The flavours that *given* names: `auto`, `none`, or names between commas (`math,obsidian`).

    `auto` is math for every Markdown document, and Obsidian for those of a vault.

    Raises:
        SettingsError: for a name that is none of these.
    """
    if document_format == "plain" or given == "none":
        return frozenset()
    if given == "auto":
        return frozenset[Flavour](("math", "obsidian")) if obsidian else frozenset[Flavour](("math",))
    names = [name.strip() for name in given.split(",")]
    for name in names:
        if name not in get_args(Flavour):
            known = ", ".join(("auto", "none", *get_args(Flavour)))
            raise SettingsError(f"unknown flavour {name!r}; choose from {known}")
    return frozenset(flavour for flavour in get_args(Flavour) if flavour in names)


def find_regions(
    text: str, lines: Sequence[int], blocks: Iterable[Block], flavours: frozenset[Flavour]
) -> tuple[Region, ...]:
    """Regions of the *flavours* in *text*, in order, none of them opened inside code, HTML or a container.

    *blocks* are those of a first parse: only they know what is code.
    """
    markers = [marker for marker in _MARKERS if marker.flavour in flavours and marker.sign in text]
    if not markers:
        return ()
    verbatim = [b for b in blocks if b.depth == 0 and b.kind in _CLOSED]
    starts = [b.start for b in verbatim]
    found: list[Region] = []
    free_from = 0
    for number, start in enumerate(lines):
        if start < free_from:
            continue
        around = bisect_right(starts, start) - 1
        if around >= 0 and verbatim[around].end > start:
            continue
        for marker in markers:
            if not marker.opens.match(text, start, _line_end(text, lines, number)):
                continue
            last = _closing_line(text, lines, number + 1, marker.closes)
            if last is None:
                # nothing below closes it either: not looked for again, so that time stays linear
                markers = [other for other in markers if other is not marker]
            else:
                free_from = _line_end(text, lines, last)
                found.append(Region(start, free_from, marker.kind))
            break
    return tuple(found)


def mask(text: str, regions: Iterable[Region]) -> str:
    """*text* with every visible character inside the *regions* replaced by `x`; its length stays the same."""
    parts: list[str] = []
    at = 0
    for region in regions:
        parts += (text[at : region.start], _NOT_SPACE.sub("x", text[region.start : region.end]))
        at = region.end
    return "".join((*parts, text[at:]))


def replace_blocks(text: str, blocks: Sequence[Block], regions: Sequence[Region]) -> tuple[Block, ...]:
    """*blocks* with one block of its kind for each of the *regions*, at the top level.

    A top-level block that a region interrupts goes on after it as a block of the same kind.
    """
    if not regions:
        return tuple(blocks)
    kept: list[Block] = []
    start = blocks[0].start
    at = 0
    for block in blocks:
        while at < len(regions) and regions[at].end <= block.start:
            at += 1
        kept += [
            part
            for part in _around(block, regions, at)
            if part.kind != "paragraph" or _NOT_SPACE.search(text, part.start, part.end)
        ]
    inserted = [Block(region.kind, region.start, region.end, 0) for region in regions]
    return _close_gaps(sorted((*kept, *inserted), key=lambda block: (block.start, block.depth)), start, len(text))


def _around(block: Block, regions: Sequence[Region], at: int) -> list[Block]:
    """What is left of *block* outside the regions from number *at* on."""
    if at == len(regions) or regions[at].start >= block.end:
        return [block]
    # an underline after a region makes no heading of it
    left = block._replace(kind="paragraph", level=0) if block.kind == "heading" else block
    parts: list[Block] = []
    start = block.start
    while at < len(regions) and regions[at].start < block.end:
        if regions[at].start > start:
            parts.append(left._replace(start=start, end=regions[at].start))
        start = max(start, regions[at].end)
        at += 1
    if start < block.end:
        parts.append(left._replace(start=start))
    return parts


def _close_gaps(blocks: list[Block], start: int, end: int) -> tuple[Block, ...]:
    """Top-level *blocks* that tile again from *start* to *end*: each ends where the next begins."""
    blocks[0] = blocks[0]._replace(start=start)
    last = max(i for i, block in enumerate(blocks) if block.depth == 0)
    blocks[last] = blocks[last]._replace(end=end)
    tops = [i for i, block in enumerate(blocks) if block.depth == 0]
    for here, following in pairwise(tops):
        blocks[here] = blocks[here]._replace(end=blocks[following].start)
    return tuple(blocks)


def _closing_line(text: str, lines: Sequence[int], number: int, closes: re.Pattern[str]) -> int | None:
    for candidate in range(number, len(lines)):
        if closes.match(text, lines[candidate], _line_end(text, lines, candidate)):
            return candidate
    return None


def _line_end(text: str, lines: Sequence[int], number: int) -> int:
    return lines[number + 1] if number + 1 < len(lines) else len(text)
