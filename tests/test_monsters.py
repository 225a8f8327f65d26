"""Time is linear whatever the input: shown by counting work, since time itself depends on who else is at work.

Work is the lines of Headwise's own code that are run, the characters that are measured, and those that are copied out
of the text. An input twice as large may take a little more than twice the work, never four times.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable
from types import FrameType
from typing import Any, Self
from unittest.mock import patch

import pytest
from laws import laws

from headwise import Settings, analyse
from headwise.chunking import settings as settings_module
from headwise.chunking.measure import Measure, find_measure
from headwise.chunking.passages import passages


class Work:
    """What is done inside a `with` block: lines of our code run, characters measured, characters copied."""

    def __init__(self) -> None:
        self.lines = 0
        self.measured = 0
        self.copied = 0

    def __enter__(self) -> Self:
        def found(name: str) -> Measure:
            count = find_measure(name).count

            def counting(text: str) -> int:
                self.measured += len(text)
                return count(text)

            return Measure(name, counting)

        def line(frame: FrameType, event: str, arg: Any) -> Callable[..., Any]:
            self.lines += event == "line"
            return line

        def call(frame: FrameType, event: str, arg: Any) -> Callable[..., Any] | None:
            return line if "/headwise/" in frame.f_code.co_filename else None

        self.patch = patch.object(settings_module, "find_measure", found)
        self.patch.start()
        self.before = sys.gettrace()
        sys.settrace(call)
        return self

    def __exit__(self, *error: object) -> None:
        sys.settrace(self.before)
        self.patch.stop()

    def text(self, text: str) -> str:
        """*text*, of which every slice counts."""
        done = self

        class Counted(str):
            __slots__ = ()

            def __getitem__(self, key: Any) -> str:
                part = super().__getitem__(key)
                done.copied += len(part)
                return part

        return Counted(text)


MONSTERS: dict[str, Callable[[int], str]] = {
    "a log on one line": lambda n: "12:00:00 INFO request id=7 path=/a/b status=200 " * (n // 40),
    "a log of many lines": lambda n: "12:00:00 INFO request id=7 path=/a/b status=200\n" * (n // 40),
    "json on one line": lambda n: '{"a":[1,2,3],"b":{"c":"d"}},' * (n // 25),
    "base64": lambda n: "iVBORw0KGgoAAAANSUhEUg" * (n // 20),
    "data URIs": lambda n: ("![a](data:image/png;base64," + "iVBO" * 20 + ")\n\n") * (n // 40),
    "spaces": lambda n: "a" + " " * (8 * n) + "b",
    "spaces before every line": lambda n: (" " * 60 + "b\n") * (n // 60),
    "newlines": lambda n: "a" + "\n" * n + "b",
    "blank lines of a quote": lambda n: "> a\n" + ">\n" * n + "> b",
    "headings": lambda n: "# a\n\n" * (n // 5),
    "headings of all levels": lambda n: "".join(f"{'#' * (i % 6 + 1)} h{i}\n" for i in range(n // 8)),
    "a heading's long title": lambda n: "# " + "word " * (n // 10) + "\n\n" + "- item\n" * (n // 12),
    "a fence of many signs": lambda n: "`" * (n // 4) + "\n" + "x\n" * (n // 4) + "`" * (n // 4) + "\n",
    "headings with the same anchor": lambda n: "## a\n\ntext\n\n" * (n // 10),
    "tiny sections": lambda n: "".join(f"## h {i}\n\ntext {i}\n\n" for i in range(n // 16)),
    "nested quotes": lambda n: ">" * n + " deep\n\n# After\n\nText.\n",
    "nested quotes with spaces": lambda n: "> " * n + "deep\n",
    "quotes in items in quotes": lambda n: "> - " * (n // 4) + "deep\n",
    "quotes of growing depth": lambda n: "".join(">" * (i + 1) + " a\n" for i in range(int(n**0.5))),
    "a quote of many paragraphs": lambda n: "> word word word\n>\n" * (n // 16),
    "nested lists": lambda n: "".join("  " * i + "- a\n" for i in range(int(n**0.5))),
    "a list of many items": lambda n: "- item\n" * (n // 6),
    "a list of many lists": lambda n: "- item\n\n  - under\n  - it\n\n" * (n // 24),
    "a list after a long line": lambda n: "word " * (n // 10) + "these:\n\n" + "- item\n" * (n // 12),
    "an item's long line": lambda n: "- " + "word " * (n // 10) + "\n\n" + "  - item\n" * (n // 16),
    "a callout's long title": lambda n: "> [!note] " + "word " * (n // 10) + "\n" + "> - item\n" * (n // 16),
    "table rows": lambda n: "| a | b |\n|---|---|\n" + "| x | y |\n" * (n // 10),
    # more cells are missing than the parser fills in for one text (2^18)
    "a table's wide header": lambda n: "|a" * (n // 2) + "|\n" + "|-" * (n // 2) + "|\n" + "| x |\n" * (n // 3),
    "table cells": lambda n: "|a|b|\n|-|-|\n|" + "cell " * (n // 5) + "|x|\n",
    "code": lambda n: "```\n" + "x = 1\n" * (n // 6) + "```\n",
    "a code line": lambda n: "```\n" + "x=1;" * (n // 4) + "\n```\n",
    "code with a long tail": lambda n: "```\n" + "x\n" * (n // 4) + "\n" * (n // 2) + "```\n",
    "a fence with long words": lambda n: "```" + "word " * (n // 10) + "\n" + "x = 1\n" * (n // 12) + "```\n",
    "fences": lambda n: "```\nx\n```\n" * (n // 10),
    "an unclosed fence": lambda n: "```\n" + "x\n" * (n // 2),
    "indented code": lambda n: "    x = 1\n" * (n // 10),
    "words": lambda n: "word " * (n // 5),
    "lines": lambda n: "some line of words\n" * (n // 19),
    "sentences": lambda n: "A b. " * (n // 5),
    "one letter a line": lambda n: "a\n" * (n // 2),
    "colons": lambda n: ":" * n + "x\n\n- item\n",
    "pipes": lambda n: "|" * n,
    "brackets": lambda n: "[" * n,
    "stars": lambda n: "a***" * (n // 4),
    "links": lambda n: "[a](b) " * (n // 7),
    "a link with long words": lambda n: "[" + "word " * (n // 5) + "](b)",
    "reference definitions": lambda n: "".join(f"[r{i}]: /u{i}\n" for i in range(n // 12)),
    "footnotes": lambda n: "".join(f"[^{i}]: note {i}\n\n" for i in range(n // 14)),
    "rules": lambda n: "---\n\n" * (n // 5),
    "html": lambda n: "<div>\n\n</div>\n\n" * (n // 14),
    "unclosed math": lambda n: "$$\n" + "x\n\n" * (n // 3),
    "many unclosed math": lambda n: "a\n\n" + "$$ x\n\n" * (n // 6),
    "math": lambda n: "$$\nx\n$$\n\n" * (n // 9),
    "dollars": lambda n: "$a " * (n // 3),
    "comments": lambda n: "%%\nx\n%%\n\n" * (n // 9),
    "comments in one line": lambda n: "a %%b%% " * (n // 8),
    "signs of comments": lambda n: "%%a " * (n // 4),
    "comments that end nowhere": lambda n: "a %% b\n\n" * (n // 8),
    "comments in HTML": lambda n: "<!-- a -->\n\n" * (n // 12),
    "unclosed comments in HTML": lambda n: "a <!-- b\n\n" * (n // 10),
    "signs of formulas": lambda n: "\\(" * (n // 4) + "\\[" * (n // 4),
    "formulas of LaTeX": lambda n: "\\[\na\n=\nb\n\\]\n\n" * (n // 13),
    "unclosed formulas of LaTeX": lambda n: "\\[ a = b\n" * (n // 9),
    "formulas with text after them": lambda n: "$$ a\n" * (n // 10) + "b $$ c\n" * (n // 14),
    "unclosed containers around closed ones": lambda n: (
        "::: tip\n\n" * (n // 24) + "::: tip\n\nx\n\n:::\n\n" * (n // 32)
    ),
    "unclosed braces around closed ones": lambda n: "{a\n\n" * (n // 12) + "{b\n\nc\n}\n\n" * (n // 20),
    "containers": lambda n: "::: tip\n\nx\n\n:::\n\n" * (n // 16),
    "unclosed containers": lambda n: "::: tip\n\nx\n\n" * (n // 12),
    "containers in containers": lambda n: "".join(":" * (k + 3) + " tip\n" for k in range(int(n**0.5))[::-1]),
    "unclosed slashes": lambda n: "/// tip\n\nx\n\n" * (n // 12),
    "indented admonitions": lambda n: "!!! note\n    x\n\n" * (n // 16),
    "an admonition of many lines": lambda n: "!!! note\n" + "    x\n\n" * (n // 7),
    "admonitions in admonitions": lambda n: "".join("    " * i + "!!! note\n" for i in range(int((n / 3) ** 0.5))),
    "tabs": lambda n: '=== "T"\n\n    ```\n    x\n    ```\n\n' * (n // 34),
    "bare admonitions": lambda n: "!!! note\n\n" * (n // 9) + "x",
    "unclosed elements": lambda n: "<Tabs>\n\nx\n\n" * (n // 11),
    "elements": lambda n: "<Tab>\n\nx\n\n</Tab>\n\n" * (n // 18),
    "an unclosed tag": lambda n: "<Tab a={\n" + "x\n" * (n // 2),
    "imports": lambda n: "import a from 'b'\n" * (n // 18),
    "an unclosed export": lambda n: "export const a = {\n" + "x\n" * (n // 2),
    "braces": lambda n: "{a}\n\n" * (n // 5),
    "an unclosed brace": lambda n: "{a\n\n" * (n // 4),
    "block ids": lambda n: "a\n\n^id\n\n" * (n // 9),
    "tags": lambda n: "#tag " * (n // 5),
    "flags": lambda n: "🇩🇪" * (n // 4),
    "combining marks": lambda n: "a" + "\u0301" * (n // 4),
    "joined emoji": lambda n: "👨\u200d" * (n // 4),
    "thai": lambda n: "ภาษาไทยไม่มีช่องว่าง" * (n // 20),
    "chinese": lambda n: "图书馆在周一闭馆借书期限" * (n // 12),
    "invisible": lambda n: "a\n\n" + "\u200b" * n,
    "front matter without end": lambda n: "---\n" + "a: b\n" * (n // 5),
    "carriage returns": lambda n: "a b c\r" * (n // 6),
}
SIZE = 3_000
FLAVOURS = "math,obsidian,mdx,admonitions"


def work(text: str, settings: Settings, *, small: int | None) -> Work:
    with Work() as done:
        made = analyse(done.text(text), settings=settings, flavours=FLAVOURS)
        passages(made, settings, small)
    return done


@pytest.mark.parametrize("overlap", [0, "1s"], ids=["plain", "overlap"])
@pytest.mark.parametrize("name", MONSTERS)
def test_twice_the_input_is_twice_the_work(name: str, overlap: int | str) -> None:
    settings = Settings(max_tokens=60, overlap=overlap)
    once, twice = (work(MONSTERS[name](size), settings, small=20) for size in (SIZE, 2 * SIZE))

    assert twice.lines <= 2.5 * once.lines + 3_000
    assert twice.measured <= 2.3 * once.measured + 3_000
    assert twice.copied <= 2.3 * once.copied + 3_000


@pytest.mark.parametrize("name", MONSTERS)
def test_little_is_measured_more_than_a_few_times(name: str) -> None:
    text = MONSTERS[name](SIZE)
    with Work() as done:
        analyse(text, settings=Settings(max_tokens=60))

    assert done.measured <= 16 * len(text) + 3_000


@pytest.mark.parametrize("limit", [1, 7, 60])
@pytest.mark.parametrize("name", MONSTERS)
def test_laws_hold_on_monsters(name: str, limit: int) -> None:
    laws(MONSTERS[name](SIZE // limit if limit < 60 else SIZE), Settings(max_tokens=limit), flavours=FLAVOURS)


@pytest.mark.parametrize("name", ["nested quotes", "nested quotes with spaces", "brackets", "headings", "spaces"])
def test_nothing_recurses_with_the_input(name: str) -> None:
    assert laws(MONSTERS[name](60_000)).chunks


@pytest.mark.parametrize("name", MONSTERS)
def test_four_times_the_input_takes_about_four_times_as_long(name: str) -> None:
    # what the counts above do not see: how far a pattern looks; asked again when other things may have been in the way
    small, large = (MONSTERS[name](size) for size in (16_000, 64_000))
    settings = Settings(max_tokens=200)

    def seconds(text: str) -> float:
        gc.disable()  # a full collection takes as long as all that the process holds
        try:
            begun = time.process_time()
            analyse(text, settings=settings, flavours=FLAVOURS)
            return time.process_time() - begun
        finally:
            gc.enable()

    for _ in range(4):
        once, twice = seconds(small), seconds(large)
        if twice <= 7 * once + 0.02:
            return
    pytest.fail(f"{once:.3f} s for 16,000 characters, {twice:.3f} s for 64,000")
