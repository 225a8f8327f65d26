"""Hits as a language model is to be given them: plain text, each with a number, a place to cite, and a fence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from headwise.chunking.measure import find_measure
from headwise.indexing.budget import MEASURE
from headwise.model import Hit, plain
from headwise.stores.store import StoredChunk

SEPARATOR = " > "

_BACKTICKS = re.compile("`+")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_BREAK = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def prompt(hits: Sequence[Hit]) -> str:
    """All of *hits*, numbered by their ranks, with a blank line between them; empty if there are none."""
    return "\n".join(_block(hit, hit.rank) for hit in hits)


def prompt_tokens(chunk: StoredChunk) -> int:
    """What *chunk* adds to a prompt, in `cl100k_base` tokens: no token goes over the end of a block."""
    return find_measure(MEASURE).count(_block(chunk, 1) + "\n")


def trail(title: str, headings: Iterable[str]) -> list[str]:
    """Title and headings from the outside in, none twice in a row."""
    kept: list[str] = []
    for name in (title, *headings):
        if name and not (kept and kept[-1].casefold() == name.casefold()):
            kept.append(name)
    return kept


def _block(passage: Hit | StoredChunk, number: int) -> str:
    """A passage under a line that says what to cite, in a fence longer than any in it.

    Newlines are LF; control characters, which say nothing to a model, are left out.
    """
    lines = f"{passage.start_line}"
    if passage.end_line != passage.start_line:
        lines += f"-{passage.end_line}"
    crumb = SEPARATOR.join(trail(passage.title, passage.headings))
    head = _BREAK.sub("", f"[{number}] {passage.path}:{lines}" + (f" ({crumb})" if crumb else ""))
    text = _CONTROL.sub("", plain(passage.text, 0, ())).removesuffix("\n")
    fence = "`" * max([3, *(len(run) + 1 for run in _BACKTICKS.findall(text))])
    return f"{head}\n{fence}\n{text}\n{fence}\n"
