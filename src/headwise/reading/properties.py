"""The text of a front matter block to values that JSON can hold."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import isfinite
from typing import Any, cast

from headwise.reading.lines import line_number, line_starts

MAX_SIZE = 64 * 1024
"""Characters of a block over which it is not parsed."""
_MAX_DEPTH = 32
_MAX_DOTS = 500  # a dotted key takes the square of its length to read

_NEWLINE = re.compile(r"\r\n?")
_TOML_LINE = re.compile(r"(.*) \(at line (\d+), column \d+\)", re.DOTALL)
_INT = re.compile(r"-?(?:0|[1-9][0-9]{0,17})")
_FLOAT = re.compile(r"-?[0-9]{1,17}\.[0-9]{1,17}")
_WORDS = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip


class PropertiesError(ValueError):
    """A block that cannot be read: why, and where if that is known."""

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason)
        self.reason = " ".join(reason.split())
        self.line = line
        """Line of the block, from 1."""


def read_yaml(text: str) -> dict[str, Any]:
    """The mapping that *text*, which has no lone surrogates, is in YAML; empty if nothing is there.

    Values stay as they are written: only plain `true`, `false`, `null` and numbers that print as they stand
    become bool, None, int and float. So a date is its own text, `1.10`, `007` and `12:30` are strings, and
    `no` is a word. Tags (`!x`) are ignored, `<<` is a key like any other, `{{x}}` and a list as key are their text.

    Raises:
        PropertiesError: for everything else.
    """
    if len(text) > MAX_SIZE:
        raise PropertiesError(f"not read, as it is over {MAX_SIZE // 1024} KiB")
    import yaml  # noqa: PLC0415 - a seventh of what importing Headwise takes, and many documents have no properties

    # The C loader is ten times as fast; where it is not built (WebAssembly), the other gives the same nodes.
    make: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        loader = make(text)
        try:
            root = loader.get_single_node()
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = None if mark is None else _line_at(text, mark.index)
        raise PropertiesError(error.problem or "not YAML", line) from error
    except yaml.reader.ReaderError as error:
        raise PropertiesError(f"character U+{error.character:04X} is not allowed in YAML") from error
    except RecursionError as error:  # of the loader in Python
        raise PropertiesError("nested too deeply") from error
    if root is None:
        return {}
    if root.id != "mapping" or text.startswith("{{", root.start_mark.index):
        raise PropertiesError("not properties (`key: value`)", _line_at(text, root.start_mark.index))
    return _Nodes(text).mapping(root, 0)


def read_toml(text: str) -> dict[str, Any]:
    """The table that *text* is in TOML; dates, times, infinity and NaN as text.

    Raises:
        PropertiesError: if it is none.
    """
    if len(text) > MAX_SIZE:
        raise PropertiesError(f"not read, as it is over {MAX_SIZE // 1024} KiB")
    text = _NEWLINE.sub("\n", text)
    if any(line.partition("=")[0].count(".") > _MAX_DOTS for line in text.split("\n")):
        raise PropertiesError("nested too deeply")
    import tomllib  # noqa: PLC0415 - as for YAML

    try:
        root = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = _TOML_LINE.fullmatch(str(error))
        raise PropertiesError(found[1] if found else str(error), int(found[2]) if found else None) from error
    except ValueError as error:  # a number with thousands of digits
        raise PropertiesError("a number is too long") from error
    except RecursionError as error:
        raise PropertiesError("nested too deeply") from error
    return {key: _plain(value, 1) for key, value in root.items()}


def read_scalar(text: str) -> Any:
    """A plain value of YAML: None, bool, int or float if it is one and prints as it is written, else *text*."""
    if text in _WORDS:
        return _WORDS[text]
    if _INT.fullmatch(text):
        number = int(text)
    elif _FLOAT.fullmatch(text):
        number = float(text)
    else:
        return text
    return number if str(number) == text else text


class _Nodes:
    """Turns YAML nodes into values, within a size: aliases can make few characters mean billions."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.left = 2 * MAX_SIZE  # a value and a character count one each, so that no text without aliases is refused

    def value(self, node: Any, depth: int) -> Any:
        self.spend(1)
        if depth > _MAX_DEPTH:  # an alias inside its own anchor ends here too
            raise PropertiesError("nested too deeply", _line_at(self.text, node.start_mark.index))
        if node.id == "scalar":
            return self.scalar(node) if node.style else read_scalar(self.scalar(node))
        if node.id == "sequence":
            return [self.value(item, depth + 1) for item in node.value]
        if self.text.startswith("{{", node.start_mark.index):  # a template's tag, not a mapping whose key is one
            return self.source(node)
        return self.mapping(node, depth)

    def mapping(self, node: Any, depth: int) -> dict[str, Any]:
        return {self.key(key): self.value(value, depth + 1) for key, value in node.value}

    def key(self, node: Any) -> str:
        return self.scalar(node) if node.id == "scalar" else self.source(node)

    def scalar(self, node: Any) -> str:
        self.spend(len(node.value))
        return node.value

    def source(self, node: Any) -> str:
        source = self.text[node.start_mark.index : node.end_mark.index].strip()
        self.spend(len(source))
        return source

    def spend(self, size: int) -> None:
        self.left -= size
        if self.left < 0:
            raise PropertiesError("too much data; an alias repeats too often")


def _plain(value: Any, depth: int) -> Any:
    if depth > _MAX_DEPTH:
        raise PropertiesError("nested too deeply")
    if isinstance(value, Mapping):
        items = cast("Mapping[str, Any]", value).items()
        return {key: _plain(item, depth + 1) for key, item in items}
    if isinstance(value, list):
        return [_plain(item, depth + 1) for item in cast("list[Any]", value)]
    if isinstance(value, (bool, str)) or (isinstance(value, (int, float)) and isfinite(value)):
        return value
    return str(value)


def _line_at(text: str, offset: int) -> int:
    return line_number(line_starts(text), min(offset, len(text)))
