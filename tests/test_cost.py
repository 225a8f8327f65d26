"""What cutting costs, counted rather than timed: a change that makes it a tenth dearer is noticed, on any machine.

Counted are the bytecode instructions that the reading and cutting of the example vault executes, which is what is
not native, and the characters that its tokenizer is given. `UPDATE_GOLDEN=1` writes down what is counted now.
"""

import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from headwise import Settings, analyse
from headwise.chunking import settings as settings_module
from headwise.chunking.measure import find_measure

ROOT = Path(__file__).parent.parent
KEPT = ROOT / "tests" / "golden" / "cost.json"
PYTHON = ".".join(map(str, sys.version_info[:2]))
LEEWAY = 1.1


def texts() -> list[str]:
    return [path.read_text("utf-8") for path in sorted((ROOT / "examples" / "vault").rglob("*.md"))]


def instructions(run) -> int:
    """Bytecode instructions that *run* executes in Headwise's own functions."""
    own = str(ROOT / "src" / "headwise")
    count = 0

    def local(_frame, event, _arg):
        nonlocal count
        count += event == "opcode"
        return local

    def called(frame, _event, _arg):
        if not frame.f_code.co_filename.startswith((own, "<string>")):
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        return local

    before = sys.gettrace()
    sys.settrace(called)
    try:
        run()
    finally:
        sys.settrace(before)
    return count


def costs(monkeypatch) -> dict[str, float]:
    every = texts()
    size = sum(map(len, every))
    for text in every:
        analyse(text)  # what is made once, such as patterns, is made
    counted = 0
    measure = find_measure("cl100k_base")

    def count(text: str) -> int:
        nonlocal counted
        counted += len(text)
        return measure.count(text)

    monkeypatch.setattr(settings_module, "find_measure", lambda _: replace(measure, count=count))
    settings = Settings()
    for text in every:
        analyse(text, settings=settings)
    monkeypatch.undo()
    return {
        "instructions per character": round(instructions(lambda: [analyse(text) for text in every]) / size, 2),
        "characters counted per character": round(counted / size, 3),
    }


def test_cutting_costs_no_more_than_before(monkeypatch):
    found = costs(monkeypatch)
    kept = json.loads(KEPT.read_text("utf-8")) if KEPT.exists() else {}
    if os.environ.get("UPDATE_GOLDEN"):
        KEPT.write_text(json.dumps(kept | {PYTHON: found}, indent=2) + "\n", "utf-8")
    elif PYTHON not in kept:
        pytest.skip(f"no costs were written down for Python {PYTHON}, whose instructions are others")
    else:
        dearer = {
            name: (kept[PYTHON][name], cost) for name, cost in found.items() if cost > LEEWAY * kept[PYTHON][name]
        }
        assert not dearer, f"dearer by more than a tenth (before, now): {dearer}"
