"""Answers: values as JSON, files of the page, and whatever is raised as a problem."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute, Match, Route

from headwise.app.service.assets import Asset
from headwise.app.service.problems import MEDIA_TYPE, Problem, ProblemError, problem_of
from headwise.app.service.requests import NO_NUL
from headwise.errors import HeadwiseError
from headwise.integrations.jsonl import json_line


def as_json(value: Mapping[str, Any], status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """*value* as JSON in UTF-8, with lone surrogates escaped."""
    return Response(json_line(value).encode(), status, headers, "application/json")


def as_asset(found: Asset | None, request: Request) -> Response:
    """A file of the page; nothing again if the browser has it.

    Raises:
        ProblemError: if there is no such file.
    """
    if found is None:
        raise ProblemError(Problem(404, "there is no such file of the page"))
    headers = {"ETag": found.etag, "Cache-Control": "no-cache"}
    if found.etag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    return Response(found.content, media_type=found.media_type, headers=headers)


def answer_errors(app: FastAPI, routes: Sequence[BaseRoute]) -> None:
    """Have *app*, with these *routes*, answer errors with problems; what nobody thought of is not answered here."""
    app.add_exception_handler(HTTPException, partial(_on_http_error, routes))
    app.add_exception_handler(RequestValidationError, _on_invalid)
    app.add_exception_handler(HeadwiseError, _on_library_error)


async def _on_http_error(routes: Sequence[BaseRoute], request: Request, error: Exception) -> Response:
    if isinstance(error, ProblemError):
        return _told(error.problem, request)
    if not isinstance(error, HTTPException):
        raise error
    headers = (
        {"Allow": _allowed(routes, request)} if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED else error.headers
    )
    return _told(Problem(error.status_code, str(error.detail), headers=headers or {}), request)


def _allowed(routes: Sequence[BaseRoute], request: Request) -> str:
    """The methods that some route has for the path: Starlette only names those of the first."""
    fitting = [route for route in routes if route.matches(request.scope)[0] is not Match.NONE]
    here = (route.methods or set[str]() for route in fitting if isinstance(route, Route))
    return ", ".join(sorted({method for methods in here for method in methods}))


async def _on_library_error(request: Request, error: Exception) -> Response:
    if not isinstance(error, HeadwiseError):
        raise error
    return _told(problem_of(error), request)


async def _on_invalid(request: Request, error: Exception) -> Response:
    if not isinstance(error, RequestValidationError):
        raise error
    errors: list[Mapping[str, str]] = []
    for one in error.errors():
        place, *names = map(str, one["loc"])
        is_nul = one["type"] == "string_pattern_mismatch" and one["ctx"]["pattern"] == NO_NUL
        reason = "holds a NUL character, which nothing here does" if is_nul else one["msg"]
        errors.append({"in": place, "name": ".".join(names), "detail": reason})
    first = errors[0]
    where = f"{first['name']}: " if first["name"] else ""
    return _told(Problem(422, f"{where}{first['detail']}", "invalid", tuple(errors)), request)


def _told(problem: Problem, request: Request) -> Response:
    body = problem.body(request.url.path, request.state.request_id)
    return Response(json_line(body).encode(), problem.status, problem.headers, MEDIA_TYPE)
