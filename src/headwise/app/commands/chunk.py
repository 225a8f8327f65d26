"""`headwise chunk`: documents cut, to look at or to feed to something else."""

from __future__ import annotations

from typing import Any

import click

from headwise.app import options


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@options.cutting
@options.files
@options.as_json
@click.pass_context
def chunk(context: click.Context, paths: tuple[str, ...], as_json: bool, **flags: Any) -> None:
    """Cut documents, and show the chunks.

    PATH is a file, a folder, or `-` for stdin.
    Paths in the output are relative to the folder given, or to the one that holds all that was given.

    \b
      headwise chunk notes/SMARS.md --max-tokens 200
      headwise chunk notes --json > chunks.jsonl
      cat page.md | headwise chunk - --overlap 1s
    """
    from headwise.app.config import read_config
    from headwise.app.output import chunk_json, write_json
    from headwise.app.render import chunk_view, console
    from headwise.app.sources import cut, read_paths, say, start_of
    from headwise.indexing.files import Problem

    config = read_config(start_of(paths), flags)
    screen = console()
    chunks = failed = 0
    for found in read_paths(paths, config.files):
        if isinstance(found, Problem):
            failed += found.unknown
            say(found.path, found.reason)
            continue
        analysis = cut(found, config.cutting)
        front_matter = analysis.tree.front_matter
        for warning in (*found.warnings, front_matter.warning):
            if warning:
                say(found.path, warning)
        if front_matter.data.get("headwise") is False:
            say(found.path, "keeps itself out (headwise: false)")
            continue
        for piece in analysis.chunks:
            if as_json:
                write_json(chunk_json(found, front_matter, piece))
            else:
                screen.print(chunk_view(found.path, piece, config.cutting))
        chunks += len(analysis.chunks)
    if not chunks and not failed:
        say(" ".join(paths), "nothing to cut here")
    if failed or not chunks:
        context.exit(1)
