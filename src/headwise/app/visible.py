"""Text from documents and names of files, made safe to show: nothing in them steers a terminal or breaks a line."""

from __future__ import annotations

import re

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_BREAK = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def visible(text: str) -> str:
    """*text* with LF newlines, and with control characters other than newline and tab as their numbers."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROL.sub(_number, text)


def one_line(text: str) -> str:
    """*text*, such as a path, on one line: whatever would end the line stands as its number too."""
    return _BREAK.sub(_number, text)


def _number(found: re.Match[str]) -> str:
    return f"\\x{ord(found[0]):02x}"
