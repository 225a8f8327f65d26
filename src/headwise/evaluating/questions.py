"""Questions that documents ask by themselves, with all the right answers: from links, headings and first sentences."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Literal

from headwise.evaluating.link_questions import Asked, link_questions, page_questions
from headwise.evaluating.metrics import Place
from headwise.evaluating.section_questions import first_sentence_questions, heading_questions
from headwise.evaluating.sources import Source, fingerprint
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
    """Paths of the documents that it was taken from, which are left out of the ranking."""
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

    Equal text elsewhere is a right answer, too, and so is every target of questions that are the same.
    """
    found: list[Question] = []
    kinds: tuple[tuple[Kind, Iterable[Asked]], ...] = (
        ("links", link_questions(sources)),
        ("pages", page_questions(sources)),
        ("headings", heading_questions(sources)),
        ("first sentences", first_sentence_questions(sources)),
    )
    twins = _twins(sources)
    left_out: dict[Kind, int] = {}
    for kind, asked in kinds:
        several = list(asked)
        enough = [one for one in several if one.text]
        if len(enough) < len(several):
            left_out[kind] = len(several) - len(enough)
        found += sampled(list(_merged(kind, enough, twins)), sample, seed)
    return Questions(tuple(found), left_out)


def sampled(questions: Sequence[Question], sample: int, seed: int) -> list[Question]:
    """At most *sample* of *questions*, in an order that is theirs alone."""
    return sorted(questions, key=lambda one: _hash(f"{seed}\n{one.kind}\n{one.text}"))[:sample]


def _merged(kind: Kind, asked: Iterable[Asked], twins: dict[Place, tuple[Place, ...]]) -> Iterable[Question]:
    groups: defaultdict[str, list[Asked]] = defaultdict(list)
    for one in asked:
        groups[fingerprint(one.text)].append(one)
    for group in groups.values():
        exclude = tuple(sorted({one.source for one in group if one.source}))
        places = {
            Place(twin.document, twin.start + one.skipped, twin.end)
            for one in group
            for twin in twins.get(one.target, (one.target,))
        }
        answers = tuple((place,) for place in sorted(places) if place.document not in exclude)
        if 0 < len(answers) <= _MOST_ANSWERS:
            first = group[0]
            yield Question(kind, first.text, answers, exclude, overlap(first.text, first.heading), first.heading)


def _twins(sources: Sequence[Source]) -> dict[Place, tuple[Place, ...]]:
    """For every section's own text, and every document's, all places that say the same."""
    places: defaultdict[str, set[Place]] = defaultdict(set)
    for source in sources:
        for place in (source.body(), *map(source.own, source.sections)):
            if place.start < place.end:
                places[fingerprint(source.text_of(place))].add(place)
    return {place: tuple(sorted(same)) for same in places.values() for place in same}


def overlap(question: str, heading: str) -> float:
    """Share of the words of *heading* that *question* holds; 1 if it has none."""
    words = set(query_words(heading))
    return len(words & set(query_words(question))) / len(words) if words else 1.0


def _hash(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
