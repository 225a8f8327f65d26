"""The documents of a store one after another, and a record in the fields that every export and `chunk --json` share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any, NamedTuple

from headwise.indexing.records import record_id
from headwise.model import Chunk, FrontMatter
from headwise.stores.store import DocumentRecords, Store

_PAGE = 1_000
_LAST_SECOND = 253_402_300_799  # of the year 9999; file systems know later ones
_COPIED = "index start own_start end start_line end_line title headings context text context_after tokens kinds"


class Stored(NamedTuple):
    """A stored document."""

    document: DocumentRecords
    root: str | None
    """The root it is in, if the store has several: then ids begin with it."""

    def named(self, record_id: str) -> str:
        """The id of a record outside the store, where no other has it."""
        return record_id if self.root is None else f"{self.root}/{record_id}"


def ignore(done: int, total: int) -> None:
    """Nobody watches."""


def stored_documents(store: Store, on_progress: Callable[[int, int], None] = ignore) -> Iterator[Stored]:
    """All documents of *store* that have records, in order of root and path, one in memory at a time.

    Those that a run which writes meanwhile takes away are left out. *on_progress* is called with how many documents
    were given, and how many there are.
    """
    roots = store.roots()
    total, done = sum(store.counts()[:2]), 0
    for root in roots:
        after = ""
        while page := store.files_after(root, "", after, _PAGE):
            after = page[-1].path
            for file in page:
                document = store.load(root, file.path)
                if document is not None and document.records:
                    yield Stored(document, root if len(roots) > 1 else None)
                done += 1
                on_progress(done, total)


def chunk_fields(
    path: str, mtime_ns: int, document_hash: str, front_matter: FrontMatter, chunk: Chunk
) -> dict[str, Any]:
    """A chunk of the document *path* with its identity and what is known of the document, as JSON can hold it."""
    return {
        "id": record_id(path, chunk),
        "path": path,
        **{name: getattr(chunk, name) for name in _COPIED.split()},
        "content_hash": chunk.content_hash,
        "metadata": {
            **front_matter.data,
            "folder": path.rpartition("/")[0],
            "tags": list(dict.fromkeys((*front_matter.tags, *chunk.tags))),
            "links": chunk.links,
            "aliases": front_matter.aliases,
            "mtime": moment(mtime_ns) if mtime_ns else None,
            "document_hash": document_hash,
            **({"navigation": True} if chunk.navigation else {}),
        },
    }


def record_fields(stored: Stored) -> Iterator[dict[str, Any]]:
    """The chunks of a stored document, each as `chunk --json` writes it.

    Where a store has several roots, ids begin with the root, which stands in a field of its own at the end.
    """
    file, front_matter = stored.document.file, FrontMatter(data=stored.document.front_matter)
    for record in stored.document.records:
        fields = chunk_fields(file.path, file.mtime_ns, file.content_hash, front_matter, record.chunk)
        fields["id"] = stored.named(record.id)
        yield fields if stored.root is None else fields | {"root": stored.root}


def moment(nanoseconds: int) -> str:
    """An instant as ISO 8601 in UTC, to the second."""
    seconds = min(nanoseconds // 1_000_000_000, _LAST_SECOND)
    return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")
