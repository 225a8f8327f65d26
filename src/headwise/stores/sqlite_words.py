"""The index of words in SQLite: an FTS5 table of terms that were analysed before they come here."""

from __future__ import annotations

import string
from collections.abc import Iterable, Mapping, Sequence

from sqlalchemy import ColumnElement, Connection, Select, bindparam, column, literal_column, select, table
from sqlalchemy.exc import DatabaseError

from headwise.stores.store import Phrase, WordMatch, Words

# This tokenizer keeps every character beyond ASCII, and with these also all of ASCII but blanks and quotes:
# a term goes in and comes out whole, without a second analysis.
_TERM = "".join(sorted(set(string.punctuation) - set("'\"")))

# An ordinary table: without its content (`content=''`) a row could not be deleted in SQLite before 3.43.
_CREATE = f"""CREATE VIRTUAL TABLE words USING fts5(title, headings, text, tokenize="ascii tokenchars '{_TERM}'")"""
_ADD = "INSERT INTO words(rowid, title, headings, text) VALUES (?, ?, ?, ?)"

# Title and headings count threefold, and a word that is said again counts more than FTS5's fixed k1 of 1.2 lets it:
# weights of 0.6 instead of 1 are BM25 with a k1 of 2. Both were measured, on questions over real documentation, to find
# more (docs/decisions/0020-ranking.md).
_SCORE: ColumnElement[float] = literal_column("bm25(words, 1.8, 1.8, 0.6)")

_STRAYS = "SELECT count(*) FROM words WHERE rowid NOT IN (SELECT id FROM chunks)"
_DROP_STRAYS = "DELETE FROM words WHERE rowid NOT IN (SELECT id FROM chunks)"

_words = table("words", column("rowid"))


def create(connection: Connection) -> None:
    """Make the table."""
    connection.exec_driver_sql(_CREATE)


def add(connection: Connection, rows: Iterable[int], words: Iterable[Words]) -> None:
    """Add the words of the chunks in *rows*."""
    new = [(row, *fields) for row, fields in zip(rows, words, strict=True)]
    if new:
        connection.exec_driver_sql(_ADD, new)


def remove(connection: Connection, rows: Iterable[int]) -> None:
    """Remove the words of the chunks in *rows*."""
    old = [(row,) for row in rows]
    if old:
        connection.exec_driver_sql("DELETE FROM words WHERE rowid = ?", old)


def wrong(connection: Connection, words: Mapping[int, Words]) -> int:
    """How many of the chunks in these rows do not have these words."""
    have: dict[int, Words] = {}
    if words:
        # The rows of a document's chunks are neighbours: they were made in one go, and none is used again.
        found = connection.exec_driver_sql(
            "SELECT rowid, title, headings, text FROM words WHERE rowid BETWEEN ? AND ?", (min(words), max(words))
        )
        have = {row: Words(*fields) for row, *fields in found}
    return sum(have.get(row) != own for row, own in words.items())


def faults(connection: Connection) -> list[str]:
    """What is wrong with the table as a whole; needs the right to write, which FTS5 asks for."""
    found: list[str] = []
    try:
        connection.exec_driver_sql("INSERT INTO words(words) VALUES ('integrity-check')")
    except DatabaseError as error:
        if not getattr(error.orig, "sqlite_errorname", "").startswith("SQLITE_CORRUPT"):
            raise
        found.append("the index of words does not agree with the words it holds")
    strays = connection.exec_driver_sql(_STRAYS).scalar_one()
    if strays:
        found.append(f"words of {strays} chunks that are not there")
    return found


def mend(connection: Connection) -> None:
    """Make the index anew from the words the table holds, without those of chunks that are not there."""
    connection.exec_driver_sql("INSERT INTO words(words) VALUES ('rebuild')")
    connection.exec_driver_sql(_DROP_STRAYS)


def match(connection: Connection, words: Sequence[str], allowed: Select[int] | None, limit: int) -> list[WordMatch]:
    """Those of the *allowed* chunks (None: of all) that match any of *words* best, best first; repeats count."""
    rowid: ColumnElement[int] = _words.c.rowid
    query = select(rowid, _SCORE).where(literal_column("words").op("MATCH")(bindparam("query")))
    if allowed is not None:
        # The plus sign keeps SQLite from running the match once for every allowed row.
        query = query.where(literal_column("+words.rowid").in_(allowed))
    found = connection.execute(query.order_by(_SCORE, rowid).limit(limit), {"query": any_of((word,) for word in words)})
    return [WordMatch(row, -score) for row, score in found]


def holding(phrase: Phrase) -> Select[int]:
    """The rows of the chunks that hold *phrase*."""
    ways = any_of(dict.fromkeys(phrase.ways))
    expression = f"title : ({ways})" if phrase.in_title else ways
    # Never correlated: where it stands inside `match`, both read the same table.
    return select(_words.c.rowid).where(literal_column("words").op("MATCH")(expression)).correlate(None)


def any_of(ways: Iterable[Sequence[str]]) -> str:
    """An FTS5 expression for chunks that hold the terms of any of *ways* one after the other, each taken literally.

    One that is given again counts again in the score.
    """
    return " OR ".join('"' + " ".join(way).replace('"', '""') + '"' for way in ways)
