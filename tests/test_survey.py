"""Comparing a folder with a store: two ordered lists merged are what a lookup would find, in memory that stays."""

from __future__ import annotations

import os
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwise.indexing.documents import FoundFile
from headwise.indexing.files import FileOptions, Problem, walk_files
from headwise.indexing.prepare import Read
from headwise.indexing.records import IndexSettings
from headwise.indexing.spool import Spool
from headwise.indexing.survey import Gone, Same, differences, take_survey
from headwise.stores.open import open_store
from headwise.stores.store import Change, DocumentRecords, StoredFile

SETTINGS = IndexSettings()
KEY = SETTINGS.key(obsidian=False)
OLD = 10**18
"""A time long ago."""


def found(path: str, mtime: int = OLD) -> FoundFile:
    return FoundFile(path, f"/root/{path}", 1, mtime, 7, OLD, obsidian=False)


def stored(path: str, key: str = KEY, checked: int = 2 * OLD) -> StoredFile:
    return StoredFile(path, f"hash of {path}", key, 1, OLD, 7, OLD, checked)


names = st.lists(st.sampled_from(["a", "b", "é", "a-", "a0", "😀", "\uffee"]), min_size=1, max_size=3).map("/".join)
files = st.dictionaries(names, st.sampled_from(["as stored", "edited"]), max_size=12)
known = st.dictionaries(names, st.sampled_from(["quiet", "just written", "other settings"]), max_size=12)
hidden = st.sets(names, max_size=2)


@given(files, known, hidden)
def test_a_merge_finds_what_a_lookup_does(files, known, hidden):
    # as a walk does: nothing is found at or below a place that cannot be read
    files = {path: how for path, how in files.items() if not is_below(path, hidden)}
    listed = [found(path, OLD + (how == "edited")) for path, how in files.items()]
    listed += [Problem(path, "cannot be read", unknown=True) for path in hidden]
    listed.sort(key=lambda item: item.path if isinstance(item, FoundFile) else item.path + "/")
    old = {
        path: stored(path, "other" if how == "other settings" else KEY, OLD if how == "just written" else 2 * OLD)
        for path, how in known.items()
    }
    differ = list(differences(listed, [old[path] for path in sorted(old)], SETTINGS, checksum=False))
    same = [item.path for item in differ if isinstance(item, Same)]
    assert same == sorted(p for p, how in files.items() if how == "as stored" and known.get(p) == "quiet")
    reads = [item for item in differ if isinstance(item, Read)]
    assert [read.file.path for read in reads] == sorted(set(files) - set(same))
    assert all(read.old == old.get(read.file.path) for read in reads)
    assert all(read.is_current == (known.get(read.file.path) in {"quiet", "just written"}) for read in reads)
    gone = [item.old.path for item in differ if isinstance(item, Gone)]
    assert set(gone) >= {path for path in known if path not in files and not is_below(path, hidden)}
    # a folder that cannot be read tells nothing of a document that had its own name: that may be gone or not
    assert not [path for path in gone if path in files or is_below(path, hidden - {path})]


def is_below(path: str, places: set[str]) -> bool:
    return any(path == place or path.startswith(f"{place}/") for place in places)


@given(files, known)
def test_with_checksum_every_file_is_read(files, known):
    listed = [found(path) for path in sorted(files)]
    differ = list(differences(listed, [stored(path) for path in sorted(known)], SETTINGS, checksum=True))
    assert [item.file.path for item in differ if isinstance(item, Read)] == sorted(files)


@pytest.mark.parametrize("number", [0, 1, 255, 256, 257, 5000])
def test_what_is_put_aside_comes_back_in_order_as_often_as_wanted(number, monkeypatch):
    monkeypatch.setattr("headwise.indexing.spool._IN_MEMORY", 20_000)  # the last is in a file then
    spool: Spool[tuple[int, str]] = Spool()
    values = [(n, f"value {n}") for n in range(number)]
    for value in values:
        spool.add(value)
    assert len(spool) == number
    assert list(spool) == list(spool) == values
    spool.close()


def test_memory_does_not_grow_with_the_number_of_files(tmp_path):
    """Neither where nothing is to be done, nor where everything is new."""
    peaks: dict[tuple[str, int], int] = {}
    for number in (500, 5000):
        folder = tmp_path / str(number)
        for n in range(number):
            if n % 100 == 0:
                (folder / f"{n // 100:02}").mkdir(parents=True)
            file = folder / f"{n // 100:02}" / f"{n:04}.md"
            file.write_text("# Note\n")
            os.utime(file, ns=(OLD, OLD))
        with open_store(str(tmp_path / f"{number}.db"), create=True) as store:
            peaks["new", number] = peak_of(store, folder)
            records = [Change(DocumentRecords(seen(file), "markdown", "Note")) for file in walk(folder)]
            for at in range(0, number, 500):
                store.apply("r", records[at : at + 500])
            del records
            peaks["same", number] = peak_of(store, folder)
    for kind in ("new", "same"):
        assert peaks[kind, 5000] < peaks[kind, 500] + 1_500_000, peaks


def walk(folder: Path) -> list[FoundFile]:
    return [item for item in walk_files(folder, FileOptions()) if isinstance(item, FoundFile)]


def seen(file: FoundFile) -> StoredFile:
    return StoredFile(file.path, "hash", KEY, file.size, file.mtime_ns, file.inode, file.ctime_ns, 2**62)


def peak_of(store, folder: Path) -> int:
    tracemalloc.start()
    try:
        survey = take_survey(store, folder, "r", FileOptions(), SETTINGS, "", lambda _: None, checksum=False)
        survey.close()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
