"""`headwise completion`: what a shell has to read to complete commands, options and names."""

from __future__ import annotations

import click

from headwise.app import options
from headwise.app.completion import SHELLS, script


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
@options.as_json
@click.pass_context
def completion(context: click.Context, shell: str, as_json: bool) -> None:
    """Print what a shell has to read to complete headwise.

    Then the Tab key completes commands, options and files, and out of the nearest store the documents of `get` and
    `related`, their sections behind a #, and the tags and paths of `search`.

    \b
      echo 'eval "$(headwise completion bash)"' >> ~/.bashrc
      echo 'eval "$(headwise completion zsh)"' >> ~/.zshrc        # after compinit
      headwise completion fish > ~/.config/fish/completions/headwise.fish
    """
    text = script(shell, context.find_root().command)
    if as_json:
        from headwise.app.output import write_json

        write_json({"shell": shell, "script": text})
    else:
        click.echo(text, nl=False)
