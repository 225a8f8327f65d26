"""A document's text to its tree; never fails, whatever the text."""

from __future__ import annotations

from headwise.model import Format, FrontMatter, Tree
from headwise.reading.flavours import add_regions, choose_flavours, find_regions, mask, outside_code
from headwise.reading.front_matter import read_front_matter
from headwise.reading.inline import find_data_uris, find_tags
from headwise.reading.lines import line_starts
from headwise.reading.markdown import parse_markdown
from headwise.reading.plain import parse_plain


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
    parsed = parse_markdown(text, front_matter.end, lines)
    regions = find_regions(text, lines, parsed.blocks, chosen, front_matter.end)
    if regions:
        parsed = parse_markdown(mask(text, regions), front_matter.end, lines)
        kept = outside_code(regions, parsed.blocks)
        if len(kept) < len(regions):
            # the first parse took a fence between tags for HTML, and what stands in it for tags
            regions = kept
            parsed = parse_markdown(mask(text, regions), front_matter.end, lines)
    blocks = add_regions(text, parsed.blocks, regions)
    return Tree(
        text,
        document_format,
        front_matter,
        lines,
        blocks,
        {b.start: parsed.titles[b.start] for b in blocks if b.kind == "heading" and b.start in parsed.titles},
        parsed.atoms,
        parsed.links,
        find_tags(text, blocks, parsed.atoms),
        find_data_uris(text),
    )
