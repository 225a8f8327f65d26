"""What a store says about itself: whole documents, what differs from them, damage, vectors, and space."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from support_store import document, dump, raw

from headwise.errors import StoreError
from headwise.model import Link, Span, passage
from headwise.stores.open import open_store
from headwise.stores.sqlite import SqliteStore
from headwise.stores.store import Change, Unused


@pytest.fixture
def file(tmp_path):
    return tmp_path / "index.db"


@pytest.fixture
def store(store_url):
    with open_store(store_url, create=True) as opened:
        yield opened


@pytest.fixture
def file_store(file):
    with SqliteStore(file, create=True) as opened:
        yield opened


def change(url, *statements: str) -> None:
    """Changes the store behind its back."""
    with raw(url) as run:
        for statement in statements:
            run(statement)


def passage_hash(text):
    return document("a.md", text).records[0].passages[0].content_hash


def rich():
    """A document with something in every field."""
    plain = document("a/b.md", "One red fish.", "Two blue fish.", tags=("Fish/Red",))
    chunk = replace(
        plain.records[0].chunk,
        context_after="\n```\n",
        kinds=("heading", "code_block"),
        tags=("own",),
        links=("c.md#x", "https://example.org"),
        omitted=(Span(4, 8),),
        oversize=True,
    )
    passages = tuple(passage(p.start, p.end, p.context, p.text, "!", (Span(4, 8),)) for p in plain.records[0].passages)
    return replace(
        plain,
        front_matter={"owner": "Mila", "list": [1, {"deep": None}]},
        aliases=("B",),
        links=(Link(0, 5, "c.md#x", "link"),),
        warnings=("odd",),
        records=(plain.records[0]._replace(chunk=chunk, passages=passages), plain.records[1]),
    )


def test_all_that_was_put_in_comes_out_again_but_the_words(store):
    store.replace("r", rich())

    assert store.load("r", "a/b.md") == replace(rich(), words=())
    assert store.load("r", "c.md") is None
    assert store.load("other", "a/b.md") is None
    assert store.roots() == ["r"]


def test_a_document_does_not_differ_from_itself_whatever_is_known_of_its_file(store):
    store.replace("r", rich())

    assert store.compare("r", rich()) == []
    assert store.compare("r", replace(rich(), file=rich().file._replace(mtime_ns=99, inode=5), warnings=())) == []
    assert store.compare("r", document("gone.md", "x")) == ["is not in the store"]


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("UPDATE documents SET title = 'Other'", ["title of the document not as in the file"]),
        (
            "UPDATE documents SET front_matter = '{{}}', excluded = true",
            ["front_matter, excluded of the document not as in the file"],
        ),
        ("DELETE FROM document_tags WHERE tag = 'fish'", ["tags to search by: fish missing"]),
        ("UPDATE document_tags SET tag = 'cat' WHERE tag = 'own'", ["tags to search by: own missing, cat too many"]),
        ("DELETE FROM chunks WHERE position = 1", ["chunks: a/b.md#part::1 missing"]),
        ("UPDATE chunks SET text = 'x' WHERE position = 1", ["chunks: a/b.md#part::1 (text) changed"]),
        (
            "UPDATE chunks SET start_line = 9, kinds = '[]'",
            ["chunks: a/b.md#part::0 (start_line, kinds) and 1 more changed"],
        ),
        (
            "UPDATE chunks SET record_id = 'z' WHERE position = 0",
            ["chunks: a/b.md#part::0 missing, z too many"],
        ),
        ("DELETE FROM passages WHERE start = 0", ["passages: those of a/b.md#part::0 not as in the file"]),
        ("UPDATE passages SET content_hash = 'x'", ["passages: those of a/b.md#part::0 and 1 more not as in the file"]),
        ("DELETE FROM words WHERE {row} = 1", ["words of 1 chunks not as in the file"]),
        ("UPDATE words SET {terms} = 'cat'", ["words of 2 chunks not as in the file"]),
    ],
)
def test_every_change_behind_the_back_is_a_difference(store, store_url, statement, says):
    store.replace("r", rich())

    if store_url.startswith("sqlite"):
        change(store_url, "PRAGMA foreign_keys = ON", statement.format(row="rowid", terms="text"))
    else:
        change(store_url, statement.format(row="chunk_id", terms="terms"))

    assert store.compare("r", rich()) == says


def test_a_whole_store_has_no_faults_and_mending_it_changes_nothing(store, store_url):
    store.replace("r", rich())
    before = dump(store_url)

    assert store.faults() == []
    store.mend()

    assert dump(store_url) == before


def counted(store):
    """What `coverage` is to give of two models, counted anew."""
    stats = store.stats()
    having = {model: stats.vectors.get(model, 0) for model in ("m", "n")}
    return {model: (number, stats.distinct_passages - number) for model, number in having.items()}


def kept(store):
    return {model: tuple(store.coverage(model)) for model in ("m", "n")}


def test_the_number_of_passages_with_a_vector_is_kept_right_whatever_is_written(store):
    pick = random.Random(1)  # noqa: S311 - the same ones every time
    texts = [f"Text {number}." for number in range(12)]
    seen = set()
    for _ in range(80):
        path, model = f"{pick.randrange(5)}.md", pick.choice("mmn")
        names = [passage_hash(text) for text in pick.sample(texts, 5)]
        match pick.randrange(8):
            case 0 | 1 | 2:
                new = document(path, *pick.choices(texts, k=pick.randrange(6)))
                store.replace("r", new, instead_of=pick.choice([None, f"{pick.randrange(5)}.md"]))
            case 3:
                several = [Change(document(path, *pick.sample(texts, 3))), Change(None, "gone.md")]
                store.apply(pick.choice("rs"), several)
            case 4 | 5:  # some of them there already, some of no passage
                store.add_vectors(model, {name: np.array([1, 0], np.float32) for name in [*names, "unknown"]})
            case 6:
                store.drop_vectors(model, names[:2])
            case _:
                works = [store.prune, store.mend, partial(store.prune, "m"), partial(store.delete, "r", path)]
                pick.choice(works)()
        assert kept(store) == counted(store)
        seen.add(kept(store)["m"])
    assert len(seen) > 20
    assert store.faults() == []


@pytest.mark.parametrize(
    "wrong",
    [
        "UPDATE models SET embedded = embedded + 1",
        "UPDATE counters SET value = value - 1 WHERE name = 'distinct_passages'",
        "DELETE FROM counters WHERE name = 'distinct_passages'",
        "DELETE FROM vectors",
    ],
)
def test_a_wrong_number_of_passages_with_a_vector_is_a_fault_that_is_mended(store, store_url, wrong):
    store.replace("r", document("a.md", "One.", "Two.", "One."))
    store.add_vectors("m", {passage_hash("One."): np.array([1, 0], np.float32)})
    assert kept(store)["m"] == (1, 1)

    change(store_url, wrong)

    assert store.faults() == ["the kept number of passages, or of those with a vector, is wrong"]
    store.mend()
    assert store.faults() == []
    assert kept(store) == counted(store)


def test_a_store_that_did_not_keep_these_numbers_gets_them_when_it_is_opened(store, store_url):
    store.replace("r", document("a.md", "One.", "Two.", "One."))
    store.add_vectors("m", {passage_hash(text): np.array([1, 0], np.float32) for text in ("One.", "Gone.")})
    right = kept(store)
    store.close()
    version = "PRAGMA user_version = 4"
    if store_url.startswith("postgres"):
        version = "UPDATE headwise_version SET version = 4"
    without = "ALTER TABLE models DROP COLUMN embedded"
    change(store_url, without, "DELETE FROM counters WHERE name = 'distinct_passages'", version)

    with open_store(store_url) as again:
        assert kept(again) == right == {"m": (1, 1), "n": (0, 2)}
        assert again.faults() == []


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("DELETE FROM documents", "2 rows of chunks belong to nothing"),
        ("DELETE FROM chunks WHERE position = 1", "1 rows of passages belong to nothing"),
        ("INSERT INTO words(rowid, title, headings, text) VALUES (77, 'a', 'b', 'c')", "words of 1 chunks that are"),
        ("UPDATE words_content SET c2 = 'cat'", "the index of words does not agree"),
        ("DELETE FROM words_data WHERE id > 10", "the index of words does not agree"),
    ],
)
def test_what_belongs_to_nothing_and_a_broken_index_of_words_are_faults_that_can_be_mended(
    file_store, file, statement, says
):
    file_store.replace("r", document("a.md", "One.", "Two."))
    file_store.replace("r", document("b.md", "One."))
    file_store.delete("r", "b.md")

    change(file, statement)
    found = file_store.faults()
    file_store.mend()

    assert any(says in line for line in found)
    assert file_store.faults() == []


def test_an_index_of_the_database_that_lacks_rows_is_made_anew(file_store, file):
    file_store.replace("r", document("a.md", "One.", "Two."))
    change(
        file,
        "PRAGMA writable_schema = ON",
        "UPDATE sqlite_master SET sql = sql || ' WHERE id < 0' WHERE name = 'passages_by_content'",
    )
    change(file, "REINDEX")
    change(
        file,
        "PRAGMA writable_schema = ON",
        "UPDATE sqlite_master SET sql = replace(sql, ' WHERE id < 0', '') WHERE name = 'passages_by_content'",
    )
    with SqliteStore(file) as again:
        assert any("missing from index passages_by_content" in line for line in again.faults())
        again.mend()
        assert again.faults() == []


def test_a_damaged_file_is_one_line_that_says_what_to_do(file_store, file):
    file_store.replace("r", document("a.md", *(f"Text {number} " * 40 for number in range(100))))
    file_store.close()
    size = file.stat().st_size
    with file.open("r+b") as raw:
        raw.seek(size // 2)
        raw.write(b"\xff" * (size // 4))

    with SqliteStore(file) as damaged, pytest.raises(StoreError, match="is damaged; delete it and index again"):
        damaged.mend()


def vectors(store, **rows: list[float]) -> None:
    store.add_vectors("m", {name: np.array(row, dtype=np.float32) for name, row in rows.items()})


def test_vectors_come_out_as_they_went_in_and_can_be_dropped_one_by_one(store):
    vectors(store, a=[1, 0], b=[0, 1], c=[0.6, 0.8])
    store.add_vectors("other", {"a": np.array([1], dtype=np.float32)})

    found = store.vectors("m", ["a", "c", "z"])
    assert {name: vector.tolist() for name, vector in found.items()} == {
        "a": [1, 0],
        "c": pytest.approx([0.6, 0.8], abs=1e-3),
    }
    assert (store.dimensions("m"), store.dimensions("other"), store.dimensions("none")) == (2, 1, 0)

    store.drop_vectors("m", ["a", "z"])
    assert list(store.vectors("m", ["a"])) == []
    assert list(store.vectors("other", ["a"])) == ["a"]


def test_a_vector_of_half_a_number_is_none(file_store, file):
    vectors(file_store, b=[0, 1])
    change(file, "UPDATE vectors SET data = x'00' WHERE content_hash = 'b'")
    assert file_store.vectors("m", ["b"])["b"].tolist() == []


def test_a_thousand_vectors_are_found_at_once(store):
    names = {f"v{number}": [1.0] for number in range(1000)}
    vectors(store, **names)
    assert sorted(store.vectors("m", list(names))) == sorted(names)


def test_unused_vectors_are_counted_and_dropped_those_of_other_models_only_if_asked(store):
    store.replace("r", document("a.md", "One."))
    used = store.load("r", "a.md").records[0].passages[0].content_hash
    vectors(store, **{used: [1, 0], "orphan": [0, 1]})
    store.add_vectors("old", {used: np.array([1, 0, 0], dtype=np.float32)})

    assert store.unused() == Unused(1, 4)
    assert store.unused("m") == Unused(2, 10)
    assert store.unused("not there") == Unused(1, 4)
    assert store.prune() == 1
    assert store.models() == ["m", "old"]
    assert store.prune("m") == 1
    assert store.models() == ["m"]
    assert store.unused("m") == Unused(0, 0)


def test_space_is_given_back_when_there_is_much(file_store, file):
    for number in range(40):
        file_store.replace("r", document(f"{number}.md", *("word " * 2000 for _ in range(5))))
    before = dump(file)["documents"][:1]
    for number in range(1, 40):
        file_store.delete("r", f"{number}.md")

    space = file_store.compact()

    assert space.after < space.before / 4
    assert space.after == file.stat().st_size  # nothing is left in the log beside it
    assert dump(file)["documents"] == before[:0] + [row for row in dump(file)["documents"] if row[1] == "0.md"]
    again = file_store.compact()
    assert again.before == again.after == space.after


def test_a_store_that_is_only_read_is_looked_at_as_far_as_that_goes(file):
    with SqliteStore(file, create=True) as store:
        store.replace("r", rich())
    with SqliteStore(file, read_only=True) as store:
        assert store.faults() == []
        assert store.compare("r", rich()) == []
    with raw(file) as run:
        run("DELETE FROM chunks WHERE position = 1")
    with SqliteStore(file, read_only=True) as store:
        assert store.faults() == ["1 rows of passages belong to nothing"]
