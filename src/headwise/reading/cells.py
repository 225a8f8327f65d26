"""Where the cells of a table's row begin."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import Final

from headwise.model import Spans

_PIPE: Final = re.compile(r"(?<!\\)\|")
_HEAD: Final = re.compile(r"[\s>|]*")
_KEY: Final = 16
"""Characters of a row's beginning that say what it is about: they stay with the cell after them."""


def cell_starts(text: str, start: int, end: int, atoms: Spans) -> list[int]:
    """Starts of the cells between *start* and *end* in a row, each at its `|`, without *start* itself.

    None begins inside an atom, or where only the row's end is left.
    """
    found: list[int] = []
    last = start + len(text[start:end].rstrip(" \t\r\n|"))
    for pipe in _PIPE.finditer(text, start + 1, last):
        at = pipe.start()
        around = bisect_right(atoms.starts, at) - 1
        if not (around >= 0 and atoms.starts[around] < at < atoms.ends[around]):
            found.append(at)
    return found


def after_key(text: str, row: int, starts: Sequence[int]) -> list[int]:
    """*starts* without those of cells right after a short first one: what the row that begins at *row* is about."""
    begun = _HEAD.match(text, row)
    key = (begun.end() if begun else row) + _KEY
    return [at for at in starts if at > key or text[at] != "|"]
