"""What goes wrong, as problem details (RFC 9457): one JSON object that says what, where and what to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from starlette.exceptions import HTTPException

from headwise.app.visible import one_line
from headwise.errors import (
    HeadwiseError,
    MassDeletionError,
    MissingStoreError,
    ModelError,
    NotStoredError,
    ReadingError,
    SettingsError,
    StoreError,
    SyncError,
)

MEDIA_TYPE = "application/problem+json"

_TYPE = "urn:headwise:problem:"

# The first that fits, so the narrower ones first.
_KINDS: Sequence[tuple[type[HeadwiseError], int, str]] = (
    (SettingsError, 422, "setting"),
    (NotStoredError, 404, "not-stored"),
    (MissingStoreError, 503, "no-store"),
    (StoreError, 503, "store"),
    (ModelError, 503, "model"),
    (MassDeletionError, 409, "mass-deletion"),
    (ReadingError, 422, "reading"),
    (SyncError, 503, "sync"),
)

_AGAIN = {"Retry-After": "5"}


@dataclass(frozen=True, slots=True)
class Problem:
    """What is said about a request that was not answered as it wished."""

    status: int
    detail: str
    """One line: what is wrong, and what to do about it."""
    kind: str = ""
    """Names the problem to programs; the status alone says it if empty."""
    errors: tuple[Mapping[str, str], ...] = ()
    """What is wrong with single values: where they stand (`in`, `name`), and why (`detail`)."""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    """Sent beside it."""

    def body(self, instance: str, request_id: str) -> dict[str, Any]:
        """The members of the problem's JSON, for the request with this path and id."""
        told: dict[str, Any] = {
            "type": f"{_TYPE}{self.kind}" if self.kind else "about:blank",
            "title": HTTPStatus(self.status).phrase,
            "status": self.status,
            "detail": one_line(self.detail),
            "instance": instance,
            "request_id": request_id,
        }
        return told | {"errors": [dict(error) for error in self.errors]} if self.errors else told


class ProblemError(HTTPException):
    """A request that ends with a problem; of Starlette's kind, since FastAPI hides all others that a body raises."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.status, problem.detail)
        self.problem = problem


def problem_of(error: HeadwiseError) -> Problem:
    """What to tell about an error of the library."""
    for kind, status, name in _KINDS:
        if isinstance(error, kind):
            return Problem(status, str(error), name, headers=_AGAIN if status == HTTPStatus.SERVICE_UNAVAILABLE else {})
    return Problem(HTTPStatus.INTERNAL_SERVER_ERROR, str(error))
