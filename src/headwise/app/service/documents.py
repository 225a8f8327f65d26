"""Documents as the service gives them: lists in pages, one with all its chunks, one chunk with its neighbours."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

from headwise.app.editor_links import Editor
from headwise.app.output import section_json
from headwise.app.service.chunks import record_views
from headwise.app.service.places import place_link, text_as_stored
from headwise.app.service.rendering import Resolve
from headwise.chunking.measure import find_measure
from headwise.chunking.settings import Settings
from headwise.chunking.split import Analysis, analyse
from headwise.errors import NotStoredError, SettingsError
from headwise.indexing.index import folder_of
from headwise.indexing.links import Directory
from headwise.integrations.stored import moment
from headwise.model import Dropped, Link
from headwise.stores.store import DocumentRecords, Filters, Listed, Store

_BETWEEN = "//"
"""Between root and path where a page of a list begins: no path has it."""
_SPLITS = 20
"""Ways to take an id apart that are tried: the right one is among the first, from the end."""
_KEY = re.compile(r"(\w+)=(\S+)")


def list_view(store: Store, filters: Filters, after: str, limit: int) -> dict[str, Any]:
    """A page of the documents that *filters* let through, from behind *after*, which the page before named `next`."""
    roots = store.roots()
    is_one = len(roots) < 2
    root, _, path = (roots[0] if roots else "", "", after) if is_one else after.rpartition(_BETWEEN)
    found = store.documents(filters, (root, path), limit + 1)
    page = found[:limit]
    last = page[-1] if len(found) > limit else None
    return {
        "documents": [_listed(document) | ({} if is_one else {"root": document.root}) for document in page],
        "next": None if last is None else last.path if is_one else f"{last.root}{_BETWEEN}{last.path}",
        "total": store.document_count(filters),
    }


class Shelf(NamedTuple):
    """A store, and what is to be known about it to show its documents."""

    store: Store
    location: str
    """Its path or URL."""
    cutting: Settings
    """The settings that hold where its documents lie; those they were cut with may be others."""
    editor: Editor | None
    """What opens them; None for what usually does."""


def document_view(shelf: Shelf, path: str) -> dict[str, Any]:
    """The document with exactly this *path* and all that is known of it.

    Raises:
        NotStoredError: if it is not there.
    """
    cutting = shelf.cutting
    root, document = _load(shelf.store, path)
    folder = folder_of(root, shelf.location)
    text = text_as_stored(folder, document.file)
    is_so_cut = document.file.settings_key.startswith(f"{cutting.key()} records=")
    analysis = None if text is None else _analysis(text, document, cutting)
    return {
        "path": document.file.path,
        "root": root,
        "title": document.title,
        "tags": document.tags,
        "aliases": document.aliases,
        "properties": document.front_matter,
        "links": [link._asdict() for link in document.links],
        "warnings": document.warnings,
        "format": document.format,
        "text": text,
        "stale": text is None,
        "sections": [] if analysis is None else _sections(analysis, cutting),
        "chunks": _record_views(shelf, root, document),
        "dropped": [] if analysis is None else _dropped(analysis, document, is_so_cut=is_so_cut),
        "settings": _settings(document.file.settings_key),
        "open": place_link(folder, shelf.editor, document.file.path, 1, ()),
    }


def stored_chunk_view(shelf: Shelf, chunk_id: str) -> dict[str, Any]:
    """The stored chunk with this id, and the ids of those before and after it in its document.

    Raises:
        NotStoredError: if it is not there.
    """
    for path in islice(_paths_in(chunk_id), _SPLITS):
        try:
            root, document = _load(shelf.store, path)
        except NotStoredError:
            continue
        ids = [record.id for record in document.records]
        if chunk_id in ids:
            at = ids.index(chunk_id)
            (view,) = _record_views(shelf, root, document, chunk_id)
            return view | {
                "previous": ids[at - 1] if at else None,
                "next": ids[at + 1] if at + 1 < len(ids) else None,
            }
    raise NotStoredError(f"there is no chunk {chunk_id} in the store; ids are as search gives them")


def _record_views(
    shelf: Shelf, root: str, document: DocumentRecords, wanted: str | None = None
) -> list[dict[str, Any]]:
    path, folder = document.file.path, folder_of(root, shelf.location)
    return record_views(
        document,
        _count(_settings(document.file.settings_key)["tokenizer"], shelf.cutting),
        resolver(shelf.store, root, path),
        lambda chunk: place_link(folder, shelf.editor, path, chunk.start_line, chunk.headings),
        wanted,
    )


def resolver(store: Store, root: str, path: str) -> Resolve:
    """What says where a relative link in the document *path* leads on the page; it looks only if there is one."""
    directory: Directory | None = None

    def resolve(target: str) -> str | None:
        nonlocal directory
        if directory is None:
            directory = Directory(store.named(root))
        name = unquote(target)
        found = directory.resolve(path, Link(0, 0, target, "link")) or directory.resolve(
            path, Link(0, 0, name, "wikilink")
        )
        if found is None or target.startswith("//"):
            return None
        section = f"?section={quote(found.fragment)}" if found.fragment else ""
        return f"#/document/{quote(found.path)}{section}"

    return resolve


def _listed(document: Listed) -> dict[str, Any]:
    return {
        "path": document.path,
        "title": document.title,
        "chunks": document.chunks,
        "tokens": document.tokens,
        "mtime": moment(document.mtime_ns) if document.mtime_ns else None,
    }


def _load(store: Store, path: str) -> tuple[str, DocumentRecords]:
    """The document with exactly this *path*, and the first root that has it."""
    for root in store.roots():
        document = store.load(root, path)
        if document is not None and not document.excluded:
            return root, document
    raise NotStoredError(f"there is no document {path} in the store; name it as search shows it")


def _paths_in(chunk_id: str) -> Iterator[str]:
    """The paths that a chunk with this id can be of: it is `path#anchor::n` or `path::n`, and paths have such signs."""
    at = len(chunk_id)
    while (at := max(chunk_id.rfind("#", 0, at), chunk_id.rfind("::", 0, at))) > 0:
        yield chunk_id[:at]


def _settings(key: str) -> dict[str, Any]:
    """What a document was cut with, from the line that a store keeps of it."""
    said = dict(_KEY.findall(key))
    size, _, sentences = said.get("overlap", "0+0s").rstrip("s").partition("+")
    return {
        "max_tokens": int(said.get("max", "0")),
        "min_tokens": int(said.get("min", "0")),
        "overlap": f"{sentences}s" if sentences.isdigit() and int(sentences) else size,
        "strategy": said.get("strategy", ""),
        "tokenizer": said.get("tokenizer", ""),
    }


def _count(tokenizer: str, cutting: Settings) -> Callable[[str], int]:
    """What counts in the measure called *tokenizer*; in that of *cutting* if nothing here is called so any more."""
    measure = cutting.measure()
    if measure.name == tokenizer:
        return measure.count
    try:
        return find_measure(tokenizer).count
    except SettingsError:
        return measure.count


def _analysis(text: str, document: DocumentRecords, cutting: Settings) -> Analysis:
    return analyse(
        text,
        settings=cutting,
        path=document.file.path,
        document_format=document.format,
        obsidian=" obsidian" in document.file.settings_key,
    )


def _sections(analysis: Analysis, cutting: Settings) -> list[dict[str, Any]]:
    count, tree = cutting.measure().count, analysis.tree
    return [
        section_json(section, count(tree.text[section.start : section.own_end].rstrip()), tree.lines)
        | {"anchor": section.anchor}
        for section in analysis.sections
    ]


def _dropped(analysis: Analysis, document: DocumentRecords, *, is_so_cut: bool) -> Sequence[dict[str, Any]]:
    """What of the text is in no chunk; without a reason, if it was cut under other settings than those that hold."""
    if is_so_cut:
        return [dropped._asdict() for dropped in analysis.dropped]
    text, at = analysis.tree.text, 0
    gaps: list[Dropped] = []
    for start, end in (*((r.chunk.start, r.chunk.end) for r in document.records), (len(text), len(text))):
        if text[at:start].strip():
            gaps.append(Dropped(at, start, "front matter" if end <= analysis.tree.front_matter.end else "in no chunk"))
        at = max(at, end)
    return [gap._asdict() for gap in gaps]
