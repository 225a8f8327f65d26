"""The properties at the head of a document: where they end and what they say."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from headwise.model import FrontMatter
from headwise.reading.properties import PropertiesError, read_scalar, read_toml, read_yaml

_OPENING = re.compile(r"\ufeff?(---|\+\+\+)[ \t]*(?:\r\n?|\n)")
_CLOSING = {
    "---": re.compile(r"(?<=[\r\n])(?:---|\.\.\.)[ \t]*(?:\r\n?|\n|\Z)"),
    "+++": re.compile(r"(?<=[\r\n])\+\+\+[ \t]*(?:\r\n?|\n|\Z)"),
}
_SURROGATE = re.compile("[\ud800-\udfff]")
_NEWLINE = re.compile(r"\r\n?|\n")
# A plain key cannot begin with one of YAML's indicators.
_PROPERTY = re.compile(
    r"""[ \t]*(?:"[^"]{1,64}"|'[^']{1,64}'|[^\s:#"'\-?,\[\]{}&*!|>%@`][^:]{0,63}):(?:\s|$)|\{(?![{%])"""
)
_COMMENT = re.compile(r"[ \t]*#[ \t#]*")
_TEMPLATE = re.compile(r"[ \t]*(?:<%|\{\{|\{%)")
_CONTINUED = re.compile(r"[\s#\-\]}]")
_SIMPLE = re.compile(r"(title|tags?|alias(?:es)?|headwise)[ \t]*(?::(?=\s|$)|=)[ \t]*(.*)")
_ITEM = re.compile(r"[ \t]*-[ \t]+(.*)")
_QUOTED = re.compile(r"""(["'])(.*)\1""")


def read_front_matter(text: str) -> FrontMatter:
    """The properties at the very start of *text*, after a byte order mark (U+FEFF) if there is one.

    YAML stands between a line `---` and the next line `---` or `...`, TOML between two lines `+++`; blanks may
    follow them. Without a closing line there is no front matter.

    As `---` is also a rule, a block of YAML must look like properties, or it is text: its first line that is not
    blank is `key: …`. Comments and template tags (`<% %>`, `{{ }}`, `{% %}`) may come before that line if the
    first line is not blank (after a blank line, `# x` is a heading). A block with nothing but blank lines, tags,
    and comments like `# key: …` is front matter too. A block that is not valid YAML and holds a paragraph after
    a blank line is text: its closing line was forgotten.

    What cannot be parsed, or is over 64 KiB, is front matter with a warning. Of it, `title`, `tags`, `aliases`
    (`tag`, `alias`) and `headwise` are still taken where they are a plain line `key: value`: the value is all
    the rest of the line (`title: Budget: second draft`), a list in brackets, or the `- item` lines below it.

    Values are JSON's; dates and whatever else JSON lacks are text, keys too. Never raises.
    """
    begin = int(text.startswith("\ufeff"))
    opening = _OPENING.match(text)
    closing = opening and _CLOSING[opening[1]].search(text)
    if not opening or not closing:
        return FrontMatter(end=begin)
    block = _SURROGATE.sub("\ufffd", text[opening.end() : closing.start()])
    if opening[1] == "+++":
        return _read(block, closing.end(), read_toml)
    if not _looks_like_properties(_NEWLINE.split(block)):
        return FrontMatter(end=begin)
    found = _read(block, closing.end(), read_yaml)
    return FrontMatter(end=begin) if found.warning and _has_paragraph(_NEWLINE.split(block)) else found


def _read(block: str, end: int, read: Callable[[str], dict[str, Any]]) -> FrontMatter:
    try:
        return FrontMatter(end, read(block))
    except PropertiesError as error:
        where = "" if error.line is None else f"line {error.line + 1}: "  # line 1 is the opening line
        return FrontMatter(end, _simple_properties(_NEWLINE.split(block)), f"front matter: {where}{error.reason}")


def _looks_like_properties(lines: list[str]) -> bool:
    blank_first = not lines[0].strip()
    headings = False
    for line in lines:
        comment = _COMMENT.match(line)
        if not line.strip() or (_TEMPLATE.match(line) and not blank_first):
            continue
        if comment and not blank_first:
            headings |= not _PROPERTY.match(line, comment.end())
        else:
            return _PROPERTY.match(line) is not None
    return not headings


def _has_paragraph(lines: list[str]) -> bool:
    """Whether a line at the margin that can belong to no property follows a blank one."""
    return any(
        line and not before.strip() and not any(p.match(line) for p in (_CONTINUED, _PROPERTY, _TEMPLATE))
        for before, line in pairwise(lines)
    )


def _simple_properties(lines: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for number, line in enumerate(lines):
        simple = _SIMPLE.match(line)
        if not simple:
            continue
        name, value = simple[1], simple[2].strip()
        if not value:
            found[name] = _items(lines, number + 1)
        elif value.startswith("[") and value.endswith("]") and not value.startswith("[["):
            found[name] = [_unquoted(part) for part in value[1:-1].split(",")]
        else:
            found[name] = _unquoted(value)
    return found


def _items(lines: list[str], number: int) -> list[Any] | None:
    items: list[Any] = []
    while number < len(lines) and (item := _ITEM.fullmatch(lines[number])):
        items.append(_unquoted(item[1]))
        number += 1
    return items or None


def _unquoted(value: str) -> Any:
    quoted = _QUOTED.fullmatch(value.strip())
    return quoted[2] if quoted else read_scalar(value.strip())
