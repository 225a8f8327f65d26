"""How the regions of each flavour open and close, as one table.

`opens` is matched at the start of a line; `closes` makes, for the lines of one text, what finds the last line of a
region from its first, None if nothing closes it. It is asked in the order of the lines, and looks at each line a
few times at most, however many regions are never closed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, Literal, NamedTuple

from headwise.model import Kind
from headwise.reading.lines import lines_with

Flavour = Literal["math", "obsidian", "mdx", "admonitions"]
Finder = Callable[[int], int | None]
"""From the number of a region's first line to that of its last."""


FENCES: Final = (":::", "///")
"""What the lines that open and close a container begin with."""


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

    def matches(self, pattern: re.Pattern[str], number: int) -> bool:
        """Whether *pattern* matches at the start of line *number*."""
        return pattern.match(self.text, self.starts[number], self.end(number)) is not None

    def is_verbatim(self, number: int) -> bool:
        """Whether line *number* is code or HTML."""
        return self.verbatim(self.starts[number])


class Marker(NamedTuple):
    """What opens and closes the regions of one kind."""

    flavour: Flavour
    signs: tuple[str, ...]
    """One of them stands in the first line of every such region: a cheap first look."""
    opens: re.Pattern[str]
    closes: Callable[[Lines], Finder]
    kind: Kind
    container: bool = False
    """Whether what stands between the first and last line is Markdown again."""
    indented: bool = False
    """Whether what stands below the first line is Markdown again, indented by four columns."""


def _closed_by(pattern: str, last: str) -> Callable[[Lines], Finder]:
    """The first line below that *pattern* matches, code apart; that nothing closes if it does not match *last*, too."""
    return partial(_closed_below, re.compile(pattern), re.compile(last))


def _closed_below(closing: re.Pattern[str], whole: re.Pattern[str], lines: Lines) -> Finder:
    found = -1

    def find(number: int) -> int | None:
        nonlocal found
        if found <= number:
            below = range(number + 1, len(lines.starts))
            found = next((n for n in below if lines.matches(closing, n) and not lines.is_verbatim(n)), below.stop)
        return found if found < len(lines.starts) and lines.matches(whole, found) else None

    return find


_BRACKETS: Final = re.compile(r"[()\[\]{}`]")
_HEADING: Final = re.compile(r"#{1,6}\s")
_STATEMENT: Final = re.compile(r"(?:import|export)\s")
_STATEMENT_LINES: Final = 200
"""A statement with blank lines in it is looked for so far: who never closes a bracket must not cost more."""


def _closed_by_statement(lines: Lines) -> Finder:
    """The last line before a blank one or a heading, but not while a bracket or template is open."""

    def find(number: int) -> int | None:
        depth, in_template, last = 0, False, number
        while last < min(number + _STATEMENT_LINES, len(lines.starts)):
            line = lines.line(last)
            if depth > 0 and not in_template and _STATEMENT.match(line):
                break  # the bracket is never closed
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

    return find


def _on_one_line(_lines: Lines) -> Finder:
    return lambda number: number


def _closed_by_brace(lines: Lines) -> Finder:
    """The line on which the braces close that this one opens."""
    closing = _brace_ends(lines)
    return lambda number: closing[number] if closing[number] < len(lines.starts) else None


def _brace_ends(lines: Lines) -> list[int]:
    """For each line the first, from it on, after which no more braces are open than before it."""
    count = len(lines.starts)
    ends = [count] * count
    waiting: list[tuple[int, int]] = []  # depth before a line, and its number; the depths grow
    depth = 0
    for number in range(count):
        line = lines.line(number)
        waiting.append((depth, number))
        depth += line.count("{") - line.count("}")
        while waiting and waiting[-1][0] >= depth:
            ends[waiting.pop()[1]] = number
    return ends


_TAG_PART: Final = re.compile(r"""[{}>]|"[^"]*"|'[^']*'|=>""")


def _closed_by_tag_end(lines: Lines) -> Finder:
    """The line on which the tag ends that this one opens: a `>` outside quotes and braces, no blank line before it."""
    hopeless = -1  # up to this line none ends

    def find(number: int) -> int | None:
        nonlocal hopeless
        depth = 0
        for candidate in range(number, len(lines.starts)) if number > hopeless else ():
            line = lines.line(candidate)
            hopeless = candidate
            if not line:
                return None
            for part in _TAG_PART.findall(line):
                depth += (part == "{") - (part == "}")
                if part == ">" and depth == 0:
                    return candidate
        return None

    return find


def _closed_by_fence(opening: str, closing: str) -> Callable[[Lines], Finder]:
    """The line that closes a container: that of the last one open of as many signs, else of the last one open."""
    return partial(_closed_by_pair, re.compile(opening), re.compile(closing))


def _closed_by_pair(opens: re.Pattern[str], closes: re.Pattern[str], lines: Lines) -> Finder:
    return _pair(lines, opens, closes).get


def _pair(lines: Lines, opens: re.Pattern[str], closes: re.Pattern[str]) -> dict[int, int]:
    """First line of every container to its last, those without an end left out."""
    pairs: dict[int, int] = {}
    waiting: list[tuple[int, int]] = []  # number of an opening line, and how many signs it has
    waiting_long: Counter[int] = Counter()
    for number in lines_with(FENCES, lines.text, lines.starts):
        line = lines.line(number)
        bare = line.lstrip()
        if not bare.startswith(FENCES) or lines.is_verbatim(number):
            continue
        long = len(bare) - len(bare.lstrip(bare[0]))
        if opens.match(line):
            waiting.append((number, long))
            waiting_long[long] += 1
        elif closes.fullmatch(line) and waiting:
            # those inside that are still open were never closed
            while waiting_long[long] and waiting[-1][1] != long:
                waiting_long[waiting.pop()[1]] -= 1
            begun, signs = waiting.pop()
            waiting_long[signs] -= 1
            pairs[begun] = number
    return pairs


def _indented_below(lines: Lines) -> Finder:
    """The last line of those below that are indented by four columns, blank lines between them included."""

    def find(number: int) -> int | None:
        last = number
        for candidate in range(number + 1, len(lines.starts)):
            line = lines.line(candidate)
            if line and not line.startswith(("    ", "\t")):
                break
            if line:
                last = candidate
        return last if last > number else None

    return find


# opening, closing and empty tags alone on their line: what stands between them is Markdown, blank lines or not
_TAGS: Final = r"""(?: *</?[\w.:-]*(?:[^<>"'{}\n]|"[^"\n]*"|'[^'\n]*'|\{[^{}\n]*\})*+>)++\s*$"""

# other fenced containers (`::: {.column}`) lay out a page: what stands in them are sections like any other
_NAMES: Final = (
    "abstract|admonition|attention|bug|caution|check|danger|details|error|example|failure|hint|important|info|note|"
    "question|quote|seealso|success|tab|tip|todo|warning"
)
_COLONS: Final = rf" {{0,3}}:{{3,}} ?\{{?(?:{_NAMES})\b"
_ANY_COLONS: Final = r" {0,3}:{3,} *[^\s:]"
_SLASHES: Final = rf"/{{3,}} +(?:{_NAMES})\b"

# what may follow the end of a formula on its line: an equation's label or number, the stop of its sentence
_AFTER_FORMULA: Final = r"\s*(?:\{[^{}\n]*\}|\([\w.-]+\))?[.,;:]?\s*$"

INDENTED: Final = re.compile(r"""(?:!!!|\?\?\?\+?) +[\w"']|===[!+]? +["']""")
"""The first line of an admonition or tab whose content is indented."""

MARKERS: Final = (
    Marker(
        "math", ("$$",), re.compile(r" {0,3}\$\$\s*$"), _closed_by(r".*\$\$", rf".*\$\${_AFTER_FORMULA}"),
        "math_block",
    ),
    Marker(
        "math", ("$$",), re.compile(r" {0,3}\$\$(?!.*\$\$)"),
        _closed_by(r".*\$\$|\s*$", rf".*\$\${_AFTER_FORMULA}"), "math_block",
    ),
    Marker(
        "math", (r"\[",), re.compile(r" {0,3}\\\[(?!.*\\\])(?=\s*$|.*[=^_\\&])"),
        _closed_by(r".*\\\]|\s*$", rf".*\\\]{_AFTER_FORMULA}"), "math_block",
    ),
    Marker("obsidian", ("%%",), re.compile(r" {0,3}%%(?!.*%%)"), _closed_by(".*%%", r".*?%%\s*$"), "comment"),
    Marker("mdx", ("{/*",), re.compile(r" {0,3}\{/\*.*\*/\}\s*$"), _on_one_line, "comment"),
    Marker("mdx", ("{/*",), re.compile(r" {0,3}\{/\*(?!.*\*/\})"), _closed_by(r".*\*/\}", r".*\*/\}\s*$"), "comment"),
    Marker("mdx", ("{",), re.compile(r" {0,3}\{(?!.*\}\s*$)"), _closed_by_brace, "other"),
    Marker("mdx", ("import", "export"), _STATEMENT, _closed_by_statement, "other"),
    Marker("mdx", ("<",), re.compile(_TAGS), _on_one_line, "html_block"),
    Marker(
        "mdx", ("<",), re.compile(r" {0,3}<[A-Za-z][\w.]*(?![^\n]*>\s*$)"), _closed_by_tag_end, "html_block"
    ),
    Marker(
        "admonitions", FENCES[:1], re.compile(_COLONS), _closed_by_fence(_ANY_COLONS, r" {0,3}:{3,}"),
        "admonition", container=True,
    ),
    Marker(
        "admonitions", FENCES[1:], re.compile(_SLASHES), _closed_by_fence(_SLASHES, r"/{3,}"),
        "admonition", container=True,
    ),
    Marker(
        "admonitions", ("!!!", "???", "==="), INDENTED, _indented_below, "admonition",
        indented=True,
    ),
)  # fmt: skip
