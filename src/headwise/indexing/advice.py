"""From figures about a store to what a person would want to be told: nothing when nothing is wrong."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

from headwise.stores.folders import LONG, Daily
from headwise.stores.store import LargeChunk, Stats

FEW: Final = 50
"""Chunks: of fewer, shares say nothing."""
TINY: Final = 30
"""Tokens: a chunk of fewer hardly answers anything."""
TINY_SHARE: Final = 0.33
DAILY: Final = 30
"""Daily notes: of fewer, nothing is said."""
DAILY_SHARE: Final = 0.4
FILE_SHARE: Final = 0.25
FILE_AMONG: Final = 10
"""Documents: among fewer, one that is large is nothing to wonder about."""
TEMPLATE: Final = 20
"""Documents with the same text: so many do not repeat it by chance."""
REPEATED_SHARE: Final = 0.2
NAVIGATION_SHARE: Final = 0.25

_DATE_PATTERN: Final = "[12][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]*"
_DATE_PATTERN_PLAIN: Final = "[12][0-9][0-9][0-9][01][0-9][0-3][0-9]*"
_BEGIN: Final = 60
"""Characters of a text that are shown."""
_PATTERN_SIGNS: Final = re.compile(r"[\\*?\[\]]")
_NAMES: Final = {"html_block": "HTML", "math_block": "formula"}

Kind = Literal["daily", "tiny", "file", "template", "repeated", "headless", "navigation", "pending"]


class Advice(NamedTuple):
    """Something that may be wrong with a store, in one sentence with what to do about it."""

    kind: Kind
    text: str


def advise(stats: Stats, pending: int, model: str) -> tuple[Advice, ...]:
    """What is worth a look in a store, *pending* of whose distinct passages have no vector of *model*."""
    shares = _shares(stats) if stats.counts.chunks >= FEW else ()
    return (*shares, *_documents(stats), *_pending(stats, pending, model))


def tiny_size(stats: Stats) -> int:
    """The size under which a chunk is tiny: `TINY`, or less where all chunks are small."""
    return min(TINY, max(stats.sizes, default=0) // 4)


def tiny_chunks(stats: Stats) -> int:
    """How many chunks are under `tiny_size`."""
    under = tiny_size(stats)
    return sum(number for size, number in stats.sizes.items() if size < under)


def why_large(chunk: LargeChunk) -> str:
    """Why a chunk is as large as it is, in a few words."""
    if chunk.oversize:
        return "one character that alone is over the limit"
    body = [kind for kind in chunk.kinds if kind != "heading"]
    only = body[0] if len(body) == 1 else ""
    name = _NAMES.get(only, only.replace("_", " "))
    whole = chunk.parts == 1
    near = ""
    if chunk.limit and whole:
        left = chunk.limit - chunk.tokens
        near = ", just at the limit" if left <= chunk.limit // 50 else f", {left:,} under the limit"
    if chunk.reopened:
        return f"part of a {name or 'block'} too large for one chunk, filled up to the limit"
    if whole:
        return f"a section that is one {name}{near}" if only and only != "paragraph" else f"one section{near}"
    part = f"part {chunk.part:,} of {chunk.parts:,} of a section that is over the limit"
    return f"{part}: one {name}" if only and only != "paragraph" else part


def _shares(stats: Stats) -> Iterator[Advice]:
    chunks, standouts = stats.counts.chunks, stats.standouts
    daily, largest = standouts.daily, standouts.largest
    if daily.documents >= DAILY and daily.chunks >= DAILY_SHARE * chunks:
        yield Advice(
            "daily",
            f"{daily.documents:,} daily notes make {_percent(daily.chunks, chunks)} of the chunks; "
            f"if they need not be found: `exclude = [{_patterns(daily)}]`",
        )
    if (tiny := tiny_chunks(stats)) >= TINY_SHARE * chunks:
        yield Advice(
            "tiny",
            f"{_percent(tiny, chunks)} of the chunks are shorter than {tiny_size(stats)} tokens; "
            "a higher `min_tokens` joins them with their neighbours",
        )
    if largest and stats.counts.documents >= FILE_AMONG and largest.chunks >= FILE_SHARE * chunks:
        yield Advice(
            "file",
            f"one of {stats.counts.documents:,} documents makes {_percent(largest.chunks, chunks)} of the chunks: "
            f"{largest.path}",
        )
    tokens = sum(size * number for size, number in stats.sizes.items())
    if stats.repetition.tokens >= REPEATED_SHARE * tokens:
        yield Advice(
            "repeated",
            f"{_percent(stats.repetition.tokens, tokens)} of the text stands elsewhere, too; "
            "are copies or translations among the documents?",
        )
    if stats.navigation.chunks >= NAVIGATION_SHARE * chunks:
        yield Advice(
            "navigation",
            f"{_percent(stats.navigation.chunks, chunks)} of the chunks are only links; "
            '`navigation = "skip"` leaves them out',
        )


def _documents(stats: Stats) -> Iterator[Advice]:
    standouts = stats.standouts
    repeated = max(stats.repetition.most, key=lambda text: text.documents, default=None)
    if repeated and repeated.documents >= TEMPLATE:
        yield Advice(
            "template",
            f"the same text is in {repeated.documents:,} documents, such as {repeated.path}: “{_begin(repeated.text)}”",
        )
    if standouts.headless:
        number = standouts.headless
        has = "document has" if number == 1 else "documents have"
        yield Advice(
            "headless",
            f"{number:,} {has} no heading and over {LONG:,} tokens, such as {standouts.headless_path}; "
            "headings would say what its parts are about",
        )


def _pending(stats: Stats, pending: int, model: str) -> Iterator[Advice]:
    if pending > 0:
        of = f"{pending:,} of {stats.distinct_passages:,}" if pending < stats.distinct_passages else f"all {pending:,}"
        yield Advice(
            "pending",
            f"{of} passages have no vector of {model} and are not found by meaning; `headwise embed` makes them",
        )


def _patterns(daily: Daily) -> str:
    """What leaves out the daily notes, as items of a TOML list: their folder, if little else is in it."""
    if daily.folder and daily.others * 10 <= daily.documents:
        folder = _PATTERN_SIGNS.sub(r"\\\g<0>", daily.folder)
        return json.dumps(f"/{folder}/", ensure_ascii=False)
    return ", ".join(f'"{pattern}"' for pattern in (_DATE_PATTERN, _DATE_PATTERN_PLAIN))


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %"


def _begin(text: str) -> str:
    """The first words of *text*."""
    words = " ".join(text.split())
    return words if len(words) <= _BEGIN else f"{words[: _BEGIN - 1]}…"
