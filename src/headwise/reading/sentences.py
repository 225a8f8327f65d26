"""Where sentences, clauses and words begin.

Each function gives the offsets inside a span where a new one starts, after the white space that separates it
from the one before; none of them lies inside an atom (inline code, a link, a formula).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import sentencex

from headwise.model import Span

# a native module without stubs
_boundaries: Final[Callable[[str, str], list[dict[str, Any]]]] = getattr(sentencex, "get_sentence_boundaries")  # noqa: B009

_SURROGATE: Final = re.compile("[\ud800-\udfff]")

_SCRIPTS: Final = (
    ("ja", re.compile("[\u3040-\u30ff]")),
    ("zh", re.compile("[\u3400-\u9fff]")),
    ("ko", re.compile("[\uac00-\ud7af]")),
    ("ar", re.compile("[\u0600-\u06ff]")),
    ("hi", re.compile("[\u0900-\u097f]")),
    ("ru", re.compile("[\u0400-\u04ff]")),
)
_WIDE_STOP: Final = "。！？｡…」』）”’؟।॥۔።։"
_CLAUSE: Final = re.compile(
    r"(?<=[,;:—–،؛])\s+(?=\S)|(?<=[，、；：—])(?=[^\s，、；：—])"
    r"|(?<![ \t])[ \t]*(?:\r\n?|\n)(?=[^\r\n])|(?<=\s)\|(?=\s)"
)
# what sentencex takes for an end and is none: an abbreviation before what it belongs to, an ordinal number, and a
# Japanese quotation that its sentence goes on after
_ABBREVIATION: Final = re.compile(
    r"(?<!\w)(?:approx|vols?|abb|kap|vgl|bzw|ggf|evtl|inkl|zzgl|sog|bspw|hrsg|т\. ?е|т\. ?к|डॉ|श्री|د|أ)\.\s*\Z",
    re.IGNORECASE,
)
_LONGEST_ABBREVIATION: Final = 12
_ORDINAL: Final = re.compile(r"(?<!\w)(?:[0-9]{1,2}|[IVX]+)\.[ \u00a0]\Z")
_NAMES_AFTER_ORDINAL: Final = re.compile(
    r"[^\W\d_A-ZÄÖÜА-Я]|(?:Januar|Jänner|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember"
    r"|Jahrhundert|Jh|Kapitel|Auflage|Geburtstag)(?!\w)"
)
_GOES_ON: Final = re.compile(r"[」』”](?:と|って|という|との|の|を|は|が|に|も|など)")
_LONGEST_PREFIX: Final = 64
"""Characters of a line's `> > ` looked at: a longer run is text like any other, so that time stays linear."""

# begun only where white space begins: tried at every place of a long run, it would take quadratic time
_WORD: Final = re.compile(r"(?<!\s)\s+")


def sentence_starts(text: str, start: int, end: int, atoms: Sequence[Span]) -> list[int]:
    """Starts of the sentences between *start* and *end*, without *start* itself.

    By sentencex, a rule-based splitter for some 300 languages; the language is told by the script. Its cuts
    inside a word (`.NET`) are refused. A sentence that begins after nothing but a quote's `> ` or indentation
    begins at its line.
    """
    part = _SURROGATE.sub("\ufffd", text[start:end])
    found: list[int] = []
    at = start
    for boundary in _boundaries(_language(part), part):
        at = max(at, start + boundary["end_index"])
        while at < end and text[at].isspace():
            at += 1
        apart = start < at < end and (text[at - 1].isspace() or text[at - 1] in _WIDE_STOP)
        if apart and not _goes_on(text, start, at):
            found.append(_at_line_start(text, start, at))
    return _outside((at for at in sorted(set(found)) if at > start), atoms, start)


def clause_starts(text: str, start: int, end: int, atoms: Sequence[Span]) -> list[int]:
    """Starts of clauses (after a comma, colon or dash), of lines, and of table cells, without *start* itself."""
    found = (
        _at_line_start(text, start, m.end()) if m[0][:1] != "|" else m.start()
        for m in _CLAUSE.finditer(text, start, end)
    )
    return _outside((at for at in found if start < at < end), atoms, start)


def word_starts(text: str, start: int, end: int, atoms: Sequence[Span]) -> list[int]:
    """Starts of the words between white space, without *start* itself."""
    found = (_at_line_start(text, start, m.end()) for m in _WORD.finditer(text, start, end))
    return _outside((at for at in found if start < at < end), atoms, start)


def word_starts_anywhere(text: str, start: int, end: int, _atoms: Sequence[Span]) -> list[int]:
    """Starts of words, those inside atoms too: for an atom that does not fit whole."""
    return word_starts(text, start, end, ())


def _goes_on(text: str, start: int, at: int) -> bool:
    """Whether the sentence before *at* goes on there, whatever its last sign looks like."""
    before = text[max(start, at - _LONGEST_ABBREVIATION) : at]
    if _ABBREVIATION.search(before):
        return True
    if _ORDINAL.search(before) and _NAMES_AFTER_ORDINAL.match(text, at):
        return True
    return _GOES_ON.match(text, at - 1) is not None


def _outside(positions: Iterable[int], atoms: Sequence[Span], start: int) -> list[int]:
    if not atoms:
        return list(dict.fromkeys(positions))
    at = max(bisect_right(atoms, (start,)) - 1, 0)
    kept: list[int] = []
    for position in positions:
        while at < len(atoms) and atoms[at].end <= position:
            at += 1
        inside = at < len(atoms) and atoms[at].start < position
        if not inside and (not kept or position > kept[-1]):
            kept.append(position)
    return kept


def _at_line_start(text: str, start: int, at: int) -> int:
    """*at*, or the start of its line if only a quote's prefix or indentation lies between."""
    begun = at
    low = max(start, at - _LONGEST_PREFIX)
    while begun > low and text[begun - 1] in " \t>":
        begun -= 1
    return begun if begun == 0 or text[begun - 1] in "\r\n" else at


def _language(text: str) -> str:
    """The language whose rules suit *text*, by its script; English for everything else."""
    head = text[:2000]
    return next((language for language, script in _SCRIPTS if script.search(head)), "en")
