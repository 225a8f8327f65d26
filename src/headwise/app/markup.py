"""Text from documents and names of files as HTML: always text, whatever it holds."""

from __future__ import annotations

import re
from html import escape

from headwise.app.visible import one_line
from headwise.model import plain

# A reference such as &#7; does not name these, and browsers show nothing for them: they stay, with a mark before them.
_CONTROL = re.compile(r"[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_UNWRITABLE = re.compile("[\x00\ud800-\udfff]")


def bare_html(text: str) -> str:
    """*text* with LF newlines and no element in it; what HTML cannot hold, NUL and lone surrogates, as U+FFFD."""
    return escape(_UNWRITABLE.sub("\ufffd", plain(text, 0, ())))


def text_html(text: str) -> str:
    """*text* with LF newlines, its control characters marked by their numbers."""
    return _CONTROL.sub(
        lambda found: f'<span class="control" data-code="x{ord(found[0]):02x}">{found[0]}</span>', bare_html(text)
    )


def line_html(text: str) -> str:
    """A name, which may be in any script, on one line, and kept from turning around what stands beside it."""
    return f'<bdi lang="">{text_html(one_line(text))}</bdi>'


def id_html(text: str) -> str:
    """An id, whose parts keep their order whatever script each is in."""
    return "".join(part if part in set("/#:") else line_html(part) for part in re.split("([/#:])", text) if part)
