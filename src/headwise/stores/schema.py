"""The tables every store has, and the numbered steps that bring an older store to them."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Connection,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    insert,
)

metadata = MetaData()

# SQLite counts up by itself only in a column declared plain INTEGER.
_Id = BigInteger().with_variant(Integer, "sqlite")


def _parent(table: str) -> Column[int]:
    return Column(f"{table[:-1]}_id", _Id, ForeignKey(f"{table}.id", ondelete="CASCADE"), nullable=False)


roots = Table(
    "roots",
    metadata,
    Column("id", _Id, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
)

documents = Table(
    "documents",
    metadata,
    Column("id", _Id, primary_key=True),
    _parent("roots"),
    Column("path", Text, nullable=False),
    Column("content_hash", Text, nullable=False),
    Column("settings_key", Text, nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("mtime_ns", BigInteger, nullable=False),
    Column("inode", Text, nullable=False),  # some file systems use more bits than a database's integer has
    Column("ctime_ns", BigInteger, nullable=False),
    Column("checked_ns", BigInteger, nullable=False),
    Column("format", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("tags", JSON, nullable=False),
    Column("aliases", JSON, nullable=False),
    Column("front_matter", JSON, nullable=False),
    Column("links", JSON, nullable=False),
    Column("warnings", JSON, nullable=False),
    Column("excluded", Boolean, nullable=False),
    UniqueConstraint("root_id", "path"),
)

# Tags as they are searched for: folded, each with the tags it is nested in.
document_tags = Table(
    "document_tags",
    metadata,
    Column("document_id", _Id, ForeignKey("documents.id", ondelete="CASCADE"), primary_key=True),
    Column("tag", Text, primary_key=True),
    Index("document_tags_by_tag", "tag"),
)

# Rows of chunks are never used again (AUTOINCREMENT): a reader may hold one while its document is replaced.
chunks = Table(
    "chunks",
    metadata,
    Column("id", _Id, primary_key=True),
    _parent("documents"),
    Column("record_id", Text, nullable=False),
    Column("link", Text, nullable=False),
    Column("position", Integer, nullable=False),
    Column("start", Integer, nullable=False),
    Column("own_start", Integer, nullable=False),
    Column("end", Integer, nullable=False),
    Column("start_line", Integer, nullable=False),
    Column("end_line", Integer, nullable=False),
    Column("headings", JSON, nullable=False),
    Column("anchor", Text, nullable=False),
    Column("number", Integer, nullable=False),
    Column("context", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("context_after", Text, nullable=False),
    Column("tokens", Integer, nullable=False),
    Column("kinds", JSON, nullable=False),
    Column("tags", JSON, nullable=False),
    Column("links", JSON, nullable=False),
    Column("omitted", JSON, nullable=False),
    Column("oversize", Boolean, nullable=False),
    Column("content_hash", Text, nullable=False),
    UniqueConstraint("document_id", "record_id"),
    sqlite_autoincrement=True,
)

# A passage's text is a slice of its chunk's.
passages = Table(
    "passages",
    metadata,
    Column("id", _Id, primary_key=True),
    _parent("chunks"),
    Column("start", Integer, nullable=False),
    Column("end", Integer, nullable=False),
    Column("context", Text, nullable=False),
    Column("context_after", Text, nullable=False),
    Column("omitted", JSON, nullable=False),
    Column("content_hash", Text, nullable=False),
    Index("passages_by_chunk", "chunk_id"),
    Index("passages_by_content", "content_hash"),
)

models = Table(
    "models",
    metadata,
    Column("id", _Id, primary_key=True),
    Column("key", Text, nullable=False, unique=True),
)

# In a table of their own, keyed by what was embedded: in the rows of chunks they would bloat them, and die with them.
vectors = Table(
    "vectors",
    metadata,
    Column("id", _Id, primary_key=True),
    _parent("models"),
    Column("content_hash", Text, nullable=False),
    Column("data", LargeBinary, nullable=False),
    UniqueConstraint("content_hash", "model_id"),
)

runs = Table(
    "runs",
    metadata,
    Column("id", _Id, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("root", Text, nullable=False),
    Column("started_ns", BigInteger, nullable=False),
    Column("seconds", Float, nullable=False),
    Column("report", JSON, nullable=False),
)

# `generation` goes up with every change of passages or vectors, so that what is cached of them can tell.
counters = Table(
    "counters",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", BigInteger, nullable=False),
)


def m001_tables(connection: Connection) -> None:
    """Make all tables; the first change of `metadata` leaves here a copy of them as they were."""
    metadata.create_all(connection)
    connection.execute(insert(counters).values(name="generation", value=0))


MIGRATIONS: tuple[Callable[[Connection], None], ...] = (m001_tables,)
"""Applied in order, each once, in one transaction with the new version number."""

VERSION = len(MIGRATIONS)
"""Version of the schema these tables have."""


def migrate(connection: Connection, version: int) -> None:
    """Bring a store from schema *version* (0: empty) to `VERSION`, inside the caller's transaction."""
    for step in MIGRATIONS[version:]:
        step(connection)
