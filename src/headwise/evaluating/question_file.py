"""Rows of a file of questions, each with its line: what is in it, not what it means."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from io import StringIO
from pathlib import Path
from typing import Any

import yaml

from headwise.errors import ReadingError, SettingsError

COLUMNS = ("question", "path", "heading", "quote", "lines")
_FORMS = (".jsonl", ".csv", ".yaml", ".yml")


def read_rows(file: Path) -> Iterator[tuple[int, Mapping[str, str]]]:
    """Every row of *file* with the line it begins on: texts by the names in `COLUMNS`, question and path at least.

    Raises:
        ReadingError: if *file* cannot be read.
        SettingsError: if it is not of a known form, or a row is not as it should be.
    """
    if file.suffix.lower() not in _FORMS:
        raise SettingsError(f"{file}: questions are read from {', '.join(_FORMS)}")
    try:
        text = file.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise ReadingError(f"{file}: cannot be read ({reason})") from error
    try:
        rows = {".jsonl": _jsonl, ".csv": _csv}.get(file.suffix.lower(), _yaml)(text)
        for line, row in rows:
            yield line, _checked(f"{file}:{line}", row)
    except (json.JSONDecodeError, yaml.YAMLError, csv.Error) as error:
        raise SettingsError(f"{file}: {' '.join(str(error).split())}") from error


def _jsonl(text: str) -> Iterator[tuple[int, Any]]:
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                yield number, json.loads(line)
            except json.JSONDecodeError as error:
                raise json.JSONDecodeError(f"line {number} is no JSON ({error.msg})", "", 0) from error


def _csv(text: str) -> Iterator[tuple[int, Any]]:
    reader = csv.DictReader(StringIO(text, newline=""), strict=True)
    before = reader.line_num
    for row in reader:
        yield max(before + 1, 2), {("" if name is None else name): value for name, value in row.items()}
        before = reader.line_num


def _yaml(text: str) -> Iterator[tuple[int, Any]]:
    node: Any = yaml.compose(text, Loader=yaml.SafeLoader)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType] - it has no types
    values: Any = yaml.safe_load(text)
    if node is None:
        return
    if not isinstance(node, yaml.SequenceNode):
        yield 1, values
        return
    for one, value in zip(node.value, values, strict=True):
        yield one.start_mark.line + 1, value


def _checked(where: str, row: Any) -> Mapping[str, str]:
    if not isinstance(row, dict):
        raise SettingsError(f"{where}: it must have names and values: {', '.join(COLUMNS)}")
    values: dict[str, str] = {}
    for name, value in row.items():  # pyright: ignore[reportUnknownVariableType] - files have no types
        if name not in COLUMNS:
            near = get_close_matches(str(name), COLUMNS, 1)  # pyright: ignore[reportUnknownArgumentType] - the same
            hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(COLUMNS)}"
            raise SettingsError(f"{where}: unknown column {name!r}; {hint}")
        if value is not None and not isinstance(value, str | int):
            raise SettingsError(f"{where}: {name} must be text")
        values[str(name)] = str("" if value is None else value).strip()  # pyright: ignore[reportUnknownArgumentType] - the same
    for name in ("question", "path"):
        if not values.get(name):
            raise SettingsError(f"{where}: {name} is missing")
    return values
