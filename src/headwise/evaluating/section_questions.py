"""Questions from sections: a title asks for its section, a first sentence for the rest of its section."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from headwise.evaluating.link_questions import Asked, plain_words
from headwise.evaluating.sources import Source, says_enough
from headwise.indexing.words import query_words
from headwise.reading.sentences import sentence_starts

_LEAST_TERMS = 2


def heading_questions(sources: Sequence[Source]) -> Iterator[Asked]:
    """Titles of at least two words that are no stop words; easy, as the words stand in the document."""
    for source in sources:
        for section in source.sections:
            target = source.own(section)
            if len(set(query_words(section.title))) >= _LEAST_TERMS and says_enough(source.text_of(target)):
                yield Asked(section.title, target, section.title)


def first_sentence_questions(sources: Sequence[Source]) -> Iterator[Asked]:
    """First sentences of sections that begin with a paragraph, for what comes after them."""
    for source in sources:
        paragraphs = {block.start: block for block in source.tree.blocks if block.kind == "paragraph"}
        for section in source.sections:
            target = source.own(section)
            block = paragraphs.get(target.start)
            if block is None:
                continue
            starts = sentence_starts(source.tree.text, block.start, block.end, source.tree.atoms)
            rest = source.trimmed(min(starts[0] if starts else block.end, target.end), target.end)
            text = plain_words(source.tree.text[target.start : rest.start])
            if says_enough(text) and says_enough(source.text_of(rest)):
                yield Asked(text, target, section.title, skipped=rest.start - target.start)
