"""The end of patience with clients that do not ask, and with those that take no answer: the server itself has none."""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar

from uvicorn.protocols.http.h11_impl import H11Protocol


class Patient(H11Protocol):
    """HTTP/1.1 as uvicorn speaks it; the head of a request has to be there in time, and answers have to be taken.

    Time for a head begins with the connection, and anew with the end of each answer; one that comes byte by byte gets
    no more. Time to take an answer begins when no more of it can be sent, and ends when some more can.
    """

    head_seconds: ClassVar[float] = 10.0
    take_seconds: ClassVar[float] = 60.0

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._impatience: asyncio.TimerHandle | None = None
        self._blocked: asyncio.TimerHandle | None = None

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
        for timer in (self._impatience, self._blocked):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """The client takes nothing now; closing politely would wait for it, too."""
        super().pause_writing()
        self._blocked = self.loop.call_later(self.take_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """The client takes something again."""
        if self._blocked is not None:
            self._blocked.cancel()
        super().resume_writing()

    def _begin(self) -> None:
        if self._impatience is not None:
            self._impatience.cancel()
        self._impatience = self.loop.call_later(self.head_seconds, self._end)

    def _end(self) -> None:
        is_asking = self.cycle is not None and not self.cycle.response_complete  # pyright: ignore[reportUnnecessaryComparison] - it is None before the first request
        if not is_asking and not self.transport.is_closing():
            self.transport.close()
