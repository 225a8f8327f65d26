"""Abbreviations of many languages: whether a sentence goes on after a word and its full stop."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import IntEnum
from typing import Final


class After(IntEnum):
    """What a sentence goes on with after an abbreviation; anything else begins the next one."""

    ANYTHING = 0
    """A title, or a word that something always follows: `Dr.`, `z. B.`, `ул.`"""
    LOWER_OR_NUMBER = 1
    """What may end a sentence: `etc.`, `Inc.`, `и т. д.`"""
    NUMBER = 2
    """What is a word of its own as well: `No. 5`, `art. 3`."""


# All languages in one table: what is an abbreviation in one is hardly ever a word that ends sentences in another, and
# no text says which language it is in. English, German, French, Spanish, Portuguese, Italian, Dutch, Polish, Czech,
# Turkish, the Nordic ones, Hungarian; Russian, Ukrainian, Bulgarian; Greek; Hindi; Arabic.
_WORDS: Final[Mapping[After, str]] = {
    After.ANYTHING: """
        dr mr mrs ms prof profa rev gen gov sen hon capt sgt cpl maj adm messrs st mt vs viz cf i.e e.g ie eg approx
        incl esp resp aka sr sra srta jr
        z.b d.h u.a v.a z.t u.u i.a d.i d.r i.d.r m.e s.o s.u bzw vgl ggf evtl inkl zzgl sog bspw hrsg hg ca lt gem hr
        fr frl dipl ing bgm geb gest gegr engl lat griech bes mio mrd tsd n.chr v.chr
        mme mlle mm pr me mgr ste c.-à-d p.ex
        dra dña ud uds gral lic arq ee p.ej ej exmo eng av
        sig sigg sig.ra dott dott.ssa avv rag geom
        dhr mw mevr drs ir bijv d.w.z o.a m.b.t t.a.v evt
        np tzn tj m.in ul inż św např tzv t.ex bl.a dvs f.eks esim ks vrt pl ill doç örn ör bkz çev sn
        т.е т.к т.н т.о ул пл пер просп см ср напр тов гр проф акад доц им ред изд вул див бул
        π.χ κα δρ βλ δηλ
        डॉ श्री प्रो कु पं स्व मो पृ सं ए.के
    """,
    After.LOWER_OR_NUMBER: """
        etc al inc ltd co corp bros dept est ave blvd rd a.m p.m ph.d op cit ibid max min ft lbs oz hrs
        usw u.s.w etc.pp o.ä u.ä uu env aprox ltda ecc enz itd itp zł tys mln atd apod osv m.m mv jne stb kb vb
        т.д т.п др пр н.э вв гг руб коп тыс млн млрд тис мин сек чел κ.λπ إلخ الخ
        jan feb mar apr jun jul aug sep sept oct nov dec okt dez fig figs vol vols eq eqs pp chap
    """,
    After.NUMBER: """
        no nos sec secs sect ch para pt app tab ref refs art nr abb kap bd bde abs aufl anm ziff rn anl str tel
        pág págs pag núm cap blz godz pkt ust kl éd стр рис табл гл кв корп разд σελ αρ وج ورقم
    """,
}
_KINDS: Final[Mapping[str, After]] = {word: kind for kind, words in _WORDS.items() for word in words.split()}

LONGEST: Final = 24
"""Characters before a full stop that are looked at."""

_OPENING: Final = "([{\"'“„«»‚‘’”>*_~|—–-/¿¡\u200e\u200f"
# letters with stops between them, as in `U.S`, `Ph.D`, `J.-J`
_DOTTED: Final = re.compile(r"(?:[^\W\d_]{1,2}[.-]+)+[^\W\d_]{1,2}")
_TWO_LETTERS: Final = re.compile(r"(?<!\w)([^\W\d_])\.[ \u00a0\u202f]?([^\W\d_])\Z")
_MEASURED: Final = re.compile(r"\d\s[^\W\d_]\Z")
_ORDINAL: Final = re.compile(
    r"(?<!\w)(?:der|die|das|dem|den|des|am|im|vom|zum|zur|beim|bis|seit)\s+[0-9]{1,2}\Z", re.IGNORECASE
)
_DATE: Final = re.compile(r"(?<!\d)[0-9]{1,4}\.\s?[0-9]{1,2}\Z")
_NAME_AFTER_ORDINAL: Final = re.compile(
    r"(?:Januar|Jänner|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember"
    r"|Jahrhundert|Jh|Kapitel|Auflage|Geburtstag)(?!\w)"
)
_DATE_GOES_ON: Final = re.compile(r"[0-9]{1,2}\.\s|[\uac00-\ud7af]")
# words that begin sentences and are hardly ever names: after an initial or `U.S.`, they tell the one from the other
_STARTERS: Final = """
    The A An He She It We They I You This That These Those There Here In On At If When But And Then So For As My Your
    His Her Its Our Their What Why How Who Where Not No Yes To After Before Next Finally First Let Use See Note Also
    However Now With By From Since Because While Each Every Some Many Most All Any One Two Both Such
    Der Die Das Er Sie Es Wir Ich Ein Eine Und Aber Dann Il Elle Ils Elles Ella Ellos
    Он Она Оно Они Мы Вы Это Но Затем Там Да Нет В И На
"""
_STARTING: Final = frozenset(_STARTERS.split())
_WORD: Final = re.compile(r"[^\W\d_]*")


def goes_on(before: str, text: str, at: int) -> bool:
    """Whether a sentence goes on at *at* although a full stop stands before it.

    Args:
        before: at most `LONGEST` characters before the stop, all of one sentence.
        text: the whole text.
        at: where the next word begins, after white space and whatever opens a quotation.
    """
    parts = before.rsplit(None, 1)
    if not parts:
        return False
    token = parts[-1].lstrip(_OPENING)
    following = text[at : at + 1]
    if "\u0e00" <= token[-1:] <= "\u0e7f":
        return True  # in Thai, a full stop belongs to an abbreviation
    if token.isdecimal() or (token.isupper() and not token.strip("IVX")):
        return _number_goes_on(before, token, text, at)
    if len(token) == 1:
        pair = _TWO_LETTERS.search(before)
        key = f"{pair[1]}.{pair[2]}".lower() if pair else token
    else:
        key = token.lower()
    kind = _KINDS.get(key)
    if kind is None and key.endswith("str"):  # Hauptstr. 5
        kind = After.NUMBER
    if kind is not None:
        return _goes_on_after(kind, following)
    if len(token) == 1 and token.isalpha():
        if _MEASURED.search(before):  # 1945 г. Он; but: 10 m. hoch
            return following.islower()
        return not _alone(token) and not _begins_a_sentence(text, at)
    if _DOTTED.fullmatch(token):
        return token.islower() or not _begins_a_sentence(text, at)
    return len(token) == 2 and "\u0900" <= token[0] <= "\u097f"  # an initial in Devanagari, with its vowel sign


def _goes_on_after(kind: After, following: str) -> bool:
    if kind is After.ANYTHING:
        return True
    return following.isdecimal() or (kind is After.LOWER_OR_NUMBER and following.islower())


def _number_goes_on(before: str, token: str, text: str, at: int) -> bool:
    """Ordinal numbers of German and its neighbours, and dates as they are written in Korea."""
    if len(token) > 2 and token.isdecimal():
        return len(token) == 4 and _DATE_GOES_ON.match(text, at) is not None and text[at].isdecimal()
    if text[at : at + 1].islower() or _NAME_AFTER_ORDINAL.match(text, at) or _ORDINAL.search(before):
        return True
    return _DATE.search(before) is not None and _DATE_GOES_ON.match(text, at) is not None


def _alone(letter: str) -> bool:
    """Whether a single letter is a whole word in its script, and so no initial."""
    return "\u3040" <= letter <= "\u9fff" or "\uac00" <= letter <= "\ud7af"


def _begins_a_sentence(text: str, at: int) -> bool:
    word = _WORD.match(text, at)
    return word is not None and word[0] in _STARTING and text[word.end() : word.end() + 1] != "."
