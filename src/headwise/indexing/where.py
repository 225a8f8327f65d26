"""A filter by a property, as one types it, to what is compared: `status = done`, `date >= 2024-01`, `due`, `!due`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches
from typing import NoReturn

from headwise.errors import SettingsError
from headwise.stores.properties import MODIFIED, fold_name, fold_text, read_moments, read_number
from headwise.stores.store import Operator, Store, Where

# Signs that compare here or somewhere else; `~/` begins a path, and a name may end with `!` or hold a `:`.
_SIGNS = re.compile(r"!?(?:[=<>≠≤≥≈]|~(?!/)|:(?=\s))(?:\s*[=<>!≠≤≥≈]|~(?!/))*")
_MEANT: dict[str, Operator] = {"=": "=", "==": "=", "!=": "=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_OPERATORS = "=, !=, <, <=, > and >="
_QUOTES = "\"'"
_NEAR = 3
_LIKE_A_DATE = re.compile(r"[0-9]{4}[-/][0-9]")


def parse_where(text: str) -> Where:
    """What *text* asks of a property.

    `name = value`, or one of `!=`, `<`, `<=`, `>`, `>=`; `name` alone asks for any value, `!name` for none. Names and
    texts count in any letter case; a name with dots is that of a property inside another. A value that is a number is
    compared with numbers, a date with dates, and stands for all of its day, month or year; in quotes it is only text.

    Raises:
        SettingsError: if it is not understood: one line that says what to write.
    """
    typed = text.strip()
    if typed.startswith("!") and not typed.startswith("!="):
        return _alone(text, typed[1:], negated=True)
    name, operator, value = _parts(typed)
    if not operator:
        return _alone(text, typed, negated=False)
    if operator not in _MEANT:
        _refuse(text, f"{operator!r} is none of {_OPERATORS}; put a name or a text that holds it in quotes")
    folded = _name(text, name)
    plain, quoted = _unquoted(value)
    compared = fold_text(plain)
    if not compared:
        _refuse(text, f"nothing stands after {operator!r}; `{name}` asks for any value, `!{name}` for none")
    number, moments = (None, None) if quoted else (read_number(plain), read_moments(plain))
    wants_date = not quoted and operator[0] in "<>" and _LIKE_A_DATE.match(plain)
    if moments is None and (wants_date or folded == MODIFIED):
        _refuse(text, f"{plain!r} is no date; write it like 2024, 2024-01, 2024-01-31 or 2024-01-31 10:30")
    return Where(folded, _MEANT[operator], operator == "!=", compared, number, moments)


def unknown_names(store: Store, filters: Sequence[Where]) -> tuple[str, ...]:
    """A line for each of *filters* that asks for a property that no document has, with the names that are near."""
    wanted = dict.fromkeys(where.name for where in filters if where.name != MODIFIED)
    names = store.property_names() if wanted else []
    return tuple(_unknown(name, names) for name in wanted if name not in names)


def _unknown(name: str, names: Sequence[str]) -> str:
    inside = [other for other in names if other.endswith(f".{name}")]
    near = list(dict.fromkeys((*inside, *get_close_matches(name, names, _NEAR))))[:_NEAR]
    advice = f"is it {' or '.join(map(repr, near))}?" if near else "`headwise stats` shows which there are"
    return f"no document has the property {name!r}; {advice}"


def _parts(typed: str) -> tuple[str, str, str]:
    """Name, operator and value as typed; no operator if there is only a name. One in a quoted name is not one."""
    end = typed.find(typed[0], 1) + 1 if typed[:1] in tuple(_QUOTES) else 0
    found = _SIGNS.search(typed, end)
    if found is None:
        return typed, "", ""
    return typed[: found.start()].strip(), found[0], typed[found.end() :].strip()


def _alone(text: str, name: str, *, negated: bool) -> Where:
    if negated and _parts(name.strip())[1]:
        _refuse(text, "`!` stands before a name alone; to compare, write `name != value`")
    return Where(_name(text, name), "is", negated)


def _name(text: str, typed: str) -> str:
    name = fold_name(_unquoted(typed.strip())[0])
    if not name:
        _refuse(text, "it names no property; write `name`, `!name` or `name = value`")
    return name


def _unquoted(typed: str) -> tuple[str, bool]:
    """*typed* without the quotes around it, and whether there were any."""
    quoted = len(typed) > 1 and typed[0] in _QUOTES and typed[-1] == typed[0]
    return (typed[1:-1], True) if quoted else (typed, False)


def _refuse(text: str, why: str) -> NoReturn:
    raise SettingsError(f"the filter {text!r} is not understood: {why}")
