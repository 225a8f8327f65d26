"""The layout of the packages, and that the map in ARCHITECTURE.md is of this country."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "headwise"
MAP = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
MODULES = {path.relative_to(SOURCE).as_posix(): path for path in sorted(SOURCE.rglob("*.py"))}

RANKS = {
    "model": 0,
    "errors": 0,
    "reading": 1,
    "chunking": 2,
    "stores": 3,
    "indexing": 4,
    "evaluating": 5,
    "integrations": 6,
    "app": 7,
}
"""A package imports from itself and from those of a lower rank."""

CORE = ("model", "errors", "reading", "chunking")
IMPURE = {"os", "io", "pathlib", "time", "datetime", "random", "secrets", "socket", "subprocess", "threading", "sys"}
"""What the core has no use for: it does no I/O, reads no clock and rolls no dice."""
READS_A_FILE = "chunking/tokenizer_file.py"
"""Settings may name a tokenizer's file: this is the one exception, and it has its own module."""
HEAVY = {"numpy", "sqlalchemy", "click", "rich", "httpx"}


def part_of(module: str) -> str:
    """The package a file belongs to: `reading` for `reading/lines.py`, `model` for `model.py`."""
    return module.partition("/")[0].removesuffix(".py")


def imports(path: Path) -> Iterator[str]:
    """The dotted names that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield node.module or ""


def inside() -> list[str]:
    """The files of the packages: those beside them (`__init__`, `__main__`) only name what is public."""
    return [module for module in MODULES if part_of(module) in RANKS]


def test_every_file_has_a_place_in_the_layout() -> None:
    assert {part_of(module) for module in MODULES} == {*RANKS, "__init__", "__main__"}


@pytest.mark.parametrize("module", inside())
def test_a_package_imports_only_those_above_it(module: str) -> None:
    own = part_of(module)
    for name in imports(MODULES[module]):
        if name == "headwise" or not name.startswith("headwise."):
            assert name != "headwise", "the public names are for users"
            continue
        other = name.split(".")[1]
        assert other == own or RANKS[other] < RANKS[own], f"{own} imports {other}"


@pytest.mark.parametrize("module", [module for module in inside() if part_of(module) in CORE])
def test_the_core_imports_nothing_that_touches_the_world(module: str) -> None:
    found = {name.partition(".")[0] for name in imports(MODULES[module])}
    allowed = {"pathlib"} if module == READS_A_FILE else set[str]()
    assert not found & ((IMPURE - allowed) | HEAVY)


@pytest.mark.parametrize("module", [module for module in inside() if part_of(module) in CORE])
def test_the_core_opens_no_file(module: str) -> None:
    calls = [
        node.func for node in ast.walk(ast.parse(MODULES[module].read_text("utf-8"))) if isinstance(node, ast.Call)
    ]
    assert "open" not in {call.id for call in calls if isinstance(call, ast.Name)}


@pytest.mark.parametrize("module", [module for module in inside() if part_of(module) != "app"])
def test_only_the_app_prints_or_exits(module: str) -> None:
    tree = ast.parse(MODULES[module].read_text("utf-8"))
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    attributes = {
        f"{node.value.id}.{node.attr}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    }
    assert not names & {"print", "input", "exit", "quit", "SystemExit"}
    assert not attributes & {"sys.stdout", "sys.stderr", "sys.stdin", "sys.exit", "os._exit"}


def test_the_code_map_names_every_module_and_no_other() -> None:
    packages = {f"{Path(module).parent.as_posix()}/" for module in MODULES if module.endswith("/__init__.py")}
    modules = {module for module in MODULES if not module.endswith("/__init__.py")}

    rows = re.findall(r"^\| `([\w/]+(?:\.py|/))` \| (\S.*) \|$", MAP, re.MULTILINE)

    assert sorted(name for name, _ in rows) == sorted(packages | modules)


def test_every_test_named_in_the_map_is_there() -> None:
    named = re.findall(r"`(test_\w+)::(test_\w+)`", MAP)

    assert len({file for file, _ in named}) >= 6
    for file, test in named:
        tree = ast.parse((ROOT / "tests" / f"{file}.py").read_text("utf-8"))
        assert test in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}, f"{file}::{test}"


def test_the_map_opens_with_six_invariants_each_with_its_proof() -> None:
    section = MAP.partition("## Invariants")[2].partition("\n## ")[0]
    items = re.split(r"^\d\. ", section, flags=re.MULTILINE)[1:]

    assert len(items) == 6
    assert all("`test_" in item for item in items)
    assert MAP.index("\n## ") == MAP.index("\n## Invariants")
