"""What is put together of stored chunks is the document again, wherever it was cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwise.chunking.settings import Settings
from headwise.errors import StoreError
from headwise.indexing.excerpt import CUT, excerpt
from headwise.indexing.files import FileOptions
from headwise.indexing.records import IndexSettings
from headwise.indexing.sync import sync
from headwise.stores.open import open_store

TEXT = (
    "---\ntags: [x]\n---\n\n# One\n\n" + "A sentence stands here. " * 30 + "\n\n## Two\n\n- a list\n- of items\n\n\n"
    "### Three\n\n```py\ncode = 1\n\nmore = 2\n```\n\n## Four\n\nThe end.\n"
)
NAMED = {"#one": "# One", "#two": "## Two", "#three": "### Three", "#Four": "## Four"}


@pytest.mark.parametrize("overlap", [0, 10])
@pytest.mark.parametrize("limit", [12, 40, 400])
def test_any_cut_gives_the_text_back(tmp_path, limit: int, overlap: int) -> None:
    (tmp_path / "note.md").write_text(TEXT, encoding="utf-8")
    with open_store(str(tmp_path / "index.db"), create=True) as store:
        sync(store, tmp_path, "", FileOptions(), IndexSettings(Settings(limit, overlap=overlap), passages=None))

        whole = excerpt(store, "note")
        assert whole.text == TEXT[whole.start : whole.end] == TEXT.partition("---\n\n")[2].rstrip("\n")
        assert (whole.start_line, whole.link, whole.headings) == (5, "note.md", ())
        for name, heading in NAMED.items():
            part = excerpt(store, f"note.md{name}")
            assert part.text == TEXT[part.start : part.end]
            assert heading in part.text
        assert excerpt(store, "note#Two").text.endswith(("```", "The end."))
        for record in store.load("", "note.md").records:
            assert excerpt(store, record.id).text == record.chunk.text


@given(st.integers(1, 3))
def test_what_was_dropped_leaves_a_mark(tmp_path_factory, lines: int) -> None:
    folder = tmp_path_factory.mktemp("dropped")
    (folder / "note.md").write_text("# A\n\nBefore.\n\n" + f"{'x' * 300}\n" * lines + "\nAfter.\n", encoding="utf-8")
    with open_store(str(folder / "index.db"), create=True) as store:
        sync(store, folder, "", FileOptions(), IndexSettings(Settings(5, max_line=100)))
        assert excerpt(store, "note").text == f"# A\n\nBefore.{CUT}After."


def test_a_section_that_was_joined_with_another_is_where_its_heading_is(tmp_path) -> None:
    (tmp_path / "note.md").write_text("# A\n\n## One\n\nTiny.\n\n## Two\n\nTiny, too.\n", encoding="utf-8")
    with open_store(str(tmp_path / "index.db"), create=True) as store:
        sync(store, tmp_path, "", FileOptions(), IndexSettings())
        assert "## Two" in excerpt(store, "note#Two").text
        with pytest.raises(StoreError, match=r"note\.md has no section #Three"):
            excerpt(store, "note#Three")


def test_a_document_without_text_has_nothing_to_say(tmp_path) -> None:
    (tmp_path / "note.md").write_text("\n", encoding="utf-8")
    with open_store(str(tmp_path / "index.db"), create=True) as store:
        sync(store, tmp_path, "", FileOptions(), IndexSettings())
        with pytest.raises(StoreError, match=r"nothing of note\.md is indexed"):
            excerpt(store, "note")
