"""Sentences without the text of a link in them: where it stood is marked, and whether the rest says enough to ask."""

from __future__ import annotations

import re

from headwise.evaluating.sources import WITHOUT_SPACES, says_enough
from headwise.indexing.words import query_words

HOLE = "…"
"""Stands where the text of a link stood, so that people see that something is missing."""
_LEAST = 4
"""Words that a question has besides stop words and those that only point."""
# What sentences say to lead elsewhere, whatever it is about: verbs, places in documents, and how much is told there.
_POINTING = re.compile(
    r"""\b(?:
    see|saw|seen|look(?:ed|ing)?|check|read(?:ing)?|refer(?:s|red|ring)?|learn(?:ed|ing)?|recall|remember|
    discuss(?:ed|es|ing)?|cover(?:ed|s|ing)?|talk(?:ed|ing)?|mention(?:ed|s)?|describ(?:ed?|es|ing)|
    explain(?:ed|s)?|introduc(?:ed?|es|ing)|show(?:ed|n|s)?|find|found|listed|follow(?:s|ing)?|
    section|chapter|page|part|article|guide|docs?|documents?|documentation|topic|entry|faq|link(?:ed|s)?|
    example|instructions|information|info|details?|detailed|overview|reference|resources?|concept|issues?|
    work(?:ed)?[ ]through|mean|might|want|compare|more|further|also|again|about|here|above|below|later|earlier|
    next|previous(?:ly)?|first|full|how|other|same|
    please|you(?:['’]ll)?|we(?:['’](?:ll|ve))?|they|let['’]s|now|just|e\.g|i\.e|
    siehe|lesen|lies|abschnitt|kapitel|dokumentation|mehr|dazu|finden|sie|wie|der|die|das|den|dem|im|in|zu|zur|von|
    voir|lire|lisez|consultez|savoir|chapitre|plus|dans|pour|les?|la|des?|du|sur|à|propos|
    ver|vea|lee|leer|aprender|puedes|sección|capítulo|documentación|más|sobre|esto|para|en|el|los|las|
    veja|leia|ler|aprenda|seção|documentação|mais|pode|você|em|da|do|dos|na|no|
    см|смотрите|посмотрите|читайте|прочитайте|прочтите|узнайте|подробнее|раздел[ае]?|документац[а-я]+|об?|и|в|на
    )\b|
    详情|详细|详见|具体|更多|请|參閱|参阅|参考|參考|参见|參見|参照|查看|查阅|阅读|閱讀|了解|介绍|介紹|文档|文件|
    章节|章節|一节|一節|小节|部分|内容|內容|信息|资料|说明|說明|关于|關於|以下|如下|上述|可以|可|你|我们|中的?|的|
    詳細|詳しく|については|ドキュメント|ガイド|ページ|読む|読ん|ください|して|です|ます|を|は|に|の|で|と|
    문서|읽어보세요|확인|참고|하세요""",
    re.IGNORECASE | re.VERBOSE,
)
_WITHOUT_SPACES = re.compile(f"[{WITHOUT_SPACES}]")
_ASIDE = re.compile(r"\s*[(（]([^()（）]*…[^()（）]*)[)）]")
_HOLES = re.compile(r"…(?:\s*(?:[,，、]\s*)?…)+")
_QUOTED = re.compile(r"[\"“«„「『‘']\s*…\s*[\"”»“」』’']")
_BEFORE_STOP = re.compile(r"\s+(?=[,.;:!?)\]](?![\w.]))")
_LAST_STOP = re.compile(r"(?<=…)\.(?=\s*\Z)")


def mended(text: str) -> str:
    """*text* as it is to be read: several holes as one, without quotation marks or an aside around nothing else."""
    text = _HOLES.sub(HOLE, _QUOTED.sub(HOLE, text))
    text = _ASIDE.sub(lambda found: found[0] if _content(found[1]) else "", text)
    return _LAST_STOP.sub("", _BEFORE_STOP.sub("", text)).strip()


def asks(text: str) -> bool:
    """Whether *text* says so much besides leading elsewhere that it asks for something."""
    return says_enough(text) and _content(text) >= _LEAST


def _content(text: str) -> float:
    """How many different words of *text* neither point nor are stop words; two characters without spaces are one."""
    words = set(query_words(_POINTING.sub(" ", text.replace(HOLE, " "))))
    words = {word for word in words if any(map(str.isalpha, word))} - set(query_words("the"))
    return sum(0.5 if _WITHOUT_SPACES.search(word) else 1.0 for word in words)
