"""An edit stays where it is: it changes no chunk and no passage outside its section, and few inside it."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import mean
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from shared import shared
from support_edits import EDITS, insert_sentence, sentences, source
from test_laws import BLOCK, LEAF

from headwise import Chunk, Settings, analyse
from headwise.chunking.passages import passages
from headwise.chunking.split import Analysis
from headwise.model import Passage

VAULT = Path(__file__).resolve().parent.parent / "examples" / "vault"
CORPORA = ("rust-book", "k8s-keps", "react-ja", "tidb-zh", "vue-zh", "react-ar")
SETTINGS = [
    Settings(),
    Settings(60, min_tokens=0, overlap="1s"),
    Settings(150, overlap="15%"),
]
_DEFINITION = re.compile(r"^[ \t>*+\-\d.]*\[[^\]\n]+\]:.*", re.MULTILINE)


def decided_elsewhere(made: Analysis) -> Any:
    """What the cut of a section takes from the rest of the document: its outline, its title, its definitions."""
    outline = [(s.level, s.title, s.anchor, s.parent) for s in made.sections]
    return outline, made.title, Counter(_DEFINITION.findall(made.tree.text))


def spans(made: Analysis) -> Iterator[tuple[int, int]]:
    """First and last section that each chunk holds text of, -1 for what stands before all."""
    for chunk in made.chunks:
        yield made.layout.section_at(chunk.start), made.layout.section_at(chunk.end - 1)


def joined(edited: range, *cuts: Analysis) -> range:
    """The sections that share a chunk with these in any of the cuts, or with one of those, and so on."""
    first, last = edited.start, edited.stop - 1
    every = [span for made in cuts for span in spans(made)]
    while True:
        touching = [span for span in every if span[0] <= last and span[1] >= first]
        wider = min([first, *(a for a, _ in touching)]), max([last, *(b for _, b in touching)])
        if wider == (first, last):
            return range(first, last + 1)
        first, last = wider


def facts(chunk: Chunk, inside: tuple[Passage, ...]) -> Any:
    """Everything about a chunk and its passages but where in the document they stand."""
    return (
        chunk.anchor,
        chunk.number,
        chunk.headings,
        chunk.title,
        chunk.context,
        chunk.text,
        chunk.context_after,
        chunk.own_start - chunk.start,
        chunk.embed_text,
        chunk.tokens,
        chunk.kinds,
        chunk.tags,
        chunk.links,
        chunk.navigation,
        chunk.oversize,
        [(passage.start - chunk.start, passage.embed_text) for passage in inside],
    )


def outside(made: Analysis, settings: Settings, sections: range) -> list[Any]:
    """Facts of the chunks that begin in none of the *sections*."""
    pairs = zip(made.chunks, passages(made, settings, 32), strict=True)
    return [facts(c, inside) for c, inside in pairs if made.layout.section_at(c.own_start) not in sections]


def assert_nothing_changed_outside(before: Analysis, after: Analysis, settings: Settings, edited: range) -> int:
    """The number of chunks outside; the edit was in the *edited* sections."""
    near = joined(edited, before, after)
    kept = outside(before, settings, near)
    assert outside(after, settings, near) == kept
    return len(kept)


def bodies(made: Analysis) -> Iterator[tuple[int, int, int]]:
    """Number, start and end of the own text of every section that has some; of what stands before all, -1."""
    text = made.tree.text
    first = made.sections[0].start if made.sections else len(text)
    if text[made.tree.front_matter.end : first].strip():
        yield -1, made.tree.front_matter.end, first
    for number, section in enumerate(made.sections):
        if text[section.own_start : section.own_end].strip():
            yield number, section.own_start, section.own_end


def notes() -> list[str]:
    return [path.read_text("utf-8") for path in sorted(VAULT.rglob("*.md"))]


def corpus(name: str) -> list[str]:
    files = sorted(shared("data", "corpora", name).rglob("*.md"))
    texts = (path.read_bytes().decode("utf-8", "replace") for path in random.Random(5).sample(files, 5))  # noqa: S311 - the same every time
    return [text for text in texts if len(text) < 12_000]


def edit_everywhere(texts: list[str], settings: Settings, seed: int) -> tuple[int, int, int]:
    """Every kind of edit in some sections of every text: edits tried, of them compared, and chunks found unchanged."""
    pick = random.Random(seed)  # noqa: S311 - the same edits every time are wanted
    tried = compared = unchanged = 0
    for text in texts:
        before = analyse(text, settings=settings, title="A title")
        donor = sentences(before)
        found = list(bodies(before))
        for number, start, end in pick.sample(found, min(3, len(found))):
            for edit in EDITS:
                edited = edit(source(before, start, end, donor, pick))
                if edited is None:
                    continue
                tried += 1
                after = analyse(edited, settings=settings, title="A title")
                if decided_elsewhere(after) == decided_elsewhere(before):
                    compared += 1
                    unchanged += assert_nothing_changed_outside(before, after, settings, range(number, number + 1))
    return tried, compared, unchanged


@pytest.mark.parametrize("settings", SETTINGS, ids=lambda settings: settings.key())
def test_an_edit_of_a_note_changes_nothing_outside_its_section(settings: Settings) -> None:
    tried, compared, unchanged = edit_everywhere(notes(), settings, 1)

    assert compared > 200
    assert compared >= 0.95 * tried
    assert unchanged > 3 * compared


@pytest.mark.parametrize("name", CORPORA)
def test_an_edit_of_a_real_document_changes_nothing_outside_its_section(name: str) -> None:
    tried, compared, unchanged = edit_everywhere(corpus(name), Settings(200), 2)

    assert compared >= 0.9 * tried > 5
    assert unchanged > 3 * compared


BODY = st.lists(LEAF, min_size=1, max_size=3)
SECTIONS = st.lists(st.tuples(st.integers(1, 3), BODY), min_size=2, max_size=4)


def document(sections: list[tuple[int, list[str]]]) -> str:
    parts = ("\n\n".join((f"{'#' * level} Part {n}", *body)) for n, (level, body) in enumerate(sections))
    return "\n\n".join(parts) + "\n"


@given(
    SECTIONS,
    st.data(),
    st.fixed_dictionaries(
        {
            "max_tokens": st.integers(1, 120),
            "min_tokens": st.just(0) | st.none(),
            "overlap": st.sampled_from([0, 0, "20%", "1s"]),
            "tokenizer": st.sampled_from(["cl100k_base", "chars", "words"]),
            "tiny": st.sampled_from(["join", "join", "keep", "drop"]),
        }
    ),
)
def test_an_edit_of_any_document_changes_nothing_outside_its_section(sections, data, options: dict[str, Any]) -> None:
    if options["max_tokens"] == 1:
        options = {**options, "overlap": 0}
    settings = Settings(**options)
    number = data.draw(st.integers(0, len(sections) - 1))
    level, body = sections[number]
    at = data.draw(st.integers(0, len(body)))
    new = data.draw(st.lists(BLOCK, max_size=1))
    edited = [*body[:at], *new, *body[at + data.draw(st.integers(0, 1)) :]]
    before, after = (
        analyse(document(each), settings=settings, title="T", flavours="math,obsidian,mdx,admonitions")
        for each in (sections, [*sections[:number], (level, edited), *sections[number + 1 :]])
    )
    assume(decided_elsewhere(before) == decided_elsewhere(after))
    parts = [n for n, section in enumerate(before.sections) if re.fullmatch(r"Part \d", section.title)]
    assume(len(parts) == len(sections))
    until = parts[number + 1] if number + 1 < len(parts) else len(before.sections)

    assert_nothing_changed_outside(before, after, settings, range(parts[number], until))


def fresh(old: list[str], new: list[str]) -> int:
    """How many of the new ones were not there before."""
    return (Counter(new) - Counter(old)).total()


def embedded(made: Analysis) -> tuple[list[str], list[str]]:
    """What an embedder is given of all chunks and of all passages."""
    inside = passages(made, Settings())
    return [chunk.embed_text for chunk in made.chunks], [p.embed_text for group in inside for p in group]


def test_an_inserted_sentence_changes_one_or_two_passages_of_most_sections() -> None:
    pick = random.Random(3)  # noqa: S311 - the same edits every time are wanted
    found: list[int] = []
    for text in notes():
        before = analyse(text, title="A title")
        for _, start, end in bodies(before):
            for _ in range(4 if end - start > 600 else 0):
                edited = insert_sentence(source(before, start, end, sentences(before), pick))
                if edited is not None:
                    found.append(fresh(embedded(before)[1], embedded(analyse(edited, title="A title"))[1]))

    assert len(found) > 40
    assert min(found) >= 1
    # a long log whose lines are alike is the exception: nothing in it brings passages back into step
    assert sum(number <= 2 for number in found) > 0.8 * len(found)


@pytest.mark.parametrize("parts", [20, 60])
def test_an_edit_of_a_long_text_without_headings_changes_few_chunks_however_long_it_is(parts: int) -> None:
    pick = random.Random(4)  # noqa: S311 - the same text every time is wanted
    paragraphs = [
        " ".join(f"The number {pick.randrange(10**6)} stands here." for _ in range(pick.randint(2, 12)))
        for _ in range(parts * 4)
    ]
    before = embedded(analyse("\n\n".join(paragraphs), title="T"))
    found: list[tuple[int, int]] = []
    for at in range(3, len(paragraphs), len(paragraphs) // 10):
        edited = [
            *paragraphs[:at],
            "Something new stands here, of some twenty tokens, as it was asked for.",
            *paragraphs[at:],
        ]
        after = embedded(analyse("\n\n".join(edited), title="T"))
        found.append((fresh(before[0], after[0]), fresh(before[1], after[1])))

    assert len(before[0]) > parts * 0.5
    assert mean(chunks for chunks, _ in found) < 4
    assert mean(inside for _, inside in found) < 9
