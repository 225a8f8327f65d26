"""Other processes that do a job for this one, each over pipes of its own."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Generator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from threading import Thread
from typing import IO, Any

from headwise.errors import SyncError

Submit = Callable[[Any], Future[Any]]
"""Has a task done; the future can be cancelled until somebody begins with it."""

# A thread here may have to wait 5 ms for Python's lock, each time. So that no process waits for it,
_AT_ONCE = 2  # it has so many tasks, the one it is at and one to begin at once, and
_PIPE = 1_000_000  # so many bytes of answers are read at once, where that can be said

_Asked = SimpleQueue[tuple[Any, Future[Any]] | None]


def to_be_sent(job: Callable[[Any], Any]) -> bytes | None:
    """*job* as other processes get it; None if they cannot: it is of no module, or there is no Python to start.

    What is defined in the script itself, or in a notebook, is not sent either: a script need not bear to be imported.
    """
    try:
        sent = pickle.dumps(job)
    except (pickle.PicklingError, TypeError, AttributeError):
        return None
    return sent if sys.executable and not hasattr(sys, "frozen") and b"__main__" not in sent else None


@contextmanager
def crew(number: int, job: bytes) -> Generator[Submit]:
    """So many processes that do *job*, and what gives them tasks.

    After the block there are none, whatever they were at. A future has `SyncError` if the process died that was at it.
    """
    asked: _Asked = SimpleQueue()
    processes: list[subprocess.Popen[bytes]] = []
    threads: list[Thread] = []

    def submit(task: Any) -> Future[Any]:
        future: Future[Any] = Future()
        asked.put((task, future))
        return future

    try:
        with _deaf_to_interrupts():
            for _ in range(number):
                processes.append(process := _start())
                thread = Thread(target=_feed, args=(process.stdin, process.stdout, job, asked), daemon=True)
                thread.start()
                threads.append(thread)
        yield submit
    finally:
        for process in processes:
            process.terminate()  # what it is at is of no use any more
            asked.put(None)
        for thread in threads:
            thread.join()
        for process in processes:
            with suppress(OSError), process:  # what was not sent cannot be sent any more
                pass


def _start() -> subprocess.Popen[bytes]:
    command = f"import sys; sys.path[:] = {[*map(str, sys.path)]!r}; from {__name__} import serve; serve()"
    group = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)  # Windows' way to keep Ctrl-C away
    process = subprocess.Popen(  # noqa: S603 - this Python, and code of ours
        [sys.executable, "-c", command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, creationflags=group
    )
    if sys.platform == "linux" and process.stdout:
        import fcntl  # noqa: PLC0415 - not on Windows

        with suppress(OSError):  # where so much is not allowed, it has what is usual
            fcntl.fcntl(process.stdout, fcntl.F_SETPIPE_SZ, _PIPE)
    return process


def _feed(tasks: IO[bytes], answers: IO[bytes], job: bytes, asked: _Asked) -> None:
    """Gives a process what is *asked*, until that is None."""
    begun: deque[Future[Any]] = deque()
    _send(tasks, job)
    while True:
        while len(begun) < _AT_ONCE:
            try:
                item = asked.get(block=not begun)
            except Empty:
                break
            if item is None:
                return
            task, future = item
            if future.set_running_or_notify_cancel():
                begun.append(future)
                _send(tasks, pickle.dumps(task))
        answered = begun.popleft()
        try:
            answered.set_result(pickle.loads(_receive(answers)))  # noqa: S301 - of a process of ours
        except EOFError as error:
            told = SyncError(
                "a process that cuts documents was killed, perhaps for want of memory, or ended for what it said; "
                "what was done is kept: run again, with fewer --workers"
            )
            told.__cause__ = error
            answered.set_exception(told)
        except Exception as error:  # noqa: BLE001 - who waits for it is told
            answered.set_exception(error)


def serve() -> None:
    """What another process does, until nobody is there to ask."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    asked, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a user's function prints is no answer
    done: SimpleQueue[bytes] = SimpleQueue()  # never waits for who reads answers, so that who asks never waits for it
    Thread(target=_answer, args=(done, answers), daemon=True).start()
    with suppress(EOFError), asked:
        job = pickle.loads(_receive(asked))  # noqa: S301 - of the process that started this one
        while True:
            done.put(pickle.dumps(job(pickle.loads(_receive(asked)))))  # noqa: S301 - the same


def _answer(done: SimpleQueue[bytes], answers: IO[bytes]) -> None:
    while True:
        _send(answers, done.get())


def _send(file: IO[bytes], data: bytes) -> None:
    """Sends *data*, its length first. That nobody is there is told where an answer is missing."""
    with suppress(OSError):
        file.write(len(data).to_bytes(8) + data)
        file.flush()


def _receive(file: IO[bytes]) -> bytes:
    """What was sent.

    Raises:
        EOFError: if nobody is there any more.
    """
    size = int.from_bytes(file.read(8))
    data = file.read(size)
    if not data or len(data) < size:
        raise EOFError
    return data


@contextmanager
def _deaf_to_interrupts() -> Generator[None]:
    """Ctrl-C waits until the end of the block; what is started in it never hears it, from its first moment."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
