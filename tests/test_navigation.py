"""Chunks that are only links are marked, and kept out of a store where that is asked for."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from shared import shared

from headwise import Index, Settings, analyse, split
from headwise.app.config import read_config
from headwise.chunking.navigation import is_navigation
from headwise.errors import SettingsError
from headwise.indexing.files import FileOptions
from headwise.indexing.records import IndexSettings
from headwise.indexing.sync import sync
from headwise.stores.open import open_store

MAP = """# Garden

A raised bed of two metres.

## Contents

- [Beds](#beds)
  - [Soil](#soil)
- [Water](#water)

## Beds

They face south and were built in March.
"""


def marked(text: str, **options) -> list[bool]:
    return [chunk.navigation for chunk in split(text, min_tokens=0, **options)]


@pytest.mark.parametrize(
    "text",
    [
        "- [Beds](#beds)\n  - [Soil](#soil)\n- [Water](#water)\n",
        "<!-- toc -->\n- [Beds](#beds)\n- [Soil](#soil)\n<!-- /toc -->\n",
        "1. [Beds](a.md)\n2. [Soil](b.md)\n10. [Water](c.md)\n",
        "- [ ] [[Beds]]\n- [x] [[Soil|the soil]]\n",
        "See also [[Beds]], [[Soil]] and [[Water]].\n",
        "See [the beds](beds.md).\n",
        "## See also\n\n[[Beds]]\n\n## Related\n\n[[Soil]]\n",
        "Notes that belong to it:\n\n- [[Beds]]\n- [[Soil]]\n- [[Water]]\n- [[Light]]\n- [[Tools]]\n",
        "**Blog posts**\n- [A](a)\n- [B](b)\n\n**Releases**\n- [C](c)\n",
        "- [A talk](a) by [Ada](b)\n- [Another](c) by [Ben](d)\n",
        "| | |\n|---|---|\n| [[Beds]] | [[Soil]] |\n",
        "- https://example.org/a\n- <https://example.org/b>\n",
        "- [A][a]\n- [B][]\n\n[a]: a.md\n[B]: b.md\n",
        "[a]: https://example.org/a\n[b]: b.md\n",
        "> [[Beds]]\n> [[Soil]]\n",
        "[![build](https://ci/b.svg)](https://ci) [![docs](https://d/b.svg)](https://d)\n",
        "[[Beds]]\n[[Soil]] ^map\n\n^related\n",
        "[a]: a.md\n\n---\n\n[b]: #b\n",
        "**See these four notes:** [[Beds]] [[Soil]] [[Water]] [[Light]]\n",
        "参见下列笔记内容：[[菜畦]]、[[土壤]]、[[水]]、[[光]]\n",
        "参见相关[[菜畦]]、[[土壤]]。\n",
        "https://example.org/a\nhttps://example.org/b https://example.org/c\n",
        "参见[[菜畦]]、[[土壤]]。\n",
        "<div class='wide'>\n\n[[Beds]]\n\n</div>\n",
        "See also\n\nAll of the notes that belong to this one here\n===\n\n[[Beds]] [[Soil]]\n",
        "The notes that belong to it are here:\n\n" + "- [[Beds]]\n" * 12,
    ],
)
def test_only_links(text: str) -> None:
    assert marked(text, max_tokens=400, strategy="paragraphs") == [True]


@pytest.mark.parametrize(
    "text",
    [
        "They face south.\n",
        "# Beds\n",
        "# [Beds](beds.md)\n",
        "## Motivation\n[motivation]: #motivation\n",
        "The [beds](beds.md) face [south](south.md).\n\nThey were built in March.\n",
        "- [Beds](beds.md): they face south\n- [Soil](soil.md): loam over gravel\n",
        "- Add a pump to the garden. ([#12](x), [#13](y), [#14](z))\n",
        "- price [30](a), 12 [m](b), 3 [kg](c), 4\n",
        "| what | how much |\n|---|---|\n| [Beds](a) | 12 |\n| [Soil](b) | 30 |\n",
        "![the beds](beds.png)\n",
        "![[Beds.base]]\n",
        "[[Beds]]\n\n![the beds](beds.png)\n",
        "[[Beds]]\n\n<img src='beds.png'>\n",
        "<YouTube id='4' />\n\n[[Beds]]\n",
        "[[Beds]]\n\n```\nls\n```\n",
        "- [[Beds]]\n\n  ```\n  ls\n  ```\n",
        "[[Beds]]\n\n$$\nx\n$$\n",
        "<!-- what this section is to hold -->\n\n[[Beds]]\n",
        "`[[Beds]]`\n",
        "```\n```\n\n[[Beds]]\n",
        "[[Beds]]\n- and more\n",
        ":[ ]: .\n",
        "They face the south [[Beds]] [[Soil]] [[Water]] [[Light]]\n",
        "May 24 - 25, Berlin\n\n[Website](a) - [Video](b)\n",
        "None.\n\n[unresolved]: #unresolved\n",
        "参见这里的说明文字[[菜畦]]。\n",
        "The nine notes that belong to it are here:\n\n" + "- [[Beds]]\n" * 12,
        "The nine notes / that belong to it are here:\n\n" + "- [[Beds]]\n" * 12,
        "[[Beds]]\n\nThey face south all day and were built long ago in March.\n",
    ],
)
def test_more_than_links(text: str) -> None:
    assert marked(text, max_tokens=400, strategy="paragraphs") == [False]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_a_chunk_is_judged_by_its_body_alone(newline: str) -> None:
    assert marked(MAP.replace("\n", newline)) == [False, True, False]


def test_parts_of_a_long_list_or_a_long_link_are_judged_each() -> None:
    text = "Where it stands is told here at some length.\n\n" + "".join(f"- [Bed {n}](bed-{n}.md)\n" for n in range(40))
    assert marked(text, max_tokens=60) == [False] + [True] * (len(marked(text, max_tokens=60)) - 1)
    for before in ("", "[[Beds]] [[Soil]] "):
        assert all(marked(f"{before}[try it](https://play.example/#{'aB3' * 300})\n", max_tokens=60))


@pytest.mark.parametrize("end", [8, 10])
def test_what_comes_after_a_chunk_does_not_count(end: int) -> None:
    assert is_navigation(analyse("[[Beds]]\n\n```\nls\n```\n").layout, 0, end)
    assert is_navigation(analyse("[[Beds]]\n\nThey face south all day and were built long ago.\n").layout, 0, end)


def test_what_a_paragraph_says_before_a_chunk_does_not_count() -> None:
    text = "They face south all day and were built long ago in March. [[Beds]] [[Soil]]\n"
    assert is_navigation(analyse(text).layout, text.index("[["), len(text))


def test_what_is_repeated_does_not_count() -> None:
    text = "It faces south all day. " * 12 + "\n\n" + "- [[Bed]]\n" * 12
    chunks = split(text, max_tokens=90, overlap="1s", min_tokens=0)

    assert "faces south" in chunks[-1].text[: chunks[-1].own_start - chunks[-1].start]
    assert chunks[-1].navigation


def test_time_is_linear_on_many_links() -> None:
    text = "[a](b) " * 30_000
    (chunk,) = split(text, max_tokens=10**6)

    assert chunk.navigation


def test_tables_of_contents_of_real_files_are_marked() -> None:
    files = sorted(shared("data", "corpora", "k8s-keps", "keps", "sig-node").glob("*/README.md"))[:40]
    with_contents = 0
    for file in files:
        text = file.read_text("utf-8")
        chunks = analyse(text).chunks
        first = text.find("<!-- toc -->")
        if first < 0:
            continue
        last = text.find("<!-- /toc -->")
        inside = [c for c in chunks if c.start >= first and c.end <= last]
        with_contents += bool(inside)
        assert all(c.navigation for c in inside), file
        assert sum(len(c.text) for c in chunks if c.navigation) < len(text) / 2
    assert with_contents > 10


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "headwise", *arguments], cwd=cwd, capture_output=True, text=True, check=False
    )


def test_json_and_screen_say_so(tmp_path: Path) -> None:
    (tmp_path / "garden.md").write_text(MAP, "utf-8")

    lines = run("chunk", "garden.md", "--min-tokens", "0", "--json", cwd=tmp_path).stdout.splitlines()
    assert [json.loads(line)["metadata"].get("navigation") for line in lines] == [None, True, None]
    heads = [
        line
        for line in run("chunk", "garden.md", "--min-tokens", "0", cwd=tmp_path).stdout.splitlines()
        if "──" in line
    ]
    assert [head.endswith("navigation") for head in heads] == [False, True, False]


def test_they_can_be_kept_out_of_a_store(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "garden.md").write_text(MAP, "utf-8")
    cutting = Settings(min_tokens=0)
    ids = {}
    with open_store(str(tmp_path / "index.db"), create=True) as store:
        for way in ("keep", "skip", "keep"):
            settings = IndexSettings(cutting, navigation=way)
            report = sync(store, folder, "notes", FileOptions(), settings)
            assert report.recut == (way == "skip" or bool(ids))
            ids[way] = {chunk.id for chunk in store.stats().largest}
            if way == "skip":
                with Index(str(tmp_path / "index.db")) as index:
                    assert {hit.id for hit in index.search("soil water garden beds")} <= ids["skip"]
    assert ids["keep"] - ids["skip"] == {"garden.md#contents::0"}
    assert ids["skip"] == {"garden.md#garden::0", "garden.md#beds::0"}


def test_the_way_is_a_setting_of_index(tmp_path: Path) -> None:
    (tmp_path / "garden.md").write_text(MAP, "utf-8")
    counts = []
    for flags in ((), ("--navigation", "skip")):
        done = run("index", ".", "--no-embed", "--min-tokens", "0", "--json", *flags, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        counts.append(json.loads(done.stdout)["chunks"])
    assert counts == [3, 2]

    wrong = run("index", ".", "--navigation", "hide", cwd=tmp_path)
    assert (wrong.returncode, wrong.stderr.strip()) == (1, "Error: navigation is 'hide'; choose one of keep, skip")
    with pytest.raises(SettingsError, match="choose one of keep, skip"):
        read_config(tmp_path, {}, {"HEADWISE_NAVIGATION": "no"})
    keys = {IndexSettings(navigation=way).key(obsidian=False) for way in ("keep", "skip")}
    assert len(keys) == 2
