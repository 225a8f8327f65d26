"""The second pass: every text is embedded once, and what is done is kept whatever happens."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from support_embedder import WordBag
from support_store import document, dump

from headwise.chunking.settings import Settings
from headwise.errors import ModelError
from headwise.indexing import embed
from headwise.indexing.embed import embed_pending
from headwise.indexing.files import FileOptions
from headwise.indexing.records import IndexSettings
from headwise.indexing.sync import sync
from headwise.model import Span, passage
from headwise.stores.open import open_store


@pytest.fixture
def store(store_url):
    with open_store(store_url, create=True) as opened:
        yield opened


def test_every_distinct_text_is_embedded_once(store):
    store.replace("r", document("a.md", "Same.", "One."))
    store.replace("r", document("b.md", "Same.", "Two."))
    model = WordBag()
    steps: list[tuple[int, int]] = []
    report = embed_pending(store, model, lambda done, total: steps.append((done, total)), batch=2)
    assert (report.embedded, report.reused, report.pending, report.unread) == (3, 0, 0, 0)
    assert sorted(model.seen) == [f"Note > Part\n\n{text}." for text in ("One", "Same", "Two")]
    assert steps == [(0, 3), (2, 3), (3, 3)]
    again = embed_pending(store, model)
    assert (again.embedded, again.reused, again.pending) == (0, 3, 0)
    assert len(model.seen) == 3


@pytest.mark.parametrize("error", [ModelError("the model does not answer"), KeyboardInterrupt()])
def test_what_was_embedded_before_a_failure_is_kept_and_the_next_pass_goes_on(store, error):
    store.replace("r", document("a.md", *(f"Text {number}." for number in range(10))))
    with pytest.raises(type(error)):
        embed_pending(store, WordBag(fails_at="Text 7", error=error), batch=3)
    assert store.coverage("bag 32") == (6, 4)
    model = WordBag()
    report = embed_pending(store, model, batch=3)
    assert (report.embedded, report.reused, report.pending) == (4, 6, 0)
    assert len(model.seen) == 4


@pytest.mark.parametrize(("quick", "steps"), [(60, [0, 256, 700]), (0, [0, 256, 512, 700])])
def test_a_quick_model_gets_more_at_once_and_a_slow_one_does_not(store, monkeypatch, quick, steps):
    monkeypatch.setattr(embed, "_QUICK", quick)
    store.replace("r", document("a.md", *(f"Text {number}." for number in range(700))))
    seen: list[int] = []
    assert embed_pending(store, WordBag(), lambda done, _: seen.append(done)).embedded == 700
    assert seen == steps


def test_models_keep_their_vectors_apart(store):
    store.replace("r", document("a.md", "One."))
    embed_pending(store, WordBag())
    assert embed_pending(store, WordBag(dimensions=8)).embedded == 1
    assert dict(store.stats().vectors) == {"bag 32": 1, "bag 8": 1}


def test_a_text_the_model_would_not_read_to_its_end_stays_without_a_vector(store):
    store.replace("r", document("a.md", "One.", "word " * 30 + "end.", "Two."))
    store.replace("r", document("b.md", "word " * 30 + "end."))
    model = WordBag(max_tokens=10)
    for batch in (1, 2, 100):
        report = embed_pending(store, model, batch=batch)
        assert (report.pending, report.unread) == (1, 1)
    assert len(model.seen) == 2


def test_an_empty_store_needs_no_model(store):
    assert embed_pending(store, WordBag()).embedded == 0
    assert store.runs() == []


def folder_with(path: Path, notes: dict[str, str]) -> Path:
    for name, text in notes.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(text)
        os.utime(path / name, ns=(1, 1))
    time.sleep(0.06)
    return path


NOTES = {
    "blank.md": " \n\t\n",
    "picture.md": f"![x](data:image/png;base64,{'iVBORw0KGgo' * 50})\n",
    "empty-heading.md": "#\n\n##\n",
    "rule.md": "---\n\n***\n",
    "comment.md": "<!-- nothing -->\n",
    "nbsp.md": "\u00a0\u200b\n",
    "real.md": "# Real\n\nMotors turn wheels.\n\n## More\n\nArms lift boxes.\n",
}


def test_no_blank_text_is_ever_handed_to_a_model(tmp_path, store):
    folder = folder_with(tmp_path / "notes", NOTES)
    for settings in (IndexSettings(), IndexSettings(Settings(max_tokens=3), 1), IndexSettings(passages=None)):
        sync(store, folder, "r", FileOptions(), settings)
        embed_pending(store, WordBag(), batch=4)
        assert store.coverage("bag 32").pending == 0


def test_moves_and_edits_elsewhere_embed_nothing_again_and_equal_a_rebuilt_store(tmp_path, store, store_url, new_url):
    folder = folder_with(tmp_path / "notes", NOTES)
    model = WordBag()
    settings = IndexSettings(Settings(min_tokens=0), embedder=model)
    sync(store, folder, "r", FileOptions(), settings)
    embed_pending(store, model)
    (folder / "deep").mkdir()
    (folder / "real.md").rename(folder / "deep" / "real.md")
    sync(store, folder, "r", FileOptions(), settings)
    assert embed_pending(store, model).embedded == 0
    (folder / "deep" / "real.md").write_text(
        "# Real\n\nNew words.\n\nMotors turn wheels.\n\n## More\n\nArms lift boxes.\n"
    )
    sync(store, folder, "r", FileOptions(), settings)
    model.seen.clear()
    embed_pending(store, model)
    assert all("lift" not in text for text in model.seen)
    assert len(model.seen) == 1
    fresh = new_url()
    with open_store(fresh, create=True) as other:
        sync(other, folder, "r", FileOptions(), settings)
        embed_pending(other, model)
    assert dump(store_url, model.key) == dump(fresh, model.key)
    assert store.prune() >= 1
    assert dump(store_url, model.key) == dump(fresh, model.key)


def test_a_model_that_reads_little_gets_smaller_passages(tmp_path, store):
    text = "# Long\n\n" + " ".join(f"Sentence number {number} stands here." for number in range(40)) + "\n"
    folder = folder_with(tmp_path / "notes", {"long.md": text})
    model = WordBag(max_tokens=20)
    sync(store, folder, "r", FileOptions(), IndexSettings(embedder=model))
    report = embed_pending(store, model)
    assert (report.pending, report.unread) == (0, 0)
    assert report.embedded > 10


def test_a_passage_is_cut_from_its_chunk_as_it_was(store):
    note = document("a.md", "One ![x](data:xyz) two.\r\nThree.")
    (record,) = note.records
    piece = passage(4, 33, "Note\n\n", record.chunk.text[4:], "\n```", (Span(4, 18),))
    changed = type(record)(record.id, record.path, record.link, record.chunk, (piece,))
    store.replace("r", type(note)(note.file, "markdown", note.title, records=(changed,), words=note.words))
    (pending,) = store.pending("m", 5)
    assert (pending.content_hash, pending.text) == (piece.content_hash, piece.embed_text)
