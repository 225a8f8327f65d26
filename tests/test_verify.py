"""Whatever is changed behind a store's back is found, said in a line, and mended: a second look finds nothing."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from support_embedder import WordBag
from support_postgres import postgres_url
from support_store import dump, raw

from headwise.chunking.settings import Settings
from headwise.errors import MassDeletionError, ReadingError, StoreError
from headwise.indexing import verify as verify_module
from headwise.indexing.embed import embed_pending
from headwise.indexing.files import FileOptions
from headwise.indexing.records import IndexSettings
from headwise.indexing.sync import sync
from headwise.indexing.verify import VerifyReport, verify
from headwise.stores.open import open_store

MODEL = WordBag()
SETTINGS = IndexSettings(Settings(min_tokens=0), embedder=MODEL)
NOTES = {
    "a.md": "---\ntags: [robot/small]\n---\n\n# SMARS\n\nA small robot.\n\n## Motor\n\nIt takes four pins.\n",
    "food/bread.md": "# Bread\n\nKnead the dough. #baking\n",
    "food/miso.md": "# 味噌汁\n\n火を止めてから味噌を溶きます。\n",
    "out.md": "---\nheadwise: false\n---\n\nKept out.\n",
}


class Vault:
    """A folder and its store."""

    def __init__(self, place: Path, url: str) -> None:
        self.folder, self.url = place / "notes", url
        for name, text in NOTES.items():
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_text(text, "utf-8")
        self.store = open_store(url, create=True)
        self.sync()

    def sync(self) -> None:
        sync(self.store, self.folder, "r", FileOptions(), SETTINGS)
        embed_pending(self.store, MODEL)

    def verify(self, settings: IndexSettings = SETTINGS, **options) -> VerifyReport:
        return verify(self.store, self.folder, "r", FileOptions(), settings, **options)

    def said(self, **options) -> list[tuple[str, str]]:
        return [(found.path, found.what) for found in self.verify(**options).differences]

    def change(self, *statements: str, **values: object) -> None:
        with raw(self.url) as run:
            for statement in statements:
                run(statement, **values)

    def paths(self) -> list[str]:
        return [file.path for file in self.store.files_after("r", "", "", 1000)]

    def dump(self):
        return dump(self.url, MODEL.key)


@pytest.fixture
def vault(tmp_path, store_url):
    made = Vault(tmp_path, store_url)
    with made.store:
        yield made


@pytest.fixture
def sqlite_vault(tmp_path):
    made = Vault(tmp_path, str(tmp_path / "index.db"))
    with made.store:
        yield made


@pytest.fixture
def postgres_vault(tmp_path):
    made = Vault(tmp_path, postgres_url())
    with made.store:
        yield made


def test_a_store_that_equals_its_folder_is_clean_and_stays_as_it_is(vault):
    before = vault.dump()

    report = vault.verify(fix=True)

    assert (report.documents, report.differences, report.problems, report.is_clean) == (4, (), (), True)
    assert (report.pending, report.with_vectors) == (0, True)
    assert vault.dump() == before


@pytest.mark.parametrize(
    ("statement", "path", "says"),
    [
        ("DELETE FROM documents WHERE path = 'a.md'", "a.md", "is not in the store"),
        ("UPDATE documents SET title = 'x' WHERE path = 'a.md'", "a.md", "title of the document not as in the file"),
        ("UPDATE documents SET content_hash = 'x' WHERE path = 'a.md'", "a.md", "says something else than what was in"),
        ("UPDATE documents SET settings_key = 'x' WHERE path = 'a.md'", "a.md", "was cut under other settings"),
        ("UPDATE documents SET excluded = false WHERE path = 'out.md'", "out.md", "excluded of the document"),
        ("UPDATE documents SET path = 'b.md' WHERE path = 'a.md'", "b.md", "is stored, but no longer there"),
        ("DELETE FROM document_tags WHERE tag = 'robot'", "a.md", "tags to search by: robot missing"),
        (
            "UPDATE document_properties SET text = 'robot' WHERE name = 'tags'",
            "a.md",
            "properties to filter by: tags not as in the file",
        ),
        (
            "DELETE FROM document_properties WHERE name = 'tags'",
            "a.md",
            "properties to filter by: tags not as in the file",
        ),
        ("INSERT INTO document_tags SELECT id, 'x' FROM documents WHERE path = 'out.md'", "out.md", "x too many"),
        ("DELETE FROM chunks WHERE anchor = 'motor'", "a.md", "chunks: a.md#motor::0 missing"),
        ("UPDATE chunks SET text = 'x' WHERE anchor = 'bread'", "food/bread.md", "(text) changed"),
        ("UPDATE chunks SET link = 'x' WHERE anchor = 'bread'", "food/bread.md", "(link) changed"),
        ("DELETE FROM passages WHERE chunk_id = 3", "food/bread.md", "passages: those of food/bread.md#bread"),
        ("UPDATE passages SET start = 1 WHERE chunk_id = 3", "food/bread.md", "passages: those of"),
    ],
)
def test_a_row_changed_behind_the_back_is_found_and_mended(vault, statement, path, says):
    is_found_and_mended(vault, path, says, statement)


@pytest.mark.parametrize(
    ("statement", "path", "says"),
    [
        ("DELETE FROM words WHERE title LIKE '%bread%'", "food/bread.md", "words of 1 chunks not as in the file"),
        ("UPDATE words SET text = 'cat' WHERE title LIKE '%bread%'", "food/bread.md", "words of 1 chunks not"),
        ("UPDATE words_content SET c2 = 'cat' WHERE c0 LIKE '%bread%'", "food/bread.md", "words of 1 chunks not"),
        ("UPDATE words_content SET c2 = 'cat' WHERE c0 LIKE '%bread%'", "", "the index of words does not agree"),
        ("INSERT INTO words(rowid, text) VALUES (999, 'cat')", "", "words of 1 chunks that are not there"),
        ("DELETE FROM chunks WHERE anchor = 'bread'", "", "1 rows of passages belong to nothing"),
        ("DELETE FROM documents WHERE path = 'a.md'", "", "2 rows of chunks belong to nothing"),
    ],
)
def test_what_only_a_file_can_hold_is_found_and_mended(sqlite_vault, statement, path, says):
    is_found_and_mended(sqlite_vault, path, says, statement)


BREAD = "WHERE chunk_id = (SELECT id FROM chunks WHERE anchor = 'bread')"


@pytest.mark.parametrize(
    ("statement", "path", "says"),
    [
        (f"DELETE FROM words {BREAD}", "food/bread.md", "words of 1 chunks not as in the file"),
        (f"DELETE FROM words {BREAD}", "", "1 chunks have no words to be found by"),
        (f"UPDATE words SET terms = 'cat' {BREAD}", "food/bread.md", "words of 1 chunks not as in the file"),
        (f"UPDATE words SET length = 99 {BREAD}", "food/bread.md", "words of 1 chunks not as in the file"),
        (
            f"INSERT INTO words SELECT chunk_id, 1, length, 'cat' FROM words {BREAD}",
            "food/bread.md",
            "words of 1 chunks",
        ),
        ("INSERT INTO words VALUES (999, 0, 1, 'cat')", "", "1 rows of words belong to nothing"),
        ("DELETE FROM chunks WHERE anchor = 'bread'", "", "1 rows of passages belong to nothing"),
        ("DELETE FROM documents WHERE path = 'a.md'", "", "2 rows of chunks belong to nothing"),
        (
            "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'passages_by_content'::regclass",
            "",
            "the index passages_by_content is not valid",
        ),
    ],
)
def test_what_only_postgresql_can_hold_is_found_and_mended(postgres_vault, statement, path, says):
    unchecked = "SET LOCAL session_replication_role = replica"  # foreign keys too
    is_found_and_mended(postgres_vault, path, says, unchecked, statement)


def is_found_and_mended(vault: Vault, path: str, says: str, *statements: str) -> None:
    before = vault.dump()
    vault.change(*statements)

    found = vault.said()
    assert any(where == path and says in what for where, what in found), found
    assert not vault.verify().is_clean

    fixed = vault.verify(fix=True)
    assert fixed.is_clean
    assert {(found.path, found.what) for found in fixed.differences} >= set(found)
    assert vault.said() == []
    assert vault.dump() == before


VECTOR = "UPDATE vectors SET data = :data WHERE content_hash = (SELECT content_hash FROM passages WHERE chunk_id = 3)"


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (np.ones(8, "<f2").tobytes(), "not of 32 dimensions"),
        (b"\x00" * 65, "not of 32 dimensions"),
        (np.full(32, np.nan, "<f2").tobytes(), "not numbers"),
        (np.full(32, np.inf, "<f2").tobytes(), "not numbers"),
        (np.ones(32, "<f2").tobytes(), "not of length one"),
    ],
    ids=["short", "odd", "nan", "inf", "long"],
)
def test_a_wrong_vector_is_dropped_so_that_embedding_makes_it_anew(sqlite_vault, data, why):
    is_dropped_and_made_anew(sqlite_vault, data, why)


@pytest.mark.parametrize(("data", "why"), [([1] * 8, "not of 32 dimensions"), ([1] * 32, "not of length one")])
def test_so_is_one_in_postgresql_which_holds_only_numbers(postgres_vault, data, why):
    is_dropped_and_made_anew(postgres_vault, str(data), why)


def is_dropped_and_made_anew(vault: Vault, data: object, why: str) -> None:
    before = vault.dump()
    vault.change(VECTOR, data=data)

    assert vault.said() == [("food/bread.md", f"1 of 1 vectors of bag 32: {why}")]
    assert vault.verify(fix=True).pending == 1
    assert vault.said() == []

    embed_pending(vault.store, MODEL)
    assert vault.dump() == before


def test_a_vector_of_zeros_is_what_models_give_for_a_text_without_a_known_word(vault):
    vault.change(VECTOR, data=str([0] * 32) if vault.url.startswith("postgresql") else bytes(64))
    assert vault.said() == []


def test_a_missing_vector_is_pending_and_an_unused_one_a_cache_neither_is_a_fault(vault):
    vault.change("DELETE FROM vectors WHERE id = 1", "UPDATE models SET embedded = embedded - 1")
    vault.store.add_vectors(MODEL.key, {"unused": MODEL.embed_query("x")})

    report = vault.verify()

    assert (report.differences, report.pending, report.unused.vectors, report.is_clean) == ((), 1, 1, True)


def test_a_file_edited_with_its_times_kept_is_found_and_one_edited_since(vault):
    for name, keep in (("a.md", True), ("food/bread.md", False)):
        file = vault.folder / name
        times = file.stat()
        file.write_text(file.read_text("utf-8").replace("a", "e"), "utf-8")
        os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns + (0 if keep else 10**10)))

    assert vault.said() == [
        ("a.md", "says something else than what was indexed, although its size and time are the same"),
        ("food/bread.md", "says something else than what was indexed"),
    ]
    assert vault.verify(fix=True).is_clean
    embed_pending(vault.store, MODEL)
    mended = vault.dump()
    vault.sync()
    assert vault.dump() == mended
    assert vault.said() == []


def test_a_file_that_is_gone_and_one_that_is_new(vault):
    (vault.folder / "a.md").rename(vault.folder / "food" / "a.md")

    assert vault.said() == [("food/a.md", "is not in the store"), ("a.md", "is stored, but no longer there")]
    assert vault.verify(fix=True).is_clean
    assert vault.said() == []
    assert vault.paths() == ["food/a.md", "food/bread.md", "food/miso.md", "out.md"]


def test_a_part_is_looked_at_alone(vault):
    vault.change("UPDATE documents SET title = 'x'")
    (vault.folder / "new.md").write_text("New.\n")

    report = vault.verify(below="food", fix=True)

    assert report.documents == 2
    assert {found.path for found in report.differences} == {"food/bread.md", "food/miso.md"}
    assert {path for path, _ in vault.said()} == {"a.md", "new.md", "out.md"}
    assert vault.said(below="food/bread.md") == []


def test_other_settings_differ_in_every_document(vault):
    other = IndexSettings(Settings(min_tokens=0, max_tokens=40), embedder=MODEL)
    found = vault.verify(other).differences
    assert len(found) == 4
    assert {difference.what for difference in found} == {
        "was cut under other settings; give verify the options that index was given"
    }


def test_a_folder_that_is_missing_is_an_error_and_never_empties_the_store(vault):
    before = vault.dump()
    shutil.move(vault.folder, vault.folder.with_name("away"))
    with pytest.raises(ReadingError, match="no such folder"):
        vault.verify(fix=True)
    assert vault.dump() == before


def test_where_most_documents_are_gone_nothing_is_deleted(vault):
    for number in range(30):
        (vault.folder / f"{number}.md").write_text(f"Note {number}.\n")
    vault.sync()
    before = vault.dump()
    for number in range(20):
        (vault.folder / f"{number}.md").unlink()

    assert len(vault.said()) == 20
    with pytest.raises(MassDeletionError, match="20 of 34 stored documents are no longer there"):
        vault.verify(fix=True)

    assert vault.dump() == before


def test_a_root_that_was_never_indexed_is_one_line(vault):
    with pytest.raises(StoreError, match=r"the store has nothing of .*; index it first"):
        verify(vault.store, vault.folder, "other", FileOptions(), SETTINGS)


def test_a_folder_that_cannot_be_read_is_said_and_all_below_it_stays(vault, monkeypatch):
    real = os.scandir

    def refuse(path):
        if str(path).endswith("food"):
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(os, "scandir", refuse)
    report = vault.verify(fix=True)

    assert [problem.path for problem in report.problems] == ["food"]
    assert (report.differences, report.is_clean) == ((), False)
    assert len(vault.paths()) == 4


def test_what_is_no_text_any_more_has_no_records(vault):
    (vault.folder / "a.md").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")

    assert vault.said() == [("a.md", "is stored, but is no text any more")]
    report = vault.verify(fix=True)

    assert [(problem.path, problem.reason) for problem in report.problems] == [
        ("a.md", "looks like a binary file, not text")
    ]
    assert report.is_clean
    assert vault.said() == []
    vault.sync()
    assert "a.md" not in vault.paths()


def test_a_link_to_nowhere_keeps_what_is_known_of_it(vault):
    (vault.folder / "a.md").unlink()
    (vault.folder / "a.md").symlink_to(vault.folder.parent / "elsewhere.md")
    report = vault.verify()
    assert [problem.path for problem in report.problems] == ["a.md"]


def test_progress_counts_documents(vault):
    steps: list[tuple[int, int]] = []
    vault.verify(on_progress=lambda done, total: steps.append((done, total)))
    assert steps == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_a_sync_that_runs_meanwhile_is_not_taken_for_a_fault(vault, monkeypatch):
    """A file is edited just before it is read; before it is looked at again, a sync stores it."""
    real = verify_module._compare
    looks: list[str] = []

    def compare(look, known, made):
        found = real(look, known, made)
        if found:
            looks.append(made.file.path)
            vault.sync()
        return found

    monkeypatch.setattr(verify_module, "_compare", compare)
    (vault.folder / "a.md").write_text("# Other\n\nText.\n")

    assert vault.said() == []
    assert looks == ["a.md"]


def test_all_cores_see_the_same(vault, monkeypatch):
    monkeypatch.setattr("headwise.indexing.workers.WORTHWHILE", 0)
    vault.change("UPDATE documents SET title = 'x'")
    for number in range(70):
        (vault.folder / f"{number}.md").write_text(f"Note {number}.\n")

    alone = vault.said()

    assert vault.said(workers=2) == alone
    assert len(alone) == 74
