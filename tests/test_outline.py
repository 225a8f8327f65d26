"""Sections, their titles, anchors and trails, and the title of a document."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwise import Settings, analyse
from headwise.model import Section
from headwise.reading.outline import find_title, outline, slug
from headwise.reading.parse import parse


def sections(text: str, **options) -> tuple[Section, ...]:
    return outline(parse(text, **options))


def titles(text: str, **options) -> list[tuple[int, str]]:
    return [(section.level, section.title) for section in sections(text, **options)]


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("# Plain", "Plain"),
        ("#\tTab", "Tab"),
        ("# Closed ##", "Closed"),
        ("# Closed\t##", "Closed"),
        ("# Not closed#", "Not closed#"),
        ("   # Indented", "Indented"),
        ("# **Bold** and `code` and [a link](b#c) and $x$", "Bold and code and a link and x"),
        ("# An ![image](a.png) stays out", "An stays out"),
        ("# [[Note|alias]]", "alias"),
        ("# [[Note#Part]]", "Note#Part"),
        ("# &amp; \\# &copy;", "& # ©"),
        ("# Two   spaces", "Two spaces"),
        ("# <b>Tag</b>", "Tag"),
        ("# Title {#own-id}", "Title"),
        ("# Title { #own-id .class }", "Title"),
        ("# Title {: #own-id }", "Title"),
        ("# Title {/* #own-id */}", "Title"),
        ("# Title {/*own-id*/}", "Title"),
        ("# Title {not}", "Title {not}"),
        ("# 日本語 の 見出し", "日本語 の 見出し"),
        ("#", ""),
        ("# #", ""),
        ("Setext\n===", "Setext"),
        ("Two\nlines\n===", "Two lines"),
        ("Set `ext`\n---", "Set ext"),
    ],
)
def test_a_title_is_plain_text(line: str, title: str) -> None:
    assert [found for _, found in titles(f"{line}\n\nText.\n")] == [title]


@pytest.mark.parametrize(
    "text",
    [
        "> # quoted",
        "- # listed",
        "1. # listed",
        "```\n# fenced\n```",
        "~~~~\n```\n# fenced\n~~~~",
        "    # indented",
        "<!--\n# comment\n-->",
        "<pre>\n\n# raw\n</pre>",
        "#tag",
        "#hash-tag and text",
        "####### seven",
        "\\# escaped",
        "text\n\n$$\na\n=\nb\n$$",
        "[^1]:\n    # in a footnote",
        "| a |\n|---|\n| # b |",
        "::: tip\n\n# in an admonition\n\n:::",
        "---\ntitle: T\n# a comment in YAML\n---\n",
    ],
)
def test_what_is_no_section(text: str) -> None:
    assert titles(f"{text}\n\nText.\n") == []


@pytest.mark.parametrize(
    "after",
    ["::: tip\nx\n:::", "/// note | A\n\nx\n\n///", "%%\nx\n%%", "$$\nx\n$$", "!!! note\n    x", "```\nx\n```", "- x"],
)
@pytest.mark.parametrize("heading", ["## B", "## B { #b }", "B\n---"])
@pytest.mark.parametrize("gap", ["\n", "\n\n", "\n\n\n"])
def test_a_heading_before_any_block_is_one(heading: str, gap: str, after: str) -> None:
    text = f"{heading}{gap}{after}\n\n{heading}{gap}{after}\n"

    assert titles(text, flavours="math,obsidian,admonitions") == [(2, "B"), (2, "B")]


def test_sections_nest_by_level_whatever_is_skipped() -> None:
    found = sections("### A\n\n# B\n\n#### C\n\n## D\n\n##### E\n\n# F\n")

    assert [(s.title, found[s.parent].title if s.parent >= 0 else None) for s in found] == [
        ("A", None),
        ("B", None),
        ("C", "B"),
        ("D", "B"),
        ("E", "D"),
        ("F", None),
    ]


LINE = st.one_of(
    st.integers(1, 6).map(lambda level: "#" * level + " Title"),
    st.sampled_from(["text", "text", "", "> # no", "Title\n==="]),
)


@given(st.lists(LINE, max_size=20).map("\n\n".join))
def test_sections_are_nested_spans(text: str) -> None:
    found = sections(text)

    for number, section in enumerate(found):
        after = [other for other in found[number + 1 :] if other.level <= section.level]
        assert section.end == (after[0].start if after else len(text))
        inside = [other for other in found[number + 1 :] if other.start < section.end]
        assert section.own_end == (inside[0].start if inside else section.end)
        assert section.start < section.own_start <= section.own_end <= section.end
        above = [i for i, other in enumerate(found[:number]) if other.end > section.start]
        assert section.parent == (above[-1] if above else -1)
    assert len({section.anchor for section in found}) == len(found)


@pytest.mark.parametrize(
    ("title", "anchor"),
    [
        ("Getting Started", "getting-started"),
        ("What's new?", "whats-new"),
        ("C++ & C#", "c--c"),
        ("a_b - c", "a_b---c"),
        ("1.2.3 (2024-01-02)", "123-2024-01-02"),
        ("日本語 見出し", "日本語-見出し"),
        ("Größe", "größe"),
        ("  spaces  ", "spaces"),
    ],
)
def test_anchors_are_those_of_github(title: str, anchor: str) -> None:
    assert slug(title) == anchor


def test_anchors_are_unique_and_own_ids_stand_as_they_are() -> None:
    text = "# A\n\n# A\n\n# A 1\n\n# A-1\n\n# A\n\n# !\n\n# B {#My.Id}\n"

    assert [section.anchor for section in sections(text)] == ["a", "a-1", "a-1-1", "a-1-2", "a-2", "section", "My.Id"]


@pytest.mark.parametrize("form", ["{#own-id}", "{ #own-id .class }", "{: #own-id }", "{/* #own-id */}", "{/*own-id*/}"])
def test_an_own_id_is_the_anchor_however_it_is_written(form: str) -> None:
    assert [section.anchor for section in sections(f"# Title {form}\n")] == ["own-id"]


@pytest.mark.parametrize(
    ("text", "path", "title"),
    [
        ("---\ntitle: Front\n---\n# H\n", "a/b.md", "Front"),
        ("# H\n\nText.\n", "a/b.md", "H"),
        ("\n\n# H\n\nText.\n", "a/b.md", "H"),
        ("Text.\n\n# H\n", "a/b.md", "b"),
        ("# H\n\n# I\n", "a/b.md", "b"),
        ("## H\n", "a/b.md", "b"),
        ("Text.\n", "a/README.md", "a"),
        ("Text.\n", "a/b/README.md", "b"),
        ("Text.\n", "README.md", "README"),
        ("Text.\n", "a/_index.md", "a"),
        ("Text.\n", "a/b.c.md", "b.c"),
        ("Text.\n", ".hidden", ".hidden"),
        ("# \n\nText.\n", "a/b.md", "b"),
        ("---\ntitle: ''\n---\n# H\n", "a/b.md", "H"),
        ("Text.\n", "", ""),
    ],
)
def test_the_title_of_a_document(text: str, path: str, title: str) -> None:
    tree = parse(text)

    assert find_title(tree, outline(tree), path) == title


@pytest.mark.parametrize("newline", ["\r\n", "\r"])
def test_newlines_of_any_kind_give_the_same_outline(newline: str) -> None:
    text = "# A\n\nText\nB\n---\n\n> # no\n\n```\n# no\n```\n\n### C ###\n"

    assert titles(text.replace("\n", newline)) == titles(text) == [(1, "A"), (2, "Text B"), (3, "C")]


def test_a_chunk_says_the_trail_of_its_section() -> None:
    text = "# A\n\ntext a\n\n### C\n\ntext c\n\n## D\n\ntext d\n"

    made = analyse(text, settings=Settings(min_tokens=0))
    assert [chunk.headings for chunk in made.chunks] == [("A",), ("A", "C"), ("A", "D")]
