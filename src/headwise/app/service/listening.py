"""What every server here does alike: listening at an address, serving an application, and ending well."""

from __future__ import annotations

import signal
import socket
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import uvicorn

from headwise.app.service.patience import Patient
from headwise.errors import SettingsError


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens at this address; port 0 is any that is free.

    What it accepts sends at once: an answer's body would else wait up to 40 ms until the client has said that it has
    the head. Asyncio sees to that only where a socket names its protocol, and those do not.

    Raises:
        SettingsError: if that cannot be.
    """
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        listener = socket.create_server((str(address[0]), port), family=family, backlog=1024)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise SettingsError(
            f"cannot listen at {host}, port {port} ({reason}); choose another --host or --port"
        ) from error
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def make_server(app: Any, grace: int) -> uvicorn.Server:
    """A server for the ASGI application *app*, silent by itself; at its end, requests may take *grace* seconds more."""
    return uvicorn.Server(
        uvicorn.Config(
            app,
            http=Patient,
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            ws="none",
            lifespan="on",
            timeout_keep_alive=8,
            timeout_graceful_shutdown=grace,
        )
    )


@contextmanager
def ends_well() -> Generator[None]:
    """Uvicorn raises the signal that ended it once more: that is how this was meant to end, and no failure."""

    def ended(_signal: int, _frame: object) -> None:
        """Nothing is left to do."""

    before = [(name, signal.signal(name, ended)) for name in (signal.SIGINT, signal.SIGTERM)]
    try:
        yield
    finally:
        for name, handler in before:
            signal.signal(name, handler)
