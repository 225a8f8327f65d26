"""Syncing: after any changes, crashes and retries a store holds what one built from nothing would."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from sqlalchemy import make_url
from support_folder import ROOT, Folder, age, random_change, random_note, settle
from support_postgres import ask
from support_store import raw

from headwise.chunking.settings import Settings
from headwise.errors import MassDeletionError, ReadingError
from headwise.indexing import prepare as prepare_module
from headwise.indexing import survey as survey_module
from headwise.indexing import sync as sync_module
from headwise.indexing.files import FileOptions, Problem
from headwise.indexing.models import ModelSettings
from headwise.indexing.models.endpoint import Endpoint
from headwise.indexing.records import IndexSettings
from headwise.indexing.survey import Outlook
from headwise.indexing.sync import sync
from headwise.stores.open import open_store

CASES = Path(__file__).parents[2] / "shared" / "cases"


@pytest.fixture
def notes(tmp_path, new_url):
    folder = Folder(tmp_path, new_url)
    folder.write("a.md", "# Alpha\n\nMotors turn wheels.\n\n## Wiring\n\nRed goes to plus.\n")
    folder.write("sub/b.md", "---\ntags: [robot/arm]\n---\n\n# Beta\n\nArms lift boxes. See [[a]].\n")
    folder.write("sub/c.txt", "Plain gamma text.\n")
    settle()
    return folder


# --- each kind of change ---------------------------------------------------------------------------------------------


def test_the_first_sync_adds_everything(notes):
    report = notes.sync()
    assert report.documents == sync_module.DocumentCounts(added=3)
    assert (report.chunks, report.problems, report.reused) == (4, (), 0)
    assert report.passages >= 4
    assert notes.found("motor") == ["a.md#alpha::0"]
    assert [(e.path, e.done, e.total, e.chunks) for e in notes.events] == [
        ("a.md", 1, 3, 2),
        ("sub/b.md", 2, 3, 1),
        ("sub/c.txt", 3, 3, 1),
    ]


def test_an_unchanged_folder_is_not_read_and_no_record_is_written(notes, monkeypatch):
    notes.sync()
    monkeypatch.setattr(prepare_module, "read_document", None)
    with raw(notes.url) as run:
        before = run("SELECT value FROM counters")
    report = notes.sync()
    assert report.documents == sync_module.DocumentCounts(unchanged=3)
    with raw(notes.url) as run:
        assert run("SELECT value FROM counters") == before
        assert run("SELECT count(*) FROM runs") == [(2,)]
    assert (report.chunks, report.reused) == (4, 0)


def test_an_edit_replaces_one_document_and_says_what_stayed(notes):
    notes.sync()
    notes.write("a.md", "# Alpha\n\nEngines turn wheels.\n\nMore.\n\n## Wiring\n\nRed goes to plus.\n")
    report = notes.sync()
    assert (report.documents.changed, report.documents.unchanged, report.reused) == (1, 2, 1)
    assert notes.found("motor") == []
    assert notes.dump() == notes.rebuilt()


def test_a_touch_changes_nothing_and_is_remembered(notes, monkeypatch):
    notes.sync()
    age(notes.path / "a.md")
    settle()
    assert notes.outcomes() == {"unchanged": ["sub/b.md", "sub/c.txt", "a.md"]}  # first what need not be read
    assert notes.dump() == notes.rebuilt()
    monkeypatch.setattr(prepare_module, "read_document", None)
    assert notes.outcomes() == {"unchanged": ["a.md", "sub/b.md", "sub/c.txt"]}


def test_a_move_is_one_and_a_copy_is_an_addition(notes):
    notes.sync()
    (notes.path / "deep").mkdir()
    (notes.path / "a.md").rename(notes.path / "deep/a.md")
    shutil.copy(notes.path / "sub/b.md", notes.path / "copy.md")
    assert notes.outcomes() == {"added": ["copy.md"], "moved": ["deep/a.md"], "unchanged": ["sub/b.md", "sub/c.txt"]}
    (moved,) = (event for event in notes.events if event.outcome == "moved")
    assert (moved.moved_from, moved.chunks, moved.reused) == ("a.md", 2, 2)
    assert notes.found("motor") == ["deep/a.md#alpha::0"]
    assert notes.dump() == notes.rebuilt()


def test_a_rename_that_changes_the_title_changes_the_breadcrumb(notes):
    notes.sync()
    (notes.path / "sub/c.txt").rename(notes.path / "sub/gears.txt")
    assert notes.outcomes()["moved"] == ["sub/gears.txt"]
    assert notes.found("gear") == ["sub/gears.txt::0"]
    assert notes.dump() == notes.rebuilt()


def test_equal_files_that_move_are_paired_one_to_one(notes):
    for name in ("x1.md", "x2.md", "x3.md"):
        notes.write(name, "# Same\n\nText.\n")
    notes.sync()
    for name in ("x1.md", "x2.md", "x3.md"):
        (notes.path / name).unlink()
    notes.write("y1.md", "# Same\n\nText.\n")
    notes.write("y2.md", "# Same\n\nText.\n")
    outcomes = notes.outcomes()
    assert (outcomes["moved"], outcomes["deleted"]) == (["y1.md", "y2.md"], ["x3.md"])
    assert notes.dump() == notes.rebuilt()


def test_a_deleted_file_leaves_nothing(notes):
    notes.sync()
    shutil.rmtree(notes.path / "sub")
    assert notes.outcomes() == {"unchanged": ["a.md"], "deleted": ["sub/b.md", "sub/c.txt"]}
    assert notes.dump() == notes.rebuilt()


def test_a_file_that_becomes_a_folder(notes):
    notes.sync()
    (notes.path / "a.md").unlink()
    notes.write("a.md/inner.md", "# Inner\n\nText.\n")
    assert notes.outcomes() == {"added": ["a.md/inner.md"], "unchanged": ["sub/b.md", "sub/c.txt"], "deleted": ["a.md"]}
    assert notes.dump() == notes.rebuilt()


def test_other_settings_cut_anew_and_search_again_finds_no_leftovers(notes):
    notes.sync()
    notes.settings = IndexSettings(Settings(max_tokens=20), passages=None)
    assert notes.outcomes() == {"changed": ["a.md", "sub/b.md", "sub/c.txt"]}
    assert notes.dump() == notes.rebuilt()
    assert notes.outcomes() == {"unchanged": ["a.md", "sub/b.md", "sub/c.txt"]}


def test_settings_of_search_cut_nothing_anew(notes):
    def asking(prefix: str) -> IndexSettings:
        model = ModelSettings("m", "http://localhost:1/v1", dimensions=8, query_prefix=prefix)
        return IndexSettings(Settings(max_tokens=60), embedder=Endpoint(model, 8))

    notes.settings = asking("query: ")
    notes.sync()
    notes.settings = asking("search for ")
    assert set(notes.outcomes()) == {"unchanged"}


def test_a_note_that_keeps_itself_out_is_remembered_without_records(notes, monkeypatch):
    notes.sync()
    notes.write("a.md", "---\nheadwise: false\n---\n\n# Alpha\n\nMotors.\n")
    settle()
    assert notes.outcomes()["changed"] == ["a.md"]
    assert notes.found("motor") == []
    with open_store(notes.url) as store:
        assert store.counts(ROOT)[:2] == (2, 1)
    assert notes.dump() == notes.rebuilt()
    monkeypatch.setattr(prepare_module, "read_document", None)
    assert notes.outcomes() == {"unchanged": ["a.md", "sub/b.md", "sub/c.txt"]}


def test_warnings_are_kept_with_the_document(notes):
    (notes.path / "old.md").write_bytes("# Café\n\nCrème brûlée à la carte, déjà vu.\n".encode("cp1252"))
    notes.write("bad.md", "---\nkey: [unclosed\n---\n\nText.\n")
    notes.sync()
    warnings = {row[1]: json.loads(row[14]) for row in notes.dump()["documents"]}
    assert "not UTF-8" in warnings["old.md"][0]
    assert "front matter" in warnings["bad.md"][0]
    assert warnings["a.md"] == []


# --- what cannot be read ---------------------------------------------------------------------------------------------


def test_an_unreadable_file_is_reported_and_what_was_stored_is_kept(notes, monkeypatch):
    notes.sync()
    before = notes.dump()["chunks"]
    notes.write("a.md", "# Alpha\n\nOther words.\n")
    real = Path.open

    def refuse(path, *arguments):
        if path.name == "a.md":
            raise PermissionError(13, "Permission denied")
        return real(path, *arguments)

    monkeypatch.setattr(Path, "open", refuse)
    report = notes.sync()
    assert (report.documents.failed, report.documents.unchanged, report.documents.deleted) == (1, 2, 0)
    assert report.problems == (Problem("a.md", "cannot be read (Permission denied)", unknown=True),)
    assert notes.dump()["chunks"] == before
    monkeypatch.undo()
    assert notes.outcomes()["changed"] == ["a.md"]
    assert notes.dump() == notes.rebuilt()


def test_a_file_that_is_no_text_any_more_is_a_failure_and_what_was_stored_of_it_goes(notes):
    notes.sync()
    (notes.path / "a.md").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR" + bytes(100))
    for removed in (2, 0):
        report = notes.sync()
        assert (report.documents.failed, report.documents.unchanged, report.documents.deleted) == (1, 2, 0)
        (problem,) = report.problems
        assert (problem.path, "binary" in problem.reason, problem.unknown) == ("a.md", True, False)
        assert report.changes.removed == removed
        assert notes.found("motor") == []
        assert notes.dump() == notes.rebuilt()
    notes.write("a.md", "# Alpha\n\nMended.\n")
    assert notes.outcomes()["added"] == ["a.md"]
    assert notes.dump() == notes.rebuilt()


def test_a_folder_that_cannot_be_read_keeps_all_that_is_below_it(notes, monkeypatch):
    notes.write("sub/deeper/d.md", "# Delta\n\nText.\n")
    notes.sync()
    real = os.scandir

    def refuse(path):
        if str(path).endswith("sub"):
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(os, "scandir", refuse)
    report = notes.sync()
    assert report.documents == sync_module.DocumentCounts(unchanged=1, failed=1)
    assert [problem.path for problem in report.problems] == ["sub"]
    assert notes.found("delta") == ["sub/deeper/d.md#delta::0"]


def test_a_missing_root_is_an_error_and_nothing_is_deleted(notes):
    notes.sync()
    before = notes.dump()
    notes.path.rename(notes.path.with_name("elsewhere"))
    with pytest.raises(ReadingError, match="no such folder"):
        notes.sync()
    assert notes.dump() == before


def test_a_file_that_vanishes_between_listing_and_reading_is_reported(notes, monkeypatch):
    real = sync_module.take_survey

    def find_then_lose(*arguments, **named):
        found = real(*arguments, **named)
        (notes.path / "a.md").unlink()
        return found

    monkeypatch.setattr(sync_module, "take_survey", find_then_lose)
    report = notes.sync()
    assert (report.documents.added, report.documents.failed) == (2, 1)
    assert "vanished" in report.problems[0].reason
    monkeypatch.undo()
    notes.sync()
    assert notes.dump() == notes.rebuilt()


# --- noticing changes ------------------------------------------------------------------------------------------------


def test_an_edit_in_the_same_tick_as_the_last_sync_is_noticed(notes):
    notes.write("a.md", "# Alpha\n\nVersion one.\n", quiet=False)
    stamp = (notes.path / "a.md").stat()
    notes.sync()
    (notes.path / "a.md").write_text("# Alpha\n\nVersion two.\n")
    os.utime(notes.path / "a.md", ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    with raw(notes.url) as run:  # as if the clock had stood still: only the contents differ
        now = (notes.path / "a.md").stat().st_ctime_ns
        run("UPDATE documents SET ctime_ns = :now, checked_ns = :now + 10000000 WHERE path = 'a.md'", now=now)
    assert notes.outcomes()["changed"] == ["a.md"]
    assert notes.dump() == notes.rebuilt()


def test_an_edit_of_the_same_length_with_the_old_time_stamp_is_noticed(notes):
    notes.sync()
    stamp = (notes.path / "a.md").stat()
    text = (notes.path / "a.md").read_text()
    (notes.path / "a.md").write_text(text.replace("Motors", "Rotors"))
    os.utime(notes.path / "a.md", ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    settle()
    assert notes.outcomes()["changed"] == ["a.md"]
    assert notes.dump() == notes.rebuilt()


def test_an_edit_that_hides_its_times_is_noticed_by_checksum(notes):
    notes.sync()
    notes.write("a.md", "# Alpha\n\nRotors turn wheels.\n\n## Wiring\n\nRed goes to plus.\n")
    with raw(notes.url) as run:
        now = (notes.path / "a.md").stat()
        run(
            "UPDATE documents SET mtime_ns = :changed, ctime_ns = :moved, checked_ns = :later WHERE path = 'a.md'",
            changed=now.st_mtime_ns,
            moved=now.st_ctime_ns,
            later=time.time_ns() + 10**10,
        )
    assert "changed" not in notes.outcomes()
    assert notes.outcomes(checksum=True)["changed"] == ["a.md"]
    assert notes.dump() == notes.rebuilt()


def replaced_after_reading(notes, monkeypatch, times: int):
    """Puts another file in the place of `a.md` after each of the first so many readings; the list counts them."""
    real, readings = prepare_module.read_document, []

    def replace_after_reading(file):
        document = real(file)
        if file.path == "a.md":
            readings.append(file.path)
            if len(readings) <= times:
                notes.write("new.tmp", f"# Alpha\n\nVersion {len(readings)}.\n", quiet=False)
                (notes.path / "new.tmp").replace(notes.path / "a.md")
        return document

    monkeypatch.setattr(prepare_module, "read_document", replace_after_reading)
    return readings


@pytest.mark.parametrize("times", [1, 2])
def test_a_file_replaced_while_it_is_read_is_read_again_when_the_others_are_done(notes, monkeypatch, times):
    readings = replaced_after_reading(notes, monkeypatch, times)
    report = notes.sync()
    assert [event.path for event in notes.events] == ["sub/b.md", "sub/c.txt", "a.md"]
    assert (report.documents.added, len(readings), report.warnings) == (3, times + 1, ())
    assert notes.found("version") == ["a.md#alpha::0"]
    monkeypatch.undo()
    assert notes.dump() == notes.rebuilt()


def test_a_file_that_never_rests_is_stored_as_last_read_with_a_warning_and_seen_by_the_next_run(notes, monkeypatch):
    readings = replaced_after_reading(notes, monkeypatch, 99)
    report = notes.sync()
    assert len(readings) == 3
    assert report.warnings == (sync_module.Warned("a.md", "changed while it was read"),)
    assert [row[14] for row in notes.dump()["chunks"] if row[1] == "a.md"] == ["# Alpha\n\nVersion 2."]
    monkeypatch.undo()
    assert notes.outcomes()["changed"] == ["a.md"]
    assert notes.dump() == notes.rebuilt()


def test_a_file_that_is_written_to_while_it_is_read_is_never_a_mix(notes):
    texts = [f"# Alpha\n\n{word} " * 3000 + "\n" for word in ("first", "other")]
    done = threading.Event()

    def write():
        while not done.is_set():
            for text in texts:
                notes.write("new.tmp", text, quiet=False)
                (notes.path / "new.tmp").replace(notes.path / "a.md")

    notes.write("a.md", texts[0])
    writer = threading.Thread(target=write)
    writer.start()
    try:
        for _ in range(3):
            notes.sync()
            words = {word for row in notes.dump()["chunks"] if row[1] == "a.md" for word in row[14].split()[2:]}
            assert len(words - {"#", "Alpha"}) == 1
    finally:
        done.set()
        writer.join()
    notes.sync()
    assert notes.dump() == notes.rebuilt()


# --- deleting much ---------------------------------------------------------------------------------------------------


@pytest.fixture
def thirty(tmp_path, new_url):
    folder = Folder(tmp_path, new_url)
    for number in range(30):
        folder.write(f"{'sub' if number < 22 else 'top'}/{number:02}.md", f"# Note {number}\n\nText {number}.\n")
    folder.sync()
    return folder


def test_most_documents_are_not_deleted_without_being_told_to(thirty):
    for number in range(15):
        (thirty.path / f"sub/{number:02}.md").unlink()
    thirty.write("top/29.md", "# Note 29\n\nEdited.\n")
    assert thirty.sync().documents == sync_module.DocumentCounts(deleted=15, changed=1, unchanged=14)
    for number in range(15, 22):
        (thirty.path / f"sub/{number:02}.md").unlink()
    (thirty.path / "top/29.md").unlink()
    assert thirty.sync().documents.deleted == 8  # of 15: that is no great number any more


@pytest.mark.parametrize("emptied", ["sub", "."])
def test_a_sync_that_would_delete_most_changes_nothing_and_says_how_many(thirty, emptied):
    shutil.rmtree(thirty.path / emptied)
    thirty.path.mkdir(exist_ok=True)
    thirty.write("new.md", "# New\n\nAdded.\n")
    before = thirty.dump()
    number = 22 if emptied == "sub" else 30
    with pytest.raises(MassDeletionError, match=rf"notes: {number} of 30 stored documents are no longer there"):
        thirty.sync()
    assert thirty.dump() == before
    assert thirty.plan().deletes_most
    assert thirty.plan().report.documents.deleted == number
    assert thirty.sync(allow_mass_deletion=True).documents.deleted == number
    assert thirty.dump() == thirty.rebuilt()


def test_moves_are_no_deletions(thirty):
    (thirty.path / "sub").rename(thirty.path / "elsewhere")
    (thirty.path / "top").rename(thirty.path / "upside")
    (thirty.path / "elsewhere/05.md").unlink()
    assert not thirty.plan().deletes_most
    assert thirty.sync().documents == sync_module.DocumentCounts(moved=29, deleted=1)


def test_what_is_most_is_counted_in_the_part_that_is_looked_at(thirty):
    shutil.rmtree(thirty.path / "top")
    assert thirty.sync(below="top").documents.deleted == 8  # few: not asked about
    for number in range(12):
        (thirty.path / f"sub/{number:02}.md").unlink()
    with pytest.raises(MassDeletionError, match=r"notes/sub: 12 of 22 "):
        thirty.sync(below="sub")


def test_an_exclusion_that_leaves_out_most_is_asked_about_too(thirty):
    thirty.options = FileOptions(exclude=("sub/",))
    with pytest.raises(MassDeletionError):
        thirty.sync()


def test_a_folder_that_becomes_another_while_it_is_walked_is_an_error(thirty, monkeypatch):
    real = os.scandir

    def unmount(path):
        if str(path).endswith("sub"):
            thirty.path.rename(thirty.path.with_name("away"))
            thirty.path.mkdir()
        return real(path)

    before = thirty.dump()
    monkeypatch.setattr(os, "scandir", unmount)
    with pytest.raises(ReadingError, match="became another folder"):
        thirty.sync(allow_mass_deletion=True)
    assert thirty.dump() == before


# --- names -----------------------------------------------------------------------------------------------------------


def test_a_rename_of_letter_case_only_is_a_move(notes):
    notes.sync()
    (notes.path / "a.md").rename(notes.path / "A.md")
    (notes.path / "sub").rename(notes.path / "SUB")
    assert notes.outcomes() == {"moved": ["A.md", "SUB/b.md", "SUB/c.txt"]}
    assert notes.dump() == notes.rebuilt()


def test_another_unicode_form_of_the_same_name_is_the_same_document(notes):
    notes.write("u\u0308ber/cafe\u0301.md", "# Coffee\n\nText.\n")
    settle()
    notes.sync()
    (notes.path / "u\u0308ber/cafe\u0301.md").rename(notes.path / "u\u0308ber/caf\u00e9.md")
    (notes.path / "u\u0308ber").rename(notes.path / "\u00fcber")
    settle()
    assert set(notes.outcomes()) == {"unchanged"}
    assert [file for file in notes.stored() if "caf" in file] == ["\u00fcber/caf\u00e9.md"]
    assert notes.dump() == notes.rebuilt()


def test_two_folders_whose_names_are_one_in_nfc_are_read_as_one(notes):
    notes.write("u\u0308/a.md", "# First\n\nText.\n")
    notes.write("u\u0308/c.md", "# Third\n\nText.\n")
    notes.write("\u00fc/b.md", "# Second\n\nText.\n")
    notes.write("\u00fc/c.md", "# Fourth\n\nText.\n")
    report = notes.sync()
    assert [p.path for p in report.problems] == ["\u00fc/c.md"]
    assert [file for file in notes.stored() if file.startswith("\u00fc")] == [f"\u00fc/{n}.md" for n in "abc"]
    settle()
    assert set(notes.outcomes()) == {"unchanged"}


def test_a_file_that_was_deleted_and_made_again_as_it_was(notes):
    notes.sync()
    text = (notes.path / "a.md").read_text()
    (notes.path / "a.md").unlink()
    notes.write("a.md", text)
    settle()
    assert set(notes.outcomes()) == {"unchanged"}
    assert notes.dump() == notes.rebuilt()
    (notes.path / "a.md").unlink()
    assert notes.outcomes()["deleted"] == ["a.md"]
    notes.write("a.md", text)
    assert notes.outcomes()["added"] == ["a.md"]


def test_names_that_sort_otherwise_with_a_slash_are_compared_in_one_order(notes):
    names = ["a", "a-b", "a.md", "a/x", "a0", "a\u00e9", "B", "\U0001f600", "\uffee", "z/y/x", "z.y", "z-", "Z/"]
    for name in names:
        notes.write(f"{name.rstrip('/')}.md" if "/" not in name else f"{name}/n.md", f"# {name}\n\nText.\n")
    notes.sync()
    assert notes.stored() == sorted(notes.stored())
    assert [event.path for event in notes.events] == notes.stored()
    settle()
    assert set(notes.outcomes()) == {"unchanged"}


def test_stored_files_come_in_pages_of_one_order(notes, monkeypatch):
    for number in range(25):
        notes.write(f"{number % 3}/{number}.md", f"# {number}\n\nText.\n")
    monkeypatch.setattr(survey_module, "_PAGE", 4)
    notes.sync()
    settle()
    assert set(notes.outcomes()) == {"unchanged"}
    (notes.path / "1/13.md").unlink()
    (notes.path / "2/8.md").rename(notes.path / "0/00.md")
    outcomes = notes.outcomes()
    assert (outcomes["moved"], outcomes["deleted"], len(outcomes["unchanged"])) == (["0/00.md"], ["1/13.md"], 26)
    assert notes.dump() == notes.rebuilt()


# --- what is to be done, before it is done ---------------------------------------------------------------------------


def test_what_there_is_to_do_is_known_before_anything_is_read(notes, monkeypatch):
    notes.sync()
    notes.settings = IndexSettings(Settings(max_tokens=20))
    notes.write("a.md", "# Alpha\n\nEdited.\n")
    notes.write("new.md", "# New\n\nText.\n")
    (notes.path / "sub/c.txt").unlink()
    seen: list[Outlook] = []

    def look(outlook: Outlook) -> None:
        monkeypatch.undo()
        seen.append(outlook)

    monkeypatch.setattr(prepare_module, "read_document", None)
    notes.sync(on_outlook=look)
    (outlook,) = seen
    assert outlook == Outlook(stored=3, listed=3, new=1, changed=1, recut=1, passages=outlook.passages, gone=1)
    assert 1 <= outlook.passages <= 4


# --- a part of a root ------------------------------------------------------------------------------------------------


def test_a_partial_sync_touches_nothing_outside(notes):
    notes.write("subway.md", "# Train\n\nFast.\n")
    notes.sync()
    notes.write("a.md", "# Alpha\n\nChanged.\n")
    (notes.path / "subway.md").unlink()
    (notes.path / "sub/b.md").unlink()
    notes.write("sub/d.md", "# Delta\n\nNew.\n")
    assert notes.outcomes(below="sub") == {"added": ["sub/d.md"], "unchanged": ["sub/c.txt"], "deleted": ["sub/b.md"]}
    assert notes.found("motor") == ["a.md#alpha::0"]
    assert notes.found("fast") == ["subway.md#train::0"]
    assert notes.outcomes() == {"changed": ["a.md"], "unchanged": ["sub/c.txt", "sub/d.md"], "deleted": ["subway.md"]}
    assert notes.dump() == notes.rebuilt()


def test_a_partial_sync_does_not_make_files_elsewhere_look_read(notes):
    notes.sync()
    with open_store(notes.url) as store:
        before = store.files(ROOT)["a.md"]
    notes.sync(below="sub", checksum=True)
    with open_store(notes.url) as store:
        assert store.files(ROOT)["a.md"] == before


def test_two_roots_in_one_store_do_not_disturb_each_other(notes, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.md").write_text("# Else\n\nElsewhere.\n")
    notes.sync()
    before = notes.dump()["chunks"]
    with open_store(notes.url) as store:
        sync(store, other, "other", FileOptions(), notes.settings)
        shutil.rmtree(other)
        other.mkdir()
        sync(store, other, "other", FileOptions(), notes.settings)
    assert notes.dump()["chunks"] == before


# --- anything at all, and crashes ------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
def test_after_random_changes_the_store_equals_a_rebuilt_one(notes, seed):
    pick = random.Random(seed)  # noqa: S311 - the same changes every time are wanted
    for _ in range(8):
        for _ in range(pick.randint(1, 4)):
            random_change(pick, notes)
        below = "x" if pick.random() < 0.2 and (notes.path / "x").is_dir() else ""
        report = notes.sync(below=below, checksum=pick.random() < 0.2)
        listed = report.documents
        assert listed.added + listed.changed + listed.moved + listed.unchanged == len(notes.events) - listed.deleted
        if not below:
            assert notes.dump() == notes.rebuilt()


KILLED = """
import sys
sys.path[:0] = [{src!r}]
from pathlib import Path
from headwise.chunking.settings import Settings
from headwise.indexing.files import FileOptions
from headwise.indexing.records import IndexSettings
from headwise.indexing.sync import sync
from headwise.stores.open import open_store
with open_store(sys.argv[1], create=True) as store:
    sync(store, Path(sys.argv[2]), "notes", FileOptions(), IndexSettings(Settings(max_tokens=60)),
        on_event=lambda event: print(event.done, flush=True))
"""


def begun(notes: Folder) -> bool:
    """Whether there is a store, or something that is to become one."""
    place = make_url(notes.url)
    if place.get_backend_name() == "sqlite":
        return Path(place.database).exists()
    return bool(ask(f"SELECT 1 FROM pg_namespace WHERE nspname = '{place.query['schema']}'"))


@pytest.mark.parametrize("stop", [0, 1, 5, 20])
def test_a_killed_sync_is_finished_by_the_next(notes, stop):
    pick = random.Random(stop)  # noqa: S311 - the same notes every time are wanted
    for number in range(40):
        notes.write(f"{number:02}.md", random_note(pick) + "# End\n\nText.\n")
    script = KILLED.format(src=str(Path(__file__).parents[1] / "src"))
    command = [sys.executable, "-c", script, notes.url, str(notes.path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        for _ in range(stop):
            process.stdout.readline()
        if stop == 0:
            while not begun(notes) and process.poll() is None:  # as early as there is anything
                time.sleep(0.001)
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    report = notes.sync()
    assert report.documents.added + report.documents.unchanged == 43
    assert report.documents.unchanged >= stop
    assert notes.dump() == notes.rebuilt()


def test_syncs_at_the_same_time_wait_for_each_other(notes):
    pick = random.Random(1)  # noqa: S311 - the same notes every time are wanted
    for number in range(20):
        notes.write(f"{number:02}.md", random_note(pick))
    script = KILLED.format(src=str(Path(__file__).parents[1] / "src"))
    command = [sys.executable, "-c", script, notes.url, str(notes.path)]
    running = [subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for _ in range(4)]
    for process in running:
        _, said = process.communicate()
        assert (process.returncode, said) == (0, b"")
    assert notes.dump() == notes.rebuilt()


def test_a_part_is_named_in_any_unicode_form(notes):
    notes.write("caf\u00e9/d.md", "# Delta\n\nText.\n")
    notes.sync()
    (notes.path / "caf\u00e9/d.md").unlink()
    assert notes.outcomes(below="cafe\u0301/") == {"deleted": ["caf\u00e9/d.md"]}


# --- cases from real reports -----------------------------------------------------------------------------------------


@pytest.fixture
def case(request, tmp_path, new_url):
    if not CASES.is_dir():
        pytest.skip(f"the collection of cases is not at {CASES}")
    (file,) = CASES.glob(f"{request.param}-*.json")
    data = json.loads(file.read_text(encoding="utf-8"))
    folder = Folder(tmp_path, new_url)
    for name, text in data["files"].items():
        folder.write(name, text)
    folder.settings = IndexSettings(Settings(**{"min_tokens": 0, "max_tokens": 400} | data.get("settings", {})))
    settle()
    return folder, iter(data["steps"])


def go_on(folder: Folder, steps) -> dict[str, list[str]]:
    """Does the steps up to and with the next sync."""
    for step in steps:
        if step["op"] == "index":
            if "settings" in step:
                folder.settings = IndexSettings(Settings(min_tokens=0, **step["settings"]))
            return folder.outcomes()
        if step["op"] == "write":
            folder.write(step["path"], step["content"])
        else:
            assert step["op"] == "delete"
            (folder.path / step["path"]).unlink()
    raise AssertionError("no sync left")


def chunks(folder: Folder) -> list[tuple[str, str]]:
    return [(row[2], row[14]) for row in folder.dump()["chunks"]]


@pytest.mark.parametrize("case", ["062"], indirect=True)
def test_062_equal_text_in_two_places(case):
    folder, steps = case
    go_on(folder, steps)
    ids = [record for record, _ in chunks(folder)]
    assert ids == ["a/license.md#license::0", "b/license.md#license::0", "c/twice.md#note::0", "c/twice.md#note-1::0"]
    assert go_on(folder, steps)["deleted"] == ["a/license.md"]
    assert [record for record, _ in chunks(folder)] == ids[1:]
    assert folder.found("freeli") == sorted(ids[1:])
    assert folder.dump() == folder.rebuilt()


@pytest.mark.parametrize("case", ["064"], indirect=True)
def test_064_delete_and_shrink(case):
    folder, steps = case
    go_on(folder, steps)
    (first,) = (record for record, text in chunks(folder) if "First part." in text)
    assert go_on(folder, steps) == {"changed": ["long.md"], "deleted": ["gone.md"]}
    assert folder.events[0].reused == 1
    assert chunks(folder) == [(first, "# One\n\nFirst part.")]
    settle()
    before = folder.dump()
    assert go_on(folder, steps) == {"unchanged": ["long.md"]}
    assert folder.dump() == before


@pytest.mark.parametrize("case", ["066"], indirect=True)
def test_066_an_edit_above_shifts_positions_only(case):
    folder, steps = case

    go_on(folder, steps)
    before = next(row for row in folder.dump()["chunks"] if "does not change" in row[14])
    assert go_on(folder, steps) == {"changed": ["n.md"]}
    after = next(row for row in folder.dump()["chunks"] if "does not change" in row[14])
    assert after[-1] == before[-1]
    assert after[2] == before[2]
    text = (folder.path / "n.md").read_text()
    assert text[after[5] : after[7]] == after[14]
    assert text.splitlines()[after[8] - 1] == "# Stable"
    assert after[8] > before[8]
    assert folder.events[0].reused >= 1


@pytest.mark.parametrize("case", ["067"], indirect=True)
def test_067_settings_that_cut_otherwise(case):
    folder, steps = case
    go_on(folder, steps)
    first = chunks(folder)
    assert go_on(folder, steps) == {"changed": ["n.md"]}
    second = chunks(folder)
    assert len(second) > len(first)
    assert not {text for _, text in first} & {text for _, text in second}
    assert all(row[16] <= 32 for row in folder.dump()["chunks"])
    assert folder.dump() == folder.rebuilt()
    assert go_on(folder, steps) == {"unchanged": ["n.md"]}


@pytest.mark.parametrize("case", ["074"], indirect=True)
def test_074_empty_and_blank_files(case):
    folder, steps = case
    assert len(go_on(folder, steps)["added"]) == 5
    assert chunks(folder) == [("real.md#real::0", "# Real\n\nText.")]
    assert set(folder.outcomes()) == {"unchanged"}
    go_on(folder, steps)
    assert chunks(folder) == [("zero.md#now::0", "# Now\n\nFilled.")]
    assert folder.found("fill") == ["zero.md#now::0"]
    assert folder.dump() == folder.rebuilt()
