"""Patterns in the syntax of `.gitignore`: which entries of a folder they name."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import cast
from unicodedata import normalize

from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern


@dataclass(frozen=True, slots=True)
class Rules:
    """The patterns of one source, and how a path relative to the root reads from its folder."""

    patterns: tuple[tuple[re.Pattern[str], bool], ...]
    """What names an entry (True) or, after a `!`, takes that back; the last that matches decides."""
    lead: str = ""
    """From the patterns' folder down to the root, with a `/` at its end, if that folder is above the root."""
    cut: int = 0
    """Characters from the root down to the patterns' folder, if that is below the root."""

    def verdict(self, path: str) -> bool | None:
        """True if the entry *path* (a folder's ends in `/`) is named, False if that is taken back, else None."""
        seen_from_here = self.lead + path[self.cut :]
        for regex, names in reversed(self.patterns):
            if regex.fullmatch(seen_from_here):
                return names
        return None


def parse_rules(lines: Iterable[str], cut: int = 0) -> Rules:
    """The patterns in *lines*, in Unicode NFC, as paths are.

    Raises:
        ValueError: if one of them is no pattern.
    """
    return _rules(map(_parse, lines), cut=cut)


def is_named(path: str, chain: tuple[Rules, ...]) -> bool:
    """Whether the last of *chain* that knows the entry *path* names it, as git decides.

    An entry of a folder that is named is not asked about: nothing brings it back.
    """
    for rules in reversed(chain):
        verdict = rules.verdict(path)
        if verdict is not None:
            return verdict
    return False


def rules_of_file(file: Path, cut: int = 0) -> Rules:
    """The patterns of the `.gitignore` called *file*; a line that is no pattern names nothing, as in git.

    Raises:
        OSError: if it cannot be read.
    """
    return _rules(_patterns_of_file(file), cut=cut)


def rules_above(root: Path) -> tuple[Rules, ...]:
    """The rules of every `.gitignore` above the folder *root* up to its repository's top, outermost first.

    Patterns that name *root* itself are left out: who asks for an ignored folder wants what is in it. Without
    a repository (a `.git`) there are none. *root* is a resolved path.

    Raises:
        OSError: if one of the files cannot be read.
    """
    upward = (root, *root.parents)
    top = next((number for number, folder in enumerate(upward) if (folder / ".git").exists()), 0)
    found: list[Rules] = []
    for folder in reversed(upward[1 : top + 1]):
        file = folder / ".gitignore"
        if file.is_file():
            lead = normalize("NFC", root.relative_to(folder).as_posix()) + "/"
            found.append(_rules((p for p in _patterns_of_file(file) if p.match_file(lead) is None), lead=lead))
    return tuple(found)


def _parse(line: str) -> GitIgnoreSpecPattern:
    line = normalize("NFC", line).rstrip("\r")
    if re.search(r"[^/]/\*\*/ *$", line):  # git means the folders below `a` by `a/**/`, pathspec `a` itself
        line = line.rstrip() + "*/"
    return GitIgnoreSpecPattern(line)


def _patterns_of_file(file: Path) -> list[GitIgnoreSpecPattern]:
    patterns: list[GitIgnoreSpecPattern] = []
    for line in file.read_bytes().decode("utf-8-sig", "replace").split("\n"):
        try:
            patterns.append(_parse(line))
        except ValueError:
            continue
    return patterns


def _rules(patterns: Iterable[GitIgnoreSpecPattern], lead: str = "", cut: int = 0) -> Rules:
    known = [(pattern.include, _entry_regex(pattern)) for pattern in patterns if pattern.include is not None]
    runs = groupby(known, key=lambda pattern: pattern[0])  # neighbours that say the same are tried in one go
    return Rules(tuple((re.compile("|".join(r for _, r in run)), bool(names)) for names, run in runs), lead, cut)


def _entry_regex(pattern: GitIgnoreSpecPattern) -> str:
    """What *pattern* says about an entry itself: pathspec's regex also takes all below a folder it names."""
    compiled = cast("re.Pattern[str]", pattern.regex)  # pyright: ignore[reportUnknownMemberType] - it may be of bytes
    regex = compiled.pattern.replace("?P<ps_d>", "?:")
    if regex == ".":  # `*`
        return "(?:.*)"
    if regex == "(?:/)":  # `*/`
        return "(?:.*/)"
    return f"(?:{regex}.+)" if regex.endswith("/") else f"(?:{regex})"  # `a/**` names all below `a/`
