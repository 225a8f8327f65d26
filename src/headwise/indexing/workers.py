"""Work on many files by all cores, in order: processes, or threads where Python has no lock."""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from multiprocessing import active_children, get_all_start_methods, get_context, parent_process
from multiprocessing.context import BaseContext

from headwise.errors import SyncError
from headwise.indexing.prepare import Prepared, prepare
from headwise.indexing.records import IndexSettings
from headwise.indexing.survey import Read

Prepare = Callable[[Iterable[Read]], Iterator[tuple[Read, Prepared]]]

WORTHWHILE = 3_000_000
"""Bytes to read from which on other processes save more time than their start takes."""

_FILES, _BYTES = 32, 200_000  # at most, of one task: small, so that little waits and little is lost
_WAITING = 2  # tasks of each worker that are under way or wait for their turn: what bounds memory


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
    if workers < 2 or size < WORTHWHILE or not (_is_lockless() or _can_be_sent(light)):
        yield lambda reads: ((read, prepare(read, settings, started)) for read in reads)
        return
    job = partial(_prepare_all, light, started)
    if _is_lockless():
        with _threads(workers) as executor:
            yield partial(_in_order, executor, job, workers * _WAITING)
    else:
        with _processes(workers, job) as executor:
            yield partial(_in_order, executor, _do_job, workers * _WAITING)


_Job = Callable[[list[Read]], list[Prepared]]


def _in_order(executor: Executor, job: _Job, most: int, reads: Iterable[Read]) -> Iterator[tuple[Read, Prepared]]:
    under_way: deque[tuple[list[Read], Future[list[Prepared]]]] = deque()
    tasks = _tasks(reads)
    try:
        while True:
            while len(under_way) < most and (task := next(tasks, None)) is not None:
                under_way.append((task, executor.submit(job, task)))
            if not under_way:
                return
            task, future = under_way.popleft()
            yield from zip(task, future.result(), strict=True)
    except BrokenExecutor as error:
        raise SyncError(
            "a process that cuts documents was killed, perhaps for want of memory; what was done is kept: "
            "run again, with fewer --workers"
        ) from error


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


@contextmanager
def _threads(workers: int) -> Generator[Executor]:
    with ThreadPoolExecutor(workers) as executor:
        try:
            yield executor
        finally:
            executor.shutdown(wait=True, cancel_futures=True)


@contextmanager
def _processes(workers: int, job: _Job) -> Generator[Executor]:
    context = _context()
    others = set(active_children())
    executor = ProcessPoolExecutor(workers, mp_context=context, initializer=_begin, initargs=(job,))
    try:
        yield executor
    except BaseException:
        for process in set(active_children()) - others:  # what they are at is of no use any more
            process.terminate()
        raise
    finally:
        executor.shutdown(wait=True, cancel_futures=True)


def _context() -> BaseContext:
    """Never plain fork: threads and open databases do not survive it."""
    if "forkserver" not in get_all_start_methods():
        return get_context("spawn")
    from multiprocessing import forkserver  # noqa: PLC0415 - not on Windows

    context = get_context("forkserver")
    context.set_forkserver_preload([prepare.__module__, __name__])
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


_own_job: list[_Job] = []
"""In a process that was started here: what it is to do, sent to it once, since settings may hold a vocabulary."""


def _begin(job: _Job) -> None:
    """A new process ends with the one that started it, even if that was killed."""
    _own_job.append(job)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _do_job(reads: list[Read]) -> list[Prepared]:
    return _own_job[0](reads)


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)


def _is_lockless() -> bool:
    has_lock: Callable[[], bool] = getattr(sys, "_is_gil_enabled", lambda: True)  # new in Python 3.13
    return not has_lock()


def _can_be_sent(settings: IndexSettings) -> bool:
    try:
        pickle.dumps(settings)
    except (pickle.PicklingError, TypeError, AttributeError):
        return False
    return True
