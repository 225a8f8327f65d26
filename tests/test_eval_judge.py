"""A whole evaluation by the command line, held against a judge that shares no code with it."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from random import Random
from statistics import fmean

import pytest
from click.testing import CliRunner
from shared import SHARED, shared

from headwise.app.cli import cli
from headwise.evaluating.evaluate import as_words
from headwise.evaluating.metrics import BUDGETS
from headwise.indexing.index import Index

SIZE, DOCUMENTS, QUESTIONS = 300, 8, 40


def run(*arguments: str) -> str:
    done = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.mark.parametrize("name", ["links-s", "links-zh"])
def test_an_evaluation_gives_what_another_judge_gives_the_same_chunks_in_the_same_order(
    name: str, tmp_path: Path
) -> None:
    """To four digits: recall, precision, IoU, nDCG and recall within budgets, in the mean over all questions."""
    pytest.importorskip("tiktoken")
    data = shared("data", "questions", name)
    spec = importlib.util.spec_from_file_location("judge", SHARED / "judge" / "evaluate.py")
    judge = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(judge)
    texts = {row["id"]: row["text"] for row in map(json.loads, (data / "docs.jsonl").read_text("utf-8").splitlines())}
    asked = [json.loads(line) for line in (data / "questions.jsonl").read_text("utf-8").splitlines()]
    asked = [one for one in asked if 4_000 < len(texts[one["doc"]]) < 20_000 and "\r" not in texts[one["doc"]]]
    names = Random(0).sample(sorted({one["doc"] for one in asked}), DOCUMENTS)  # noqa: S311 - no secret
    asked = [{"q": one["q"], "doc": one["doc"], "spans": one["spans"]} for one in asked if one["doc"] in names]
    asked = [one for one in asked if once(texts[one["doc"]], one["spans"])][:QUESTIONS]
    folder = tmp_path / "docs"
    for one in names:
        (folder / one).parent.mkdir(parents=True, exist_ok=True)
        (folder / one).write_text(texts[one], "utf-8", newline="")
    rows = [
        {"question": one["q"], "path": one["doc"], "quote": texts[one["doc"]][slice(*one["spans"][0])]} for one in asked
    ]
    (tmp_path / "own.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")

    cutting = ("--max-tokens", str(SIZE), "--overlap", "15%", "--strategy", "headings")
    own = ("--questions", str(tmp_path / "own.jsonl"), "--sample", "1", "--cache", str(tmp_path / "cache"))
    found = json.loads(run("eval", str(folder), *cutting, *own, "--json"))

    store = f"sqlite:///{tmp_path / 'index.db'}"
    (folder / "headwise.toml").write_text(f'max_tokens = {SIZE}\noverlap = "15%"\n', "utf-8")
    run("index", str(folder), "--store", store)
    cut = [json.loads(line) for line in run("chunk", str(folder), "--json").splitlines()]
    number = {(chunk["path"], chunk["start"], chunk["end"]): at for at, chunk in enumerate(cut)}
    ranked = []
    with Index(store) as index:
        for one in asked:
            hits = index.search(as_words(one["q"]), limit=100)
            pieces = [(piece.path, piece.start, piece.end) for hit in hits for piece in (hit, *hit.also)]
            ranked.append([number[piece] for piece in pieces])
    pieces = [
        (names.index(one["path"]), one["start"], one["end"], one["context"] + one["text"] + one["context_after"])
        for one in cut
    ]
    extra = [max(0, judge.ntok(piece[3]) - judge.ntok(texts[names[piece[0]]][piece[1] : piece[2]])) for piece in pieces]
    pool = {"docs": [{"id": one, "text": texts[one]} for one in names], "qs": asked}
    theirs = judge.score(pool, pieces, ranked, budgets=BUDGETS, extra=extra)

    ours = found["settings"][0]["kinds"]["own"]
    assert found["settings"][0]["chunks"] == len(cut)
    for mine, their in (("recall", "recall@5"), ("precision", "prec@5"), ("iou", "iou@5"), ("ndcg", "ndcg@10")):
        assert ours[mine]["mean"] == pytest.approx(fmean(row[their] for row in theirs), abs=5e-5), mine
    for mine, their in (("within", "rec@{}t"), ("paid", "recd@{}t")):
        expected = [fmean(row[their.format(budget)] for row in theirs) for budget in BUDGETS]
        assert [one["mean"] for one in ours[mine]] == pytest.approx(expected, abs=5e-5), mine
    each = [one["recall"][0] for one in found["questions"] if one["kind"] == "own"]
    assert each == pytest.approx([row["rec@2000t"] for row in theirs], abs=5e-5)
    assert 0.3 < fmean(each) < 1, "neither all nor nothing is found"


def once(text: str, spans: list[list[int]]) -> bool:
    """Whether a quote says which span is meant: one that begins and ends with what can be seen, and stands once."""
    quote = text[slice(*spans[0])]
    return len(spans) == 1 and quote == quote.strip() and " ".join(text.split()).count(" ".join(quote.split())) == 1
