"""Opening an SQLite file as a store, transactions in it, and its errors as one clear line."""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.pool import QueuePool

from headwise.errors import MissingStoreError, StoreError
from headwise.stores import schema, sqlite_words

APPLICATION_ID = 0x48656164
"""`Head` in the file's header tells a store from any other SQLite file."""

_MAGIC = b"SQLite format 3\0"
_COMPACT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))

_REASONS = {
    "SQLITE_READONLY": "cannot be written; check the rights of the file and its folder",
    "SQLITE_CANTOPEN": "cannot be opened; check that its folder exists and can be written",
    "SQLITE_PERM": "cannot be opened; check the rights of the file and its folder",
    "SQLITE_FULL": "cannot grow, the disk is full; make room and run again, what was stored is kept",
    "SQLITE_IOERR_SHMSIZE": "cannot grow, the disk is full; make room and run again, what was stored is kept",
    "SQLITE_IOERR": "cannot be read or written by the operating system; check the disk",
    "SQLITE_CORRUPT": "is damaged; delete it and index again, your documents are not affected",
    "SQLITE_NOTADB": "is damaged; delete it and index again, your documents are not affected",
}


FileState = tuple[int, int, int, int]
"""Size, times and inode of a file."""


def frozen_state(path: Path, *, read_only: bool) -> FileState | None:
    """The state of a store that can only be read as it lies there; None for one that SQLite can share with others.

    To share a store, even to read it, SQLite makes files beside it, unless a run that writes has made them already.
    Where rights forbid that, or nothing is to be written (*read_only*), the file is read without locks: whoever does
    so compares its state after each reading, since nothing else would tell that another run has changed it.
    """
    is_shared = path.with_name(f"{path.name}-wal").exists()
    if is_shared or (not read_only and _may_write(path) and _may_write(path.parent)):
        return None
    return file_state(path)


def _may_write(path: Path) -> bool:
    return os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


def file_state(path: Path) -> FileState | None:
    """The state of the file *path* now; None if it cannot be asked for."""
    try:
        now = path.stat()
    except OSError:
        return None
    return now.st_size, now.st_mtime_ns, now.st_ctime_ns, now.st_ino


def open_file(path: Path, *, create: bool, wait: float, frozen: bool = False, read_only: bool = False) -> Engine:
    """An engine for the store in *path*, at the newest schema.

    Args:
        path: The file.
        create: Make it if it is not there.
        wait: Seconds to wait for others that write.
        frozen: Read it without locks; see `frozen_state`.
        read_only: Write nothing to it, nor beside it.

    Raises:
        StoreError: if the file is no store of ours (it is then left untouched), comes from a newer Headwise, cannot
            be read, is not there, or was to be made and cannot be. Nothing half-made is left behind.
    """
    missing = _is_missing(path, create=create)
    mode = "rwc" if create else "ro&immutable=1" if frozen else "ro" if read_only else "rw"
    engine = create_engine(
        "sqlite+pysqlite://",
        creator=lambda: _connect(path, mode, wait),
        poolclass=QueuePool,
        json_serializer=_compact_json,
    )
    event.listen(engine, "close", _end_transaction)
    try:
        with told(path, wait):
            _prepare(engine, path, wait, may_write=not (frozen or read_only))
    except BaseException:
        engine.dispose()
        if missing and path.is_file() and path.stat().st_size == 0:
            path.unlink()
        raise
    return engine


@contextmanager
def reading(engine: Engine) -> Generator[Connection]:
    """A connection that sees one state of the store, whatever others write meanwhile."""
    with engine.connect() as connection:
        connection.exec_driver_sql("BEGIN")
        yield connection


@contextmanager
def writing(engine: Engine) -> Generator[Connection]:
    """A connection in one transaction, committed at the end, undone by any exception.

    It takes the write lock at once: a transaction that first reads and then writes could be refused half-way.
    """
    with engine.connect() as connection:
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        yield connection
        connection.commit()


def ask(connection: Connection, statement: str, values: Mapping[str, Any]) -> Any:
    """The driver's own cursor over what *statement* gives.

    SQLAlchemy's rows would cost several times as much where there are a million small ones.
    """
    cursor: Any = connection.connection.cursor()
    return cursor.execute(statement, values)


@contextmanager
def told(path: Path, wait: float) -> Generator[None]:
    """Turns what SQLite says about *path* into a `StoreError` of one line; a wrong statement stays what it is."""
    try:
        yield
    except (DBAPIError, sqlite3.Error) as error:
        cause = error.orig if isinstance(error, DBAPIError) else error
        if not isinstance(cause, sqlite3.Error) or isinstance(
            cause, (sqlite3.IntegrityError, sqlite3.ProgrammingError)
        ):
            raise
        if _says(cause, "SQLITE_BUSY", "SQLITE_LOCKED"):
            reason = f"is in use by another run; waited {wait:g} s for it, run again when that one is done"
        else:
            reason = next((text for name, text in _REASONS.items() if _says(cause, name)), f"fails: {cause}")
        raise StoreError(f"the store {path} {reason}") from error


def _says(error: BaseException | None, *names: str) -> bool:
    """Whether SQLite gave one of these reasons, or a finer kind of it."""
    return getattr(error, "sqlite_errorname", "").startswith(names)


def _is_missing(path: Path, *, create: bool) -> bool:
    """Looks at the file without SQLite, which would lock it, and may write beside it."""
    try:
        if path.is_dir():
            raise StoreError(f"the store {path} is a folder; name a file in it")
        if not path.exists():
            if not create:
                raise MissingStoreError(f"there is no store {path}; index a folder first")
            if not path.parent.is_dir():
                raise StoreError(f"the store {path} cannot be made: its folder is not there; make it first")
            return True
        if not path.is_file():
            raise StoreError(f"the store {path} is not a file; name another")
        with path.open("rb") as file:
            header = file.read(100)
    except OSError as error:
        raise StoreError(f"the store {path} cannot be read: {error.strerror or error}") from error
    if not header:
        if not create:
            raise MissingStoreError(f"the store {path} is empty; index a folder first")
        return False
    if not header.startswith(_MAGIC) or header[68:72] != APPLICATION_ID.to_bytes(4, "big"):
        what = "is another SQLite database" if header.startswith(_MAGIC) else "is some other kind of file"
        raise StoreError(f"{path} is not a Headwise store, it {what}; name another file")
    return False


def _connect(path: Path, mode: str, wait: float) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}",
        uri=True,
        timeout=wait,
        isolation_level=None,  # transactions are begun by `reading` and `writing`, never behind one's back
        check_same_thread=False,  # the pool hands a connection to one thread at a time
    )
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA synchronous = NORMAL")
    except BaseException:
        connection.close()
        raise
    return connection


def _end_transaction(connection: sqlite3.Connection, _record: object) -> None:
    """A statement that was interrupted lives as long as its traceback, and the transaction's locks with it."""
    connection.rollback()


def _prepare(engine: Engine, path: Path, wait: float, *, may_write: bool) -> None:
    with engine.connect() as connection:
        version = _pragma(connection, "user_version")
    if version > schema.VERSION:
        raise StoreError(
            f"the store {path} was made by a newer Headwise (schema {version}, this one knows {schema.VERSION}); "
            "update Headwise, or name another file"
        )
    if version < schema.VERSION and not may_write:
        raise StoreError(
            f"the store {path} was made by an older Headwise and cannot be read before it is brought up to date; "
            "run a command that may write to it, such as `headwise index`"
        )
    if version < schema.VERSION:
        with writing(engine) as connection:
            version = _pragma(connection, "user_version")  # another process may have been first
            schema.migrate(connection, version)
            if version == 0:
                sqlite_words.create(connection)
            connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.exec_driver_sql(f"PRAGMA user_version = {schema.VERSION}")
    # Only now: the first transaction lies in the file itself, so its header always says whose it is.
    if may_write:
        _use_wal(engine, time.monotonic() + wait)


def _use_wal(engine: Engine, deadline: float) -> None:
    """Lets readers and a writer work at the same time; SQLite does not wait for others here by itself."""
    while True:
        with engine.connect() as connection:
            if connection.exec_driver_sql("PRAGMA journal_mode").scalar_one() == "wal":
                return
            try:
                connection.exec_driver_sql("PRAGMA journal_mode = WAL")
            except OperationalError as error:
                if not _says(error.orig, "SQLITE_BUSY") or time.monotonic() > deadline:
                    raise
                time.sleep(0.01)
            else:
                return


def _pragma(connection: Connection, name: str) -> int:
    return connection.exec_driver_sql(f"PRAGMA {name}").scalar_one()


def _compact_json(value: Any) -> str:
    return "[]" if value == [] else _COMPACT.encode(value)  # most lists are empty
