"""Where sentences, clauses and words begin.

Each function gives the offsets inside a span where a new one starts, after the white space that separates it
from the one before; none of them lies inside an atom (inline code, a link, a formula). The rules are the same for
every language: what the signs of a script mean does not depend on knowing the language, and a text may mix them.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Final

import regex

from headwise.model import Spans
from headwise.reading.abbreviations import LONGEST, goes_on

# what closes a sentence's quotation or bracket, or hangs on its stop: emphasis, direction marks, emoji, footnotes
_SHUT: Final = (
    "\"'”’»›)\\]}*_~」』）】〕〗》〉｣\u200b-\u200f\u061c\u202a-\u202e\u2060\u2066-\u2069"
    "\ufe0f\u2600-\u27bf\U0001f000-\U0001faff"
)
_STOPS: Final = ".!?…‥‼⁇⁈⁉"
"""Stops that white space must follow."""
_WIDE: Final = "。！？｡．؟۔।॥။។៕៚།༎։።፧፨"
"""Stops that need none."""
_STOP: Final = re.compile(
    # a run of stops is begun once, so that time stays linear; first a set of characters, which is found fast
    rf"[{_STOPS}{_WIDE}](?<![{_STOPS}{_WIDE}][{_STOPS}{_WIDE}])[{_STOPS}{_WIDE}]*+"
    rf"(?:(?<=[{_WIDE}])(?:[ ]?[0-9०-९]{{1,4}}[ ]?॥+|[ ]*[།༎])*+(?P<wide>[{_SHUT}]*+)\s*+"
    rf"|(?<=[\u3040-\u9fff][!?])(?=[\u3040-\u9fff])"
    # a quotation may end with what opens one in another language: „…“, »…«; and French puts a space before
    rf"|(?P<tail>(?:[{_SHUT}“‘«‹]|\[\^?\w{{1,6}}\]|[ \u00a0\u202f]»(?=\s))*+)\s++)"
)
_GREEK: Final = re.compile(r"[;\u037e](?<=[\u0370-\u03ff\u1f00-\u1fff].)\s+")
# in Thai and Lao, a space between two stretches of letters ends a sentence, or at least a thought, unless a word
# follows that only joins: and, or, but, which, that, for, by, such as
_THAI: Final = (
    "\u0e01-\u0e2e\u0e30-\u0e3a\u0e40-\u0e45\u0e47-\u0e4e\u0e81-\u0eae\u0eb0-\u0ec4\u0ec8-\u0ecd\u0edc-\u0edf"
)
_SPACED: Final = re.compile(
    rf"[ ](?<=[{_THAI}]{{6}}[ ])[ ]*+(?=[{_THAI}]{{6}})"
    "(?!และ|หรือ|แต่|ซึ่ง|ที่|โดย|เพื่อ|ว่า|คือ|เช่น|ได้แก่|จึง|ແລະ|ຫຼື|ແຕ່|ເຊິ່ງ|ທີ່|ໂດຍ|ເພື່ອ|ວ່າ|ຄື|ເຊັ່ນ)"
)
_OPENING: Final = re.compile(r"[>\s\"'“”„«»‚‘’(\[{*_~`¿¡\u200b-\u200f\u061c\u202a-\u202e\u2066-\u2069]{0,16}")
_NOT_A_START: Final = re.compile(r"[,;)\]}|、，；：）]|:(?!\w)|[—–-]\s*(?=\w)[^A-ZА-ЯÀ-ÞΑ-Ω0-9]")
_MARKER: Final = re.compile(r"[\s>*_(#-]*(?:[0-9]{1,3}|[IVXivx]{1,4}|[^\W\d_])")
_LONGEST_MARKER: Final = 12
_LONGEST_BRACKET: Final = 200
"""Characters before a closing bracket or quotation mark in which its opening one is looked for."""

# a Japanese quotation that its sentence goes on after
_GOES_ON: Final = re.compile(r"と|って|という|との|の|を|は|が|に|も|など|です|である|だ")

_JOINED: Final = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_CLAUSE: Final = re.compile(
    r"(?<=[,;:—–،؛၊])\s+(?=\S)|(?<=[，、；：—])(?=[^\s，、；：—])"
    rf"|(?<=[{_JOINED}])[ ]+(?=[{_JOINED}])"  # where words are not separated, a space separates more than words
    r"|(?<![ \t])[ \t]*(?:\r\n?|\n)(?=[^\r\n])|(?<=\s)\|(?=\s)"
)
# what belongs to the sign before it, and so begins nothing
_JOINS: Final = regex.compile(r"[\p{GCB=Extend}\p{GCB=SpacingMark}\p{GCB=ZWJ}]|(?<=\u200d)")
_LONGEST_PREFIX: Final = 64
"""Characters of a line's `> > ` looked at: a longer run is text like any other, so that time stays linear."""

# begun only where white space begins: tried at every place of a long run, it would take quadratic time
_WORD: Final = re.compile(r"(?<!\s)\s+|(?<!\u200b)\u200b+(?=\S)")


_NO_ATOMS: Final = Spans()


def sentence_starts(text: str, start: int, end: int, atoms: Spans) -> list[int]:
    """Starts of the sentences between *start* and *end*, without *start* itself.

    After the stops of all scripts, unless an abbreviation, an initial, an ordinal number, a list's marker or what
    follows says that the sentence goes on; in Thai and Lao after spaces between long stretches of letters. A sentence
    that begins after nothing but a quote's `> ` or indentation begins at its line.
    """
    found = [_at_line_start(text, start, at) for at in _after_stops(text, start, end)]
    if not text[start:end].isascii():
        others = [match.end() for signs in (_GREEK, _SPACED) for match in signs.finditer(text, start, end)]
        found = sorted({*found, *others}) if others else found
    return _outside(text, (at for at in found if start < at < end), atoms, start)


def clause_starts(text: str, start: int, end: int, atoms: Spans) -> list[int]:
    """Starts of clauses (after a comma, colon or dash), of lines, and of table cells, without *start* itself."""
    found = (
        _at_line_start(text, start, m.end()) if m[0][:1] != "|" else m.start()
        for m in _CLAUSE.finditer(text, start, end)
    )
    return _outside(text, (at for at in found if start < at < end), atoms, start)


def word_starts(text: str, start: int, end: int, atoms: Spans) -> list[int]:
    """Starts of the words between white space, without *start* itself."""
    found = (_at_line_start(text, start, m.end()) for m in _WORD.finditer(text, start, end))
    return _outside(text, (at for at in found if start < at < end), atoms, start)


def word_starts_anywhere(text: str, start: int, end: int, _atoms: Spans) -> list[int]:
    """Starts of words, those inside atoms too: for an atom that does not fit whole."""
    return word_starts(text, start, end, _NO_ATOMS)


def _after_stops(text: str, start: int, end: int) -> Iterator[int]:
    begun = start
    for match in _STOP.finditer(text, start, end):
        at = match.end()
        if at == end:
            return
        if match["tail"] is not None:
            ends = _ends(text, begun, match)
        else:
            ends, at = _ends_wide(text, begun, match)
        if ends:
            yield at
            begun = at


def _ends(text: str, begun: int, match: re.Match[str]) -> bool:
    """Whether a sentence begun at *begun* ends at a stop that white space follows."""
    at = match.end()
    if _NOT_A_START.match(text, at):
        return False
    opening = _OPENING.match(text, at)
    at = opening.end() if opening else at
    stop, tail = text[match.start() : match.start("tail")], match["tail"]
    if text[at : at + 1].islower() and (tail.strip("*_~") or len(stop) > 1 or stop == "…"):
        return False
    if stop != "." or (tail and tail[0] in "\"'”’“»«)]"):
        return True
    before = match.start()
    if before - begun <= _LONGEST_MARKER and _MARKER.fullmatch(text, begun, before):
        return False
    return not goes_on(text[max(begun, before - LONGEST) : before], text, at)


def _ends_wide(text: str, begun: int, match: re.Match[str]) -> tuple[bool, int]:
    """The same for a stop that nothing need follow, and where the next sentence begins."""
    stop, at, shut = match.start(), match.end(), match["wide"] or ""
    if at == stop + 1 and text[stop - 1 : stop].isdecimal() and text[at].isdecimal():
        return False, at
    if text.startswith("ល។", at):  # "and so on" in Khmer
        return False, at
    low = max(begun, stop - _LONGEST_BRACKET)
    if shut and shut[0] in '"*_~':
        mark = shut[: len(shut) - len(shut.lstrip(shut[0]))]
        if text.count(mark, low, stop) % 2 == 0:
            return True, match.start("wide")  # it opens the next
    if shut and at == match.end("wide"):
        inside = shut[-1] == "）" and text[low : max(text.rfind("（", low, stop), low)].strip() != ""
        return not inside and not _GOES_ON.match(text, at), at
    return not (shut and _NOT_A_START.match(text, at)), at


def _outside(text: str, positions: Iterable[int], atoms: Spans, start: int) -> list[int]:
    """Those of *positions* in ascending order that lie neither inside an atom nor inside a grapheme."""
    positions = (at for at in positions if text[at] < "\u0300" or not _JOINS.match(text, at))
    if not atoms:
        return [position for position, _ in groupby(positions)]
    starts, ends = atoms.starts, atoms.ends
    at = max(bisect_left(starts, start) - 1, 0)
    kept: list[int] = []
    for position in positions:
        while at < len(ends) and ends[at] <= position:
            at += 1
        inside = at < len(ends) and starts[at] < position
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
