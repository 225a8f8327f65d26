"""Scores of rankings, against sets of single characters and against another judge."""

from __future__ import annotations

import importlib.util
import json
import math
import sys
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared import SHARED, shared

from headwise import Settings, analyse
from headwise.chunking.measure import find_measure, token_starts
from headwise.evaluating.metrics import BUDGETS, Piece, Place, interval, paid_within, read_within, score

LENGTH = 60
SPANS = st.tuples(st.integers(0, LENGTH), st.integers(0, LENGTH)).filter(lambda span: span[0] < span[1])
PIECES = st.lists(
    st.builds(lambda name, span, extra: Piece(name, *span, extra), st.sampled_from("ab"), SPANS, st.integers(0, 3))
)
ANSWERS = st.lists(
    st.lists(st.builds(lambda span: Place("a", *span), SPANS), min_size=1, max_size=3), min_size=1, max_size=2
)
STARTS = st.fixed_dictionaries({name: st.lists(st.integers(0, LENGTH - 1), max_size=40).map(sorted) for name in "ab"})


def characters(places):
    return {(place[0], at) for place in places for at in range(place[1], place[2])}


@given(PIECES, ANSWERS, STARTS)
def test_scores_are_what_sets_of_characters_say(ranking, answers, tokens):
    got = score(ranking, answers, tokens)

    best: dict[str, float] = {}
    for answer in map(characters, answers):
        top = ranking[:5]
        read, found = sum(piece.end - piece.start for piece in top), characters(top) & answer
        gain, known = 0.0, set()
        for rank, piece in enumerate(ranking[:10], 1):
            new = (characters([piece]) & answer) - known
            gain += len(new) / len(answer) / math.log2(rank + 1)
            known |= new
        first = next((rank for rank, piece in enumerate(ranking, 1) if characters([piece]) & answer), math.inf)
        one = {
            "recall": len(found) / len(answer),
            "precision": len(found) / read if read else 0,
            "iou": len(found) / (read + len(answer) - len(found)),
            "ndcg": gain,
            "reciprocal_rank": 1 / first,
        }
        best = {name: max(value, best.get(name, 0)) for name, value in one.items()}
    assert {name: getattr(got, name) for name in best} == pytest.approx(best)


@given(PIECES, STARTS, st.integers(0, 50))
def test_no_more_tokens_are_read_than_there_may_be_and_the_next_would_be_too_many(ranking, tokens, budget):
    begun = {name: [(name, at) for at in tokens[name]] for name in "ab"}

    def count(read):
        return sum(one in read for name in "ab" for one in begun[name])

    read = characters(read_within(ranking, budget, tokens))

    assert read <= characters(ranking)
    assert count(read) <= budget
    if read != characters(ranking):
        in_order = []
        for piece in ranking:
            in_order += [one for one in sorted(characters([piece])) if one not in in_order]
        assert set(in_order[: len(read)]) == read
        assert count(read) == budget or count({*read, in_order[len(read)]}) > budget
    paid = paid_within(ranking, budget, tokens)
    assert (
        sum(count(characters([place])) for place in paid) + sum(p.context for p, _ in zip(ranking, paid, strict=False))
        <= budget
    )
    assert [place[:2] for place in paid] == [piece[:2] for piece in ranking[: len(paid)]]


@given(st.text(st.sampled_from("ab é日🦜\n\ud800"), max_size=40))
def test_tokens_begin_in_order_and_as_many_as_are_counted(text):
    starts = token_starts(text)
    assert starts == sorted(starts)
    assert len(starts) == find_measure("cl100k_base").count(text)
    assert not starts or (starts[0] == 0 and starts[-1] < len(text))


def test_an_interval_holds_the_mean_and_is_the_same_for_the_same_seed():
    values = list(np.random.default_rng(1).random(300))
    one = interval(values, seed=3)
    assert one == interval(values, seed=3) != interval(values, seed=4)
    assert one.low < one.mean < one.high
    assert one.mean == pytest.approx(sum(values) / 300)
    assert one.high - one.low == pytest.approx(2 * 1.96 * math.sqrt(1 / 12 / 300), rel=0.15)
    assert interval([]) == (0, 0, 0)


@pytest.mark.parametrize("name", ["links-s", "links-zh", "chroma"])
def test_another_judge_gives_the_same_scores(name):
    """To four digits, on chunks of real documents in an order that finds some of the answers."""
    pytest.importorskip("tiktoken")
    folder = shared("data", "questions", name)
    spec = importlib.util.spec_from_file_location("judge", SHARED / "judge" / "evaluate.py")
    judge = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(judge)
    asked = [json.loads(line) for line in (folder / "questions.jsonl").read_text("utf-8").splitlines()]
    texts = {
        (row := json.loads(line))["id"]: row["text"] for line in (folder / "docs.jsonl").read_text("utf-8").splitlines()
    }
    drawn = Random(0)  # noqa: S311 - no secret, and the same every time
    asked = drawn.sample([one for one in asked if len(texts[one["doc"]]) < 150_000] or asked, 25)
    names = list(dict.fromkeys(one["doc"] for one in asked))
    count = find_measure("cl100k_base").count
    chunks, extra = [], []
    for number, path in enumerate(names):
        for chunk in analyse(texts[path], settings=Settings(300, overlap=40)).chunks:
            chunks.append((number, chunk.start, chunk.end, chunk.embed_text))
            extra.append(count(chunk.context) + count(chunk.context_after))
    ranked = []
    for one in asked:
        own = [at for at, chunk in enumerate(chunks) if names[chunk[0]] == one["doc"]]
        ranked.append(drawn.sample(own, min(len(own), 9)) + drawn.sample(range(len(chunks)), 20))
        drawn.shuffle(ranked[-1])
    data = {"docs": [{"id": path, "text": texts[path]} for path in names], "qs": asked}
    theirs = judge.score(data, chunks, ranked, budgets=BUDGETS, extra=extra)

    tokens = {path: token_starts(texts[path]) for path in names}
    for one, order, row in zip(asked, ranked, theirs, strict=True):
        pieces = [Piece(names[chunks[at][0]], *chunks[at][1:3], extra[at]) for at in order]
        ours = score(pieces, [[Place(one["doc"], *span) for span in one["spans"]]], tokens)
        expected = [row["recall@5"], row["prec@5"], row["iou@5"], row["ndcg@10"]]
        assert [ours.recall, ours.precision, ours.iou, ours.ndcg] == pytest.approx(expected, abs=5e-5)
        assert ours.within == pytest.approx([row[f"rec@{budget}t"] for budget in BUDGETS], abs=5e-5)
        assert ours.paid == pytest.approx([row[f"recd@{budget}t"] for budget in BUDGETS], abs=5e-5)
    values = [row["ndcg@10"] for row in theirs]
    assert interval(values) == pytest.approx(judge.bootstrap([{"m": 0}] * len(values), [{"m": v} for v in values], "m"))
    assert "judge" not in sys.modules
