"""The routes of the service: each asks the library in a thread, and gives its answer as JSON."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from headwise.app.config import Config
from headwise.app.output import related_json
from headwise.app.service import metrics
from headwise.app.service import requests as ask
from headwise.app.service.assets import INDEX, Asset, read_assets
from headwise.app.service.cutting import STDIN, cut_view
from headwise.app.service.documents import document_view, list_view, stored_chunk_view
from headwise.app.service.health import Health
from headwise.app.service.jobs import Job, Jobs
from headwise.app.service.library import Library
from headwise.app.service.limits import Limits
from headwise.app.service.metrics import Metrics
from headwise.app.service.problems import MEDIA_TYPE, Problem, ProblemError, problem_of
from headwise.app.service.searching import search_view
from headwise.app.service.syncing import Task
from headwise.app.service.work import Crew
from headwise.chunking.settings import Settings
from headwise.errors import HeadwiseError
from headwise.indexing.models import model_tokenizer
from headwise.integrations.jsonl import json_line
from headwise.stores.store import Filters

_T = TypeVar("_T")


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

    async def run(self, function: Callable[[], _T]) -> _T:
        """What *function* gives, in a thread."""
        return await self.crew.run(function, self.served.limits.work_seconds)


def make_app(parts: Parts) -> FastAPI:
    """The application; `headwise.app.service.gate.Gate` stands before it."""

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncGenerator[None]:
        yield
        await asyncio.to_thread(parts.jobs.stop)
        parts.library.close()

    app = FastAPI(lifespan=lifespan, docs_url=None, redoc_url=None, redirect_slashes=False)
    app.add_exception_handler(HTTPException, _on_http_error)
    app.add_exception_handler(RequestValidationError, _on_invalid)
    app.add_exception_handler(HeadwiseError, _on_library_error)
    _page(app, parts)
    _reading(app, parts)
    _working(app, parts)
    return app


def make_parts(served: Served, threads: int) -> Parts:
    """All that the routes work with; nothing is opened yet."""
    figures = Metrics()
    library = Library(served.store, served.config.model)
    return Parts(
        served=served,
        library=library,
        crew=Crew(threads, queued=64),
        health=Health(library, served.store, served.config.model),
        jobs=Jobs(lambda job: figures.job_ended(job.state)),
        metrics=figures,
        assets=read_assets(),
    )


def _page(app: FastAPI, parts: Parts) -> None:
    @app.get("/", include_in_schema=False)
    async def index(request: Request) -> Response:
        return _asset(parts.assets.get(INDEX), request)

    @app.get("/assets/{name}", include_in_schema=False)
    async def asset(name: str, request: Request) -> Response:
        return _asset(parts.assets.get(name), request)


def _reading(app: FastAPI, parts: Parts) -> None:
    served, library = parts.served, parts.library

    @app.get("/health")
    async def health() -> Response:
        found = await parts.run(parts.health.look)
        last = parts.jobs.last()
        found["job"] = last and _job_view(last)
        found["can_sync"] = served.folder is not None
        return _json(found, 200 if found["status"] == "ok" else 503)

    @app.get("/search")
    async def search(
        q: ask.Words = "",
        limit: ask.Limit = 5,
        budget: ask.Budget = None,
        path: ask.Glob = None,
        tag: ask.Tags = [],
        where: ask.Wheres = [],
        explain: ask.Explain = False,
    ) -> Response:
        def work() -> dict[str, Any]:
            with library.index() as opened:
                return search_view(opened, q, limit, budget, path, tag, where, explain=explain)

        return _json(await parts.run(work))

    @app.get("/documents")
    async def documents(
        path: ask.Glob = None, tag: ask.Tags = [], after: ask.After = "", limit: ask.PageSize = 100
    ) -> Response:
        def work() -> dict[str, Any]:
            with library.index() as opened:
                return list_view(opened.store, Filters((path,) if path else (), tuple(tag)), after, limit)

        return _json(await parts.run(work))

    @app.get("/documents/{path:path}")
    async def document(path: ask.DocumentPath) -> Response:
        def work() -> dict[str, Any]:
            with library.index() as opened:
                return document_view(opened.store, served.store, path, served.config.cutting)

        return _json(await parts.run(work))

    @app.get("/chunk")
    async def stored_chunk(id: ask.ChunkId) -> Response:
        def work() -> dict[str, Any]:
            with library.index() as opened:
                return stored_chunk_view(opened.store, id, served.config.cutting)

        return _json(await parts.run(work))

    @app.get("/related")
    async def related(path: ask.Name) -> Response:
        def work() -> dict[str, Any]:
            with library.index() as opened:
                found = opened.related(path)
            return {**related_json(found), "notes": found.notes}

        return _json(await parts.run(work))

    @app.get("/metrics")
    async def prometheus() -> Response:
        found = await parts.run(parts.health.look)
        names = ("documents", "chunks", "passages", "pending")
        stored = {name: found[name] for name in names} if found["status"] == "ok" else None
        return Response(parts.metrics.text(stored), media_type=metrics.CONTENT_TYPE)


def _working(app: FastAPI, parts: Parts) -> None:
    served = parts.served
    obsidian = served.folder is not None and (served.folder / ".obsidian").is_dir()

    @app.post("/chunk")
    async def cut(body: ask.CutRequest) -> Response:
        def work() -> Mapping[str, Any]:
            settings = _settings(served.config.cutting, body)
            size = served.config.passages if body.passages is None else body.passages or None
            is_note = obsidian and body.path != STDIN
            return cut_view(body.text, body.path, body.title, settings, size, obsidian=is_note, html=body.html)

        return _json(await parts.run(work))

    @app.post("/index", status_code=202)
    async def sync(body: ask.SyncRequest) -> Response:
        folder = served.folder
        if folder is None:
            raise ProblemError(Problem(409, "no folder is known here: start with headwise serve FOLDER", "no-folder"))
        task = Task(folder, served.flags, body.allow_mass_deletion)
        job, is_new = await parts.run(lambda: parts.jobs.start(task))
        if not is_new:
            detail = f"a sync is running: /jobs/{job.id}"
            raise ProblemError(Problem(409, detail, "running", headers={"Location": f"/jobs/{job.id}"}))
        parts.metrics.job_began()
        return _json(_job_view(job), 202, {"Location": f"/jobs/{job.id}"})

    @app.get("/jobs/{job_id}")
    async def job(job_id: ask.JobId) -> Response:
        found = parts.jobs.get(job_id)
        if found is None:
            raise ProblemError(Problem(404, "there is no such job here (any more)", "no-job"))
        return _json(_job_view(found))


def _settings(base: Settings, body: ask.CutRequest) -> Settings:
    """The folder's settings with what the request says instead."""
    said = {
        name: value
        for name in ("max_tokens", "min_tokens", "overlap", "tokenizer", "strategy")
        if (value := getattr(body, name)) is not None
    }
    if "tokenizer" in said:
        said["tokenizer"] = model_tokenizer(said["tokenizer"]) or said["tokenizer"]
    return replace(base, **said)


def _job_view(job: Job) -> dict[str, Any]:
    told = job.problem
    return {
        "id": job.id,
        "state": job.state,
        "started": job.started.isoformat(timespec="milliseconds"),
        "finished": job.finished and job.finished.isoformat(timespec="milliseconds"),
        "progress": job.progress._asdict(),
        "report": job.report,
        "problem": told and told.body(f"/jobs/{job.id}", job.id),
    }


def _asset(found: Asset | None, request: Request) -> Response:
    if found is None:
        raise ProblemError(Problem(404, "there is no such file of the page"))
    headers = {"ETag": found.etag, "Cache-Control": "no-cache"}
    if found.etag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    return Response(found.content, media_type=found.media_type, headers=headers)


def _json(value: Mapping[str, Any], status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    return Response(json_line(value).encode(), status, headers, "application/json")


def _told(problem: Problem, request: Request) -> Response:
    body = problem.body(request.url.path, request.state.request_id)
    return Response(json_line(body).encode(), problem.status, problem.headers, MEDIA_TYPE)


async def _on_http_error(request: Request, error: Exception) -> Response:
    if isinstance(error, ProblemError):
        return _told(error.problem, request)
    assert isinstance(error, HTTPException)
    return _told(Problem(error.status_code, str(error.detail), headers=error.headers or {}), request)


async def _on_library_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HeadwiseError)
    return _told(problem_of(error), request)


async def _on_invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    errors: list[Mapping[str, str]] = []
    for one in error.errors():
        place, *names = map(str, one["loc"])
        errors.append({"in": place, "name": ".".join(names), "detail": one["msg"]})
    first = errors[0]
    where = f"{first['name']}: " if first["name"] else ""
    return _told(Problem(422, f"{where}{first['detail']}", "invalid", tuple(errors)), request)
