"""Sections to pieces: what is cut on its own, and which tiny ones are joined."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from headwise.chunking.drafts import Draft, cut, draft
from headwise.chunking.layout import Layout, is_blank
from headwise.chunking.sizes import is_over
from headwise.chunking.units import Job

_NOBODY: Final = -2


class Piece(NamedTuple):
    """A section's own text, together with headings before it that have none."""

    start: int
    end: int
    parent: int = -1
    """Index of the section it is a child of, -1 at the top."""
    bare: bool = False
    """Whether it is nothing but headings, and what is left out for an embedder."""


def cut_pieces(job: Job) -> Iterator[Draft]:
    """Drafts of the whole document, in order."""
    dropping = job.settings.tiny == "drop"
    pieces = _pieces(job.layout) if job.rules.sections else _whole(job.layout)
    if job.layout.left_out:
        pieces = _around(job.layout, pieces)
    for piece in _join(job, pieces):
        if isinstance(piece, list):
            yield from piece
        elif isinstance(piece, Draft):
            if not (dropping and _own_size(job, piece) < job.settings.minimum):
                yield piece
        else:
            yield from cut(job, piece.start, piece.end)


def _whole(layout: Layout) -> Iterator[Piece]:
    yield Piece(layout.tree.front_matter.end, len(layout.text))


def _pieces(layout: Layout) -> Iterator[Piece]:
    """The own text of every section, in order.

    A heading without text of its own goes with what follows it under the same parent or in itself.
    """
    sections = layout.sections
    first = sections[0].start if sections else len(layout.text)
    if not is_blank(layout.text[layout.tree.front_matter.end : first]):
        yield Piece(layout.tree.front_matter.end, first)
    pending: int | None = None
    for index, section in enumerate(sections):
        start = section.start if pending is None else pending
        pending = None
        bare = layout.is_bare(section.own_start, section.own_end)  # a comment alone is no text
        following = sections[index + 1] if index + 1 < len(sections) else None
        if bare and following is not None and following.level >= section.level:
            pending = start
            continue
        has_children = following is not None and following.parent == index
        yield Piece(start, section.own_end, index if has_children else section.parent, bare)


def _around(layout: Layout, pieces: Iterator[Piece]) -> Iterator[Piece]:
    """*pieces* without the lines that are left out: what stands before and after one are pieces of their own."""
    for piece in pieces:
        at = piece.start
        for line in layout.left_out_between(piece.start, piece.end):
            if not is_blank(layout.text[at : line.start]):
                yield piece._replace(start=at, end=line.start)
            at = line.end
        if at == piece.start or not is_blank(layout.text[at : piece.end]):
            yield piece._replace(start=at)


def _join(job: Job, pieces: Iterator[Piece]) -> Iterator[Piece | Draft | list[Draft]]:
    """*pieces* with tiny neighbours under one parent made one; those that fit as drafts, parts of one as a list.

    Bare headings are joined with what stands before them whatever the minimum, else with what follows.
    """
    last: Piece | None = None
    made: Draft | None = None
    for following in pieces:
        piece = following
        if last is not None and job.layout.left_out_between(last.start, piece.start):
            yield _ready(last, made)
            last, made = None, None
        span = job.layout.trim(piece.start, piece.end)
        alone = _draft_if_fits(job, span.start, span.end)
        if last is not None and made is None and piece.bare:
            # what stands before it had to be cut: it goes with the last part, to which nothing else is joined
            parts = cut(job, last.start, last.end)
            yield parts[:-1]
            if parts:
                made = parts[-1]
                last = last._replace(start=made.own_start, parent=_NOBODY)
        if last is not None and made is not None and _may_join(job, last, made, piece, alone):
            joined = _draft_if_fits(job, made.start, span.end, made.own_start)
            if joined is not None:
                last = last._replace(bare=last.bare and piece.bare)
                made = joined
                continue
        if last is not None and last.bare and made is not None:
            # nothing before it had room: it goes with what follows
            piece = piece._replace(start=last.start)
            alone = _draft_if_fits(job, made.own_start, span.end)
        elif last is not None:
            yield _ready(last, made)
        last, made = piece, alone
    if last is not None:
        yield _ready(last, made)


def _ready(last: Piece, made: Draft | None) -> Piece | Draft | list[Draft]:
    """What is too large and to be cut, or fits; a part of something larger, to which headings were joined, is one."""
    return [made] if made is not None and last.parent == _NOBODY else made or last


def _may_join(job: Job, last: Piece, made: Draft, piece: Piece, alone: Draft | None) -> bool:
    if piece.bare:
        return True
    if last.parent != piece.parent or alone is None or job.settings.tiny != "join":
        return False
    minimum = job.settings.minimum
    return _own_size(job, made) < minimum or _own_size(job, alone) < minimum


def _own_size(job: Job, made: Draft) -> int:
    return made.size - job.context_size(made.before) - job.context_size(made.after)


def _draft_if_fits(job: Job, start: int, end: int, own_start: int | None = None) -> Draft | None:
    if start >= end or is_over(job, start, end):
        return None
    made = draft(job, start, end, own_start)
    return made if made.size <= job.limit else None
