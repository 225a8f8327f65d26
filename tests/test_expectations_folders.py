"""What each shared case about folders expects, line by line, by syncing real folders; see also `test_sync.py`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from support_cases import bytes_of, case
from support_embedder import WordBag
from support_store import dump

from headwise.app.cli import cli
from headwise.chunking.settings import Settings
from headwise.indexing import prepare as prepare_module
from headwise.indexing import sync as sync_module
from headwise.indexing.embed import EmbedReport, embed_pending
from headwise.indexing.files import FileOptions
from headwise.indexing.prepare import TICK_NS
from headwise.indexing.records import IndexSettings
from headwise.indexing.sync import SyncReport, sync
from headwise.stores.open import open_store

PROJECT = Path(__file__).parent.parent


class Run:
    """A case's folder, its store and a model; steps are done one sync at a time."""

    def __init__(self, slug: str, folder: Path, new_url: Callable[[], str], **settings: Any) -> None:
        self.case = case(slug)
        self.folder = folder / "notes"
        self.store = new_url()
        self.options = FileOptions()
        self.bag = WordBag()
        self.cutting: dict[str, Any] = {"min_tokens": 0, **self.case.get("settings", {}), **settings}
        self.steps = iter(self.case["steps"])
        for name, data in bytes_of(slug).items():
            self.write(name, data)

    def write(self, name: str, content: str | bytes) -> None:
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())

    def sync(self) -> SyncReport:
        time.sleep(TICK_NS / 1e9 + 0.01)  # files are quiet, so that an unchanged one need not be read
        with open_store(self.store, create=True) as store:
            return sync(store, self.folder, "notes", self.options, IndexSettings(Settings(**self.cutting)))

    def next(self) -> SyncReport:
        """Does the steps up to and with the next sync."""
        for step in self.steps:
            if step["op"] == "index":
                self.cutting |= {k: v for k, v in step.get("settings", {}).items() if k in ("max_tokens", "overlap")}
                return self.sync()
            if step["op"] == "write":
                self.write(step["path"], step["content"])
            elif step["op"] == "delete":
                (self.folder / step["path"]).unlink()
            elif step["op"] == "rename":
                (self.folder / step["from"]).rename(self.folder / step["to"])
            else:
                raise AssertionError(f"{step['op']} needs a test of its own")
        raise AssertionError("no sync left")

    def embed(self) -> EmbedReport:
        with open_store(self.store) as store:
            return embed_pending(store, self.bag)

    def chunks(self) -> list[dict[str, Any]]:
        names = ("root", "path", "id", "link", "position", "start", "own_start", "end", "start_line", "end_line")
        rest = ("headings", "anchor", "number", "context", "text", "context_after", "tokens", "kinds")
        return [dict(zip((*names, *rest), row, strict=False)) | {"hash": row[-1]} for row in dump(self.store)["chunks"]]

    def texts(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for chunk in self.chunks():
            found.setdefault(chunk["path"], []).append(chunk["text"])
        return found

    def ids(self) -> list[str]:
        return [chunk["id"] for chunk in self.chunks()]


def test_same_text_in_two_places(tmp_path, new_url) -> None:
    run = Run("same-text-in-two-places", tmp_path, new_url)
    run.next()
    # After the first run every place has its own chunk with its own id; no id clashes, nothing is overwritten.
    ids = run.ids()
    assert ids == ["a/license.md#license::0", "b/license.md#license::0", "c/twice.md#note::0", "c/twice.md#note-1::0"]
    # Equal text may share one stored vector, …
    assert run.embed().embedded == 2
    # … but deleting a/license.md removes only that file's chunks: b and c stay complete.
    before = {chunk["id"]: chunk for chunk in run.chunks()}
    assert run.next().documents.deleted == 1
    assert {c["id"]: c for c in run.chunks()} == {i: c for i, c in before.items() if not i.startswith("a/")}
    with open_store(run.store) as store:
        assert store.coverage(run.bag.key).pending == 0
    assert (run.embed().embedded, run.embed().pending) == (0, 0)
    # Ids are the same on another machine and in another order of files.
    other = Run("same-text-in-two-places", tmp_path / "elsewhere", new_url)
    for name in ("c/twice.md", "b/license.md", "a/license.md"):
        content = (other.folder / name).read_bytes()
        (other.folder / name).unlink()
        other.write(name, content)
        other.sync()
    assert other.ids() == ids
    script = (
        "import sys, pathlib; from headwise.chunking.settings import Settings;"
        "from headwise.indexing.files import FileOptions; from headwise.indexing.records import IndexSettings;"
        "from headwise.indexing.sync import sync; from headwise.stores.open import open_store;"
        "store = open_store(sys.argv[2], create=True);"
        "sync(store, pathlib.Path(sys.argv[1]), 'notes', FileOptions(), IndexSettings(Settings(min_tokens=0)));"
        "store.close()"
    )
    fresh = new_url()
    environ = os.environ | {"PYTHONHASHSEED": "7", "LC_ALL": "C", "PYTHONPATH": str(PROJECT / "src")}
    subprocess.run([sys.executable, "-c", script, str(other.folder), fresh], check=True, env=environ)
    other.store = fresh
    assert other.ids() == ids


def test_delete_and_shrink(tmp_path, new_url) -> None:
    run = Run("delete-and-shrink", tmp_path, new_url)
    run.next()
    (first,) = (c for c in run.chunks() if "First part." in c["text"])
    report = run.next()
    # After the second run only 'First part.' is left of long.md; no chunk of gone.md is left.
    assert run.texts() == {"long.md": ["# One\n\nFirst part."]}
    assert (report.documents.changed, report.documents.deleted) == (1, 1)
    # The chunk with 'First part.' keeps its id and is reported unchanged.
    assert (run.ids(), report.reused) == ([first["id"]], 1)
    # The third run reports no change at all and writes nothing.
    before = dump(run.store)
    assert run.next().documents == sync_module.DocumentCounts(unchanged=1)
    assert dump(run.store) == before


def test_edit_above_shifts_offsets(tmp_path, new_url) -> None:
    run = Run("edit-above-shifts-offsets", tmp_path, new_url)
    run.next()
    assert run.embed().pending == 0
    (before,) = (c for c in run.chunks() if "does not change." in c["text"])
    report = run.next()
    (after,) = (c for c in run.chunks() if "does not change." in c["text"])
    # The chunk keeps its content hash (no new embedding needed), but its start, end and lines are the new ones.
    assert after["hash"] == before["hash"]
    assert all(after[name] > before[name] for name in ("start", "end", "start_line", "end_line"))
    run.bag.seen.clear()
    run.embed()
    assert run.bag.seen
    assert not [text for text in run.bag.seen if "does not change" in text]
    # Slicing the new file with the stored offsets gives the chunk text.
    text = (run.folder / "n.md").read_text()
    assert text[after["start"] : after["end"]] == after["text"]
    assert text.splitlines()[after["end_line"] - 1] == "This section does not change."
    # The report counts it as moved or unchanged in text, not as new.
    assert report.reused == 1


def test_settings_change_rechunks(tmp_path, new_url) -> None:
    run = Run("settings-change-rechunks", tmp_path, new_url)
    run.next()
    first = set(run.texts()["n.md"])
    # The second run cuts the unchanged file again: every chunk obeys the new limit, none of the first run is left.
    assert run.next().documents.changed == 1
    assert all(chunk["tokens"] <= 32 for chunk in run.chunks())
    assert not first & set(run.texts()["n.md"])
    # The third run reports no change.
    assert run.next().documents == sync_module.DocumentCounts(unchanged=1)
    # A new tokenizer, overlap, trail rule or program version that changes the cutting has the same effect.
    for change in ({"tokenizer": "o200k_base"}, {"overlap": 8}, {"strategy": "sentences"}, {"min_tokens": 5}):
        run.cutting |= change
        assert run.sync().documents.changed == 1, change
        assert run.sync().documents.unchanged == 1, change


@pytest.mark.parametrize("rules", ["headwise.chunking.settings.RULES", "headwise.indexing.records.RULES"])
def test_settings_change_rechunks_by_another_version(tmp_path, new_url, monkeypatch, rules: str) -> None:
    # A program version that changes the cutting has the same effect.
    run = Run("settings-change-rechunks", tmp_path, new_url)
    run.next()
    monkeypatch.setattr(rules, 99)
    assert run.sync().documents.changed == 1
    assert run.sync().documents.unchanged == 1


def test_changed_while_reading(tmp_path, new_url, monkeypatch) -> None:
    run = Run("changed-while-reading", tmp_path, new_url)
    first, write, _, replace, _ = run.case["steps"]
    assert (first["op"], write["op"], replace["op"]) == ("index", "write", "replace_during_read")
    run.sync()
    # An edit of the same length with the old time stamp is noticed.
    live = run.folder / "live.md"
    stamp = live.stat()
    run.write("live.md", write["content"])
    os.utime(live, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert (live.stat().st_size, live.stat().st_mtime_ns) == (stamp.st_size, stamp.st_mtime_ns)
    assert run.sync().documents.changed == 1
    assert run.texts() == {"live.md": ["# Live\n\nVersion two."]}
    # Hash, text and offsets come from one and the same read, and a file that changed meanwhile is read once more.
    run.write("live.md", "# Live\n\nVersion 2b.\n")
    real = prepare_module.read_document

    read: list[str] = []

    def replace_during_read(file):
        document = real(file)
        if not read:
            run.write("new.tmp", replace["content"])
            (run.folder / "new.tmp").replace(live)
        read.append(document.text)
        return document

    monkeypatch.setattr(prepare_module, "read_document", replace_during_read)
    assert run.sync().documents.changed == 1
    assert read == ["# Live\n\nVersion 2b.\n", replace["content"]]
    monkeypatch.undo()
    (chunk,) = run.chunks()
    assert live.read_text()[chunk["start"] : chunk["end"]] == chunk["text"] == replace["content"].strip()
    assert run.sync().documents.unchanged == 1
    # A file that vanishes between listing and reading is reported, and the run goes on.
    run.write("other.md", "# Other\n\nStays.\n")
    find = sync_module.take_survey

    def find_then_lose(*arguments, **named):
        found = find(*arguments, **named)
        live.unlink()
        return found

    run.write("live.md", "# Live\n\nVersion four.\n")
    monkeypatch.setattr(sync_module, "take_survey", find_then_lose)
    report = run.sync()
    assert [(p.path, "vanished" in p.reason) for p in report.problems] == [("live.md", True)]
    assert report.documents.added == 1


def test_hidden_folders(tmp_path, new_url) -> None:
    run = Run("hidden-folders", tmp_path, new_url)
    run.next()
    # Run 1: only note.md is indexed; dot folders are left out. (node_modules: left out by default.)
    assert list(run.texts()) == ["note.md"]
    # Run 2: docs/.aidocs/plan.md is added, the other dot folders stay out.
    run.options = FileOptions(hidden=(".aidocs",))
    assert run.next().documents.added == 1
    assert list(run.texts()) == ["docs/.aidocs/plan.md", "note.md"]
    # A note moved to .trash counts as deleted on the next run.
    (run.folder / "note.md").rename(run.folder / ".trash" / "note.md")
    assert run.sync().documents.deleted == 1
    assert list(run.texts()) == ["docs/.aidocs/plan.md"]


def test_hidden_folders_by_the_command_line(tmp_path, new_url, monkeypatch) -> None:
    run = Run("hidden-folders", tmp_path, new_url)
    monkeypatch.chdir(run.folder)
    for option, paths in (((), ["note.md"]), (("--hidden", ".aidocs"), ["docs/.aidocs/plan.md", "note.md"])):
        result = CliRunner().invoke(cli, ["chunk", ".", "--json", *option], catch_exceptions=False)
        assert sorted({json.loads(line)["path"] for line in result.stdout.splitlines()}) == paths


def test_case_and_extension(tmp_path, new_url) -> None:
    run = Run("case-and-extension", tmp_path, new_url)
    if len(list(run.folder.iterdir())) < len(run.case["files"]):
        pytest.skip("this disk does not tell upper from lower case")
    run.next()
    # GUIDE.MD, Plan.Md, page.markdown and text.TXT are found by their endings whatever the case.
    # On a case-sensitive disk todo.md and Todo.md are two files with two sets of chunks.
    # 'noext' is left out, by a stated rule: only what `include` names is read.
    assert set(run.texts()) == {"GUIDE.MD", "Plan.Md", "page.markdown", "text.TXT", "todo.md", "Todo.md"}
    assert run.texts()["todo.md"] != run.texts()["Todo.md"]
    assert json.loads(next(c for c in run.chunks() if c["path"] == "GUIDE.MD")["headings"]) == ["Upper ending"]
    # A rename that changes only the case leaves exactly one set of chunks, under the new name.
    assert run.next().documents.moved == 1
    assert [path for path in run.texts() if path.lower() == "guide.md"] == ["Guide.md"]


def test_empty_and_blank_files(tmp_path, new_url) -> None:
    run = Run("empty-and-blank-files", tmp_path, new_url)
    report = run.next()
    # Run 1: no blank chunk for zero, blank, newline or nbsp; no error; real.md has one chunk.
    assert run.texts() == {"real.md": ["# Real\n\nText."]}
    assert (report.problems, report.warnings) == ((), ())
    # The empty files are remembered: a repeated run does not report them as new each time.
    assert run.sync().documents == sync_module.DocumentCounts(unchanged=5)
    run.embed()
    # Run 2: 'Filled.' is found; the chunks of real.md are gone.
    run.next()
    assert run.texts() == {"zero.md": ["# Now\n\nFilled."]}
    # No text of zero length is ever handed to an embedder.
    run.embed()
    assert len(run.bag.seen) == 2
    assert all(text.strip() for text in run.bag.seen)
