"""`headwise init`: what it sees of a folder, what it proposes, and that the file it writes says just that."""

from __future__ import annotations

import json
import shutil
import time
import tomllib
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from headwise.app.cli import cli
from headwise.app.config import read_config
from headwise.app.setup.languages import OTHER, languages
from headwise.app.setup.look import look_at
from headwise.app.setup.proposal import MULTILINGUAL, Setting, propose, values
from headwise.app.setup.settings_text import settings_text
from headwise.indexing.files import FileOptions, find_files
from headwise.indexing.models.multilingual import is_installed

EXAMPLES = Path(__file__).resolve().parent.parent / "examples" / "vault"
SHARED = Path(__file__).resolve().parent.parent.parent / "shared" / "data" / "corpora"

ENGLISH = "The motor driver takes four pins, and this is what they do with it when the robot is not on the floor. " * 4
CHINESE = "电机驱动器需要四个引脚,每侧两个,其中一个用于前进,另一个用于后退。接线之前请先检查接地。" * 4
GERMAN = "Der Treiber braucht vier Leitungen, und das ist nicht viel für einen Motor mit zwei Seiten. " * 4


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["init", *arguments])


def write(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        put(folder, name.replace("__", "/") + ".md", text)
    return folder


def put(folder: Path, path: str, text: str) -> None:
    file = folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")


def proposed(folder: Path, *, has_multilingual: bool = True) -> dict[str, Setting]:
    return {one.name: one for one in propose(look_at(folder), has_multilingual=has_multilingual)}


def excluded(folder: Path) -> tuple[str, ...]:
    found = proposed(folder)["exclude"]
    assert isinstance(found.value, tuple)
    assert len(found.reasons) == len(found.value)
    return found.value


def read_back(file: Path) -> dict[str, object]:
    """The settings in *file*, read as every command reads them."""
    config = read_config(file.parent, {}, environ={})
    given = tomllib.loads(file.read_text("utf-8"))
    found: dict[str, object] = {
        "max_tokens": config.cutting.max_tokens,
        "max_line": config.cutting.max_line,
        "exclude": config.files.exclude,
        "editor": config.editor,
        "model": config.model and config.model.name,
    }
    return {name: found[name] for name in given}


# the file


def test_the_file_for_a_vault_is_written_commented_and_read_back_as_proposed(tmp_path: Path) -> None:
    vault = Path(shutil.copytree(EXAMPLES, tmp_path / "vault"))

    done = run(str(vault))

    assert done.exit_code == 0, done.output
    assert "an Obsidian vault: 34 documents" in done.stderr
    assert done.stdout == ""
    file = vault / "headwise.toml"
    assert read_back(file) == {"max_tokens": 400, "exclude": ("/Private/",), "editor": "obsidian"}
    assert all(
        before.startswith("#") for before, line in pairwise(file.read_text("utf-8").splitlines()) if line[:1].isalpha()
    ), "a setting without a reason above it"
    left = {one.path for one in find_files(vault, read_config(vault, {}, environ={}).files).files}
    assert {one.path for one in find_files(vault, FileOptions()).files} - left == {"Private/Letter draft.md"}


def test_nothing_that_somebody_wrote_is_lost(tmp_path: Path) -> None:
    write(tmp_path, note=ENGLISH)
    file = tmp_path / "headwise.toml"
    file.write_text("max_tokens = 77\n")

    refused = run(str(tmp_path))
    assert refused.exit_code == 1
    assert "is there already; see what would be written with --output -, or use --force" in refused.output
    assert file.read_text() == "max_tokens = 77\n"
    assert run(str(tmp_path), "--force").exit_code == 0
    assert read_back(file)["max_tokens"] == 400


def test_settings_in_pyproject_are_not_silently_overruled(tmp_path: Path) -> None:
    write(tmp_path, note=ENGLISH)
    (tmp_path / "pyproject.toml").write_text("[tool.headwise]\nmax_tokens = 50\n")
    assert "holds settings of Headwise" in run(str(tmp_path)).output
    assert not (tmp_path / "headwise.toml").exists()
    (tmp_path / "pyproject.toml").write_text("[tool.other]\n")
    assert run(str(tmp_path)).exit_code == 0


def test_a_dry_run_prints_the_file_and_writes_nothing(tmp_path: Path) -> None:
    write(tmp_path, note=ENGLISH)

    shown = run(str(tmp_path), "--output", "-")
    as_json = json.loads(run(str(tmp_path), "--output", "-", "--json").stdout)

    assert list(tmp_path.iterdir()) == [tmp_path / "note.md"]
    assert as_json["settings"] == tomllib.loads(shown.stdout) == {"max_tokens": 400, "editor": "file"}
    assert as_json["file"] is None
    assert as_json["proposed"]["model"]["set"] is False
    assert all(one["reason"] for one in as_json["proposed"].values())
    assert run(str(tmp_path), "--json", "--output", str(tmp_path / "other.toml")).exit_code == 0
    assert tomllib.loads((tmp_path / "other.toml").read_text("utf-8")) == as_json["settings"]


def test_what_cannot_be_looked_at_is_said(tmp_path: Path) -> None:
    assert "no such folder" in run(str(tmp_path / "none")).output
    assert "no documents here" in run(str(tmp_path)).output
    write(tmp_path, note=ENGLISH)
    assert "cannot be written" in run(str(tmp_path), "--output", str(tmp_path / "no" / "where.toml")).output


# languages and the model


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (ENGLISH, "English"),
        (CHINESE, "Chinese"),
        (GERMAN, "German"),
        ("味噌汁は出汁を取ってから味噌を溶きます。沸騰させないでください。", "Japanese"),
        ("모터 드라이버에는 네 개의 핀이 필요합니다. 배선하기 전에 접지를 확인하십시오.", "Korean"),
        ("Драйвер двигателя требует четыре контакта, по два на каждую сторону.", "Russian"),
        ("يحتاج مشغل المحرك إلى أربعة دبابيس، اثنان لكل جانب.", "Arabic"),
        ("Le pilote du moteur prend quatre broches, et les deux autres ne sont pas dans la boîte.", "French"),
        ("El controlador del motor necesita cuatro pines, y los otros se quedan en una caja con la tapa.", "Spanish"),
        ("Och det är inte en motor som har ett hjul, men den är för liten till att köra på golvet.", "Swedish"),
        ("xyzzy plugh foo bar baz qux", OTHER),
    ],
)
def test_languages_are_told_apart(text: str, language: str) -> None:
    found = languages([text])
    assert next(iter(found)) == language
    assert sum(found.values()) == pytest.approx(1)


@given(st.lists(st.text(max_size=200), max_size=5))
def test_shares_of_languages_are_shares(texts: list[str]) -> None:
    found = languages(texts)
    assert not found or sum(found.values()) == pytest.approx(1)
    assert all(0 < share <= 1 for share in found.values())


def test_mostly_english_keeps_the_default_model_and_code_does_not_count(tmp_path: Path) -> None:
    code = "```python\nimport os, sys\nfor de in que: print(para, uma, nicht, und)\n```\n" * 20
    write(tmp_path, a=ENGLISH + code, b=ENGLISH)
    model = proposed(tmp_path)["model"]
    assert (model.value, model.is_set) == ("wordllama", False)
    assert look_at(tmp_path).languages["English"] > 0.95


def test_mostly_chinese_gets_the_multilingual_model_and_is_told_what_tokens_mean(tmp_path: Path) -> None:
    write(tmp_path, **{f"n{n}": f"# 笔记\n\n{CHINESE}" for n in range(5)}, readme=ENGLISH[:100])

    found = proposed(tmp_path)

    assert (found["model"].value, found["model"].is_set) == ("multilingual", True)
    assert "Chinese 9" in found["model"].reason
    assert "Chinese takes" in found["max_tokens"].reason
    assert "characters" in found["max_tokens"].reason
    missing = proposed(tmp_path, has_multilingual=False)["model"]
    assert not missing.is_set
    assert 'pip install "headwise[multilingual]"' in missing.reason
    assert run(str(tmp_path)).exit_code == 0
    assert ("model" in read_back(tmp_path / "headwise.toml")) == is_installed()


def test_a_language_that_no_model_knows_is_said(tmp_path: Path) -> None:
    write(tmp_path, a="Och det är inte en motor som har ett hjul, men den är för liten. " * 10)
    model = proposed(tmp_path)["model"]
    assert not model.is_set
    assert "no packaged model knows most of it" in model.reason


def test_what_the_model_knows_is_what_its_settings_page_says() -> None:
    assert len(MULTILINGUAL) == 15  # sixteen, two of them Chinese


# what is left out


def test_templates_are_left_out_where_the_vault_or_their_text_says_so(tmp_path: Path) -> None:
    write(tmp_path, note=ENGLISH, Extras__Forms__daily="# {{date}}\n", docs__templates__intro=ENGLISH)
    write(tmp_path, Templates__book="# {{title}}\n\nauthor: <% tp.file.title %>\n")
    put(tmp_path, ".obsidian/templates.json", json.dumps({"folder": "Extras/Forms"}))

    assert excluded(tmp_path) == ("/Extras/Forms/", "/Templates/")


def test_what_obsidian_leaves_out_attachments_and_drawings(tmp_path: Path) -> None:
    write(tmp_path, note=ENGLISH, Private__letter=ENGLISH)
    put(tmp_path, "Files/scan.txt", "scanned")
    put(
        tmp_path,
        "Sketch.excalidraw.md",
        "N4KAkARALgngDgUwgLgAQQQDwMYEMA2AlgCYBOuA7hADTgQBuCpAzoQPYB2KqATLZMzYBXUtiRoIACyhQ4zZAHoFAc0JRJQgEYA6bGwC2CgF7N6hbEcK4OCtptbErHALRY8RMpWdx8Q1TdIEfARcZgRmBShcZQUebQBGAFYEmjoghH0EDihmbgBtcDBQMBKIEm4ISWcAVgAxAEYAYQAOADMATgAGNIBZADYATU6AKQBmQABjAFoOgBkOkwBxUYgYAFY6",
    )
    put(
        tmp_path,
        ".obsidian/app.json",
        json.dumps({"attachmentFolderPath": "Files", "userIgnoreFilters": ["Private/", "/x/"]}),
    )

    assert set(excluded(tmp_path)) == {"/Private/", "/Files/", "*.excalidraw.md"}
    (tmp_path / ".obsidian" / "app.json").write_text("damaged")
    assert excluded(tmp_path) == ("*.excalidraw.md",)


@pytest.mark.parametrize(
    ("file", "folder", "site"),
    [
        ("mkdocs.yml", "site", "MkDocs"),
        ("docusaurus.config.js", "versioned_docs", "Docusaurus"),
        ("docusaurus.config.ts", "build", "Docusaurus"),
        ("book.toml", "book", "mdBook"),
        ("_config.yml", "_site", "Jekyll"),
    ],
)
def test_what_a_site_makes_of_its_documents_is_left_out(tmp_path: Path, file: str, folder: str, site: str) -> None:
    write(tmp_path, docs__guide=ENGLISH)
    put(tmp_path, f"{folder}/old/guide.md", ENGLISH)
    put(tmp_path, file, "")

    assert excluded(tmp_path) == (f"/{folder}/",)
    assert look_at(tmp_path).site == site
    (tmp_path / file).unlink()
    assert not proposed(tmp_path)["exclude"].is_set


def test_lists_and_files_for_programs_are_left_out(tmp_path: Path) -> None:
    write(tmp_path, SUMMARY="* [Guide](guide.md)\n", guide=ENGLISH)
    put(tmp_path, "tools/requirements-dev.txt", "click\n")
    put(tmp_path, "llms-full.txt", ENGLISH)

    assert set(excluded(tmp_path)) == {"SUMMARY.md", "requirements-dev.txt", "llms-full.txt"}


def test_large_files_that_programs_wrote_are_left_out_and_large_books_are_not(tmp_path: Path) -> None:
    write(tmp_path, note=ENGLISH, book=ENGLISH * 1500)
    put(tmp_path, "api/all [v1].md", f"<!-- This file is generated by the build. -->\n{ENGLISH * 1500}")
    put(tmp_path, "dump.txt", "0123456789abcdef " * 200_000)

    assert set(excluded(tmp_path)) == {"/dump.txt", "/api/all \\[v1].md"}
    assert run(str(tmp_path)).exit_code == 0
    left = {one.path for one in find_files(tmp_path, read_config(tmp_path, {}, environ={}).files).files}
    assert left == {"note.md", "book.md"}


def test_daily_notes_are_named_and_kept(tmp_path: Path) -> None:
    for day in range(10, 25):
        put(tmp_path, f"Journal/2025-03-{day}.md", ENGLISH)
    put(tmp_path, "posts/2025-03-10-a-blog-post.md", ENGLISH)

    exclude = proposed(tmp_path)["exclude"]
    assert not exclude.is_set
    assert "The 15 daily notes in Journal are read; /Journal/ here would leave them out." in exclude.reason


def test_lines_too_long_to_be_text_are_left_out(tmp_path: Path) -> None:
    write(tmp_path, note=ENGLISH, data=f"# Data\n\n{'x' * 30_000}\n")
    assert values(tuple(proposed(tmp_path).values()))["max_line"] == 10_000


ODD = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)


@given(ODD, st.lists(ODD, min_size=1, max_size=3), ODD)
def test_whatever_the_names_are_the_file_is_valid_and_says_what_was_proposed(value, patterns, reason) -> None:
    made = [
        Setting("model", value, reason),
        Setting("exclude", tuple(patterns), reason, tuple(reason for _ in patterns)),
        Setting("editor", value, reason, is_set=False),
    ]
    assert tomllib.loads(settings_text(made, reason)) == {"model": value, "exclude": patterns}


NAMES = st.text(st.characters(exclude_characters="/\0\n\r", exclude_categories=["Cs", "Cc"]), min_size=1, max_size=8)


@given(NAMES.filter(lambda name: not name.startswith(".") and len(name.encode()) < 200))
def test_a_proposed_pattern_names_its_folder_and_no_other(tmp_path_factory, name) -> None:
    from unicodedata import normalize

    root = tmp_path_factory.mktemp("names")
    name = normalize("NFC", name)
    if name.strip() != name or name == "node_modules":
        return
    put(root, f"{name}/a.md", "# {{title}}\n")
    put(root, f"other/{name}/a.md", "x")
    put(root, f"{name}x/a.md", "x")
    put(root, ".obsidian/templates.json", json.dumps({"folder": name}))

    patterns = excluded(root)

    assert {one.path for one in find_files(root, FileOptions(exclude=patterns)).files} == {
        f"other/{name}/a.md",
        f"{name}x/a.md",
    }


# size


def test_time_is_bounded_by_a_sample(tmp_path: Path) -> None:
    for folder in range(100):
        (tmp_path / f"f{folder}").mkdir()
        for number in range(50):
            (tmp_path / f"f{folder}" / f"{number}.md").write_text(ENGLISH * 40)
    started = time.perf_counter()
    look = look_at(tmp_path)
    assert look.documents == 5000
    assert time.perf_counter() - started < 8  # 5,000 files of 17 kB; their contents alone would take ten times as long


@pytest.mark.skipif(not SHARED.exists(), reason="needs the corpora beside the project")
@pytest.mark.parametrize(
    ("corpus", "model"), [("rust-book", "wordllama"), ("tidb-zh", "multilingual"), ("react-ja", "multilingual")]
)
def test_real_folders_get_what_fits_them(corpus: str, model: str) -> None:
    assert proposed(SHARED / corpus)["model"].value == model
