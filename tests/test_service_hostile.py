"""Whatever is sent, the answer is a problem that says what is wrong, or harmless; never a failure, never a file."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest

pytest.importorskip("fastapi", reason="the extra `service` is not installed")

import structlog
import uvicorn
from support_service import Service, read_all, running, vault

from headwise.app.config import read_config
from headwise.app.service.app import make_app
from headwise.app.service.gate import Gate
from headwise.app.service.limits import Limits
from headwise.app.service.parts import Parts, Served, make_parts
from headwise.app.service.patience import Patient


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return vault(tmp_path_factory.mktemp("hostile"))


@pytest.fixture(scope="module")
def service(notes: Path) -> Iterator[Service]:
    with running(str(notes)) as started:
        yield started


@pytest.fixture(autouse=True)
def unharmed(service: Service) -> Iterator[None]:
    """After each of these, the service answers as before, and none of its lines tells of a failure."""
    yield
    assert service.get("/health")["status"] == "ok"
    assert [line for line in service.lines if line.get("level") == "error" or line.get("status", 0) >= 500] == []


def problem(answer: httpx.Response, *statuses: int) -> dict[str, object]:
    """What *answer* tells, which has to be a problem with one of these statuses."""
    assert answer.status_code in statuses, answer.text[:500]
    assert answer.headers["content-type"] == "application/problem+json"
    told = answer.json()
    assert told["status"] == answer.status_code
    assert "Traceback" not in answer.text
    return told


QUERIES = [
    '"unclosed',
    'a" OR "b',
    "NEAR(a b, 5)",
    "title:* AND {title headings}: x",
    "a* ^b -c +d (e",
    "'; DROP TABLE chunks; --",
    '" UNION SELECT name FROM sqlite_master --',
    "-- -x --",
    "%s %d {0} ${x} `id`",
    "<script>alert(1)</script>",
    "\u202e\u2066\ufeff\u0301\u0301",
    "\U0001f469\u200d\U0001f680" * 50,
    "path:../../etc/passwd tag:../x",
    'path:"' + "*" * 40 + 'x"',
    "where:x=1",
    "a" * 2000,
    " ".join(["the"] * 500),
    "\u3042" * 800,
    "\n\r\t\x01\x7f\x1b[31m",
]


@pytest.mark.parametrize("query", QUERIES)
def test_nothing_in_a_query_is_an_error(service: Service, query: str) -> None:
    found = service.get("/search", q=query, limit=3)

    assert found["query"] == query
    assert len(found["hits"]) <= 3


def test_a_query_of_ten_thousand_characters_is_refused_or_too_long(service: Service) -> None:
    problem(service.client.get("/search", params={"q": "x" * 2001}), 422)
    problem(service.client.get("/search", params={"q": "x" * 10_000}), 414)


@pytest.mark.parametrize(
    "target",
    [
        "/search?q=%00",
        "/search?path=%00",
        "/search?tag=%00",
        "/search?where=%00",
        "/documents?after=%00",
        "/documents?path=a%00b",
        "/chunk?id=%00",
        "/related?path=%00",
        "/search?limit=0",
        "/search?limit=-1",
        "/search?limit=101",
        "/search?limit=1e9",
        "/search?limit=" + "9" * 5000,
        "/search?limit=99999999999999999999",
        "/search?limit=%D9%A1%D9%A2x",
        "/search?limit=",
        "/search?budget=0",
        "/search?explain=perhaps",
        "/documents?limit=1001",
        "/search?" + "&".join(["tag=a"] * 21),
        "/chunk",
        "/chunk?id=",
        "/jobs/..",
        "/jobs/%00",
        "/jobs/zz",
    ],
)
def test_values_that_cannot_be_are_told(service: Service, target: str) -> None:
    answer = raw_get(service, target)

    assert answer.status_code in {404, 422}, answer.text
    assert answer.json()["status"] == answer.status_code


@pytest.mark.parametrize(
    "target",
    [
        "/search?q=%ED%A0%80",
        "/search?q=%FF%FE%C0%AF",
        "/search?q=%",
        "/search?q=%zz",
        "/search?q=a&q=b",
        "/search?q=a&unknown=1",
        "/search?q[]=a",
        "/search?;;&&==",
        "/documents?after=%ED%A0%80",
        "/documents?after=zzzz",
        "/documents?path=%5B%5D%28%29%7B%7D%5C",
        "/documents?tag=%23%2F",
    ],
)
def test_bytes_that_are_no_text_are_answered(service: Service, target: str) -> None:
    answer = raw_get(service, target)

    assert answer.status_code == 200, answer.text


BESIDE = "a secret beside the vault"


@pytest.fixture(scope="module", autouse=True)
def secret(notes: Path) -> None:
    (notes.parent / "secret.md").write_text(BESIDE, "utf-8")


@pytest.mark.parametrize(
    "path",
    [
        "../secret.md",
        "..%2Fsecret.md",
        "%2e%2e/secret.md",
        "%2e%2e%2fsecret.md",
        "Robots/../../secret.md",
        "./Robots/SMARS.md",
        "Robots//SMARS.md",
        "..%5Csecret.md",
        "%252e%252e%252fsecret.md",
        "/etc/passwd",
        "%2Fetc%2Fpasswd",
        "//etc/passwd",
        "file:///etc/passwd",
        ".headwise/index.db",
        ".obsidian/app.json",
        "Robots",
        "",
        "%00",
        "Robots/SMARS.md%00",
        "%ED%A0%80",
        "CON",
        "a" * 4000,
        "%C0%AE%C0%AE/secret.md",
    ],
)
def test_no_path_leaves_what_is_indexed(service: Service, path: str) -> None:
    for target in (f"/documents/{path}", f"/assets/{path}", f"/related?path={quote(path)}", f"/chunk?id={quote(path)}"):
        answer = raw_get(service, target)
        assert answer.status_code in {200, 404, 422}, (target, answer.status_code)
        assert BESIDE not in answer.text
        assert "root:" not in answer.text
        if answer.status_code == 200:  # a name that means a document, as in a link
            assert target.startswith("/related"), target


def test_a_file_that_was_changed_or_led_elsewhere_is_not_shown(service: Service, notes: Path) -> None:
    note = notes / "Robots" / "Motor notes.md"
    before = note.read_text("utf-8")
    try:
        note.write_text("changed", "utf-8")
        changed = service.get("/documents/Robots/Motor notes.md")
        note.unlink()
        note.symlink_to(notes.parent / "secret.md")
        led = service.get("/documents/Robots/Motor notes.md")
        note.unlink()
        gone = service.get("/documents/Robots/Motor notes.md")
    finally:
        note.unlink(missing_ok=True)
        note.write_text(before, "utf-8")

    for found in (changed, led, gone):
        assert (found["text"], found["stale"], found["sections"], found["dropped"]) == (None, True, [], [])
        assert found["chunks"]
        assert BESIDE not in json.dumps(found)


BODIES = [
    b"",
    b"{",
    b"null",
    b"[]",
    b'"text"',
    b"\xff\xfe\x00",
    b'{"text": "a"',
    b'{"text": NaN}',
    b'{"text": "a", "max_tokens": 1e999}',
    b'{"text": "a", "max_tokens": ' + b"9" * 10_000 + b"}",
    b'{"text": "a", "max_tokens": 9223372036854775808}',
    b'{"text": "a", "max_tokens": true}',
    b'{"text": "a", "max_tokens": "200"}',
    b'{"text": "a", "path": "\\u0000"}',
    b"[" * 200_000,
    b'{"a":' * 100_000,
    b'{"text": "\\ud800"}',
    b'{"text": "a", "__proto__": {}}',
    b'{"text": "a", "overlap": "9999999999999999999%"}',
    b'{"text": "a", "tokenizer": "../../x/tokenizer.json"}',
]


@pytest.mark.parametrize("body", BODIES, ids=lambda body: repr(body[:40]))
def test_bodies_that_cannot_be_are_told(service: Service, body: bytes) -> None:
    answer = service.client.post("/chunk", content=body, headers={"Content-Type": "application/json"})

    problem(answer, 400, 422)


@pytest.mark.parametrize(
    "kind",
    [None, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/xml", "a/b/c", ";"],
)
def test_bodies_of_other_kinds_are_refused(service: Service, kind: str | None) -> None:
    headers = {} if kind is None else {"Content-Type": kind}

    for path in ("/chunk", "/index"):
        problem(service.client.post(path, content=b'{"text": "a"}', headers=headers), 415)


def test_a_text_of_signs_that_nobody_expects_is_cut(service: Service) -> None:
    text = "# \x00\x01\u202e\ufeff\n\n" + "\U0001f469\u200d\U0001f680" * 100 + "\r\rx\x85\u2028y"
    found = service.post("/chunk", {"text": text, "html": True}).json()

    assert "".join(chunk["text"] for chunk in found["chunks"]).startswith("# \x00")
    assert "\x00" not in "".join(chunk["html"] for chunk in found["chunks"])


def test_a_large_text_is_cut(service: Service) -> None:
    text = "# Note\n\n" + "One sentence after another, and so on and on. " * 20_000
    answer = service.post("/chunk", {"text": text, "html": True})

    assert answer.status_code == 200
    assert answer.json()["chunks"][-1]["end"] == len(text.rstrip())


CUT = b"POST /chunk HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


def test_bodies_over_the_limit_are_refused_however_they_come(service: Service) -> None:
    over = b'{"text": "' + b"a" * (4 * 2**20) + b'"}'
    told = problem(service.client.post("/chunk", content=over, headers={"Content-Type": "application/json"}), 413)
    chunked = service.raw(
        CUT + b"Transfer-Encoding: chunked\r\n\r\n" + b"".join(b"100000\r\n" + b" " * 2**20 + b"\r\n" for _ in range(5))
    )
    claimed = service.raw(CUT + b"Content-Length: 99999999999\r\n\r\n")

    assert "4,194,304 bytes" in str(told["detail"])
    assert b" 413 " in chunked.splitlines()[0]
    assert b" 413 " in claimed.splitlines()[0]


@pytest.mark.parametrize(
    "sent",
    [
        b"\x00\x01\x02\x03\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        b"GET /search?q=\xff\xfe HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 100_000 + b"\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X: y\r\n" * 20_000 + b"\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"POST /chunk HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
        b"POST /chunk HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef",
        b"POST /chunk HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
    ],
    ids=lambda sent: repr(sent[:50]),
)
def test_what_is_no_request_is_refused(service: Service, sent: bytes) -> None:
    answer = service.raw(sent, seconds=2)

    status = answer.split(b" ")[1:2]
    assert status in ([b"400"], [b"403"], [b"415"], [b"431"]) or (b"websocket" in sent and status == [b"200"]), answer[
        :200
    ]


def test_methods_that_are_not_there_are_refused_with_those_that_are(service: Service) -> None:
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"):
        answer = service.client.request(method, "/search")
        problem(answer, 405)
        assert answer.headers["allow"] == "GET"
        assert not any(name.startswith("access-control") for name in answer.headers)


def raw_get(service: Service, target: str) -> httpx.Response:
    """GET of *target* as it stands: no client in between that would mend it."""
    head = f"GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    answer = service.raw(head.encode("ascii"))
    top, _, body = answer.partition(b"\r\n\r\n")
    status, *lines = top.decode("latin-1").split("\r\n")
    return httpx.Response(
        int(status.split(" ")[1]), headers=[tuple(line.split(": ", 1)) for line in lines], content=body
    )


@contextmanager
def impatient(
    notes: Path, limits: Limits, head_seconds: float, take_seconds: float = 60
) -> Iterator[tuple[int, Parts, uvicorn.Server]]:
    """A service in this process, at the port given, with limits of its own."""
    parts = make_parts(Served(read_config(notes, {}, {}), str(notes / ".headwise" / "index.db"), None, {}, limits), 2)
    log = structlog.testing.CapturingLogger()
    gate = Gate(make_app(parts), None, limits, parts.metrics, log)
    http = type("Impatient", (Patient,), {"head_seconds": head_seconds, "take_seconds": take_seconds})
    server = uvicorn.Server(
        uvicorn.Config(gate, http=http, log_config=None, access_log=False, lifespan="on", ws="none")
    )
    listener = socket.create_server(("127.0.0.1", 0))
    thread = threading.Thread(target=lambda: asyncio.run(server.serve([listener])))
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield listener.getsockname()[1], parts, server
    finally:
        server.should_exit = True
        thread.join(20)
        listener.close()
    assert [call.kwargs["exception"] for call in log.calls if call.method_name == "error"] == []


def answer_after(port: int, *parts: bytes, pause: float, seconds: float = 10) -> tuple[bytes, float]:
    """What is answered to *parts*, sent with a pause between them, and after how long the connection is closed."""
    began = time.monotonic()
    with socket.create_connection(("127.0.0.1", port), timeout=seconds) as connection:
        try:
            for part in parts:
                connection.sendall(part)
                time.sleep(pause)
        except OSError:
            pass
        return read_all(connection), time.monotonic() - began


def workers() -> int:
    """How many threads wait for work, or are at it."""
    return sum(thread.name.startswith("headwise-") for thread in threading.enumerate())


def test_clients_that_take_their_time_are_sent_away(notes: Path) -> None:
    head = CUT + b"Content-Length: 500\r\n\r\n"
    with impatient(notes, Limits(body_seconds=0.5), 0.5) as (port, _, _):
        silent = answer_after(port, b"", pause=0)
        no_head = answer_after(port, *[b"G", b"E", b"T", b" ", b"/"] * 5, pause=0.1)
        no_body = answer_after(port, head, pause=0)
        slow_body = answer_after(port, head, *[b"x"] * 40, pause=0.05)
        kept = answer_after(port, b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n", *[b"G"] * 20, pause=0.1)

    assert silent[0] == b""
    assert silent[1] < 3
    assert no_head[1] < 4
    for told, seconds in (no_body, slow_body):
        assert told.startswith(b"HTTP/1.1 408 ")
        assert b"the body was not there within 0.5 s" in told
        assert seconds < 4
    assert kept[0].startswith(b"HTTP/1.1 200 ")
    assert kept[1] < 4


def test_a_client_that_takes_nothing_is_given_up(notes: Path) -> None:
    request = b"GET /documents/Robots/SMARS.md HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with impatient(notes, Limits(), 5, 0.5) as (port, _, server), socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(("127.0.0.1", port))
        connection.settimeout(5)
        connection.sendall(request * 300)  # more answers than any buffer holds
        for has_come in (True, False):  # and then that it is gone
            end = time.monotonic() + 60
            while bool(server.server_state.connections) is not has_come:
                assert time.monotonic() < end
                time.sleep(0.01)
        whole = read_all(connection)
    assert whole.count(b"HTTP/1.1 200 OK") < 300


def test_work_that_takes_too_long_is_not_waited_for_and_does_not_pile_up(notes: Path) -> None:
    go = threading.Event()
    with (
        impatient(notes, Limits(work_seconds=0.3), 5) as (port, parts, _),
        httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=20, trust_env=False) as client,
    ):
        threads = workers()
        assert client.get("/search", params={"q": "motor"}).status_code in {200, 504}

        async def hang() -> None:
            waiting = [asyncio.create_task(parts.crew.run(go.wait, 0.3)) for _ in range(66)]
            await asyncio.gather(*waiting, return_exceptions=True)

        asyncio.run(hang())  # both threads are held, the queue has been full
        late = client.get("/search", params={"q": "motor"})
        go.set()
        end = time.monotonic() + 10
        while (again := client.get("/search", params={"q": "motor"})).status_code != 200:
            assert time.monotonic() < end
        late_threads = workers()

    told = problem(late, 503, 504)
    assert told["type"] in {"urn:headwise:problem:busy", "urn:headwise:problem:timeout"}
    assert again.json()["hits"]
    assert late_threads == threads
