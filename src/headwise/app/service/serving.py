"""Running the service: uvicorn around the application, from the first request to a graceful end."""

from __future__ import annotations

import socket
from typing import Any

from headwise.app.service.app import make_app
from headwise.app.service.gate import Gate
from headwise.app.service.listening import ends_well, make_server
from headwise.app.service.logs import hear_server
from headwise.app.service.parts import Served, make_parts
from headwise.indexing.workers import cores

_GRACE = 10
"""Seconds that running requests may take once the service is told to end."""


def serve(served: Served, listener: socket.socket, token: str | None, log: Any) -> None:
    """Serve what comes in at *listener* until SIGTERM or Ctrl-C; requests that are being answered then still are."""
    parts = make_parts(served, threads=cores() + 2)
    gate = Gate(make_app(parts), token, served.limits, parts.metrics, log)
    server = make_server(gate, _GRACE)
    hear_server(log)
    with ends_well():
        server.run([listener])
    log.info("stopped")
