"""What a chunk says of itself, and what the ways in mean by default."""

from __future__ import annotations

import inspect
from dataclasses import fields

import pytest
from laws import laws

from headwise import Settings, analyse, split
from headwise.model import Dropped


def defaults(function) -> dict[str, object]:
    return {name: given.default for name, given in inspect.signature(function).parameters.items()}


def test_what_is_not_given_is_as_in_the_settings() -> None:
    assert {field.name: defaults(split)[field.name] for field in fields(Settings)} == {
        field.name: field.default for field in fields(Settings)
    }
    text = "# A\n\n" + "This is said here. " * 200
    assert tuple(split(text)) == analyse(text).chunks == analyse(text, settings=Settings()).chunks


@pytest.mark.parametrize(
    "options",
    [
        {"max_tokens": 50},
        {"min_tokens": 0},
        {"overlap": "1s"},
        {"tokenizer": "words"},
        {"strategy": "fixed"},
        {"tiny": "drop"},
        {"levels": "1"},
        {"max_line": 1_000},
    ],
)
def test_split_cuts_as_analyse_does(options) -> None:
    text = "Hello.\n\n# A\n\n" + "This is said here. " * 200 + "\n\n## B\n\nNo.\n\n## C\n\nNor this.\n"

    assert tuple(split(text, **options)) == analyse(text, settings=Settings(**options)).chunks
    assert split(text, **options) != split(text)


def test_a_title_and_flavours_may_be_given() -> None:
    text = "Text.\n\n%%\nhidden\n%%\n"

    assert split(text, title="Given")[0].title == "Given"
    assert split("# Own\n\nText.\n", title="")[0].title == ""
    assert "hidden" in split(text, flavours="none")[0].embed_text
    assert "hidden" not in split(text, flavours="obsidian")[0].embed_text
    assert "hidden" not in analyse(text, obsidian=True).chunks[0].embed_text
    assert "hidden" in analyse(text).chunks[0].embed_text
    assert analyse("Text.\n", path="notes/Pump.md").title == "Pump"
    assert analyse("Text.\n").title == ""
    assert analyse(text).tree.format == "markdown"
    assert analyse("# A\n", document_format="plain").sections == ()


def test_a_chunk_says_its_tags_and_links_once_each_in_order_and_only_its_own() -> None:
    text = (
        "# A\n\n#one [x](b.md) #two [y](a.md) #one [z](b.md)\n\n"
        "# B\n\n[first](c.md) stands here, and #three.\n\n# C\n\nNothing.\n"
    )
    a, b, c = laws(text, Settings(min_tokens=0)).chunks

    assert (a.tags, a.links) == (("one", "two"), ("b.md", "a.md"))
    assert (b.tags, b.links) == (("three",), ("c.md",))
    assert (c.tags, c.links) == ((), ())


def test_chunks_are_numbered_within_their_section() -> None:
    text = "Before. " * 90 + "\n\n# A\n\n" + "One is here. " * 30 + "\n\n# A\n\n" + "Two is here. " * 10
    made = laws(text, Settings(60, 0))

    found = [(chunk.anchor, chunk.number) for chunk in made.chunks]
    assert [number for anchor, number in found if anchor == ""] == list(range(sum(a == "" for a, _ in found)))
    assert [number for anchor, number in found if anchor == "a"] == list(range(sum(a == "a" for a, _ in found)))
    assert {anchor for anchor, _ in found} == {"", "a", "a-1"}
    assert min(sum(anchor == one for anchor, _ in found) for one in ("", "a")) > 1


def test_lines_kinds_and_span_are_those_of_the_text() -> None:
    text = "---\ntitle: T\n---\n# A\n\nText.\n\n- item\n\n```\ncode\n```\n"
    (chunk,) = laws(text).chunks

    assert (chunk.start_line, chunk.end_line) == (4, 12)
    assert chunk.kinds == ("heading", "paragraph", "list", "code_block")
    assert (chunk.title, chunk.headings, chunk.oversize, chunk.navigation) == ("T", ("A",), False, False)


def test_a_chunk_of_one_code_point_may_be_oversize() -> None:
    chunks = split("\U0001f9d1", max_tokens=1)

    assert [(chunk.oversize, chunk.tokens > 1) for chunk in chunks] == [(True, True)]


@pytest.mark.parametrize(
    ("text", "options", "dropped"),
    [
        ("\ufeffText.", {}, [Dropped(0, 1, "byte order mark")]),
        ("---\na: b\n---\nText.", {}, [Dropped(0, 13, "front matter")]),
        ("\ufeff---\na: b\n---\nText.", {}, [Dropped(0, 14, "front matter")]),
        ("\u200b\n", {}, [Dropped(0, 2, "nothing visible")]),
        ("Text.\n\n", {}, []),
        ("# A\n\nNo.\n", {"min_tokens": 9, "tiny": "drop"}, [Dropped(0, 9, "under min_tokens")]),
        ("One.\n\nxxxxxxxx\n\nTwo.\n", {"min_tokens": 0, "max_line": 7}, [Dropped(6, 14, "line over max_line")]),
    ],
)
def test_what_is_in_no_chunk_is_listed(text: str, options, dropped: list[Dropped]) -> None:
    assert list(laws(text, Settings(**options)).dropped) == dropped
