"""`headwise check`: proof that nothing is lost, nothing rewritten, and no limit broken."""

from __future__ import annotations

from typing import Any

import click

from headwise.app import completion, options


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...", shell_complete=completion.files)
@options.cutting
@options.files
@options.as_json
@click.pass_context
def check(context: click.Context, paths: tuple[str, ...], as_json: bool, **flags: Any) -> None:
    """Prove that cutting keeps its promises.

    Every chunk is a verbatim slice of its document, with its right lines; every visible character is in a chunk, or
    in a span dropped for a stated reason (--json lists them); no chunk is over the limit, counted anew; ids are unique.

    \b
      headwise check notes
      headwise check notes --max-tokens 64 --json
    """
    from headwise.app.config import read_config
    from headwise.app.output import check_json, write_json
    from headwise.app.progress import progress_bar
    from headwise.app.sources import cut, read_paths, say, start_of
    from headwise.chunking.check import problems
    from headwise.indexing.files import Problem

    config = read_config(start_of(paths), flags)
    documents = characters = chunks = broken = failed = 0
    with progress_bar("checking") as move:
        for number, found in enumerate(read_paths(paths, config.files), 1):
            move(number, None)
            if isinstance(found, Problem):
                failed += found.unknown
                say(found.path, found.reason)
                continue
            analysis = cut(found, config.cutting)
            wrongs = problems(found.text, analysis, config.cutting)
            documents += 1
            characters += len(found.text)
            chunks += len(analysis.chunks)
            broken += bool(wrongs)
            for wrong in wrongs:
                say(found.path, wrong)
            if as_json:
                write_json(check_json(found.path, analysis, wrongs))
    verdict = f"{broken} BROKEN" if broken else "every promise kept"
    unread = f", {failed} unread" if failed else ""
    summary = f"{documents:,} documents{unread}, {characters:,} characters, {chunks:,} chunks: {verdict}"
    click.echo(summary, err=as_json)
    if broken or failed or not documents:
        context.exit(1)
