"""The routes: each asks the library in a thread, and gives its answer as JSON."""

from __future__ import annotations

from dataclasses import replace

from fastapi import APIRouter, Depends, Request, Response

from headwise.app.output import related_json
from headwise.app.service import metrics, schemas
from headwise.app.service import requests as ask
from headwise.app.service.assets import INDEX
from headwise.app.service.cutting import STDIN, cut_view
from headwise.app.service.documents import document_view, list_view, stored_chunk_view
from headwise.app.service.jobs import job_view
from headwise.app.service.openapi import problem
from headwise.app.service.parts import Here
from headwise.app.service.problems import Problem, ProblemError
from headwise.app.service.replies import as_asset, as_json
from headwise.app.service.searching import search_view
from headwise.app.service.syncing import Task
from headwise.chunking.settings import Settings
from headwise.indexing.models import model_tokenizer
from headwise.stores.store import Filters

router = APIRouter()

_LOCATION = {"Location": {"description": "Where to ask for the job.", "schema": {"type": "string"}}}


@router.get("/", include_in_schema=False)
async def index(here: Here, request: Request) -> Response:
    """The page."""
    return as_asset(here.assets.get(INDEX), request)


@router.get("/assets/{name}", include_in_schema=False)
async def asset(name: str, here: Here, request: Request) -> Response:
    """A file of the page."""
    return as_asset(here.assets.get(name), request)


@router.get("/health", responses={200: {"model": schemas.Usable}, 503: {"model": schemas.Unusable}})
async def health(here: Here) -> Response:
    """Whether the store can be used, and how much is in it."""
    found = await here.run(here.health.look)
    last = here.jobs.last()
    found |= {"job": last and job_view(last), "can_sync": here.served.folder is not None}
    return as_json(found, 200 if found["status"] == "ok" else 503)


@router.get("/search", responses={200: {"model": schemas.Found}})
async def search(
    here: Here,
    q: ask.Words = "",
    limit: ask.Limit = 5,
    budget: ask.Budget = None,
    path: ask.Glob = None,
    tag: ask.Tags = (),
    where: ask.Wheres = (),
    *,
    explain: ask.Explain = False,
) -> Response:
    """What answers a question best; without words, what the filters let through."""
    editor = here.served.config.editor
    return await here.ask(
        lambda index: as_json(search_view(index, q, limit, budget, path, tag, where, explain=explain, editor=editor))
    )


@router.get("/documents", responses={200: {"model": schemas.DocumentList}})
async def documents(
    here: Here, path: ask.Glob = None, tag: ask.Tags = (), after: ask.After = "", limit: ask.PageSize = 100
) -> Response:
    """The documents, page by page."""
    filters = Filters((path,) if path else (), tuple(tag))
    return await here.ask(lambda index: as_json(list_view(index.store, filters, after, limit)))


@router.get(
    "/documents/{path:path}",
    responses={200: {"model": schemas.Document}, 404: problem("There is no such document.")},
)
async def document(here: Here, path: ask.DocumentPath) -> Response:
    """A document with its text, its sections and its chunks."""
    return await here.ask(lambda index: as_json(document_view(here.shelf(index), path)))


@router.get("/chunk", responses={200: {"model": schemas.StoredChunk}, 404: problem("There is no such chunk.")})
async def stored_chunk(here: Here, chunk_id: ask.ChunkId) -> Response:
    """A chunk, and the ids of those beside it."""
    return await here.ask(lambda index: as_json(stored_chunk_view(here.shelf(index), chunk_id)))


@router.post("/chunk", dependencies=[Depends(ask.json_only)], responses={200: {"model": schemas.Cut}})
async def cut(here: Here, body: ask.CutRequest) -> Response:
    """Cut a text; nothing is stored."""
    config = here.served.config
    size = config.passages if body.passages is None else body.passages or None
    is_note = here.is_vault and body.path != STDIN

    def work() -> Response:
        settings = _settings(config.cutting, body)
        return as_json(cut_view(body.text, body.path, body.title, settings, size, obsidian=is_note, html=body.html))

    return await here.run(work)


@router.post(
    "/index",
    dependencies=[Depends(ask.json_only)],
    status_code=202,
    responses={
        202: {"model": schemas.Job, "headers": _LOCATION},
        409: problem("A sync is running already, or no folder is known.") | {"headers": _LOCATION},
    },
)
async def sync(here: Here, body: ask.SyncRequest) -> Response:
    """Begin to make the store equal to its folder."""
    folder = here.served.folder
    if folder is None:
        raise ProblemError(Problem(409, "no folder is known here: start with headwise serve FOLDER", "no-folder"))
    task = Task(folder, here.served.flags, body.allow_mass_deletion)
    job, is_new = await here.run(lambda: here.jobs.start(task))
    where = {"Location": f"/jobs/{job.id}"}
    if not is_new:
        raise ProblemError(Problem(409, f"a sync is running already: /jobs/{job.id}", "running", headers=where))
    return as_json(job_view(job), 202, where)


@router.get("/jobs/{job_id}", responses={200: {"model": schemas.Job}, 404: problem("There is no such job.")})
async def job(here: Here, job_id: ask.JobId) -> Response:
    """How far a sync is, or how it ended."""
    found = here.jobs.get(job_id)
    if found is None:
        raise ProblemError(Problem(404, "there is no such job here (any more)", "no-job"))
    return as_json(job_view(found))


@router.get("/related", responses={200: {"model": schemas.Related}, 404: problem("There is no such document.")})
async def related(here: Here, path: ask.Name) -> Response:
    """Links both ways, and documents that are near by their vectors."""
    found = await here.ask(lambda index: index.related(path))
    return as_json({**related_json(found), "notes": found.notes})


@router.get(
    "/metrics",
    response_class=Response,
    responses={200: {"content": {metrics.CONTENT_TYPE: {"schema": {"type": "string"}}}}},
)
async def prometheus(here: Here) -> Response:
    """Figures for Prometheus."""
    found = await here.run(here.health.look)
    names = ("documents", "chunks", "passages", "pending")
    stored = {name: found[name] for name in names} if found["status"] == "ok" else None
    return Response(here.metrics.text(stored), media_type=metrics.CONTENT_TYPE)


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
