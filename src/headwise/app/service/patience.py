"""The end of patience with clients that connect and do not ask: the one limit that the server does not have itself."""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar

from uvicorn.protocols.http.h11_impl import H11Protocol


class Patient(H11Protocol):
    """HTTP/1.1 as uvicorn speaks it; the head of a request has to be there in time.

    Time begins with the connection, and anew with the end of each answer; a head that comes byte by byte ends no
    sooner.
    """

    head_seconds: ClassVar[float] = 10.0

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._impatience: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride] - as the class above
        """Time begins."""
        super().connection_made(transport)
        self._begin()

    def on_response_complete(self) -> None:
        """Time begins anew."""
        self._begin()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody is there to wait for."""
        if self._impatience is not None:
            self._impatience.cancel()
        super().connection_lost(exc)

    def _begin(self) -> None:
        if self._impatience is not None:
            self._impatience.cancel()
        self._impatience = self.loop.call_later(self.head_seconds, self._end)

    def _end(self) -> None:
        is_asking = self.cycle is not None and not self.cycle.response_complete  # pyright: ignore[reportUnnecessaryComparison] - it is None before the first request
        if not is_asking and not self.transport.is_closing():
            self.transport.close()
