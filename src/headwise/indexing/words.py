"""Text to the terms it is found by: analysed once, here, so that every store ranks the same words.

A term is letters and digits only, so that no store's own tokenizer cuts it. Words are folded (case, width,
accents) and stemmed. Identifiers stand whole and in parts: `last-applied`, `last_applied` and `lastApplied` all
give the terms of `lastapplied`, `last` and `applied`. Scripts without spaces between words give pairs of characters.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from itertools import pairwise
from operator import add
from threading import local
from typing import Any, cast
from unicodedata import normalize

import regex
import Stemmer

LONGEST = 64
"""Characters of a term: what is longer is no word but a key or a blob, and its beginning finds it."""

REPEATS = 4
"""How often a word of a query counts at most, however often it is said."""

STOP_WORDS = (
    "a about an and are as at be been but by can could did do does for from had has have how i if in into is it its "
    "me my no not of on or our should so than that the their them then there these they this those to was we were "
    "what when where which who why will with would you your"
)
"""English words a query does without, as long as another is left; documents keep them."""

# Half-width forms, Hangul in parts and the like are in these ranges once normalised (NFKC).
_CJK = r"\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_SOUTH_EAST = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\ua9e0-\ua9ff\uaa60-\uaa7f"  # Thai, Lao, Burmese, Khmer
_SPACELESS_FROM = "\u0e00"

_RUN = regex.compile(r"\.?\w+(?:[-./:'’@]{1,2}\w+)*(?:\+\+|#)?")
_ASCII_RUN = re.compile(r"\.?\w++(?:[-./:'@]{1,2}\w++)*+(?:\+\+|#)?", re.ASCII)
"""The same where all is ASCII, in half the time."""
_SCRIPT = regex.compile(rf"([{_CJK}]+)|([{_SOUTH_EAST}]+)|([^{_CJK}{_SOUTH_EAST}]+)")
_GRAPHEME = regex.compile(r"\P{M}\p{M}*|\p{M}+")
_PATH_PIECE = regex.compile(r"[^/:@]+")
_WORD = regex.compile(r"[^\W_]+")
_CAMEL = regex.compile(r"\p{Lu}{2,}s?(?!\p{Ll})|\p{Lu}?[^\p{Lu}]+|\p{Lu}")
_CONTRACTED = regex.compile(r"['’](?:s|(t|d|m|ll|re|ve))(?!\w)", regex.IGNORECASE)
# Accents of Latin and Greek, points of Hebrew, vowel signs, hamzas and tatweel of Arabic.
_POINTS = regex.compile(r"(?<=[a-zα-ω])[\u0300-\u036f]+|[\u0591-\u05bd\u05bf-\u05c7\u0640\u064b-\u065f\u0670]+")
_LETTERS = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe", "ё": "е"})


def analyse_words(text: str) -> list[str]:
    """The terms of *text*, in order, with repeats; each is letters and digits."""
    terms: list[str] = []
    for run in (_ASCII_RUN if text.isascii() else _RUN).findall(text):
        # Runs without spaces are seldom seen twice and would push real words out of the memory.
        terms += _remembered(run) if len(run) <= LONGEST and run < _SPACELESS_FROM else _terms(run)
    return terms


def query_words(text: str) -> list[str]:
    """The terms of a query in order, those said again again; words such as "the" only if there is nothing else."""
    said: Counter[str] = Counter()
    terms: list[str] = []
    for term in analyse_words(text):
        said[term] += 1
        if said[term] <= REPEATS:
            terms.append(term)
    return [term for term in terms if term not in stop_terms()] or terms


def phrase_ways(text: str) -> tuple[tuple[str, ...], ...]:
    """The rows of terms that say that *text* stands in another: any of them, in order and with nothing between.

    An identifier has its whole before its parts, so that a part of it is found only by the parts themselves.
    """
    whole = tuple(analyse_words(text))
    parts = tuple(term for run in _RUN.findall(text) for term in _part_terms(run))
    return tuple(way for way in dict.fromkeys((whole, parts)) if way)


def _part_terms(run: str) -> Iterator[str]:
    for cjk, south_east, other in _SCRIPT.findall(normalize("NFKC", run)):
        if other:
            words = _WORD.findall(_CONTRACTED.sub(r"\1", other))
            yield from map(_term, dict.fromkeys([*words, *_symbols(other, words)]))
        else:
            yield from map(_plain, _pairs(cjk or _GRAPHEME.findall(south_east)))


@lru_cache(maxsize=1 << 16)
def _remembered(run: str) -> tuple[str, ...]:
    return _terms(run)


def _terms(run: str) -> tuple[str, ...]:
    """The terms of letters and digits without a space between them."""
    if run.isascii():
        plain = run.isalpha() and (run.islower() or run[1:].islower())
        return (_term(run),) if plain else tuple(_identifier(run))
    terms: list[str] = []
    for cjk, south_east, other in _SCRIPT.findall(normalize("NFKC", run)):
        if cjk:
            terms += _pairs(cjk) if cjk.isalnum() else map(_plain, _pairs(cjk))
        elif south_east:
            terms += map(_plain, _pairs(_GRAPHEME.findall(south_east)))
        else:
            terms += _identifier(other)
    return tuple(terms)


def _pairs(characters: str | list[str]) -> list[str]:
    """Every two neighbours; a single one stays."""
    return list(map(add, characters, characters[1:])) or list(characters)


def _identifier(text: str) -> Iterator[str]:
    """A word, or what several make up: the whole, the pieces of a path, the words, their camelCase parts; each once."""
    if "'" in text or "’" in text:
        text = _CONTRACTED.sub(r"\1", text)
    pieces = [words for piece in _PATH_PIECE.findall(text) if (words := _WORD.findall(piece))]
    words = [word for piece in pieces for word in piece]
    forms = [_joined(words), *(map(_joined, pieces) if len(pieces) > 1 else ()), *words]
    for word in words:
        camel = _CAMEL.findall(word) if len(word) <= LONGEST and not word.islower() else []
        if len(camel) > 1:
            forms += [part for part in camel if len(part) > 1]
    forms += _symbols(text, words)
    return map(_term, dict.fromkeys(form for form in forms if form))


def _symbols(text: str, words: list[str]) -> list[str]:
    """Names told apart by a sign only: `C++`, `C#`, `.NET`."""
    if not words:
        return []
    named = [f"dot{words[0]}"] if text[0] == "." else []
    if text.endswith("++"):
        named.append(f"{words[-1]}plusplus")
    elif text.endswith("#") and len(words[-1]) == 1 and words[-1].isalpha():
        named.append(f"{words[-1]}sharp")
    return named


def _joined(words: list[str]) -> str:
    """*words* as one, digits kept apart so that 3.11 is not 311; nothing if that is too long to be a name."""
    whole = "".join([f"{a}x" if a[-1].isdigit() and b[0].isdigit() else a for a, b in pairwise([*words, " "])])
    return whole if len(whole) <= LONGEST else ""


def _term(word: str) -> str:
    """A word, folded and stemmed."""
    word = word[:LONGEST].casefold()
    if not word.isascii():
        word = normalize("NFC", _POINTS.sub("", normalize("NFD", word))).translate(_LETTERS)
    return _plain(_stem(word) if word.isalpha() else word)


def _plain(term: str) -> str:
    """*term* with signs that are neither letters nor digits, such as Indic vowels, as their number in hexadecimal."""
    return term if term.isalnum() else "".join(ch if ch.isalnum() else f"{ord(ch):x}" for ch in term)


@lru_cache(maxsize=1 << 16)
def _stem(word: str) -> str:
    """*word* without the endings of the language that its script suggests, if it is one we know."""
    if word.isascii():
        return _stemmer("english")(word)
    if "\u0400" <= word[0] <= "\u04ff":
        return _stemmer("russian")(word)
    return _stemmer("arabic")(word) if "\u0600" <= word[0] <= "\u06ff" else word


_stemmers = local()
"""A stemmer keeps the word it is at in itself: each thread has its own."""


def _stemmer(language: str) -> Callable[[str], str]:
    known: dict[str, Callable[[str], str]] = _stemmers.__dict__
    if language not in known:
        made = cast("Any", Stemmer).Stemmer(language)  # it has no types
        known[language] = made.stemWord
    return known[language]


@cache
def stop_terms() -> frozenset[str]:
    """The terms of `STOP_WORDS`."""
    return frozenset(map(_term, STOP_WORDS.split()))
