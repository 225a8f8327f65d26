"""The index of words in PostgreSQL: terms that were analysed before they come here, as `tsvector`, ranked by BM25."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, cast, column, intersect, select, table, text, union
from sqlalchemy.dialects.postgresql import TSQUERY

from headwise.stores.postgres_types import escape
from headwise.stores.store import Phrase, WordMatch, Words

_WEIGHT = 3
"""Title and headings count threefold, as in `headwise.stores.sqlite_words`: a word there has so many places."""

# What a `tsvector` can hold; see "Limitations" in PostgreSQL's chapter on full text search.
_PLACES = 255
_LAST_PLACE = 16_383
_TERM_BYTES = 2046
_VECTOR_BYTES = 1_000_000

_NO_PLACES = "no places"
"""Held, as no term has a blank, by a chunk so long, or with a term so often, that its places only count."""

# A chunk whose terms are too many for one `tsvector` has several rows, each term in one of them. Ranking looks into
# thousands of rows: so the terms lie in them as they are, neither packed nor elsewhere.
_CREATE = (
    """
    CREATE TABLE words (
        chunk_id bigint NOT NULL REFERENCES chunks ON DELETE CASCADE,
        part integer NOT NULL,
        length integer NOT NULL,
        terms tsvector NOT NULL,
        PRIMARY KEY (chunk_id, part) INCLUDE (length)
    ) WITH (toast_tuple_target = 8160)
    """,
    "ALTER TABLE words ALTER terms SET STORAGE EXTERNAL",
    "CREATE INDEX words_by_term ON words USING gin (terms)",
)

_NEW = """
unnest(CAST(:chunk AS bigint[]), CAST(:part AS integer[]), CAST(:length AS integer[]), CAST(:terms AS text[]))
AS new (chunk_id, part, length, terms)
"""
_ADD = text(f"INSERT INTO words SELECT chunk_id, part, length, CAST(terms AS tsvector) FROM {_NEW}")  # noqa: S608 - our own
_EQUAL = text(f"""
SELECT new.chunk_id, count(*) FROM {_NEW} JOIN words USING (chunk_id, part, length)
WHERE words.terms = CAST(new.terms AS tsvector) GROUP BY new.chunk_id
""")  # noqa: S608 - our own
_HAVE = text("SELECT chunk_id, count(*) FROM words WHERE chunk_id = ANY(CAST(:chunk AS bigint[])) GROUP BY chunk_id")

_MATCH = text("""
WITH total AS MATERIALIZED (
    SELECT CAST(count(*) AS float8) AS number, CAST(avg(length) AS float8) AS average FROM words WHERE part = 0
), held AS MATERIALIZED (
    SELECT asked.at, words.chunk_id, CAST(words.length AS float8) AS length, round(
        1 / (pi() ^ 2 / 6 - 1.64493406685 * ts_rank('{1,1,1,1}', words.terms, asked.term)) - 0.5
    ) AS times
    FROM (
        SELECT at, CAST(term AS tsquery) AS term FROM unnest(CAST(:asked AS text[])) WITH ORDINALITY AS given (term, at)
    ) AS asked
    JOIN words ON words.terms @@ asked.term
), worth AS MATERIALIZED (
    SELECT at, greatest(ln((number - count(*) + 0.5) / (count(*) + 0.5)), 1e-6) AS weight
    FROM held, total GROUP BY at, number
)
SELECT chunk_id, CAST(sum(CAST(
    weight * times * 2.2e12 / (times + 0.5 + 1.5 * length / average)
AS bigint)) AS float8) / 1e12 AS score
FROM held JOIN worth USING (at), total GROUP BY chunk_id
""").columns(column("chunk_id"), column("score"))
"""Okapi BM25 with k1 = 2 and b = 0.75, to the last digits what SQLite gives; see `headwise.stores.sqlite_words`.

How often a term stands in a chunk, its title and headings counted threefold, is how many places it has. `ts_rank`
gives, for one term and equal weights, (1 + 1/4 + 1/9 + … + 1/n²) / (π²/6) for its n places, so that n is 1 over what
the sum lacks of π²/6, less a half, to the nearest whole number. Scores are added up as whole numbers of 1e-12: chunks
with equal words then have equal scores in whatever order they are added.
"""

_words = table("words", column("chunk_id"), column("terms"))


class _Row(NamedTuple):
    """A row of the table, its terms as PostgreSQL reads them."""

    chunk: int
    part: int
    length: int
    terms: str


def create(connection: Connection) -> None:
    """Make the table."""
    for statement in _CREATE:
        connection.exec_driver_sql(statement)


def add(connection: Connection, rows: Sequence[int], words: Sequence[Words]) -> None:
    """Add the words of the chunks in *rows*; they go when their chunk goes."""
    if rows:
        connection.execute(_ADD, _columns(zip(rows, words, strict=True)))


def wrong(connection: Connection, words: Mapping[int, Words]) -> int:
    """How many of the chunks in these rows do not have these words."""
    if not words:
        return 0
    new = _columns(words.items())
    wanted = Counter(new["chunk"])
    equal: dict[int, int] = dict(connection.execute(_EQUAL, new).all())
    have: dict[int, int] = dict(connection.execute(_HAVE, {"chunk": new["chunk"]}).all())
    return sum(not wanted[row] == equal.get(row) == have.get(row) for row in words)


def match(connection: Connection, words: Sequence[str], allowed: Select[int] | None, limit: int) -> list[WordMatch]:
    """Those of the *allowed* chunks (None: of all) that match any of *words* best, best first; repeats count."""
    found = _MATCH.subquery()
    query = select(found.c.chunk_id, found.c.score)
    if allowed is not None:
        query = query.where(found.c.chunk_id.in_(allowed))
    query = query.order_by(found.c.score.desc(), found.c.chunk_id).limit(limit)
    asked = [_lexeme(word) for word in words]
    return [WordMatch(row, score) for row, score in connection.execute(query, {"asked": asked})]


def holding(phrase: Phrase) -> Select[int]:
    """The rows of the chunks that hold *phrase*; where places are not known, of those that hold all its terms."""
    mark = ":A" if phrase.in_title else ""
    ways = [[f"{_lexeme(term)}{mark}" for term in way] for way in phrase.ways]
    found = _with(" | ".join(f"({' <-> '.join(way)})" for way in ways))
    unsure = [intersect(_with(_lexeme(_NO_PLACES)), *map(_with, dict.fromkeys(way))) for way in ways if len(way) > 1]
    return select(union(found, *unsure).subquery().c.chunk_id) if unsure else found


def _with(terms: str) -> Select[int]:
    return select(_words.c.chunk_id).where(_words.c.terms.op("@@")(cast(terms, TSQUERY))).correlate(None)


def _columns(words: Iterable[tuple[int, Words]]) -> dict[str, list[Any]]:
    """The rows of chunks with their words, column by column."""
    rows = [row for chunk, own in words for row in _rows(chunk, own)]
    return {name: [row[at] for row in rows] for at, name in enumerate(_Row._fields)}


def _rows(chunk: int, words: Words) -> Iterator[_Row]:
    title, headings, body = (field.split() for field in words)
    length = len(title) + len(headings) + len(body)
    places = _true_places(title, headings, body)
    if places is None:
        places = _counted_places(Counter(title), Counter(headings), Counter(body))
    part, size = 0, 0
    terms: list[str] = []
    for term, own in places.items():
        entry = f"{_lexeme(term)}:{own}"
        if size + len(entry) > _VECTOR_BYTES // 4:  # a character takes up to four bytes
            yield _Row(chunk, part, length, " ".join(terms))
            part, size, terms = part + 1, 0, []
        terms.append(entry)
        size += len(entry) + 4
    yield _Row(chunk, part, length, " ".join(terms))


def _true_places(title: Sequence[str], headings: Sequence[str], body: Sequence[str]) -> dict[str, str] | None:
    """Where each term stands, title and headings so many times one after the other; None if that cannot be held."""
    found: dict[str, list[str]] = {}
    at = 0
    for field, letter, times in ((title, "A", _WEIGHT), (headings, "B", _WEIGHT), (body, "", 1)):
        for _ in range(times):
            for at, term in enumerate(field, at + 1):  # noqa: B020 - it goes on from where it was
                found.setdefault(term, []).append(f"{at}{letter}")
            at += 1  # no phrase goes on from one field into the next
    if at > _LAST_PLACE or any(len(places) > _PLACES for places in found.values()):
        return None
    return {term: ",".join(places) for term, places in found.items()}


def _counted_places(title: Counter[str], headings: Counter[str], body: Counter[str]) -> dict[str, str]:
    """As many places for each term as it would have, with the sign that they say nothing else."""
    terms = title | headings | body
    found = {term: _places(_WEIGHT * title[term], _WEIGHT * headings[term], body[term]) for term in terms}
    return {_NO_PLACES: "1", **found}


def _places(title: int, headings: int, body: int) -> str:
    """So many places of a term by field, in the letters that PostgreSQL has for weights: `1A,2A,3A,4,5`."""
    letters = ("A" * title + "B" * headings)[:_PLACES]
    marked = [f"{at}{letter}" for at, letter in enumerate(letters, 1)]
    return ",".join(marked + [str(at) for at in range(len(marked) + 1, min(len(marked) + body, _PLACES) + 1)])


def _lexeme(term: str) -> str:
    """*term* as text in which PostgreSQL finds it and nothing else; one that is too long by a hash of it."""
    if term.isalnum() and len(term) <= _TERM_BYTES // 4:  # nearly all are
        return f"'{term}'"
    data = term.encode("utf-8", "surrogatepass")
    if len(data) > _TERM_BYTES:
        term = f"{blake2b(data, digest_size=32).hexdigest()} long"  # no other term has a blank
    return "'" + escape(term).replace("\\", "\\\\").replace("'", "''") + "'"
