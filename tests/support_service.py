"""A running `headwise serve` for tests: a real process, asked over real sockets."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Any

import httpx

EXAMPLES = Path(__file__).resolve().parent.parent / "examples" / "vault"
_START = 60.0


@dataclass
class Service:
    """A service and how to ask it."""

    process: subprocess.Popen[str]
    port: int
    lines: list[dict[str, Any]]
    """What it has logged so far."""
    client: httpx.Client

    def get(self, path: str, /, **params: Any) -> Any:
        """The JSON that GET answers, which has to be 200."""
        answer = self.client.get(path, params=params)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def post(self, path: str, body: Any) -> httpx.Response:
        """What POST answers."""
        return self.client.post(path, json=body)

    def raw(self, sent: bytes, seconds: float = 10.0) -> bytes:
        """What is answered to *sent*, byte for byte, until the service closes or says no more."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=seconds) as connection:
            connection.sendall(sent)
            return read_all(connection)

    def line(self, name: str, value: str, seconds: float = 20.0) -> dict[str, Any]:
        """The first line of the log in which *name* is *value*, once it is there: it may come after the answer."""
        end = time.monotonic() + seconds
        while not (found := [line for line in self.lines if line.get(name) == value]):
            assert time.monotonic() < end, self.lines
            time.sleep(0.02)
        return found[0]

    def wait_for_job(self, job: str, seconds: float = 60.0) -> dict[str, Any]:
        """The job, when it has ended."""
        end = time.monotonic() + seconds
        while (found := self.get(f"/jobs/{job}"))["state"] == "running":
            assert time.monotonic() < end, found
            time.sleep(0.05)
        return found

    def stop(self, how: signal.Signals = signal.SIGTERM, seconds: float = 20.0) -> int:
        """The exit code, after a polite signal."""
        self.client.close()
        self.process.send_signal(how)
        return self.process.wait(seconds)


def read_all(connection: socket.socket) -> bytes:
    """What comes until the other side closes, or nothing more comes in time."""
    parts: list[bytes] = []
    try:
        while part := connection.recv(65536):
            parts.append(part)
    except (TimeoutError, ConnectionResetError):
        pass
    return b"".join(parts)


def vault(folder: Path) -> Path:
    """A copy of the example vault in *folder*, indexed."""
    copy = Path(shutil.copytree(EXAMPLES, folder / "vault"))
    headwise("index", str(copy))
    return copy


def headwise(*arguments: str, **environment: str) -> str:
    """What a command that succeeds writes to stdout."""
    done = subprocess.run(
        [sys.executable, "-m", "headwise", *arguments],
        capture_output=True,
        encoding="utf-8",
        check=False,
        env=_environment(environment),
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@contextmanager
def running(*arguments: str, **environment: str) -> Iterator[Service]:
    """`headwise serve` with these arguments at a free port; it has to end well."""
    command = [sys.executable, "-m", "headwise", "serve", *arguments, "--port", "0", "--log-json"]
    process = subprocess.Popen(
        command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, encoding="utf-8", env=_environment(environment)
    )
    lines: list[dict[str, Any]] = []
    listener = Thread(target=_listen, args=(process, lines), daemon=True)
    listener.start()
    try:
        end = time.monotonic() + _START
        while not (told := [line for line in lines if "url" in line]):
            assert process.poll() is None, "it ended at once"
            assert time.monotonic() < end, "it does not start"
            time.sleep(0.02)
        port = httpx.URL(told[0]["url"]).port
        assert port
        base = f"http://127.0.0.1:{port}"
        with httpx.Client(base_url=base, timeout=60, trust_env=False) as client:
            yield Service(process, port, lines, client)
        if process.poll() is None:
            process.terminate()
            assert process.wait(20) == 0
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        listener.join(10)
        assert process.stderr
        process.stderr.close()


def _environment(more: dict[str, str]) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("HEADWISE_")}
    return kept | more


def _listen(process: subprocess.Popen[str], lines: list[dict[str, Any]]) -> None:
    assert process.stderr
    for line in process.stderr:
        try:
            lines.append(json.loads(line))
        except ValueError:
            lines.append({"event": "not JSON", "line": line})
