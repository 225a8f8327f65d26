"""Documents as resources: listed in pages, each read by its URI."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import quote, unquote

from headwise.app.mcp_door.answers import ReadAsked
from headwise.app.mcp_door.desk import Desk
from headwise.app.mcp_door.texts import line
from headwise.app.mcp_door.tools import read
from headwise.errors import SettingsError
from headwise.stores.store import NO_FILTERS

SCHEME = "headwise://doc/"
TEMPLATE = f"{SCHEME}{{+name}}"
PAGE = 100
"""Documents listed at a time."""
TOKENS = 20_000
"""What a resource holds at most; the tool `read` gives what is left."""


class Listed(NamedTuple):
    """A document in a list."""

    uri: str
    path: str
    title: str
    media_type: str
    tokens: int


def uri_of(path: str) -> str:
    """The URI of the document *path*."""
    return SCHEME + quote(path, safe="/", errors="surrogatepass")


def list_documents(desk: Desk, cursor: str | None) -> tuple[Sequence[Listed], str | None]:
    """A page of documents, and where the next one begins; None if there is none.

    Raises:
        SettingsError: if *cursor* comes from no earlier page.
    """
    after = _read_cursor(cursor) if cursor is not None else ("", "")
    found = desk.index.store.documents(NO_FILTERS, after, PAGE + 1)
    listed = [
        Listed(uri_of(one.path), line(one.path), line(one.title), media_type(one.path), one.tokens)
        for one in found[:PAGE]
    ]
    if len(found) <= PAGE:
        return listed, None
    last = found[PAGE - 1]
    return listed, urlsafe_b64encode(f"{last.root}\0{last.path}".encode("utf-8", "surrogatepass")).decode()


def name_of(uri: str) -> str:
    """The name, as `read` takes it, in the URI of a resource.

    Raises:
        SettingsError: if *uri* is none of ours.
    """
    if not uri.startswith(SCHEME) or uri == SCHEME:
        raise SettingsError(f"{uri[:200]} is no document here: they are {SCHEME}PATH, as resources/list shows them")
    return unquote(uri.removeprefix(SCHEME), errors="surrogatepass")


def read_document(desk: Desk, name: str) -> tuple[str, str]:
    """The text of a resource, and its media type.

    Raises:
        NotStoredError: if there is no such document.
    """
    _, answer = read(desk, ReadAsked(name=name, max_tokens=TOKENS))
    rest = f"\n\n(there is more: the tool read goes on with offset={answer.next_offset})" if answer.next_offset else ""
    return answer.text + rest, media_type(answer.path)


def media_type(path: str) -> str:
    """The media type of a document's text."""
    return "text/plain" if path.endswith(".txt") else "text/markdown"


def _read_cursor(cursor: str) -> tuple[str, str]:
    try:
        root, sign, path = urlsafe_b64decode(cursor).decode("utf-8", "surrogatepass").partition("\0")
    except (Error, ValueError):
        root, sign, path = "", "", ""
    if not sign:
        raise SettingsError("this cursor comes from no earlier page: list the resources from the beginning")
    return root, path
