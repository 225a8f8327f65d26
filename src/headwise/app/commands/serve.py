"""`headwise serve`: the HTTP service and the page."""

from __future__ import annotations

from typing import Any

import click

from headwise.app import completion, options


@click.command()
@click.argument("folder", default=None, required=False, shell_complete=completion.folders)
@click.option("--host", metavar="ADDRESS", help="Address to listen at.  [default: 127.0.0.1]")
@click.option("--port", type=click.IntRange(0, 65535), metavar="N", help="Port to listen at; 0: any.  [default: 8765]")
@options.store
@options.model
@options.log
@click.pass_context
def serve(context: click.Context, folder: str | None, **flags: Any) -> None:
    """Serve search and documents over HTTP, with a page to look at.

    FOLDER is what POST /index makes the store equal to: the store's own, if none is given. At another address than
    this machine's own, requests need the token in HEADWISE_TOKEN. Needs the extra `service`.

    \b
      headwise serve
      headwise serve ~/notes --port 9000
      HEADWISE_TOKEN=... headwise serve --host 0.0.0.0 --log-json
    """
    from headwise.errors import SettingsError

    try:
        from headwise.app.service.start import start
    except ModuleNotFoundError as error:
        raise SettingsError(
            f'serve needs {error.name}, which is not installed: pip install "headwise[service]"'
        ) from error
    start(context, folder, flags)
