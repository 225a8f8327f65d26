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
    Identity,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    Text,
    UniqueConstraint,
    func,
    insert,
    inspect,
    literal_column,
    select,
    text,
)

from headwise.stores.postgres_types import AnyText, HalfVector
from headwise.stores.properties import properties_of
from headwise.stores.rows import property_row

metadata = MetaData()

# SQLite counts up by itself only in a column declared plain INTEGER.
_Id = BigInteger().with_variant(Integer, "sqlite")

# In PostgreSQL: sorted by code point everywhere; the first for text from documents, the second for our own.
_Text = Text().with_variant(AnyText(), "postgresql")
_Name = Text().with_variant(Text(collation="C"), "postgresql")


def _parent(table: str) -> Column[int]:
    return Column(f"{table[:-1]}_id", _Id, ForeignKey(f"{table}.id", ondelete="CASCADE"), nullable=False)


roots = Table(
    "roots",
    metadata,
    Column("id", _Id, Identity(), primary_key=True),
    Column("name", _Text, nullable=False, unique=True),
)

documents = Table(
    "documents",
    metadata,
    Column("id", _Id, Identity(), primary_key=True),
    _parent("roots"),
    Column("path", _Name, nullable=False),
    Column("content_hash", _Name, nullable=False),
    Column("settings_key", _Text, nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("mtime_ns", BigInteger, nullable=False),
    Column("inode", _Name, nullable=False),  # some file systems use more bits than a database's integer has
    Column("ctime_ns", BigInteger, nullable=False),
    Column("checked_ns", BigInteger, nullable=False),
    Column("format", _Name, nullable=False),
    Column("title", _Text, nullable=False),
    Column("tags", JSON, nullable=False),
    Column("aliases", JSON, nullable=False),
    Column("front_matter", JSON, nullable=False),
    Column("links", JSON, nullable=False),
    Column("warnings", JSON, nullable=False),
    Column("excluded", Boolean, nullable=False),
    UniqueConstraint("root_id", "path"),
)

# A row of PostgreSQL's ordinary indexes holds 2.7 kB; tags and ids come from documents and can be longer. There they
# are found by a hash.

# Tags as they are searched for: folded, each with the tags it is nested in.
document_tags = Table(
    "document_tags",
    metadata,
    Column("document_id", _Id, ForeignKey("documents.id", ondelete="CASCADE"), nullable=False),
    Column("tag", _Text, nullable=False),
    PrimaryKeyConstraint("document_id", "tag").ddl_if("sqlite"),
    Index("document_tags_by_document", "document_id").ddl_if("postgresql"),
    Index("document_tags_by_tag", "tag").ddl_if("sqlite"),
)

# Properties as they are compared: a row for each value. Names and texts are short enough for any index; one index
# answers by itself what a filter asks of a property.
document_properties = Table(
    "document_properties",
    metadata,
    _parent("documents"),
    Column("name", _Name, nullable=False),
    Column("text", _Name),
    Column("number", Float(53)),
    Column("moment", BigInteger),
    Index("document_properties_by_document", "document_id"),
    Index("document_properties_by_name", "name", "text", "number", "moment", "document_id"),
)

# Rows of chunks are never used again (AUTOINCREMENT): a reader may hold one while its document is replaced.
chunks = Table(
    "chunks",
    metadata,
    Column("id", _Id, Identity(), primary_key=True),
    _parent("documents"),
    Column("record_id", _Text, nullable=False),
    Column("link", _Text, nullable=False),
    Column("position", Integer, nullable=False),
    Column("start", Integer, nullable=False),
    Column("own_start", Integer, nullable=False),
    Column("end", Integer, nullable=False),
    Column("start_line", Integer, nullable=False),
    Column("end_line", Integer, nullable=False),
    Column("headings", JSON, nullable=False),
    Column("anchor", _Text, nullable=False),
    Column("number", Integer, nullable=False),
    Column("context", _Text, nullable=False),
    Column("text", _Text, nullable=False),
    Column("context_after", _Text, nullable=False),
    Column("tokens", Integer, nullable=False),
    Column("kinds", JSON, nullable=False),
    Column("tags", JSON, nullable=False),
    Column("links", JSON, nullable=False),
    Column("omitted", JSON, nullable=False),
    Column("oversize", Boolean, nullable=False),
    Column("content_hash", _Name, nullable=False),
    Column("gap", _Name, nullable=False, server_default=""),
    Column("navigation", Boolean),  # NULL: written before this was kept
    UniqueConstraint("document_id", "record_id").ddl_if("sqlite"),
    sqlite_autoincrement=True,
)
Index(
    "chunks_by_record",
    chunks.c.document_id,
    func.hashtextextended(chunks.c.record_id, literal_column("0")),
    unique=True,
).ddl_if("postgresql")

# A passage's text is a slice of its chunk's.
passages = Table(
    "passages",
    metadata,
    Column("id", _Id, Identity(), primary_key=True),
    _parent("chunks"),
    Column("start", Integer, nullable=False),
    Column("end", Integer, nullable=False),
    Column("context", _Text, nullable=False),
    Column("context_after", _Text, nullable=False),
    Column("omitted", JSON, nullable=False),
    Column("content_hash", _Name, nullable=False),
    Index("passages_by_chunk", "chunk_id"),
    Index("passages_by_content", "content_hash"),
)

models = Table(
    "models",
    metadata,
    Column("id", _Id, Identity(), primary_key=True),
    Column("key", _Text, nullable=False, unique=True),
    Column("embedded", BigInteger, nullable=False, server_default=text("0")),  # see `headwise.stores.coverage`
)

# In a table of their own, keyed by what was embedded: in the rows of chunks they would bloat them, and die with them.
vectors = Table(
    "vectors",
    metadata,
    Column("id", _Id, Identity(), primary_key=True),
    _parent("models"),
    Column("content_hash", _Name, nullable=False),
    Column("data", LargeBinary().with_variant(HalfVector(), "postgresql"), nullable=False),
    UniqueConstraint("content_hash", "model_id"),
)

runs = Table(
    "runs",
    metadata,
    Column("id", _Id, Identity(), primary_key=True),
    Column("kind", _Name, nullable=False),
    Column("root", _Text, nullable=False),
    Column("started_ns", BigInteger, nullable=False),
    Column("seconds", Float, nullable=False),
    Column("report", JSON, nullable=False),
)

# `generation` goes up with every change of passages or vectors, so that what is cached of them can tell; `drops`, not
# there before the first, when vectors are dropped. `distinct_passages` is a number that is kept, see
# `headwise.stores.coverage`.
counters = Table(
    "counters",
    metadata,
    Column("name", _Name, primary_key=True),
    Column("value", BigInteger, nullable=False),
)


def m001_tables(connection: Connection) -> None:
    """Make all tables, as they are now: later steps find done what they would do, and do it in older stores only."""
    metadata.create_all(connection, checkfirst=False)  # whatever tables another schema on the path has
    if connection.dialect.name == "postgresql":
        # not said at the table: there it would import all that is PostgreSQL's for stores of every kind
        connection.execute(text("CREATE INDEX document_tags_by_tag ON document_tags USING hash (tag)"))
    connection.execute(insert(counters).values(name="generation", value=0))


def m002_gaps(connection: Connection) -> None:
    """Room for what stands between two chunks, empty until their document is read again."""
    if "gap" not in connection.execute(text("SELECT * FROM chunks LIMIT 0")).keys():  # noqa: SIM118 - not a dict
        order = ' COLLATE "C"' if connection.dialect.name == "postgresql" else ""
        connection.execute(text(f"ALTER TABLE chunks ADD COLUMN gap TEXT{order} DEFAULT '' NOT NULL"))


def m003_properties(connection: Connection) -> None:
    """What filters by property look at, made from the front matter that is stored."""
    # Not whatever table of that name another schema on the path has.
    schema = connection.scalar(select(func.current_schema())) if connection.dialect.name == "postgresql" else None
    if not inspect(connection).has_table(document_properties.name, schema=schema):
        document_properties.create(connection, checkfirst=False)
        page = select(documents.c.id, documents.c.front_matter).order_by(documents.c.id).limit(1000)
        at = 0
        while found := connection.execute(page.where(documents.c.id > at)).all():
            at = found[-1].id
            values = [property_row(row.id, value) for row in found for value in properties_of(row.front_matter)]
            if values:
                connection.execute(insert(document_properties), values)


def m004_navigation(connection: Connection) -> None:
    """Room for whether a chunk is only links, not known until its document is cut again."""
    if "navigation" not in connection.execute(text("SELECT * FROM chunks LIMIT 0")).keys():  # noqa: SIM118 - not a dict
        connection.execute(text("ALTER TABLE chunks ADD COLUMN navigation BOOLEAN"))


def m005_coverage(connection: Connection) -> None:
    """Room for how many passages there are and how many have a vector, counted for the last time."""
    from headwise.stores.coverage import recount  # noqa: PLC0415 - it needs these tables

    if "embedded" not in connection.execute(text("SELECT * FROM models LIMIT 0")).keys():  # noqa: SIM118 - not a dict
        connection.execute(text("ALTER TABLE models ADD COLUMN embedded BIGINT DEFAULT 0 NOT NULL"))
    recount(connection)


MIGRATIONS: tuple[Callable[[Connection], None], ...] = (
    m001_tables,
    m002_gaps,
    m003_properties,
    m004_navigation,
    m005_coverage,
)
"""Applied in order, each once, in one transaction with the new version number."""

VERSION = len(MIGRATIONS)
"""Version of the schema these tables have."""


def migrate(connection: Connection, version: int) -> None:
    """Bring a store from schema *version* (0: empty) to `VERSION`, inside the caller's transaction."""
    for step in MIGRATIONS[version:]:
        step(connection)
