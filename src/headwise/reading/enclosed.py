"""Comments and formulas that begin and end anywhere in a line, or lines below: found by their signs, in one pass."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Literal, NamedTuple

from headwise.model import Blocks, Span, Spans
from headwise.reading.flavours import Region
from headwise.reading.markers import Flavour


class Enclosed(NamedTuple):
    """Characters `start` to `end`, the signs at both ends included."""

    start: int
    end: int
    kind: Literal["comment", "math"]


_SIGNS: Final[dict[Flavour, str]] = {
    "math": r"\\[()\[\]]|\$\$",
    "obsidian": r"%%+",
    "mdx": r"\{/\*|\*/\}",
}
_OPENING: Final[dict[Flavour, tuple[str, ...]]] = {
    "math": (r"\(", r"\[", "$$"),
    "obsidian": ("%%",),
    "mdx": ("{/*",),
}
"""One of them stands in every text that has any; looked for much faster than a pattern."""
_CLOSED_BY: Final = {r"\(": r"\)", r"\[": r"\]", "$$": "$$", "{/*": "*/}"}
_NEWLINE: Final = re.compile(r"[\r\n]")
_LINE_END: Final = re.compile(r"[ \t]*(?:[\r\n]|\Z)")
_STRUCTURE: Final = re.compile(r"[\r\n][ \t>]*(?:#{1,6}\s|```|~~~)")
_TAG_OPEN: Final = "<!--"
_TAG_CLOSE: Final = "-->"
# scripts and styles have comments of their own, or none
_RAW: Final = re.compile(r"\s*<(?:script|style|textarea)\b", re.IGNORECASE)
# what a line may begin with before its text: masked by spaces, more than that would make it code
_HAS_TEXT: Final = re.compile(r" {0,3}#{1,6}\s|.*[^\W_]")
_LONGEST_HEAD: Final = 200
"""Characters before a comment that are looked at for text."""
_PREFIX: Final = re.compile(r"[ \t>]*")
_NOT_SPACE: Final = re.compile(r"[^\s|]")
"""A pipe stays what it is, so that a row keeps its cells."""


def has_signs(text: str, flavours: frozenset[Flavour]) -> bool:
    """Whether *text* may hold comments or formulas of the *flavours*."""
    return bool(_said(text, flavours))


def _said(text: str, flavours: frozenset[Flavour]) -> list[Flavour]:
    return [
        flavour
        for flavour, signs in _OPENING.items()
        if flavour in flavours and any(sign[0] in text and sign in text for sign in signs)
    ]


def find_enclosed(text: str, body: int, flavours: frozenset[Flavour], verbatim: Iterable[Span]) -> tuple[Enclosed, ...]:
    r"""Obsidian's `%%comments%%`, MDX's `{/* comments */}`, and the formulas `\(…\)`, `\[…\]` and `$$…$$`.

    A formula ends within its paragraph, and holds no heading and no fence. A comment in a vault may go on over blank
    lines. One that is never closed is none.

    Args:
        text: the whole text.
        body: where to begin.
        flavours: those whose signs are looked for.
        verbatim: spans in which no sign counts (code, links, regions), in order; they may overlap.
    """
    said = _said(text, flavours)
    if not said:
        return ()
    signs = "|".join(_SIGNS[flavour] for flavour in said)
    # a backslash takes its sign with it; where a blank line begins is a sign, too
    tokens = re.compile(rf"{signs}|\\.|(?:\r\n?|\n)(?=[ \t>]*[\r\n])")
    found = sorted(_pair(text, _outside(tokens.finditer(text, body), verbatim)))
    kept: list[Enclosed] = []
    for each in found:
        if not kept or each.start >= kept[-1].end:
            kept.append(each)
    return tuple(kept)


def _outside(tokens: Iterable[re.Match[str]], spans: Iterable[Span]) -> Iterator[re.Match[str]]:
    """The *tokens* that begin in none of the *spans*."""
    following = iter(spans)
    span = next(following, None)
    reached = 0
    for token in tokens:
        while span is not None and span.start <= token.start():
            reached = max(reached, span.end)
            span = next(following, None)
        if token.start() >= reached:
            yield token


def _pair(text: str, tokens: Iterable[re.Match[str]]) -> Iterator[Enclosed]:
    comment: int | None = None
    opened: tuple[str, int] | None = None
    for token in tokens:
        sign, start, end = token[0], token.start(), token.end()
        if sign[0] in "\r\n":
            opened = None
        elif sign[0] == "%":
            if comment is not None and len(sign) == 2 and _closes_comment(text, comment, start):
                yield Enclosed(comment, end, "comment")
                comment = None
            elif len(sign) == 2 and not (start and text[start - 1].isalnum()):  # "100%% sure" opens none
                comment = start
        elif opened is not None and sign == _CLOSED_BY[opened[0]]:
            if opened[0] == "{/*":
                yield Enclosed(opened[1], end, "comment")
            elif not (_STRUCTURE.search(text, opened[1], end)):
                yield Enclosed(opened[1], end, "math")
            opened = None
        elif sign in _CLOSED_BY and (opened is None or opened[0] != "{/*"):
            opened = (sign, start)


def _closes_comment(text: str, opened: int, at: int) -> bool:
    """Whether the `%%` at *at* closes the one at *opened*: over lines only if it ends a word or its line."""
    return (
        not _NEWLINE.search(text, opened, at) or not text[at - 1].isspace() or _LINE_END.match(text, at + 2) is not None
    )


def mask_enclosed(text: str, enclosed: Sequence[Enclosed]) -> str:
    """*text* with what could be taken for structure hidden from the parser; its length and its lines stay.

    That is what comments of a vault hold, and formulas over several lines; other signs say nothing to the parser.
    """
    if not enclosed:
        return text
    parts: list[str] = []
    at = 0
    for start, end, kind in enclosed:
        if not (_NEWLINE.search(text, start, end) or (kind == "comment" and text[start] == "%")):
            continue
        parts.append(text[at:start])
        lines = text[start:end].splitlines(keepends=True)
        low = max(start - _LONGEST_HEAD, 0)
        begun = max(text.rfind("\n", low, start) + 1, text.rfind("\r", low, start) + 1, low)
        blank = kind == "comment" and _HAS_TEXT.match(text, begun, start)
        parts.append(_NOT_SPACE.sub(" " if blank else "x", lines[0]))
        for line in lines[1:]:
            prefix = _PREFIX.match(line)
            kept = prefix.end() if prefix else 0
            parts.append(line[:kept] + _NOT_SPACE.sub("x", line[kept:]))
        at = end
    return "".join((*parts, text[at:]))


def settle(regions: Sequence[Region], enclosed: Sequence[Enclosed]) -> tuple[tuple[Region, ...], tuple[Enclosed, ...]]:
    """Those of both that do not cut into each other: a region wholly in a comment is part of that."""
    starts = [each.start for each in enclosed]
    kept: list[Region] = []
    broken: set[int] = set()
    for region in regions:
        touched = range(max(bisect_right(starts, region.start) - 1, 0), bisect_left(starts, region.end))
        around = [at for at in touched if enclosed[at].end > region.start]
        if any(enclosed[at].start <= region.start and region.end <= enclosed[at].end for at in around):
            continue
        kept.append(region)
        begin, until = region.inner or (region.end, region.end)
        broken.update(at for at in around if not begin <= enclosed[at].start <= enclosed[at].end <= until)
    return tuple(kept), tuple(each for at, each in enumerate(enclosed) if at not in broken)


def find_html_comments(text: str, blocks: Blocks, atoms: Spans) -> Iterator[Span]:
    """Comments in HTML: in its blocks and within lines, in no order."""
    if _TAG_OPEN not in text:
        return
    for atom in atoms:
        if text.startswith(_TAG_OPEN, atom.start):
            yield atom
    for begun, until, shape in zip(blocks.starts, blocks.ends, blocks.shapes, strict=True):
        if shape.kind != "html_block" or _RAW.match(text, begun, until):
            continue
        at = text.find(_TAG_OPEN, begun, until)
        while at >= 0:
            end = text.find(_TAG_CLOSE, at + len(_TAG_OPEN), until)
            if end < 0:
                break
            yield Span(at, end + len(_TAG_CLOSE))
            at = text.find(_TAG_OPEN, end, until)


def union(spans: Iterable[tuple[int, int]]) -> tuple[Span, ...]:
    """*spans* in order, those that overlap made one."""
    joined: list[Span] = []
    for start, end in sorted(spans):
        if joined and start < joined[-1].end:
            joined[-1] = Span(joined[-1].start, max(end, joined[-1].end))
        else:
            joined.append(Span(start, end))
    return tuple(joined)
