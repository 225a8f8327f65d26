"""SQLite and PostgreSQL say the same: whatever is put into both, all that can be asked has equal answers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support_postgres import postgres_url
from support_store import document

from headwise.indexing.where import parse_where
from headwise.indexing.words import phrase_ways
from headwise.stores.open import open_store
from headwise.stores.store import NO_CONDITIONS, Conditions, Filters, Phrase, Store, Words

ALL = Filters()
MODEL = "m"
NAMES = (
    "motor",
    "wheel",
    "Räder",
    "電動機",
    "日本語",
    "c++",
    "It's",
    "a\\b",
    "e\u0301",
    "\0",
    "\ufdd0",
    "\ufdd0fdd0",
    "😀",
)

# SQLite's driver takes no lone surrogates; what PostgreSQL makes of them is in `test_postgres.py`.
words = st.sampled_from(NAMES) | st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
texts = st.lists(words, max_size=12).map(" ".join)
# Not U+0000, which no file system has in a path.
paths = st.sampled_from(
    ["a.md", "b.md", "docs/a.md", "docs/b.md", "Docs/a.md", "docs-old/c.md", "Ä/ü.md", "\ufdd0/\U0001f600.md"]
)
documents = st.builds(
    lambda path, title, front, tags, *parts: document(path, *parts, title=title, tags=tuple(tags), front=front),
    paths,
    words,
    st.dictionaries(words, words | st.integers(0, 9) | st.lists(words, max_size=2), max_size=2),
    st.lists(st.sampled_from(["Robot/Arm", "robot", "x" * 4000, "日本"]), max_size=2),
    texts,
    texts,
) | st.builds(lambda path: replace(document(path), excluded=True), paths)
steps = st.lists(
    st.tuples(st.just("replace"), st.sampled_from(["r", "s"]), documents, st.none() | paths)
    | st.tuples(st.just("delete"), st.sampled_from(["r", "s"]), paths)
    | st.tuples(st.just("embed"), st.integers(1, 9)),
    min_size=1,
    max_size=12,
)
globs = st.sampled_from(["*.md", "docs", "docs/*", "**/a.md", "Ä/?.md", "*/\U0001f600.md", "nowhere"])
tags = st.sampled_from(["robot", "ROBOT/arm", "x" * 4000, "日本"])
filters = st.builds(
    Filters,
    st.lists(globs, max_size=1).map(tuple),
    st.lists(tags, max_size=1).map(tuple),
    st.lists(globs, max_size=1).map(tuple),
    st.lists(tags, max_size=1).map(tuple),
    st.lists(
        st.sampled_from(["motor", "!motor", "motor = wheel", "motor != 3", "motor > 4", "😀", "modified < 1990"]).map(
            parse_where
        ),
        max_size=1,
    ).map(tuple),
)
terms = st.lists(st.sampled_from(NAMES) | st.just("motor wheel"), min_size=1, max_size=3).map(" ".join)
phrases = st.builds(Phrase, terms.map(phrase_ways).filter(bool), st.booleans())
conditions = st.builds(
    Conditions,
    st.lists(phrases, max_size=1).map(tuple),
    st.lists(phrases, max_size=1).map(tuple),
)


def vector_of(text: str) -> np.ndarray[Any, np.dtype[np.float32]]:
    """A unit vector out of few, so that many are equal or nearly so."""
    vector = np.array([len(text) % 3, text.count("o") % 4, 1, 0.001 * (len(text) % 2)], dtype=np.float32)
    return vector / np.linalg.norm(vector)


def do(store: Store, step: tuple[Any, ...]) -> None:
    kind, *values = step
    if kind == "replace":
        root, wanted, source = values
        store.replace(root, wanted, instead_of=source)
    elif kind == "delete":
        store.delete(*values)
    else:
        store.add_vectors(MODEL, {p.content_hash: vector_of(p.text) for p in store.pending(MODEL, values[0])})


def answers(store: Store, query: list[str], chosen: Filters, like: Conditions) -> dict[str, Any]:
    """All that can be asked, with ids for rows, which are each store's own."""
    matches = store.match(query, chosen, 1000, like)
    near = store.nearest(MODEL, vector_of(" ".join(query)), chosen, 5)
    chunks = store.chunks([found.chunk for found in (*matches, *near)])
    files = store.files("r")
    every = store.chunks(store.listed(ALL, NO_CONDITIONS, 1000))
    return {
        "files": files,
        "below": [list(store.files("r", below)) for below in ("docs", "Docs", "a.md")],
        "pages": [store.files_after("r", "", after, 2) for after in ("", "docs/a.md", "Ä")],
        "documents": [store.load("r", path) for path in files],
        "places": store.places("s", [*files, "nowhere"]),
        "pending": [passage[1:] for passage in store.pending(MODEL, 100)],
        "waiting": [passage[1:] for passage in store.waiting(MODEL, 100)],
        "counts": [store.counts(root) for root in (None, "r", "s", "none")],
        "stats": [store.stats(root) for root in (None, "r")],
        "vectors": [store.coverage(MODEL), store.unused(), store.dimensions(MODEL), store.models(), store.roots()],
        "matches": [replace(chunks[match.chunk], row=0) for match in matches],
        "scores": [pytest.approx(match.score, abs=1e-9) for match in matches],
        "listed": [every[row].id for row in store.listed(chosen, like, 3)],
        "fulfilling": sorted((every[row].root, every[row].id) for row in store.fulfilling(every, like)),
        "near": [(replace(chunks[found.chunk], row=0), found.span, found.score) for found in near],
        "properties": store.property_names(),
        "faults": store.faults(),
    }


@given(steps, st.lists(words, min_size=1, max_size=3), filters, conditions)
@settings(max_examples=20)
def test_whatever_is_stored_both_stores_give_the_same_answers(tmp_path_factory, changes, asked, chosen, like):
    file: Path = tmp_path_factory.mktemp("store") / "index.db"
    url = postgres_url()
    with open_store(str(file), create=True) as one, open_store(url, create=True) as other:
        for change in changes:
            do(one, change)
            do(other, change)
        query = [term for name in asked for term in document("", name).words[0].text.split()] or ["motor"]
        left, right = answers(one, query, chosen, like), answers(other, query, chosen, like)
        for name, answer in left.items():
            assert answer == right[name], name
        assert one.prune() == other.prune()


def holds(words: Words, phrase: Phrase) -> bool:
    """Whether *phrase* is in *words*, found the slow way."""
    fields = [words.title] if phrase.in_title else words
    rows = [f" {field} " for field in fields]
    return any(f" {' '.join(way)} " in row for way in phrase.ways for row in rows)


texts_of_few = st.lists(st.sampled_from(["motor", "wheel", "last-applied", "日本語", "C++", "a.b/a"]), max_size=7).map(
    " ".join
)


@given(
    st.lists(st.tuples(texts_of_few, texts_of_few), min_size=1, max_size=8),
    st.builds(Phrase, texts_of_few.map(phrase_ways).filter(bool), st.booleans()),
)
@settings(max_examples=25)
def test_phrases_are_found_where_they_stand_and_nowhere_else(store_of_each_kind, notes, phrase):
    made = [document(f"{number}.md", text, title=title) for number, (title, text) in enumerate(notes)]
    wanted = [note.file.path for note in made if holds(note.words[0], phrase)]
    for number, store in enumerate(store_of_each_kind):
        for path in store.files("r"):
            store.delete("r", path)
        for note in made:
            store.replace("r", note)
        for like, paths in (
            (Conditions((phrase,)), wanted),
            (Conditions((), (phrase,)), [note.file.path for note in made if note.file.path not in wanted]),
        ):
            rows = store.listed(ALL, like, 99)
            assert [store.chunks([row])[row].path for row in rows] == paths, number
            assert store.fulfilling(rows, like) == set(rows)


@pytest.mark.parametrize("before", ["word " * 256, " ".join(f"w{number}" for number in range(16_383))])
def test_where_postgresql_knows_no_places_all_words_of_a_phrase_will_do(store_of_each_kind, before):
    """It holds 255 places of a word and none beyond the 16,383rd: a phrase is then rather found than missed."""
    there, not_there = Phrase(phrase_ways("motor drives")), Phrase(phrase_ways("drives motor"))
    listed: list[int] = []
    for store in store_of_each_kind:
        for path in store.files("r"):
            store.delete("r", path)
        store.replace("r", document("n.md", f"{before} motor drives"))
        assert len(store.match(["drive"], ALL, 9, Conditions((there,)))) == 1
        assert store.listed(ALL, Conditions((Phrase(there.ways, in_title=True),)), 9) == []
        listed.append(len(store.listed(ALL, Conditions((not_there,)), 9)))
    assert listed == [0, 1]


@pytest.fixture(scope="module")
def store_of_each_kind(tmp_path_factory):
    file: Path = tmp_path_factory.mktemp("stores") / "index.db"
    with open_store(str(file), create=True) as one, open_store(postgres_url(), create=True) as other:
        yield one, other
