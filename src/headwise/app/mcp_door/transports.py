"""How clients reach the server: over stdin and stdout, or over HTTP."""

from __future__ import annotations

import logging
import os
import signal
import socket
import sys
from collections.abc import Callable
from typing import Any

import anyio
from mcp.server import Server
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from headwise.app.service.limits import Limits, check_head, limited
from headwise.app.service.listening import ends_well, make_server
from headwise.app.service.problems import MEDIA_TYPE, Problem, ProblemError
from headwise.app.service.security import refusal

PATH = "/mcp"
"""Where the server answers over HTTP."""

_GRACE = 5
"""Seconds that running requests may take once the server is told to end."""
_LIMITS = Limits(body_bytes=256 * 2**10)
"""A request is a query and a few names."""
_NAMES = ("127.0.0.1", "localhost", "[::1]")


def log_to_stderr() -> None:
    """Say on stderr what goes wrong; stdout is the protocol's."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(message)s")


def serve_stdio(server: Server[Any]) -> None:
    """Serve one client until it closes stdin, then end the process, whatever is being done: all of it only reads."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # nothing has to be put in order, and a thread waits for stdin

    async def serve() -> None:
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    try:
        anyio.run(serve)
    except* (BrokenPipeError, anyio.BrokenResourceError, anyio.ClosedResourceError):
        pass  # the client has gone, and does not listen any more
    sys.stderr.flush()
    os._exit(0)  # a search that goes on in its thread keeps no process alive that nobody listens to


def serve_http(server: Server[Any], listening: socket.socket, token: str | None, say: Callable[[str], None]) -> None:
    """Serve any number of clients until Ctrl-C or SIGTERM; requests that are being answered then still are.

    No request belongs to a session, so that a client goes on when the server was started anew.

    Args:
        server: What answers.
        listening: Where it is asked.
        token: What every request has to bring; None if this machine alone can ask.
        say: Told where it serves, once it does.
    """
    guard = TransportSecuritySettings(
        enable_dns_rebinding_protection=token is None,
        allowed_hosts=[*_NAMES, *(f"{name}:*" for name in _NAMES)],
        allowed_origins=[f"http://{name}:*" for name in _NAMES],
    )
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        json_response=True,
        stateless_http=True,
        max_request_body_size=_LIMITS.body_bytes,
        transport_security=guard,
    )
    serving = make_server(_Guarded(app, token), _GRACE)
    host, port = listening.getsockname()[:2]
    say(f"serving MCP at http://{f'[{host}]' if ':' in host else host}:{port}{PATH}")
    with ends_well():
        serving.run([listening])


class _Guarded:
    """An ASGI application around *app* that lets in only those who may ask."""

    def __init__(self, app: ASGIApp, token: str | None) -> None:
        self._app = app
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        problem = refusal(self._token, scope["path"], scope["method"], headers) or check_head(scope, _LIMITS)
        if problem is None:
            try:
                await self._app(scope, limited(receive, _LIMITS), send)
            except ProblemError as error:  # while the body is read: nothing has been answered yet
                problem = error.problem
        if problem is not None:
            await _answer(problem, scope["path"])(scope, receive, send)


def _answer(problem: Problem, path: str) -> JSONResponse:
    return JSONResponse(problem.body(path, ""), problem.status, dict(problem.headers), MEDIA_TYPE)
