"""A guess which encoding bytes are in that are not UTF-8."""

from __future__ import annotations

import re
from collections import Counter

_MAX_SAMPLE = 4 * 1024

_WESTERN = (
    "àâæçéèêëîïôœùûüÿ",  # French
    "äöüß",  # German
    "áéíóúüñ",  # Spanish
    "áàâãçéêíóôõúü",  # Portuguese
    "àèéìîòù",  # Italian
    "åäöé",  # Swedish, Finnish
    "æøåéòô",  # Danish, Norwegian
    "éèêëïöüáó",  # Dutch
    "àçèéíïòóúü",  # Catalan
    "áéíóúýþæöð",  # Icelandic
)
_CENTRAL = (
    "ąćęłńóśźż",  # Polish
    "áčďéěíňóřšťúůýž",  # Czech
    "áäčďéíĺľňóôŕšťúýž",  # Slovak
    "áéíóöőúüű",  # Hungarian
    "ăâîşţ",  # Romanian
    "čćđšž",  # Croatian, Slovene
)
_TURKISH = ("çğıİöşüâîû",)
_BALTIC = ("ąčęėįšųūž", "āčēģīķļņšūž", "äöõüšž")  # Lithuanian, Latvian, Estonian
_LATIN = {
    "cp1252": _WESTERN,
    "cp1250": _CENTRAL,
    "cp1254": _TURKISH,
    "iso8859_2": _CENTRAL,
    "cp1257": _BALTIC,
    "cp850": _WESTERN,
    "mac_roman": _WESTERN,
}
"""Encodings of Latin script, the most usual first, with the letters beyond ASCII of their languages."""

_RUSSIAN = "оетианрсвплм"
_UKRAINIAN = "оатиневірксу"
_KANA = "のすーをしにンでまるはてとトいれがなスたこクりさリうイルコドプタきッラかあよフらくそポレテシメロっもけれわだア"
_SIMPLIFIED = (
    "的用一在个是数可以中使不为这时你件有如会和行了能要作文应我于下式组据过对到型自例定类来本它果或将值们上入同量开方多后需更并性理发"
    "表通成实其该也分动大前就生些当法变所人他国地说出子那得着之年里道然家种事经么去学都现没面起看天还进好小部主样心她但因只从想"
)
_TRADITIONAL = (
    "的用一在你個以可使會是式中這有如為應它與不型作數要回程例資能同件行器來時別相路們料定也並其設自於多入到文些理動下我而前建需提所因"
    "或但後此上了容部就更等求將本該人他國地說出子那得著之年過發里道然家種事成方經麼去法學都現沒當面起看天分還進好小主樣心她只從想實"
)
_HANGUL = (
    "다이니하는를에로을수서있사가용의습리지기고한할스은합해도그입어성시으요드일경트터인면자라만"
    "여정문것함제모들동데전대보러처과변되우부게음나아안거내생"
)
_OTHER = {
    "cp1255": ("יוהלאמרתבשנ", 0.75),
    "cp1251": (_RUSSIAN + _UKRAINIAN, 0.75),
    "koi8_r": (_RUSSIAN, 0.75),
    "koi8_u": (_RUSSIAN + _UKRAINIAN, 0.75),
    "cp866": (_RUSSIAN + _UKRAINIAN, 0.75),
    "iso8859_5": (_RUSSIAN + _UKRAINIAN, 0.75),
    "cp1253": ("αοιετσνηυρπκςόίάέ", 0.75),
    "cp1256": ("اليمنوترفبةسعدك", 0.75),
    "cp932": (_KANA, 0.4),
    "euc_jp": (_KANA, 0.4),
    "gb18030": (_SIMPLIFIED, 0.35),
    "big5": (_TRADITIONAL, 0.35),
    "cp949": (_HANGUL, 0.5),
}
"""Encodings of other scripts, with the most frequent characters of their languages and the share these have."""

_QUOTES = frozenset("‘’“”„–—…«»‹›·\xa0\xad")  # signs that may stand beside each other
_JOINING = frozenset("’–—…·\xad")  # and those that may stand between two letters
_SIGNS = _QUOTES | frozenset("•°§©®™€£¥¢¿¡ªº²³½¼¾±×µ†")
_LATIN_ENOUGH = 0.8
_OTHER_ENOUGH = 0.5
_MIXED = 0.1  # what several languages in one text cost, so that one language that explains all is preferred
_WORD = re.compile(r"[^\W\d_]+|[^\x00-\x7f]")


def guess_encoding(data: bytes) -> str | None:
    """The most likely encoding of *data*, which is text but not UTF-8; None if it looks like no text.

    The Latin encodings win if nearly all letters beyond ASCII are those of one language, inside words of ASCII
    letters. Then comes the one in which a language's most frequent characters are as frequent as they should
    be. What is left (Thai, a single word) is charset-normalizer's, which takes Western text for cp1250 or cp775
    and finds nothing in many Chinese, Japanese and Korean files with code and links: hence it is not asked first.

    Only lines that are not ASCII are looked at, up to 4 KiB. One word is little evidence: one that could be
    Western is taken for it, one in KOI8 or a DOS encoding may be misread. From a sentence on it is right.
    """
    sample = _sample(data)
    latin = {encoding: _latin_share(sample, encoding, languages) for encoding, languages in _LATIN.items()}
    best = max(latin, key=latin.__getitem__)  # the first of equals
    if latin[best] >= _LATIN_ENOUGH:
        return best
    other = {encoding: _share(sample, encoding, usual) / share for encoding, (usual, share) in _OTHER.items()}
    best = max(other, key=other.__getitem__)
    if other[best] >= _OTHER_ENOUGH:
        return best
    from charset_normalizer import from_bytes  # noqa: PLC0415 - takes 10 ms, and hardly a text gets here

    found = from_bytes(sample, cp_isolation=[*_OTHER, "cp874"]).best() or from_bytes(sample).best()
    return found and found.encoding


def _sample(data: bytes) -> bytes:
    lines: list[bytes] = []
    left = _MAX_SAMPLE
    for line in data.splitlines():
        if not line.isascii() and left > 0:
            lines.append(line)
            left -= len(line)
    return b"\n".join(lines)


def _latin_share(sample: bytes, encoding: str, languages: tuple[str, ...]) -> float:
    """The share of characters beyond ASCII that are signs, or letters of one language, where these belong."""
    text = f" {sample.decode(encoding, 'replace')} "
    letters: Counter[str] = Counter()
    signs = total = 0
    for found in _WORD.finditer(text):
        word = found[0]
        high = [c for c in word if c > "\x7f"]
        total += len(high)
        before, after = text[found.start() - 1], text[found.end()]
        if word in _SIGNS:
            inside = before.isalpha() and after.isalpha() and word not in _JOINING
            signs += not inside and (word in _QUOTES or (before + after).isascii())
        elif _is_cased(word) and (len(high) < len(word) or (len(word) == 1 and (before + after).isascii())):
            letters.update(high)
    one = max(_sum(letters, language) for language in languages)
    several = _sum(letters, "".join(languages)) - _MIXED * total
    return (signs + max(one, several)) / total


def _share(sample: bytes, encoding: str, usual: str) -> float:
    good = total = 0
    for word in _WORD.findall(sample.decode(encoding, "replace")):
        if word.isascii() or word in _SIGNS:
            continue
        letters = word.lower()
        mixed = max(letters) < "\u2e80" and any(c <= "\x7f" for c in letters)
        total += sum(c > "\x7f" for c in letters)
        shouted = len(word) > 1 and word.isupper()  # how one Cyrillic encoding reads the small letters of another
        if not mixed and not shouted and _is_cased(word):
            good += sum(c in usual for c in letters)
    return good / total if total else 0.0


def _is_cased(word: str) -> bool:
    return word[1:] == word[1:].lower() or word == word.upper()


def _sum(letters: Counter[str], language: str) -> int:
    return sum(count for letter, count in letters.items() if letter in language or letter.lower() in language)
