"""From the filters and conditions of a search to the documents and chunks that are meant."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from typing import Any

from sqlalchemy import ColumnElement, Dialect, Select, Text, TypeDecorator, and_, bindparam, or_, select, true

from headwise.stores.properties import MODIFIED, file_time
from headwise.stores.schema import chunks, document_properties, document_tags, documents
from headwise.stores.store import (
    NO_CONDITIONS,
    NO_FILTERS,
    Conditions,
    DocumentRecords,
    Filters,
    Operator,
    Phrase,
    Where,
)

_WILD = re.compile(r"(?<![^/])\*\*/|\*\*|\*")
_ANY_FOLDERS = "**/"
_MEANING = {"": "", _ANY_FOLDERS: "(?:.*/)?", "**": ".*", "*": "[^/]*"}
_SHORTEST = {"": "", _ANY_FOLDERS: "(?:[^/]*/)*?", "**": ".*?", "*": "[^/]*?"}
"""The same, trying the shortest first."""


class _Glob(TypeDecorator[str]):
    """A glob, given to each database as a pattern that is quick there, whatever the glob."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str:
        glob = value or ""
        return python_pattern(glob) if dialect.name == "sqlite" else glob_pattern(glob)


def allowed_documents(filters: Filters) -> Select[int] | None:
    """The ids of the documents that *filters* let through; None if they let all through."""
    if filters == NO_FILTERS:
        return None
    chosen = select(documents.c.id)
    for glob in filters.paths:
        chosen = chosen.where(_lies_in(glob))
    for glob in filters.without_paths:
        chosen = chosen.where(~_lies_in(glob))
    for tag in filters.tags:
        chosen = chosen.where(_has_tag(tag))
    for tag in filters.without_tags:
        chosen = chosen.where(~_has_tag(tag))
    for where in filters.where:
        chosen = chosen.where(~_is_like(where) if where.negated else _is_like(where))
    return chosen


def _lies_in(glob: str) -> ColumnElement[bool]:
    return documents.c.path.regexp_match(bindparam(None, glob, _Glob()))


def _has_tag(tag: str) -> ColumnElement[bool]:
    return documents.c.id.in_(select(document_tags.c.document_id).where(document_tags.c.tag == fold_tag(tag)))


def _is_like(where: Where) -> ColumnElement[bool]:
    here = document_properties.c.name == where.name
    found = documents.c.id.in_(select(document_properties.c.document_id).where(here, _compares(where)))
    if where.name != MODIFIED:
        return found
    if where.operator == "is":
        return true()
    dated = select(document_properties.c.document_id).where(here, document_properties.c.moment.is_not(None))
    first, after = where.moments or (0, 0)
    of_file = _lies(documents.c.mtime_ns, where.operator, file_time(first), file_time(after))
    return or_(found, and_(documents.c.id.not_in(dated), of_file))


def _compares(where: Where) -> ColumnElement[bool]:
    value, operator = document_properties.c, where.operator
    if operator == "is":
        return true()
    ways: list[ColumnElement[bool]] = []
    if where.number is not None:
        ways.append(_compared(value.number, operator, where.number))
    if where.moments is not None:
        ways.append(_lies(value.moment, operator, *where.moments))
    if not ways or operator == "=":
        ways.append(_compared(value.text, operator, where.text))
    return or_(*ways)


def _compared(column: ColumnElement[Any], operator: Operator, value: float | str) -> ColumnElement[bool]:
    return column == value if operator == "=" else column.op(operator, is_comparison=True)(value)


def _lies(column: ColumnElement[int], operator: Operator, first: int, after: int) -> ColumnElement[bool]:
    """Whether a moment is in, before, or behind the time from *first* up to *after*."""
    ways = {"=": and_(column >= first, column < after), "<": column < first, "<=": column < after}
    return ways.get(operator, column >= (after if operator == ">" else first))


def allowed_chunks(
    filters: Filters, conditions: Conditions, holding: Callable[[Phrase], Select[int]]
) -> Select[int] | None:
    """The rows of the chunks that both let through; None if they let all through.

    *holding* selects the rows of the chunks that hold a phrase, in a store's own way.
    """
    inside = allowed_documents(filters)
    if inside is None and conditions == NO_CONDITIONS:
        return None
    chosen = select(chunks.c.id)
    if inside is not None:
        chosen = chosen.where(chunks.c.document_id.in_(inside))
    for phrase in conditions.required:
        chosen = chosen.where(chunks.c.id.in_(holding(phrase)))
    for phrase in conditions.excluded:
        chosen = chosen.where(chunks.c.id.not_in(holding(phrase)))
    return chosen


def glob_pattern(glob: str) -> str:
    """A regular expression that finds the paths *glob* stands for, for an engine that tries nothing twice."""
    return rf"(?s)^{''.join(_MEANING[wild] + text for wild, text in _parts(glob))}{_end(glob)}"


def python_pattern(glob: str) -> str:
    """The same for Python, whose engine would try all the ways in which many wildcards can share a path.

    Text after a wildcard is looked for only in the first place where it stands, if another wildcard follows that
    reaches as far: whatever could be reached from a later place, it reaches from the first.
    """
    parts = _parts(glob)
    deepest = max((at for at, (wild, _) in enumerate(parts) if wild.startswith("**")), default=-1)
    pattern, is_open = "", False
    for at, (wild, text) in enumerate(parts):
        piece = _SHORTEST[wild] + text
        if wild.startswith("**"):
            pattern += f"{')' if is_open else ''}{'(?>' if at < deepest else ''}{piece}"
            is_open = at < deepest
        else:
            pattern += f"(?>{piece})" if wild and at < len(parts) - 1 else piece
    return rf"(?s)\A{pattern}{_end(glob)}"


def _parts(glob: str) -> list[tuple[str, str]]:
    """The wildcards of *glob*, each with a pattern for the text after it; the first is none, or any folders."""
    name = _plain(glob).rstrip("/")
    parts: list[tuple[str, str]] = []
    wild, at = "" if "/" in name else _ANY_FOLDERS, 0
    for found in (*_WILD.finditer(name), None):
        text = name[at : found.start() if found else len(name)]
        parts.append((wild, re.escape(text).replace(r"\?", "[^/]")))
        if found:
            wild, at = found.group(), found.end()
    return parts


def _end(glob: str) -> str:
    return r"/.*\Z" if _plain(glob).endswith("/") else r"(?:/.*)?\Z"


def _plain(glob: str) -> str:
    return unicodedata.normalize("NFC", glob).removeprefix("./").lstrip("/")


def fold_tag(tag: str) -> str:
    """*tag* as it is compared: without `#` and outer slashes, in one letter case."""
    return unicodedata.normalize("NFC", tag.strip().lstrip("#").strip("/").casefold())


def searchable_tags(tags: Iterable[str]) -> set[str]:
    """*tags* folded, each with those it is nested in: `Robot/Motor` gives `robot/motor` and `robot`."""
    found: set[str] = set()
    for tag in tags:
        names = fold_tag(tag).split("/")
        found.update("/".join(names[: n + 1]) for n in range(len(names)))
    return found - {""}


def tags_of(document: DocumentRecords) -> set[str]:
    """The tags that *document* is searched by: its own and those of its chunks."""
    return searchable_tags((*document.tags, *(tag for record in document.records for tag in record.chunk.tags)))
