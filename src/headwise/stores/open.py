"""From a URL or a plain path to an open store."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from headwise.errors import StoreError
from headwise.stores.postgres_server import shown_url
from headwise.stores.sqlite import SqliteStore
from headwise.stores.store import Store

_FORMS = "sqlite:///FILE, a plain path, or postgresql+psycopg://USER@HOST/DATABASE"


def shown_store(url: str) -> str:
    """*url* as people may see it: without a password, wherever in it that stands."""
    if "://" not in url:
        return url
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        return "(a URL that cannot be read)"
    return url if parsed.get_backend_name() == "sqlite" else shown_url(parsed)


def open_store(url: str, *, create: bool = False, wait: float = 30.0, read_only: bool = False) -> Store:
    """The store that *url* names, to be closed or used in a `with`.

    Args:
        url: `sqlite:///FILE`, a plain path of a file, or `postgresql+psycopg://USER@HOST/DATABASE?schema=NAME`.
        create: Make it if it is not there.
        wait: Seconds to wait for others that write.
        read_only: Leave no trace in a file, nor beside it; nothing can be written then.

    Raises:
        StoreError: if *url* names no store we can open, in one line that says why.
    """
    if "://" not in url:
        return SqliteStore(Path(url).expanduser(), create=create, wait=wait, read_only=read_only)
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError) as error:
        raise StoreError(f"the store's URL cannot be read; write {_FORMS}") from error
    backend = parsed.get_backend_name()
    if backend in {"postgresql", "postgres"}:
        # Not before it is needed: most stores are files.
        from headwise.stores.postgres import PostgresStore  # noqa: PLC0415

        return PostgresStore(parsed, create=create, wait=wait, read_only=read_only)
    if backend != "sqlite":
        raise StoreError(f"unknown kind of store {backend!r}; write {_FORMS}")
    if not parsed.database or parsed.database == ":memory:":
        raise StoreError("the store's URL names no file; write sqlite:///FILE")
    return SqliteStore(Path(parsed.database), create=create, wait=wait, read_only=read_only)
