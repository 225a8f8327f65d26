"""A file that has to be read, to what a store is to keep of it: the part of a sync that any process can do."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from headwise.errors import NotTextError, ReadingError
from headwise.indexing.documents import CHANGED, FoundFile, is_as_read, read_document
from headwise.indexing.records import IndexSettings, make_records, stored_file
from headwise.model import Document
from headwise.stores.store import DocumentRecords, StoredFile

TICK_NS = 50_000_000
"""Clocks of file systems lag behind by up to a tick of the kernel's timer (4 to 16 ms)."""
_COARSE_NS = 2_000_000_000
"""FAT keeps even seconds, older systems whole ones."""


class Read(NamedTuple):
    """A file that has to be read."""

    file: FoundFile
    old: StoredFile | None
    """What is stored under its path."""
    is_current: bool
    """Whether that was cut as it would be now."""


class Prepared(NamedTuple):
    """What came of reading a file: records, a reason why there are none, or neither, if it holds what is stored."""

    records: DocumentRecords | None = None
    touched: StoredFile | None = None
    """What is to be noted of a file that holds what is stored, but looks otherwise."""
    reason: str = ""
    is_text: bool = True
    """False if it was read, and is no text."""
    is_steady: bool = True
    """False if it has changed since."""


def prepare(read: Read, settings: IndexSettings, started: int) -> Prepared:
    """Read a file and cut it, in a sync that began at *started*.

    Text, hash and what is known of the file are of one reading. What goes wrong is the file's failure, never the
    run's.
    """
    file, old, is_current = read
    try:
        document = read_document(file)
    except ReadingError as error:
        reason = str(error).removeprefix(f"{file.path}: ")
        return Prepared(reason=reason, is_text=not isinstance(error, NotTextError))
    was_steady = CHANGED not in document.warnings
    if not was_steady:  # said when it does not come to rest; no matter for the store
        document = replace(document, warnings=tuple(said for said in document.warnings if said != CHANGED))
    if old is not None and is_current and old.content_hash == document.content_hash:
        touched = None if old_is_same(old, document) else stored_file(document, settings, started)
        return Prepared(touched=touched, is_steady=was_steady and is_as_read(file.location, document))
    try:
        records = make_records(document, settings, started)
    except Exception as error:  # noqa: BLE001 - a defect of ours must not keep all other documents out
        what = f"{type(error).__name__}: {error}".splitlines()[0]
        return Prepared(reason=f"cannot be cut, which is a defect of Headwise ({what}); please report it")
    return Prepared(records, is_steady=was_steady and is_as_read(file.location, document))


def old_is_same(old: StoredFile, now: FoundFile | Document) -> bool:
    """Whether a file certainly holds what it held when it was last read.

    Size, inode and times are as they were, and it had been quiet by then: a write in the same tick of the clock as
    that reading would leave no trace in them.
    """
    tick = _COARSE_NS if old.mtime_ns % 1_000_000_000 == 0 else TICK_NS
    is_quiet = max(old.mtime_ns, old.ctime_ns) < old.checked_ns - tick
    return is_quiet and (old.mtime_ns, old.size, old.inode, old.ctime_ns) == (
        now.mtime_ns,
        now.size,
        now.inode,
        now.ctime_ns,
    )
