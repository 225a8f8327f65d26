"""What `churn.py` counted at each commit, as shares."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from math import inf
from typing import NamedTuple


class Shares(NamedTuple):
    """The tokens embedded after each commit, divided by all tokens after it."""

    own: list[float]
    """By those that the contender itself holds."""
    folder: list[float]
    """By those of the folder's text."""


def shares(counted: Mapping[str, Sequence[int]], folder: Sequence[int]) -> Shares:
    """Of what was counted at the beginning, which counts for nothing here, and after each commit."""
    tokens, held = counted["tokens"][1:], counted["held_tokens"][1:]
    own = [part / whole for part, whole in zip(tokens, held, strict=True)]
    return Shares(own, [part / whole for part, whole in zip(tokens, folder[1:], strict=True)])


def typical(part: Sequence[float], ours: Sequence[float]) -> float:
    """How many times the share of ours it is in the middle one of all commits after which either embeds anything."""
    return statistics.median(its / own if own else inf for its, own in zip(part, ours, strict=True) if its or own)
