"""The command line: its commands, and how every one of them ends."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from io import TextIOWrapper
from typing import Any, NoReturn

import click

from headwise.app.completion import VARIABLE, use_own_shells
from headwise.app.visible import one_line
from headwise.errors import HeadwiseError

COMMANDS = (
    "init",
    "chunk",
    "diff",
    "outline",
    "check",
    "index",
    "embed",
    "search",
    "get",
    "related",
    "stats",
    "eval",
    "watch",
    "serve",
    "mcp",
    "verify",
    "gc",
    "export",
    "completion",
)

LOG = "headwise.log"
"""Where the context of a command keeps its structured log, if it has one; see `headwise.app.log`."""


class Commands(click.Group):
    """Commands in a stated order, each imported when it is named, all with the same ends.

    Exit codes: 0; 1 after a `HeadwiseError` or failed files; 2 for wrong usage; 130 after Ctrl-C. A reader that
    has seen enough (`| head`) is no error.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """All names, in the order in which they are used."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """The command with this name."""
        if cmd_name not in COMMANDS:
            return None
        return getattr(import_module(f"headwise.app.commands.{cmd_name}"), cmd_name)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command named, and turn what it raises into a line and an exit code."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except HeadwiseError as error:
            _fail(ctx, str(error), error)
        except KeyboardInterrupt:
            if LOG in ctx.meta:
                ctx.meta[LOG].error("interrupted", reason="what was done is kept")
            else:
                click.echo("Interrupted; what was done is kept.", err=True)
            ctx.exit(130)
        except BrokenPipeError:
            # What is still buffered would raise again when Python closes stdout.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(0)
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            _fail(ctx, f"{where}{error.strerror or error}", error)
        return result


def _fail(ctx: click.Context, reason: str, error: Exception) -> NoReturn:
    """End with one line that says why: for programs, if they listen."""
    if LOG in ctx.meta:
        ctx.meta[LOG].error("failed", reason=reason)
        ctx.exit(1)
    raise click.ClickException(one_line(reason)) from error


def _show_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        from importlib.metadata import version

        click.echo(f"headwise {version('headwise')}")
        ctx.exit()


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_show_version, help="Show the version."
)
def cli() -> None:
    """Turn folders of documents into passages that can be found again.

    \b
      headwise index ~/notes
      cd ~/notes && headwise search "how many pins does the motor driver need"

    Settings come from options, then variables such as HEADWISE_MAX_TOKENS, then the nearest headwise.toml or
    [tool.headwise] in pyproject.toml.
    """


def main() -> None:
    """What the command `headwise` runs: UTF-8 whatever the locale says."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    if VARIABLE in os.environ:
        use_own_shells()
    cli(prog_name="headwise")
