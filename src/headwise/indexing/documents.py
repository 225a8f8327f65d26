"""A file that was found, and its bytes to a document."""

from __future__ import annotations

import os
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path, PurePosixPath

from headwise.errors import NotTextError, ReadingError
from headwise.model import Document, Format
from headwise.reading.decode import decode

_FORMATS: dict[str, Format] = {".md": "markdown", ".markdown": "markdown", ".mdx": "mdx"}
_READS = 3

CHANGED = "changed while it was read"
"""The warning about a file that did not keep still."""


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file, as it was when its folder was listed."""

    path: str
    """Relative to the root, with `/`, in Unicode NFC."""
    location: str
    """Its absolute path, as the operating system spells it."""
    size: int
    """Bytes."""
    mtime_ns: int
    inode: int
    ctime_ns: int
    obsidian: bool
    """True if an `.obsidian` folder lies beside or above it."""


def read_document(file: FoundFile) -> Document:
    """What is in *file* now.

    Text and hash are from one read. A file that changes meanwhile is read again; if it keeps changing, the last
    read counts, with a warning. What is said of the file (size, times, inode) was asked before that read, so
    that the next comparison notices whatever changed since.

    Raises:
        NotTextError: if it is not text.
        ReadingError: if it has vanished, or cannot be read.
    """
    try:
        data, state, is_steady = _read(file.location)
        for _ in range(_READS - 1):
            if not is_steady:
                data, state, is_steady = _read(file.location)
        text, warnings = decode(data)
    except FileNotFoundError as error:
        raise ReadingError(f"{file.path}: vanished before it was read") from error
    except OSError as error:
        raise ReadingError(f"{file.path}: cannot be read ({error.strerror})") from error
    except ReadingError as error:
        raise NotTextError(f"{file.path}: {error}") from error
    return Document(
        path=file.path,
        text=text,
        format=document_format(file.path),
        content_hash=_hash(data),
        mtime_ns=state.st_mtime_ns,
        size=state.st_size,
        inode=state.st_ino,
        ctime_ns=state.st_ctime_ns,
        warnings=warnings if is_steady else (*warnings, CHANGED),
        obsidian=file.obsidian,
    )


def file_hash(location: str) -> str:
    """What `Document.content_hash` would be for the file at *location*; empty if it cannot be read."""
    try:
        return _hash(Path(location).read_bytes())
    except OSError:
        return ""


def is_as_read(location: str, document: Document) -> bool:
    """Whether the file at *location* is still the one that *document* was read from, unchanged as far as shows."""
    try:
        now = os.stat(location)  # noqa: PTH116 - once per file
    except OSError:
        return False
    return (document.size, document.mtime_ns, document.ctime_ns) == _times(now) and document.inode == now.st_ino


def document_format(path: str) -> Format:
    """How to read *path*, by its ending in any letter case: Markdown, MDX, and plain text for all else."""
    return _FORMATS.get(PurePosixPath(path).suffix.lower(), "plain")


def _hash(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()


def _read(location: str) -> tuple[bytes, os.stat_result, bool]:
    """The bytes at *location*, what was known before they were read, and whether that held until the end."""
    with Path(location).open("rb") as handle:
        before = os.fstat(handle.fileno())
        data = handle.read()
        after = os.fstat(handle.fileno())
    return data, before, _times(before) == _times(after) and len(data) == before.st_size


def _times(state: os.stat_result) -> tuple[int, int, int]:
    return state.st_size, state.st_mtime_ns, state.st_ctime_ns
