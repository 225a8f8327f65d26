"""A Chroma collection follows a store: asked with a real client, in a folder and behind a real server."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from support_embedder import WordBag
from support_vault import store_files, write

from headwise.chunking.settings import Settings
from headwise.errors import ExportError
from headwise.indexing.embed import embed_pending
from headwise.indexing.records import IndexSettings
from headwise.integrations.chroma import ChromaReport, export_chroma, open_chroma
from headwise.stores.sqlite import SqliteStore

MODEL = WordBag()
LONG = " ".join(f"Sentence number {number} is about pumps and valves." for number in range(30))


@pytest.fixture
def notes(tmp_path):
    folder = tmp_path / "notes"
    write(
        folder,
        robots__smars="---\ntags: [Robot/Small]\nowner: Mila\nyear: 2025\nrate: 0.5\ndone: true\nempty:\n"
        "parts: [a, b]\nmixed: [1, a]\nnone: []\nmap: {a: 1}\nbig: 99999999999999999999\n---\n\n"
        "# SMARS\n\nA small robot. See [[arm]] and [docs](https://example.org).\n\n## Motor\n\nIt takes four pins.\n",
        robots__arm="# Arm\n\nThe arm lifts boxes. #robot\n",
        miso="# 味噌汁\n\n火を止めてから味噌を溶きます。\n",
        pump=f"# Pump\n\n{LONG}\n",
    )
    return folder


@pytest.fixture
def store(tmp_path, notes):
    with SqliteStore(tmp_path / "index.db", create=True) as opened:
        store_files(opened, notes)
        embed_pending(opened, MODEL)
        yield opened


@pytest.fixture
def client(tmp_path):
    with open_chroma(str(tmp_path / "chroma"), None) as opened:
        yield opened


def export(store, client, collection="notes", location="here", model=MODEL) -> tuple[int, int, int, int]:
    made = export_chroma(store, location, client, collection, model.key)
    return made.added, made.changed, made.deleted, made.unchanged


def items(client, **where):
    found = client.get_collection("notes", embedding_function=None).get(
        include=["metadatas", "documents", "embeddings"], **where
    )
    rows = zip(found["ids"], found["documents"], found["metadatas"], found["embeddings"], strict=True)
    return {name: (text, metadata, vector) for name, text, metadata, vector in rows}


def ids(client, where):
    return sorted(items(client, where=where))


def test_every_passage_is_an_item_with_its_text_its_vector_and_what_it_can_be_filtered_by(store, client):
    assert export(store, client) == (len(expected(store)), 0, 0, 0)

    found = items(client)
    assert {name: text for name, (text, _, _) in found.items()} == expected(store)
    assert {"robots/smars.md#motor::0", "pump.md#pump::0", "pump.md#pump::0/1"} <= set(found)
    for text, _, vector in found.values():
        assert np.allclose(vector, MODEL.embed_query(text), atol=2e-3)
    metadata = found["robots/smars.md#motor::0"][1]
    metadata.pop("headwise_hash")
    metadata.pop("content_hash")
    assert metadata == {
        "path": "robots/smars.md",
        "folder": "robots",
        "title": "SMARS",
        "tags": ["robot", "robot/small"],
        "fm_tags": ["Robot/Small"],
        "fm_owner": "Mila",
        "fm_year": 2025,
        "fm_rate": 0.5,
        "fm_done": True,
        "fm_parts": ["a", "b"],
        "fm_big": "99999999999999999999",
        "link": "robots/smars.md#motor",
        "headings": ["SMARS", "Motor"],
        "heading": "SMARS > Motor",
        "kinds": ["heading", "paragraph"],
        "start": found["robots/smars.md#motor::0"][1]["start"],
        "end": found["robots/smars.md#motor::0"][1]["end"],
        "start_line": 19,
        "end_line": 21,
        "tokens": metadata["tokens"],
        "chunk_id": "robots/smars.md#motor::0",
    }
    assert found["robots/smars.md#smars::0"][1]["links"] == ["arm", "https://example.org"]


def expected(store):
    """Id → text for the embedder of every passage."""
    texts = {}
    for path in ("miso.md", "pump.md", "robots/arm.md", "robots/smars.md"):
        for record in store.load(".", path).records:
            for number, passage in enumerate(record.passages):
                texts[f"{record.id}/{number}" if number else record.id] = passage.embed_text
    return texts


def test_chroma_can_filter_by_all_of_it(store, client):
    export(store, client)
    smars = ["robots/smars.md#motor::0", "robots/smars.md#smars::0"]

    assert ids(client, {"tags": {"$contains": "robot"}}) == ["robots/arm.md#arm::0", *smars]
    assert ids(client, {"tags": {"$contains": "robot/small"}}) == smars
    assert ids(client, {"links": {"$contains": "arm"}}) == smars[1:]
    assert ids(client, {"headings": {"$contains": "Motor"}}) == smars[:1]
    assert ids(client, {"$and": [{"folder": "robots"}, {"fm_year": {"$gt": 2024}}]}) == smars
    assert ids(client, {"path": "miso.md"}) == ["miso.md#味噌汁::0"]
    assert len(ids(client, {"chunk_id": "pump.md#pump::0"})) > 1


def test_a_question_finds_what_is_near(store, client):
    export(store, client)
    collection = client.get_collection("notes", embedding_function=None)

    found = collection.query(query_embeddings=[MODEL.embed_query("how many pins does it take")], n_results=2)

    assert found["ids"][0][0] == "robots/smars.md#motor::0"
    nearest = np.dot(MODEL.embed_query("how many pins does it take"), MODEL.embed_query(found["documents"][0][0]))
    assert found["distances"][0][0] == pytest.approx(1 - nearest, abs=5e-3)


def test_a_second_export_writes_nothing_and_a_changed_store_only_what_changed(store, client, notes):
    total = export(store, client)[0]
    assert export(store, client) == (0, 0, 0, total)

    write(notes, robots__arm="# Arm\n\nThe arm lifts crates.\n", new="# New\n\nA new note.\n")
    text = (notes / "robots/smars.md").read_text("utf-8")
    (notes / "robots/smars.md").write_text(text.replace("owner: Mila\n", "").replace("year: 2025", "year: 2026"))
    (notes / "miso.md").unlink()
    store_files(store, notes)
    embed_pending(store, MODEL)

    assert export(store, client) == (1, 3, 1, total - 4)
    found = items(client)
    assert "miso.md#味噌汁::0" not in found
    assert found["robots/arm.md#arm::0"][0] == "Arm\n\n# Arm\n\nThe arm lifts crates."
    assert "tags" not in found["robots/arm.md#arm::0"][1]
    assert "fm_owner" not in found["robots/smars.md#motor::0"][1]
    assert found["robots/smars.md#motor::0"][1]["fm_year"] == 2026
    assert export(store, client) == (0, 0, 0, total)


def rebuilt(client):
    return {
        name: (text, metadata, [round(float(x), 5) for x in vector])
        for name, (text, metadata, vector) in items(client).items()
    }


def test_a_collection_that_followed_equals_one_made_anew(store, client, notes, tmp_path):
    export(store, client)
    write(notes, robots__arm="---\ntags: x\n---\n# Arm\n\nChanged.\n", pump="# Pump\n\nShort now.\n")
    store_files(store, notes)
    embed_pending(store, MODEL)
    export(store, client)

    with open_chroma(str(tmp_path / "anew"), None) as fresh:
        export(store, fresh)
        assert rebuilt(client) == rebuilt(fresh)


def test_more_items_than_go_at_once(store, client, notes, monkeypatch):
    monkeypatch.setattr("headwise.integrations.chroma._MOST", 2)
    total = len(expected(store))
    assert total > 6

    assert export(store, client) == (total, 0, 0, 0)
    shutil.rmtree(notes / "robots")
    store_files(store, notes)
    assert export(store, client) == (0, 0, 3, total - 3)


def test_chunks_that_are_one_passage_go_by_their_own_names(tmp_path, notes, client):
    with SqliteStore(tmp_path / "whole.db", create=True) as store:
        store_files(store, notes, settings=IndexSettings(Settings(min_tokens=0), passages=None))
        embed_pending(store, MODEL)
        export(store, client)
    assert all(name == metadata["chunk_id"] for name, (_, metadata, _) in items(client).items())


def test_several_roots_have_ids_apart(store, client, tmp_path):
    write(tmp_path / "more", miso="# Other\n\nText.\n")
    store_files(store, tmp_path / "more", root="/more")
    embed_pending(store, MODEL)
    export(store, client)
    assert items(client)["/more/miso.md#other::0"][1]["root"] == "/more"
    assert items(client)["./miso.md#味噌汁::0"][1]["root"] == "."


def test_a_collection_of_somebody_else_is_refused_and_stays(store, client):
    theirs = client.create_collection("notes", embedding_function=None)
    theirs.upsert(ids=["a"], documents=["theirs"], embeddings=[[1.0]])

    with pytest.raises(ExportError, match="the collection notes was not made by Headwise; name another"):
        export(store, client)

    assert list(items(client)) == ["a"]


def test_a_collection_of_another_store_is_refused(store, client):
    export(store, client)
    with pytest.raises(ExportError, match="was made from the store here; name another with --collection, or delete it"):
        export(store, client, location="there")


def test_vectors_of_another_model_make_the_collection_anew(store, client):
    total = export(store, client)[0]
    other = WordBag(name="little", dimensions=8)
    embed_pending(store, other)

    assert export(store, client, model=other) == (total, 0, 0, 0)

    assert {len(vector) for _, _, vector in items(client).values()} == {8}


def test_missing_vectors_are_refused_before_anything_is_done(store, client, notes):
    write(notes, new="# New\n\nNo vector yet.\n")
    store_files(store, notes)
    with pytest.raises(ExportError, match=r"1 passages have no vector of bag 32 yet: run `headwise embed` first"):
        export(store, client)
    assert client.list_collections() == []


@pytest.mark.parametrize("name", ["x", "a b", "ä" * 4])
def test_a_name_that_chroma_does_not_take_is_one_line(store, client, name):
    with pytest.raises(ExportError) as caught:
        export(store, client, collection=name)
    assert "Expected a name containing 3-512 characters" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_place_where_no_chroma_can_be_is_one_line(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(ExportError, match="file: Chroma refuses"), open_chroma(str(tmp_path / "file"), None):
        pass


@pytest.mark.parametrize("url", ["chroma:8000", "ftp://here", "http://", "http://here/chroma"])
def test_an_address_that_is_none_is_one_line(url):
    with pytest.raises(ExportError, match="is no address of a Chroma server; write"), open_chroma(None, url):
        pass


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


def test_a_server_that_is_not_there_is_one_line():
    url = f"http://127.0.0.1:{free_port()}"
    with pytest.raises(ExportError, match=r"Chroma refuses: .*[Cc]onnect"), open_chroma(None, url):
        pass


@contextmanager
def serving(folder: Path):
    """A real Chroma server on a free port."""
    port = free_port()
    program = Path(sys.executable).with_name("chroma")
    server = subprocess.Popen(
        [program, "run", "--path", folder, "--host", "127.0.0.1", "--port", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + 30
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                assert server.poll() is None, "the server ended"
                assert time.monotonic() < deadline, "the server does not answer"
                time.sleep(0.05)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(30)


def test_a_real_server_follows_the_store_as_well(store, notes, tmp_path):
    with serving(tmp_path / "served") as url, open_chroma(None, url) as client:
        total = export(store, client)[0]
        assert export(store, client) == (0, 0, 0, total)
        assert {name: text for name, (text, _, _) in items(client).items()} == expected(store)
        assert len(ids(client, {"tags": {"$contains": "robot"}})) == 3

        (notes / "miso.md").unlink()
        store_files(store, notes)
        assert export(store, client) == (0, 0, 1, total - 1)
        with open_chroma(str(tmp_path / "chroma"), None) as local:
            export(store, local)
            assert rebuilt(client) == rebuilt(local)


def test_the_report_names_the_collection(store, client):
    assert export_chroma(store, "here", client, "notes", MODEL.key) == ChromaReport(
        "notes", len(expected(store)), 0, 0, 0
    )
