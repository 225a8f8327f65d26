"""The upkeep of a store in an SQLite file: what is wrong with it as a whole, mending that, and giving space back."""

from __future__ import annotations

from collections import Counter

from sqlalchemy import Connection

from headwise.stores import coverage, sqlite_words

_LEAST_PAGES = 256
_LEAST_SHARE = 4
"""The file is written anew if a fourth of it, and 1 MB, is free: less is soon used again."""


def faults(connection: Connection, *, writable: bool) -> list[str]:
    """What is wrong, a line each; the index of words is looked into only if the file is *writable*."""
    found = [f"the file: {line}" for line in _damage(connection)]
    found += [] if found else coverage.faults(connection)  # what is damaged cannot be counted
    strays = Counter(table for table, _, _, _ in _strays(connection))
    found += [f"{count} rows of {table} belong to nothing" for table, count in strays.items()]
    return found + (sqlite_words.faults(connection) if writable else [])


def mend(connection: Connection) -> None:
    """Make right what can be made right without the documents; the caller looks whether it helped."""
    if _damage(connection):
        connection.exec_driver_sql("REINDEX")
    for table, row, _, _ in _strays(connection):
        connection.exec_driver_sql(f'DELETE FROM "{table}" WHERE rowid = ?', (row,))  # noqa: S608 - a table of ours
    sqlite_words.mend(connection)
    coverage.recount(connection)


def compact(connection: Connection) -> None:
    """Renew what queries are planned by, and write the file anew if much of it is free; not in a transaction."""
    connection.exec_driver_sql("PRAGMA optimize")
    pages, free = (
        connection.exec_driver_sql(f"PRAGMA {name}").scalar_one() for name in ("page_count", "freelist_count")
    )
    if free >= max(_LEAST_PAGES, pages // _LEAST_SHARE):
        connection.exec_driver_sql("VACUUM")
    connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")


def _damage(connection: Connection) -> list[str]:
    found = connection.exec_driver_sql("PRAGMA integrity_check(3)").scalars().all()
    return [] if found == ["ok"] else [line for text in found for line in text.splitlines()]


def _strays(connection: Connection) -> list[tuple[str, int, str, int]]:
    return [tuple(row) for row in connection.exec_driver_sql("PRAGMA foreign_key_check")]
