"""Questions that documents ask by themselves, with all the right answers: from links, headings and first sentences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice
from typing import Literal

from headwise.evaluating.link_questions import Asked, link_questions, page_questions
from headwise.evaluating.metrics import Place
from headwise.evaluating.pointing import HOLE
from headwise.evaluating.section_questions import first_sentence_questions, heading_questions
from headwise.evaluating.sources import Source, fingerprint
from headwise.evaluating.twins import Twins, holders
from headwise.indexing.words import query_words

Kind = Literal["links", "pages", "headings", "first sentences", "own"]
SAMPLE = 300
"""Questions of a kind at most."""
_MOST_ANSWERS = 5
"""A question that more places answer is too general to be one."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and where the answer stands."""

    kind: Kind
    text: str
    answers: tuple[tuple[Place, ...], ...]
    """All are right; each is the places that belong to one answer."""
    exclude: tuple[str, ...] = ()
    """Paths of the documents that it was taken from, and of those that hold its words, which are left out of the
    ranking."""
    overlap: float = 1.0
    """Share of the words of the answer's heading that it holds: the lower, the less do words alone help."""
    heading: str = ""
    """Title of the section that answers, for people."""

    @property
    def key(self) -> str:
        """Hash of all that decides its scores."""
        return _hash(repr((self.kind, self.text, self.answers, self.exclude)))


@dataclass(frozen=True, slots=True)
class Questions:
    """What documents ask by themselves."""

    asked: tuple[Question, ...]
    left_out: Mapping[Kind, int]
    """How many links of a kind stand in words that say too little to ask for anything."""


def make_questions(sources: Sequence[Source], *, sample: int = SAMPLE, seed: int = 0) -> Questions:
    """The questions of all kinds, each kind at most *sample*, drawn by hash: an edit elsewhere draws the same.

    What says nearly the same elsewhere is a right answer, too, and so is every target of questions that are the same.
    """
    kinds: tuple[tuple[Kind, Iterable[Asked]], ...] = (
        ("links", link_questions(sources)),
        ("pages", page_questions(sources)),
        ("headings", heading_questions(sources)),
        ("first sentences", first_sentence_questions(sources)),
    )
    groups: dict[Kind, dict[str, list[Asked]]] = {}
    left_out: dict[Kind, int] = {}
    for kind, asked in kinds:
        groups[kind] = {}
        for one in asked:
            if one.text:
                groups[kind].setdefault(fingerprint(one.text), []).append(one)
            else:
                left_out[kind] = left_out.get(kind, 0) + 1
    linked = (group[0].text for several in groups.values() for group in several.values() if group[0].source)
    twins, held = Twins(sources), holders(sources, map(_longest, linked))
    found: list[Question] = []
    for kind, several in groups.items():
        in_order = sorted(several.values(), key=lambda group, kind=kind: _hash(f"{seed}\n{kind}\n{group[0].text}"))
        questions = (_question(kind, group, twins, held) for group in in_order)
        found += islice((one for one in questions if one), sample)
    return Questions(tuple(found), left_out)


def _longest(text: str) -> str:
    """The longest part of a sentence with holes."""
    return max(text.split(HOLE), key=len)


def _question(kind: Kind, group: Sequence[Asked], twins: Twins, held: Mapping[str, frozenset[str]]) -> Question | None:
    """What *group* asks in the same words; nothing if no place answers, or too many."""
    first = group[0]
    # a copy of a page that asks holds the question: it would be found before any answer
    copies = held.get(_longest(first.text), frozenset[str]()) if first.source else frozenset[str]()
    exclude = copies | {one.source for one in group if one.source}
    places = {
        Place(twin.document, twin.start + one.skipped, twin.end)
        for one in group
        for twin in twins.of(one.target, _MOST_ANSWERS)
        if twin.start + one.skipped < twin.end
    }
    answers = tuple((place,) for place in sorted(places) if place.document not in exclude)
    if not 0 < len(answers) <= _MOST_ANSWERS:
        return None
    return Question(
        kind, first.text, answers, tuple(sorted(exclude)), overlap(first.text, first.heading), first.heading
    )


def overlap(question: str, heading: str) -> float:
    """Share of the words of *heading* that *question* holds; 1 if it has none."""
    words = set(query_words(heading))
    return len(words & set(query_words(question))) / len(words) if words else 1.0


def _hash(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
