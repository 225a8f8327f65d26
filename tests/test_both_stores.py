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

from headwise.stores.open import open_store
from headwise.stores.store import Filters, Store

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
    lambda path, title, tags, *parts: document(path, *parts, title=title, tags=tuple(tags)),
    paths,
    words,
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
filters = st.builds(
    Filters,
    st.none() | st.sampled_from(["*.md", "docs", "docs/*", "**/a.md", "Ä/?.md", "*/\U0001f600.md", "nowhere"]),
    st.lists(st.sampled_from(["robot", "ROBOT/arm", "x" * 4000, "日本"]), max_size=1).map(tuple),
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


def answers(store: Store, query: list[str], chosen: Filters) -> dict[str, Any]:
    """All that can be asked, with ids for rows, which are each store's own."""
    matches = store.match(query, chosen, 1000)
    near = store.nearest(MODEL, vector_of(" ".join(query)), chosen, 5)
    chunks = store.chunks([found.chunk for found in (*matches, *near)])
    files = store.files("r")
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
        "near": [(replace(chunks[found.chunk], row=0), found.span, found.score) for found in near],
        "faults": store.faults(),
    }


@given(steps, st.lists(words, min_size=1, max_size=3), filters)
@settings(max_examples=15)
def test_whatever_is_stored_both_stores_give_the_same_answers(tmp_path_factory, changes, asked, chosen):
    file: Path = tmp_path_factory.mktemp("store") / "index.db"
    url = postgres_url()
    with open_store(str(file), create=True) as one, open_store(url, create=True) as other:
        for change in changes:
            do(one, change)
            do(other, change)
        query = [term for name in asked for term in document("", name).words[0].text.split()] or ["motor"]
        left, right = answers(one, query, chosen), answers(other, query, chosen)
        for name, answer in left.items():
            assert answer == right[name], name
        assert one.prune() == other.prune()
