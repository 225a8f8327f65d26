"""Nearest passages are those that comparing with every one would give, whatever was changed by whom meanwhile."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
from zlib import crc32

import numpy as np
import pytest
from support_store import document, raw

from headwise.errors import StoreError
from headwise.stores.open import open_store
from headwise.stores.store import Filters, Store

FILTERS = {
    Filters(): lambda _path: True,
    Filters(paths=("3",)): lambda path: path.startswith("3/"),
    Filters(tags=("some",)): lambda path: path.endswith(("1.md", "2.md")),
    Filters(without_tags=("some",)): lambda path: not path.endswith(("1.md", "2.md")),
    Filters(paths=("nothing",)): lambda _path: False,
}


DIRECTIONS = np.random.default_rng(1).standard_normal((40, 6)).astype(np.float32)
DIRECTIONS /= np.linalg.norm(DIRECTIONS, axis=1, keepdims=True)


def vector_of(text: str, model: str = "m"):
    """One of few directions: many vectors are equal."""
    return DIRECTIONS[crc32(f"{model} {text}".encode()) % len(DIRECTIONS)]


def note(path: str, texts: list[str]):
    return document(path, *texts, tags=("some",) if path.endswith(("1.md", "2.md")) else ())


def embed(store: Store, model: str, *, but: int = 0) -> None:
    """Gives all passages but the last *but* their vectors."""
    waiting = store.pending(model, 10_000)
    store.add_vectors(model, {p.content_hash: vector_of(p.text, model) for p in waiting[: len(waiting) - but]})


def compared_with_all(notes: dict[str, list[str]], known: set[str], model: str, asked, allowed, limit: int):
    found: list[tuple[float, str, int]] = []
    for path, texts in notes.items():
        at = 0
        for text in texts:
            read = f"Note > Part\n\n{text}"
            if allowed(path) and read in known:
                row = vector_of(read, model).astype(np.float16).astype(np.float64)
                found.append((-float(row @ asked / np.linalg.norm(row) / np.linalg.norm(asked)), path, at))
            at += len(text) + 1
    ranked = sorted(found, key=lambda one: (round(one[0], 6), one[1], one[2]))[:limit]
    return [(path, start, pytest.approx(-away, abs=1e-5)) for away, path, start in ranked]


def nearest(store: Store, model: str, asked, filters: Filters, limit: int):
    found = store.nearest(model, asked, filters, limit)
    chunks = store.chunks([near.chunk for near in found])
    return [(chunks[near.chunk].path, near.span.start, near.score) for near in found]


@pytest.mark.parametrize("seed", range(2))
def test_a_reader_finds_what_comparing_with_all_gives_while_others_write(store_url, seed):
    pick = random.Random(seed)  # noqa: S311 - no secrets
    notes: dict[str, list[str]] = {}
    known: dict[str, set[str]] = {"m": set(), "other": set()}
    with open_store(store_url, create=True) as writer, open_store(store_url) as reader:
        for step in range(40):
            act = pick.choice(["replace"] * 5 + ["delete", "embed", "embed", "drop", "prune", "mend"])
            if act == "replace" or step < 10:
                for _ in range(pick.randint(1, 8)):
                    path = f"{pick.randrange(10)}/{pick.randrange(10)}.md"
                    notes[path] = [f"text {pick.randrange(900)}" for _ in range(pick.randint(1, 12))]
                    writer.replace("r", note(path, notes[path]))
            elif act == "delete":
                path = pick.choice(sorted(notes))
                writer.delete("r", path)
                del notes[path]
            elif act == "embed":
                embed(writer, pick.choice(("m", "m", "other")), but=pick.choice((0, 3)))
            elif act == "drop":
                gone = [p.content_hash for p in writer.waiting("nothing", 10_000)]
                writer.drop_vectors("m", pick.sample(gone, len(gone) // 3))
            elif act == "prune":
                writer.prune(pick.choice((None, None, "m")))
            else:
                writer.mend()
            used = {p.content_hash: p.text for p in writer.waiting("nothing", 10_000)}
            for model, texts in known.items():
                texts.clear()
                texts.update(used[name] for name in writer.vectors(model, used))
            for filters, allowed in FILTERS.items():
                model, limit = pick.choice(("m", "other")), pick.choice((1, 7, 60))
                asked = vector_of(f"query {pick.randrange(99)}")
                expected = compared_with_all(notes, known[model], model, asked, allowed, limit)
                assert nearest(reader, model, asked, filters, limit) == expected, (step, act)


def test_what_a_thread_finds_is_never_older_than_what_one_before_it_found(store_url):
    directions = [np.array([np.cos(turn), np.sin(turn)], dtype=np.float32) for turn in np.linspace(1, 0, 40)]
    asked = directions[-1]
    seen: list[list[int]] = [[] for _ in range(4)]
    done = threading.Event()
    with open_store(store_url, create=True) as writer, open_store(store_url) as reader:
        writer.replace("r", document("a.md", *(f"text {number}" for number in range(40))))
        waiting = writer.pending("m", 100)

        def search(found: list[int]) -> None:
            while not done.is_set():
                best = reader.nearest("m", asked, Filters(), 1)
                found.append(reader.chunks([best[0].chunk])[best[0].chunk].start_line if best else 0)

        threads = [threading.Thread(target=search, args=(found,)) for found in seen]
        for thread in threads:
            thread.start()
        for number, (passage, direction) in enumerate(zip(waiting, directions, strict=True)):
            writer.add_vectors("m", {passage.content_hash: direction})
            if number % 10 == 9:
                writer.drop_vectors("m", [waiting[0].content_hash])
            assert reader.nearest("m", asked, Filters(), 1)[0].score > (directions[number] @ asked) - 1e-3
        done.set()
        for thread in threads:
            thread.join()
        assert reader.nearest("m", asked, Filters(), 1)[0].score == pytest.approx(1, abs=1e-3)
    assert all(found == sorted(found) for found in seen)
    assert any(len(set(found)) > 1 for found in seen)


@pytest.mark.parametrize("wanted", ["near", "far", "both"])
def test_of_half_of_the_documents_the_nearest_are_found_wherever_they_stand(store_url, wanted):
    """Too many to ask at once for all that half of them have, so that the nearest of all are looked at before."""
    turns = np.linspace(0, 1, 2000)
    by_text: dict[str, float] = {}
    with open_store(store_url, create=True) as store:
        for number in range(20):
            folder = "near" if number < 10 else "far"
            texts = {f"text {at}": turns[at] for at in range(number * 100, number * 100 + 100)}
            by_text |= texts
            store.replace("r", document(f"{folder}/{number:02}.md", *texts))
        waiting = store.pending("m", 10_000)
        angles = {p.content_hash: by_text[p.text.rpartition("\n")[2]] for p in waiting}
        store.add_vectors("m", {name: np.array([np.cos(at), np.sin(at)], np.float32) for name, at in angles.items()})

        found = store.nearest(
            "m", np.array([1, 0], np.float32), Filters(paths=() if wanted == "both" else (wanted,)), 5
        )

        first = 1000 if wanted == "far" else 0
        assert [hit.score for hit in found] == pytest.approx(np.cos(turns[first : first + 5]).tolist(), abs=1e-3)
        paths = {chunk.path for chunk in store.chunks([hit.chunk for hit in found]).values()}
        assert paths == {"far/10.md" if wanted == "far" else "near/00.md"}


def test_a_reader_sees_what_another_process_commits(store_url):
    with open_store(store_url, create=True) as reader:
        reader.replace("r", note("a.md", ["text 1", "text 2"]))
        assert reader.nearest("m", vector_of("query"), Filters(), 9) == []
        script = (
            "import sys, numpy as np; from headwise.stores.open import open_store\n"
            "with open_store(sys.argv[1]) as store:\n"
            "    pending = store.pending('m', int(sys.argv[2]))\n"
            "    store.add_vectors('m', {p.content_hash: np.array([1, 0], 'f') for p in pending})"
        )
        for count in (1, 2):
            subprocess.run([sys.executable, "-c", script, store_url, str(count)], check=True)
            assert len(reader.nearest("m", np.array([1, 0], np.float32), Filters(), 9)) == count


def test_a_row_that_is_used_again_after_a_vector_was_dropped_is_read_again(store_url):
    with open_store(store_url, create=True) as writer, open_store(store_url) as reader:
        writer.replace("r", note("a.md", ["east", "north"]))
        east, north = (passage.content_hash for passage in writer.pending("m", 9))
        writer.add_vectors("m", {east: np.array([1, 0], np.float32)})
        assert reader.nearest("m", np.array([1, 0], np.float32), Filters(), 9)[0].score == pytest.approx(1)
        writer.drop_vectors("m", [east])
        writer.add_vectors("m", {north: np.array([0, 1], np.float32)})
        (found,) = reader.nearest("m", np.array([1, 0], np.float32), Filters(), 9)
        assert (found.span.start, found.score) == (5, 0)


def test_vectors_of_different_lengths_are_an_error_whenever_the_second_kind_comes(store_url):
    with open_store(store_url, create=True) as store:
        store.replace("r", note("a.md", ["east", "north"]))
        east, north = (passage.content_hash for passage in store.pending("m", 9))
        store.add_vectors("m", {east: np.array([1, 0], np.float32)})
        assert len(store.nearest("m", np.array([1, 0], np.float32), Filters(), 9)) == 1
        store.add_vectors("m", {north: np.array([1, 0, 0], np.float32)})
        with pytest.raises(StoreError, match="different lengths"):
            store.nearest("m", np.array([1, 0], np.float32), Filters(), 9)
        store.drop_vectors("m", [north])
        with pytest.raises(StoreError, match="different lengths"):
            store.nearest("m", np.array([1, 0, 0], np.float32), Filters(), 9)
        assert len(store.nearest("m", np.array([1, 0], np.float32), Filters(), 9)) == 1


def test_new_vectors_come_behind_those_in_memory_and_all_are_read_again_only_after_some_were_dropped(tmp_path):
    url = f"sqlite:///{tmp_path}/index.db"
    with open_store(url, create=True) as writer, open_store(url) as reader:
        writer.replace("r", note("a.md", [f"text {number}" for number in range(100)]))
        hashes = [passage.content_hash for passage in writer.pending("m", 100)]

        def in_memory():
            assert len(reader.nearest("m", vector_of("query"), Filters(), 100)) == len(writer.vectors("m", hashes))
            return reader._matrices._known["m"].rows

        def add(names: list[str]) -> None:
            writer.add_vectors("m", {name: vector_of(name) for name in names})

        add(hashes[:50])
        assert len(in_memory()) == 50
        add(hashes[50:51])
        grown = in_memory()
        add(hashes[51:60])
        assert in_memory() is grown
        writer.replace("r", note("b.md", ["text 1"]))
        writer.delete("r", "b.md")
        assert in_memory() is grown
        # Were they read again, this would be noticed.
        with raw(url) as run:
            run("UPDATE vectors SET data = zeroblob(12) WHERE id = 1")
        add(hashes[60:62])
        assert in_memory() is grown
        assert grown[0].any()
        writer.drop_vectors("m", hashes[61:62])
        assert not in_memory()[0].any()


def test_nothing_is_near_to_a_text_that_the_model_knows_no_word_of(store_url):
    with open_store(store_url, create=True) as store:
        store.replace("r", note("a.md", ["east"]))
        embed(store, "m")
        assert store.nearest("m", np.zeros(6, np.float32), Filters(), 9) == []


def test_documents_whose_passages_have_no_vectors_yet_have_none_near(store_url):
    with open_store(store_url, create=True) as store:
        store.replace("r", note("a.md", ["east"]))
        embed(store, "m")
        store.replace("r", note("b.md", ["west"]))
        assert store.nearest("m", vector_of("query"), Filters(paths=("b.md",)), 9) == []
        assert len(store.nearest("m", vector_of("query"), Filters(), 9)) == 1
