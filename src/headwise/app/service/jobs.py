"""Syncs that were asked for: one at a time, each with an id under which its progress and its end can be asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from multiprocessing import get_context
from multiprocessing.connection import Connection
from secrets import token_hex
from threading import Lock, Thread
from typing import Any, Literal

from headwise.app.service.problems import Problem
from headwise.app.service.syncing import Progress, Task, run_task

State = Literal["running", "done", "failed"]

_KEPT = 20
"""Jobs that are remembered."""
_PATIENCE = 5.0
"""Seconds that a job which was told to stop may take; then its process is killed, which harms no store."""


@dataclass(slots=True)
class Job:
    """A sync; the thread that listens to it writes, all others only read."""

    id: str = field(default_factory=lambda: token_hex(8))
    state: State = "running"
    started: datetime = field(default_factory=lambda: datetime.now(UTC))
    finished: datetime | None = None
    progress: Progress = field(default_factory=lambda: Progress("reading", 0, None))
    report: Mapping[str, Any] | None = None
    problem: Problem | None = None


class Jobs:
    """The jobs of a service.

    Args:
        on_change: Called with each job when it begins and when it has ended, from any thread.
    """

    def __init__(self, on_change: Callable[[Job], None]) -> None:
        self._on_change = on_change
        self._lock = Lock()
        self._jobs: dict[str, Job] = {}
        self._process: Any = None
        self._listener: Thread | None = None

    def start(self, task: Task) -> tuple[Job, bool]:
        """The job that does *task* now, or the one that is running already; and whether it is new."""
        with self._lock:
            last = self.last()
            if last is not None and last.state == "running":
                return last, False
            job = Job()
            ours, theirs = get_context("spawn").Pipe(duplex=False)
            # Not a daemon: it has processes of its own.
            process = get_context("spawn").Process(target=run_task, args=(task, theirs), name="headwise-sync")
            with theirs:
                process.start()
            self._process = process
            self._listener = Thread(target=self._listen, args=(job, process, ours), daemon=True)
            self._jobs[job.id] = job
            for old in list(self._jobs)[:-_KEPT]:
                del self._jobs[old]
            self._on_change(job)
            self._listener.start()
            return job, True

    def get(self, job_id: str) -> Job | None:
        """The job with this id, if it is remembered."""
        return self._jobs.get(job_id)

    def last(self) -> Job | None:
        """The job that was started last."""
        return next(reversed(self._jobs.values()), None)

    def stop(self) -> None:
        """End the running job, if there is one: between two transactions if that is soon, else at once."""
        process, listener = self._process, self._listener
        if process is None or listener is None or not listener.is_alive():
            return
        process.terminate()
        listener.join(_PATIENCE)
        if listener.is_alive():
            process.kill()
            listener.join(_PATIENCE)

    def _listen(self, job: Job, process: Any, heard: Connection) -> None:
        end: Any = None
        with heard:
            try:
                while isinstance(end := heard.recv(), Progress):
                    job.progress = end
            except (EOFError, OSError):
                end = None
        process.join()
        job.finished = datetime.now(UTC)
        if isinstance(end, dict):
            job.report = end  # pyright: ignore[reportUnknownMemberType] - what `run_task` sends
            job.state = "done"
        else:
            job.problem = (
                end
                if isinstance(end, Problem)
                else Problem(
                    500,
                    "the process of the sync ended without a word, perhaps for want of memory; what was done is kept",
                )
            )
            job.state = "failed"
        self._on_change(job)


def job_view(job: Job) -> dict[str, Any]:
    """A job as JSON."""
    told, finished = job.problem, job.finished
    return {
        "id": job.id,
        "state": job.state,
        "started": job.started.isoformat(timespec="milliseconds"),
        "finished": finished and finished.isoformat(timespec="milliseconds"),
        "progress": job.progress._asdict(),
        "report": job.report,
        "problem": told and told.body(f"/jobs/{job.id}", job.id),
    }
