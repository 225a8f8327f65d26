"""What `headwise eval` compares, from its flags, else from the table `[eval]` of the nearest file with settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, get_args

from headwise.app.config import eval_table
from headwise.chunking.settings import Strategy
from headwise.errors import SettingsError
from headwise.evaluating.candidates import Grid
from headwise.evaluating.questions import SAMPLE

_LISTS = ("max_tokens", "overlap", "strategy")
_NAMES = (*_LISTS, "questions", "sample", "seed")


@dataclass(frozen=True, slots=True)
class EvalOptions:
    """The grid, and how questions are made."""

    grid: Grid
    questions: Path | None
    sample: int
    seed: int


def read_eval_options(start: Path, flags: Mapping[str, Any]) -> EvalOptions:
    """The options that hold at *start*; flags that are None were not given.

    Raises:
        SettingsError: for an unknown name, or a value that cannot be read, with its place.
    """
    file, table = eval_table(start)
    for name in table:
        if name not in _NAMES:
            near = get_close_matches(name, _NAMES, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(_NAMES)}"
            raise SettingsError(f"{file}: unknown setting {name!r} in [eval]; {hint}")
    given = {name: (table[name], f"{file}: ") for name in table}
    given |= {name: (flags[name], "--") for name in _NAMES if flags.get(name) is not None}
    usual = Grid()
    lists = {name: _texts(*given[name]) if name in given else None for name in _LISTS}
    questions, where = given.get("questions", (None, ""))
    if questions is not None and where != "--" and file is not None:
        questions = file.parent / str(questions)
    named = lists["strategy"]
    strategies: tuple[Strategy, ...] = tuple(_strategy(one) for one in named) if named else usual.strategy
    return EvalOptions(
        Grid(
            _numbers("max_tokens", given, lists["max_tokens"]) or usual.max_tokens,
            tuple(lists["overlap"] or usual.overlap),
            strategies,
        ),
        None if questions is None else Path(questions),
        _number("sample", given, SAMPLE, 1),
        _number("seed", given, 0, 0),
    )


def _texts(value: Any, _where: str) -> list[str]:
    several = value if isinstance(value, list) else str(value).split(",")  # pyright: ignore[reportUnknownVariableType] - TOML has no types
    return [str(one).strip() for one in several if str(one).strip()]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] - the same


def _numbers(name: str, given: Mapping[str, tuple[Any, str]], texts: list[str] | None) -> tuple[int, ...]:
    try:
        return tuple(map(int, texts or ()))
    except ValueError:
        value, where = given[name]
        raise SettingsError(f"{where}{_shown(name, where)} is {value!r}; give whole numbers: 200,400,800") from None


def _number(name: str, given: Mapping[str, tuple[Any, str]], usual: int, least: int) -> int:
    value, where = given.get(name, (usual, ""))
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise SettingsError(f"{where}{_shown(name, where)} is {value!r}; it must be a whole number of at least {least}")
    return value


def _shown(name: str, where: str) -> str:
    return name.replace("_", "-") if where == "--" else name


def _strategy(name: str) -> Strategy:
    found = next((one for one in get_args(Strategy) if one == name), None)
    if found is None:
        raise SettingsError(f"unknown strategy {name!r}; choose some of {', '.join(get_args(Strategy))}")
    return found
