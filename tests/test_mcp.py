"""The MCP server with the official client: every tool, resources, errors, hostile input, both ways to reach it."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import tomllib
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("mcp", reason="the extra mcp is not installed")

import httpx2
from jsonschema import Draft202012Validator
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from headwise.app.cli import cli
from headwise.app.mcp_door.answers import schema
from headwise.app.mcp_door.headings import headings_of
from headwise.app.mcp_door.resources import PAGE, uri_of
from headwise.app.mcp_door.server import make_server
from headwise.app.mcp_door.slices import cut_slice
from headwise.app.mcp_door.texts import line, plain
from headwise.app.mcp_door.tools import TOOLS
from headwise.app.service.library import Library
from headwise.chunking.measure import find_measure
from headwise.chunking.settings import Settings
from headwise.chunking.split import analyse
from headwise.indexing.records import IndexSettings, make_records
from headwise.model import Document
from headwise.reading.lines import line_number

EXAMPLES = Path(__file__).resolve().parent.parent / "examples" / "vault"
STORE = Path(".headwise", "index.db")
HEADWISE = (sys.executable, "-m", "headwise")


def index(folder: Path) -> Path:
    """Indexes *folder*, without vectors where nothing says so, and gives its store."""
    done = CliRunner().invoke(cli, ["index", str(folder), "--yes"])
    assert done.exit_code == 0, done.output
    return folder / STORE


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = Path(shutil.copytree(EXAMPLES, tmp_path_factory.mktemp("mcp") / "vault"))
    index(folder)
    return folder


def ask(folder: Path, story: Callable[[Client], Awaitable[Any]], **options: Any) -> Any:
    """What *story* gives, told to a server in this process."""

    async def main() -> Any:
        library = Library(str(folder / STORE), None)
        try:
            async with Client(make_server(library, folder, **options)) as client:
                return await story(client)
        finally:
            library.close()

    return anyio.run(main)


def call(folder: Path, tool: str, /, **arguments: Any) -> Any:
    """The answer of a tool; the client holds structured content against the tool's schema."""
    return ask(folder, lambda client: client.call_tool(tool, arguments))


def text_of(result: Any) -> str:
    assert [content.type for content in result.content] == ["text"]
    return result.content[0].text


def refused(folder: Path, tool: str, /, **arguments: Any) -> str:
    """The one line that a tool ends with."""
    result = call(folder, tool, **arguments)
    assert result.is_error
    assert result.structured_content is None
    text = text_of(result)
    assert "\n" not in text
    assert len(text) < 1000
    return text


def tokens(text: str) -> int:
    return find_measure("cl100k_base").count(text)


# what a model is told


def test_tools_say_what_they_are_for_and_that_they_only_read(vault: Path) -> None:
    tools = ask(vault, lambda client: client.list_tools()).tools

    assert [tool.name for tool in tools] == ["search", "read", "outline", "related"]
    for tool in tools:
        notes = tool.annotations
        assert notes is not None
        assert (notes.read_only_hint, notes.destructive_hint, notes.open_world_hint) == (True, False, False)
        assert "Example" in (tool.description or "")
        Draft202012Validator.check_schema(tool.input_schema)
        Draft202012Validator.check_schema(tool.output_schema)
        assert "title" not in json.dumps(tool.input_schema).replace("title-", "")
        for name, about in tool.input_schema["properties"].items():
            assert about["description"], f"{tool.name}.{name}"
    # all of it is in a model's context as long as the server is connected
    assert sum(tokens(tool.model_dump_json(exclude={"output_schema"}, exclude_none=True)) for tool in tools) < 1500


def test_examples_in_descriptions_are_arguments_that_tools_take(vault: Path) -> None:
    decoder = json.JSONDecoder()
    shown = 0
    for tool in TOOLS.values():
        rest = tool.description
        while "{" in rest:
            arguments, end = decoder.raw_decode(rest, rest.index("{"))
            rest = rest[end:]
            tool.asked.model_validate(arguments)
            shown += 1
            if "offset" not in arguments:
                assert not call(vault, tool.name, **arguments).is_error, arguments
    assert shown >= 7


# each tool


def test_search_gives_passages_to_cite_within_a_small_budget(vault: Path) -> None:
    result = call(vault, "search", query="how many pins does the motor driver need")

    assert not result.is_error
    found = result.structured_content["passages"]
    assert found[0] | {"score": 0, "text": ""} == {
        "rank": 1,
        "path": "Robots/SMARS.md",
        "start_line": 38,
        "end_line": 59,
        "breadcrumb": "SMARS > Motor wiring",
        "id": "Robots/SMARS.md#motor-wiring::0",
        "score": 0,
        "text": "",
        "open": None,
    }
    lines = (vault / "Robots/SMARS.md").read_text("utf-8").splitlines()
    assert found[0]["text"] == "\n".join(lines[37:59])
    text = text_of(result)
    assert text.startswith(
        "[1] Robots/SMARS.md:38-59 (SMARS > Motor wiring)\nid: Robots/SMARS.md#motor-wiring::0\n```\n"
    )
    assert all(one["text"] in text for one in found)
    assert tokens(text) <= 1500
    assert len(found) <= 5


@pytest.mark.parametrize("budget", [50, 200, 700, 5000])
def test_search_keeps_to_its_budget_with_all_that_it_says(vault: Path, budget: int) -> None:
    text = text_of(call(vault, "search", query="motor driver pins", limit=50, budget=budget))

    assert tokens(text) <= budget


def test_search_keeps_to_paths_and_tags(vault: Path) -> None:
    only = call(vault, "search", query="motor", path="docs", limit=20).structured_content["passages"]
    tagged = call(vault, "search", tag="recipe", limit=50, budget=20_000).structured_content["passages"]

    assert only
    assert {one["path"].partition("/")[0] for one in only} == {"docs"}
    assert tagged
    assert {one["path"].partition("/")[0] for one in tagged} == {"Recipes"}
    assert call(vault, "search", tag=["recipe"], limit=50, budget=20_000).structured_content["passages"] == tagged


def test_a_search_without_hits_is_no_error_and_says_what_to_try(vault: Path) -> None:
    nothing = call(vault, "search", query="-motor", path="Nowhere")
    small = call(vault, "search", query="what does the table of wires say", budget=50, path="Robots/SMARS.md")

    assert nothing.structured_content["passages"] == []
    assert "nothing found: try without path and tag" in text_of(nothing)
    assert not small.is_error
    assert small.structured_content["passages"] or "raise budget" in text_of(small)


def test_search_says_how_to_open_a_place_if_an_editor_is_set(vault: Path) -> None:
    def story(client: Client) -> Awaitable[Any]:
        return client.call_tool("search", {"query": "is the traffic encrypted", "limit": 1})

    found = ask(vault, story, editor="obsidian").structured_content["passages"][0]
    assert found["open"] == "obsidian://open?vault=vault&file=docs%2Ffaq%23Is%20there%20encryption%3F"


def test_read_takes_ids_sections_and_documents(vault: Path) -> None:
    chunk = call(vault, "read", name="Robots/SMARS.md#motor-wiring::0").structured_content
    section = call(vault, "read", name="SMARS#Motor wiring").structured_content
    whole = call(vault, "read", name="Robots/SMARS.md").structured_content

    assert chunk == section
    assert (chunk["path"], chunk["start_line"], chunk["end_line"]) == ("Robots/SMARS.md", 38, 59)
    assert chunk["breadcrumb"] == "SMARS > Motor wiring"
    text = (vault / "Robots/SMARS.md").read_text("utf-8")
    assert whole["text"] == text[text.index("# SMARS") :].rstrip()
    assert whole["next_offset"] is None
    assert whole["breadcrumb"] == "SMARS"


@pytest.mark.parametrize("size", [50, 120, 500])
def test_slices_put_together_are_the_document(vault: Path, size: int) -> None:
    async def story(client: Client) -> list[Any]:
        slices, offset = [], 0
        while offset is not None:
            arguments = {"name": "Robots/SMARS.md", "offset": offset, "max_tokens": size}
            result = await client.call_tool("read", arguments)
            slices.append(result.structured_content)
            offset = slices[-1]["next_offset"]
            assert (offset is None) == ("read on with offset" not in text_of(result))
        return slices

    slices = ask(vault, story)
    text = (vault / "Robots/SMARS.md").read_text("utf-8")
    lines = text.splitlines()
    at = 0
    for one in slices:
        assert tokens(one["text"]) <= size
        at = text.index(one["text"], at)
        assert one["start_line"] == text.count("\n", 0, at) + 1
        assert one["end_line"] == text.count("\n", 0, at + len(one["text"].rstrip("\n"))) + 1
        assert one["text"].split("\n")[0] in lines[one["start_line"] - 1]
    assert "".join("".join(one["text"].split()) for one in slices) == "".join(text[text.index("# SMARS") :].split())


def test_outline_lists_sections_as_the_file_has_them(vault: Path) -> None:
    result = call(vault, "outline", name="SMARS")
    found = result.structured_content
    made = analyse((vault / "Robots/SMARS.md").read_text("utf-8"), obsidian=True)

    assert [(one["level"], one["title"]) for one in found["sections"]] == [(s.level, s.title) for s in made.sections]
    lines = made.tree.text.splitlines()
    for one in found["sections"]:
        assert lines[one["start_line"] - 1] == f"{'#' * one['level']} {one['title']}"
        assert lines[one["end_line"] - 1].strip()
        read = call(vault, "read", name=one["name"], max_tokens=20_000).structured_content
        assert (read["start_line"], read["end_line"]) == (one["start_line"], one["end_line"])
        assert abs(tokens(read["text"]) - one["tokens"]) <= 0.03 * one["tokens"] + 3
    assert text_of(result).splitlines()[1].startswith("15-111\t")


def test_related_shows_links_both_ways_and_what_is_near(vault: Path) -> None:
    found = call(vault, "related", name="Robots/SMARS.md").structured_content
    section = call(vault, "related", name="SMARS#Motor wiring").structured_content

    assert "docs/README.md" in {one["path"] for one in found["links"]}
    assert "Home.md" in {one["path"] for one in found["backlinks"]}
    assert found["left_out"] == 0
    assert section["anchor"] == "motor-wiring"
    assert {"path": "Home.md", "title": "Home", "part": "Motor wiring"} in section["backlinks"]


def test_results_are_limited_however_much_there_is(tmp_path: Path) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    (folder / "hub.md").write_text("# Hub\n\n" + "\n".join(f"[[note {n}]] motor" for n in range(200)), "utf-8")
    for n in range(200):
        (folder / f"note {n}.md").write_text(f"# Note {n}\n\nMotor [[hub]].\n", "utf-8")
    (folder / "long.md").write_text("".join(f"# Part {n}\n\nText {n}.\n\n" for n in range(950)), "utf-8")
    (folder / "line.md").write_text("motor " * 50_000, "utf-8")
    index(folder)

    hub = call(folder, "related", name="hub")
    assert len(hub.structured_content["links"]) == len(hub.structured_content["backlinks"]) == 25
    assert hub.structured_content["left_out"] == 350
    assert "and 350 more links" in text_of(hub)
    assert tokens(text_of(call(folder, "search", query="motor", limit=50, budget=20_000))) <= 20_000
    assert tokens(text_of(call(folder, "read", name="line"))) < 2100

    async def every(client: Client) -> list[str]:
        names, offset = [], 0
        while offset is not None:
            answer = (await client.call_tool("outline", {"name": "long", "offset": offset})).structured_content
            assert len(answer["sections"]) <= 100
            names += [one["title"] for one in answer["sections"]]
            offset = answer["next_offset"]
        return names

    assert ask(folder, every) == [f"Part {n}" for n in range(950)]


# what is not there, and what makes no sense


def test_what_is_not_there_is_answered_with_what_is_called_nearly_so(vault: Path) -> None:
    assert "is it Robots/SMARS.md?" in refused(vault, "read", name="Robots/SMRAS.md")
    assert "is it Robots/SMARS.md#motor-wiring?" in refused(vault, "read", name="SMARS#Motor wirin")
    assert "is it docs/faq.md" in refused(vault, "outline", name="FAQs")
    assert "there is no document" in refused(vault, "related", name="qqqqqq")
    (secret,) = (file for file in vault.rglob("*.md") if "headwise: false" in file.read_text("utf-8"))
    assert secret.name not in refused(vault, "read", name=secret.stem[:-1])
    assert "there is no document" in refused(vault, "read", name=secret.relative_to(vault).as_posix())


def test_what_makes_no_sense_is_refused_in_one_line_that_says_what_to_do(vault: Path) -> None:
    assert refused(vault, "search") == (
        "query is empty: give words or a question, or a path or a tag whose documents to list"
    )
    assert refused(vault, "search", query="a", top_k=3, limit=0) == (
        "search: limit: input should be greater than or equal to 1; "
        "it takes no top_k (it takes query, limit, budget, path, tag)"
    )
    assert "name: field required" in refused(vault, "read")
    assert "ends before it: begin again with offset=0" in refused(vault, "read", name="SMARS", offset=10**9)
    assert refused(vault, "write", name="a") == "there is no tool write; there are search, read, outline, related"


HOSTILE = [
    "../../../etc/passwd",
    "/etc/passwd",
    "..\\..\\windows\\win.ini",
    "%2e%2e%2fetc%2fpasswd",
    "file:///etc/passwd",
    ".headwise/index.db",
    "Robots/../../x.md",
    "a\0b",
    "\0",
    "\ud800",
    "x" * 10_000,
    "#" * 500,
    "a#b#c::0",
    '" OR 1=1 --',
    'NEAR("a" "b", 5) AND title:* OR ^x',
    '"""((()))***',
    "'; DROP TABLE chunks; --",
    "{text}: a AND NOT",
    "[1](javascript:alert(1)) <script>",
    "\u202e\u2028\r\n\t",
    "-" * 300,
]


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_hostile_input_is_answered_safely(vault: Path, text: str) -> None:
    before = (vault / STORE).read_bytes()

    async def story(client: Client) -> None:
        for tool in ("read", "outline", "related"):
            result = await client.call_tool(tool, {"name": text})
            assert result.is_error or result.structured_content["path"].endswith(".md")
            assert "root:" not in text_of(result)
            assert "nobody thought of" not in text_of(result), tool
            assert len(text_of(result)) < 2000 or not result.is_error
        for arguments in ({"query": text}, {"query": "a", "path": text}, {"query": "a", "tag": text}):
            result = await client.call_tool("search", arguments)
            assert "nobody thought of" not in text_of(result), arguments
            json.dumps(result.structured_content).encode()
        with pytest.raises(MCPError) as caught:
            await client.read_resource(uri_of(text))
        assert "\n" not in str(caught.value)

    ask(vault, story)
    assert (vault / STORE).read_bytes() == before


def test_what_json_cannot_say_is_replaced_and_nothing_steers_a_terminal(tmp_path: Path) -> None:
    (tmp_path / "odd.md").write_text("# Odd\n\n\x1b[31m red words, many of them, in a note of some length\n")
    index(tmp_path)

    for result in (call(tmp_path, "search", query="red"), call(tmp_path, "read", name="odd.md")):
        assert "\x1b" not in text_of(result) + json.dumps(result.structured_content, ensure_ascii=False)
    assert plain("a\r\nb\rc\x00\ud800\td") == "a\nb\nc\ufffd\td"
    assert line("a\r\nb\u2028c\udfff") == "a b c\ufffd"


def test_a_fault_of_ours_is_told_and_logged_and_the_server_goes_on(
    vault: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("headwise.app.mcp_door.tools.cut_slice", lambda *_: 1 / 0)

    async def story(client: Client) -> tuple[Any, Any]:
        return (await client.call_tool("read", {"name": "SMARS"}), await client.call_tool("outline", {"name": "SMARS"}))

    broken, sound = ask(vault, story)
    assert broken.is_error
    assert "division" not in text_of(broken)
    assert "ZeroDivisionError" in caplog.text
    assert not sound.is_error


# resources


def test_documents_are_resources_listed_in_pages_and_read_by_uri(tmp_path: Path) -> None:
    names = sorted([f"note {n:03}.md" for n in range(2 * PAGE + 50)] + ["Über #1 & 50%.md", "b/味噌.md", "c/list.txt"])
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"# {name}\n\nText of {name}.\n", "utf-8")
    (tmp_path / "secret.md").write_text("---\nheadwise: false\n---\n\nSecret.\n", "utf-8")
    index(tmp_path)

    async def story(client: Client) -> list[Any]:
        found, cursor, pages = [], None, 0
        while pages == 0 or cursor:
            page = await client.list_resources(cursor=cursor)
            found, cursor, pages = found + page.resources, page.next_cursor, pages + 1
        assert pages == 3
        for one in (found[0], found[-1], *(one for one in found if not one.name.startswith("note"))):
            (content,) = (await client.read_resource(one.uri)).contents
            assert f"Text of {one.name}." in content.text
            assert (
                content.mime_type == one.mime_type == ("text/plain" if one.name.endswith(".txt") else "text/markdown")
            )
        (template,) = (await client.list_resource_templates()).resource_templates
        assert template.uri_template == "headwise://doc/{+name}"
        (section,) = (await client.read_resource("headwise://doc/note%20001.md%23note-001md")).contents
        assert "Text of note 001.md." in section.text
        for wrong in ("headwise://doc/", "file:///etc/passwd", "headwise://doc/note%20001.m"):
            with pytest.raises(MCPError) as caught:
                await client.read_resource(wrong)
            assert caught.value.error.code == -32602
        assert "is it note 001.md" in str(caught.value)
        with pytest.raises(MCPError, match="this cursor comes from no earlier page"):
            await client.list_resources(cursor="nonsense!")
        return found

    found = ask(tmp_path, story)
    assert [one.name for one in found] == names
    assert all(one.title and one.description.endswith(" tokens") for one in found)


def test_a_long_document_as_a_resource_says_that_there_is_more(tmp_path: Path) -> None:
    (tmp_path / "long.md").write_text("".join(f"# Part {n}\n\nText number {n}.\n\n" for n in range(4000)), "utf-8")
    index(tmp_path)

    (content,) = ask(tmp_path, lambda client: client.read_resource("headwise://doc/long.md")).contents

    assert tokens(content.text) < 21_000
    assert "there is more: the tool read goes on with offset=" in content.text


# a store that changes


def test_what_is_indexed_meanwhile_is_seen_and_a_store_made_anew_as_well(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\n\nOld words.\n")
    store = index(tmp_path)

    async def story(client: Client) -> None:
        async def found(query: str) -> list[str]:
            result = await client.call_tool("search", {"query": query})
            return [one["path"] for one in result.structured_content["passages"]] if not result.is_error else []

        assert await found("old words") == ["a.md"]
        (tmp_path / "b.md").write_text("# B\n\nZebra crossing.\n")
        index(tmp_path)
        assert (await found("zebra"))[0] == "b.md"
        for file in store.parent.iterdir():
            file.unlink()
        gone = await client.call_tool("search", {"query": "zebra"})
        assert gone.is_error
        assert "index a folder first" in text_of(gone)
        (tmp_path / "c.md").write_text("# C\n\nOkapi.\n")
        index(tmp_path)
        assert (await found("okapi"))[0] == "c.md"

    ask(tmp_path, story)


def test_a_document_whose_path_holds_a_sign_for_sections_is_read_like_any_other(tmp_path: Path) -> None:
    (tmp_path / "C# and F#.md").write_text("# Types\n\nGenerics are reified.\n\n## F# types\n\nRecords and unions.\n")
    (tmp_path / "C.md").write_text("# and F\n\nAnother.\n")
    index(tmp_path)

    found = call(tmp_path, "search", query="unions").structured_content["passages"][0]
    assert found["path"] == "C# and F#.md"
    assert "Records" in call(tmp_path, "read", name=found["id"]).structured_content["text"]
    sections = call(tmp_path, "outline", name="C# and F#.md").structured_content["sections"]
    assert [one["title"] for one in sections] == ["Types", "F# types"]
    for one in sections:
        assert "Records" in call(tmp_path, "read", name=one["name"]).structured_content["text"]
    assert "Another" in call(tmp_path, "read", name="C#and-f").structured_content["text"]


def test_documents_of_several_folders_in_one_store_are_all_there(tmp_path: Path) -> None:
    store = tmp_path / "kept" / STORE
    store.parent.mkdir(parents=True)
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / f"{name}.md").write_text(f"# {name}\n\nWords of {name}.\n")
        assert CliRunner().invoke(cli, ["index", str(folder), "--store", str(store)]).exit_code == 0

    async def story(client: Client) -> list[str]:
        for name in ("one", "two"):
            assert f"Words of {name}." in text_of(await client.call_tool("read", {"name": name}))
            result = await client.call_tool("search", {"query": f"words of {name}", "limit": 1})
            assert result.structured_content["passages"][0]["open"] == f"{tmp_path}/{name}/{name}.md:1"
        return [one.name for one in (await client.list_resources()).resources]

    assert ask(tmp_path / "kept", story, editor="file") == ["one.md", "two.md"]


# pure parts


MARKDOWN = st.lists(
    st.sampled_from(
        [
            "# One\n",
            "## Two\n",
            "## Two\n",
            "\n",
            "\n\n\n",
            "Some words here.\n",
            "word " * 60 + "\n",
            "- item\n- item\n",
            "```\n# no heading\n```\n",
            "long" * 80 + "\n",
            "  \n",
            "> quote\n",
            "\r\n",
            "Tail without end",
            "語" * 50 + "\n",
        ]
    ),
    max_size=25,
).map("".join)


def stored(text: str, max_tokens: int, overlap: int) -> Any:
    made = Document("a.md", text, "markdown", "", 0, 0, 0, 0)
    return make_records(made, IndexSettings(Settings(max_tokens=max_tokens, overlap=overlap)), 0)


@given(MARKDOWN, st.sampled_from([30, 60, 400]), st.sampled_from([0, 8]), st.integers(1, 90))
def test_slices_are_verbatim_whole_and_small(text: str, max_tokens: int, overlap: int, size: int) -> None:
    records = stored(text, max_tokens, overlap).records
    starts = analyse(text).tree.lines
    offset, seen = 0, 0
    while (one := cut_slice(records, offset, size)) is not None:
        if not seen:
            assert not text[: one.start].strip()
        assert one.text == text[one.start : one.end]
        assert tokens(one.text) <= size or len(one.text) == 1
        assert one.start_line == line_number(starts, one.start)
        assert one.end_line == line_number(starts, one.start + max(len(one.text.rstrip()), 1) - 1)
        assert not text[seen : one.start].strip()
        assert one.end > seen
        seen = one.end
        if one.next_offset is None:
            break
        assert one.next_offset >= one.end
        offset = one.next_offset
    assert not text[seen:].strip()


@given(MARKDOWN, st.sampled_from([30, 400]), st.sampled_from([0, 8]))
def test_headings_of_what_is_stored_are_those_of_the_file(text: str, max_tokens: int, overlap: int) -> None:
    expected = analyse(text)
    found = headings_of(stored(text, max_tokens, overlap), is_vault=False)

    assert [(one.level, one.title, one.anchor) for one in found] == [
        (section.level, section.title, section.anchor) for section in expected.sections
    ]
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for one in found:
        assert lines[one.start_line - 1].startswith("#")
        assert lines[one.end_line - 1].strip()


# over stdin and stdout


def server_of(folder: Path, *options: str) -> StdioServerParameters:
    return StdioServerParameters(command=HEADWISE[0], args=[*HEADWISE[1:], "mcp", str(folder), *options])


def test_every_tool_and_the_resources_over_stdin_and_stdout(vault: Path, tmp_path: Path) -> None:
    async def main() -> None:
        async with Client(server_of(vault)) as client:
            assert "vault" in (client.instructions or "")
            for tool, arguments in (
                ("search", {"query": "how many pins does the motor driver need"}),
                ("read", {"name": "Robots/SMARS.md#motor-wiring"}),
                ("outline", {"name": "SMARS"}),
                ("related", {"name": "SMARS"}),
            ):
                result = await client.call_tool(tool, arguments)
                assert not result.is_error
                Draft202012Validator(schema(TOOLS[tool].answer)).validate(result.structured_content)
            (first, *_) = (await client.list_resources()).resources
            assert (await client.read_resource(first.uri)).contents
            assert "is it Robots/SMARS.md?" in text_of(await client.call_tool("read", {"name": "SMRAS"}))

    anyio.run(main)


INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "raw", "version": "1"},
    },
}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def search_message(number: int, query: str) -> dict[str, Any]:
    params = {"name": "search", "arguments": {"query": query}}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


@contextmanager
def raw_server(folder: Path, *options: str) -> Iterator[subprocess.Popen[bytes]]:
    """A server whose pipes are ours."""
    process = subprocess.Popen(
        [*HEADWISE, "mcp", str(folder), *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe and not pipe.closed:
                with suppress(BrokenPipeError):
                    pipe.close()


def say(process: subprocess.Popen[bytes], *messages: object) -> None:
    assert process.stdin
    for message in messages:
        line = message if isinstance(message, bytes) else json.dumps(message).encode()
        process.stdin.write(line + b"\n")
    process.stdin.flush()


def hear(process: subprocess.Popen[bytes]) -> dict[str, Any]:
    assert process.stdout
    return json.loads(process.stdout.readline())


def test_an_older_client_is_served_and_nothing_but_the_protocol_is_on_stdout(vault: Path) -> None:
    with raw_server(vault, "--model", "no-such-model") as process:
        say(process, INITIALIZE)
        assert hear(process)["result"]["serverInfo"]["name"] == "headwise"
        say(process, INITIALIZED, search_message(2, "motor"))
        answer = hear(process)
        assert answer["id"] == 2
        assert not answer["result"].get("isError"), answer
        assert "words alone" in answer["result"]["structuredContent"]["notes"][0]
        say(
            process, b"this is no JSON", b'{"jsonrpc": "2.0", "id": 9, "method": "no/such"}', b'"\\ud800"', b"[]" * 1000
        )
        say(process, search_message(3, "\ud800 lone"), search_message(4, "motor"))
        numbers = set()
        while 4 not in numbers:
            numbers.add(hear(process).get("id"))
        assert process.stdin
        process.stdin.close()
        assert process.stdout
        assert process.stderr
        rest, errors = process.stdout.read(), process.stderr.read()
        assert process.wait(10) == 0
    for said in rest.splitlines():
        json.loads(said)
    assert b"Traceback" not in errors
    assert b"words alone" in errors


def test_the_end_of_stdin_ends_the_server(vault: Path) -> None:
    with raw_server(vault) as process:
        assert process.stdin
        process.stdin.close()
        assert process.wait(15) == 0
    with raw_server(vault) as process:
        say(process, INITIALIZE)
        hear(process)
        process.send_signal(signal.SIGTERM)
        assert process.wait(5) == -signal.SIGTERM


CLIENT = """
import anyio, sys
from mcp import Client, StdioServerParameters
async def main():
    server = StdioServerParameters(command=sys.argv[1], args=sys.argv[2:])
    async with Client(server) as client:
        await client.call_tool("outline", {"name": "SMARS"})
        print("ready", flush=True)
        await client.call_tool("search", {"query": "motor"})
        print("found", flush=True)
        await anyio.sleep(60)
anyio.run(main)
"""
SLOW = """
import sys, time
import headwise.indexing.index as index
find = index.Index.find
def slow(self, query, *rest, **named):
    if query == "motor":
        end = time.monotonic() + 60
        while time.monotonic() < end:
            sum(range(10_000))
    return find(self, query, *rest, **named)
index.Index.find = slow
from headwise.app.cli import main
main()
"""


def children(pid: int) -> list[int]:
    found = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(child) for child in found.read_text().split()]


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds processes in /proc")
@pytest.mark.parametrize("searching", [False, True], ids=["idle", "searching"])
def test_a_killed_client_leaves_no_server_behind(vault: Path, searching: bool) -> None:
    server = [sys.executable, "-c", SLOW, "mcp", str(vault)] if searching else [*HEADWISE, "mcp", str(vault)]
    client = subprocess.Popen(
        [sys.executable, "-c", CLIENT, *server], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    try:
        assert client.stdout
        assert client.stdout.readline() == b"ready\n"
        if searching:
            time.sleep(0.3)
        else:
            assert client.stdout.readline() == b"found\n"
        (pid,) = children(client.pid)
        os.kill(client.pid, signal.SIGKILL)
        client.wait()
        deadline = time.monotonic() + 10
        while is_running(pid) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not is_running(pid)
    finally:
        client.kill()
        client.communicate()


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


# over HTTP


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as one:
        return one.getsockname()[1]


@contextmanager
def http_server(
    folder: Path, token: str = "", command: Sequence[str] = ()
) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    environ = {**os.environ, "HEADWISE_TOKEN": token}
    process = subprocess.Popen(
        command or [*HEADWISE, "mcp", str(folder), "--http", "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environ,
    )
    try:
        assert process.stderr
        line = process.stderr.readline()
        assert line.startswith("serving MCP at http://"), line + process.stderr.read()
        yield line.split()[-1], process
    finally:
        process.kill()
        process.communicate()


def test_every_tool_over_http_several_clients_at_once_and_a_graceful_end(vault: Path) -> None:
    with http_server(vault) as (url, process):

        async def one(mode: str) -> None:
            async with Client(url, mode=mode) as client:
                for tool, arguments in (
                    ("search", {"query": "how many pins does the motor driver need"}),
                    ("read", {"name": "Robots/SMARS.md#motor-wiring"}),
                    ("outline", {"name": "SMARS"}),
                    ("related", {"name": "SMARS"}),
                ):
                    assert not (await client.call_tool(tool, arguments)).is_error
                assert len((await client.list_resources()).resources) == 33

        async def main() -> None:
            async with anyio.create_task_group() as group:
                for mode in ("auto", "legacy", "auto", "legacy"):
                    group.start_soon(one, mode)

        anyio.run(main)
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == 0
        assert process.stdout
        assert process.stdout.read() == ""


def ask_http(url: str, **headers: str | bytes) -> httpx.Response:
    kinds = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    return httpx.post(url, json=INITIALIZE, headers=kinds | {k.replace("_", "-"): v for k, v in headers.items()})


def test_over_http_names_and_pages_of_others_are_refused(vault: Path) -> None:
    with http_server(vault) as (url, _):
        assert ask_http(url).status_code == 200
        assert ask_http(url, origin="http://localhost:3000").status_code == 200
        assert ask_http(url, host="evil.example").status_code == 403
        assert ask_http(url, origin="https://evil.example").status_code == 403
        assert ask_http(url, sec_fetch_site="cross-site").status_code == 403
        assert httpx.post(url, content=b"x" * 10**6, headers={"content-type": "application/json"}).status_code == 413
        assert httpx.post(url, content=b"{", headers={"content-type": "application/json"}).status_code in {400, 406}
        assert httpx.post(url, content=b"a=b").status_code in {400, 415}
        assert httpx.post(url + "?" + "x" * 10_000, json={}).status_code == 414
        assert httpx.get(url.replace("/mcp", "/../../etc/passwd")).status_code == 404


SLOW_HTTP = SLOW.replace("+ 60", "+ 2")


def test_over_http_what_is_being_answered_is_still_answered_at_the_end(vault: Path) -> None:
    command = [sys.executable, "-c", SLOW_HTTP, "mcp", str(vault), "--http", "--port", "0"]
    with http_server(vault, command=command) as (url, process):

        async def main() -> None:
            async with Client(url, mode="legacy") as client, anyio.create_task_group() as group:

                async def search() -> None:
                    result = await client.call_tool("search", {"query": "motor"})
                    assert not result.is_error
                    found.append(result)

                found: list[Any] = []
                await client.list_tools()  # so that the client need not ask for schemas later
                group.start_soon(search)
                await anyio.sleep(1)
                process.send_signal(signal.SIGTERM)
            assert len(found) == 1

        anyio.run(main)
        assert process.wait(15) == 0


def test_over_http_a_token_is_asked_for_and_compared(vault: Path) -> None:
    token = "a-secret-of-24-letters.."  # noqa: S105 - of this test
    with http_server(vault, token=token) as (url, _):
        assert ask_http(url).status_code == 401
        assert ask_http(url, authorization=f"Bearer {token}x").status_code == 401
        assert ask_http(url, authorization=b"Bearer \xe9").status_code == 401
        assert ask_http(url, authorization=f"Bearer {token}", host="vault.example").status_code == 200
        assert ask_http(url).headers["www-authenticate"].startswith("Bearer")
        assert ask_http(url).json()["detail"].startswith("send the token")

        async def main() -> None:
            async with (
                httpx2.AsyncClient(headers={"authorization": f"Bearer {token}"}) as http,
                Client(streamable_http_client(url, http_client=http)) as client,
            ):
                assert not (await client.call_tool("outline", {"name": "SMARS"})).is_error

        anyio.run(main)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--http", "--host", "0.0.0.0"), "can be reached from other machines: set HEADWISE_TOKEN"),  # noqa: S104 - refused
        (("--http", "--host", "no.such.host.invalid"), "no.such.host.invalid"),
        (("--editor", "emacs"), "editor is 'emacs'"),
        (("--store", "nowhere.db"), "there is no store nowhere.db; index a folder first"),
    ],
)
def test_what_cannot_work_is_said_before_serving(vault: Path, options: tuple[str, ...], message: str) -> None:
    done = subprocess.run(
        [*HEADWISE, "mcp", str(vault), *options], capture_output=True, text=True, check=False, timeout=60, input=""
    )

    assert done.returncode == 1
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


def test_a_port_that_is_taken_and_a_folder_without_a_store_are_errors(vault: Path, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = CliRunner().invoke(cli, ["mcp", str(vault), "--http", "--port", port])
        assert done.exit_code == 1
        assert f"cannot listen at 127.0.0.1, port {port}" in done.output
    assert "no such folder" in CliRunner().invoke(cli, ["mcp", str(tmp_path / "none")]).output
    assert "index a folder first" in CliRunner().invoke(cli, ["mcp", str(tmp_path)]).output


# what the page says


PAGE_TEXT = (Path(__file__).resolve().parent.parent / "docs" / "mcp.md").read_text("utf-8")


def test_what_the_page_shows_of_a_search_is_what_a_model_sees(vault: Path) -> None:
    (shown,) = re.findall(r"^````text\n(.*?)\n````$", PAGE_TEXT, re.MULTILINE | re.DOTALL)

    assert text_of(call(vault, "search", query="is the traffic to the robot encrypted", limit=1)) == shown


def test_the_configurations_of_the_page_start_a_server(vault: Path) -> None:
    blocks = re.findall(r"^```(json|toml)\n(.*?)^```$", PAGE_TEXT, re.MULTILINE | re.DOTALL)
    loaded = [json.loads(text) if language == "json" else tomllib.loads(text) for language, text in blocks]
    entries = [server for one in loaded for servers in one.values() for server in servers.values()]
    started = [(entry["command"], *entry["args"]) for entry in entries if "command" in entry]

    assert started == [("headwise", "mcp", "/home/you/vault")] * 3
    assert [set(entry) for entry in entries if "command" not in entry] == [{"url", "headers"}]

    async def main() -> None:
        command = str(Path(sys.executable).parent / started[0][0])
        async with Client(StdioServerParameters(command=command, args=["mcp", str(vault)])) as client:
            assert len((await client.list_tools()).tools) == 4

    anyio.run(main)


def test_the_table_of_the_page_names_every_tool_and_argument() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| .* \| (.*) \|$", PAGE_TEXT, re.MULTILINE))

    assert set(rows) == set(TOOLS)
    for name, tool in TOOLS.items():
        assert set(re.findall(r"`(\w+)`", rows[name])) == set(tool.asked.model_fields)
