"""Documents as questions are made of them: parsed, with their sections and what a section says by itself."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

from headwise.evaluating.metrics import Place
from headwise.indexing.words import query_words
from headwise.model import Document, Section, Tree
from headwise.reading.outline import find_title, outline
from headwise.reading.parse import parse
from headwise.stores.store import Named

LEAST_WORDS = 5
"""Words that a question or an answer has at least; a shorter one could mean anything."""
_LEAST_TERMS = 3
"""Words in it that are no stop words."""
WITHOUT_SPACES = r"\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\u0e00-\u0eff"
"""Characters of scripts that put no space between words, as part of a pattern."""
_WITHOUT_SPACES = re.compile(f"[{WITHOUT_SPACES}]")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Source:
    """A document with its tree and outline."""

    document: Document
    tree: Tree
    sections: tuple[Section, ...]
    title: str

    @property
    def path(self) -> str:
        """Of the document."""
        return self.document.path

    def text_of(self, place: Place) -> str:
        """What stands at *place*, which is in this document."""
        return self.document.text[place.start : place.end]

    def own(self, section: Section) -> Place:
        """What *section* says by itself, from under its heading up to the first section inside it."""
        return self.trimmed(section.own_start, section.own_end)

    def body(self) -> Place:
        """All of the document but its front matter."""
        return self.trimmed(self.tree.front_matter.end, len(self.document.text))

    def trimmed(self, start: int, end: int) -> Place:
        """The span without white space at its ends; empty if there is nothing else in it."""
        inside = self.document.text[start:end]
        return Place(self.path, min(start + len(inside) - len(inside.lstrip()), end), start + len(inside.rstrip()))

    def named(self) -> Named:
        """What other documents may call it."""
        return Named(self.path, self.title, self.tree.front_matter.aliases, self.tree.links)


def read_sources(documents: Sequence[Document]) -> tuple[Source, ...]:
    """*documents*, parsed as a sync does; those that keep themselves out of the index are left out."""
    found: list[Source] = []
    for document in documents:
        tree = parse(document.text, document_format=document.format, obsidian=document.obsidian)
        if tree.front_matter.data.get("headwise") is not False:
            sections = outline(tree)
            found.append(Source(document, tree, sections, find_title(tree, sections, document.path)))
    return tuple(found)


def says_enough(text: str) -> bool:
    """Whether *text* is long and special enough to be a question or an answer.

    A character of a script that puts no space between words counts as half a word.
    """
    joined = len(_WITHOUT_SPACES.findall(text))
    words = len(_WORD.findall(_WITHOUT_SPACES.sub(" ", text))) + joined / 2
    return words >= LEAST_WORDS and len(set(query_words(text))) >= _LEAST_TERMS


def fingerprint(text: str) -> str:
    """Equal for texts with the same words: case, white space, punctuation and marks aside."""
    words = " ".join(_WORD.findall(text.casefold())) or " ".join(text.split())
    return blake2b(words.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
