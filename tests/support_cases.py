"""The shared cases, read in place: inputs from real reports, and what is right for each."""

from __future__ import annotations

import base64
import json
from functools import cache
from typing import Any

from laws import laws
from shared import shared

from headwise import Chunk, Settings
from headwise.chunking.split import Analysis
from headwise.reading.decode import decode


@cache
def case(slug: str) -> dict[str, Any]:
    """The case with this slug; skips the test if the cases are not here."""
    (file,) = shared("cases").glob(f"[0-9][0-9][0-9]-{slug}.json")
    return json.loads(file.read_text("utf-8"))


def text_of(slug: str) -> str:
    """The one document of a case."""
    data = case(slug)
    return data["input"] if "input" in data else eval(data["input_python"])  # noqa: S307 - our own cases


def bytes_of(slug: str) -> dict[str, bytes]:
    """Name → content of the files of a case."""
    files = case(slug)["files"]
    return {n: base64.b64decode(c["b64"]) if isinstance(c, dict) else c.encode() for n, c in files.items()}


def texts_of(slug: str) -> dict[str, str]:
    """Name → text of the files of a case."""
    return {name: decode(data)[0] for name, data in bytes_of(slug).items()}


def settings_of(slug: str, **changes: Any) -> Settings:
    """The settings a case asks for, with *changes*."""
    given = case(slug).get("settings", {})
    named = {k: given[k] for k in ("max_tokens", "overlap") if isinstance(given, dict) and k in given}
    return Settings(**{"max_tokens": 400, "min_tokens": 0, **named, **changes})


def cut(slug: str, text: str | None = None, *, flavours: str = "auto", path: str = "", **changes: Any) -> Analysis:
    """The case's document (or *text*) cut as the case asks, with every law asserted."""
    text = text_of(slug) if text is None else text
    return laws(text, settings_of(slug, **changes), flavours=flavours, path=path)


def holding(made: Analysis, text: str) -> Chunk:
    """The one chunk whose own text holds *text* whole."""
    found = [c for c in made.chunks if text in c.text[c.own_start - c.start :]]
    assert len(found) == 1, (text, [c.text for c in found])
    return found[0]


def trail(made: Analysis, text: str) -> list[str]:
    """The trail of the one chunk that holds *text*."""
    return list(holding(made, text).headings)


def titles(made: Analysis) -> list[str]:
    """The titles of all sections, in order."""
    return [section.title for section in made.sections]
