"""Cuts inside sentences whose script puts no space between words: they fall where a word begins."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st
from laws import laws

from headwise import Settings
from headwise.chunking.words import word_start

CLUSTER = regex.compile(r"\X")

TEXTS = {
    language: text
    for language, _, text in (
        part.partition("\n")
        for part in (Path(__file__).parent / "data" / "words.txt").read_text("utf-8").split("## ")[1:]
    )
}
LEAST = {
    "chinese": 0.9,
    "traditional chinese": 0.9,
    "japanese": 0.85,
    "thai": 0.85,
    "lao": 0.85,
    "khmer": 0.8,
    "burmese": 0.85,
}
"""The share of cuts that fall where a word begins; the nearest grapheme would give a third to a half."""


def without_spaces(text: str) -> tuple[str, set[int]]:
    """The text as it is written, and where its words begin."""
    words = text.split()
    starts = {0}
    for word in words:
        starts.add(max(starts) + len(word))
    return "".join(words), starts


def place(text: str, low: int, wanted: int) -> int:
    """Where the word begins that a cut at *wanted* would be moved to; *low* if there is none."""
    found = word_start(text, low, wanted)
    return found.at if found else low


def share(cuts: list[int], starts: set[int]) -> float:
    return sum(cut in starts for cut in cuts) / len(cuts)


@pytest.mark.parametrize("language", LEAST)
def test_a_cut_falls_where_a_word_begins(language: str) -> None:
    text, starts = without_spaces(TEXTS[language])
    graphemes = [match.end() for match in CLUSTER.finditer(text)]
    cuts = [place(text, 0, wanted) for wanted in range(10, len(text))]

    assert share(cuts, starts) >= LEAST[language]
    assert share(cuts, starts) > share(graphemes, starts) + 0.2


@pytest.mark.parametrize("language", TEXTS)
def test_chunks_of_a_sentence_over_the_limit_begin_at_words(language: str) -> None:
    text, starts = without_spaces(TEXTS[language])
    chunks = laws(text, Settings(60, 0)).chunks

    assert len(chunks) > 1
    assert share([chunk.start for chunk in chunks], starts) >= 0.75, [chunk.text for chunk in chunks]


@pytest.mark.parametrize(
    ("text", "wanted", "cut"),
    [
        ("使用Kubernetes部署", 7, 2),  # no word of Latin letters is cut
        ("使用Kubernetes部署", 13, 12),
        ("她在图书馆的桌子上", 8, 6),
        ("目的是了解个人", 6, 2),  # signs that end a phrase, inside words
        ("東京のお客様へ連絡する", 9, 7),
        ("abcdefghijklmnop", 9, 0),
        ("도서관은월요일에", 6, 0),
        ("一", 0, 0),
        ("B使用", 1, 1),
        ("の図書館的机上", 6, 1),  # kana near it make it Japanese
        ("ひらがな" + "一二三四五六" * 6 + "她在图书馆的桌子上", 48, 46),  # and far from it they do not
        ("她在图书馆的桌子上" + "一二三四五六" * 6 + "ひらがな", 8, 6),
    ],
)
def test_the_place_before_a_wanted_cut(text: str, wanted: int, cut: int) -> None:
    assert place(text, 0, wanted) == cut


LETTERS = st.text(
    st.sampled_from(["".join(text.split()) for text in TEXTS.values()]).flatmap(st.sampled_from)
    | st.sampled_from(list("aB1。、「」（） \u200b\u17d2\u1039\u0301\u200d👍🏽🇩")),
    min_size=1,
    max_size=60,
)


@given(LETTERS, st.data())
def test_a_word_begins_between_two_graphemes_and_not_after_the_wanted_cut(text: str, data) -> None:
    boundaries = [0, *(match.end() for match in CLUSTER.finditer(text))]
    low = data.draw(st.sampled_from(boundaries[:-1]))
    wanted = data.draw(st.integers(low, len(text) - 1))
    cut = place(text, low, wanted)

    assert low <= cut <= wanted
    assert cut == low or cut in {low + at for at in (0, *(m.end() for m in CLUSTER.finditer(text[low:])))}
    if cut > low:
        assert not regex.match("[\u0e40-\u0e44\u0ec0-\u0ec4\u17d2\u1039]", text, cut - 1)


@pytest.mark.parametrize("language", ["thai", "lao", "khmer", "burmese"])
def test_no_chunk_parts_a_consonant_from_its_vowel_or_from_what_is_stacked_under_it(language: str) -> None:
    text = without_spaces(TEXTS[language])[0]
    for limit in range(14, 60, 3):
        chunks = laws(text, Settings(limit, 0, tokenizer="chars")).chunks
        for before, after in pairwise(chunks):
            assert before.text[-1] not in "\u0e40\u0e41\u0e42\u0e43\u0e44\u0ec0\u0ec1\u0ec2\u0ec3\u0ec4\u17d2\u1039"
            assert not regex.match(r"[\p{M}\u0e30\u0e32\u0e33\u0eb0\u0eb2\u0eb3]", after.text)


@pytest.mark.parametrize("sign", ["เ", "\u102c", "ក\u17d2", "的", "中", "あ", "\u200b", "\u0301", "🇩", "\u1100"])
def test_a_long_run_of_one_sign_is_counted_in_proportion_to_its_length(sign: str) -> None:
    seen: list[int] = []

    def counting(text: str) -> int:
        seen.append(len(text))
        return len(text)

    text = "x" + sign * (20_000 // len(sign))
    laws(text, Settings(100, 0, tokenizer=counting))

    assert sum(seen) < 30 * len(text)
