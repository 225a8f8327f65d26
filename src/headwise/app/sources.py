"""Documents from the paths on a command line, and what is said about those that cannot be read."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path

import click

from headwise.app.visible import one_line
from headwise.chunking.settings import Settings
from headwise.chunking.split import Analysis, analyse
from headwise.errors import ReadingError
from headwise.indexing.documents import read_document
from headwise.indexing.files import FileOptions, Problem, find_paths
from headwise.model import Document
from headwise.reading.decode import decode

STDIN = "-"


def read_paths(paths: Sequence[str], options: FileOptions) -> Iterator[Document | Problem]:
    """The documents at *paths*, read one by one, and the problems with those that cannot be.

    Raises:
        ReadingError: if one of *paths* is missing or cannot be read, before any document is.
    """
    if list(paths) == [STDIN]:
        yield _read_stdin()
        return
    if STDIN in paths:
        raise click.UsageError("`-` (stdin) cannot be mixed with other paths.")
    found = find_paths([Path(path) for path in paths], options)
    yield from found.problems
    for file in found.files:
        try:
            yield read_document(file)
        except ReadingError as error:
            yield Problem(file.path, str(error).removeprefix(f"{file.path}: "), unknown=True)


def cut(document: Document, settings: Settings) -> Analysis:
    """*document*, cut; stdin has no name to take a title from."""
    return analyse(
        document.text,
        settings=settings,
        path="" if document.path == STDIN else document.path,
        document_format=document.format,
        obsidian=document.obsidian,
    )


def start_of(paths: Sequence[str]) -> Path:
    """Where to look for settings: the first of *paths*, or here."""
    return Path(paths[0]) if paths and paths[0] != STDIN else Path()


def say(path: str, what: str) -> None:
    """Tell people on stderr what is to be said about *path*, in one line."""
    click.echo(one_line(f"{path}: {what}"), err=True)


def _read_stdin() -> Document:
    data = sys.stdin.buffer.read()
    try:
        text, warnings = decode(data)
    except ReadingError as error:
        raise ReadingError(f"{STDIN}: {error}") from error
    return Document(
        path=STDIN,
        text=text,
        format="markdown",
        content_hash=blake2b(data, digest_size=16).hexdigest(),
        mtime_ns=0,
        size=len(data),
        inode=0,
        ctime_ns=0,
        warnings=warnings,
    )
