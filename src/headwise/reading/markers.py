"""How the regions of each flavour open and close, as one table.

`opens` is matched at the start of a line; `closes` finds the last line of a region from its first, None if nothing
closes it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final, Literal, NamedTuple

from headwise.model import Kind

Flavour = Literal["math", "obsidian", "mdx", "admonitions"]


class Lines(NamedTuple):
    """The lines of a text, and which of them are code or HTML by a first parse."""

    text: str
    starts: Sequence[int]
    verbatim: Callable[[int], bool]
    """Whether the line that begins at a position is code or HTML."""

    def end(self, number: int) -> int:
        """Where line *number* (from 0) ends, its newline included."""
        return self.starts[number + 1] if number + 1 < len(self.starts) else len(self.text)

    def line(self, number: int) -> str:
        """Line *number* (from 0) without white space at its end."""
        return self.text[self.starts[number] : self.end(number)].rstrip()


class Marker(NamedTuple):
    """What opens and closes the regions of one kind."""

    flavour: Flavour
    signs: tuple[str, ...]
    """One of them stands in every text that has such a region: a cheap first look."""
    opens: re.Pattern[str]
    closes: Callable[[Lines, int], int | None]
    kind: Kind
    container: bool = False
    """Whether what stands between the first and last line is Markdown again."""


def _closed_by(pattern: str) -> Callable[[Lines, int], int | None]:
    """The first line below that *pattern* matches."""
    closing = re.compile(pattern)

    def find(lines: Lines, number: int) -> int | None:
        for candidate in range(number + 1, len(lines.starts)):
            if closing.match(lines.text, lines.starts[candidate], lines.end(candidate)):
                return candidate
        return None

    return find


_BRACKETS: Final = re.compile(r"[()\[\]{}`]")
_HEADING: Final = re.compile(r"#{1,6}\s")
_STATEMENT: Final = re.compile(r"(?:import|export)\s")
_STATEMENT_LINES: Final = 200
"""A statement with blank lines in it is looked for so far: who never closes a bracket must not cost more."""


def _closed_by_statement(lines: Lines, number: int) -> int | None:
    """The last line before a blank one or a heading, but not while a bracket or template is open."""
    depth, in_template, last = 0, False, number
    while last < min(number + _STATEMENT_LINES, len(lines.starts)):
        line = lines.line(last)
        if last > number and not in_template and _STATEMENT.match(line):
            break
        for sign in _BRACKETS.findall(line):
            in_template ^= sign == "`"
            if not in_template:
                depth += (sign in "([{") - (sign in ")]}")
        below = lines.line(last + 1) if last + 1 < len(lines.starts) else ""
        if depth <= 0 and not in_template and (not below or _HEADING.match(below)):
            return last
        last += 1
    while number + 1 < len(lines.starts) and lines.line(number + 1):
        number += 1
    return number


def _on_one_line(_lines: Lines, number: int) -> int | None:
    return number


def _closed_by_brace(lines: Lines, number: int) -> int | None:
    """The line on which the brace closes that this one opens; a comment's braces do not count."""
    if lines.line(number).lstrip().startswith("{/*"):
        return number if lines.line(number).endswith("*/}") else _closed_by(r".*\*/\}")(lines, number)
    depth = 0
    for candidate in range(number, len(lines.starts)):
        line = lines.line(candidate)
        depth += line.count("{") - line.count("}")
        if depth <= 0:
            return candidate
    return None


_TAG_PART: Final = re.compile(r"""[{}>]|"[^"]*"|'[^']*'|=>""")


def _closed_by_tag_end(lines: Lines, number: int) -> int | None:
    """The line on which the tag ends that this one opens: a `>` outside quotes and braces."""
    depth = 0
    for candidate in range(number, len(lines.starts)):
        line = lines.line(candidate)
        if not line:
            return None
        for part in _TAG_PART.findall(line):
            depth += (part == "{") - (part == "}")
            if part == ">" and depth == 0:
                return candidate
    return None


def _closed_by_fence(opening: str, closing: str) -> Callable[[Lines, int], int | None]:
    """The line that closes a container, those that open and close inside it counted."""
    opens, closes = re.compile(opening), re.compile(closing)

    def find(lines: Lines, number: int) -> int | None:
        depth = 1
        for candidate in range(number + 1, len(lines.starts)):
            if lines.verbatim(lines.starts[candidate]):
                continue
            line = lines.line(candidate)
            depth += 1 if opens.match(line) else -1 if closes.fullmatch(line) else 0
            if depth == 0:
                return candidate
        return None

    return find


def _indented_below(lines: Lines, number: int) -> int | None:
    """The last line of those below that are indented by four columns, blank lines between them included."""
    last = number
    for candidate in range(number + 1, len(lines.starts)):
        line = lines.line(candidate)
        if line and not line.startswith(("    ", "\t")):
            break
        if line:
            last = candidate
    return last if last > number else None


# opening, closing and empty tags alone on their line: what stands between them is Markdown, blank lines or not
_TAGS: Final = r"""(?: *</?[\w.:-]*(?:[^<>"'{}\n]|"[^"\n]*"|'[^'\n]*'|\{[^{}\n]*\})*+>)++\s*$"""

# other fenced containers (`::: {.column}`) lay out a page: what stands in them are sections like any other
_NAMES: Final = (
    "abstract|admonition|attention|bug|caution|check|danger|details|error|example|failure|hint|important|info|note|"
    "question|quote|seealso|success|tab|tip|todo|warning"
)
_COLONS: Final = rf" {{0,3}}:{{3,}} ?\{{?(?:{_NAMES})\b"
_SLASHES: Final = rf"/{{3,}} +(?:{_NAMES})\b"

MARKERS: Final = (
    Marker(
        "math", ("$$",), re.compile(r" {0,3}\$\$(?!.*\$\$)"), _closed_by(r".*\$\$\s*$"), "math_block"
    ),
    Marker("obsidian", ("%%",), re.compile(r" {0,3}%%(?!.*%%)"), _closed_by(".*%%"), "comment"),
    Marker("mdx", ("{/*",), re.compile(r" {0,3}\{/\*"), _closed_by_brace, "comment"),
    Marker("mdx", ("{",), re.compile(r" {0,3}\{(?!.*\}\s*$)"), _closed_by_brace, "other"),
    Marker("mdx", ("import", "export"), _STATEMENT, _closed_by_statement, "other"),
    Marker("mdx", ("<",), re.compile(_TAGS), _on_one_line, "html_block"),
    Marker(
        "mdx", ("<",), re.compile(r" {0,3}<[A-Za-z][\w.]*(?![^\n]*>\s*$)"), _closed_by_tag_end, "html_block"
    ),
    Marker(
        "admonitions", (":::",), re.compile(_COLONS), _closed_by_fence(_COLONS, r" {0,3}:{3,}"),
        "admonition", container=True,
    ),
    Marker(
        "admonitions", ("/// ", "//// "), re.compile(_SLASHES), _closed_by_fence(_SLASHES, r"/{3,}"),
        "admonition", container=True,
    ),
    Marker(
        "admonitions", ("!!! ", "??? ", "???+ ", "=== ", "===! ", "===+ "),
        re.compile(r"""(?:!!!|\?\?\?\+?) +[\w"']|===[!+]? +["']"""), _indented_below, "admonition",
    ),
)  # fmt: skip
