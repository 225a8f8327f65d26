"""Answers as text for a language model: short, with a place to cite, and documents in fences of their own."""

from __future__ import annotations

import re
from collections.abc import Sequence

from headwise.app.mcp_door.answers import OutlineAnswer, Passage, ReadAnswer, RelatedAnswer

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_BREAK = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_BACKTICKS = re.compile("`+")


def plain(text: str) -> str:
    """*text* of a document with LF newlines, without control characters and what JSON cannot say."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _SURROGATE.sub("\ufffd", _CONTROL.sub("", text))


def line(text: str) -> str:
    """*text*, such as a title or what somebody typed, on one line."""
    return _SURROGATE.sub("\ufffd", _BREAK.sub(" ", text))


def search_text(passages: Sequence[Passage], notes: Sequence[str]) -> str:
    """What a search found."""
    blocks = [_passage(f"[{one.rank}] {_place(one)}", f"id: {one.id}", one.text) for one in passages]
    return "\n\n".join([*blocks, *(f"({note})" for note in notes)])


def read_text(answer: ReadAnswer) -> str:
    """A document, or a slice of it, and how to go on."""
    text = _passage(_place(answer), "", answer.text)
    return (
        text if answer.next_offset is None else f"{text}\n\n(there is more: read on with offset={answer.next_offset})"
    )


def outline_text(answer: OutlineAnswer) -> str:
    """A document's sections, a line each."""
    head = f"{answer.path} ({answer.title}), {answer.end_line} lines"
    if not answer.sections:
        return f"{head}\nIt has no sections; read it by its path."
    rows = [
        f"{one.start_line}-{one.end_line}\t{one.tokens} tokens\t{'#' * one.level} {one.title}\t{one.name}"
        for one in answer.sections
    ]
    more = [] if answer.next_offset is None else [f"(there are more: outline with offset={answer.next_offset})"]
    return "\n".join([head, *rows, *more])


def related_text(answer: RelatedAnswer) -> str:
    """Links both ways, and what is near."""
    lines = [f"{answer.path}#{answer.anchor}" if answer.anchor else answer.path]
    for what, links in (("links to", answer.links), ("linked from", answer.backlinks)):
        lines.append(f"{what}:" if links else f"{what}: nothing")
        lines += [f"- {one.path}{one.part and f'#{one.part}'} ({one.title})" for one in links]
    if answer.left_out:
        lines.append(f"(and {answer.left_out} more links)")
    if answer.near:
        lines.append("near in meaning:")
        lines += [f"- {one.path} ({one.title}), {one.score:.2f}, nearest: {one.id}" for one in answer.near]
    return "\n".join([*lines, *(f"({note})" for note in answer.notes)])


def _place(one: Passage | ReadAnswer) -> str:
    """What to cite."""
    lines = f"{one.start_line}" if one.start_line == one.end_line else f"{one.start_line}-{one.end_line}"
    return f"{one.path}:{lines}" + (f" ({one.breadcrumb})" if one.breadcrumb else "")


def _passage(head: str, below: str, text: str) -> str:
    """*text* in a fence longer than any in it, so that it is told from what is said about it."""
    fence = "`" * max([3, *(len(run) + 1 for run in _BACKTICKS.findall(text))])
    return "\n".join([head, *([below] if below else []), fence, text.removesuffix("\n"), fence])
