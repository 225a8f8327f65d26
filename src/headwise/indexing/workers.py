"""Work on many files by all cores, in order: this process and others, or threads where Python has no lock."""

from __future__ import annotations

import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial

from headwise.indexing.crew import Submit, crew, to_be_sent
from headwise.indexing.prepare import Prepared, Read, prepare
from headwise.indexing.records import IndexSettings

Prepare = Callable[[Iterable[Read]], Iterator[tuple[Read, Prepared]]]

_Job = Callable[[list[Read]], list[Prepared]]
_UnderWay = deque[tuple[list[Read], Future[list[Prepared]]]]

WORTHWHILE = 3_000_000
"""Bytes to read from which on another process saves more time than its start takes."""

_FILES, _BYTES = 32, 100_000  # at most, of one task: small, so that little waits and little is lost
_AHEAD = 20_000_000  # bytes of all files that are under way or wait for their turn, at most, if there is more than one
_WAITING = 16  # tasks for each worker that are under way or wait for their turn: what bounds memory


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


@contextmanager
def preparing(settings: IndexSettings, started: int, workers: int, size: int) -> Generator[Prepare]:
    """What prepares files in order, whatever the number of *workers*, of which the calling thread is one.

    Nothing runs on after the block, however it ends. Files are prepared in this process alone if there is one worker,
    if there are too few bytes (*size*) for more to pay, or if the settings cannot be sent elsewhere. A thread beside
    the main one leaves the work to other processes, so that those beside it can go on.

    Raises:
        SyncError: if another process dies.
    """
    lockless, alone = _is_lockless(), workers < 2 or size < WORTHWHILE
    job = partial(_prepare_all, settings, started)
    sent = None if lockless or alone else to_be_sent(partial(_prepare_all, settings.portable(), started))
    if alone or not (lockless or sent):
        yield lambda reads: ((read, prepare(read, settings, started)) for read in reads)
        return
    ours = job if lockless or threading.current_thread() is threading.main_thread() else None
    others = workers - (ours is not None)
    with crew(others, sent) if sent else _threads(others, job) as submit:
        yield partial(_share, submit, ours, workers * _WAITING)


@contextmanager
def _threads(number: int, job: _Job) -> Generator[Submit]:
    with ThreadPoolExecutor(number) as executor:
        try:
            yield partial(executor.submit, job)
        finally:
            executor.shutdown(cancel_futures=True)


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


def _share(submit: Submit, job: _Job | None, most: int, reads: Iterable[Read]) -> Iterator[tuple[Read, Prepared]]:
    """Prepares *reads*, at most so many tasks ahead of what is taken.

    Where it would have to wait it does the *job* of a task that nobody has begun, if it is to.
    """
    tasks = _tasks(reads)
    upcoming = next(tasks, None)
    under_way: _UnderWay = deque()
    ahead = 0
    while True:
        while upcoming and len(under_way) < most and (not ahead or ahead + _size(upcoming) < _AHEAD):
            under_way.append((upcoming, submit(upcoming)))
            ahead += _size(upcoming)
            upcoming = next(tasks, None)
        if not under_way:
            return
        task, future = under_way[0]
        if job and not future.done() and _did_one(under_way, job):
            continue
        under_way.popleft()
        yield from zip(task, future.result(), strict=True)
        ahead -= _size(task)


def _did_one(under_way: _UnderWay, job: _Job) -> bool:
    """Whether there was a task that nobody had begun, which is done now."""
    for number, (task, future) in enumerate(under_way):
        if future.cancel():
            done: Future[list[Prepared]] = Future()
            done.set_result(job(task))
            under_way[number] = task, done
            return True
    return False


def _size(task: list[Read]) -> int:
    return sum(read.file.size for read in task)


def _is_lockless() -> bool:
    has_lock: Callable[[], bool] = getattr(sys, "_is_gil_enabled", lambda: True)  # new in Python 3.13
    return not has_lock()
