"""What a store holds, as lines for people: counts, sizes, folders, what is repeated, and what is worth a look."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from headwise.app.figures import distribution
from headwise.app.render import columns
from headwise.app.visible import one_line
from headwise.indexing.advice import Advice, tiny_chunks, tiny_size, why_large
from headwise.stores.folders import Folder
from headwise.stores.store import Stats

_PROPERTIES = 12
"""Names of properties, the most frequent."""
_FOLDERS = 8
_REPEATED = 3
_BEGIN = 50
"""Characters of a repeated text."""


def stats_view(stats: Stats, pending: int, model: str, advice: Sequence[Advice]) -> Text:
    """All figures about a store, then *advice*; *pending* distinct passages have no vector of *model*."""
    lines = [*_counts(stats, pending, model)]
    if stats.counts.chunks:
        lines += [*_sizes(stats), *_shares(stats), *_folders(stats)]
    if advice:
        lines.append(Text("worth a look", "bold yellow"))
        lines += [Text(f"  {one_line(item.text)}") for item in advice]
    return Text("\n").join(lines)


def _counts(stats: Stats, pending: int, model: str) -> Iterator[Text]:
    counts = stats.counts
    own = f" ({counts.excluded:,} keep themselves out)" if counts.excluded else ""
    yield _row("documents", f"{counts.documents:,}{own}")
    yield _row("chunks", f"{counts.chunks:,}")
    yield _row("passages", f"{counts.passages:,}, {pending:,} without a vector of {one_line(model)}")
    for key, count in stats.vectors.items():
        yield _row("vectors", f"{count:,} of {one_line(key)}")
    if stats.properties:
        named = sorted(stats.properties.items(), key=lambda item: -item[1])
        rest = f" and {len(named) - _PROPERTIES} more" if len(named) > _PROPERTIES else ""
        shown = ", ".join(f"{one_line(name)} {number:,}" for name, number in named[:_PROPERTIES])
        yield _row("properties", shown + rest)


def _sizes(stats: Stats) -> Iterator[Text]:
    """How large the chunks are as figures and bars, and the largest with why they are."""
    sizes = distribution(stats.sizes)
    yield _row("size", f"min {sizes.min}, median {sizes.median}, p95 {sizes.p95}, max {sizes.max}")
    most = max(bar.number for bar in sizes.histogram)
    bars = [(f"{b.least}-{b.most}", f"{b.number:,}", "█" * -(-40 * b.number // most)) for b in sizes.histogram]
    yield from _table(bars, right=frozenset({0, 1}))
    yield Text("largest", "bold")
    largest = [(f"{c.tokens:,}", f"{c.path}:{c.start_line}-{c.end_line}", why_large(c)) for c in stats.largest]
    yield from _table(largest, right=frozenset({0}))


def _shares(stats: Stats) -> Iterator[Text]:
    """How many chunks are tiny, over the limit, only links, or there before."""
    chunks, again = stats.counts.chunks, stats.repetition
    yield _row("tiny", f"{_of(tiny_chunks(stats), chunks)} under {tiny_size(stats)} tokens")
    if stats.oversize:
        yield _row("oversize", f"{_of(stats.oversize, chunks)} of one character each")
    unknown = f", {stats.navigation.unknown:,} not known until indexed anew" if stats.navigation.unknown else ""
    yield _row("navigation", f"{_of(stats.navigation.chunks, chunks)} only links{unknown}")
    yield _row("repeated", f"{_of(again.chunks, chunks)} with the text of another, {again.tokens:,} tokens")
    most = [
        (f"{text.chunks:,} times", text.path, " ".join(text.text.split())[:_BEGIN]) for text in again.most[:_REPEATED]
    ]
    yield from _table(most, right=frozenset({0}))


def _folders(stats: Stats) -> Iterator[Text]:
    """The folders with most chunks, if there is more than one."""
    found = stats.standouts
    if found.folder_count <= 1:
        return
    yield Text("folders", "bold")
    several = len({folder.root for folder in found.folders}) > 1
    chunks = stats.counts.chunks
    rows = [
        (
            _name(folder, several=several),
            _several(folder.documents, "document"),
            _several(folder.chunks, "chunk"),
            f"{100 * folder.chunks / chunks:.0f} %",
            f"{folder.tokens:,} tokens",
        )
        for folder in found.folders[:_FOLDERS]
    ]
    yield from _table(rows, right=frozenset({1, 2, 3, 4}))
    if found.folder_count > _FOLDERS:
        yield Text(f"  … and {found.folder_count - _FOLDERS:,} more", "dim")


def _name(folder: Folder, *, several: bool) -> str:
    name = f"{folder.path}/" if folder.path else "./"
    return f"{folder.root}: {name}" if several else name


def _several(number: int, what: str) -> str:
    return f"1 {what} " if number == 1 else f"{number:,} {what}s"


def _of(part: int, whole: int) -> str:
    return f"{part:,} chunks ({100 * part / whole:.0f} %)"


def _row(name: str, text: str) -> Text:
    return Text.assemble((f"{name:11}", "bold"), text)


def _table(rows: Sequence[Sequence[str]], right: frozenset[int]) -> list[Text]:
    return [Text(f"  {line}") for line in columns(rows, right)] if rows else []
