"""`headwise mcp`: search and reading for language models, over the Model Context Protocol."""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from headwise.app import completion, options


@click.command()
@click.argument("path", required=False, shell_complete=completion.folders)
@click.option("--http", is_flag=True, help="Serve over HTTP (streamable) rather than stdin and stdout.")
@click.option("--host", default="127.0.0.1", show_default=True, metavar="NAME", help="With --http: where to listen.")
@click.option(
    "--port",
    default=8766,
    show_default=True,
    type=click.IntRange(0, 65535),
    metavar="N",
    help="With --http; 0: a free one.",
)
@options.editor
@options.store
@options.model
def mcp(path: str | None, http: bool, host: str, port: int, **flags: Any) -> None:
    """Serve an indexed folder to language models.

    PATH is the folder, or one in it; the folder one stands in if not given. A client that speaks the Model Context
    Protocol starts this command and gets the tools search, read, outline and related, and the documents as resources.
    None of them writes. With --http, other machines may ask only if HEADWISE_TOKEN is set, and have to send it.

    \b
      headwise mcp ~/notes
      headwise mcp ~/notes --http --port 8766
    """
    from headwise.errors import ReadingError, SettingsError

    if path is not None and not Path(path).is_dir():
        raise ReadingError(f"{path}: no such folder")
    try:
        from headwise.app.mcp_door.transports import log_to_stderr, serve_http, serve_stdio
    except ModuleNotFoundError as error:
        if error.name not in {"mcp", "uvicorn", "starlette"}:
            raise
        raise SettingsError('the MCP server needs its packages: pip install "headwise[mcp]"') from error
    from headwise.app.places import settings_start
    from headwise.app.service.library import calculate_with_one_core
    from headwise.app.service.listening import listen
    from headwise.app.service.security import read_token

    start = settings_start(flags["store"]) if path is None else Path(path)
    log_to_stderr()
    if not http:
        if sys.stdin.isatty():
            click.echo(
                "waiting for a client on stdin, which is a terminal: clients start this command (Ctrl-C)", err=True
            )
        with _server(start, flags) as server:
            serve_stdio(server)
        return
    token = read_token(host)
    calculate_with_one_core()
    with listen(host, port) as listening, _server(start, flags) as server:
        serve_http(server, listening, token, lambda text: click.echo(text, err=True))


@contextmanager
def _server(start: Path, flags: dict[str, Any]) -> Generator[Any]:
    """The server of the store that *start* lies in, its model being loaded meanwhile."""
    from threading import Thread

    from headwise.app.config import read_config
    from headwise.app.mcp_door.server import make_server
    from headwise.app.service.library import Library
    from headwise.indexing.index import find_store
    from headwise.stores.open import open_store

    config = read_config(start, flags)
    store = config.store or find_store(start)
    open_store(store).close()  # what is wrong with it is said at once
    library = Library(store, config.model)
    Thread(target=_load, args=(library,), daemon=True).start()
    try:
        yield make_server(library, _folder(store, start), config.editor)
    finally:
        library.close()


def _load(library: Any) -> None:
    """Have the index and its model in memory before the first question."""
    import logging

    from headwise.errors import HeadwiseError

    try:
        with library.index() as index:
            notes = index.find("a", 1).notes
    except HeadwiseError as error:  # whoever asks is told as well
        notes = (str(error),)
    for note in notes:
        logging.getLogger(__name__).warning("%s", note)


def _folder(store: str, start: Path) -> Path:
    """What the documents are called by: the store's own folder, else where one stands."""
    from headwise.app.places import FOLDER

    file = Path(store.removeprefix("sqlite:///")).expanduser().resolve()
    return file.parent.parent if file.parent.name == FOLDER else start.resolve()
