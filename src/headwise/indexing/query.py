"""What a user typed, to what is searched for: text, phrases, exclusions and filters; nothing typed is an error."""

from __future__ import annotations

import re
from dataclasses import dataclass

from headwise.indexing.words import phrase_ways, query_words
from headwise.stores.store import NO_CONDITIONS, NO_FILTERS, Conditions, Filters, Phrase

# An operator begins where a word could. Whoever writes `-f` or `-10` means an option or a number.
_OPERATOR = re.compile(
    r'(?<!\S)(?P<not>-?)(?:(?P<name>tag|path|title):(?:"(?P<quoted>[^"]*+)"(?!\w)|(?P<bare>[^\s"]\S*+))'
    r'|"(?P<phrase>[^"]*+)"(?!\w)|(?<=-)(?P<word>[^\W\d_][\w+#.]\S*+))'
)
_SENTENCE = re.compile(r"[.?!。？！؟।…]['\")\]}’”»」』）]*\s*\Z")


@dataclass(frozen=True, slots=True)
class Query:
    """A query taken apart."""

    text: str
    """What is left without the operators, the words of phrases and titles kept: what an embedder reads."""
    words: tuple[str, ...]
    """The terms that chunks are ranked by; may be none."""
    conditions: Conditions = NO_CONDITIONS
    """What chunks must hold, and must not."""
    filters: Filters = NO_FILTERS
    """Which documents are meant."""

    @property
    def restricts(self) -> bool:
        """Whether it says anything of what is to be found beside words."""
        return self.conditions != NO_CONDITIONS or self.filters != NO_FILTERS


def parse_query(text: str) -> Query:
    """*text* taken apart.

    `"several words"` must stand together, `-word` and `-"several words"` must not be there, `title:word` must be in the
    title, `tag:name` and `path:glob` say which documents are meant; a value with blanks stands in quotes, and a minus
    before any of them turns it around. All else is text. In what ends like a sentence only the named ones count:
    quotation marks and dashes are there what they are in prose.
    """
    found = [operator for operator in _OPERATOR.finditer(text) if _counts(operator)]
    if _is_sentence(text, found):
        found = [operator for operator in found if operator["name"]]
    required: list[Phrase] = []
    excluded: list[Phrase] = []
    names: dict[tuple[str, bool], list[str]] = {}
    left: list[str] = []
    at = 0
    for operator in found:
        value, negated = _value(operator), bool(operator["not"])
        left.append(text[at : operator.start()])
        at = operator.end()
        if operator["name"] in ("tag", "path"):
            names.setdefault((operator["name"], negated), []).append(value)
            continue
        (excluded if negated else required).append(Phrase(phrase_ways(value), in_title=operator["name"] == "title"))
        if not negated:
            left.append(value)
    left.append(text[at:])
    rest = "".join(left)
    return Query(
        rest if len(found) == 0 else " ".join(rest.split()),
        tuple(query_words(rest)),
        Conditions(tuple(required), tuple(excluded)),
        Filters(
            tuple(names.get(("path", False), ())),
            tuple(names.get(("tag", False), ())),
            tuple(names.get(("path", True), ())),
            tuple(names.get(("tag", True), ())),
        ),
    )


def _value(operator: re.Match[str]) -> str:
    return next(value for name in ("quoted", "bare", "phrase", "word") if (value := operator[name]) is not None)


def _counts(operator: re.Match[str]) -> bool:
    """Whether what looks like an operator says anything that could be found."""
    value = _value(operator)
    if operator["name"] not in ("tag", "path"):
        return bool(phrase_ways(value))
    # No path and no tag has these, and no database takes them.
    return bool(value.strip(" #/")) and not re.search("[\0\ud800-\udfff]", value)


def _is_sentence(text: str, operators: list[re.Match[str]]) -> bool:
    end = _SENTENCE.search(text)
    return end is not None and not (operators and operators[-1].end() > end.start())
