"""From the filters and conditions of a search to the documents and chunks that are meant."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable

from sqlalchemy import ColumnElement, Select, select

from headwise.stores.schema import chunks, document_tags, documents
from headwise.stores.store import NO_CONDITIONS, NO_FILTERS, Conditions, DocumentRecords, Filters, Phrase

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
    return chosen


def _lies_in(glob: str) -> ColumnElement[bool]:
    return documents.c.path.regexp_match(glob_pattern(glob))


def _has_tag(tag: str) -> ColumnElement[bool]:
    return documents.c.id.in_(select(document_tags.c.document_id).where(document_tags.c.tag == fold_tag(tag)))


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
