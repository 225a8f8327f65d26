"""In which languages texts are, roughly: by their scripts, and where those do not tell, by the commonest words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

ENGLISH = "English"
OTHER = "another language"

_SCRIPTS: Mapping[str, str] = {
    "Japanese": "\u3041-\u30ff\uff66-\uff9f",
    "Chinese": "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff",
    "Korean": "\u1100-\u11ff\uac00-\ud7af",
    "Thai": "\u0e00-\u0e7f",
    "Russian": "\u0400-\u052f",
    "Arabic": "\u0600-\u06ff\u0750-\u077f",
    "Hebrew": "\u0590-\u05ff",
    "Greek": "\u0370-\u03ff",
    "Hindi": "\u0900-\u097f",
}
_LETTERS = {name: re.compile(f"[{ranges}]") for name, ranges in _SCRIPTS.items()}
_UNSPACED = frozenset({"Japanese", "Chinese", "Thai"})
"""Two of their letters are about what elsewhere is a word."""
_SPACED = re.compile(r"[^\W\d_]+")
_COMMON: Mapping[str, frozenset[str]] = {
    name: frozenset(words.split())
    for name, words in {
        ENGLISH: "the and of to is that for with you this it be are as not from was have",
        "German": "der die das und ist nicht ein mit auf für sich den von zu im eine dem auch",
        "French": "le la les des est une pour dans que pas avec du et sur qui au ce vous",
        "Spanish": "el la los las que una por con para del es se lo un como su más y",
        "Italian": "il che di per una con sono non della gli del dei è anche nel alla come più",
        "Portuguese": "que não com para uma dos das mais são você ao pela pelo por também seu sua isso",
        "Dutch": "het een van en niet dat voor met zijn te aan er ook bij naar je wordt worden",
        "Polish": "nie się na jest że jak tego czy ale przez oraz dla są być tym który tak po już",
        "Turkish": "ve bir bu için ile çok olarak daha gibi var sonra kadar olan değil ancak veya",
        "Swedish": "och att det som är en på av för med inte till den har ett om jag men",
    }.items()
}


def languages(texts: Iterable[str]) -> Mapping[str, float]:
    """The share of each language in *texts*, the largest first; together 1, or nothing without any words.

    Cyrillic stands for Russian, and Chinese characters beside kana for Japanese: that is all that choosing a model
    needs. What cannot be told is `OTHER`.
    """
    found: Counter[str] = Counter()
    for text in texts:
        found.update(_of_one(text))
    total = found.total()
    return {name: size / total for name, size in found.most_common() if size} if total else {}


def _of_one(text: str) -> Counter[str]:
    """How much of *text*, in about words, is in which language."""
    letters = {name: len(pattern.findall(text)) for name, pattern in _LETTERS.items()}
    if letters["Japanese"] * 10 > letters["Chinese"]:
        letters["Japanese"] += letters.pop("Chinese")
    found = Counter({name: size // (2 if name in _UNSPACED else 5) for name, size in letters.items()})
    words = [word for word in _SPACED.findall(text.lower()) if word[0] < "\u0370"]
    hits = {name: sum(word in common for word in words) for name, common in _COMMON.items()}
    name = max(hits, key=hits.__getitem__)
    found[name if hits[name] * 25 > len(words) else OTHER] += len(words)
    return found
