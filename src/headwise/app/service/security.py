"""Who may ask: the token, names that lead to this machine only, and pages of others that may not ask at all."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from hmac import compare_digest
from ipaddress import ip_address

from headwise.app.service.problems import Problem
from headwise.errors import SettingsError

TOKEN = "HEADWISE_TOKEN"  # noqa: S105 - the name of a variable
"""The variable with the token: it is no setting, so that it is in no file."""

_LEAST = 16
_TOKEN = re.compile(r"[A-Za-z0-9._~+/=-]+")  # what RFC 6750 lets a bearer token hold
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[^:\[\]]+)(?::\d{1,5})?", re.IGNORECASE)


def read_token(host: str, environ: Mapping[str, str] = os.environ) -> str | None:
    """The token that requests need; None if they need none.

    Raises:
        SettingsError: if there is none although *host* can be reached from elsewhere, or if it is too weak.
    """
    token = environ.get(TOKEN) or None
    if token is None:
        if is_loopback(host):
            return None
        raise SettingsError(
            f"{host} can be reached from other machines: set {TOKEN} to a secret of at least {_LEAST} characters, "
            "which requests then need, or stay with 127.0.0.1"
        )
    if len(token) < _LEAST or not _TOKEN.fullmatch(token):
        raise SettingsError(f"{TOKEN} must be at least {_LEAST} letters, digits or signs of ._~+/=-, without spaces")
    return token


def is_loopback(host: str) -> bool:
    """Whether what is bound to *host* can be reached from this machine only."""
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def refusal(token: str | None, path: str, method: str, headers: Mapping[str, str]) -> Problem | None:
    """Why a request is not answered; None if it is.

    Without a token, the names by which the service is asked for have to be this machine's: a page of somebody else
    could otherwise ask by a name of its own that it has lead here (DNS rebinding). With a token, names do not
    matter: no other page knows the token.

    Args:
        token: What requests need; None if nothing.
        path: The path asked for.
        method: The method, in capitals.
        headers: By name in small letters.
    """
    if token is None:
        if not _names_this_machine(headers.get("host", "")):
            detail = f"asked for by a name that is not this machine's; use 127.0.0.1, or set {TOKEN}"
            return Problem(403, detail, "host")
        if method not in {"GET", "HEAD"} and headers.get("sec-fetch-site", "none") not in {"same-origin", "none"}:
            return Problem(403, "pages of other sites may change nothing here", "origin")
        return None
    if path == "/" or path.startswith("/assets/"):
        return None
    scheme, _, given = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and compare_digest(given.strip().encode("utf-8", "surrogatepass"), token.encode()):
        return None
    detail = f"send the token: Authorization: Bearer, and what {TOKEN} is where the service runs"
    return Problem(401, detail, "token", headers={"WWW-Authenticate": 'Bearer realm="headwise"'})


def _names_this_machine(host: str) -> bool:
    found = _HOST.fullmatch(host)
    return found is not None and is_loopback(found[1])
