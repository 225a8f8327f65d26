"""What a search shows: prompts, explanations, copies, related documents; its answers are tested elsewhere."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from headwise.app.cli import cli
from headwise.chunking.measure import find_measure

VAULT = Path(__file__).resolve().parent.parent / "examples" / "vault"
count = find_measure("cl100k_base").count


@pytest.fixture(scope="module")
def vault(tmp_path_factory):
    pytest.importorskip("wordllama")
    folder = Path(shutil.copytree(VAULT, tmp_path_factory.mktemp("cli") / "vault"))
    (folder / "Copy.md").write_bytes((folder / "Robots" / "Motor notes.md").read_bytes())
    assert CliRunner().invoke(cli, ["index", str(folder)]).exit_code == 0
    return folder


@pytest.fixture
def run(vault, monkeypatch):
    monkeypatch.chdir(vault)

    def run(*args: str, code: int = 0):
        done = CliRunner().invoke(cli, list(args))
        assert done.exit_code == code, done.output
        return done

    return run


def objects(done):
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_a_prompt_cites_every_passage_and_keeps_to_its_budget(run, vault):
    question = "how are the motors wired"
    for options, most in (((), 2000), (("--budget", "400"), 400)):
        shown = run("search", question, "--format", "prompt", *options).stdout
        assert most / 2 < count(shown) <= most
        assert shown.startswith("[1] ")
    hits = objects(run("search", question, "--json", "--budget", "400"))
    assert f"[1] {hits[0]['path']}:{hits[0]['start_line']}" in shown
    for hit in hits:
        assert (vault / hit["path"]).read_bytes().decode()[hit["start"] : hit["end"]] == hit["text"]


def test_forms_that_exclude_each_other_are_wrong_usage(run):
    assert "--json and --format prompt" in run("search", "x", "--json", "--format", "prompt", code=2).stderr
    assert "--explain and --format prompt" in run("search", "x", "--explain", "--format", "prompt", code=2).stderr
    assert objects(run("search", "motor", "--format", "json")) == objects(run("search", "motor", "--json"))


def test_nothing_found_is_said_and_no_error(run):
    done = run("search", "?!", "--format", "prompt")
    assert (done.stdout, done.stderr) == ("", "nothing found\n")


def test_filters_by_property_are_kept_by_hits_and_listed_without_words(run):
    hits = objects(run("search", "motor", "--where", "created >= 2024-12", "--where", "created < 2025", "--json"))
    assert {hit["path"] for hit in hits} == {"Recipes/味噌汁.md"}
    listed = objects(run("search", "--where", "author", "--per-document", "1", "--json"))
    assert [hit["path"] for hit in listed] == ["Reading/Vehicles by Braitenberg.md"]
    assert run("search", "--tag", "soup", "--json").stdout == run("search", "", "--tag", "soup", "--json").stdout != ""
    done = run("search", "motor", "--where", "autor = Ada")
    assert done.stderr == "no document has the property 'autor'; is it 'author'?\nnothing found\n"


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (
            ("motor", "--where", "created =>\n2024"),
            "the filter 'created =>\\n2024' is not understood: '=>' is none of",
        ),
        (("motor", "--where", ""), "it names no property; write `name`"),
        ((), "Missing argument 'WORDS...'."),
        (("--limit", "3"), "Missing argument 'WORDS...'."),
    ],
)
def test_a_filter_that_makes_no_sense_is_wrong_usage(run, args, says):
    done = run("search", *args, code=2)
    assert done.stderr.splitlines()[-1].startswith("Error: ")
    assert says in done.stderr.splitlines()[-1]
    assert done.stdout == ""


def test_stats_name_the_most_frequent_properties(run):
    (stats,) = objects(run("stats", "--json"))
    assert stats["properties"]["author"] == 1
    shown = next(line for line in run("stats").stdout.splitlines() if line.startswith("properties "))
    most = max(stats["properties"].values())
    assert shown.startswith(f"properties tags {most}, ")
    assert shown.endswith(f" and {len(stats['properties']) - 12} more")


def test_a_copy_is_named_by_the_hit_it_copies(run):
    (hit,) = objects(run("search", "all of it is N20 size bench supply kitchen scale", "--json", "--limit", "1"))
    assert {hit["path"], *(copy["path"] for copy in hit["also"])} == {"Robots/Motor notes.md", "Copy.md"}
    assert set(hit["also"][0]) == {"path", "id"}
    shown = run("search", "all of it is N20 size bench supply kitchen scale", "--limit", "1").stdout
    assert f"   also in {hit['also'][0]['path']}\n" in shown
    (other,) = objects(run("search", "drawer for the driver", "--json", "--limit", "1"))
    assert "also" not in other


def test_explain_says_how_a_hit_came_by_its_score(run):
    question = "which drawer holds the driver"
    hits = objects(run("search", question, "--explain", "--json"))
    best = hits[0]["explain"]
    assert best["words"]["rank"] == 1
    assert best["words"]["matched"] == ["driver", "drawer"]
    assert best["vectors"]["rank"] == 1
    assert hits[0]["start"] <= best["passage"]["start"] < best["passage"]["end"] <= hits[0]["end"]
    for hit in hits:
        parts = [hit["explain"][name] for name in ("mixed", "headings", "neighbours", "document")]
        assert hit["score"] == pytest.approx(sum(parts))
    shown = run("search", question, "--explain", "--limit", "1").stdout
    lines = best["passage"]["start_line"], best["passage"]["end_line"]
    assert f"   words      rank 1, {best['words']['score']:.3f}: driver, drawer\n" in shown
    assert f"   meaning    rank 1, {best['vectors']['score']:.3f}: lines {lines[0]}-{lines[1]}\n" in shown
    numbers = range(hits[0]["start_line"], hits[0]["end_line"] + 1)
    marked = [line.startswith(" ┃") for line in shown.splitlines()[1 : 1 + len(numbers)]]
    assert marked == [lines[0] <= number <= lines[1] for number in numbers]


def test_at_most_so_many_of_a_document(run):
    paths = [hit["path"] for hit in objects(run("search", "motor", "--json", "--limit", "9", "--per-document", "1"))]
    assert len(paths) == len(set(paths)) == 9


def test_related_shows_links_both_ways_and_what_is_near(run):
    (found,) = objects(run("related", "SMARS#Motor wiring", "--json"))
    assert list(found) == ["path", "anchor", "links", "backlinks", "near"]
    assert (found["path"], found["anchor"]) == ("Robots/SMARS.md", "motor-wiring")
    assert found["backlinks"] == [{"path": "Home.md", "title": "Home", "fragment": "Motor wiring"}]
    assert len(found["near"]) == 5
    assert list(found["near"][0]) == ["path", "title", "id", "score"]
    shown = run("related", "Robots/SMARS.md#motor-wiring").stdout.splitlines()
    assert shown[0] == "Robots/SMARS.md#motor-wiring"
    assert "  Home.md  Home  #Motor wiring" in shown
    assert f"  {found['near'][0]['score']:.3f}  {found['near'][0]['path']}" in "\n".join(shown)
    assert run("related", "no such", code=1).stderr.startswith("Error: there is no document no such in the store")


def test_get_prints_a_document_a_section_or_a_chunk(run, vault):
    source = (vault / "Robots" / "SMARS.md").read_text("utf-8")
    body = source[source.index("# SMARS") :]
    assert run("get", "Robots/SMARS.md").stdout == run("get", "SMARS").stdout == body.rstrip("\n") + "\n"

    section = run("get", "SMARS#Motor wiring").stdout.rstrip("\n")
    assert section.startswith("## Motor wiring\n")
    assert section in body
    assert body[body.index(section) + len(section) :].lstrip("\n").startswith("## ")

    (found,) = objects(run("get", "Robots/SMARS.md#motor-wiring", "--json"))
    assert (found["path"], found["anchor"], found["text"]) == ("Robots/SMARS.md", "motor-wiring", section)
    assert source[found["start"] : found["end"]] == section
    lines = source.splitlines()[found["start_line"] - 1 : found["end_line"]]
    assert "\n".join(lines).strip() == section
    one = objects(run("search", "motor driver pins", "--limit", "1", "--json"))[0]
    (chunk,) = objects(run("get", one["id"], "--json"))
    assert (chunk["text"], chunk["ids"], chunk["start"]) == (one["text"], [one["id"]], one["start"])


def test_what_cannot_be_got_is_told_in_a_line(run):
    assert run("get", "SMARS#no such", code=1).stderr == "Error: Robots/SMARS.md has no section #no such\n"
    assert run("get", "no such", code=1).stderr.startswith("Error: there is no document no such in the store")
