"""A store in an SQLite file: opening, rights, damage, and files that are not ours, which stay untouched."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from support_store import document, dump, raw

from headwise.errors import StoreError
from headwise.stores import schema
from headwise.stores.open import open_store
from headwise.stores.sqlite import SqliteStore
from headwise.stores.sqlite_file import APPLICATION_ID
from headwise.stores.store import Change, Filters, Store


@pytest.fixture
def file(tmp_path):
    return tmp_path / "index.db"


@pytest.fixture
def store(file):
    with SqliteStore(file, create=True) as opened:
        yield opened


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def found(store: Store, word: str) -> list[str]:
    matches = store.match([word], Filters(), 10)
    chunks = store.chunks([match.chunk for match in matches])
    return [chunks[match.chunk].id for match in matches]


def refused(url: object, *, create: bool = True) -> str:
    with pytest.raises(StoreError) as caught:
        open_store(str(url), create=create)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_a_url_and_a_path_open_the_same_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with open_store("odd ?#%41 näme.db", create=True) as store:
        store.replace("r", document("a.md", "x"))
    with open_store("sqlite:///plain.db", create=True) as store:
        store.replace("r", document("b.md", "x"))
    for url, path in ((tmp_path / "odd ?#%41 näme.db", "a.md"), (f"sqlite:///{tmp_path}/plain.db", "b.md")):
        with open_store(str(url)) as store:
            assert list(store.files("r")) == [path]
    assert names(tmp_path) == ["odd ?#%41 näme.db", "plain.db"]


def test_a_store_that_is_not_there_is_not_made_by_reading(tmp_path):
    assert "there is no store" in refused(tmp_path / "index.db", create=False)
    (tmp_path / "empty.db").touch()
    assert "is empty" in refused(tmp_path / "empty.db", create=False)
    assert names(tmp_path) == ["empty.db"]
    assert (tmp_path / "empty.db").stat().st_size == 0


@pytest.mark.parametrize("kind", ["text", "sqlite", "sqlite in WAL mode", "binary"])
def test_a_file_that_is_not_ours_stays_as_it_is(tmp_path, kind):
    file = tmp_path / "other.db"
    if kind.startswith("sqlite"):
        with closing(sqlite3.connect(file)) as other:
            if "WAL" in kind:
                other.execute("PRAGMA journal_mode = WAL")
            other.execute("CREATE TABLE documents (id)")
            other.commit()
    else:
        file.write_bytes(b"Dear diary,\n" if kind == "text" else bytes(range(256)) * 16)
    before, when = file.read_bytes(), file.stat().st_mtime_ns
    assert "is not a Headwise store" in refused(file)
    assert "is not a Headwise store" in refused(file, create=False)
    assert (file.read_bytes(), file.stat().st_mtime_ns, names(tmp_path)) == (before, when, ["other.db"])


def test_a_store_of_a_newer_version_is_refused(store, file):
    with closing(sqlite3.connect(file)) as other:
        other.execute(f"PRAGMA user_version = {schema.VERSION + 1}")
    assert f"newer Headwise (schema {schema.VERSION + 1}" in refused(file)


def test_a_store_of_the_first_version_is_brought_up_to_date(tmp_path, file):
    with closing(sqlite3.connect(file)) as old:
        old.executescript((Path(__file__).parent / "data" / "schema-1.sql").read_text("utf-8"))
        old.execute("INSERT INTO counters VALUES ('generation', 0)")
        old.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        old.execute("PRAGMA user_version = 1")
        old.commit()
    with SqliteStore(file) as store, SqliteStore(tmp_path / "new.db", create=True):
        store.replace("r", document("a.md", "one two", "three"))
        assert [hit.split("#")[0] for hit in found(store, "three")] == ["a.md"]
    tables = []
    for path in (file, tmp_path / "new.db"):
        with closing(sqlite3.connect(path)) as made:
            names = made.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall()
            columns = {name: {row[1:5] for row in made.execute(f"PRAGMA table_info({name})")} for (name,) in names}
            tables.append((columns, made.execute("PRAGMA user_version").fetchone()))
    assert tables[0] == tables[1]


def test_a_store_of_the_second_version_can_be_filtered_by_the_properties_it_has(store, file):
    notes = [document(f"{n}.md", "word", front={"n": n, "At": [{"pin": n % 7}]} if n % 3 else {}) for n in range(2100)]
    store.apply("r", [Change(note) for note in notes])
    store.close()
    made = dump(file)
    assert len(made["properties"]) == 3 * 1400
    with raw(file) as run:
        run("DROP TABLE document_properties")
        run("ALTER TABLE chunks DROP COLUMN navigation")
        run("ALTER TABLE models DROP COLUMN embedded")
        run("DELETE FROM counters WHERE name = 'distinct_passages'")
        run("PRAGMA user_version = 2")
    with closing(sqlite3.connect(file)) as old:
        tables = "SELECT sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'words_%'"
        statements = {" ".join(sql.split()) for (sql,) in old.execute(tables) if "sqlite_" not in sql}
    second = (Path(__file__).parent / "data" / "schema-2.sql").read_text("utf-8")
    assert all(statement in second for statement in statements)
    open_store(str(file)).close()
    made["chunks"] = [(*row[:-1], None) for row in made["chunks"]]  # navigation is not known until they are cut again
    assert dump(file) == made


def test_places_where_no_store_can_be(tmp_path):
    (tmp_path / "file").write_text("x")
    assert "is a folder" in refused(tmp_path)
    assert "folder is not there" in refused(tmp_path / "no" / "index.db")
    assert "cannot be" in refused(tmp_path / "file" / "index.db")
    assert "unknown kind of store 'mysql'" in refused("mysql://user:secret@host/db")
    assert "secret" not in refused("mysql://user:secret@host/db")
    assert "names no file" in refused("sqlite://")
    assert "names no file" in refused("sqlite:///:memory:")
    assert "cannot be read" in refused("://")
    os.mkfifo(tmp_path / "pipe")
    assert "is not a file" in refused(tmp_path / "pipe")
    assert names(tmp_path) == ["file", "pipe"]


def test_a_damaged_store_says_so(store, file):
    for number in range(50):
        store.replace("r", document(f"{number}.md", "word " * 500))
    store.close()
    data = bytearray(file.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    file.write_bytes(data)
    with pytest.raises(StoreError, match="is damaged; delete it and index again"), SqliteStore(file) as damaged:
        damaged.files("r")


READ_ONLY = """
import os, sys
from pathlib import Path
sys.path[:0] = [{src!r}, {tests!r}]
import sqlalchemy.dialects.sqlite
from support_store import document
from headwise.errors import StoreError
from headwise.stores.open import open_store
if os.geteuid() == 0:
    os.seteuid(65534)  # root may write anywhere
try:
    with open_store(sys.argv[1], create=True) as store:
        store.replace("r", document("a.md", "x"))
except StoreError as error:
    print(error)
"""


@pytest.mark.parametrize("case", ["new file in a read-only folder", "read-only file", "unreadable file"])
def test_where_nothing_may_be_written_one_line_says_so(case):
    folder = Path(tempfile.mkdtemp())  # pytest's own folders are closed to the other user we become
    try:
        file = folder / "index.db"
        if "new" not in case:
            SqliteStore(file, create=True).close()
            file.chmod(0o444 if case == "read-only file" else 0o000)
        before = {path.name: path.stat().st_size for path in folder.iterdir()}
        folder.chmod(0o555)
        here = Path(__file__).parent
        script = READ_ONLY.format(src=str(here.parent / "src"), tests=str(here))
        done = subprocess.run([sys.executable, "-c", script, str(file)], capture_output=True, text=True, check=True)
        assert done.stdout.count("\n") == 1
        assert "cannot be" in done.stdout
        assert {path.name: path.stat().st_size for path in folder.iterdir()} == before
    finally:
        folder.chmod(0o755)
        shutil.rmtree(folder)


@contextmanager
def store_nobody_may_write():
    """A filled store that cannot be written, nor anything beside it, by the plain user we are meanwhile."""
    folder = Path(tempfile.mkdtemp())
    file = folder / "index.db"
    with SqliteStore(file, create=True) as store:
        store.replace("r", document("a.md", "alpha"))
    file.chmod(0o444)
    folder.chmod(0o555)
    if is_root := os.geteuid() == 0:
        os.seteuid(65534)
    try:
        yield file
    finally:
        if is_root:
            os.seteuid(0)
        folder.chmod(0o755)
        shutil.rmtree(folder)


def test_a_store_that_may_only_be_read_can_be_searched_and_nothing_is_left_beside_it():
    with store_nobody_may_write() as file:
        with open_store(str(file)) as store:
            assert found(store, "alpha") == ["a.md#part::0"]
            assert store.counts().documents == 1
            with pytest.raises(StoreError, match="cannot be written; check the rights"):
                store.delete("r", "a.md")
        assert names(file.parent) == ["index.db"]


def test_a_reading_without_locks_is_refused_if_the_file_changed_meanwhile_and_the_next_sees_the_change():
    with store_nobody_may_write() as file, open_store(str(file)) as store:
        assert found(store, "alpha") == ["a.md#part::0"]
        me = os.geteuid()
        os.seteuid(os.getuid())
        file.parent.chmod(0o755)
        file.chmod(0o644)
        with SqliteStore(file) as writer:
            writer.replace("r", document("b.md", "alpha"))
        file.chmod(0o444)
        file.parent.chmod(0o555)
        os.seteuid(me)
        with pytest.raises(StoreError, match="was changed by another run while it was read; try again"):
            found(store, "alpha")
        assert found(store, "alpha") == ["a.md#part::0", "b.md#part::0"]


def test_a_failed_start_leaves_no_half_made_file(file, monkeypatch):
    def broken(connection, version):
        schema.metadata.create_all(connection)
        raise StoreError("stop")

    monkeypatch.setattr(schema, "migrate", broken)
    with pytest.raises(StoreError, match="stop"):
        SqliteStore(file, create=True)
    assert names(file.parent) == []


def test_the_header_says_whose_file_it_is_even_before_a_checkpoint(file):
    with SqliteStore(file, create=True) as store:
        store.replace("r", document("a.md", "x"))
        with file.open("rb") as raw:
            assert raw.read(100)[68:72] == APPLICATION_ID.to_bytes(4, "big")


def test_the_schema_of_this_version_stays_what_it_is(store, file):
    """Stores of this version exist: whoever changes a table adds a migration, and so raises the version."""
    with closing(sqlite3.connect(file)) as raw:
        sql = raw.execute(
            "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL"
            " AND name NOT LIKE 'words_%' AND name NOT LIKE 'sqlite_%' ORDER BY name"
        )
        statements = ";\n".join(" ".join(row[0].split()) for row in sql) + ";\n"
    golden = Path(__file__).parent / "data" / f"schema-{schema.VERSION}.sql"
    if os.environ.get("UPDATE_EXPECT"):
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(statements, encoding="utf-8")
    assert statements == golden.read_text(encoding="utf-8")
