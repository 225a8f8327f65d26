"""What a command says beside its result: lines for people, or structured logs for programs.

The library is silent: it hands out events, and this door makes log lines of them.
"""

from __future__ import annotations

import logging
import sys
from dataclasses import asdict
from typing import Any

import click
import structlog

from headwise.app.cli import LOG
from headwise.app.visible import one_line
from headwise.indexing.embed import EmbedReport
from headwise.indexing.survey import Outlook
from headwise.indexing.sync import SyncEvent, SyncReport


def begin_log(context: click.Context, level: str) -> None:
    """From now on *context*, and those above and below it, says everything in JSON on stderr, from *level* on."""
    context.meta[LOG] = structlog.wrap_logger(
        structlog.WriteLogger(sys.stderr),
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.JSONRenderer(),
        ],
    )


class Teller:
    """Says on stderr what there is to say, to people or to programs."""

    def __init__(self, context: click.Context) -> None:
        self._log: Any = context.meta.get(LOG)
        self._failed: set[str] = set()

    @property
    def is_for_people(self) -> bool:
        """True unless `--log-json` was given."""
        return self._log is None

    def note(self, text: str) -> None:
        """Say something about the whole, if there is anything."""
        if text and self._log is None:
            click.echo(one_line(text), err=True)
        elif text:
            self._log.info("note", text=text)

    def about(self, path: str, what: str) -> None:
        """Say something odd about a document."""
        if self._log is None:
            click.echo(one_line(f"{path}: {what}"), err=True)
        else:
            self._log.warning("document odd", path=path, reason=what)

    def outlook(self, outlook: Outlook, *, embeds: bool) -> None:
        """Say what is about to be done, if it is more than a user may expect."""
        if self._log is not None:
            self._log.info("sync began", **outlook._asdict())
        elif outlook.recut:
            many = f", with up to about {outlook.passages:,} passages to embed" if embeds else ""
            self.note(f"settings changed: {outlook.recut:,} documents will be cut anew{many}")

    def event(self, event: SyncEvent) -> None:
        """Say what became of a document: to programs only."""
        if self._log is None:
            return
        counted = {"chunks": event.chunks, "reused": event.reused, "to_embed": event.to_embed}
        match event.outcome:
            case "unchanged":
                self._log.debug("document unchanged", path=event.path)
            case "failed":
                self._failed.add(event.path)
                self._log.error("document failed", path=event.path, reason=event.reason)
            case "deleted":
                self._log.info("document deleted", path=event.path)
            case "moved":
                self._log.info("document moved", path=event.path, moved_from=event.moved_from, **counted)
            case "added" | "changed":
                self._log.info("document indexed", path=event.path, outcome=event.outcome, **counted)

    def synced(self, report: SyncReport) -> None:
        """Say what there is to say about single documents, and to programs what was done in all."""
        for problem in report.problems:
            if problem.path not in self._failed:
                self.about(problem.path, problem.reason)
        for warned in report.warnings:
            self.about(warned.path, warned.warning)
        if self._log is not None:
            totals = {"documents": asdict(report.documents), "changes": asdict(report.changes)}
            self._log.info(
                "sync finished",
                **totals,
                chunks=report.chunks,
                passages=report.passages,
                seconds=round(report.seconds, 3),
            )

    def embedded(self, report: EmbedReport, model: str) -> None:
        """Say to programs what embedding did."""
        if self._log is not None:
            self._log.info("embedding finished", model=model, **asdict(report))
