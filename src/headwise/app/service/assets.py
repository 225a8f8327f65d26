"""The files of the page: all of them are read when the service starts, and no others are ever given."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from importlib.resources import files
from pathlib import PurePosixPath
from typing import NamedTuple

INDEX = "index.html"

_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".woff2": "font/woff2",
}


class Asset(NamedTuple):
    """A file of the page."""

    content: bytes
    media_type: str
    etag: str


def read_assets() -> Mapping[str, Asset]:
    """The files of the page by name, as far as a page has files of their kind."""
    found: dict[str, Asset] = {}
    for file in files("headwise.app").joinpath("web").iterdir():
        kind = _TYPES.get(PurePosixPath(file.name).suffix)
        if kind and file.is_file():
            content = file.read_bytes()
            found[file.name] = Asset(content, kind, f'"{blake2b(content, digest_size=12).hexdigest()}"')
    return found
