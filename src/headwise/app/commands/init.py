"""`headwise init`: a commented settings file for a folder, after a look at it."""

from __future__ import annotations

from pathlib import Path

import click

from headwise.app import completion, options

_FILE = "headwise.toml"


@click.command()
@click.argument("path", default=".", shell_complete=completion.folders)
@click.option("--output", metavar="FILE", help="Write this file instead; - prints and writes nothing.")
@click.option("--force", is_flag=True, help="Take the place of a file that is there.")
@options.as_json
def init(path: str, output: str | None, force: bool, as_json: bool) -> None:
    """Write a commented headwise.toml for a folder.

    Looks at PATH, the folder one stands in if not given: what made it (Obsidian, MkDocs, Docusaurus, …), its
    languages, templates, daily notes, and what is none to search. Proposes what to leave out, the model, sizes and the
    editor, each with the reason. Nothing is indexed.

    \b
      headwise init ~/notes
      headwise init --output -
    """
    from headwise.app.output import write_json
    from headwise.app.setup.look import look_at
    from headwise.app.setup.proposal import propose, summary, values
    from headwise.app.setup.settings_text import settings_text
    from headwise.app.visible import one_line
    from headwise.errors import ReadingError
    from headwise.indexing.models.multilingual import is_installed

    root = Path(path)
    if not root.is_dir():
        raise ReadingError(f"{path}: no such folder")
    target = None if output == "-" else Path(output) if output else root / _FILE
    if target is not None and not force:
        _check_free(target, root)
    look = look_at(root.resolve())
    settings = propose(look, has_multilingual=is_installed())
    text = settings_text(settings, summary(look))
    if target is not None:
        _write(target, text)
        click.echo(f"{one_line(str(target))} written: {one_line(summary(look))}", err=True)
    if as_json:
        reasons = {
            setting.name: {"value": setting.value, "set": setting.is_set, "reason": setting.reason}
            for setting in settings
        }
        write_json({"file": str(target) if target else None, "settings": values(settings), "proposed": reasons})
    elif target is None:
        click.echo(text, nl=False)


def _check_free(target: Path, root: Path) -> None:
    """Nothing that somebody wrote is lost, nor loses its force.

    Raises:
        SettingsError: if there are settings already.
    """
    from headwise.app.config import holds_settings
    from headwise.errors import SettingsError

    if target.exists():
        raise SettingsError(f"{target}: is there already; see what would be written with --output -, or use --force")
    other = root / "pyproject.toml"
    if target == root / _FILE and holds_settings(other):
        raise SettingsError(f"{other}: holds settings of Headwise, which {_FILE} would win over; --force writes it")


def _write(target: Path, text: str) -> None:
    from headwise.integrations.files import written

    with written(target) as file:
        file.write(text.encode())
