"""Every shared case has a test of what it expects, in one of the files `test_expectations_*.py`."""

from __future__ import annotations

import ast
from pathlib import Path

from shared import shared


def test_every_case_has_its_test() -> None:
    wanted = {f"test_{path.stem[4:].replace('-', '_')}" for path in shared("cases").glob("*.json")}
    written = {
        node.name
        for file in Path(__file__).parent.glob("test_expectations_*.py")
        for node in ast.parse(file.read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef)
    }
    assert wanted
    assert wanted <= written
