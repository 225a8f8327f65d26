"""Where the documents of a store lie on this machine, and what their files say now."""

from __future__ import annotations

from pathlib import Path

from headwise.app.places import FOLDER, OWN_ROOT
from headwise.errors import ReadingError
from headwise.indexing.documents import file_hash
from headwise.reading.decode import decode
from headwise.stores.store import StoredFile


def folder_of(root: str, store: str) -> Path | None:
    """The folder of a root with this name in *store*, if that can be told; it may not be there."""
    if root == OWN_ROOT:
        file = Path(store.removeprefix("sqlite:///")).expanduser().resolve()
        return file.parent.parent if file.parent.name == FOLDER else None
    return Path(root) if Path(root).is_absolute() else None


def text_as_stored(folder: Path | None, file: StoredFile) -> str | None:
    """The text of a stored document, if its file still is what was stored; else None.

    The hash proves that, so it does not matter what the path leads to by now.
    """
    if folder is None:
        return None
    location = folder / file.path
    try:
        if location.stat().st_size != file.size or file_hash(str(location)) != file.content_hash:
            return None
        return decode(location.read_bytes())[0]
    except (OSError, ValueError, ReadingError):
        return None
