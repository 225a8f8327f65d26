"""The laws on documents that hypothesis makes: whole Markdown, fragments of it, and noise."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from laws import graphemes, laws

from headwise import Settings

WORDS = st.sampled_from(
    [
        "pins",
        "motor",
        "It takes four.",
        "e.g. this",
        "Version 3.14 is out!",
        "図書館は月曜に休みです。",
        "借书期限，为二十八天！",
        "مرحبا بالعالم.",
        "Ünïcödé",
        "👩🏽‍🚀",
        "🇩🇪🇯🇵",
        "`code # x`",
        "[a link](http://example.org/a_b)",
        "[[Note#Part|alias]]",
        "#tag/sub",
        "$x = y$",
        "**bold**",
        "<b>html</b>",
        "^block",
        "\u200b",
        "\u00a0",
        "ẹ̄́",
        "a" * 60,
        "| pipe",
        "<|endoftext|>",
    ]
)
LINE = st.lists(WORDS, min_size=1, max_size=12).map(" ".join)
PARAGRAPH = st.lists(LINE, min_size=1, max_size=4).map("\n".join)
HEADING = st.tuples(st.integers(1, 6), LINE).map(lambda pair: "#" * pair[0] + " " + pair[1])
SETEXT = st.tuples(LINE, st.sampled_from(["===", "---"])).map("\n".join)
CODE = st.tuples(st.sampled_from(["```", "~~~~", "    "]), st.lists(LINE | st.just(""), max_size=8)).map(
    lambda pair: (
        "\n".join("    " + line for line in pair[1])
        if pair[0] == "    "
        else "\n".join((pair[0] + "py", *pair[1], pair[0]))
    )
)
TABLE = st.lists(st.tuples(LINE, LINE), min_size=1, max_size=6).map(
    lambda rows: "\n".join(("| a | b |", "|---|:--|", *(f"| {a} | {b} |" for a, b in rows)))
)
LEAF = st.one_of(
    PARAGRAPH,
    HEADING,
    SETEXT,
    CODE,
    TABLE,
    st.sampled_from(
        [
            "---",
            "***",
            "[ref]: /url 'title'",
            "<div>\nraw\n</div>",
            "<!-- # no -->",
            "$$\na\n=\nb\n$$",
            "%%\n# no\n%%",
            ":::note Title\ntext\n\n# in\n:::",
            "!!! tip\n    inside\n\n    more",
            "/// info\n\nx\n\n///",
            "{/*\n# no\n*/}",
            "<Tab\n  a={1}\n>",
            "import X from 'y'",
            "[^1]: note",
        ]
    ),
)


def prefixed(marker: str, text: str) -> str:
    first, *rest = text.split("\n")
    under = "> " if marker == "> " else " " * len(marker)
    return "\n".join((marker + first, *(under + line for line in rest)))


BLOCK = st.recursive(
    LEAF,
    lambda inner: st.tuples(
        st.sampled_from(["> ", "- ", "1. ", "* [ ] ", "> [!note] Title\n> "]),
        st.lists(inner, min_size=1, max_size=3).map("\n\n".join),
    ).map(lambda pair: prefixed(*pair)),
    max_leaves=6,
)
DOCUMENT = st.lists(BLOCK, max_size=10).map("\n\n".join)
NOISE = st.text(
    st.sampled_from(list("#>-*`~|[]()!$%^&<=+_:.\\ \t\n\r0a中👍🇩")) | st.characters(codec=None), max_size=200
)
SETTINGS: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {
        "max_tokens": st.integers(1, 12) | st.integers(13, 120),
        "overlap": st.sampled_from([0, 0, 0, "10%", "40%", "1s", "2s"]),
        "tokenizer": st.sampled_from(["cl100k_base", "o200k_base", "chars", "words"]),
        "strategy": st.sampled_from(["headings", "headings", "paragraphs", "sentences", "fixed"]),
    }
)


@given(
    DOCUMENT,
    SETTINGS,
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from(["auto", "none", "math,obsidian,mdx,admonitions"]),
)
def test_laws_hold_on_markdown(text: str, options: dict[str, Any], newline: str, flavours: str) -> None:
    laws(text.replace("\n", newline), Settings(**options), flavours=flavours)


@given(NOISE, SETTINGS)
def test_laws_hold_on_noise(text: str, options: dict[str, Any]) -> None:
    laws(text, Settings(**options))


@given(DOCUMENT, st.integers(40, 200))
def test_no_grapheme_is_broken_where_each_fits(text: str, limit: int) -> None:
    graphemes(text, laws(text, Settings(max_tokens=limit)))


@given(NOISE, SETTINGS)
def test_laws_hold_on_plain_text(text: str, options: dict[str, Any]) -> None:
    laws(text, Settings(**options), document_format="plain")


@given(DOCUMENT, st.integers(20, 400))
def test_cutting_twice_gives_the_same(text: str, limit: int) -> None:
    settings = Settings(max_tokens=limit)

    assert laws(text, settings).chunks == laws(text, settings).chunks


@pytest.mark.parametrize(
    "text", ["", " ", "\n", "\r", "\r\n", "\ufeff", "\ufeff\n", "---\n---", "\u00a0\u200b\n", "\x00", "#", "# ", "> "]
)
def test_laws_hold_on_next_to_nothing(text: str) -> None:
    for limit in (1, 2, 400):
        made = laws(text, Settings(max_tokens=limit))
        assert all(chunk.embed_text.strip() for chunk in made.chunks)


@pytest.mark.parametrize("surrogate", ["\ud800", "a\udfffb", "# \ud83d\n\ntext \udca9"])
def test_lone_surrogates_are_text_like_any_other(surrogate: str) -> None:
    assert "".join(chunk.text for chunk in laws(surrogate).chunks)
