"""The edits of the tests, for benchmarks: `tests/support_edits.py`, found beside this folder."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "tests"))

from support_edits import EDITS, sentences, source

__all__ = ["EDITS", "sentences", "source"]
