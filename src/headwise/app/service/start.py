"""From the command line to a running service: which folder, which store, who may ask."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from headwise.app.cli import LOG
from headwise.app.config import read_config
from headwise.app.places import FOLDER, place_of, settings_start
from headwise.app.service.library import calculate_with_one_core
from headwise.app.service.listening import listen
from headwise.app.service.logs import log_for_people
from headwise.app.service.parts import Served
from headwise.app.service.security import is_loopback, read_token
from headwise.app.service.serving import serve
from headwise.indexing.index import find_store
from headwise.stores.open import shown_store

HOST = "127.0.0.1"
PORT = 8765


def start(context: click.Context, folder: str | None, flags: Mapping[str, Any]) -> None:
    """Serve what *folder* and *flags* name, until told to stop.

    Raises:
        HeadwiseError: for settings that cannot work, or if no store is named nor found.
    """
    calculate_with_one_core()
    host, port = flags["host"] or HOST, PORT if flags["port"] is None else flags["port"]
    token = read_token(host)
    served = what_is_served(folder, {name: value for name, value in flags.items() if name not in {"host", "port"}})
    if served.config.editor is None and not is_loopback(host):  # other machines have other files
        served = served._replace(config=replace(served.config, editor="none"))
    log = context.meta.get(LOG) or log_for_people()
    with listen(host, port) as listener:
        shown = f"[{host}]" if ":" in host else host
        log.info("serving", url=f"http://{shown}:{listener.getsockname()[1]}/", store=shown_store(served.store))
        serve(served, listener, token, log)


def what_is_served(folder: str | None, flags: Mapping[str, Any]) -> Served:
    """The store, its settings, and the folder that it is made equal to."""
    if folder is not None:
        config = read_config(Path(folder), flags)
        place = place_of(Path(folder), config.store)
        return Served(config, place.store, Path(folder).resolve(), _for_sync(flags, place.store))
    config = read_config(settings_start(flags.get("store")), flags)
    store = config.store or find_store(Path())
    file = Path(store.removeprefix("sqlite:///")).expanduser()
    own = file.parent.parent.resolve() if "://" not in str(file) and file.parent.name == FOLDER else None
    return Served(config, store, own, _for_sync(flags, store))


def _for_sync(flags: Mapping[str, Any], store: str) -> Mapping[str, Any]:
    """The flags for another process, which may stand elsewhere."""
    return {**flags, "store": store if "://" in store else os.path.abspath(Path(store).expanduser())}  # noqa: PTH100 - links stay
