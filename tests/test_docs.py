"""What the documents show is what happens: commands, code, help, settings, links, docstrings."""

from __future__ import annotations

import contextlib
import doctest
import importlib
import io
import os
import pkgutil
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click
import pytest
from click.testing import CliRunner

import headwise
from headwise.app.cli import COMMANDS, cli
from headwise.app.config import _SETTINGS, read_config

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text("utf-8")
CLI_PAGE = ROOT / "docs" / "cli.md"
CLI_HEAD = """\
# Command line

What `--help` says, and nothing else. This page is made from it: after a change,
`UPDATE_DOCS=1 pytest tests/test_docs.py` writes it anew.
"""
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])

HOME = "/home/you"
"""What the README calls the folder that holds `vault`, a copy of examples/vault."""
ELIDED = "[...]"
"""Alone on its line it stands for any lines of output, within a line for any text."""
VARYING = (
    (re.compile(r"(?<=  )\d\.\d{3}$", re.MULTILINE), "SCORE"),
    (re.compile(r"^\d+\.\d s(?=, )", re.MULTILINE), "TIME"),
)
"""Figures that differ between machines: the score at the end of a hit's first line, the seconds of a run."""


class Fence(NamedTuple):
    """A fenced block: its language, its text, and the line it begins on."""

    language: str
    text: str
    line: int


def fences(page: str) -> list[Fence]:
    """The fenced blocks of *page*."""
    found = re.finditer(r"^```(\w*)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    return [Fence(match[1], match[2], page.count("\n", 0, match.start()) + 1) for match in found]


def commands(fence: Fence) -> Iterator[tuple[str, str]]:
    """The commands of a console block, each with the output shown after it."""
    for part in re.split(r"^\$ ", fence.text, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        yield command, shown


def comparable(text: str) -> str:
    """*text* without what differs from run to run, blank lines at its ends, or blanks at the ends of lines."""
    for pattern, name in VARYING:
        text = pattern.sub(name, text)
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())


def is_shown(shown: str, happened: str) -> bool:
    """Whether *happened* is what is *shown*, elisions aside."""
    lines = (
        "(?:.*\n)*" if line == ELIDED else ".*".join(map(re.escape, line.split(ELIDED))) + "\n"
        for line in comparable(shown).split("\n")
    )
    return re.fullmatch("".join(lines), comparable(happened) + "\n") is not None


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the example vault, and no settings from outside."""
    for name in os.environ:
        if name.startswith("HEADWISE_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    return Path(shutil.copytree(ROOT / "examples" / "vault", tmp_path.resolve() / "vault"))


def run(command: str, folder: Path) -> str:
    """What *command*, which succeeds, writes to stdout."""
    done = subprocess.run(  # noqa: S602 - the README's commands are for a shell
        command, shell=True, cwd=folder, capture_output=True, check=False, timeout=120
    )
    assert done.returncode == 0, f"$ {command}\n{done.stderr.decode('utf-8')}"
    return done.stdout.decode("utf-8")


@pytest.mark.parametrize(
    ("page", "least"),
    [("README.md", 8), ("docs/recipes.md", 8), ("docs/export.md", 4), ("docs/search.md", 4), ("docs/answers.md", 4)],
)
def test_the_commands_of_a_page_say_what_it_shows(page: str, least: int, vault: Path) -> None:
    """All of them, in order, in one copy of the vault."""
    ran = 0
    for fence in fences((ROOT / page).read_text("utf-8")):
        for command, shown in commands(fence) if fence.language == "console" else ():
            happened = run(command, vault).replace(str(vault.parent), HOME)
            ran += 1
            assert is_shown(shown, happened), f"{page}:{fence.line}: $ {command}\n{happened}"
    assert ran >= least


@pytest.mark.parametrize(
    ("page", "least", "before"),
    [
        ("README.md", 2, ()),
        ("docs/recipes.md", 6, ()),
        ("docs/answers.md", 1, ()),
        ("docs/mcp.md", 2, ()),
        ("docs/export.md", 2, ("export parquet chunks.parquet", "export chroma --path chroma.db")),
    ],
)
def test_the_python_of_a_page_prints_what_it_shows(
    page: str, least: int, before: tuple[str, ...], vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All blocks, in order, in one namespace, after some commands; a text block right after one is what it prints."""
    for command in ("index .", *before):
        run(f"headwise {command}", vault)
    monkeypatch.chdir(vault)
    blocks = fences((ROOT / page).read_text("utf-8"))
    names: dict[str, object] = {}
    ran = compared = 0
    for block, following in zip(blocks, [*blocks[1:], Fence("", "", 0)], strict=True):
        if block.language != "python":
            continue
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(block.text, f"{page}:{block.line}", "exec"), names)  # noqa: S102 - it is our own
        ran += 1
        if following.language == "text":
            compared += 1
            assert is_shown(following.text, printed.getvalue()), f"{page}:{block.line}\n{printed.getvalue()}"
    assert ran > least
    assert compared >= least


def test_an_elision_stands_for_lines_or_for_part_of_one() -> None:
    assert is_shown("a\n[...]\nd\n", "a\nb\nc\nd\n")
    assert is_shown("a\n[...]\n", "a\n")
    assert is_shown("a [...] c\n", "a b c\n")
    assert not is_shown("a\n[...]\nd\n", "a\nb\nc\n")
    assert not is_shown("a [...] c\n", "a\nc\n")
    assert not is_shown("a\n", "a\nb\n")


def test_the_settings_files_of_the_readme_are_read(tmp_path: Path) -> None:
    files = [fence.text for fence in fences(README) if fence.language == "toml"]

    assert files
    for number, text in enumerate(files):
        file = tmp_path / str(number) / "headwise.toml"
        file.parent.mkdir()
        file.write_text(text, "utf-8")
        assert tomllib.loads(text)
        read_config(file.parent, {}, environ={})


def test_the_readme_names_every_command_and_every_setting() -> None:
    rows = set(re.findall(r"^\| `(?:headwise )?([\w-]+)", README, re.MULTILINE))

    assert set(COMMANDS) <= rows
    assert set(_SETTINGS) <= rows


def command_lines() -> Iterator[tuple[str, ...]]:
    """The names of all commands, and of those inside them."""
    for name in COMMANDS:
        yield (name,)
        command = cli.get_command(click.Context(cli), name)
        if isinstance(command, click.Group):
            yield from ((name, inner) for inner in command.commands)


def help_page() -> str:
    """The help of every command, as one page."""
    parts = [CLI_HEAD]
    for command in ((), *command_lines()):
        shown = CliRunner().invoke(cli, [*command, "--help"], prog_name="headwise", terminal_width=100)
        assert shown.exit_code == 0
        parts.append(f"## {' '.join(('headwise', *command))}\n\n```text\n{shown.output.rstrip()}\n```\n")
    return "\n".join(parts)


def test_the_page_of_the_command_line_is_its_help() -> None:
    if os.environ.get("UPDATE_DOCS"):
        CLI_PAGE.write_text(help_page(), "utf-8")

    assert CLI_PAGE.read_text("utf-8") == help_page(), "UPDATE_DOCS=1 pytest tests/test_docs.py writes it anew"


def modules() -> Iterator[str]:
    """The names of all modules."""
    yield "headwise"
    yield from (found.name for found in pkgutil.walk_packages(headwise.__path__, "headwise."))


def test_examples_in_docstrings_are_true() -> None:
    attempted = 0
    for name in modules():
        result = doctest.testmod(importlib.import_module(name))
        assert result.failed == 0, name
        attempted += result.attempted
    assert attempted >= 3


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_between_documents_lead_somewhere(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        assert there.exists(), f"{page.name} links to {target}"
        if anchor and there.suffix == ".md":
            sections = headwise.analyse(there.read_text("utf-8")).sections
            assert anchor in {section.anchor for section in sections}, f"{page.name} links to {target}"


def test_every_decision_is_listed() -> None:
    folder = ROOT / "docs" / "decisions"
    pages = sorted(page.name for page in folder.glob("0*.md"))
    listed = re.findall(r"\]\((0[^)]*\.md)\)", (folder / "README.md").read_text("utf-8"))

    assert listed == pages
    assert [int(page[:4]) for page in pages] == list(range(1, len(pages) + 1))
    for page in pages:
        text = (folder / page).read_text("utf-8")
        assert re.findall(r"^## (.*)$", text, re.MULTILINE) == ["Context", "Choice", "Evidence", "What would change it"]
