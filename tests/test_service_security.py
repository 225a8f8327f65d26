"""Who may ask: tokens, names, other sites' pages; and what every answer carries."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

pytest.importorskip("fastapi", reason="the extra `service` is not installed")

from support_service import Service, running, vault

from headwise.app.cli import cli
from headwise.app.service.security import TOKEN, is_loopback, read_token, refusal
from headwise.errors import SettingsError

PHRASE = "0123456789abcdef-secret"
ANYWHERE = "0.0.0.0"  # noqa: S104 - what may not be done without a token


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return vault(tmp_path_factory.mktemp("security"))


@pytest.fixture(scope="module")
def guarded(notes: Path) -> Iterator[Service]:
    with running(str(notes), "--host", ANYWHERE, **{TOKEN: PHRASE}) as started:
        yield started


@pytest.fixture(scope="module")
def local(notes: Path) -> Iterator[Service]:
    with running(str(notes)) as started:
        yield started


GUARDED = [
    "/search?q=a",
    "/documents",
    "/documents/Home.md",
    "/chunk?id=a",
    "/health",
    "/metrics",
    "/openapi.json",
    "/x",
]


@pytest.mark.parametrize("path", GUARDED)
def test_nothing_but_the_page_is_given_without_the_token(guarded: Service, path: str) -> None:
    for headers in (
        {},
        {"Authorization": "Bearer wrong"},
        {"Authorization": f"Bearer {PHRASE}x"},
        {"Authorization": f"Bearer {PHRASE[:-1]}"},
        {"Authorization": f"Basic {PHRASE}"},
        {"Authorization": "Bearer"},
        {"Authorization": "Bearer \xff"},
        {"Cookie": f"token={PHRASE}"},
    ):
        answer = guarded.client.get(path, headers=[(k.encode(), v.encode("latin-1")) for k, v in headers.items()])
        assert answer.status_code == 401, headers
        assert answer.headers["www-authenticate"].startswith("Bearer")
        assert answer.json()["type"].endswith(":token")
        assert PHRASE not in answer.text
    assert guarded.client.get(f"{path}{'&' if '?' in path else '?'}token={PHRASE}").status_code == 401


def test_with_the_token_all_is_as_without_one(guarded: Service) -> None:
    headers = {"Authorization": f"Bearer {PHRASE}"}

    assert guarded.client.get("/search", params={"q": "motor"}, headers=headers).json()["hits"]
    assert guarded.client.get("/health", headers={"Authorization": f"bearer  {PHRASE}"}).status_code == 200
    assert guarded.client.post("/chunk", json={"text": "a"}, headers=headers).status_code == 200
    assert guarded.client.post("/chunk", json={"text": "a"}).status_code == 401
    assert guarded.client.post("/index", json={}).status_code == 401
    named = guarded.client.get("/health", headers={**headers, "Host": "notes.example.com"})
    assert named.status_code == 200


def test_the_page_itself_needs_no_token(guarded: Service) -> None:
    assert guarded.client.get("/").status_code == 200
    assert guarded.client.get("/assets/app.js").status_code == 200
    for path in ("/assets/../health", "/assets/%2e%2e/health", "//health", "/assets/..%2fsearch?q=a"):
        assert b" 200 " not in guarded.raw(f"GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".encode())[:20]


def test_the_token_is_in_no_line_and_no_answer(guarded: Service) -> None:
    guarded.client.get("/health", headers={"Authorization": f"Bearer {PHRASE}"})

    assert PHRASE not in str(guarded.lines)


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("127.0.0.1", 200),
        ("127.0.0.1:8765", 200),
        ("localhost:1", 200),
        ("LOCALHOST", 200),
        ("127.8.8.8", 200),
        ("[::1]:80", 200),
        ("evil.example", 403),
        ("localhost.evil.example", 403),
        ("127.0.0.1.evil.example", 403),
        ("evil.example:127", 403),
        (ANYWHERE, 403),
        ("localhost@evil.example", 403),
        ("", 403),
    ],
)
def test_names_that_are_not_this_machine_are_refused(local: Service, name: str, status: int) -> None:
    answer = local.client.get("/health", headers={"Host": name})

    assert answer.status_code == status
    assert status == 200 or answer.json()["type"].endswith(":host")


@pytest.mark.parametrize(
    ("site", "status"), [("same-origin", 200), ("none", 200), ("cross-site", 403), ("same-site", 403)]
)
def test_pages_of_others_change_nothing(local: Service, site: str, status: int) -> None:
    answer = local.client.post("/chunk", json={"text": "a"}, headers={"Sec-Fetch-Site": site})

    assert answer.status_code == status


def test_no_page_of_others_may_read_an_answer(local: Service) -> None:
    headers = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
    asked = local.client.options("/chunk", headers=headers)
    answered = local.client.get("/search", params={"q": "a"}, headers=headers)

    assert asked.status_code == 405
    for answer in (asked, answered):
        assert not [name for name in answer.headers if name.startswith("access-control")]


@pytest.mark.parametrize(
    "path", ["/", "/assets/app.js", "/health", "/search?limit=0", "/nothing", "/search", "/metrics"]
)
def test_every_answer_says_what_a_browser_may_do_with_it(local: Service, path: str) -> None:
    headers = local.client.get(path).headers

    policy = dict(part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";"))
    assert policy["default-src"] == policy["base-uri"] == policy["frame-ancestors"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert "camera=()" in headers["permissions-policy"]
    assert headers["cache-control"] in {"no-store", "no-cache"}
    assert headers["x-request-id"]
    assert "server" not in headers


def refused(*arguments: str, **environment: str | None) -> str:
    """What `headwise serve`, which does not start, says."""
    done = CliRunner().invoke(cli, ["serve", *arguments], env={TOKEN: None, **environment})
    assert done.exit_code == 1
    assert done.stderr.count("\n") == 1
    return done.stderr


def test_what_cannot_be_served_is_told_in_one_line(notes: Path, tmp_path: Path, local: Service) -> None:
    assert "set HEADWISE_TOKEN" in refused(str(notes), "--host", ANYWHERE)
    assert "at least 16" in refused(str(notes), **{TOKEN: "short"})
    assert "without spaces" in refused(str(notes), **{TOKEN: "long enough but with spaces"})
    assert "Address already in use" in refused(str(notes), "--port", str(local.port))
    assert "no such file or folder" in refused(str(tmp_path / "nowhere"))
    assert "cannot listen at nowhere.invalid" in refused(str(notes), "--host", "nowhere.invalid", **{TOKEN: PHRASE})


def test_without_the_extra_it_says_what_to_install(notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("headwise.app.service")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "uvicorn", None)

    assert 'serve needs uvicorn, which is not installed: pip install "headwise[service]"' in refused(str(notes))


def test_only_addresses_of_this_machine_are_its_own() -> None:
    own = ("127.0.0.1", "127.1.2.3", "::1", "[::1]", "localhost", "Localhost")
    others = (ANYWHERE, "::", "192.168.1.2", "example.com", "", "localhost.example.com", "127.0.0.1.example.com")

    assert all(is_loopback(host) for host in own)
    assert not any(is_loopback(host) for host in others)


def test_a_token_is_needed_where_others_can_reach() -> None:
    assert read_token("127.0.0.1", {}) is None
    assert read_token("127.0.0.1", {TOKEN: ""}) is None
    assert read_token(ANYWHERE, {TOKEN: PHRASE}) == PHRASE
    for host in (ANYWHERE, "::", "example.com"):
        with pytest.raises(SettingsError, match=TOKEN):
            read_token(host, {})


def test_a_token_is_compared_whatever_the_path() -> None:
    assert refusal(PHRASE, "/assets", "GET", {}) is not None
    assert refusal(PHRASE, "/assets/x", "GET", {}) is None
    assert refusal(PHRASE, "/health", "GET", {"authorization": f"Bearer {PHRASE}"}) is None
    assert refusal(PHRASE, "/health", "GET", {"authorization": "Bearer \udcff"}) is not None
