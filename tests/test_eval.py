"""Settings compared on real folders: the same figures every time, resumed, and with an advice that holds."""

from __future__ import annotations

import json
import re
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from click.testing import CliRunner
from rich.console import Console

from headwise.app.cli import cli
from headwise.app.eval_view import eval_view
from headwise.evaluating.advice import advise, judged_kinds
from headwise.evaluating.cache import Cache, Remembering
from headwise.evaluating.candidates import Grid, candidates
from headwise.evaluating.churn import Churn, git_edits, measure_churn, simulated_edits
from headwise.evaluating.evaluate import Task, evaluate
from headwise.evaluating.metrics import Place, Scores
from headwise.evaluating.questions import Question, Questions, make_questions
from headwise.evaluating.report import Drawn, make_report
from headwise.evaluating.result import Result, Shown
from headwise.evaluating.sources import read_sources
from headwise.indexing.documents import read_document
from headwise.indexing.files import FileOptions, find_files
from headwise.indexing.models import ModelSettings, open_model
from headwise.indexing.records import IndexSettings

VAULT = Path(__file__).resolve().parent.parent / "examples" / "vault"


def sources(folder: Path = VAULT):
    return read_sources([read_document(file) for file in find_files(folder, FileOptions()).files])


def run(*arguments: str) -> dict:
    result = CliRunner().invoke(cli, ["eval", *arguments, "--json"])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_the_command_says_what_was_found_and_says_it_again(tmp_path: Path) -> None:
    arguments = (str(VAULT), "--max-tokens", "100,400", "--strategy", "headings", "--sample", "15")
    first = run(*arguments, "--cache", str(tmp_path / "a"))
    assert [one["name"] for one in first["settings"]] == ["headings 100", "headings 400"]
    assert first["advice"]["name"] in {"headings 100", "headings 400"}
    for one in first["settings"]:
        assert one["kinds"]["headings"]["within"][2]["mean"] > 0.8, "a title finds its section"
        assert one["chunks"] > 30
        assert one["churn"]["edits"] == 60
        assert 0 < one["churn"]["share"] < 1
    assert len(first["questions"][0]["recall"]) == 2
    kept = run(*arguments, "--cache", str(tmp_path / "a"))
    assert kept == first, "what is kept is what was measured"
    again = run(*arguments, "--cache", str(tmp_path / "b"))
    for one, other in zip(first["settings"], again["settings"], strict=True):
        assert one | {"seconds": 0} == other | {"seconds": 0}


def test_a_run_that_was_killed_goes_on_where_it_was_and_says_the_same(tmp_path: Path) -> None:
    arguments = (str(VAULT), "--max-tokens", "100,200,400", "--strategy", "headings", "--sample", "10")
    killed, cache = tmp_path / "killed", tmp_path / "killed" / "eval.db"
    command = [sys.executable, "-m", "headwise", "eval", *arguments, "--json", "--cache", str(killed)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        while process.poll() is None and len(kept(cache, "results")) < 1:
            time.sleep(0.02)
        process.kill()
        process.communicate()
    results, vectors = kept(cache, "results"), kept(cache, "vectors")
    assert 1 <= len(results) < 3, "it was killed midway"
    assert len(vectors) > 100
    went_on, whole = (run(*arguments, "--cache", str(folder)) for folder in (killed, tmp_path / "whole"))
    assert results.items() <= kept(cache, "results").items(), "what was measured is not measured again"
    assert vectors.items() <= kept(cache, "vectors").items()
    for found in (went_on, whole):
        for one in found["settings"]:
            del one["seconds"]
    assert json.dumps(went_on) == json.dumps(whole)


def kept(cache: Path, table: str) -> dict:
    if not cache.exists():
        return {}
    with closing(sqlite3.connect(f"file:{cache}?mode=ro", uri=True)) as file:
        try:
            return dict(file.execute(f"SELECT * FROM {table}"))
        except sqlite3.OperationalError:  # no table yet
            return {}


def test_a_kept_result_is_not_measured_again_and_another_folder_is(tmp_path: Path) -> None:
    known = sources()
    (one,) = candidates(Grid((200,), (0,), ("headings",)), IndexSettings())
    task = Task(known, make_questions(known, sample=3).asked, ())
    with Cache(tmp_path) as cache:
        first = evaluate(one, task, None, cache, lambda _done, _total: None)
        broken = replace(one, cut=lambda _: 1 / 0)
        assert evaluate(broken, task, None, cache, lambda _done, _total: None) == first
        with pytest.raises(ZeroDivisionError):
            evaluate(broken, Task(known[1:], task.questions, ()), None, cache, lambda _done, _total: None)


def test_a_text_is_embedded_once_whatever_asks_for_it(tmp_path: Path) -> None:
    model = open_model(ModelSettings())
    asked: list[str] = []

    class Counting:
        key, reads, name, dimensions = model.key, model.reads, model.name, model.dimensions
        fits, knows, embed_query = model.fits, model.knows, model.embed_query

        def embed_passages(self, texts):
            asked.extend(texts)
            return model.embed_passages(texts)

    with Cache(tmp_path) as cache:
        first = Remembering(Counting(), cache).embed_passages(["one wire", "two wires"])
    with Cache(tmp_path) as cache:
        again = Remembering(Counting(), cache).embed_passages(["two wires", "three", "one wire"])
    assert asked == ["one wire", "two wires", "three"]
    assert (again[2] == first[0]).all()
    assert (again[0] == first[1]).all()


def test_an_edit_at_the_start_costs_more_where_cuts_follow_no_headings() -> None:
    known = sources()
    edits = simulated_edits(known, seed=1)
    assert edits == simulated_edits(known, seed=1) != simulated_edits(known, seed=2)
    headings, fixed = candidates(Grid((400,), (0,), ("headings", "fixed")), IndexSettings())
    assert 0 < measure_churn(headings, edits).share < measure_churn(fixed, edits).share
    assert measure_churn(headings, [edit._replace(after=edit.before) for edit in edits]).passages == 0


def test_the_history_in_git_is_replayed(tmp_path: Path) -> None:
    note = tmp_path / "notes" / "a.md"
    note.parent.mkdir()
    who = ("-c", "user.name=n", "-c", "user.email=n@example.org")
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    for text in ("# A\n\nOne.\n", "# A\n\nOne.\n\nTwo.\n", "# A\n\nTwo.\n"):
        note.write_text(text, "utf-8")
        subprocess.run(["git", "-C", tmp_path, "add", "."], check=True)
        subprocess.run(["git", "-C", tmp_path, *who, "commit", "-qm", "m"], check=True)
    edits = git_edits(note.parent, sources(note.parent))
    assert [(e.before.text, e.after.text) for e in edits] == [
        ("# A\n\nOne.\n\nTwo.\n", "# A\n\nTwo.\n"),
        ("# A\n\nOne.\n", "# A\n\nOne.\n\nTwo.\n"),
    ]


GOOD, NEAR, BAD = [0.9, 0.8] * 20, [0.8, 0.9] * 19 + [0.8, 0.8], [0.1, 0.2] * 20


def result(name: str, vectors: int, *worth: float, is_peer: bool = False, anew: float = 0.0) -> Result:
    scores = tuple(Scores(one, one, one, one, one, (one,) * 4, (one,) * 4) for one in worth)
    churn = Churn(60, anew, 0.5) if anew else Churn()
    return Result(name, name, "", is_peer, {10: 1}, vectors, 0, 0.0, churn, scores, ((),) * len(scores))


def advised(*results: Result) -> str:
    told = advise(results, range(len(results[0].scores)), 10)
    assert told.sentence.startswith(told.name)
    return told.sentence


def test_the_advice_embeds_least_in_the_long_run_within_the_noise_of_the_best() -> None:
    a, b, c = result("a", 100, *GOOD), result("b", 50, *NEAR), result("c", 10, *BAD)
    assert advised(a, b, c) == (
        "b: within the noise of the best recall (84.7%; a has 85.0%), "
        "and embeds 50% less in the long run (50 vectors, not 100 vectors)"
    )
    assert advised(a, b, result("peer", 1, *[1.0] * 40, is_peer=True)).startswith("b: "), "never another library"


def test_what_edits_embed_anew_weighs_more_than_a_few_vectors_fewer() -> None:
    calm, busy = result("calm", 100, *NEAR, anew=1), result("busy", 84, *GOOD, anew=10)
    assert advised(calm, busy) == (
        "calm: within the noise of the best recall (84.7%; busy has 85.0%), and embeds 82% less "
        "in the long run (100 vectors and 1.0 more per edit, not 84 vectors and 10.0 more per edit)"
    )
    assert advise([calm, busy], range(40), 0).name == "busy", "of documents that nobody edits"


def test_what_costs_about_the_same_is_told_apart_by_recall() -> None:
    told = advised(result("a", 100, *GOOD), result("b", 96, *NEAR))
    assert told == "a: the best recall (85.0%), and none within its noise embeds clearly less in the long run"


def test_the_advice_says_why_where_there_is_no_choice() -> None:
    a, b, c = result("a", 100, *GOOD), result("b", 0, *NEAR), result("c", 10, *BAD)
    assert advised(a) == "a: recall 85.0%; nothing else was compared"
    assert advised(a, c) == "a: the best recall (85.0%), beyond the noise of all others"
    words = [replace(one, vectors=0) for one in (a, b)]
    assert advised(*words) == "a: the best recall (85.0%); 1 more are within its noise, and nothing is embedded"
    assert "only 4 questions count, too few" in advise([a, b], range(4), 10).sentence


def test_what_counts_is_the_users_questions_then_links_then_what_there_is() -> None:
    assert judged_kinds({"own": 30, "links": 90}) == ("own",)
    assert judged_kinds({"own": 3, "links": 90, "headings": 90}) == ("links",)
    assert judged_kinds({"links": 9, "pages": 21, "headings": 90}) == ("links", "pages")
    assert judged_kinds({"headings": 5}) == ("headings",)


def test_the_grid_may_stand_in_the_settings(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Wires\n\nThe driver takes four pins, two for each side of it.\n", "utf-8")
    settings = tmp_path / "headwise.toml"
    settings.write_text(
        'exclude = ["drafts/"]\n[eval]\nmax_tokens = [50, 60]\noverlap = ["10%"]\nstrategy = ["headings"]\n'
    )
    (tmp_path / "q.csv").write_text("question,path\nhow many pins does it take,a.md\n", "utf-8")
    found = run(str(tmp_path), "--cache", str(tmp_path / "c"), "--questions", str(tmp_path / "q.csv"))
    assert [one["name"] for one in found["settings"]] == ["headings 50, overlap 10%", "headings 60, overlap 10%"]
    assert found["judged"] == ["own"]
    settings.write_text("[eval]\nmaxtokens = [50]\n")
    wrong = CliRunner().invoke(cli, ["eval", str(tmp_path)])
    assert wrong.exit_code == 1
    assert "unknown setting 'maxtokens' in [eval]; did you mean 'max_tokens'?" in wrong.output


def test_the_table_names_what_is_advised(tmp_path: Path) -> None:
    arguments = [str(VAULT), "--max-tokens", "200", "--strategy", "headings", "--sample", "5", "--cache", str(tmp_path)]
    shown = CliRunner().invoke(cli, ["eval", *arguments])
    assert shown.exit_code == 0, shown.output
    assert "Advice  headings 200" in shown.stdout
    assert "anew per" in shown.stdout


@pytest.mark.parametrize("width", [40, 60, 80, 160])
def test_tables_are_no_wider_than_the_screen_and_say_what_has_no_room(tmp_path: Path, width: int) -> None:
    names = ("headings 200", "semantic-text-splitter 400, overlap 15%")
    made = [replace(result(name, 12_345, *GOOD, anew=2), is_peer=at == 1) for at, name in enumerate(names)]
    asked = tuple(Question("first sentences", str(at), ((Place("a.md", 0, 1),),)) for at in range(40))
    answers = {one.key: Shown("a.md", 1, 1, (), "x") for one in asked}
    report = make_report("f", 3, "m", Drawn(0, 300, "edits"), Questions(asked, {}), answers, tuple(made))
    out = StringIO()
    Console(file=out, width=width, soft_wrap=True).print(eval_view(report, width))
    tables = out.getvalue().partition("Recall within")[2].partition("Hardly found")[0].splitlines()
    rows = [line for line in tables if re.search(r"\d\.\d|@\d|MRR|median|splitter", line) and "room" not in line]
    assert len(rows) >= 7
    assert max(map(len, rows)) <= width
    assert not any("…" in row for row in rows)
    assert ("No room for" in out.getvalue()) is (width < 160)


def test_questions_are_one_value_each() -> None:
    first = Question("own", "q", ())
    assert first.key == Question("own", "q", ()).key != replace(first, exclude=("a",)).key
