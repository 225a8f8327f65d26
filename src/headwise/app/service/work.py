"""Blocking work for a server that must not block: a few threads, a short queue, and an end to waiting."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from queue import Full, Queue
from threading import Thread
from typing import Any, TypeVar

from headwise.app.service.problems import Problem, ProblemError

_T = TypeVar("_T")


class Crew:
    """Threads that do one thing after another.

    A thread cannot be stopped: work that takes too long keeps its thread until it is done, but nobody waits for it
    any longer, and no more work is taken than the queue holds. The threads do not keep the process from ending:
    what they do only reads.
    """

    def __init__(self, threads: int, queued: int) -> None:
        self._tasks: Queue[tuple[asyncio.AbstractEventLoop, asyncio.Future[Any], Callable[[], Any]]] = Queue(queued)
        for number in range(threads):
            Thread(target=self._work, name=f"headwise-{number}", daemon=True).start()

    async def run(self, function: Callable[[], _T], seconds: float) -> _T:
        """What *function* gives or raises.

        Raises:
            ProblemError: 503 if too much is waiting already; 504 if it is not done after so many *seconds*.
        """
        loop = asyncio.get_running_loop()
        future: asyncio.Future[_T] = loop.create_future()
        try:
            self._tasks.put_nowait((loop, future, function))
        except Full:
            detail = "too many requests are waiting; try again in a moment"
            raise ProblemError(Problem(503, detail, "busy", headers={"Retry-After": "1"})) from None
        try:
            async with asyncio.timeout(seconds):
                return await future
        except TimeoutError:
            detail = f"no answer within {seconds:g} s; ask for less, or try again when less is going on"
            raise ProblemError(Problem(504, detail, "timeout")) from None

    def _work(self) -> None:
        while True:
            loop, future, function = self._tasks.get()
            if future.cancelled():
                continue
            try:
                result, error = function(), None
            except Exception as raised:  # noqa: BLE001 - it is raised where it is awaited
                result, error = None, raised
            with suppress(RuntimeError):  # the loop has ended meanwhile, and nobody waits
                loop.call_soon_threadsafe(_settle, future, result, error)
            del future, function, result, error  # an idle thread holds nothing


def _settle(future: asyncio.Future[Any], result: Any, error: Exception | None) -> None:
    if future.cancelled():
        return
    if error is None:
        future.set_result(result)
    else:
        future.set_exception(error)
