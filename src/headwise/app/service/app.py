"""The application: routes, errors, description, and what happens at its end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from importlib.metadata import version

from fastapi import FastAPI

from headwise.app.service.openapi import describe
from headwise.app.service.parts import Parts
from headwise.app.service.replies import answer_errors
from headwise.app.service.routes import router

_ABOUT = """\
Search, documents and chunks of one store. Positions are characters (code points) of a document's text, half open; lines
count from 1, both ends included. Errors are problem details (RFC 9457). Where a token is set, every request here needs
it: `Authorization: Bearer …`."""


def make_app(parts: Parts) -> FastAPI:
    """The application; `headwise.app.service.gate.Gate` has to stand before it."""

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncGenerator[None]:
        opening = asyncio.create_task(parts.run(parts.health.look))  # so that the first who asks need not wait
        yield
        opening.cancel()
        await asyncio.to_thread(parts.jobs.stop)
        parts.library.close()

    app = FastAPI(
        title="Headwise",
        version=version("headwise"),
        summary="Folders of documents as passages that can be found again.",
        description=_ABOUT,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.parts = parts
    app.include_router(router)
    answer_errors(app, router.routes)
    app.openapi = lambda: describe(app)
    return app
