"""Work on many files by all cores, in order: processes, or threads where Python has no lock."""

from __future__ import annotations

import os
import pickle
import signal
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing import get_all_start_methods, get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkServerContext, SpawnContext
from multiprocessing.process import BaseProcess
from typing import Any, NamedTuple

from headwise.errors import SyncError
from headwise.indexing.prepare import Prepared, prepare
from headwise.indexing.records import IndexSettings
from headwise.indexing.survey import Read

Prepare = Callable[[Iterable[Read]], Iterator[tuple[Read, Prepared]]]

WORTHWHILE = 3_000_000
"""Bytes to read from which on other processes save more time than their start takes."""

_FILES, _BYTES = 32, 200_000  # at most, of one task: small, so that little waits and little is lost
_AHEAD = 20_000_000  # bytes of all files that are under way or wait for their turn, at most, if there is more than one
_WAITING = 3  # tasks for each worker that are under way or wait for their turn: what bounds memory


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


@contextmanager
def preparing(settings: IndexSettings, started: int, workers: int, size: int) -> Generator[Prepare]:
    """What prepares files in order, whatever the number of *workers*.

    Nothing runs on after the block, however it ends. Files are prepared in this process if there is one worker, if
    there are too few bytes (*size*) for more to pay, or if the settings cannot be sent elsewhere.

    Raises:
        SyncError: if another process dies.
    """
    light = settings.portable()
    job = partial(_prepare_all, light, started)
    if workers < 2 or size < WORTHWHILE or not (_is_lockless() or _can_be_sent(light)):
        yield lambda reads: ((read, prepare(read, settings, started)) for read in reads)
    elif _is_lockless():
        with ThreadPoolExecutor(workers) as executor:
            try:
                yield partial(_by_threads, executor, job, workers * _WAITING)
            finally:
                executor.shutdown(wait=True, cancel_futures=True)
    else:
        with _crew(workers, job) as crew:
            yield partial(_by_processes, crew, workers * _WAITING)


_Job = Callable[[list[Read]], list[Prepared]]


def _prepare_all(settings: IndexSettings, started: int, reads: list[Read]) -> list[Prepared]:
    return [prepare(read, settings, started) for read in reads]


def _tasks(reads: Iterable[Read]) -> Iterator[list[Read]]:
    task: list[Read] = []
    size = 0
    for read in reads:
        if task and (len(task) == _FILES or size + read.file.size > _BYTES):
            yield task
            task, size = [], 0
        task.append(read)
        size += read.file.size
    if task:
        yield task


def _by_threads(executor: Executor, job: _Job, most: int, reads: Iterable[Read]) -> Iterator[tuple[Read, Prepared]]:
    """Prepares *reads*, at most so many tasks ahead of what is taken."""
    tasks = _tasks(reads)
    under_way: deque[tuple[list[Read], Future[list[Prepared]]]] = deque()
    while True:
        while len(under_way) < most and (task := next(tasks, None)) is not None:
            under_way.append((task, executor.submit(job, task)))
        if not under_way:
            return
        task, future = under_way.popleft()
        yield from zip(task, future.result(), strict=True)


class _Worker(NamedTuple):
    process: BaseProcess
    connection: Connection
    """Held by nobody else on this side: when either side dies, the other reads the end of the file. (The pool of the
    standard library shares its pipes among all processes, and waits forever for one that was killed while it wrote.)"""


def _by_processes(crew: Sequence[_Worker], most: int, reads: Iterable[Read]) -> Iterator[tuple[Read, Prepared]]:
    """Prepares *reads*, at most so many tasks ahead of what is taken.

    A worker gets a task only when the result of its last one was received, so that neither waits for the other.
    """
    tasks = enumerate(_tasks(reads))
    upcoming = next(tasks, None)
    idle, following, ahead = list(crew), 0, 0
    busy: dict[Any, tuple[_Worker, int, list[Read]]] = {}
    done: dict[int, tuple[list[Read], list[Prepared]]] = {}
    while True:
        while idle and upcoming and len(busy) + len(done) < most and (not ahead or ahead + _size(upcoming[1]) < _AHEAD):
            worker = idle.pop()
            with _told():
                worker.connection.send(upcoming[1])
            busy[worker.connection] = (worker, *upcoming)
            ahead += _size(upcoming[1])
            upcoming = next(tasks, None)
        if not busy and not done:
            return
        for connection in wait(list(busy), timeout=0 if following in done else None):
            worker, number, task = busy.pop(connection)
            with _told():
                done[number] = task, worker.connection.recv()
            idle.append(worker)
        if following in done:
            task, results = done.pop(following)
            following += 1
            yield from zip(task, results, strict=True)
            ahead -= _size(task)


def _size(task: list[Read]) -> int:
    return sum(read.file.size for read in task)


@contextmanager
def _told() -> Generator[None]:
    try:
        yield
    except (EOFError, OSError) as error:
        raise SyncError(
            "a process that cuts documents was killed, perhaps for want of memory; what was done is kept: "
            "run again, with fewer --workers"
        ) from error


@contextmanager
def _crew(workers: int, job: _Job) -> Generator[list[_Worker]]:
    context = _context()
    crew: list[_Worker] = []
    try:
        for _ in range(workers):
            ours, theirs = context.Pipe()
            process = context.Process(target=_serve, args=(theirs, job), daemon=True)
            with theirs:
                process.start()
            crew.append(_Worker(process, ours))
        yield crew
    finally:
        for worker in crew:
            worker.connection.close()
            worker.process.terminate()  # what it is at is of no use any more
        for worker in crew:
            worker.process.join()
            worker.process.close()


def _serve(connection: Connection, job: _Job) -> None:
    """What another process does, until nobody is there to ask."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(EOFError, OSError):
        while True:
            connection.send(job(connection.recv()))


def _context() -> ForkServerContext | SpawnContext:
    """Never plain fork: threads and open databases do not survive it."""
    if "forkserver" not in get_all_start_methods():
        return get_context("spawn")
    from multiprocessing import forkserver, resource_tracker  # noqa: PLC0415 - not on Windows

    context = get_context("forkserver")
    context.set_forkserver_preload([prepare.__module__, __name__])
    resource_tracker.ensure_running()  # before: its start ends with hearing Ctrl-C again
    with _deaf_children():
        forkserver.ensure_running()
    return context


@contextmanager
def _deaf_children() -> Generator[None]:
    """Ctrl-C is for this process: what it starts here inherits that it does not hear it, from its first moment."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _is_lockless() -> bool:
    has_lock: Callable[[], bool] = getattr(sys, "_is_gil_enabled", lambda: True)  # new in Python 3.13
    return not has_lock()


def _can_be_sent(settings: IndexSettings) -> bool:
    try:
        pickle.dumps(settings)
    except (pickle.PicklingError, TypeError, AttributeError):
        return False
    return True
