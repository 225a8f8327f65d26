"""A folder of notes and the store of it, made without a sync."""

from __future__ import annotations

from pathlib import Path

from headwise.chunking.settings import Settings
from headwise.indexing.documents import read_document
from headwise.indexing.files import FileOptions, find_files
from headwise.indexing.records import IndexSettings, make_records
from headwise.stores.store import Store

SETTINGS = IndexSettings(Settings(min_tokens=0))


def store_files(store: Store, folder: Path, root: str = ".", settings: IndexSettings = SETTINGS) -> None:
    """Put every file of *folder* into *store*, and take out what is gone."""
    found = find_files(folder, FileOptions()).files
    for path in {file.path for file in store.files_after(root, "", "", 10_000)} - {file.path for file in found}:
        store.delete(root, path)
    for file in found:
        store.replace(root, make_records(read_document(file), settings, 0))


def write(folder: Path, **notes: str) -> None:
    """Notes by their names without `.md`; two underscores stand for a slash."""
    for name, text in notes.items():
        file = folder / f"{name.replace('__', '/')}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
