"""`headwise export`: what is stored, for other programs."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from headwise.app import completion, options

if TYPE_CHECKING:
    from headwise.app.config import Config
    from headwise.stores.store import Store


@click.group()
def export() -> None:
    """Write what is stored for other programs.

    \b
      headwise export jsonl - | wc -l
      headwise export parquet chunks.parquet
      headwise export chroma --path chroma.db --json
    """


@export.command()
@click.argument("file", shell_complete=completion.files)
@options.store
@options.as_json
def jsonl(file: str, as_json: bool, **flags: Any) -> None:
    """Write every chunk as a line of JSON.

    FILE may be `-` for stdout. The fields are those of `headwise chunk --json`.

    \b
      headwise export jsonl chunks.jsonl
    """
    import sys

    from headwise.integrations.files import written
    from headwise.integrations.jsonl import export_jsonl

    with _opened(flags) as (store, _, _, move):
        if file == "-":
            export_jsonl(store, sys.stdout.buffer.write, move)
            return
        with written(Path(file)) as out:
            chunks = export_jsonl(store, out.write, move)
    _say({"chunks": chunks, "file": file}, f"{chunks:,} chunks in {file}", as_json=as_json)


@export.command()
@click.argument("file", shell_complete=completion.files)
@options.store
@options.model
@options.as_json
def parquet(file: str, as_json: bool, **flags: Any) -> None:
    """Write every chunk as a row of a Parquet file.

    The columns are the fields of `headwise chunk --json`, and the chunk's passages with their vectors, as far as they
    have one.

    \b
      headwise export parquet chunks.parquet
    """
    from headwise.app.embedding import stored_model
    from headwise.integrations.parquet import export_parquet

    with _opened(flags) as (store, config, _, move):
        model = stored_model(store, config.model)
        chunks = export_parquet(store, Path(file), model, move)
    with_vectors = f", vectors of {model}" if model else ", no vectors"
    said = {"chunks": chunks, "file": file, "model": model}
    _say(said, f"{chunks:,} chunks in {file}{with_vectors}", as_json=as_json)


@export.command()
@click.option("--path", metavar="DIR", help="The folder of a Chroma database, made if it is new.")
@click.option("--url", metavar="URL", help="A Chroma server: http://HOST:PORT.")
@click.option("--collection", default="headwise", metavar="NAME", help="The collection.  [default: headwise]")
@options.store
@options.model
@options.as_json
def chroma(path: str | None, url: str | None, collection: str, as_json: bool, **flags: Any) -> None:
    """Make a Chroma collection equal to the store.

    An item is a passage: its document is the text that was embedded, its vector is the store's. Its metadata can be
    filtered: path, folder, tags, links, headings, lines, `fm_` and the name of a property, and `chunk_id`, which all
    passages of a chunk share. Only what changed is written, and what is gone is deleted.

    \b
      headwise export chroma --path chroma.db
      headwise export chroma --url http://localhost:8000 --collection notes
    """
    from dataclasses import asdict

    from headwise.app.embedding import complete_model
    from headwise.integrations.chroma import export_chroma, open_chroma

    if (path is None) == (url is None):
        raise click.UsageError("Give either --path or --url.")
    with _opened(flags) as (store, config, location, move):
        model = complete_model(store, config.model)
        with open_chroma(path, url) as client:
            made = export_chroma(store, location, client, collection, model, move)
    counts = f"{made.added:,} added, {made.changed:,} changed, {made.deleted:,} deleted, {made.unchanged:,} unchanged"
    _say(asdict(made) | {"model": model}, f"collection {collection}: {counts}", as_json=as_json)


_Move = Callable[[int, int | None], None]


@contextmanager
def _opened(flags: dict[str, Any]) -> Generator[tuple[Store, Config, str, _Move]]:
    """The store, the settings, where the store lies, and a bar to move."""
    from headwise.app.config import read_config
    from headwise.app.places import location_of, settings_start
    from headwise.app.progress import progress_bar
    from headwise.indexing.index import find_store
    from headwise.stores.open import open_store

    config = read_config(settings_start(flags["store"]), flags)
    where = config.store or find_store(Path())
    with open_store(where) as store, progress_bar("exporting") as move:
        yield store, config, location_of(where), move


def _say(value: dict[str, Any], line: str, *, as_json: bool) -> None:
    from headwise.app.output import write_json
    from headwise.app.visible import one_line

    if as_json:
        write_json(value)
    else:
        click.echo(one_line(line))
