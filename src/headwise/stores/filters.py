"""From the filters and conditions of a search to the documents and chunks that are meant."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, or_, select, true

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

_WILD = re.compile(r"\*\*/|\*\*|\*|\?")
_MEANING = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


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
    return documents.c.path.regexp_match(glob_pattern(glob))


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
    """A regular expression, the same for Python and PostgreSQL, that finds the paths *glob* stands for."""
    glob = unicodedata.normalize("NFC", glob).removeprefix("./").lstrip("/")
    name = glob.rstrip("/")
    parts: list[str] = [] if "/" in name else [_MEANING["**/"]]
    at = 0
    for wild in _WILD.finditer(name):
        parts += [re.escape(name[at : wild.start()]), _MEANING[wild.group()]]
        at = wild.end()
    parts.append(re.escape(name[at:]))
    return rf"(?s)^{''.join(parts)}{'/.*' if glob.endswith('/') else '(?:/.*)?'}\Z"


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
