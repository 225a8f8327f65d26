"""What surrounds every request: its id, who may ask, limits, headers of every answer, its line in the log, figures."""

from __future__ import annotations

import re
import time
import traceback
from collections.abc import Mapping
from secrets import token_hex
from typing import Any

from headwise.app.service.limits import (
    App,
    GoneError,
    Limits,
    Message,
    Receive,
    Scope,
    Send,
    check_head,
    limited,
    told_of_gone,
)
from headwise.app.service.metrics import Metrics
from headwise.app.service.problems import MEDIA_TYPE, Problem, ProblemError
from headwise.app.service.security import refusal
from headwise.integrations.jsonl import json_line

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
_HEADERS = (
    (b"content-security-policy", _POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
)
_ID = re.compile(r"[A-Za-z0-9-]{8,64}")
_NO_STORE = (b"cache-control", b"no-store")


class Gate:
    """An ASGI application around *app*: whatever *app* does, every request gets one answer and one line.

    Args:
        app: Answers the requests that are let in.
        token: What requests need; None if nothing.
        limits: What a request may ask for.
        metrics: Where requests are counted.
        log: A structlog logger.
    """

    def __init__(self, app: App, token: str | None, limits: Limits, metrics: Metrics, log: Any) -> None:
        self._app = app
        self._token = token
        self._limits = limits
        self._metrics = metrics
        self._log = log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = time.perf_counter()
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        request_id = _request_id(headers)
        answer = _Answer(told_of_gone(send), request_id)
        # HEAD is answered as GET; the server leaves the body out.
        inner = dict(scope) | {"state": dict(scope.get("state", {})) | {"request_id": request_id}}
        if scope["method"] == "HEAD":
            inner["method"] = "GET"
        with self._metrics.running():
            error = await self._answered(inner, headers, receive, answer)
        seconds = time.perf_counter() - started
        route = getattr(inner.get("route"), "path", "other")
        self._metrics.count(scope["method"], route, answer.status, seconds)
        said: dict[str, Any] = {
            "id": request_id,
            "method": scope["method"],
            "path": scope["raw_path"].decode("latin-1")[:1000],
            "status": answer.status,
            "ms": round(seconds * 1000, 1),
        }
        if error is not None:
            self._log.error("request failed", **said, exception="".join(traceback.format_exception(error)))
        else:
            self._log.info("request", **said)

    async def _answered(
        self, scope: Scope, headers: Mapping[str, str], receive: Receive, answer: _Answer
    ) -> Exception | None:
        """Have the request answered; gives what went wrong in a way that nobody thought of."""
        try:
            problem = refusal(self._token, scope["path"], scope["method"], headers) or check_head(scope, self._limits)
            if problem is None:
                await self._app(scope, limited(receive, self._limits), answer.send)
            else:
                await answer.problem(problem, scope["path"])
        except ProblemError as error:
            if answer.status:
                return error
            await answer.problem(error.problem, scope["path"])
        except GoneError:  # the server closes what was not answered whole
            return None
        except Exception as error:  # noqa: BLE001 - the last place that can answer
            if not answer.status:
                await answer.problem(Problem(500, "something went wrong here; the log says more"), scope["path"])
            return error
        return None


class _Answer:
    """What is sent for one request, with the headers that every answer has."""

    def __init__(self, send: Send, request_id: str) -> None:
        self._send = send
        self._request_id = request_id
        self.status = 0

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            given = list(message["headers"])
            names = {name.lower() for name, _ in given}
            given += [header for header in (*_HEADERS, _NO_STORE) if header[0] not in names]
            given.append((b"x-request-id", self._request_id.encode()))
            message = {**message, "headers": given}
        await self._send(message)

    async def problem(self, problem: Problem, path: str) -> None:
        body = json_line(problem.body(path, self._request_id)).encode()
        headers = [
            (b"content-type", MEDIA_TYPE.encode()),
            (b"content-length", str(len(body)).encode()),
            *((name.lower().encode(), value.encode()) for name, value in problem.headers.items()),
        ]
        await self.send({"type": "http.response.start", "status": problem.status, "headers": headers})
        await self.send({"type": "http.response.body", "body": body})


def _request_id(headers: Mapping[str, str]) -> str:
    """The id that a proxy has given, if it is one; else a new one."""
    given = headers.get("x-request-id", "")
    return given if _ID.fullmatch(given) else token_hex(8)
