"""Where the documents of a store lie on this machine, what their files say now, and what opens them."""

from __future__ import annotations

from pathlib import Path

from headwise.app.editor_links import Editor, editor_link, usual_editor
from headwise.errors import ReadingError
from headwise.indexing.documents import file_hash
from headwise.reading.decode import decode
from headwise.stores.store import StoredFile


def place_link(folder: Path, editor: Editor | None, path: str, line: int, headings: tuple[str, ...]) -> str | None:
    """What opens *path* at *line*, inside *headings*, in *editor* (None: the usual one of *folder*)."""
    return editor_link(editor or usual_editor(folder), folder, path, line, headings[-1] if headings else None)


def text_as_stored(folder: Path, file: StoredFile) -> str | None:
    """The text of a stored document, if its file still is what was stored; else None.

    The hash proves that, so it does not matter what the path leads to by now.
    """
    location = folder / file.path
    try:
        if location.stat().st_size != file.size or file_hash(str(location)) != file.content_hash:
            return None
        return decode(location.read_bytes())[0]
    except (OSError, ValueError, ReadingError):
        return None
