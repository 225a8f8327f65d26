"""Stored chunks as files for other programs, read back with other people's readers."""

from __future__ import annotations

import json
import os
import sqlite3
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from support_embedder import WordBag
from support_vault import SETTINGS, store_files, write

from headwise.app.output import chunk_json
from headwise.chunking.split import analyse
from headwise.errors import ExportError
from headwise.indexing.documents import read_document
from headwise.indexing.embed import embed_pending
from headwise.indexing.files import FileOptions, find_files
from headwise.integrations.files import written
from headwise.integrations.jsonl import export_jsonl, json_line
from headwise.integrations.parquet import export_parquet
from headwise.stores.sqlite import SqliteStore

MODEL = WordBag()


@pytest.fixture
def notes(tmp_path):
    folder = tmp_path / "notes"
    write(
        folder,
        a="---\ntags: [robot]\naliases: [R2]\nowner: {name: Mila, age: 3}\n---\n\n# SMARS\n\nA robot. See [[b]].\n\n"
        "## Motor\n\nIt takes four pins.\n",
        sub__b="# 味噌汁\n\n火を止めてから味噌を溶きます。 #food\n",
        out="---\nheadwise: false\n---\nKept out.\n",
        blank="",
    )
    return folder


@pytest.fixture
def store(tmp_path, notes):
    with SqliteStore(tmp_path / "index.db", create=True) as opened:
        store_files(opened, notes)
        yield opened


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def cut(folder):
    """What `headwise chunk --json` says of every file."""
    for file in sorted(find_files(folder, FileOptions()).files, key=lambda file: file.path):
        document = read_document(file)
        made = analyse(document.text, settings=SETTINGS.cutting, path=document.path, document_format=document.format)
        front_matter = made.tree.front_matter
        if front_matter.data.get("headwise") is not False:
            yield from (chunk_json(document, front_matter, chunk) for chunk in made.chunks)


def lines(store) -> list[str]:
    out = BytesIO()
    chunks = export_jsonl(store, out.write)
    found = out.getvalue().decode("utf-8").splitlines()
    assert len(found) == chunks
    return found


def test_json_lines_are_what_chunk_json_says(store, notes):
    assert [line + "\n" for line in lines(store)] == [json_line(chunk) for chunk in cut(notes)]
    assert len(lines(store)) == 3


def test_several_roots_are_told_apart(store, tmp_path):
    write(tmp_path / "more", a="# Other\n\nText.\n")
    store_files(store, tmp_path / "more", root="/more")

    found = [json.loads(line) for line in lines(store)]

    assert [(chunk["id"], chunk["path"], chunk["root"]) for chunk in found] == [
        ("./a.md#smars::0", "a.md", "."),
        ("./a.md#motor::0", "a.md", "."),
        ("./sub/b.md#味噌汁::0", "sub/b.md", "."),
        ("/more/a.md#other::0", "a.md", "/more"),
    ]


def parquet(store, path, model=None):
    assert export_parquet(store, path, model) == pq.read_metadata(path).num_rows
    return pq.read_table(path)


def test_parquet_holds_the_same_with_passages_and_their_vectors(store, notes, tmp_path):
    embed_pending(store, MODEL)

    table = parquet(store, tmp_path / "chunks.parquet", MODEL.key)
    rows = table.to_pylist()

    assert table.schema.metadata[b"headwise_model"] == b"bag 32"
    for row, chunk in zip(rows, cut(notes), strict=True):
        metadata, passages = row.pop("metadata"), row.pop("passages")
        wanted = json.loads(json.dumps(chunk))
        also = wanted.pop("metadata")
        assert row == wanted | {"root": None}
        assert metadata["mtime"] == datetime.fromisoformat(also.pop("mtime"))
        assert metadata.pop("mtime").tzinfo is not None
        front_matter = json.loads(metadata.pop("front_matter"))
        named = ("folder", "tags", "links", "aliases", "document_hash")
        assert metadata == {name: also[name] for name in named}
        assert {name: value for name, value in also.items() if name not in named} == {
            name: value for name, value in front_matter.items() if name not in named
        }
        for passage in passages:
            assert np.allclose(passage["vector"], MODEL.embed_query(passage["text"]), atol=2e-3)
            assert row["start"] <= passage["start"] < passage["end"] <= row["end"]
    assert json.loads(rows_front_matter(table)) == {
        "tags": ["robot"],
        "aliases": ["R2"],
        "owner": {"name": "Mila", "age": 3},
    }


def rows_front_matter(table) -> str:
    return table.column("metadata")[0].as_py()["front_matter"]


def test_parquet_without_vectors(store, tmp_path):
    rows = parquet(store, tmp_path / "chunks.parquet").to_pylist()
    assert all(passage["vector"] is None for row in rows for passage in row["passages"])


def test_parquet_is_written_in_groups(store, tmp_path, monkeypatch):
    monkeypatch.setattr("headwise.integrations.parquet._ROWS", 2)
    table = parquet(store, tmp_path / "chunks.parquet")
    assert pq.read_metadata(tmp_path / "chunks.parquet").num_row_groups == 2
    assert table.num_rows == 3


def test_an_empty_store_makes_an_empty_file(tmp_path):
    with SqliteStore(tmp_path / "empty.db", create=True) as store:
        table = parquet(store, tmp_path / "none.parquet")
        assert (table.num_rows, table.schema.names[0]) == (0, "id")
        assert lines(store) == []


def test_half_a_surrogate_pair_does_not_stop_either(store, tmp_path):
    """SQLite holds no such text, JSON in it does: a title of front matter can come with one."""
    with sqlite3.connect(tmp_path / "index.db") as connection:
        connection.execute("""UPDATE documents SET front_matter = '{"x": "\\ud800"}'""")
    connection.close()
    assert '"x": "\\ud800"' in lines(store)[0]
    table = parquet(store, tmp_path / "chunks.parquet")
    assert json.loads(rows_front_matter(table)) == {"x": "\ufffd"}


def test_a_file_is_there_whole_or_as_it_was(tmp_path):
    file = tmp_path / "out.bin"
    with written(file) as out:
        out.write(b"first")
        assert not file.exists()
    assert file.read_bytes() == b"first"

    with pytest.raises(ZeroDivisionError), written(file) as out:  # noqa: PT012 - it fails half-way
        out.write(b"second")
        raise ZeroDivisionError

    assert file.read_bytes() == b"first"
    assert names(tmp_path) == ["out.bin"]


def test_a_file_is_readable_as_any_other(tmp_path):
    with written(tmp_path / "out.bin"):
        pass
    (tmp_path / "plain").touch()
    assert (tmp_path / "out.bin").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with written(tmp_path / "link") as out:
        out.write(b"x")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"x"


@pytest.mark.parametrize(
    ("path", "says"), [("folder", "is not a file; name another"), ("no/such/file", "cannot be written (No such file")]
)
def test_a_place_where_no_file_can_be_is_one_line(tmp_path, path, says):
    (tmp_path / "folder").mkdir()
    with pytest.raises(ExportError) as caught, written(tmp_path / path):
        pass
    assert says in str(caught.value)
    assert names(tmp_path) == ["folder"]


def test_a_device_is_left_alone():
    with pytest.raises(ExportError, match="is not a file"), written(Path("/dev/null")):
        pass


def test_an_old_time_and_none(store, notes):
    os.utime(notes / "a.md", ns=(0, -(10**9)))
    os.utime(notes / "sub/b.md", ns=(0, 0))
    store_files(store, notes)
    times = [json.loads(line)["metadata"]["mtime"] for line in lines(store)]
    assert times == ["1969-12-31T23:59:59Z", "1969-12-31T23:59:59Z", None]
    assert datetime.fromisoformat(times[0]).tzinfo == UTC
