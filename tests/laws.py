"""The invariants, checked on one document without the cutter's own help."""

from __future__ import annotations

from itertools import pairwise

import regex

from headwise import Settings, analyse
from headwise.chunking.split import Analysis

_CLUSTER = regex.compile(r"\X")


def laws(text: str, settings: Settings | None = None, **options) -> Analysis:
    """Cut *text* and assert every law that holds for any text and any settings; the analysis, for more."""
    settings = settings or Settings()
    made = analyse(text, settings=settings, **options)
    tiling(text, made)
    verbatim(text, made)
    nothing_lost(text, made)
    limit(made, settings)
    order(made)
    edges(made)
    return made


def tiling(text: str, made: Analysis) -> None:
    """Children tile their parent; the outermost blocks tile the body."""
    blocks = list(made.tree.blocks)
    body = made.tree.front_matter.end
    ends: list[tuple[int, int]] = []  # (depth, end) of the open blocks
    at = body
    for block, following in zip(blocks, [*blocks[1:], None], strict=False):
        assert block.start < block.end
        while ends and ends[-1][0] >= block.depth:
            assert ends.pop()[1] <= block.start
        assert block.depth == len(ends)
        if not ends:
            assert block.start == at
            at = block.end
        else:
            assert block.end <= ends[-1][1]
        ends.append((block.depth, block.end))
        if following is not None:
            inside = following.depth > block.depth
            assert following.start == (block.start if inside else block.end)
    if blocks:
        assert at == len(text)


def verbatim(text: str, made: Analysis) -> None:
    for chunk in made.chunks:
        assert chunk.text == text[chunk.start : chunk.end]
        kept = chunk.text
        for span in reversed(chunk.omitted):
            assert chunk.start <= span.start < span.end <= chunk.end
            kept = kept[: span.start - chunk.start] + kept[span.end - chunk.start :]
        kept = kept.replace("\r\n", "\n").replace("\r", "\n")
        assert chunk.embed_text == chunk.context + kept + chunk.context_after


def nothing_lost(text: str, made: Analysis) -> None:
    covered = bytearray(len(text))
    for span in (*made.chunks, *made.dropped):
        covered[span.start : span.end] = b"\1" * (span.end - span.start)
    lost = [i for i, c in enumerate(text) if not covered[i] and not c.isspace()]
    assert not lost, f"lost {text[lost[0] : lost[0] + 40]!r} at {lost[0]}"


def limit(made: Analysis, settings: Settings) -> None:
    measure = settings.measure()
    count = measure.count
    for chunk in made.chunks:
        assert chunk.tokens == measure.size(chunk.embed_text)
        if chunk.oversize:
            assert len(chunk.text) == 1
            assert not chunk.context
            assert not chunk.context_after
        else:
            assert chunk.tokens <= settings.max_tokens
        assert count(chunk.context) + count(chunk.context_after) <= max(settings.max_tokens // 2, 0)


def order(made: Analysis) -> None:
    for number, chunk in enumerate(made.chunks):
        assert chunk.index == number
        assert chunk.start <= chunk.own_start < chunk.end
    for before, after in pairwise(made.chunks):
        assert before.start < after.start
        assert before.end < after.end
        assert before.end <= after.own_start
        if after.start < after.own_start:
            assert after.start < before.end
    keys = [(chunk.anchor, chunk.number) for chunk in made.chunks]
    assert len(set(keys)) == len(keys)


def edges(made: Analysis) -> None:
    text = made.tree.text
    for chunk in made.chunks:
        assert chunk.text.strip()
        assert not chunk.text[-1].isspace()
        assert chunk.text[0] not in "\r\n"
        if chunk.text[0].isspace():  # only the indentation of a whole line stays
            assert chunk.start == 0 or text[chunk.start - 1] in "\r\n"
        assert not (chunk.start > 0 and text[chunk.start - 1 : chunk.start + 1] == "\r\n")
    starts = made.tree.lines
    for chunk in made.chunks:
        assert starts[chunk.start_line - 1] <= chunk.start
        assert starts[chunk.end_line - 1] < chunk.end
        assert chunk.end_line == len(starts) or chunk.end <= starts[chunk.end_line]


def graphemes(text: str, made: Analysis) -> None:
    """No chunk begins or ends inside a grapheme, unless that grapheme alone is over the limit."""
    boundaries = {0, *(match.end() for match in _CLUSTER.finditer(text))}
    for chunk in made.chunks:
        assert chunk.start in boundaries
        assert chunk.end in boundaries
