"""The upkeep of a store in PostgreSQL: what is wrong with it as a whole, mending that, and giving space back."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Connection, text

from headwise.stores import coverage, schema
from headwise.stores.postgres_server import Server, quoted, told

_SIZE = """
SELECT coalesce(sum(pg_relation_size(oid) + coalesce(pg_relation_size(nullif(reltoastrelid, 0)), 0)), 0)
FROM pg_class WHERE relnamespace = {schema} AND relkind IN ('r', 'i')
"""
_SCHEMA = "(SELECT relnamespace FROM pg_class WHERE oid = to_regclass('headwise_version'))"
_UNFIT = """
SELECT c.relname FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid
WHERE c.relnamespace = {schema} AND NOT i.indisvalid ORDER BY c.relname
"""
_WORDLESS = "SELECT count(*) FROM chunks WHERE NOT EXISTS (SELECT 1 FROM words WHERE chunk_id = chunks.id AND part = 0)"


def faults(connection: Connection) -> list[str]:
    """What is wrong, a line each. Whether the server's files are sound is for its own tools to say."""
    found = [f"the index {name} is not valid" for name in _unfit(connection)] + coverage.faults(connection)
    for table, stray in _strays():
        count = connection.execute(text(f"SELECT count(*) FROM {table} WHERE {stray}")).scalar_one()  # noqa: S608 - ours
        found += [f"{count} rows of {table} belong to nothing"] if count else []
    if wordless := connection.execute(text(_WORDLESS)).scalar_one():
        found.append(f"{wordless} chunks have no words to be found by")
    return found


def mend(connection: Connection) -> None:
    """Make right what can be made right without the documents; the caller looks whether it helped."""
    for name in _unfit(connection):
        connection.execute(text(f"REINDEX INDEX {quoted(name)}"))
    for table, stray in _strays():
        connection.execute(text(f"DELETE FROM {table} WHERE {stray}"))  # noqa: S608 - ours
    coverage.recount(connection)


def size(connection: Connection) -> int:
    """Bytes that all tables and indexes of the store take."""
    return int(connection.execute(text(_SIZE.format(schema=_SCHEMA))).scalar_one())


def vacuum(server: Server) -> None:
    """Let the server use again what is free, and look at what it plans queries by; it skips what is not this user's."""
    tables = ", ".join(f"{quoted(server.schema)}.{table}" for table in _tables())
    with told(server), server.engine.connect() as plain:
        plain.execution_options(isolation_level="AUTOCOMMIT").execute(text(f"VACUUM (ANALYZE) {tables}"))


def _tables() -> list[str]:
    return [*(table.name for table in schema.metadata.sorted_tables), "words"]


def _unfit(connection: Connection) -> list[str]:
    return list(connection.scalars(text(_UNFIT.format(schema=_SCHEMA))))


def _strays() -> Iterator[tuple[str, str]]:
    """Each table whose rows belong to those of another, and the condition that they do not."""
    yield "words", "NOT EXISTS (SELECT 1 FROM chunks WHERE chunks.id = words.chunk_id)"
    for table in schema.metadata.sorted_tables:
        for key in table.foreign_keys:
            other = key.column.table.name
            own = f"{table.name}.{key.parent.name}"
            yield table.name, f"NOT EXISTS (SELECT 1 FROM {other} WHERE {other}.id = {own})"  # noqa: S608 - ours
