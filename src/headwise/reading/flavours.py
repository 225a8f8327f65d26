"""What some tools write that CommonMark does not know.

A flavour's regions are found in the lines of a text, once a first parse has said what is code. They are masked by a
text of equal length that the parser takes for paragraphs or blank lines, and get a block of their own.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final, NamedTuple, get_args

from headwise.errors import SettingsError
from headwise.model import Block, Blocks, Format, Kind, Shape, Span
from headwise.reading.indented import Row, find_openers, mask_openers, unlist
from headwise.reading.lines import lines_with
from headwise.reading.markers import FENCES, MARKERS, Finder, Flavour, Lines, Marker
from headwise.reading.tiling import in_order, tile


class Region(NamedTuple):
    """Whole lines (characters `start` to `end`) that are one block of *kind*."""

    start: int
    end: int
    kind: Kind
    inner: tuple[int, int] | None = None
    """For a container: where the Markdown inside it begins and ends."""
    openers: tuple[Span, ...] = ()
    """For one whose content is indented: its first line, and those of others inside it."""


_NOT_SPACE: Final = re.compile(r"\S")
_NOT_NEWLINE: Final = re.compile(r"[^\r\n]")
_IS_HEADING: Final = re.compile(r"\s*+(?:#{1,6}(?!\S)|\S[^\r\n]*+\s*+\S)")
"""A heading that is whole: its own signs before it, or at least two lines, its text and what underlines it."""

_FENCE: Final = re.compile(rf"\s*(?:{'|'.join(FENCES)})")

# HTML that does not end at a blank line
_LASTING: Final = re.compile(r"\s*<(?:script|pre|style|textarea|[!?])", re.IGNORECASE)

# blocks in which no region opens: what they hold is theirs
VERBATIM: Final[frozenset[Kind]] = frozenset({"code_block", "html_block"})
_CLOSED_TO_TAGS: Final[frozenset[Kind]] = frozenset({"code_block", "list", "block_quote", "footnote"})
_CLOSED: Final[frozenset[Kind]] = VERBATIM | _CLOSED_TO_TAGS


def choose_flavours(given: str, document_format: Format, *, obsidian: bool) -> frozenset[Flavour]:
    """The flavours that *given* names: `auto`, `none`, or names between commas (`math,obsidian`).

    `auto` is math and admonitions for every Markdown document, Obsidian for those of a vault, MDX for `.mdx`.

    Raises:
        SettingsError: for a name that is none of these.
    """
    if document_format == "plain" or given == "none":
        return frozenset()
    if given == "auto":
        wanted = {"math", "admonitions"}
        wanted |= {"obsidian"} if obsidian else set[str]()
        wanted |= {"mdx"} if document_format == "mdx" else set[str]()
    else:
        wanted = {name.strip() for name in given.split(",")}
    known = get_args(Flavour)
    for name in sorted(wanted.difference(known)):
        raise SettingsError(f"unknown flavour {name!r}; choose from {', '.join(('auto', 'none', *known))}")
    return frozenset(flavour for flavour in known if flavour in wanted)


def find_regions(
    text: str, starts: Sequence[int], blocks: Blocks, flavours: frozenset[Flavour], body: int
) -> tuple[Region, ...]:
    """Regions of the *flavours* in *text* from *body* on, in order, none opened inside code, HTML or a container.

    *starts* are those of the lines; *blocks* those of a first parse, which alone knows what is code.
    """
    markers = [marker for marker in MARKERS if marker.flavour in flavours]
    numbers = lines_with({sign for marker in markers for sign in marker.signs}, text, starts)
    if not numbers:
        return ()
    closed = [at for at, shape in enumerate(blocks.shapes) if shape.depth == 0 and shape.kind in _CLOSED]
    closed_starts = [blocks.starts[at] for at in closed]

    def inside(position: int, kinds: frozenset[Kind]) -> bool:
        around = bisect_right(closed_starts, position) - 1
        if around < 0 or blocks.ends[closed[around]] <= position:
            return False
        return blocks.shapes[closed[around]].kind in kinds

    def is_verbatim(position: int) -> bool:
        return inside(position, VERBATIM)

    lines = Lines(text, starts, is_verbatim)

    @cache
    def finder(marker: Marker) -> Finder:
        return marker.closes(lines)

    opens = _any_of(tuple(marker.opens.pattern for marker in markers))
    found: list[Region] = []
    free_from = body
    for number in numbers:
        start = starts[number]
        if start < free_from or not lines.matches(opens, number):  # one look at most lines, not one for each marker
            continue
        marker = next(each for each in markers if lines.matches(each.opens, number))
        # an opening tag is HTML to the parser too, of which only the first lines
        if inside(start, _CLOSED_TO_TAGS if marker.kind == "html_block" else _CLOSED):
            continue
        last = finder(marker)(number)
        if last is None:
            continue
        free_from = lines.end(last)
        openers = find_openers(lines, number, last) if marker.indented else ()
        inner = (lines.end(number), starts[last] if marker.container else free_from)
        found.append(Region(start, free_from, marker.kind, inner if marker.container or openers else None, openers))
    return tuple(found)


def guess_containers(
    text: str, starts: Sequence[int], flavours: frozenset[Flavour], body: int
) -> tuple[Region, ...] | None:
    """Regions of *text* if nothing in it were code; None if there are others than fenced containers."""
    found = find_regions(text, starts, Blocks(), flavours, body)
    return found if all(region.inner and not region.openers for region in found) else None


def can_open(text: str, starts: Sequence[int], blocks: Blocks) -> bool:
    """Whether a container may open or close at each line that looks as if one did, by the blocks of the masked text.

    Not in code, HTML, a list, quote or footnote.
    """
    tops = [at for at, shape in enumerate(blocks.shapes) if shape.depth == 0]
    top_starts = [blocks.starts[at] for at in tops]
    for number in lines_with(FENCES, text, starts):
        start = starts[number]
        around = bisect_right(top_starts, start) - 1
        if around < 0 or blocks.shapes[tops[around]].kind not in _CLOSED or not _FENCE.match(text, start):
            continue
        if text[start].isspace() or not _has_ended(text, starts, number, blocks[tops[around]]):
            return False
    return True


def _has_ended(text: str, starts: Sequence[int], number: int, block: Block) -> bool:
    """Whether *block*, which holds what is before line *number*, is over before it, as that is not indented."""
    if block.fence:
        above = number - 1
        while starts[above] > block.start and text[starts[above] : starts[above + 1]].isspace():
            above -= 1
        last = text[starts[above] : starts[above + 1]].strip()
        closes = len(last) >= len(block.fence) and not last.strip(block.fence[0])
        return closes and starts[above] > text.index(block.fence, block.start)
    lasting = block.kind == "html_block" and _LASTING.match(text, block.start)
    return not lasting and text[starts[number - 1] : starts[number]].isspace()


@cache
def _any_of(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns))


def hidden(region: Region) -> tuple[Span, ...]:
    """What of *region* is hidden from the parser: all of it, or the first and last line of a container."""
    if region.openers:
        return region.openers
    if region.inner is None:
        return (Span(region.start, region.end),)
    return Span(region.start, region.inner[0]), Span(region.inner[1], region.end)


def mask(text: str, regions: Sequence[Region]) -> str:
    """*text* with what stands in the *regions* hidden from the parser; its length stays the same.

    A region's visible characters become `x`; of a container, the first and last line become blank, or the first
    begins an item of a list.
    """
    if not regions:
        return text
    parts: list[str] = []
    at = 0
    before: Counter[int] = Counter()
    for region in regions:
        parts.append(text[at : region.start])
        if region.openers:
            parts.append(mask_openers(text, region.openers, region.start, region.end, before))
        elif region.inner is None:
            parts.append(_NOT_SPACE.sub("x", text[region.start : region.end]))
        else:
            begin, until = region.inner
            parts.append(_NOT_NEWLINE.sub(" ", text[region.start : begin]))
            parts.append(text[begin:until])
            parts.append(_NOT_NEWLINE.sub(" ", text[until : region.end]))
        at = region.end
    return "".join((*parts, text[at:]))


def add_regions(text: str, blocks: Blocks, regions: Sequence[Region]) -> Blocks:
    """*blocks* with one block of its kind for each of the *regions*, at the top level.

    A block that a region interrupts goes on after it as a block of the same kind; what stands in a container is one
    level deeper.
    """
    if not regions:
        return blocks
    begun = frozenset(opener.start for region in regions for opener in region.openers)
    regions = [region for region in regions if not region.openers]
    rows = zip(blocks.starts, blocks.ends, blocks.shapes, strict=True)
    places, shapes = list[int](), list[Shape]()
    at = 0
    for start, end, shape in unlist(list(rows), begun) if begun else rows:
        while at < len(regions) and regions[at].end <= start:
            at += 1
        if at == len(regions) or regions[at].start >= end:
            places.append(start)
            shapes.append(shape)
        else:
            for place, part in _around(text, (start, end, shape), regions, at):
                places.append(place)
                shapes.append(part)
    for region in regions:
        places.append(region.start)
        shapes.append(Shape(region.kind, 0))
        if region.inner is not None:
            places.append(region.start)
            shapes.append(Shape("paragraph", 1))
    start = min((*blocks.starts[:1], *(region.start for region in regions[:1])))
    return tile(*in_order(places, shapes), start, len(text))


def _around(text: str, row: Row, regions: Sequence[Region], at: int) -> Iterator[tuple[int, Shape]]:
    """The block *row* outside the regions from number *at* on, and inside those that are containers."""
    begun, end, shape = row
    parts: list[tuple[int, Shape]] = []
    start = begun
    while at < len(regions) and regions[at].start < end:
        region = regions[at]
        if _NOT_SPACE.search(text, start, max(region.start, start)):
            parts.append((start, shape))
        if region.inner is not None:
            begin, until = max(region.inner[0], start), min(region.inner[1], end)
            if begin < until and _NOT_SPACE.search(text, begin, until):
                parts.append((begin, shape._replace(depth=shape.depth + 1)))
        start = max(start, region.end)
        at += 1
    if _NOT_SPACE.search(text, start, max(end, start)):
        parts.append((start, shape))
    if shape.fence:  # what goes on after a region has no line that opens it
        parts = [(place, each if place == begun else each._replace(fence="")) for place, each in parts]
    # an underline after a region makes no heading of what stands before it
    if shape.kind == "heading" and not (len(parts) == 1 and _IS_HEADING.match(text, parts[0][0], end)):
        parts = [(place, each._replace(kind="paragraph", level=0)) for place, each in parts]
    yield from parts
