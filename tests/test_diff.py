"""Two cuts of one document: what they share is found, and shown on the screen, as JSON and as a page."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console
from test_page import HOSTILE, document, lf, read, source

from headwise.app.cli import cli
from headwise.app.diff_view import diff_view
from headwise.app.page_diff import diff_page
from headwise.app.sides import Sides, make_sides, sides_json
from headwise.app.sources import cut
from headwise.chunking.compare import compare, stretches
from headwise.chunking.settings import Settings
from headwise.chunking.split import split

NOTE = Path(__file__).parent.parent / "examples" / "vault" / "Robots" / "SMARS.md"
TEXT = "# A\n\nOne sentence here. Another one there.\n\n## B\n\nA third one, which stands alone.\n"
WAYS = [
    (Settings(), Settings()),
    (Settings(), Settings(max_tokens=40)),
    (Settings(max_tokens=60, overlap="1s"), Settings(max_tokens=24, strategy="fixed")),
    (Settings(max_tokens=60, min_tokens=20, tiny="drop"), Settings(max_tokens=1, tokenizer="chars")),
]
texts = st.lists(st.sampled_from(["# A\n", "## B\n\n", "one two. ", "three\n", "\n\n", "- x\n", "\u200b", "é👍"])).map(
    "".join
)


def sides(text: str, left: Settings, right: Settings) -> Sides:
    made = document(text)
    return make_sides(made, (cut(made, left), cut(made, right)), (left, right))


def shown(found: Sides, width: int = 100, *, terminal: bool = True) -> list[str]:
    screen = Console(file=StringIO(), width=width, force_terminal=terminal, soft_wrap=True)
    return [line for text in diff_view(found, screen) for line in text.plain.split("\n")]


# --- what both have --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("left", "right"), WAYS)
@given(texts)
def test_stretches_hold_the_text_and_each_is_in_one_chunk_of_a_side(left, right, text):
    one, other = (cut(document(text), settings).chunks for settings in (left, right))
    parts = stretches(len(text), one, other)
    assert "".join(text[part.start : part.end] for part in parts) == text
    for part in parts:
        for chunks, index in ((one, part.left), (other, part.right)):
            inside = [c.index for c in chunks if c.own_start < part.end and part.start < c.end]
            assert inside == [index] * (index is not None)
            assert not inside or chunks[index].own_start <= part.start < part.end <= chunks[index].end


@pytest.mark.parametrize(("left", "right"), WAYS)
@given(texts)
def test_a_comparison_is_that_of_every_chunk_with_every_other(left, right, text):
    one, other = (cut(document(text), settings).chunks for settings in (left, right))
    found, back = compare(one, other), compare(other, one)
    pairs = [
        (a.index, b.index) for b in other for a in one if (a.start, a.own_start, a.end) == (b.start, b.own_start, b.end)
        and a.embed_text == b.embed_text
    ]  # fmt: skip
    assert list(found.same) == pairs
    begins = {c.own_start for c in one}, {c.own_start for c in other}
    assert {*found.both, *found.only_left} == begins[0]
    assert {*found.both, *found.only_right} == begins[1]
    every = {at for c in (*one, *other) for at in range(c.own_start, c.end)}
    same = {at for a, _ in pairs for at in range(one[a].own_start, one[a].end)}
    assert (found.text, found.text - found.changed <= len(same)) == (len(every), True)
    assert (back.both, back.only_left, back.changed) == (found.both, found.only_right, found.changed)


def test_equal_settings_differ_in_nothing():
    found = sides(TEXT, Settings(), Settings())
    assert len(found.found.same) == len(found.left.chunks)
    assert (found.share, found.left.label) == (0, "the same settings")
    assert sides("", Settings(), Settings()).share == 0


def test_the_share_is_that_of_the_text_whose_chunk_is_another():
    text = "# A\n\n" + "word " * 30 + "\n\n# B\n\n" + "thing " * 90
    one, other = split(text, max_tokens=100), split(text, max_tokens=60)
    found = compare(one, other)
    assert found.same == ((0, 0),)
    assert found.changed == one[-1].end - one[1].own_start


# --- on the screen ---------------------------------------------------------------------------------------------------


def test_side_by_side_both_columns_show_the_whole_text_in_step():
    text = NOTE.read_text("utf-8").replace("✅", "x")  # two columns wide: cells would not be slices
    found = sides(text, Settings(), Settings(max_tokens=120, strategy="fixed"))
    lines = shown(found, 120)
    assert all(cell_len(line) <= 120 for line in lines[:-4])
    rows = [(line[:59], line[61:]) for line in lines[1:-4]]
    plain = [
        [row[n] for row in rows if not row[n].startswith(("══", "──")) and not row[1 - n].startswith(("══", "──"))]
        for n in (0, 1)
    ]
    columns = ["".join("".join(line[2:] for line in column).split()) for column in plain]
    assert columns[0] == columns[1] == "".join(text.split())
    heads = [sum(row[n].startswith(("══", "──")) for row in rows) for n in (0, 1)]
    assert heads == [len(found.left.chunks), len(found.right.chunks)]
    both = [sum(row[n].startswith("══") for row in rows) for n in (0, 1)]
    assert both == [len(found.found.both)] * 2


@pytest.mark.parametrize(("width", "terminal"), [(79, True), (200, False)])
def test_where_there_is_no_room_or_no_terminal_one_comes_after_the_other(width, terminal):
    found = sides(TEXT, Settings(min_tokens=0), Settings(max_tokens=12, min_tokens=0))
    lines = shown(found, width, terminal=terminal)
    assert lines[0] == "left: max_tokens=400"
    right = lines.index("right: max_tokens=12")
    assert [line for line in lines[:right] if line.startswith("══ 1")] == ["══ 1 =  :1-3  11/400  A"]
    assert sum(line.startswith(("══", "──")) for line in lines[right:-4]) == len(found.right.chunks)
    assert lines[-1].startswith("difference ")


def test_what_documents_hold_steers_no_terminal():
    found = sides("# A\x1b[31m\n\nred \x1b]0;x\x07 text\n", Settings(), Settings(max_tokens=9))
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", "".join((*shown(found), *shown(found, terminal=False))))


# --- as a page -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize(("left", "right"), WAYS)
def test_the_page_holds_the_text_once_and_links_to_every_chunk(text, left, right):
    found = sides(text, left, right)
    reader = read(diff_page(found))
    assert source(reader) == lf(text).replace("\x00", "\ufffd")
    ids = {f"l{c.index + 1}" for c in found.left.chunks} | {f"r{c.index + 1}" for c in found.right.chunks}
    assert ids <= set(reader.ids)
    assert set(reader.ids.values()) <= {1}
    links = {value[1:] for tag, name, value in reader.attributes if (tag, name) == ("a", "href")}
    assert ids == links <= set(reader.ids)
    assert not {tag for tag, name, _ in reader.attributes if name.startswith("on") or name == "src"}
    assert not reader.tags & {"script", "img", "iframe", "link"}


# --- the command -----------------------------------------------------------------------------------------------------


def run(*args: str, **options: str):
    return CliRunner().invoke(cli, ["diff", *args], **options)


def test_diff_says_as_json_what_it_shows():
    done = run(str(NOTE), "--against", "max-tokens=120", "--against", "strategy = fixed", "--json")
    (line,) = done.stdout.splitlines()
    found = json.loads(line)
    expected = sides(NOTE.read_text("utf-8"), Settings(), Settings(max_tokens=120, strategy="fixed"))
    wanted = json.loads(json.dumps(sides_json(expected)))
    for side in ("left", "right"):
        assert found[side]["chunks"] == len(found[side]["cut"])
        assert found[side]["tokens"] == sum(chunk["tokens"] for chunk in found[side]["cut"])
        assert sum(chunk["same"] for chunk in found[side]["cut"]) == found["same"]
        assert [c["own_start"] for c in found[side]["cut"]] == sorted(
            found["boundaries"]["both"] + found["boundaries"][side]
        )
        assert found[side]["settings"] == wanted[side]["settings"]
    assert found["right"]["settings"]["max_tokens"] == 120
    assert 0 < found["changed"] < 1


def test_left_is_as_the_folder_and_the_flags_say_and_right_changes_that(tmp_path):
    (tmp_path / "headwise.toml").write_text("max_tokens = 50\nstrategy = 'fixed'\n")
    note = tmp_path / "a.md"
    note.write_text(TEXT)
    found = json.loads(run(str(note), "--overlap", "5", "--against", "max_tokens=40", "--json").stdout)
    left, right = (found[side]["settings"] for side in ("left", "right"))
    assert (left["max_tokens"], left["strategy"], left["overlap"]) == (50, "fixed", "5")
    assert right == left | {"max_tokens": 40, "min_tokens": 4}


def test_stdin_and_pages():
    done = run("-", "--against", "max_tokens=9", "--format", "html", input=TEXT)
    assert done.stdout.startswith("<!DOCTYPE html>")
    assert source(read(done.stdout)) == TEXT
    assert run("-", "--against", "max_tokens=9", input="").exit_code == 0


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        ((), 2, "Missing option '--against'"),
        (("--against", "max_tokens"), 1, "--against max_tokens: write NAME=VALUE, such as max_tokens=200"),
        (("--against", "max_tokens="), 1, "write NAME=VALUE"),
        (
            ("--against", "max_token=9"),
            1,
            "'max_token' is no setting that decides where documents are cut; did you mean 'max_tokens'?",
        ),
        (("--against", "store=x"), 1, "are cut; choose among max_tokens, min_tokens, overlap"),
        (("--against", "max_tokens=many"), 1, "--against max_tokens is 'many'; it must be a whole number"),
        (("--against", "max_tokens=0"), 1, "max_tokens is 0; it must be at least 1"),
        (("--against", "max_tokens=9", "--json", "--format", "html"), 2, "cannot both be given"),
    ],
)
def test_what_cannot_be_compared_is_one_line(args, code, said):
    done = run(str(NOTE), *args)
    assert (done.exit_code, done.stdout) == (code, "")
    assert said in done.stderr
    assert done.stderr.splitlines()[-1].startswith("Error: ")


def test_a_folder_cannot_be_compared():
    done = run(str(NOTE.parent), "--against", "max_tokens=9")
    assert (done.exit_code, "is a folder" in done.stderr) == (1, True)


@pytest.mark.parametrize("no_color", ["", "1"])
def test_no_color_is_obeyed_on_a_terminal(no_color):
    environ = os.environ | {"NO_COLOR": no_color, "COLUMNS": "120", "TERM": "xterm", "FORCE_COLOR": "1"}
    command = [sys.executable, "-m", "headwise", "diff", str(NOTE), "--against", "max_tokens=100"]
    done = subprocess.run(command, capture_output=True, check=True, env=environ, text=True)
    assert bool(re.search(r"\x1b\[[0-9;]*3[36]m", done.stdout)) is not bool(no_color)
    assert "┃ " in done.stdout
    assert "║ " in done.stdout
