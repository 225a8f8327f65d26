"""A file that is there whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from headwise.errors import ExportError


@contextmanager
def written(path: Path) -> Generator[BinaryIO]:
    """A file to write, which takes the place of *path* when the block ends; after an error *path* is as it was.

    Raises:
        ExportError: if *path* is something else than a file, or its folder is missing or cannot be written.
    """
    path = path.expanduser().resolve()
    if path.exists() and not path.is_file():
        raise ExportError(f"{path}: is not a file; name another")
    half = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        file = half.open("xb")
    except OSError as error:
        raise ExportError(f"{path}: cannot be written ({error.strerror})") from error
    try:
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        half.replace(path)
    except OSError as error:
        raise ExportError(f"{path}: cannot be written ({error.strerror}); nothing was changed") from error
    finally:
        half.unlink(missing_ok=True)
