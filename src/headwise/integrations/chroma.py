"""A store's passages in a Chroma collection, kept equal to the store.

One item for each passage, since passages are what the vectors are of: the document of an item is the text that was
embedded. A collection says in its metadata which store it follows; no other is touched.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from importlib import import_module
from itertools import islice
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from headwise.errors import ExportError
from headwise.indexing.models.embedder import readable
from headwise.integrations.stored import Stored, ignore, stored_documents
from headwise.model import Passage, Record
from headwise.stores.filters import tags_of
from headwise.stores.store import Store

_MOST = 1_000
"""Items sent at once, if the collection takes so many: few enough to be held with their vectors."""
_STORE, _MODEL, _HASH = "headwise_store", "headwise_model", "headwise_hash"
_LARGEST = 2**63

Metadata = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ChromaReport:
    """What became of the items of a collection."""

    collection: str
    added: int
    changed: int
    deleted: int
    unchanged: int


class Item(NamedTuple):
    """A passage as Chroma is to hold it, but for its vector."""

    id: str
    text: str
    content_hash: str
    metadata: Metadata
    """With a hash of all of the item in it."""


@contextmanager
def open_chroma(path: str | None, url: str | None) -> Generator[Any]:
    """A client for the Chroma in the folder *path* or at *url*, without telemetry.

    Raises:
        ExportError: if chromadb is not installed, *url* is none, or nobody answers there.
    """
    try:
        chroma: Any = import_module("chromadb")
    except ImportError as error:
        raise ExportError('Chroma needs chromadb: pip install "headwise[chroma]"') from error
    settings = chroma.config.Settings(anonymized_telemetry=False)
    if url is None:
        with _told(path or ""):
            client = chroma.PersistentClient(path=path, settings=settings)
        with client:
            yield client
        return
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.path.strip("/"):
        raise ExportError(f"{url}: is no address of a Chroma server; write http://HOST:PORT")
    is_safe = parts.scheme == "https"
    port = parts.port or (443 if is_safe else 8000)
    with _told(url):
        client = chroma.HttpClient(host=parts.hostname, port=port, ssl=is_safe, settings=settings)
    # chromadb 1.5 leaves its connections open, those of the client and those it asks about databases with.
    servers = client._server, client._admin_client._server  # noqa: SLF001 - nothing public closes them
    with client, closing(servers[0]._session), closing(servers[1]._session):  # noqa: SLF001 - the same
        yield client


def export_chroma(
    store: Store,
    location: str,
    client: Any,
    collection: str,
    model: str,
    on_progress: Callable[[int, int], None] = ignore,
) -> ChromaReport:
    """Make *collection* equal to *store*: what changed is put in, what is gone deleted, the rest left alone.

    Args:
        store: The store.
        location: Where it lies, by which a collection made from it is known again.
        client: What `open_chroma` gave.
        collection: The name of the collection, made if it is new, with cosine as its distance.
        model: The key of the model whose vectors go along. A collection with vectors of another is made anew.
        on_progress: Called with how many documents were looked at, and how many there are.

    Raises:
        ExportError: if the collection was not made from this store, passages have no vector of *model* yet, or Chroma
            refuses.
    """
    if pending := store.coverage(model).pending:
        raise ExportError(
            f"{pending:,} passages have no vector of {model} yet: run `headwise embed` first "
            "(or `headwise index`, if they are longer than the model reads)"
        )
    target = _open_collection(client, collection, location, model)
    known = _hashes(target)
    added = changed = unchanged = 0
    items = (item for stored in stored_documents(store, on_progress) for item in make_items(stored, model))
    while batch := list(islice(items, min(_MOST, client.get_max_batch_size()))):
        before = [known.pop(item.id, None) for item in batch]
        new = [item for item, had in zip(batch, before, strict=True) if had is None]
        other = [item for item, had in zip(batch, before, strict=True) if had not in {None, item.metadata[_HASH]}]
        _put(store, target, model, new, {})
        _put(store, target, model, other, _metadata(target, [item.id for item in other]))
        added += len(new)
        changed += len(other)
        unchanged += len(batch) - len(new) - len(other)
    gone = iter(known)
    while ids := list(islice(gone, _MOST)):
        with _told(target.name):
            target.delete(ids=ids)
    return ChromaReport(collection, added, changed, len(known), unchanged)


def make_items(stored: Stored, model: str) -> Iterator[Item]:
    """The passages of a document as items.

    The first passage of a chunk has the id of its record, so that a chunk that is one passage goes by its own name.
    """
    document = stored.document
    of_document: Metadata = {
        "path": document.file.path,
        "root": stored.root,
        "folder": document.file.path.rpartition("/")[0],
        "title": document.title,
        "tags": sorted(tags_of(document)),
        "aliases": list(document.aliases),
        **{f"fm_{name}": value for name, value in document.front_matter.items()},
    }
    for record in document.records:
        name = stored.named(record.id)
        for number, passage in enumerate(record.passages):
            metadata = _clean({**of_document, **_own(record, passage), "chunk_id": name})
            text = readable(passage.embed_text)
            said = json.dumps([text, passage.content_hash, model, metadata], sort_keys=True)
            metadata[_HASH] = blake2b(said.encode(), digest_size=16).hexdigest()
            yield Item(readable(f"{name}/{number}" if number else name), text, passage.content_hash, metadata)


def _own(record: Record, passage: Passage) -> Metadata:
    chunk = record.chunk
    return {
        "link": record.link,
        "headings": list(chunk.headings),
        "heading": " > ".join(chunk.headings),
        "kinds": list(chunk.kinds),
        "links": list(chunk.links),
        "start": passage.start,
        "end": passage.end,
        "start_line": chunk.start_line,
        "end_line": chunk.end_line,
        "tokens": chunk.tokens,
        "content_hash": passage.content_hash,
    }


def _clean(metadata: Metadata) -> Metadata:
    """What Chroma can hold of *metadata*: text, numbers, truth values, and lists of one of these that are not empty."""
    return {readable(name): kept for name, value in metadata.items() if (kept := _value(value)) is not None}


def _value(value: Any) -> Any:
    match value:
        case bool() | float():
            return value
        case str():
            return readable(value)
        case int():
            return value if -_LARGEST <= value < _LARGEST else str(value)
        case list() if value:
            parts: list[Any] = [_value(part) for part in value]  # pyright: ignore[reportUnknownVariableType] - of YAML
            kinds: set[Any] = {type(part) for part in parts}
            return parts if len(kinds) == 1 and kinds < {str, int, float, bool} else None
        case _:
            return None


def _open_collection(client: Any, name: str, location: str, model: str) -> Any:
    """The collection, if it was made from this store with this model; else a new one, if there is none or it may go."""
    target = _find_collection(client, name)
    if target is not None:
        mark: Metadata = dict(target.metadata or {})
        if mark.get(_STORE) != location:
            whose = f"was made from the store {mark[_STORE]}" if _STORE in mark else "was not made by Headwise"
            raise ExportError(f"the collection {name} {whose}; name another with --collection, or delete it")
        if mark.get(_MODEL) == model:
            return target
    cosine = {"hnsw": {"space": "cosine"}}
    mark = {_STORE: location, _MODEL: model}
    with _told(name):
        if target is not None:
            client.delete_collection(name)
        return client.create_collection(name, metadata=mark, configuration=cosine, embedding_function=None)


def _find_collection(client: Any, name: str) -> Any:
    missing: Any = import_module("chromadb.errors").NotFoundError
    with _told(name):
        try:
            return client.get_collection(name, embedding_function=None)
        except missing:
            return None


def _hashes(target: Any) -> dict[str, str]:
    """Id of every item in the collection → hash of what it holds."""
    known: dict[str, str] = {}
    with _told(target.name):
        while (page := target.get(include=["metadatas"], limit=_MOST, offset=len(known)))["ids"]:
            hashes = (had.get(_HASH, "") if had else "" for had in page["metadatas"])
            known |= dict(zip(page["ids"], hashes, strict=True))
    return known


def _metadata(target: Any, ids: list[str]) -> dict[str, Mapping[str, Any]]:
    if not ids:
        return {}
    with _told(target.name):
        found = target.get(ids=ids, include=["metadatas"])
    return {name: had or {} for name, had in zip(found["ids"], found["metadatas"], strict=True)}


def _put(store: Store, target: Any, model: str, items: list[Item], before: Mapping[str, Mapping[str, Any]]) -> None:
    """Put *items* in, and take out what was in their metadata *before* and is no more, which Chroma does for None."""
    if not items:
        return
    vectors = store.vectors(model, {item.content_hash for item in items})
    missing = sum(item.content_hash not in vectors for item in items)
    if missing:
        raise ExportError(
            f"{missing} passages changed meanwhile and have no vector yet; run `headwise embed`, then again"
        )
    with _told(target.name):
        target.upsert(
            ids=[item.id for item in items],
            documents=[item.text for item in items],
            embeddings=[vectors[item.content_hash] for item in items],
            metadatas=[dict.fromkeys(before.get(item.id, ())) | item.metadata for item in items],
        )


@contextmanager
def _told(where: str) -> Generator[None]:
    """Turns whatever Chroma raises into one line: its errors come from three libraries and have no common base."""
    try:
        yield
    except Exception as error:
        said = " ".join(str(error).split()) or type(error).__name__
        raise ExportError(f"{where}: Chroma refuses: {said}") from error
