"""What stands inside lines and is read by pattern: tags, block ids, and data URIs."""

from __future__ import annotations

import re
from typing import Final

from headwise.model import Blocks, Span, Spans, Tag

# Obsidian's rule: letters, digits, `_`, `-` and `/`, at least one of them no digit; not within a word or a URL. What
# stands before the sign is looked at afterwards: a pattern that begins with a sign is found much faster.
_TAG: Final = re.compile(r"#(?=[\d_/-]*[^\W\d_])([\w/-]+)")
_NOT_BEFORE: Final = re.compile(r"[\w#/&@.={\\-]")
_DATA_URI: Final = re.compile(r"data:[\w.+-]+/[\w.+-]+(?:;[\w.=+-]+)*;base64,[A-Za-z0-9+/=_-]{64,}")
_BLOCK_ID: Final = re.compile(r"[ >]*\^[A-Za-z0-9-]+\s*")
_TEXT_KINDS: Final = frozenset({"paragraph", "heading", "table"})


def find_tags(text: str, blocks: Blocks, atoms: Spans) -> tuple[Tag, ...]:
    """`#tags` in the paragraphs, headings and tables of *text*, not in code, links or formulas."""
    if "#" not in text:
        return ()
    matches = [m for m in _TAG.finditer(text) if not (m.start() and _NOT_BEFORE.match(text, m.start() - 1))]
    if not matches:
        return ()
    readable = [at for at, shape in enumerate(blocks.shapes) if shape.kind in _TEXT_KINDS]
    found: list[Tag] = []
    at_readable = at_hidden = 0
    for match in matches:
        start, end = match.span()
        while at_readable < len(readable) and blocks.ends[readable[at_readable]] <= start:
            at_readable += 1
        if at_readable == len(readable):
            break
        while at_hidden < len(atoms) and atoms.ends[at_hidden] <= start:
            at_hidden += 1
        is_hidden = at_hidden < len(atoms) and atoms.starts[at_hidden] <= start
        if is_hidden or blocks.starts[readable[at_readable]] > start:
            continue
        name = match[1].strip("/")
        if name:
            found.append(Tag(start, end, name))
    return tuple(found)


def is_block_id(text: str, start: int, end: int) -> bool:
    """Whether the block from *start* to *end* is only an Obsidian `^id`: it names the block before it."""
    return _BLOCK_ID.fullmatch(text, start, end) is not None


def find_data_uris(text: str) -> tuple[Span, ...]:
    """Spans of base64 data URIs: no embedder makes sense of them, and one alone can be over any limit."""
    if ";base64," not in text:
        return ()
    return tuple(Span(*match.span()) for match in _DATA_URI.finditer(text))
