"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from headwise.app import completion

Command = Callable[..., Any]
Decorator = Callable[[Command], Command]


def _several(*options: Decorator) -> Decorator:
    """*options* as one, shown in this order."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON for programs, one object a line.")


def chosen_form(shown_as: str | None, as_json: bool) -> str:
    """What `--format` says; `--json` is short for `--format json`."""
    if as_json and shown_as not in {None, "json"}:
        raise click.UsageError(f"--json and --format {shown_as} cannot both be given.")
    return "json" if as_json else shown_as or "text"


store = click.option(
    "--store",
    metavar="URL",
    shell_complete=completion.files,
    help="The store: a path, sqlite:///FILE or postgresql+psycopg://USER@HOST/DATABASE.  "
    "[default: the nearest .headwise/index.db]",
)

model = click.option(
    "--model",
    metavar="NAME",
    shell_complete=completion.among("wordllama", "minilm", "multilingual"),
    help="The embedding model: wordllama, minilm, multilingual, or an endpoint's.",
)

editor = click.option(
    "--editor",
    metavar="NAME",
    shell_complete=completion.among("obsidian", "vscode", "file", "none"),
    help="Show what opens each place: obsidian, vscode, file (path:line) or none.  [default: the setting editor]",
)


def _begin_log(context: click.Context, parameter: click.Parameter, value: Any) -> None:
    """The two options come in any order; the level counts only with the other."""
    given = context.meta.setdefault("headwise.log.options", {})
    given[parameter.name] = value
    if given.get("log_json") and "log_level" in given:
        from headwise.app.log import begin_log

        begin_log(context, given["log_level"])


log = _several(
    click.option(
        "--log-json",
        is_flag=True,
        callback=_begin_log,
        expose_value=False,
        help="Say on stderr what happens, one JSON object a line.",
    ),
    click.option(
        "--log-level",
        type=click.Choice(("debug", "info", "warning", "error")),
        default="info",
        callback=_begin_log,
        expose_value=False,
        help="The least that --log-json says; debug: unchanged documents too.  [default: info]",
    ),
)
"""How long work tells programs what it does."""

tokenizer = click.option(
    "--tokenizer",
    metavar="NAME",
    shell_complete=completion.among("cl100k_base", "o200k_base", "chars", "words", "minilm", "wordllama"),
    help="What sizes count: cl100k_base, o200k_base, chars, words, a model (minilm, wordllama) or a tokenizer.json.  "
    "[default: cl100k_base]",
)

cutting = _several(
    click.option("--max-tokens", type=int, metavar="N", help="No chunk is larger.  [default: 400]"),
    click.option("--min-tokens", type=int, metavar="N", help="Smaller pieces join a neighbour.  [default: 20]"),
    click.option("--overlap", metavar="N", help="Repeat so much of the chunk before: 40, 15%, or 1s for a sentence."),
    tokenizer,
    click.option(
        "--strategy",
        metavar="NAME",
        shell_complete=completion.among("headings", "paragraphs", "sentences", "fixed"),
        help="headings, paragraphs, sentences or fixed.  [default: headings]",
    ),
    click.option("--levels", metavar="N-M", help="Levels of the headings that open a section: 2,3.  [default: 1-6]"),
    click.option(
        "--tiny",
        metavar="WAY",
        shell_complete=completion.among("join", "keep", "drop"),
        help="Pieces under the minimum: join, keep or drop.  [default: join]",
    ),
    click.option("--max-line", type=int, metavar="N", help="Leave out lines of more than so many characters."),
)
"""Where documents are cut: the options of `Settings`."""

files = _several(
    click.option("--include", multiple=True, metavar="PATTERN", help="Read only files like this (.gitignore syntax)."),
    click.option("--exclude", multiple=True, metavar="PATTERN", help="Leave out files like this (.gitignore syntax)."),
    click.option("--hidden", multiple=True, metavar="NAME", help="Read this too, although its name begins with a dot."),
)
"""Which files are read: the options of `FileOptions`."""

indexing = _several(
    cutting,
    click.option("--passages", type=int, metavar="N", help="Largest part of a chunk to embed; 0: all.  [default: 64]"),
    click.option(
        "--navigation",
        metavar="WAY",
        shell_complete=completion.among("keep", "skip"),
        help="Chunks that are only links: keep or skip.  [default: keep]",
    ),
    files,
)
"""What decides the records of a folder: the options of `IndexSettings` and `FileOptions`."""
