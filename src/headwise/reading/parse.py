"""A document's text to its tree; never fails, whatever the text."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import compress
from typing import Final, TypeVar

from headwise.model import Blocks, Format, FrontMatter, Shape, Span, Spans, Tree
from headwise.reading.enclosed import (
    Enclosed,
    find_enclosed,
    find_html_comments,
    has_signs,
    mask_enclosed,
    settle,
    union,
)
from headwise.reading.flavours import (
    VERBATIM,
    Region,
    add_regions,
    can_open,
    choose_flavours,
    find_regions,
    guess_containers,
    hidden,
    mask,
)
from headwise.reading.front_matter import read_front_matter
from headwise.reading.inline import find_data_uris, find_tags
from headwise.reading.lines import line_starts
from headwise.reading.markdown import Markdown, parse_markdown, readable
from headwise.reading.markers import Flavour
from headwise.reading.plain import parse_plain

_VISIBLE: Final = re.compile(r"\S")

_Found = TypeVar("_Found", Region, Enclosed)
_Read = tuple[Markdown, tuple[Region, ...], tuple[Enclosed, ...]]
"""What was parsed, and what the flavours add to it."""


def parse(text: str, *, document_format: Format = "markdown", flavours: str = "auto", obsidian: bool = False) -> Tree:
    """The block tree of *text*, with its front matter and what stands inside its lines.

    Args:
        text: the decoded text; any newlines, any characters.
        document_format: `plain` knows only paragraphs and no front matter.
        flavours: `auto`, `none`, or names between commas, see `choose_flavours`.
        obsidian: whether the document lies in an Obsidian vault; only `auto` asks.

    Raises:
        SettingsError: for an unknown flavour; never for the text.
    """
    chosen = choose_flavours(flavours, document_format, obsidian=obsidian)
    lines = line_starts(text)
    if document_format == "plain":
        front_matter = FrontMatter(end=1 if text.startswith("\ufeff") else 0)
        blocks = parse_plain(text, front_matter.end, lines)
        return Tree(text, document_format, front_matter, lines, blocks, {}, Spans(), (), (), find_data_uris(text))
    front_matter = read_front_matter(text)
    body = front_matter.end
    parsed, regions, enclosed = _read(text, body, lines, chosen)
    blocks = add_regions(text, parsed.blocks, regions)
    atoms = _with_enclosed(parsed.atoms, enclosed) if enclosed else parsed.atoms
    comments = [(each.start, each.end) for each in (*regions, *enclosed) if each.kind == "comment"]
    return Tree(
        text,
        document_format,
        front_matter,
        lines,
        blocks,
        _titles(parsed, blocks),
        atoms,
        parsed.links,
        find_tags(text, blocks, atoms),
        union((*find_data_uris(text), *find_html_comments(text, blocks, atoms), *(_bare(text, *c) for c in comments))),
    )


def _read(text: str, body: int, lines: Sequence[int], chosen: frozenset[Flavour]) -> _Read:
    """What is parsed, and what the flavours add to it.

    One pass is enough if there is nothing of theirs but fenced containers, none of them in code. Else the first says
    what is code, in which there is nothing of theirs, and the second reads the text without what is.
    """
    guess = None if has_signs(text, chosen) else guess_containers(text, lines, chosen, body)
    parsed = parse_markdown(readable(mask(text, guess or ()), body), body, lines)
    if guess is not None and can_open(text, lines, parsed.blocks):
        return parsed, guess, ()
    if guess:
        parsed = parse_markdown(readable(text, body), body, lines)
    regions = find_regions(text, lines, parsed.blocks, chosen, body)
    enclosed = find_enclosed(text, body, chosen, _verbatim(parsed, regions))
    regions, enclosed = settle(regions, enclosed)
    masked = mask_enclosed(mask(text, regions), enclosed)
    if masked != text:
        del parsed  # large, while the next is made
        shown = readable(masked, body)
        del masked
        parsed = parse_markdown(shown, body, lines)
        code = _spans(parsed.blocks, lambda shape: bool(shape.fence))
        kept = _outside(regions, code, shown, body), _outside(enclosed, code, shown, body)
        if kept != (regions, enclosed):
            # the first parse took a fence between tags for HTML, and what stands in it for tags
            regions, enclosed = kept
            del shown, parsed
            parsed = parse_markdown(readable(mask_enclosed(mask(text, regions), enclosed), body), body, lines)
    return parsed, regions, enclosed


def _with_enclosed(atoms: Spans, enclosed: Iterable[Enclosed]) -> Spans:
    """*atoms* and what is enclosed, those that overlap made one."""
    every = union((*atoms, *((each.start, each.end) for each in enclosed)))
    return Spans([span.start for span in every], [span.end for span in every])


def _titles(parsed: Markdown, blocks: Blocks) -> dict[int, str]:
    """Start of a top-level heading → its plain text; the first may begin later than without the regions above it."""
    if blocks is parsed.blocks:
        return parsed.titles
    headings = (shape.kind == "heading" and not shape.depth for shape in blocks.shapes)
    starts = compress(blocks.starts, headings)
    found = {start: parsed.titles.get(start) for start in starts}
    if None in found.values() and (first := parsed.titles.get(parsed.blocks.starts[0])) is not None:
        found[min(found)] = first
    return {start: title for start, title in found.items() if title is not None}


def _verbatim(parsed: Markdown, regions: Iterable[Region]) -> Iterator[Span]:
    """Where no sign of a comment or formula counts, in order; looked for when asked."""
    found = [*_spans(parsed.blocks, lambda shape: shape.kind in VERBATIM), *parsed.atoms]
    for region in regions:
        found += hidden(region)
    yield from sorted(found)


def _spans(blocks: Blocks, wanted: Callable[[Shape], bool]) -> list[Span]:
    """Where the blocks stand whose shape is wanted."""
    kept = [at for at, shape in enumerate(blocks.shapes) if wanted(shape)]
    return [Span(blocks.starts[at], blocks.ends[at]) for at in kept]


def _outside(found: tuple[_Found, ...], code: Sequence[Span], shown: str | bytes, body: int) -> tuple[_Found, ...]:
    """Those that begin in none of the blocks of *code*; blank lines at its ends are not in one.

    *shown* is what the parser was shown, the text from *body* on.
    """
    starts = [block.start for block in code]

    @cache
    def masked() -> str:  # most texts have nothing in code, and need none
        return shown if isinstance(shown, str) else shown.decode()

    def is_code(position: int) -> bool:
        around = bisect_right(starts, position) - 1
        if around < 0 or code[around].end <= position:
            return False
        begun, at, until = code[around].start - body, position - body, code[around].end - body
        return all(_VISIBLE.search(masked(), *span) for span in ((begun, at), (at, until)))

    return tuple(each for each in found if not is_code(each.start))


def _bare(text: str, start: int, end: int) -> Span:
    """The span without white space at its ends."""
    inside = text[start:end]
    return Span(end - len(inside.lstrip()), start + len(inside.rstrip()))
