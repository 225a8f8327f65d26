"""Chunks to passages: what is embedded and matched, never across a chunk's edge."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from headwise.chunking.context import surround
from headwise.chunking.settings import Settings
from headwise.chunking.split import Analysis
from headwise.chunking.units import Job, make_units, prepare
from headwise.model import Passage, Span, passage


def passages(
    analysis: Analysis,
    settings: Settings,
    size: int | None = 64,
    fits: Callable[[str], bool] | None = None,
) -> tuple[tuple[Passage, ...], ...]:
    """Passages of every chunk of *analysis*: together they hold the chunk's own text.

    Whole blocks, else whole sentences, items, rows or lines of code, as many as fit; each with its own context,
    which takes at most as much again and names all headings above, also one that the passage begins with.

    Args:
        analysis: a document that was cut.
        settings: those it was cut with; passages are counted in the same measure.
        size: the largest size of a passage's text; None makes each chunk one passage, with the chunk's context.
        fits: whether a model can read a text whole; a passage it cannot is made smaller.
    """
    job = prepare(analysis.layout, settings)
    return tuple(
        tuple(_of_span(job, Span(chunk.own_start, chunk.end), size or chunk.tokens, fits, repeat=bool(size)))
        for chunk in analysis.chunks
    )


def _of_span(job: Job, span: Span, size: int, fits: Callable[[str], bool] | None, *, repeat: bool) -> Iterator[Passage]:
    for part in _group(job, span, size):
        trimmed = job.layout.trim(part.start, part.end)
        if trimmed.start == trimmed.end:
            continue
        made = _passage(job, trimmed, size, repeat=repeat)
        if made.omitted and not made.embed_text.strip():
            continue
        if fits is None or fits(made.embed_text):
            yield made
        elif trimmed.end - trimmed.start == 1:
            yield _passage(job, trimmed, 0, repeat=repeat)
        else:
            yield from _of_span(job, trimmed, max(size * 2 // 3, 1) if size > 1 else 0, fits, repeat=repeat)


def _group(job: Job, span: Span, size: int) -> Iterator[Span]:
    """Neighbouring units together as far as *size* allows, from the start of the span on."""
    units = make_units(job, span.start, span.end, size, with_context=False)
    start, filled = span.start, 0
    for unit in units:
        if filled and filled + unit.size > size:
            yield Span(start, unit.start)
            start, filled = unit.start, 0
        filled += unit.size
    yield Span(start, span.end)


def _passage(job: Job, span: Span, size: int, *, repeat: bool) -> Passage:
    # A heading that is said twice, before the text and in it, weighs more in a vector: more is found.
    before, after = surround(job.layout, span.start, span.end, size, job.context_size, whole_trail=repeat)
    text = job.layout.text[span.start : span.end]
    return passage(span.start, span.end, before, text, after, job.layout.omitted(span.start, span.end))
