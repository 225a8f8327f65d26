"""Figures about the service for Prometheus."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

CONTENT_TYPE = CONTENT_TYPE_PLAIN_0_0_4

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
_METHODS = {"GET", "HEAD", "POST"}


class Metrics:
    """Counts of one service; each has a registry of its own."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        labels = ("method", "route", "status")
        self._requests = Counter("headwise_requests", "Requests answered", labels, registry=self._registry)
        self._seconds = Histogram(
            "headwise_request_seconds", "Time to an answer", ("route",), buckets=_SECONDS, registry=self._registry
        )
        self._running = Gauge("headwise_requests_running", "Requests being answered", registry=self._registry)
        self._up = Gauge("headwise_store_usable", "1 if the store can be read", registry=self._registry)
        self._stored = Gauge("headwise_stored", "What the store holds", ("what",), registry=self._registry)
        self._jobs = Counter("headwise_jobs", "Syncs that ended", ("state",), registry=self._registry)
        self._syncing = Gauge("headwise_job_running", "1 while a sync runs", registry=self._registry)

    @contextmanager
    def running(self) -> Generator[None]:
        """Count a request as running."""
        with self._running.track_inprogress():
            yield

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request that was answered; *route* is one of a few, never a path that somebody made up."""
        self._requests.labels(method if method in _METHODS else "other", route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def job(self, state: str) -> None:
        """A sync runs now, or has ended with this *state*."""
        self._syncing.set(state == "running")
        if state != "running":
            self._jobs.labels(state).inc()

    def text(self, stored: Mapping[str, int] | None) -> bytes:
        """All figures as Prometheus reads them; *stored* is how much the store holds, None if it cannot be read."""
        self._up.set(0 if stored is None else 1)
        for what, number in (stored or {}).items():
            self._stored.labels(what).set(number)
        return generate_latest(self._registry)
