"""A real browser for tests, that notes whatever goes wrong in a page."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytest.importorskip("fastapi", reason="the extra `service` is not installed")

from playwright.sync_api import (
    Browser,
    BrowserContext,
    Page,
    Route,
    expect,
    sync_playwright,
)

_NAMES = ("chromium", "chromium-browser", "google-chrome")
_FLAGS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]
_WATCH = """
addEventListener("securitypolicyviolation", (event) =>
  console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`));
"""

__all__ = ["Browser", "Page", "Route", "Seen", "browser", "expect", "visit"]

expect.set_options(timeout=20_000)  # for machines that are busy


@dataclass
class Seen:
    """What happened in the pages of a context."""

    errors: list[str] = field(default_factory=list[str])
    """Errors on the console, violations of the policy, exceptions nobody caught, and dialogs."""
    asked: list[str] = field(default_factory=list[str])
    """URLs of all requests."""


@contextmanager
def browser() -> Iterator[Browser]:
    """The system's Chromium; without one the test is skipped, since nothing may be downloaded."""
    program = next(filter(None, map(shutil.which, _NAMES)), None)
    if program is None:
        pytest.skip(f"no browser: none of {', '.join(_NAMES)} is installed")
    with sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=program, args=_FLAGS)
        yield chromium
        chromium.close()


@contextmanager
def visit(chromium: Browser, base: str, *, expected: tuple[str, ...] = (), **options: Any) -> Iterator[Page]:
    """A page in a context of its own: it may ask *base* only, and nothing may go wrong but what is *expected*."""
    seen = Seen()
    settings: dict[str, Any] = {"viewport": {"width": 1280, "height": 800}, "color_scheme": "light"} | options
    context = chromium.new_context(base_url=base, **settings)
    try:
        yield _watched(context, seen)
    finally:
        context.close()
    assert [error for error in seen.errors if not any(part in error for part in expected)] == []
    assert [url for url in seen.asked if not url.startswith(f"{base}/")] == []


def _watched(context: BrowserContext, seen: Seen) -> Page:
    page = context.new_page()
    page.set_default_timeout(20_000)
    page.add_init_script(_WATCH)
    page.on("console", lambda said: seen.errors.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: seen.errors.append(str(error)))
    page.on("request", lambda request: seen.asked.append(request.url))

    def dismiss(dialog: Any) -> None:
        seen.errors.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    page.on("dialog", dismiss)
    return page
