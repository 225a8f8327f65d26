"""The log of the service: a line for each request, for people or for programs, and what the server itself says."""

from __future__ import annotations

import logging
import sys
from typing import Any

import structlog

_CUT_SHORT = "ASGI callable returned without"
"""So begins what is said where a client was gone before all of its answer was sent: its request has its own line."""


def log_for_people() -> Any:
    """A logger that writes readable lines to stderr."""
    return structlog.wrap_logger(
        structlog.WriteLogger(sys.stderr),
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="%H:%M:%S", utc=False),
            structlog.dev.ConsoleRenderer(colors=False, pad_event_to=0),
        ],
    )


def hear_server(log: Any) -> None:
    """From now on *log* says what uvicorn and asyncio have to warn of."""
    handler = _Handler(log)
    for name in ("uvicorn", "asyncio"):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.setLevel(logging.WARNING)
        logger.propagate = False


class _Handler(logging.Handler):
    def __init__(self, log: Any) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        """Say what *record* says."""
        if record.getMessage().startswith(_CUT_SHORT):
            return
        said: dict[str, Any] = {"said": record.getMessage()}
        if record.exc_info:
            said["exception"] = logging.Formatter().formatException(record.exc_info)
        (self._log.error if record.levelno >= logging.ERROR else self._log.warning)("server", **said)
