"""Properties of documents as they are compared: names and texts folded, numbers and dates read, lists taken apart."""

from __future__ import annotations

import re
import unicodedata
from calendar import monthrange
from collections.abc import Iterator, Mapping
from datetime import date, datetime, timedelta
from hashlib import blake2b
from typing import Any, NamedTuple, cast

MODIFIED = "modified"
"""A property that every document has: when its file was changed, where its front matter gives no date for it."""

_LONGEST = 200
"""Characters of a name or text that an index of any database holds; names beyond that are not kept."""
_EXACT = 2**53
"""Whole numbers below are exact as floats."""
_DAY = 24 * 60 * 60 * 1_000_000
_BEGIN = datetime(1, 1, 1)  # noqa: DTZ001 - as clocks show it, wherever
# No file is older or younger, and every system and database can count so far.
_FIRST_FILE = datetime(1970, 1, 3)  # noqa: DTZ001 - see above
_LAST_FILE = datetime(2250, 1, 1)  # noqa: DTZ001 - see above

_UNFIT = re.compile("[\0\ud800-\udfff\ufdd0]")
_LINK = re.compile(r"\[\[([^\[\]|#]+)(?:[|#][^\[\]]*)?\]\]")
_NUMBER = re.compile(r"[+-]?[0-9]{1,17}(?:\.[0-9]{1,17})?")
_DATE = re.compile(
    r"(?P<year>[0-9]{4})(?:(?P<sign>[-/])(?P<month>[0-9]{1,2})(?:(?P=sign)(?P<day>[0-9]{1,2})"
    r"(?:[t ](?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?:[.,](?P<part>[0-9]{1,9}))?)?"
    r" ?(?:z|[+-][0-9]{1,2}(?::?[0-9]{2})?)?)?)?)?"
)


class Property(NamedTuple):
    """One value of a property, in all the ways in which it can be compared."""

    name: str
    """Folded; that of a property inside another comes after it and a dot: `author.name`."""
    text: str | None = None
    """Folded; None if the property has others inside it."""
    number: float | None = None
    moment: int | None = None
    """Microseconds from the year 1 to the first moment of a date, as clocks show it: time zones are left aside."""


def properties_of(front_matter: Mapping[str, Any]) -> list[Property]:
    """The values of *front_matter*, each once. A property without a value, such as an empty list, is not there."""
    return list(dict.fromkeys(_inside("", front_matter)))


def _inside(prefix: str, properties: Mapping[str, Any]) -> Iterator[Property]:
    for key, value in properties.items():
        name = fold_name(key)
        if name and len(prefix) + len(name) <= _LONGEST:
            yield from _values(prefix + name, value)


def _values(name: str, value: Any) -> Iterator[Property]:
    if isinstance(value, dict):
        inner = list(_inside(f"{name}.", cast("dict[str, Any]", value)))
        yield from [Property(name), *inner] if inner else ()
    elif isinstance(value, list):
        for item in cast("list[Any]", value):
            yield from _values(name, item)
    elif value is not None:
        text = str(value)
        if folded := fold_text(text):
            is_number = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _EXACT
            moments = read_moments(text)
            number = float(value) if is_number else read_number(text)
            yield Property(name, folded, number, moments[0] if moments else None)


def fold_name(name: str) -> str:
    """*name* as it is compared: in one letter case, blanks collapsed."""
    return " ".join(_UNFIT.sub("\ufffd", _one_case(name)).split())


def fold_text(text: str) -> str:
    """*text* as it is compared: in one letter case, blanks collapsed, `[[page|shown]]` as `page`.

    Of a long one the beginning, and a hash of all of it: it sorts by that beginning, and equals only itself.
    """
    folded = fold_name(_page(text))
    if len(folded) <= _LONGEST:
        return folded
    return f"{folded[:_LONGEST]} {blake2b(folded.encode(), digest_size=16).hexdigest()}"


def _page(text: str) -> str:
    """*text*, or the page it links to and nothing else."""
    link = _LINK.fullmatch(text.strip())
    return (link[1] if link else text).strip()


def _one_case(text: str) -> str:
    return unicodedata.normalize("NFC", text.casefold())


def read_number(text: str) -> float | None:
    """The decimal number that *text* is; None if it is none, or too large to be exact."""
    text = _page(text)
    number = float(text) if _NUMBER.fullmatch(text) else None
    return number if number is not None and abs(number) < _EXACT else None


def read_moments(text: str) -> tuple[int, int] | None:
    """The first moment of the date that *text* is, and the first after it, as `Property.moment` has them.

    A year, month, day, minute, second or fraction of one: `2024`, `2024-01`, `2024-01-31`, `2024-01-31 10:30`,
    `2024-01-31T10:30:00.5+02:00`; also with `/` between the parts of the day. None if it is none of these.
    """
    found = _DATE.fullmatch(" ".join(_page(text).lower().split()))
    if not found:
        return None
    year, month, day, hour, minute, second = (
        int(found[name] or least)
        for name, least in (("year", 1), ("month", 1), ("day", 1), ("hour", 0), ("minute", 0), ("second", 0))
    )
    part = (found["part"] or "")[:6]
    try:
        time = datetime(year, month, day, hour, minute, second, int(part.ljust(6, "0"))) - _BEGIN  # noqa: DTZ001 - see above
    except ValueError:
        return None
    first = time // timedelta(microseconds=1)
    if found["month"] is None:
        width = (date(year, 12, 31) - date(year, 1, 1)).days * _DAY + _DAY
    elif found["day"] is None:
        width = monthrange(year, month)[1] * _DAY
    elif found["hour"] is None:
        width = _DAY
    else:
        width = 60_000_000 if found["second"] is None else 10 ** (6 - len(part))
    return first, first + width


def file_time(moment: int) -> int:
    """The time of a file, in nanoseconds as file systems count them, that is *moment* on this machine's clocks."""
    first, last = ((end - _BEGIN) // timedelta(microseconds=1) for end in (_FIRST_FILE, _LAST_FILE))
    shown = _BEGIN + timedelta(microseconds=min(max(moment, first), last))
    return int(shown.replace(microsecond=0).timestamp()) * 1_000_000_000 + shown.microsecond * 1000
