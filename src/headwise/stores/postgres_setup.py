"""The schema of a store in PostgreSQL: found, made, and brought to its newest version."""

from __future__ import annotations

from dataclasses import replace

from sqlalchemy import URL, Connection, text
from sqlalchemy.exc import DBAPIError

from headwise.errors import MissingStoreError, StoreError
from headwise.stores import postgres_words, schema
from headwise.stores.postgres_server import Server, connect, lock, quoted, reading, writing

_OLDEST_PGVECTOR = (0, 8)

_FIND = """
SELECT EXISTS (
    SELECT 1 FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
    WHERE n.nspname = :schema AND c.relname = 'headwise_version'
)
"""
# What extensions brought along is nobody's.
_OTHERS = """
SELECT c.relname FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname = :schema AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
    AND NOT EXISTS (SELECT 1 FROM pg_depend AS d WHERE d.objid = c.oid AND d.deptype = 'e')
ORDER BY c.relname LIMIT 1
"""
_PGVECTOR = """
SELECT n.nspname, e.extversion FROM pg_extension AS e JOIN pg_namespace AS n ON n.oid = e.extnamespace
WHERE e.extname = 'vector'
"""


def open_database(url: URL, *, create: bool, wait: float, read_only: bool = False) -> Server:
    """The store that *url* names, at the newest version of its tables.

    Args:
        url: See `headwise.stores.postgres_server.connect`.
        create: Make schema and tables if they are not there.
        wait: Seconds to wait for others that write.
        read_only: Change nothing, not even tables of an older version.

    Raises:
        StoreError: if the database cannot be reached or is unfit, the store is not there, is not ours (it is then
            left untouched), comes from a newer Headwise, or cannot be made. Nothing half-made is left behind.
    """
    server = connect(url, wait)
    try:
        return _opened(server, create=create, read_only=read_only)
    except BaseException:
        server.engine.dispose()
        raise


def _opened(server: Server, *, create: bool, read_only: bool) -> Server:
    with reading(server) as connection:
        version = _version(connection, server)
    if version is None and not create:
        raise MissingStoreError(f"there is no store {server.name}; index a folder first")
    if version != schema.VERSION and read_only:
        raise StoreError(
            f"the store {server.name} was made by an older Headwise and must be brought up to date before it is read; "
            "run a command that may write to it, such as `headwise index`"
        )
    if version != schema.VERSION:
        with writing(server) as connection:
            # One more lock: extensions belong to the whole database, and another schema may be made just now.
            lock(connection, "headwise")
            _prepare(connection, server)
    with reading(server) as connection:
        return replace(server, search_path=_search_path(connection, server))


def _version(connection: Connection, server: Server) -> int | None:
    """The version of the store's tables; None if there is no store."""
    if not connection.execute(text(_FIND), {"schema": server.schema}).scalar_one():
        return None
    version = connection.execute(text(f"SELECT version FROM {quoted(server.schema)}.headwise_version")).scalar_one()  # noqa: S608 - a quoted name
    if version > schema.VERSION:
        raise StoreError(
            f"the store {server.name} was made by a newer Headwise (schema {version}, this one knows "
            f"{schema.VERSION}); update Headwise, or name another schema"
        )
    return version


def _prepare(connection: Connection, server: Server) -> None:
    """Makes what is missing, and runs the steps that are, in the caller's transaction."""
    version = _version(connection, server)  # another process may have been first
    if version is None:
        _make_room(connection, server)
    path = _search_path(connection, server)
    connection.execute(text("SELECT set_config('search_path', :path, true)"), {"path": path})
    if version is None:
        connection.execute(text("CREATE TABLE headwise_version (version integer NOT NULL)"))
        connection.execute(text("INSERT INTO headwise_version VALUES (0)"))
    schema.migrate(connection, version or 0)
    if version is None:
        postgres_words.create(connection)
        connection.execute(
            text("ALTER TABLE vectors SET (toast_tuple_target = 8160)")
        )  # compared in place, not fetched
    connection.execute(text("UPDATE headwise_version SET version = :version"), {"version": schema.VERSION})


def _make_room(connection: Connection, server: Server) -> None:
    """Sees to an empty schema, and to pgvector, in a database that can hold any text."""
    encoding = connection.execute(text("SHOW server_encoding")).scalar_one()
    if encoding != "UTF8":
        raise StoreError(f"the store {server.name} cannot be made: the database holds {encoding}, it must be UTF8")
    other = connection.scalar(text(_OTHERS), {"schema": server.schema})
    if other is not None:
        raise StoreError(
            f"{server.name} is not a Headwise store: its schema {server.schema!r} has other tables ({other}); "
            "name another with ?schema=NAME"
        )
    there = text("SELECT EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = :schema)")
    if not connection.execute(there, {"schema": server.schema}).scalar_one():
        connection.execute(text(f"CREATE SCHEMA {quoted(server.schema)}"))
    if connection.execute(text(_PGVECTOR)).first() is None:
        _add_pgvector(connection, server)


def _add_pgvector(connection: Connection, server: Server) -> None:
    try:
        # Not into our own schema, with which it would be dropped.
        connection.execute(text("SET LOCAL search_path TO public"))
        connection.execute(text("CREATE EXTENSION vector"))
    except DBAPIError as error:
        if getattr(error.orig, "sqlstate", None) == "42501":
            advice = "have an administrator run in this database: CREATE EXTENSION vector"
        elif getattr(error.orig, "sqlstate", None) in {"0A000", "58P01", "22023"}:
            advice = "the server does not have it; have its administrator install pgvector"
        else:
            raise
        raise StoreError(f"the store {server.name} needs PostgreSQL's extension pgvector: {advice}") from error


def _search_path(connection: Connection, server: Server) -> str:
    """Our schema, that of pgvector's types, and temporary tables last, so that none stands in for ours."""
    found = connection.execute(text(_PGVECTOR)).first()
    if found is None:
        raise StoreError(f"the store {server.name} lacks PostgreSQL's extension pgvector; it was removed")
    where, version = found
    if tuple(int(part) for part in version.split(".")[:2]) < _OLDEST_PGVECTOR:
        raise StoreError(
            f"the store {server.name} needs pgvector {'.'.join(map(str, _OLDEST_PGVECTOR))} or newer, not {version}; "
            "have an administrator update it, and run: ALTER EXTENSION vector UPDATE"
        )
    return f"{quoted(server.schema)}, {quoted(where)}, pg_temp"
