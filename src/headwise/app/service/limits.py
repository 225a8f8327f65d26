"""How much a request may ask for: the length of its target and its head, the size and pace of its body."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from typing import Any

from headwise.app.service.problems import Problem, ProblemError

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Limits:
    """What one request may ask for."""

    head_bytes: int = 32 * 2**10
    """All headers together."""
    body_bytes: int = 4 * 2**20
    target_bytes: int = 8 * 2**10
    """Path and query together, as they are sent."""
    body_seconds: float = 15.0
    """Until all of the body is there."""
    work_seconds: float = 30.0
    """Until the answer is there."""


def check_head(scope: Scope, limits: Limits) -> Problem | None:
    """What is wrong with a request before its body is read; None if nothing is."""
    if len(scope["raw_path"]) + len(scope["query_string"]) > limits.target_bytes:
        return Problem(414, f"path and query have more than {limits.target_bytes:,} bytes; ask for less", "too-long")
    if sum(len(name) + len(value) for name, value in scope["headers"]) > limits.head_bytes:
        return Problem(431, f"the headers have more than {limits.head_bytes:,} bytes", "too-long")
    headers: dict[bytes, bytes] = dict(scope["headers"])
    length = headers.get(b"content-length", b"0")
    if not length.isdigit() or int(length[:20]) > limits.body_bytes:
        return _too_large(limits)
    return None


def limited(receive: Receive, limits: Limits) -> Receive:
    """*receive* for one request, which ends with a problem when the body is too large or too slow."""
    loop = asyncio.get_running_loop()
    end = loop.time() + limits.body_seconds
    received = 0
    is_whole = False

    async def receive_limited() -> Message:
        nonlocal received, is_whole
        if is_whole:  # only the end of the connection can come now, at any time
            return await receive()
        try:
            async with asyncio.timeout_at(end):
                message = await receive()
        except TimeoutError:
            detail = f"the body was not there within {limits.body_seconds:g} s"
            raise ProblemError(Problem(408, detail, "too-slow", headers={"Connection": "close"})) from None
        if message["type"] == "http.request":
            received += len(message.get("body", b""))
            is_whole = not message.get("more_body", False)
            if received > limits.body_bytes:
                raise ProblemError(_too_large(limits))
        return message

    return receive_limited


class GoneError(Exception):
    """The client is gone, or speaks no HTTP any more: nobody is there to answer."""


def told_of_gone(send: Send) -> Send:
    """*send* for one request, which raises `GoneError` when there is nobody to send to."""

    async def send_or_tell(message: Message) -> None:
        try:
            await send(message)
        except Exception as error:
            raise GoneError from error

    return send_or_tell


def _too_large(limits: Limits) -> Problem:
    detail = f"the body has more than {limits.body_bytes:,} bytes; send less at once"
    return Problem(413, detail, "too-large", headers={"Connection": "close"})
