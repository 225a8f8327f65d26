"""`headwise outline`: the section tree of a file."""

from __future__ import annotations

from pathlib import Path

import click

from headwise.app import completion, options


@click.command()
@click.argument("file", shell_complete=completion.files)
@options.tokenizer
@options.as_json
def outline(file: str, tokenizer: str | None, as_json: bool) -> None:
    """Show a document's sections.

    FILE may be `-` for stdin.
    A size is that of a section's own text, without the sections inside it.

    \b
      headwise outline notes/SMARS.md
    """
    from headwise.app.config import read_config
    from headwise.app.output import section_json, write_json
    from headwise.app.render import console, outline_view
    from headwise.app.sources import cut, read_paths, say, start_of
    from headwise.errors import ReadingError
    from headwise.indexing.files import Problem

    if Path(file).is_dir():
        raise ReadingError(f"{file}: is a folder; outline shows one file")
    config = read_config(start_of([file]), {"tokenizer": tokenizer})
    count = config.cutting.measure().count
    for found in read_paths([file], config.files):
        if isinstance(found, Problem):
            raise ReadingError(f"{file}: {found.reason}")
        for warning in found.warnings:
            say(file, warning)
        analysis = cut(found, config.cutting)
        sizes = [count(found.text[s.start : s.own_end].rstrip()) for s in analysis.sections]
        if as_json:
            for section, size in zip(analysis.sections, sizes, strict=True):
                write_json(section_json(section, size, analysis.tree.lines))
        else:
            console().print(outline_view(found.path, analysis, sizes, config.cutting.tokenizer))
