"""The benchmarks' page shows what they found; each round of cutting has texts of its own; one command runs them all."""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
from itertools import chain
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

ROOT = Path(__file__).resolve().parent.parent
BENCH = ROOT / "bench"
pytestmark = pytest.mark.skipif(not BENCH.is_dir(), reason="a source distribution has no benchmarks")
PLOTS = sorted((ROOT / "docs" / "plots").glob("*.svg"))


def plots(*words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(BENCH / "plots.py"), *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_plots_and_tables_are_as_the_results_have_them() -> None:
    said = plots("--check")
    assert said.returncode == 0, said.stdout


def test_another_figure_moves_its_plot_and_its_table_and_nothing_else(tmp_path: Path) -> None:
    results, page = tmp_path / "results", tmp_path / "benchmarks.md"
    shutil.copytree(BENCH / "results", results, ignore=shutil.ignore_patterns("sets", "*.txt"))
    shutil.copytree(ROOT / "docs" / "plots", tmp_path / "plots")
    shutil.copyfile(ROOT / "docs" / "benchmarks.md", page)
    told = json.loads((results / "cut.json").read_text("utf-8"))
    next(one for one in told["found"] if one["unit"] == "tokens")["rate"] = 54.3
    (results / "cut.json").write_text(json.dumps(told), encoding="utf-8")
    where = ("--results", results, "--plots", tmp_path / "plots", "--page", page)
    said = plots(*where, "--check")
    assert said.returncode == 1
    assert re.findall(r"not as drawn: .*/(.*)", said.stdout) == ["cut-tokens.svg", "benchmarks.md"]
    assert "| **54.3** |" not in page.read_text("utf-8")
    assert plots(*where).returncode == 0
    assert "| **54.3** |" in page.read_text("utf-8")
    assert plots(*where, "--check").returncode == 0


@pytest.mark.parametrize("plot", PLOTS, ids=lambda plot: plot.stem)
def test_a_plot_keeps_within_its_card_and_has_colours_for_white_and_dark_pages(plot: Path) -> None:
    root = ET.fromstring(plot.read_text("utf-8"))  # noqa: S314 - our own file
    wide, high = float(root.attrib["width"]), float(root.attrib["height"])
    texts = root.findall("{http://www.w3.org/2000/svg}text")
    assert texts
    for text in texts:
        x, y, said = float(text.attrib["x"]), float(text.attrib["y"]), text.text or ""
        room = {"end": x, "middle": 2 * min(x, wide - x)}.get(text.attrib.get("text-anchor", ""), wide - x)
        assert len(said) * 6 < room, said
        assert 0 < y < high - 4, said
    assert "prefers-color-scheme:dark" in plot.read_text("utf-8")


def test_every_plot_is_on_the_page() -> None:
    assert PLOTS
    shown = set(re.findall(r"\]\(plots/([\w-]+\.svg)\)", (ROOT / "docs" / "benchmarks.md").read_text("utf-8")))
    assert shown == {plot.name for plot in PLOTS}


def test_one_command_runs_every_benchmark() -> None:
    text = (BENCH / "run.py").read_text("utf-8")
    scripts = {path.name for path in BENCH.glob("[a-z]*.py")} - {"run.py"}
    assert {name for name in scripts if f'"{name}"' in text} == scripts


@pytest.fixture(scope="module")
def small_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Texts for benchmarks: the example vault as two corpora, and as a history of three commits."""
    place, vault = tmp_path_factory.mktemp("data"), ROOT / "examples" / "vault"
    for name in ("knowledge-garden", "kepano-vault"):
        shutil.copytree(vault, place / "corpora" / name)
    texts = {path.relative_to(vault).as_posix(): path.read_text("utf-8") for path in sorted(vault.rglob("*.md"))}
    edits = [{path: text.replace(". ", ". Indeed. ", 1)} for path, text in list(texts.items())[:3]]
    (place / "histories").mkdir()
    with gzip.open(place / "histories" / "vue-zh.jsonl.gz", "wt", encoding="utf-8") as lines:
        lines.writelines(json.dumps({"changed": changed}) + "\n" for changed in (texts, *edits))
    return place


@pytest.mark.parametrize(
    "names",
    [
        ("cut", "grow", "start", "cores", "monsters"),
        ("embedding", "search", "sync", "sync-real"),
        ("churn", "cut-churn", "set-gardens", "retrieval"),
        ("search-postgres",),
        ("service",),
    ],
    ids=lambda names: names[0],
)
def test_benchmarks_run(names: tuple[str, ...], small_data: Path, tmp_path: Path) -> None:
    if "service" in names and not shutil.which("wrk"):
        pytest.skip("wrk is not installed")
    command = [sys.executable, str(BENCH / "run.py"), "--quick", "--results", str(tmp_path), *names]
    nowhere = "http://127.0.0.1:9"  # what peers would fetch is not fetched
    surroundings = os.environ | {"HEADWISE_BENCH_DATA": str(small_data), "HTTPS_PROXY": nowhere, "HTTP_PROXY": nowhere}
    said = subprocess.run(command, capture_output=True, text=True, env=surroundings, check=False)
    assert said.returncode == 0, said.stdout + said.stderr
    assert re.findall(r"^-- ([\w-]+): done", said.stdout, re.MULTILINE) == [*names]


def test_rounds_share_no_text_and_are_of_one_size_nearly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCH))
    from speed import parts

    texts = [f"text {number} " * (number % 7 + 1) for number in range(2000)]
    found = parts(iter(texts), 4, 0.01)
    assert list(chain.from_iterable(found)) == texts[: sum(map(len, found))]
    sizes = [sum(map(len, part)) for part in found]
    assert sum(sizes) == pytest.approx(40_000, abs=100)
    assert sizes == pytest.approx([10_000] * 4, abs=200)
    few = parts(iter(texts[:8]), 4, 1)  # too little for so many megabytes: less for each
    assert sum(map(len, few)) == 8
    assert len(few) == 4
