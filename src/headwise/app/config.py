"""Settings from flags, then the environment, then the nearest file that holds some."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from math import inf
from pathlib import Path
from typing import Any, Literal, get_args

from headwise.app.editor_links import Editor
from headwise.chunking.settings import Settings
from headwise.chunking.tokenizer_file import SUFFIX
from headwise.errors import SettingsError
from headwise.indexing.files import FileOptions
from headwise.indexing.models import ModelSettings, Reader, model_tokenizer
from headwise.indexing.records import IndexSettings, Navigation

Kind = Literal["number", "decimal", "text", "list"]

# Name of a setting → its kind, the value it ends up in, and its name there. Flags are called the same with hyphens,
# variables of the environment with HEADWISE_ before them, in capitals, lists there with commas.
_SETTINGS: Mapping[str, tuple[Kind, str, str]] = {
    "max_tokens": ("number", "cutting", "max_tokens"),
    "min_tokens": ("number", "cutting", "min_tokens"),
    "overlap": ("text", "cutting", "overlap"),
    "tokenizer": ("text", "cutting", "tokenizer"),
    "strategy": ("text", "cutting", "strategy"),
    "levels": ("text", "cutting", "levels"),
    "tiny": ("text", "cutting", "tiny"),
    "max_line": ("number", "cutting", "max_line"),
    "include": ("list", "files", "include"),
    "exclude": ("list", "files", "exclude"),
    "hidden": ("list", "files", "hidden"),
    "model": ("text", "model", "name"),
    "model_url": ("text", "model", "url"),
    "model_dimensions": ("number", "model", "dimensions"),
    "model_max_tokens": ("number", "model", "max_tokens"),
    "model_tokenizer": ("text", "model", "tokenizer"),
    "query_prefix": ("text", "model", "query_prefix"),
    "passage_prefix": ("text", "model", "passage_prefix"),
    "passages": ("number", "", "passages"),
    "navigation": ("text", "", "navigation"),
    "price": ("decimal", "", "price"),
    "store": ("text", "", "store"),
    "editor": ("text", "", "editor"),
}

EVAL = "eval"
"""A table of its own: what `headwise eval` compares."""

_TOKENIZERS = ("tokenizer", "model_tokenizer")


@dataclass(frozen=True, slots=True)
class Config:
    """All settings of a command, checked."""

    cutting: Settings
    files: FileOptions
    model: ModelSettings | None
    """None if nobody chose one: then a store's vectors decide, and nobody is told off for lacking the default."""
    passages: int | None = 64
    """Largest size of a passage; None if each chunk is one."""
    navigation: Navigation = "keep"
    """Whether chunks that are only links are indexed."""
    price: float | None = None
    """What a million tokens cost to embed; None if nobody said."""
    store: str | None = None
    editor: Editor | None = None
    """What links open; None if nobody said, see `headwise.app.editor_links.usual_editor`."""

    def indexing(self, embedder: Reader | None) -> IndexSettings:
        """What decides the records of a document that *embedder* is to read."""
        return IndexSettings(self.cutting, self.passages, embedder, self.navigation)


def read_config(start: Path, flags: Mapping[str, Any], environ: Mapping[str, str] = os.environ) -> Config:
    """The settings that hold at *start*, a file or folder.

    Flags that are None or empty were not given. The nearest `headwise.toml`, or `pyproject.toml` with a table
    `[tool.headwise]`, counts, from *start*'s folder upward; a relative path in it (the store's, a `tokenizer.json`'s)
    is relative to it.

    Raises:
        SettingsError: for an unknown setting in a file, a value of the wrong kind (both with the place), or one
            that cannot work.
    """
    file, values = _from_nearest_file(start)
    if file is not None:
        values |= {name: _beside(file, value) for name, value in values.items() if _is_path(name, value)}
    for name, (kind, _, _) in _SETTINGS.items():
        variable = f"HEADWISE_{name.upper()}"
        if environ.get(variable):
            values[name] = _read(environ[variable], kind, variable)
    values |= {name: value for name, value in flags.items() if name in _SETTINGS and value not in (None, ())}
    groups: dict[str, dict[str, Any]] = {"cutting": {}, "files": {}, "model": {}, "": {}}
    for name, value in values.items():
        _, group, field = _SETTINGS[name]
        groups[group][field] = value
    if own := model_tokenizer(groups["cutting"].get("tokenizer", "")):
        groups["cutting"]["tokenizer"] = own
    passages = groups[""].get("passages", 64)
    if passages < 0:
        raise SettingsError(f"passages is {passages}; it must be at least 0 (0: each chunk is one passage)")
    navigation = groups[""].get("navigation", "keep")
    if navigation not in get_args(Navigation):
        raise SettingsError(f"navigation is {navigation!r}; choose one of {', '.join(get_args(Navigation))}")
    price = groups[""].get("price")
    if price is not None and not 0 <= price < inf:
        raise SettingsError(f"price is {price}; it must be at least 0 (for a million tokens)")
    editor = groups[""].get("editor")
    if editor is not None and editor not in get_args(Editor):
        raise SettingsError(f"editor is {editor!r}; choose one of {', '.join(get_args(Editor))}")
    return Config(
        cutting=Settings(**groups["cutting"]),
        files=FileOptions(**groups["files"]),
        model=ModelSettings(**groups["model"]) if groups["model"] else None,
        passages=passages or None,
        navigation=navigation,
        price=price,
        store=groups[""].get("store"),
        editor=editor,
    )


def read_changes(pairs: Sequence[str], option: str) -> dict[str, Any]:
    """The settings for cutting in *pairs* such as `max_tokens=200`, given with *option*, as flags for `read_config`.

    Raises:
        SettingsError: if one is no pair, no setting that decides where documents are cut, or of the wrong kind.
    """
    names = [name for name, (_, group, _) in _SETTINGS.items() if group == "cutting"]
    found: dict[str, Any] = {}
    for pair in pairs:
        given, sign, value = (part.strip() for part in pair.partition("="))
        name = given.replace("-", "_")
        if not sign or not value:
            raise SettingsError(f"{option} {pair}: write NAME=VALUE, such as max_tokens=200")
        if name not in names:
            near = [] if name in _SETTINGS else get_close_matches(name, names, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"choose among {', '.join(names)}"
            raise SettingsError(
                f"{option} {pair}: {given!r} is no setting that decides where documents are cut; {hint}"
            )
        found[name] = _read(value, _SETTINGS[name][0], f"{option} {name}")
    return found


def holds_settings(file: Path) -> bool:
    """Whether *file* is there and has settings of Headwise.

    Raises:
        SettingsError: if it is a `headwise.toml` that cannot be read.
    """
    return file.is_file() and _table(file) is not None


def eval_table(start: Path) -> tuple[Path | None, Mapping[str, Any]]:
    """What the nearest file with settings says under `[eval]`, unchecked, and that file.

    Raises:
        SettingsError: if it is no table.
    """
    for folder in (start.absolute(), *start.absolute().parents):
        for name in ("headwise.toml", "pyproject.toml"):
            table = _table(folder / name) if (folder / name).is_file() else None
            if table is not None:
                found = table.get(EVAL, {})
                if not isinstance(found, dict):
                    raise SettingsError(f"{folder / name}: {EVAL} is {found!r}; it must be a table: [{EVAL}]")
                return folder / name, found  # pyright: ignore[reportUnknownVariableType] - TOML has no types
    return None, {}


def _is_path(name: str, value: Any) -> bool:
    if not isinstance(value, str):
        return False
    return (name == "store" and "://" not in value) or (name in _TOKENIZERS and value.endswith(SUFFIX))


def _beside(file: Path, path: str) -> str:
    return str(file.parent / Path(path).expanduser())


def _from_nearest_file(start: Path) -> tuple[Path | None, dict[str, Any]]:
    """The file with settings that is nearest above *start*, and its settings."""
    start = start.absolute()
    for folder in (start, *start.parents):
        for name in ("headwise.toml", "pyproject.toml"):
            file = folder / name
            if not file.is_file():
                continue
            table = _table(file)
            if table is not None:
                return file, {key: _checked(file, key, value) for key, value in table.items() if key != EVAL}
    return None, {}


def _table(file: Path) -> dict[str, Any] | None:
    try:
        found: dict[str, Any] = tomllib.loads(file.read_text("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        if file.name == "pyproject.toml":  # somebody else's business
            return None
        raise SettingsError(f"{file}: not valid TOML: {error}") from error
    except OSError as error:
        raise SettingsError(f"{file}: cannot be read: {error.strerror}") from error
    if file.name == "headwise.toml":
        return found
    tool = found.get("tool", {})
    table = tool.get("headwise") if isinstance(tool, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType] - TOML has no types
    return table if isinstance(table, dict) else None  # pyright: ignore[reportUnknownVariableType] - the same


def _checked(file: Path, key: str, value: Any) -> Any:
    if key not in _SETTINGS:
        near = get_close_matches(key, _SETTINGS, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"settings are {', '.join(_SETTINGS)}"
        raise SettingsError(f"{file}: unknown setting {key!r}; {hint}")
    kind = _SETTINGS[key][0]
    if kind == "list" and isinstance(value, list) and all(isinstance(item, str) for item in value):  # pyright: ignore[reportUnknownVariableType] - TOML has no types
        return tuple(value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType] - the same
    if kind == "number" and isinstance(value, int) and not isinstance(value, bool):
        return value
    if kind == "decimal" and isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    if kind == "text" and (isinstance(value, str) or (key == "overlap" and isinstance(value, int))):
        return value
    wanted = {"number": "a whole number", "decimal": "a number", "text": "text in quotes", "list": "a list of texts"}[
        kind
    ]
    raise SettingsError(f"{file}: {key} is {value!r}; it must be {wanted}")


def _read(value: str, kind: Kind, variable: str) -> Any:
    if kind == "list":
        return tuple(part.strip() for part in value.split(",") if part.strip())
    if kind == "number":
        try:
            return int(value)
        except ValueError:
            raise SettingsError(f"{variable} is {value!r}; it must be a whole number") from None
    if kind == "decimal":
        try:
            return float(value)
        except ValueError:
            raise SettingsError(f"{variable} is {value!r}; it must be a number") from None
    return value
