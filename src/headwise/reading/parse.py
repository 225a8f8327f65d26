"""A document's text to its tree; never fails, whatever the text."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import TypeVar

from headwise.model import Block, Format, FrontMatter, Span, Tree
from headwise.reading.enclosed import (
    Enclosed,
    find_enclosed,
    find_html_comments,
    mask_enclosed,
    settle,
    union,
)
from headwise.reading.flavours import VERBATIM, Region, add_regions, choose_flavours, find_regions, hidden, mask
from headwise.reading.front_matter import read_front_matter
from headwise.reading.inline import find_data_uris, find_tags
from headwise.reading.lines import line_starts
from headwise.reading.markdown import Markdown, parse_markdown
from headwise.reading.plain import parse_plain

_Found = TypeVar("_Found", Region, Enclosed)


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
        return Tree(text, document_format, front_matter, lines, blocks, {}, (), (), (), find_data_uris(text))
    front_matter = read_front_matter(text)
    body = front_matter.end
    parsed = parse_markdown(text, body, lines)
    regions = find_regions(text, lines, parsed.blocks, chosen, body)
    enclosed = find_enclosed(text, body, chosen, _verbatim(parsed, regions))
    regions, enclosed = settle(regions, enclosed)
    if (masked := mask_enclosed(mask(text, regions), enclosed)) != text:
        parsed = parse_markdown(masked, body, lines)
        code = [block for block in parsed.blocks if block.kind == "code_block"]
        kept = _outside(regions, code), _outside(enclosed, code)
        if kept != (regions, enclosed):
            # the first parse took a fence between tags for HTML, and what stands in it for tags
            regions, enclosed = kept
            parsed = parse_markdown(mask_enclosed(mask(text, regions), enclosed), body, lines)
    blocks = add_regions(text, parsed.blocks, regions)
    atoms = union((*parsed.atoms, *((each.start, each.end) for each in enclosed))) if enclosed else parsed.atoms
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


def _titles(parsed: Markdown, blocks: Iterable[Block]) -> dict[int, str]:
    """Start of a top-level heading → its plain text; the first may begin later than without the regions above it."""
    starts = (block.start for block in blocks if block.kind == "heading" and not block.depth)
    found = {start: parsed.titles.get(start) for start in starts}
    if None in found.values() and (first := parsed.titles.get(parsed.blocks[0].start)) is not None:
        found[min(found)] = first
    return {start: title for start, title in found.items() if title is not None}


def _verbatim(parsed: Markdown, regions: Iterable[Region]) -> list[Span]:
    """Where no sign of a comment or formula counts, in order."""
    found = [Span(block.start, block.end) for block in parsed.blocks if block.kind in VERBATIM]
    found += parsed.atoms
    for region in regions:
        found += hidden(region)
    return sorted(found)


def _outside(found: tuple[_Found, ...], code: Sequence[Block]) -> tuple[_Found, ...]:
    """Those that begin in none of the blocks of *code*."""
    starts = [block.start for block in code]

    def is_code(position: int) -> bool:
        around = bisect_right(starts, position) - 1
        return around >= 0 and position < code[around].end

    return tuple(each for each in found if not is_code(each.start))


def _bare(text: str, start: int, end: int) -> Span:
    """The span without white space at its ends."""
    inside = text[start:end]
    return Span(end - len(inside.lstrip()), start + len(inside.rstrip()))
