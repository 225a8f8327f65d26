"""`verify`, `gc` and `export` as people and programs use them."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from headwise.app.cli import cli
from headwise.app.places import location_of
from headwise.app.render import size_of

VAULT = Path(__file__).parent.parent / "examples" / "vault"


@pytest.fixture(scope="module")
def indexed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("upkeep") / "vault"
    shutil.copytree(VAULT, folder)
    assert CliRunner().invoke(cli, ["index", str(folder)]).exit_code == 0
    return folder


@pytest.fixture
def vault(tmp_path, monkeypatch, indexed):
    """A copy of the example vault with its store, to stand in."""
    for name in os.environ:
        if name.startswith("HEADWISE_"):
            monkeypatch.delenv(name)
    folder = Path(shutil.copytree(indexed, tmp_path / "vault"))
    monkeypatch.chdir(folder)
    return folder


def run(*args):
    result = CliRunner().invoke(cli, args, catch_exceptions=False)
    return result.exit_code, result.stdout, result.stderr


def change(folder: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(folder / ".headwise" / "index.db")) as store:
        store.execute(statement, values)
        store.commit()


def test_verify_says_that_all_is_well(vault):
    code, out, _ = run("verify")

    assert code == 0
    assert out.splitlines()[:2] == [
        "documents  34 compared, as they should be",
        "vectors    0 pending, 0 that nothing uses (`headwise gc`)",
    ]


def test_verify_names_each_difference_and_fix_mends_them(vault):
    (vault / "Daily" / "2025-03-14.md").unlink()
    change(vault, "UPDATE chunks SET text = 'x' WHERE record_id = 'docs/faq.md#is-there-encryption::0'")
    change(vault, "INSERT INTO words(rowid, text) VALUES (99999, 'cat')")

    code, out, _ = run("verify")
    assert code == 1
    assert out.splitlines()[:4] == [
        f"{vault}/.headwise/index.db: words of 1 chunks that are not there",
        "docs/faq.md: chunks: docs/faq.md#is-there-encryption::0 (text) changed",
        "Daily/2025-03-14.md: is stored, but no longer there",
        "documents  33 compared, 3 differences; `headwise verify --fix` mends them",
    ]

    code, out, _ = run("verify", "--fix")
    assert code == 0
    assert [line.endswith(", mended") for line in out.splitlines()[:3]] == [True] * 3
    assert "33 compared, 3 faults mended" in out
    assert run("verify")[0] == 0


def test_verify_in_json(vault):
    change(vault, "UPDATE documents SET title = 'x' WHERE path = 'docs/faq.md'")
    change(vault, "UPDATE vectors SET data = ? WHERE id = 1", np.ones(8, "<f2").tobytes())

    code, out, _ = run("verify", "--json", "--fix")

    said = json.loads(out)
    assert code == 0
    assert list(said) == [
        *("documents", "is_clean", "differences", "problems", "pending", "unused_vectors", "vectors_checked", "seconds")
    ]
    assert (said["documents"], said["is_clean"], said["pending"], said["problems"]) == (34, True, 1, [])
    wrong, title = sorted(said["differences"], key=lambda found: found["path"] == "docs/faq.md")
    assert wrong["difference"].endswith("vectors of wordllama l2_supercat_256: not of 256 dimensions")
    assert title == {"path": "docs/faq.md", "difference": "title of the document not as in the file", "mended": True}
    assert run("embed")[1].startswith("vectors    wordllama: 1 new")
    assert run("verify")[0] == 0


def test_a_search_among_wrong_vectors_says_what_mends_them(vault):
    change(vault, "UPDATE vectors SET data = ? WHERE id = 1", np.ones(8, "<f2").tobytes())

    code, _, err = run("search", "motor")

    assert code == 1
    assert err.splitlines()[-1] == (
        "Error: vectors of one model have different lengths in the store; run `headwise verify --fix`"
    )
    assert run("verify", "--fix")[0] == 0
    assert run("search", "motor")[0] == 0


def test_verify_takes_the_options_that_index_was_given(vault):
    run("index", ".", "--max-tokens", "100", "--exclude", "docs/", "--yes")
    code, out, _ = run("verify")
    assert code == 1
    assert "was cut under other settings; give verify the options that index was given" in out
    assert "docs/faq.md: is not in the store" in out
    assert run("verify", "--max-tokens", "100", "--exclude", "docs/")[0] == 0


def test_verify_of_a_part(vault):
    change(vault, "UPDATE documents SET title = 'x'")
    code, out, _ = run("verify", "docs")
    assert code == 1
    assert {line.split("/")[0] for line in out.splitlines() if "title" in line} == {"docs"}


def test_an_unreadable_file_is_no_success(vault):
    (vault / "docs" / "faq.md").unlink()
    (vault / "docs" / "faq.md").symlink_to("/nowhere/at/all")
    (vault / "loop.md").symlink_to("loop.md")
    code, _, err = run("verify")
    assert code == 1
    assert "docs/faq.md: a link out of the folder" in err


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("verify", "gone"), "gone: no such file or folder"),
        (("verify", ".", "--store", "none.db"), "there is no store none.db; index a folder first"),
        (("verify", ".", "--store", "other.db"), "the store has nothing of"),
        (("gc", "--store", "none.db"), "there is no store none.db"),
        (
            ("gc", "--other-models", "--model", "minilm"),
            "the store has no vectors of minilm; run `headwise embed` with",
        ),
        (("export", "jsonl", "no/such/folder/x.jsonl"), "cannot be written (No such file or directory)"),
        (("export", "jsonl", "."), "is not a file; name another"),
        (("export", "parquet", "x.parquet", "--model", "minilm"), "the store has no vectors of minilm"),
        (("export", "chroma", "--path", "x", "--store", "other.db"), "the store has no vectors; run `headwise embed`"),
        (("export", "chroma", "--url", "ftp://x"), "ftp://x: is no address of a Chroma server"),
        (("export", "chroma", "--path", "x", "--collection", "?"), "Expected a name containing 3-512 characters"),
    ],
)
def test_bad_input_is_one_clear_line(vault, tmp_path, args, says):
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "note.md").write_text("Text.\n")
    run("index", str(tmp_path / "more"), "--store", "other.db", "--no-embed")

    code, _, err = run(*args)

    assert code == 1
    assert says in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize("args", [(), ("--path", "x", "--url", "http://x:1")])
def test_chroma_is_in_one_place(vault, args):
    code, _, err = run("export", "chroma", *args)
    assert code == 2
    assert "Give either --path or --url." in err


def test_gc_drops_what_nothing_uses_and_keeps_the_rest(vault):
    (vault / "docs" / "faq.md").unlink()
    run("index", ".")

    said = json.loads(run("gc", "--json")[1])

    assert list(said) == ["vectors", "bytes", "before", "after"]
    assert said["vectors"] > 3
    assert said["bytes"] == said["vectors"] * 512
    assert run("gc")[1].startswith("vectors    0 dropped, 0 B\nstore      ")
    assert run("embed")[1].startswith("vectors    wordllama: 0 new")


def test_gc_of_other_models_waits_until_the_new_one_is_complete(vault):
    change(vault, "INSERT INTO models(id, key) VALUES (9, 'old 3')")
    change(
        vault, "INSERT INTO vectors(model_id, content_hash, data) SELECT 9, content_hash, x'003c' FROM vectors LIMIT 7"
    )
    assert json.loads(run("gc", "--json")[1])["vectors"] == 0

    change(vault, "DELETE FROM vectors WHERE id = 1")
    change(vault, "UPDATE models SET embedded = embedded - 1 WHERE id <> 9")
    code, _, err = run("gc", "--other-models")
    assert code == 1
    assert "1 passages have no vector of wordllama l2_supercat_256 yet; run `headwise embed` first" in err

    run("embed")
    assert json.loads(run("gc", "--other-models", "--json")[1])["vectors"] == 7


def test_export_of_json_lines_is_what_chunk_says(vault):
    code, out, err = run("export", "jsonl", "-")
    assert (code, err) == (0, "")
    chunks = [json.loads(line) for line in run("chunk", ".", "--json")[1].splitlines()]
    stored = [json.loads(line) for line in out.splitlines()]
    cut = {chunk["path"] for chunk in chunks}
    assert [chunk for chunk in stored if chunk["path"] in cut] == chunks
    # A note of nothing but properties is not cut, but may be stored to be found by them.
    assert all(chunk["text"].startswith("---") for chunk in stored if chunk["path"] not in cut)

    assert run("export", "jsonl", "../out.jsonl")[1] == f"{len(stored)} chunks in ../out.jsonl\n"
    assert (vault.parent / "out.jsonl").read_text("utf-8") == out
    said = {"chunks": len(stored), "file": "../out.jsonl"}
    assert json.loads(run("export", "jsonl", "../out.jsonl", "--json")[1]) == said


def test_export_of_parquet(vault):
    code, out, _ = run("export", "parquet", "chunks.parquet")
    rows = pq.read_table("chunks.parquet").to_pylist()
    assert code == 0
    assert out == f"{len(rows)} chunks in chunks.parquet, vectors of wordllama l2_supercat_256\n"
    assert all(len(passage["vector"]) == 256 for row in rows for passage in row["passages"])


def test_export_to_chroma_and_again(vault):
    code, out, _ = run("export", "chroma", "--path", "chroma.db")
    assert code == 0
    total = int(out.split()[2])
    assert out == f"collection headwise: {total} added, 0 changed, 0 deleted, 0 unchanged\n"
    assert json.loads(run("export", "chroma", "--path", "chroma.db", "--json")[1]) == {
        "collection": "headwise",
        "added": 0,
        "changed": 0,
        "deleted": 0,
        "unchanged": total,
        "model": "wordllama l2_supercat_256",
    }


@pytest.mark.parametrize(
    ("store", "location"),
    [
        ("sqlite:////tmp/x.db", "/tmp/x.db"),  # noqa: S108 - nothing is there
        ("/tmp/x.db", "/tmp/x.db"),  # noqa: S108 - the same
        ("postgresql+psycopg://me:secret@host/db", "postgresql://me@host/db"),
    ],
)
def test_the_place_of_a_store_names_no_password(store, location):
    assert location_of(store) == location


@pytest.mark.parametrize(
    ("number", "shown"),
    [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (2_345_678, "2.3 MB"), (10**16, "10000.0 TB")],
)
def test_sizes_as_people_say_them(number, shown):
    assert size_of(number) == shown
