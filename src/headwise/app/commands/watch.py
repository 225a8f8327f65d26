"""`headwise watch`: keep the store equal to the folder while files change."""

from __future__ import annotations

import signal
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any

import click

from headwise.app import completion, options


@click.command()
@click.argument("path", default=".", shell_complete=completion.folders)
@click.option(
    "--interval", type=click.FloatRange(min=0.01), default=0.5, help="Quiet to wait for, in seconds.  [default: 0.5]"
)
@click.option("--no-embed", is_flag=True, help="Leave embedding to `headwise embed`.")
@options.store
@options.model
@options.indexing
@options.log
@options.as_json
@click.pass_context
def watch(context: click.Context, path: str, interval: float, no_embed: bool, as_json: bool, **flags: Any) -> None:
    """Keep the store equal to a folder.

    As `headwise index PATH`, again whenever something below PATH has changed and is quiet, until Ctrl-C. A line says
    what was done. It waits for a folder that is gone, a store that is in use, and a model that does not answer, and
    takes up changed settings. Needs the extra `watch`.

    \b
      headwise watch ~/notes
      headwise watch docs --no-embed --json
    """
    from headwise.app.keeper import Keeper
    from headwise.app.log import Teller
    from headwise.indexing.watch import wakes

    with _stopped_by_signals() as stop:
        keeper = Keeper(Path(path), flags, Teller(context), stop, embeds=not no_embed, as_json=as_json)
        for wake in wakes(keeper.folder, interval, keeper.is_own, stop):
            keeper.heed(wake)


@contextmanager
def _stopped_by_signals() -> Generator[Event]:
    """What Ctrl-C and a polite kill set, which is how this is meant to end; the second one does not wait."""
    stop = Event()

    def told(_signal: int, _frame: object) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()

    before = [(name, signal.signal(name, told)) for name in (signal.SIGINT, signal.SIGTERM)]
    try:
        yield stop
    finally:
        for name, handler in before:
            signal.signal(name, handler)
