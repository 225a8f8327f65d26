"""Two cuts of one document for the terminal: side by side where there is room, else one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.text import Text

from headwise.app.render import breadcrumb
from headwise.app.sides import Side, Sides
from headwise.app.visible import one_line, visible
from headwise.chunking.compare import Stretch, stretches
from headwise.model import Chunk

WIDE = 80
"""Columns of a terminal from which on two texts stand side by side."""
_BETWEEN = "  "
_EVEN, _ODD = ("┃", "cyan"), ("║", "yellow")


def diff_view(sides: Sides, console: Console) -> Iterator[Text]:
    """Both cuts, line by line, then what they have in common.

    A chunk's lines have a bar before them, which changes from chunk to chunk in shape and colour.
    """
    if console.is_terminal and console.width >= WIDE:
        yield from _beside(sides, console)
    else:
        yield from _after(sides)
    yield Text("══ a boundary of both   ── of this side only   = the same chunk on both sides", "dim")
    for side in (sides.left, sides.right):
        yield Text.assemble((f"{side.name:11}", "bold"), one_line(side.label), (f"  {side.figures}", "dim"))
    yield Text.assemble(("difference ", "bold"), sides.verdict)


def _after(sides: Sides) -> Iterator[Text]:
    """All of the left, then all of the right."""
    for side in (sides.left, sides.right):
        yield Text.assemble((f"{side.name}: ", "bold"), (one_line(side.label), "bold"))
        yield Text()
        for chunk in side.chunks:
            yield _head(sides, side, chunk)
            own = chunk.text[chunk.own_start - chunk.start :]
            for line in visible(own).split("\n"):
                yield Text.assemble(_bar(chunk.index), f" {line}" if line else "")
            yield Text()


def _beside(sides: Sides, console: Console) -> Iterator[Text]:
    """The text twice, in step: both columns have the same lines at the same places."""
    width = (console.width - len(_BETWEEN)) // 2
    both = sides.left, sides.right
    yield _row([Text(f"{side.name}: {one_line(side.label)}", "bold") for side in both], width)
    text = sides.document.text
    for stretch in stretches(len(text), sides.left.chunks, sides.right.chunks):
        source = text[stretch.start : stretch.end]
        heads = [_begins(sides, side, stretch) for side in both]
        bars = [_bar_of(side, stretch, " " if source.isspace() else "·") for side in both]
        if any(heads):
            yield _row([head or bar for head, bar in zip(heads, bars, strict=True)], width)
        for line in _lines(source):
            for part in Text(line).wrap(console, width - 2, overflow="fold") if line else [Text()]:
                yield _row([Text.assemble(bar, " ", part) for bar in bars], width)


def _lines(text: str) -> list[str]:
    """The lines of a stretch; of white space between chunks, the blank lines."""
    lines = visible(text).expandtabs(4).split("\n")
    if not text.strip():
        return [""] * max(len(lines) - 2, 0)
    first = next(n for n, line in enumerate(lines) if line.strip())
    last = next(n for n, line in enumerate(reversed(lines)) if line.strip())
    return lines[first : len(lines) - last]


def _row(cells: Sequence[Text], width: int) -> Text:
    """*cells* beside each other, none wider than *width*."""
    cut = [cell.copy() for cell in cells]
    for cell in cut:
        cell.truncate(width, overflow="ellipsis", pad=cell is cut[0])
    row = Text(_BETWEEN).join(cut)
    row.rstrip()
    return row


def _begins(sides: Sides, side: Side, stretch: Stretch) -> Text | None:
    """The head of the chunk that begins with *stretch* on one side, if one does."""
    index = stretch.left if side.name == "left" else stretch.right
    if index is None or side.chunks[index].own_start != stretch.start:
        return None
    return _head(sides, side, side.chunks[index])


def _head(sides: Sides, side: Side, chunk: Chunk) -> Text:
    """A chunk's number, lines, size and trail, behind a rule that says whether both sides cut here."""
    lines = str(chunk.start_line) if chunk.start_line == chunk.end_line else f"{chunk.start_line}-{chunk.end_line}"
    _, colour = _ODD if chunk.index % 2 else _EVEN
    both = chunk.own_start in sides.both
    head = Text.assemble(("══ " if both else "── ", f"bold {colour}"), (str(chunk.index + 1), "bold"))
    head.append(" =" if chunk.index in side.same else "", "bold green")
    head.append(f"  :{lines}", "bold")
    head.append(f"  {chunk.tokens}/{side.settings.max_tokens}", "red" if chunk.oversize else "dim")
    if repeated := chunk.own_start - chunk.start:
        head.append(f"  repeats {repeated:,} characters", "dim")
    if crumb := breadcrumb(chunk.title, chunk.headings):
        head.append(f"  {crumb}", "cyan")
    return head


def _bar_of(side: Side, stretch: Stretch, outside: str) -> Text:
    index = stretch.left if side.name == "left" else stretch.right
    return Text(outside, "dim") if index is None else _bar(index)


def _bar(index: int) -> Text:
    """What stands before a line of a chunk, by turns."""
    return Text(*(_ODD if index % 2 else _EVEN))
