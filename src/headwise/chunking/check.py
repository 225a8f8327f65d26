"""Proof that a cut document keeps what is promised, computed anew rather than by the cutter."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING
from unicodedata import category

from headwise.chunking.measure import Measure
from headwise.chunking.settings import Settings
from headwise.model import Chunk, plain
from headwise.reading.front_matter import read_front_matter
from headwise.reading.inline import find_data_uris
from headwise.reading.lines import line_number, line_starts

if TYPE_CHECKING:
    from headwise.chunking.split import Analysis


def problems(text: str, analysis: Analysis, settings: Settings) -> list[str]:
    """What is wrong with *analysis* of *text*, one line each with its line number; empty if all holds.

    Every chunk is a slice of the text; its lines and its size are right and its size is within the limit; chunks
    stand in order and can be told apart; every character of the body that is not blank is in a chunk or in a
    dropped span. A line over `max_line` is in none.
    """
    lines = line_starts(text)
    measure = settings.measure()
    found: list[tuple[int, str]] = []
    for chunk in analysis.chunks:
        wrongs = (*_slice(text, chunk, lines), *_size(chunk, measure, settings.max_tokens))
        found += [(chunk.start, f"chunk {chunk.index} {wrong}") for wrong in wrongs]
    long = _long_lines(text, lines, settings.max_line)
    found += [*_order(analysis.chunks), *_lost(text, analysis, settings, long)]
    found += [(chunk.start, f"chunk {chunk.index} holds a line over max_line") for chunk in _holding(analysis, long)]
    return [f"line {line_number(lines, max(0, at))}: {wrong}" for at, wrong in sorted(found)]


def _slice(text: str, chunk: Chunk, lines: Sequence[int]) -> Iterator[str]:
    if not 0 <= chunk.start <= chunk.own_start < chunk.end <= len(text):
        yield f"has the impossible span {chunk.start}:{chunk.own_start}:{chunk.end} in {len(text)} characters"
        return
    if chunk.text != text[chunk.start : chunk.end]:
        yield "is not the text of its span"
    if chunk.text[-1].isspace():
        yield "ends in white space"
    expected = line_number(lines, chunk.start), line_number(lines, chunk.end - 1)
    if (chunk.start_line, chunk.end_line) != expected:
        yield f"says lines {chunk.start_line}-{chunk.end_line}, but is on {expected[0]}-{expected[1]}"


def _size(chunk: Chunk, measure: Measure, limit: int) -> Iterator[str]:
    parts: list[str] = []
    at = chunk.start
    for start, end in chunk.omitted:
        if not at <= start <= end <= chunk.end:
            yield f"omits {start}:{end}, which is outside it or out of order"
            return
        parts.append(chunk.text[at - chunk.start : start - chunk.start])
        at = end
    parts.append(chunk.text[at - chunk.start :])
    body = "".join(parts).replace("\r\n", "\n").replace("\r", "\n")
    size = measure.size(chunk.context + body + chunk.context_after)
    if size != chunk.tokens:
        yield f"says {chunk.tokens} {measure.name}, but has {size}"
    if size > limit and not (chunk.oversize and len(body) == 1 and not chunk.context and not chunk.context_after):
        yield f"has {size} {measure.name}, over the limit of {limit}"


def _order(chunks: Sequence[Chunk]) -> Iterator[tuple[int, str]]:
    names: set[tuple[str, int]] = set()
    for number, chunk in enumerate(chunks):
        if chunk.index != number:
            yield chunk.start, f"chunk {chunk.index} stands in place {number}"
        if (chunk.anchor, chunk.number) in names:
            yield chunk.start, f"chunk {chunk.index} has an id that another has: #{chunk.anchor}::{chunk.number}"
        names.add((chunk.anchor, chunk.number))
    for before, after in pairwise(chunks):
        if not (before.start < after.start and before.end <= after.own_start):
            yield after.start, f"chunk {after.index} does not come after chunk {before.index}"


def _lost(
    text: str, analysis: Analysis, settings: Settings, long: Sequence[tuple[int, int]]
) -> Iterator[tuple[int, str]]:
    """Spans that hold something and are in no chunk, and spans that were dropped without the reason they give."""
    every_long = frozenset(long)
    reasons: dict[str, Callable[[str, int, int], bool]] = {
        **_REASONS,
        "under min_tokens": lambda text, start, end: _is_tiny(text, start, end, analysis, settings),
        "line over max_line": lambda _, start, end: (start, end) in every_long,
    }
    for start, end, reason in analysis.dropped:
        if not reasons.get(reason, _never)(text, start, end):
            yield start, f"dropped as {reason!r}, which it is not: {text[start:end].strip()[:40]!r}"
    spans = [*((c.own_start, c.end) for c in analysis.chunks), *((d.start, d.end) for d in analysis.dropped)]
    reached = 0
    for start, end in (*sorted(spans), (len(text), len(text))):
        lost = text[reached:start]
        if lost and not lost.isspace():
            at = reached + len(lost) - len(lost.lstrip())
            yield at, f"{len(''.join(lost.split()))} characters are in no chunk: {lost.strip()[:40]!r}"
        reached = max(reached, end)


def _is_tiny(text: str, start: int, end: int, analysis: Analysis, settings: Settings) -> bool:
    """Whether each section's part of the span is under the minimum, and was to be dropped for that."""
    edges = [start, *(section.start for section in analysis.sections if start < section.start < end), end]
    count = settings.measure().count
    sizes = [count(plain(text[a:b], a, analysis.tree.omitted).strip()) for a, b in pairwise(edges)]
    return settings.tiny == "drop" and max(sizes) < settings.minimum


def _long_lines(text: str, lines: Sequence[int], limit: int | None) -> list[tuple[int, int]]:
    """Spans of the visible lines over *limit*, without their newlines and a byte order mark; data URIs do not count."""
    found: list[tuple[int, int]] = []
    if limit is None:
        return found
    for start, until in pairwise((*lines, len(text))):
        line = text[start:until].rstrip("\r\n").removeprefix("" if start else "\ufeff")
        counted = len(line) - sum(uri.end - uri.start for uri in find_data_uris(line))
        if counted > limit and line.strip():
            begun = start + (start == 0 and text.startswith("\ufeff"))
            found.append((begun, begun + len(line)))
    return found


def _holding(analysis: Analysis, long: Sequence[tuple[int, int]]) -> Iterator[Chunk]:
    """The chunks that hold some of a long line."""
    ends = [end for _, end in long]
    for chunk in analysis.chunks:
        at = bisect_right(ends, chunk.start)
        if at < len(long) and long[at][0] < chunk.end:
            yield chunk


def _never(text: str, start: int, end: int) -> bool:  # noqa: ARG001 - stands for a reason nobody knows
    return False


_REASONS: Mapping[str, Callable[[str, int, int], bool]] = {
    "byte order mark": lambda text, start, end: text[start:end] == "\ufeff" and start == 0,
    "front matter": lambda text, start, end: start == 0 and end == read_front_matter(text).end,
    "nothing visible": lambda text, start, end: all(category(ch)[0] in "CZ" for ch in set(text[start:end])),
}
