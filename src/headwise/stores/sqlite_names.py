"""Names in an SQLite store, read with the driver alone: for a shell that waits for them while somebody types."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path

MOST = 500
"""Names given at most: nobody reads more."""

_PATHS = "SELECT path FROM documents WHERE NOT excluded AND path LIKE ? ESCAPE '!' ORDER BY path LIMIT ?"
_TAGS = "SELECT DISTINCT tag FROM document_tags WHERE tag LIKE ? ESCAPE '!' ORDER BY tag LIMIT ?"
_ANCHORS = """
SELECT c.anchor FROM chunks AS c JOIN documents AS d ON d.id = c.document_id
WHERE d.path = ? AND c.anchor LIKE ? ESCAPE '!' AND c.anchor <> '' GROUP BY c.anchor ORDER BY min(c.id) LIMIT ?
"""


def paths(file: Path, beginning: str) -> list[str]:
    """Documents whose paths begin so, in any letter case, in order; none if *file* is no store or cannot be read."""
    return _column(file, _PATHS, _like(beginning))


def tags(file: Path, beginning: str) -> list[str]:
    """Tags that begin so."""
    return _column(file, _TAGS, _like(beginning))


def anchors(file: Path, path: str, beginning: str) -> list[str]:
    """Anchors of the sections of the document *path* that begin so, in order of place."""
    return _column(file, _ANCHORS, path, _like(beginning))


def _column(file: Path, statement: str, *values: str) -> list[str]:
    try:
        with _opened(file) as connection:
            return [row[0] for row in connection.execute(statement, (*values, MOST))]
    except (sqlite3.Error, ValueError):  # another schema, a damaged file, what no name can hold
        return []


@contextmanager
def _opened(file: Path) -> Generator[sqlite3.Connection]:
    """The store, opened so that nothing is written to it or beside it."""
    is_shared = file.with_name(f"{file.name}-wal").exists()
    mode = "mode=ro" if is_shared else "mode=ro&immutable=1"
    with closing(sqlite3.connect(f"{file.absolute().as_uri()}?{mode}", uri=True, timeout=0.1)) as connection:
        yield connection


def _like(beginning: str) -> str:
    for sign in "!%_":
        beginning = beginning.replace(sign, f"!{sign}")
    return f"{beginning}%"
