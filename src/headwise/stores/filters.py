"""From the filters of a search to a condition on documents."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from sqlalchemy import Select, select

from headwise.stores.schema import document_tags, documents
from headwise.stores.store import DocumentRecords, Filters

_WILD = re.compile(r"\*\*/|\*\*|\*|\?")
_MEANING = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def allowed_documents(filters: Filters) -> Select[int] | None:
    """The ids of the documents that *filters* let through; None if they let all through."""
    chosen = select(documents.c.id)
    if filters.path:
        chosen = chosen.where(documents.c.path.regexp_match(glob_pattern(filters.path)))
    for tag in filters.tags:
        tagged = select(document_tags.c.document_id).where(document_tags.c.tag == fold_tag(tag))
        chosen = chosen.where(documents.c.id.in_(tagged))
    return chosen if filters.path or filters.tags else None


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
