"""What a shell completes while somebody types: files, and names out of the store."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    add_completion_class,
    get_completion_class,
)

Items = list[CompletionItem[str]]
Completer = Callable[[click.Context, click.Parameter, str], Items]

VARIABLE = "_HEADWISE_COMPLETE"
"""Is set when a shell asks."""
SHELLS = ("bash", "zsh", "fish")

_UNSAFE = re.compile(r"[^\w@%+=:,./#-]", re.ASCII)
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def use_own_shells() -> None:
    """Have click speak to shells in ways that get names with blanks and commas right."""
    add_completion_class(_Bash)
    add_completion_class(_Fish)


def script(shell: str, command: click.Command) -> str:
    """What *shell* has to read to complete *command*."""
    use_own_shells()
    found = get_completion_class(shell)
    if found is None:
        raise click.UsageError(f"there is no completion for {shell}")
    return found(command, {}, "headwise", VARIABLE).source()


def files(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> Items:
    """Files and folders, by the shell itself."""
    return [CompletionItem(incomplete, type="file")]


def folders(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> Items:
    """Folders, by the shell itself."""
    return [CompletionItem(incomplete, type="dir")]


def among(*choices: str) -> Completer:
    """Some words, where others may be given as well."""

    def complete(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> Items:
        return _items(choice for choice in choices if choice.startswith(incomplete))

    return complete


def names(context: click.Context, _parameter: click.Parameter, incomplete: str) -> Items:
    """Documents in the store; behind a `#`, the sections of one."""
    from headwise.stores.sqlite_names import anchors, paths

    store = _store(context)
    if store is None:
        return []
    path, sign, heading = incomplete.rpartition("#")
    if sign and (found := anchors(store, path, heading)):
        return _items(f"{path}#{anchor}" for anchor in found)
    return _items(paths(store, incomplete))


def places(context: click.Context, _parameter: click.Parameter, incomplete: str) -> Items:
    """Folders with documents in the store, and documents."""
    from headwise.stores.sqlite_names import paths

    store = _store(context)
    found = paths(store, incomplete) if store else []
    above = {path[: path.index("/", len(incomplete))] for path in found if "/" in path[len(incomplete) :]}
    return _items([*sorted(folder for folder in above if folder), *found])


def tags(context: click.Context, _parameter: click.Parameter, incomplete: str) -> Items:
    """Tags in the store."""
    from headwise.stores.sqlite_names import tags as stored

    store = _store(context)
    return _items(stored(store, incomplete)) if store else []


class _Bash(BashComplete):
    """Bash takes what it is given as it stands: blanks and signs have to be escaped, unless a quotation is open."""

    def format_completion(self, item: CompletionItem[str]) -> str:
        words, number = os.environ.get("COMP_WORDS", "").split("\n"), int(os.environ.get("COMP_CWORD", "0"))
        is_quoted = number < len(words) and words[number].startswith(("'", '"'))
        value = item.value if is_quoted or item.type != "plain" else _UNSAFE.sub(_escaped, item.value)
        return f"{item.type},{value}".replace("\\", "\\\\")  # `read` takes one level away


class _Fish(FishComplete):
    """Only the first comma ends the type: others belong to the name."""

    source_template = FishComplete.source_template.replace('string split ","', 'string split -m 1 ","')


def _escaped(found: re.Match[str]) -> str:
    return found[0] if ord(found[0]) > 127 else f"\\{found[0]}"


def _items(values: Iterable[str]) -> Items:
    """*values* as a shell can show them: one that breaks lines cannot be."""
    return [CompletionItem(value) for value in values if not _CONTROL.search(value)]


def _store(context: click.Context) -> Path | None:
    """The file of the store that the command would take; None if there is none, or it is no file.

    Whatever is wrong with settings or paths is said when the command runs, not while it is typed.
    """
    from headwise.app.config import read_config
    from headwise.app.places import place_of, settings_start
    from headwise.errors import HeadwiseError

    given = context.params.get("store")
    try:
        store = read_config(settings_start(given), {"store": given}).store
        found = Path((store or place_of(Path(), None).store).removeprefix("sqlite:///")).expanduser()
        return found if found.is_file() else None
    except (HeadwiseError, OSError, ValueError):
        return None
