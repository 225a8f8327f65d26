"""Running the service: uvicorn around the application, from the first request to a graceful end."""

from __future__ import annotations

import signal
import socket
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import uvicorn

from headwise.app.service.app import make_app
from headwise.app.service.gate import Gate
from headwise.app.service.logs import hear_server
from headwise.app.service.parts import Served, make_parts
from headwise.app.service.patience import Patient
from headwise.indexing.workers import cores

_GRACE = 10
"""Seconds that running requests may take once the service is told to end."""


def serve(served: Served, listener: socket.socket, token: str | None, log: Any) -> None:
    """Serve what comes in at *listener* until SIGTERM or Ctrl-C; requests that are being answered then still are."""
    parts = make_parts(served, threads=cores() + 2)
    gate = Gate(make_app(parts), token, served.limits, parts.metrics, log)
    config = uvicorn.Config(
        gate,
        http=Patient,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws="none",
        lifespan="on",
        timeout_keep_alive=8,
        timeout_graceful_shutdown=_GRACE,
    )
    server = uvicorn.Server(config)
    hear_server(log)
    with _ends_well():
        server.run([listener])
    log.info("stopped")


@contextmanager
def _ends_well() -> Generator[None]:
    """The server raises the signal that ended it once more: that is how this was meant to end, and no failure."""

    def ended(_signal: int, _frame: object) -> None:
        """Nothing is left to do."""

    before = [(name, signal.signal(name, ended)) for name in (signal.SIGINT, signal.SIGTERM)]
    try:
        yield
    finally:
        for name, handler in before:
            signal.signal(name, handler)
