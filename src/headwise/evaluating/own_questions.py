"""Questions that the user wrote, read from a file and checked against the documents."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher, get_close_matches
from pathlib import Path

from headwise.errors import SettingsError
from headwise.evaluating.link_questions import find_section
from headwise.evaluating.metrics import Place
from headwise.evaluating.question_file import read_rows
from headwise.evaluating.questions import Question, overlap
from headwise.evaluating.sources import Source
from headwise.reading.lines import line_number

_LINES = re.compile(r"\s*(\d{1,9})\s*(?:-\s*(\d{1,9}))?\s*")
_LONG = 60


def own_questions(file: Path, sources: Sequence[Source]) -> tuple[Question, ...]:
    """The questions of *file*: `.jsonl`, `.csv` with a header, or `.yaml` with a list.

    Each has `question` and `path`, and what answers: `quote` (text as it stands there, white space aside; inside
    `heading`, if that is given too), else `lines` (`12` or `12-15`), else `heading` (its own text), else the document.

    Raises:
        ReadingError: if *file* cannot be read.
        SettingsError: if one of them cannot be understood or its answer is not there, with file and line.
    """
    by_path = {source.path: source for source in sources}
    found = tuple(_question(f"{file}:{line}", row, by_path) for line, row in read_rows(file))
    if not found:
        raise SettingsError(f"{file}: there is no question in it")
    return found


def _question(where: str, row: Mapping[str, str], sources: Mapping[str, Source]) -> Question:
    source = sources.get(row["path"])
    if source is None:
        near = get_close_matches(row["path"], sources, 3, 0.4)
        hint = f"; near are {', '.join(near)}" if near else ""
        raise SettingsError(f"{where}: there is no document {row['path']!r} in the folder{hint}")
    within, heading = source.body(), ""
    if row.get("heading"):
        within, heading = _section(where, row["heading"], source)
    place = within
    if row.get("quote"):
        place = _quoted(where, row["quote"], source, within)
    elif row.get("lines"):
        place = _lines(where, row["lines"], source)
    if place.start >= place.end:
        raise SettingsError(f"{where}: there is no text in {heading or row['path']!r}")
    return Question("own", row["question"], ((place,),), (), overlap(row["question"], heading), heading)


def _section(where: str, wanted: str, source: Source) -> tuple[Place, str]:
    """What the section says by itself; an anchor or a trail of titles (`A > B`) tells sections of one title apart."""
    titles = [part.strip() for part in wanted.lstrip("#").split(" > ")]
    found = [at for at in range(len(source.sections)) if _trail(source, at)[-len(titles) :] == titles]
    if len(found) == 1:
        section = source.sections[found[0]]
    elif found:
        lines = source.tree.lines
        places = ", ".join(
            f"line {line_number(lines, source.sections[at].start)} (#{source.sections[at].anchor})" for at in found
        )
        raise SettingsError(f"{where}: {wanted!r} is {len(found)} headings of {source.path}: {places}; name the anchor")
    else:
        section = find_section(source.sections, wanted.lstrip("#"))
    if section is None:
        near = get_close_matches(wanted, [one.title for one in source.sections], 3, 0.4)
        hint = f"; near are {', '.join(map(repr, near))}" if near else ""
        raise SettingsError(f"{where}: {source.path} has no heading {wanted!r}{hint}")
    return source.own(section), section.title


def _trail(source: Source, at: int) -> list[str]:
    trail: list[str] = []
    while at >= 0:
        trail.insert(0, source.sections[at].title)
        at = source.sections[at].parent
    return trail


def _quoted(where: str, quote: str, source: Source, within: Place) -> Place:
    pattern = r"\s+".join(map(re.escape, quote.split()))
    found = re.compile(pattern).search(source.document.text, within.start, within.end)
    if found:
        return Place(source.path, found.start(), found.end())
    text = source.text_of(within)
    same = SequenceMatcher(None, text, quote, autojunk=False).find_longest_match()
    shown = " ".join(text[max(0, same.a - same.b) :][:_LONG].split())
    line = line_number(source.tree.lines, within.start + same.a)
    raise SettingsError(f"{where}: the quote is not in {source.path}; nearest is line {line}: {shown!r}")


def _lines(where: str, wanted: str, source: Source) -> Place:
    starts = source.tree.lines
    read = _LINES.fullmatch(wanted)
    if not read:
        raise SettingsError(f"{where}: lines is {wanted!r}; give 12 or 12-15")
    first, last = int(read[1]), int(read[2] or read[1])
    if not 1 <= first <= last <= len(starts):
        raise SettingsError(f"{where}: lines is {wanted!r}; {source.path} has lines 1-{len(starts)}")
    return source.trimmed(starts[first - 1], starts[last] if last < len(starts) else len(source.document.text))
