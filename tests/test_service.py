"""The HTTP service answers what the command line answers, from either kind of store."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

pytest.importorskip("fastapi", reason="the extra `service` is not installed")

from prometheus_client.parser import text_string_to_metric_families
from support_service import EXAMPLES, Service, headwise, running, vault

from headwise.app.service.listening import listen
from headwise.chunking.settings import Settings
from headwise.chunking.split import analyse


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return vault(tmp_path_factory.mktemp("service"))


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def service(request: pytest.FixtureRequest, notes: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    if request.param == "sqlite":
        with running(str(notes)) as started:
            yield started
        return
    from support_postgres import postgres_url

    url = postgres_url()
    folder = Path(shutil.copytree(EXAMPLES, tmp_path_factory.mktemp("served") / "vault"))
    headwise("index", str(folder), "--store", url)
    with running(str(folder), "--store", url) as started:
        yield started


def test_a_search_finds_what_the_command_finds(service: Service, notes: Path) -> None:
    found = service.get("/search", q="how many pins does the motor driver need", limit=3)

    told = headwise(
        "search",
        "how many pins does the motor driver need",
        "--limit",
        "3",
        "--json",
        "--store",
        f"{notes}/.headwise/index.db",
    )
    hits = [json.loads(line) for line in told.splitlines()]
    assert [hit["id"] for hit in found["hits"]] == [hit["id"] for hit in hits]
    for hit, same in zip(found["hits"], hits, strict=True):
        assert hit["open"].startswith("obsidian://open?vault=vault&file=")
        assert {name: hit[name] for name in same if name != "score"} == {n: v for n, v in same.items() if n != "score"}
    best = found["hits"][0]
    assert best["start"] <= best["passage"]["start"] < best["passage"]["end"] <= best["end"]
    assert best["start_line"] <= best["passage"]["start_line"] <= best["passage"]["end_line"] <= best["end_line"]
    assert {"motor", "driver", "pins"} & {word.lower() for word in best["matched"]}
    assert found["model"] == "wordllama"
    assert found["query"] == "how many pins does the motor driver need"


def test_a_search_takes_filters_limit_budget_and_explains(service: Service) -> None:
    inside = service.get("/search", q="motor", path="Robots", limit=2)
    tagged = service.get("/search", q="motor", tag=["robot", "robot/motor"])
    where = service.get("/search", where=["status = running"], limit=100)
    small = service.get("/search", q="motor", budget=300, limit=50)
    explained = service.get("/search", q="motor", explain="true")

    assert len(inside["hits"]) == 2
    assert all(hit["path"].startswith("Robots/") for hit in inside["hits"])
    assert tagged["hits"]
    assert {hit["path"] for hit in where["hits"]} == {"Robots/SMARS.md"}
    assert 1 <= len(small["hits"]) < 50
    assert all(hit["explain"]["words"] for hit in explained["hits"][:1])
    assert "explain" not in inside["hits"][0]


def test_nothing_asked_is_nothing_found(service: Service) -> None:
    assert service.get("/search")["hits"] == []


def test_documents_come_page_by_page(service: Service) -> None:
    whole = service.get("/documents", limit=1000)
    pages, after = [], ""
    while after is not None:
        page = service.get("/documents", limit=7, after=after)
        assert page["total"] == whole["total"]
        pages += page["documents"]
        after = page["next"]

    assert pages == whole["documents"]
    assert len(pages) == whole["total"]
    assert [one["path"] for one in pages] == sorted(one["path"] for one in pages)
    assert whole["next"] is None
    smars = next(one for one in pages if one["path"] == "Robots/SMARS.md")
    assert smars["title"] == "SMARS"
    assert smars["tokens"] >= smars["chunks"] > 1


def test_documents_are_filtered(service: Service) -> None:
    robots = service.get("/documents", path="Robots/**")["documents"]
    tagged = service.get("/documents", tag="robot/motor")["documents"]

    assert robots
    assert all(one["path"].startswith("Robots/") for one in robots)
    assert 0 < len(tagged) < service.get("/documents")["total"]


def test_a_document_comes_with_all_that_is_known_of_it(service: Service) -> None:
    text = (EXAMPLES / "Robots" / "SMARS.md").read_text("utf-8")
    found = service.get("/documents/Robots/SMARS.md")

    analysis = analyse(text, path="Robots/SMARS.md", settings=Settings(), obsidian=True)
    assert found["text"] == text
    assert not found["stale"]
    assert [(c["start"], c["end"], c["tokens"]) for c in found["chunks"]] == [
        (c.start, c.end, c.tokens) for c in analysis.chunks
    ]
    assert [s["title"] for s in found["sections"]] == [s.title for s in analysis.sections]
    assert [d["reason"] for d in found["dropped"]] == [d.reason for d in analysis.dropped] == ["front matter"]
    assert found["properties"]["status"] == "running"
    assert found["settings"]["max_tokens"] == 400
    assert found["open"] == "obsidian://open?vault=vault&file=Robots%2FSMARS"
    assert found["chunks"][2]["open"] == "obsidian://open?vault=vault&file=Robots%2FSMARS%23Motor%20wiring"
    for chunk in found["chunks"]:
        assert text[chunk["start"] : chunk["end"]] == chunk["text"]
        assert all(chunk["start"] <= p["start"] < p["end"] <= chunk["end"] and p["tokens"] for p in chunk["passages"])
        assert chunk["html"]
    assert any("<table>" in chunk["html"] for chunk in found["chunks"])


def test_a_chunk_comes_with_its_neighbours(service: Service) -> None:
    chunks = service.get("/documents/Robots/SMARS.md")["chunks"]
    ids = [chunk["id"] for chunk in chunks]

    for at, chunk in enumerate(chunks):
        found = service.get("/chunk", id=chunk["id"])
        assert found["previous"] == (ids[at - 1] if at else None)
        assert found["next"] == (ids[at + 1] if at + 1 < len(ids) else None)
        assert {name: found[name] for name in chunk} == chunk


def test_what_is_not_there_is_a_problem(service: Service) -> None:
    for path in ("/documents/no.md", "/chunk?id=no.md%3A%3A0", "/related?path=no.md", "/jobs/00", "/nothing"):
        answer = service.client.get(path)
        told = answer.json()
        assert answer.status_code == told["status"] == 404, path
        assert answer.headers["content-type"] == "application/problem+json"
        assert told["request_id"] == answer.headers["x-request-id"]
        assert told["detail"]
        assert told["title"] == "Not Found"


def test_related_documents(service: Service) -> None:
    found = service.get("/related", path="Robots/SMARS.md")

    assert any(one["path"] == "Robots/Motor notes.md" for one in found["links"])
    assert found["near"]
    assert service.get("/related", path="SMARS#Motor wiring")["anchor"] == "motor-wiring"


def test_health_says_what_the_store_holds(service: Service) -> None:
    found = service.get("/health")

    assert found["status"] == "ok"
    assert found["documents"] == service.get("/documents")["total"]
    assert found["pending"] == 0
    assert sum(bar["count"] for bar in found["tokens"]["histogram"]) == found["chunks"]
    assert found["last_sync"]["documents"]["added"] > found["documents"]
    assert found["can_sync"]
    assert found["editor"] == "obsidian"


def test_a_text_is_cut_as_the_library_cuts_it(service: Service) -> None:
    text = (
        "---\ntags: [a]\n---\n# One\n\n" + "First sentence here. Another one follows it. " * 30 + "\n\n## Two\n\nLast."
    )
    answer = service.post("/chunk", {"text": text, "max_tokens": 60, "overlap": "1s", "passages": 0, "html": True})
    found = answer.json()

    analysis = analyse(text, settings=Settings(max_tokens=60, overlap="1s"))
    assert answer.status_code == 200
    assert [(c["start"], c["own_start"], c["end"]) for c in found["chunks"]] == [
        (c.start, c.own_start, c.end) for c in analysis.chunks
    ]
    assert [len(c["passages"]) for c in found["chunks"]] == [1] * len(analysis.chunks)
    assert found["tokens"]["max"] <= 60
    assert found["dropped"] == [dropped._asdict() for dropped in analysis.dropped]
    assert "<h2>Two</h2>" in found["chunks"][-1]["html"]
    assert found["settings"] == {
        "max_tokens": 60,
        "min_tokens": 6,
        "overlap": "1s",
        "strategy": "headings",
        "tokenizer": "cl100k_base",
    }
    assert "html" not in service.post("/chunk", {"text": "a"}).json()["chunks"][0]


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ({"text": "a", "max_tokens": 0}, "max_tokens"),
        ({"text": "a", "max_tokens": 10, "min_tokens": 10}, "min_tokens"),
        ({"text": "a", "overlap": "much"}, "overlap"),
        ({"text": "a", "tokenizer": "/etc/passwd"}, "tokenizer"),
        ({"text": "a", "tokenizer": "../tokenizer.json"}, "tokenizer"),
        ({"text": "a", "strategy": "magic"}, "strategy"),
        ({"text": 1}, "text"),
        ({"text": "a", "more": 1}, "more"),
        ({}, "text"),
        ([], ""),
    ],
)
def test_settings_that_cannot_work_are_told(service: Service, body: object, where: str) -> None:
    answer = service.post("/chunk", body)

    assert answer.status_code == 422
    assert where in answer.json()["detail"]


def test_metrics_are_read_by_prometheus(service: Service) -> None:
    service.get("/search", q="motor")
    answer = service.client.get("/metrics")

    families = {family.name: family for family in text_string_to_metric_families(answer.text)}
    asked = [s for s in families["headwise_requests"].samples if s.labels.get("route") == "/search"]
    stored = {sample.labels["what"]: sample.value for sample in families["headwise_stored"].samples}
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    assert sum(sample.value for sample in asked) >= 1
    assert stored["documents"] == service.get("/documents")["total"]
    assert families["headwise_store_usable"].samples[0].value == 1
    assert families["headwise_request_seconds"].type == "histogram"


def test_the_page_and_its_files_are_served_and_kept_by_browsers(service: Service) -> None:
    page = service.client.get("/")
    script = service.client.get("/assets/app.js")
    again = service.client.get("/assets/app.js", headers={"If-None-Match": script.headers["etag"]})

    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert script.headers["content-type"] == "text/javascript; charset=utf-8"
    assert (again.status_code, again.content) == (304, b"")
    assert service.client.get("/assets/__init__.py").status_code == 404
    assert service.client.head("/").headers["content-length"] == str(len(page.content))


def test_every_request_has_a_line_with_its_id_and_without_its_query(service: Service) -> None:
    answer = service.client.get("/search", params={"q": "a secret"}, headers={"X-Request-ID": "given-by-a-proxy"})

    assert answer.headers["x-request-id"] == "given-by-a-proxy"
    line = service.line("id", "given-by-a-proxy")
    assert (line["method"], line["path"], line["status"]) == ("GET", "/search", 200)
    assert line["ms"] > 0
    assert "secret" not in json.dumps(service.lines)
    assert all(line["event"] != "not JSON" for line in service.lines)


def test_an_answer_is_one_for_head_as_well(service: Service) -> None:
    answer = service.client.head("/health")

    assert answer.status_code == 200
    assert int(answer.headers["content-length"]) > 100
    assert answer.content == b""


def test_many_ask_at_once_and_all_get_the_same(service: Service) -> None:
    from concurrent.futures import ThreadPoolExecutor

    wanted = [hit["id"] for hit in service.get("/search", q="motor driver pins")["hits"]]
    with ThreadPoolExecutor(16) as pool, httpx.Client(base_url=service.client.base_url, trust_env=False) as client:
        answers = list(pool.map(lambda _: client.get("/search", params={"q": "motor driver pins"}).json(), range(60)))

    assert all([hit["id"] for hit in answer["hits"]] == wanted for answer in answers)


@pytest.mark.parametrize(
    "target",
    [
        "/search?q=%22a%22%20OR%20%27b%27%3B--%20%25s%20%7B%7D%20%5C%20NEAR%28a%20b%29%20%2A%5E%3A%28%29",
        "/search?q=a+path:%22%5C%5B%28%22+tag:%22%27%3B%22+title:%28%2B%29+-%22x%22",
        "/search?q=a&path=%5B%5B%28%2B%2B%7B9%7D%5C%5C1%24%5E&tag=%27%22%5C&where=a%27%22%20%3D%20%27%22%5C",
        "/search?q=%00",
        "/search?q=path:%22%00%22",
        "/search?q=%ED%A0%80+tag:%ED%A0%80+%F4%8F%BF%BF+%EF%BF%BF",
        "/search?q=a&where=weight_g+%3E+1e400",
        "/search?q=a&where=weight_g+%3E+99999999999999999999999999",
        "/search?q=a&where=created+%3E+9999-99-99",
        "/search?q=a&budget=1",
        "/documents?after=%F4%8F%BF%BF&path=" + "%2A" * 100 + "x",
        "/documents?tag=%00",
        "/documents/%00",
        "/documents/%ED%A0%80%27%22%3B--",
        "/chunk?id=" + "%23" * 1000,
        "/chunk?id=%27%22%5C%3A%3A",
        "/related?path=%27%22%5C%23%23%23",
    ],
)
def test_either_store_answers_whatever_is_asked(service: Service, target: str) -> None:
    answer = service.client.get(target)

    assert answer.status_code in {200, 404, 422}, answer.text
    assert [line for line in service.lines if line.get("level") == "error"] == []


def test_the_collector_passes_over_what_stays_and_takes_what_went(tmp_path: Path) -> None:
    code = """
import gc, os, shutil, sys, weakref
from headwise import Index
from headwise.app.service.library import Library
folder, store, other = sys.argv[1:]
with Index(store, create=True) as index:
    index.sync(folder)
shutil.copy(store, other)
library = Library(store, None)
with library.index() as index:
    old = weakref.ref(index)
    print(gc.get_freeze_count() > 10_000)
del index
os.replace(other, store)
with library.index():
    print(gc.get_freeze_count() > 10_000, old() is None)
"""
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.md").write_text("# A\n\nSome words.\n")
    command = [sys.executable, "-c", code, str(folder), str(tmp_path / "index.db"), str(tmp_path / "other.db")]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert shown == ["True"] * 3


def test_what_is_accepted_sends_without_waiting_for_more() -> None:
    with listen("127.0.0.1", 0) as listener, socket.create_connection(listener.getsockname()):
        accepted, _ = listener.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="threads are counted as Linux shows them")
@pytest.mark.parametrize(("said", "threads"), [(None, 1), ("2", min(2, os.cpu_count() or 1))])
def test_a_search_multiplies_with_one_core_unless_it_is_told_otherwise(said: str | None, threads: int) -> None:
    code = """
import os, sys
from headwise.app.service.library import calculate_with_one_core
assert "numpy" not in sys.modules  # else it is too late
calculate_with_one_core()
import numpy
print(len(os.listdir("/proc/self/task")), os.environ.get("OPENBLAS_NUM_THREADS"))
"""
    given = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    environment = given | ({"OPENBLAS_NUM_THREADS": said} if said else {})
    command = [sys.executable, "-c", code]
    shown = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.split()
    assert shown == [str(threads), str(said)]
