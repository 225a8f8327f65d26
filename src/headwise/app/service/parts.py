"""What the routes work with: what is served, and all that is open, running or counted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeVar, cast

from fastapi import Depends, Request

from headwise.app.config import Config
from headwise.app.service.assets import Asset, read_assets
from headwise.app.service.documents import Shelf
from headwise.app.service.health import Health
from headwise.app.service.jobs import Jobs
from headwise.app.service.library import Library
from headwise.app.service.limits import Limits
from headwise.app.service.metrics import Metrics
from headwise.app.service.work import Crew
from headwise.indexing.index import Index

_T = TypeVar("_T")

_QUEUED = 64


class Served(NamedTuple):
    """What one service serves."""

    config: Config
    store: str
    """URL or path of the store."""
    folder: Path | None
    """What a sync makes the store equal to; None if that is not known."""
    flags: Mapping[str, Any]
    """Settings from the command line, for a sync."""
    limits: Limits = Limits()


class Parts(NamedTuple):
    """What the routes work with."""

    served: Served
    library: Library
    crew: Crew
    health: Health
    jobs: Jobs
    metrics: Metrics
    assets: Mapping[str, Asset]

    @property
    def is_vault(self) -> bool:
        """Whether the folder is an Obsidian vault."""
        return self.served.folder is not None and (self.served.folder / ".obsidian").is_dir()

    def shelf(self, index: Index) -> Shelf:
        """The open store with what is to be known to show its documents."""
        return Shelf(index.store, self.served.store, self.served.config.cutting, self.served.config.editor)

    async def run(self, function: Callable[[], _T]) -> _T:
        """What *function* gives, in a thread."""
        return await self.crew.run(function, self.served.limits.work_seconds)

    async def ask(self, function: Callable[[Index], _T]) -> _T:
        """What *function* gives for the open store, in a thread."""

        def work() -> _T:
            with self.library.index() as index:
                return function(index)

        return await self.run(work)


def make_parts(served: Served, threads: int) -> Parts:
    """All that the routes work with; nothing is opened yet."""
    metrics = Metrics()
    library = Library(served.store, served.config.model)
    return Parts(
        served=served,
        library=library,
        crew=Crew(threads, _QUEUED),
        health=Health(library, served.store, served.config.model, served.config.editor),
        jobs=Jobs(lambda job: metrics.job(job.state)),
        metrics=metrics,
        assets=read_assets(),
    )


def _of_request(request: Request) -> Parts:
    return cast("Parts", request.app.state.parts)


Here = Annotated[Parts, Depends(_of_request)]
"""The parts, as an argument of a route."""
