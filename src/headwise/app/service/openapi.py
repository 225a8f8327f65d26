"""The OpenAPI description: what FastAPI says, with the problems that each route can end with."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic.json_schema import models_json_schema

from headwise.app.service.problems import MEDIA_TYPE
from headwise.app.service.schemas import Problem

_REF = "#/components/schemas/{model}"

_EVERY = {
    "401": "The token is missing or wrong.",
    "403": "Asked for by a name, or from a page, that may not ask here.",
    "414": "Path and query are too long.",
    "422": "A value of the request is not as it has to be.",
    "500": "Something went wrong here; the log says more.",
    "503": "The store or its model cannot be used now, or too much is waiting.",
    "504": "There was no answer within the time for one.",
}
_WITH_BODY = {
    "400": "The body is not what it says it is.",
    "408": "The body did not come in time.",
    "413": "The body is too large.",
    "415": "The body is not JSON.",
}


def describe(app: FastAPI) -> dict[str, Any]:
    """The description of *app*, made once."""
    if app.openapi_schema is None:
        found = get_openapi(
            title=app.title,
            version=app.version,
            summary=app.summary,
            description=app.description,
            routes=app.routes,
        )
        for path in found["paths"].values():
            for method, operation in path.items():
                _add_problems(operation["responses"], has_body=method == "post")
                operation.setdefault("security", [{}, {"token": []}])
        _, schemas = models_json_schema([(Problem, "serialization")], ref_template=_REF)
        parts = found.setdefault("components", {})
        parts["schemas"] = {
            name: schema
            for name, schema in {**parts.get("schemas", {}), **schemas["$defs"]}.items()
            if name not in {"HTTPValidationError", "ValidationError"}
        }
        parts["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        app.openapi_schema = found
    return app.openapi_schema


def problem(description: str) -> dict[str, Any]:
    """A response that is a problem."""
    return {"description": description, "content": {MEDIA_TYPE: {"schema": {"$ref": _REF.format(model="Problem")}}}}


def _add_problems(responses: dict[str, Any], *, has_body: bool) -> None:
    for status, description in (_EVERY | (_WITH_BODY if has_body else {})).items():
        if "content" not in responses.get(status, {}) or status == "422":
            responses[status] = problem(description)
    for response in responses.values():
        response.setdefault("headers", {})["X-Request-ID"] = {
            "description": "Names the request in the log.",
            "schema": {"type": "string"},
        }
