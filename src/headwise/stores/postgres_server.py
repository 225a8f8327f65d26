"""Reaching a store in PostgreSQL: its URL, a pool of connections, transactions, and errors as one clear line."""

from __future__ import annotations

import json
import re
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, text
from sqlalchemy.exc import DBAPIError, TimeoutError  # noqa: A004 - no other is used here

from headwise.errors import StoreError

DEFAULT_SCHEMA = "headwise"

_POOL = 5
"""Connections kept open; as many again are opened when threads ask for more."""
_CONNECT_SECONDS = 10
_SCHEMA_NAME_BYTES = 63

# By SQLSTATE, or the class that its first two characters name.
_REASONS = {
    "55P03": "is in use by another run; waited {wait:g} s for it, run again when that one is done",
    "40": "was changed by somebody else at the same time; run again, what was stored is kept",
    "53300": "has no connection left; close others, or let the server take more",
    "53": "cannot grow, the server's disk or memory is full; make room and run again, what was stored is kept",
    "57P": "lost its server, which was stopped; run again when it is back, what was stored is kept",
    "08": "lost its connection; run again when the server can be reached, what was stored is kept",
    "28": "refuses this user or password: {said}",
    "3D000": "is in a database that is not there: {said}",
    "42501": "may not be used so by this user: {said}; docs/postgres.md lists the rights that are needed",
    "25006": "cannot be written, its server takes no changes (a standby?)",
    "42P01": "lacks a table, somebody removed it: {said}",
}

_OURS = {"21", "22", "23", "26", "34", "42"}
"""Classes of SQLSTATE that tell of a wrong statement or value, and so of a fault in this program."""


@dataclass(frozen=True, slots=True)
class Server:
    """A reachable store: whoever holds this may begin transactions."""

    engine: Engine
    name: str
    """The URL as messages show it, without a password."""
    schema: str
    search_path: str
    """Where tables and pgvector's types are looked for."""
    wait: float
    """Seconds to wait for others that write."""


def shown_url(url: URL) -> str:
    """*url* as people may see it: without password, and of its options only those that say where the store is."""
    where = {key: value for key, value in url.query.items() if key in {"host", "port", "schema"}}
    return url.set(drivername="postgresql", query=where)._replace(password=None).render_as_string()


def connect(url: URL, wait: float) -> Server:
    """A server to begin transactions on, at the store that *url* names; nothing is asked of it yet.

    Args:
        url: `postgresql://USER@HOST/DATABASE`; its option `schema` names the schema, others are for the driver.
        wait: Seconds to wait for others that write, and for a connection.

    Raises:
        StoreError: if psycopg is missing, or the URL names another driver or an impossible schema.
    """
    if url.drivername not in {"postgres", "postgresql", "postgresql+psycopg"}:
        raise StoreError(f"the store's URL names {url.drivername}, which is not used here; write postgresql+psycopg://")
    schema = url.query.get("schema", DEFAULT_SCHEMA)
    if not isinstance(schema, str) or not _is_possible(schema):
        raise StoreError(f"the store's URL names an impossible schema {schema!r}; write ?schema=NAME")
    options = {"connect_timeout": _CONNECT_SECONDS, "fallback_application_name": "headwise"}
    try:
        engine = create_engine(
            url.set(drivername="postgresql+psycopg").difference_update_query(["schema"]),
            pool_size=_POOL,
            max_overflow=_POOL,
            pool_timeout=wait,
            pool_pre_ping=True,
            client_encoding="utf8",
            hide_parameters=True,
            json_serializer=_json,
            connect_args={name: value for name, value in options.items() if name not in url.query},
        )
    except ImportError as error:
        raise StoreError("stores in PostgreSQL need another package: pip install 'headwise[postgres]'") from error
    return Server(engine, shown_url(url), schema, quoted(schema), wait)


def _is_possible(schema: str) -> bool:
    return bool(schema) and "\0" not in schema and len(schema.encode()) <= _SCHEMA_NAME_BYTES and schema[:3] != "pg_"


def quoted(name: str) -> str:
    """*name* as an identifier in a statement."""
    return '"' + name.replace('"', '""') + '"'


@contextmanager
def reading(server: Server) -> Generator[Connection]:
    """A connection that sees one state of the store, whatever others write meanwhile."""
    with told(server), server.engine.connect() as plain:
        connection = plain.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        _prefer(connection, search_path=server.search_path, jit="off")
        yield connection


@contextmanager
def writing(server: Server) -> Generator[Connection]:
    """A connection in one transaction, committed at the end, undone by any exception; others that write wait for it.

    The commit does not wait for the server's disk: after a crash of the server the last half second may be missing,
    never a part of a transaction. SQLite is used in the same way.
    """
    with told(server), server.engine.begin() as connection:
        # A timeout of 0 would be none, and one of more than 24 days an error.
        patience = f"{min(max(1, int(server.wait * 1000)), 2**31 - 1)}ms"
        _prefer(connection, search_path=server.search_path, lock_timeout=patience, synchronous_commit="off")
        lock(connection, f"headwise {server.schema}")
        yield connection


def _prefer(connection: Connection, **settings: str) -> None:
    """Sets parameters of the server for this transaction only: behind a pooler, sessions are shared."""
    calls = ", ".join(f"set_config('{name}', :{name}, true)" for name in settings)
    connection.execute(text(f"SELECT {calls}"), settings)


def lock(connection: Connection, name: str) -> None:
    """Waits until nobody else holds the lock with this name in this database, and holds it to the transaction's end."""
    connection.execute(text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))"), {"name": name})


@contextmanager
def told(server: Server) -> Generator[None]:
    """Turns what PostgreSQL says into a `StoreError` of one line; a wrong statement stays what it is."""
    try:
        yield
    except TimeoutError as error:
        raise StoreError(f"the store {server.name} is in use by too many threads; waited {server.wait:g} s") from error
    except DBAPIError as error:
        reason = _reason(error)
        if reason is None:
            raise
        said = " ".join(str(error.orig).split("\n", 1)[0].split())
        raise StoreError(f"the store {server.name} {reason.format(wait=server.wait, said=said)}") from error


def _reason(error: DBAPIError) -> str | None:
    """What to say about *error*, with places for what the server said; None for a fault in our own statements."""
    state: str | None = getattr(error.orig, "sqlstate", None)
    if state is None:  # it comes from the driver
        if error.statement is None and not error.connection_invalidated:  # no commit of a connection that was there
            return "cannot be reached: {said}"
        return _REASONS["08"] if type(error.orig).__name__ == "OperationalError" else None
    for length in (5, 3, 2):
        if state[:length] in _REASONS:
            return _REASONS[state[:length]]
    return None if state[:2] in _OURS else "fails: {said}"


def _json(value: Any) -> str:
    """*value* as JSON that PostgreSQL takes: readable, but for lone surrogates."""
    return re.sub(
        "[\ud800-\udfff]",
        lambda found: f"\\u{ord(found[0]):04x}",
        json.dumps(value, ensure_ascii=False, separators=(",", ":")),
    )
