"""Links that open the place: what they say, that they can be read back, and where they are shown."""

from __future__ import annotations

import json
import shutil
from pathlib import Path, PurePosixPath, PureWindowsPath
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from headwise.app.cli import cli
from headwise.app.config import read_config
from headwise.app.editor_links import editor_link, file_uri, openings, usual_editor
from headwise.app.render import hit_view
from headwise.errors import SettingsError
from headwise.indexing.index import Index
from headwise.model import Hit

EXAMPLES = Path(__file__).resolve().parent.parent / "examples" / "vault"
VAULT = PurePosixPath("/home/you/My notes")


@pytest.mark.parametrize(
    ("kind", "root", "path", "heading", "expected"),
    [
        ("obsidian", VAULT, "Note.md", None, "obsidian://open?vault=My%20notes&file=Note"),
        ("obsidian", VAULT, "Note.md", "Heading", "obsidian://open?vault=My%20notes&file=Note%23Heading"),
        ("obsidian", VAULT, "a/b c.md", "A & B?", "obsidian://open?vault=My%20notes&file=a%2Fb%20c%23A%20%26%20B%3F"),
        ("obsidian", VAULT, "Node.js.md", "", "obsidian://open?vault=My%20notes&file=Node.js.md"),
        ("obsidian", VAULT, "list.txt", None, "obsidian://open?vault=My%20notes&file=list.txt"),
        ("obsidian", VAULT, "C.md", "C# [[x|y]] ^z", "obsidian://open?vault=My%20notes&file=C%23C%20x%20y%20z"),
        ("obsidian", VAULT, "C.md", "###", "obsidian://open?vault=My%20notes&file=C"),
        ("obsidian", VAULT, "味噌汁.md", "仕上げ", None),
        ("vscode", VAULT, "a/b.md", "Heading", "vscode://file/home/you/My%20notes/a/b.md:7:1"),
        ("vscode", VAULT, "50% off: #1?.md", None, "vscode://file/home/you/My%20notes/50%25%20off%3A%20%231%3F.md:7:1"),
        ("vscode", PureWindowsPath("C:\\Users\\you"), "a/b c.md", None, "vscode://file/C:/Users/you/a/b%20c.md:7:1"),
        ("vscode", PureWindowsPath("\\\\nas\\notes"), "a.md", None, "vscode://file//nas/notes/a.md:7:1"),
        ("file", VAULT, "a/b.md", "Heading", "/home/you/My notes/a/b.md:7"),
        ("file", PureWindowsPath("C:\\Users\\you"), "a/b.md", None, "C:\\Users\\you\\a\\b.md:7"),
    ],
)
def test_a_link_is_as_the_editor_documents_it(kind, root, path, heading, expected):
    link = editor_link(kind, root, path, 7, heading)

    assert link is not None
    assert expected is None or link == expected
    assert kind == "file" or link.isascii()


def test_no_editor_gives_no_link():
    assert editor_link("none", VAULT, "a.md", 1, "A") is None


@pytest.mark.parametrize(
    ("root", "uri"),
    [
        (VAULT, "file:///home/you/My%20notes/a/%23.md"),
        (PureWindowsPath("C:\\Users\\you"), "file:///C:/Users/you/a/%23.md"),
        (PureWindowsPath("\\\\nas\\notes"), "file://nas/notes/a/%23.md"),
    ],
)
def test_what_a_terminal_opens_is_a_file_uri(root, uri):
    assert file_uri(root, "a/#.md") == uri
    assert file_uri(root, "a/#.md") == (root / "a/#.md").as_uri()


NAMES = st.text(st.characters(exclude_characters="/\0\\", exclude_categories=["Cs"]), min_size=1, max_size=12).filter(
    lambda name: name not in {".", ".."}
)
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)


@given(NAMES, PATHS, st.integers(1, 10**6), st.text(max_size=20))
def test_whatever_the_names_are_a_link_reads_back(name, path, line, heading):
    root = PurePosixPath("/srv") / name

    given_back = parse_qs(urlsplit(editor_link("obsidian", root, path, line)).query, keep_blank_values=True)
    assert set(given_back) == {"vault", "file"}
    assert given_back["vault"] == [name]
    assert given_back["file"][0] in {path, path.removesuffix(".md")}

    with_heading = editor_link("obsidian", root, path, line, heading)
    assert with_heading is not None
    file = unquote(urlsplit(with_heading).query.partition("&file=")[2], errors="surrogatepass")
    part = file.removeprefix(given_back["file"][0])
    assert part == "" or part[0] == "#"
    assert not set(part[1:]) & set("#^|[]\n")

    place, number, column = editor_link("vscode", root, path, line).rsplit(":", 2)
    assert unquote(place.removeprefix("vscode://file")) == f"/srv/{name}/{path}"
    assert (int(number), column) == (line, "1")
    assert editor_link("file", root, path, line) == f"/srv/{name}/{path}:{line}"
    assert file_uri(root, path) == (root / path).as_uri()


def test_surrogates_break_no_link():
    assert editor_link("obsidian", VAULT, "a.md", 1, "\ud800") is not None
    assert editor_link("vscode", VAULT, "\udcff.md", 1) is not None


def hit(path: str, line: int = 3, headings: tuple[str, ...] = ("A", "B")) -> Hit:
    return Hit(1, 1.0, f"{path}#b::0", path, 0, 5, line, line, "A", headings, "Text.", f"{path}#b")


def test_without_a_choice_a_vault_opens_in_obsidian_and_other_folders_as_files(tmp_path):
    vault, docs = tmp_path / "vault", tmp_path / "docs"
    (vault / ".obsidian").mkdir(parents=True)
    docs.mkdir()
    (docs / "only here.md").write_text("x")
    (vault / "note.md").write_text("x")
    assert (usual_editor(vault), usual_editor(docs)) == ("obsidian", "file")

    opening = openings([vault, docs], None)

    assert opening(hit("note.md")) == ("obsidian://open?vault=vault&file=note%23B",) * 2
    assert opening(hit("only here.md")) == (f"{docs}/only here.md:3", (docs / "only here.md").as_uri())
    assert opening(hit("in no folder.md")) is None
    assert openings([vault], "none")(hit("note.md")) is None


def test_a_terminal_opens_the_place_by_a_click(tmp_path):
    screen = Console(force_terminal=True, width=200, color_system="standard")
    with screen.capture() as shown:
        screen.print(hit_view(hit("a.md"), "text", openings([tmp_path], "file")(hit("a.md"))))

    assert f";file://{tmp_path}/a.md\x1b\\" in shown.get()
    assert f"↗ {tmp_path}/a.md:3" in shown.get()


@pytest.fixture
def vault(tmp_path, monkeypatch):
    for name in ("HEADWISE_EDITOR", "HEADWISE_STORE"):
        monkeypatch.delenv(name, raising=False)
    folder = Path(shutil.copytree(EXAMPLES, tmp_path / "my vault"))
    monkeypatch.chdir(folder)
    assert CliRunner().invoke(cli, ["index", ".", "--json"]).exit_code == 0
    return folder


def searched(*more: str) -> dict:
    done = CliRunner().invoke(cli, ["search", "is the traffic encrypted", "--limit", "1", "--json", *more])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_search_says_how_to_open_a_hit_only_if_an_editor_is_set(vault, monkeypatch):
    assert "open" not in searched()
    assert (
        searched("--editor", "vscode")["open"]
        == f"vscode://file{vault.as_posix().replace(' ', '%20')}/docs/faq.md:17:1"
    )
    assert "open" not in searched("--editor", "none")

    (vault / "headwise.toml").write_text('editor = "obsidian"\n')
    obsidian = "obsidian://open?vault=my%20vault&file=docs%2Ffaq%23Is%20there%20encryption%3F"
    assert searched()["open"] == obsidian
    shown = CliRunner().invoke(cli, ["search", "is the traffic encrypted", "--limit", "1"]).stdout
    assert f"   → docs/faq.md#is-there-encryption\n   ↗ {obsidian}\n" in shown

    monkeypatch.setenv("HEADWISE_EDITOR", "file")
    assert searched()["open"] == f"{vault}/docs/faq.md:17"


def test_a_store_elsewhere_knows_its_folder(vault, tmp_path):
    store = str(tmp_path / "index.db")
    assert CliRunner().invoke(cli, ["index", ".", "--store", store]).exit_code == 0

    assert searched("--editor", "file", "--store", store)["open"] == f"{vault}/docs/faq.md:17"
    with Index(store) as index:
        assert index.folders() == [vault]


def test_an_unknown_editor_is_refused(tmp_path):
    with pytest.raises(SettingsError, match="editor is 'emacs'; choose one of obsidian, vscode, file, none"):
        read_config(tmp_path, {"editor": "emacs"}, {})
