"""What is right by common sense for folders as people have them: moves, swaps, bad files, odd names, big files."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from support_embedder import WordBag
from support_store import dump

from headwise.chunking.settings import Settings
from headwise.indexing.embed import embed_pending
from headwise.indexing.files import FileOptions
from headwise.indexing.prepare import TICK_NS
from headwise.indexing.records import IndexSettings
from headwise.indexing.sync import SyncReport, sync
from headwise.stores.open import open_store


class Notes:
    def __init__(self, path: Path, store: str) -> None:
        self.path = path / "notes"
        self.path.mkdir()
        self.store = store
        self.bag = WordBag()

    def write(self, name: str, content: str | bytes) -> None:
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())

    def sync(self, **options) -> SyncReport:
        time.sleep(TICK_NS / 1e9 + 0.01)
        settings = IndexSettings(Settings(max_tokens=60, min_tokens=0))
        with open_store(self.store, create=True) as store:
            return sync(store, self.path, "notes", FileOptions(**options), settings)

    def embed(self) -> int:
        with open_store(self.store) as store:
            return embed_pending(store, self.bag).embedded

    def texts(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for row in dump(self.store)["chunks"]:
            found.setdefault(row[1], []).append(row[14])
        return found


@pytest.fixture
def notes(tmp_path, store_url) -> Notes:
    return Notes(tmp_path, store_url)


def test_a_moved_file_and_a_moved_folder_embed_nothing_anew(notes) -> None:
    notes.write("a/one.md", "# One\n\nFirst words.\n")
    notes.write("a/two.md", "# Two\n\nSecond words.\n")
    notes.sync()
    assert notes.embed() == 2
    (notes.path / "a").rename(notes.path / "b")
    assert notes.sync().documents.moved == 2
    assert notes.embed() == 0
    assert list(notes.texts()) == ["b/one.md", "b/two.md"]


def test_a_move_with_an_edit_is_an_addition_and_a_deletion(notes) -> None:
    notes.write("one.md", "# One\n\nFirst words.\n")
    notes.sync()
    (notes.path / "one.md").unlink()
    notes.write("two.md", "# One\n\nOther words.\n")
    documents = notes.sync().documents
    assert (documents.added, documents.deleted, documents.moved) == (1, 1, 0)
    assert notes.texts() == {"two.md": ["# One\n\nOther words."]}


def test_two_files_that_swap_names(notes) -> None:
    notes.write("a.md", "# A\n\nFirst.\n")
    notes.write("b.md", "# B\n\nSecond.\n")
    notes.sync()
    notes.embed()
    (notes.path / "a.md").rename(notes.path / "x")
    (notes.path / "b.md").rename(notes.path / "a.md")
    (notes.path / "x").rename(notes.path / "b.md")
    notes.sync()
    assert notes.texts() == {"a.md": ["# B\n\nSecond."], "b.md": ["# A\n\nFirst."]}
    assert notes.embed() == 0


def test_reordered_sections_embed_nothing_anew(notes) -> None:
    notes.write("a.md", "# A\n\n## One\n\nFirst words.\n\n## Two\n\nSecond words.\n")
    notes.sync()
    notes.embed()
    notes.write("a.md", "# A\n\n## Zero\n\nNew words.\n\n## Two\n\nSecond words.\n\n## One\n\nFirst words.\n")
    notes.sync()
    notes.bag.seen.clear()
    notes.embed()
    assert not [text for text in notes.bag.seen if "Second words." in text]


def test_one_bad_file_of_each_kind_is_one_line_and_the_rest_is_read(notes) -> None:
    notes.write("good.md", "# Good\n\nText.\n")
    notes.write("binary.md", b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4)
    notes.write("latin.md", "# Überschrift\n\nGrüße aus Köln, schöne Straße.\n".encode("cp1252"))
    notes.write("wide.md", "# Weit\n\nText.\n".encode("utf-16"))
    (notes.path / "dangling.md").symlink_to(notes.path / "nowhere.md")
    (notes.path / "loop.md").symlink_to(notes.path / "loop.md")
    (notes.path / "self").symlink_to(notes.path)
    report = notes.sync()
    assert set(notes.texts()) == {"good.md", "latin.md", "wide.md"}
    assert notes.texts()["latin.md"] == ["# Überschrift\n\nGrüße aus Köln, schöne Straße."]
    assert notes.texts()["wide.md"] == ["# Weit\n\nText."]
    assert {"binary.md"} <= {problem.path for problem in report.problems}
    assert [w.path for w in report.warnings] == ["latin.md"]
    assert len({problem.path for problem in report.problems}) == len(report.problems)


def test_gitignore_is_honoured_and_changes_with_it(notes) -> None:
    notes.write(".gitignore", "build/\n*.draft.md\n!keep.draft.md\n/top.md\n")
    for name in ("build/a.md", "x.draft.md", "keep.draft.md", "top.md", "sub/top.md", "sub/build/b.md"):
        notes.write(name, f"# {name}\n\nText.\n")
    notes.sync()
    assert set(notes.texts()) == {"keep.draft.md", "sub/top.md"}
    notes.write(".gitignore", "keep.draft.md\n")
    report = notes.sync()
    assert report.documents.deleted == 1
    assert "top.md" in notes.texts()


def test_names_with_spaces_hashes_and_any_letters(notes) -> None:
    names = ["a b.md", "c#.md", "100%.md", "caf\u00e9.md", "日本語.md", "emoji 😀.md", "a?b&c.md", "'q'.md", "-dash.md"]
    for name in names:
        notes.write(name, f"# T\n\n{name} words.\n")
    notes.sync()
    assert sorted(notes.texts()) == sorted(names)
    links = {row[1]: row[3] for row in dump(notes.store)["chunks"]}
    assert (links["c#.md"], links["a b.md"], links["100%.md"]) == ("c%23.md#t", "a%20b.md#t", "100%25.md#t")


def test_a_huge_file_is_cut_in_seconds(notes) -> None:
    section = "## Part {0}\n\n" + "Some words about part {0} and what it does. " * 20 + "\n\n"
    notes.write("huge.md", "# Huge\n\n" + "".join(section.format(n) for n in range(1_500)))
    begun = time.perf_counter()
    assert notes.sync().documents.added == 1
    assert time.perf_counter() - begun < 20
    assert len(notes.texts()["huge.md"]) >= 1_500
