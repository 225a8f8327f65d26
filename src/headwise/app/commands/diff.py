"""`headwise diff`: how other settings would cut the same document."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from headwise.app import completion, options


@click.command()
@click.argument("file", shell_complete=completion.files)
@click.option(
    "--against",
    multiple=True,
    required=True,
    metavar="NAME=VALUE",
    help="A setting of the right side, such as max_tokens=200; may be given again.",
)
@options.cutting
@click.option(
    "--format",
    "shown_as",
    type=click.Choice(["text", "json", "html"]),
    help="Show it as text, as JSON, or as a web page to look at.  [default: text]",
)
@options.as_json
def diff(file: str, against: tuple[str, ...], shown_as: str | None, as_json: bool, **flags: Any) -> None:
    """Show how other settings would cut the same document.

    Left is FILE as `chunk` cuts it; right is the same with what --against changes.
    FILE may be `-` for stdin. In a wide terminal both stand side by side.

    \b
      headwise diff notes/SMARS.md --against max_tokens=200
      headwise diff notes/SMARS.md --against max_tokens=200 --against strategy=fixed
      headwise diff notes/SMARS.md --against overlap=1s --format html > page.html
    """
    from headwise.app.config import read_changes, read_config
    from headwise.app.diff_view import diff_view
    from headwise.app.output import write_json
    from headwise.app.page_diff import diff_page
    from headwise.app.render import console
    from headwise.app.sides import make_sides, sides_json
    from headwise.app.sources import cut, read_paths, say, start_of
    from headwise.errors import ReadingError
    from headwise.indexing.files import Problem

    form = options.chosen_form(shown_as, as_json)
    if Path(file).is_dir():
        raise ReadingError(f"{file}: is a folder; diff compares two ways to cut one file")
    left = read_config(start_of([file]), flags)
    right = read_config(start_of([file]), flags | read_changes(against, "--against"))
    for found in read_paths([file], left.files):
        if isinstance(found, Problem):
            raise ReadingError(f"{file}: {found.reason}")
        for warning in found.warnings:
            say(file, warning)
        settings = left.cutting, right.cutting
        sides = make_sides(found, (cut(found, settings[0]), cut(found, settings[1])), settings)
        if form == "json":
            write_json(sides_json(sides))
        elif form == "html":
            click.echo(diff_page(sides), nl=False)
        else:
            screen = console()
            for line in diff_view(sides, screen):
                screen.print(line)
