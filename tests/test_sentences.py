"""Where sentences, clauses and words begin, in many languages; `|` marks a start, and is no part of the text."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st

from headwise.model import Spans
from headwise.reading.parse import parse
from headwise.reading.sentences import clause_starts, sentence_starts, word_starts, word_starts_anywhere

TABLE = Path(__file__).parent / "data" / "sentences.txt"


def marked(find, text: str, mark: str = "|") -> tuple[str, str]:
    """The marked text as it should be, and as *find* marks it."""
    bare = text.replace(mark, "")
    starts = [0, *find(bare, 0, len(bare), parse(bare, flavours="math").atoms), len(bare)]
    return text, mark.join(bare[a:b] for a, b in pairwise(starts))


@pytest.mark.parametrize(
    "text",
    [
        # English: abbreviations, initials, decimals, versions, addresses, names with a dot
        "It works. |Dr. Smith came. |He left at 5 p.m. on Monday.",
        "See Fig. 3 for details. |It is e.g. red, i.e. not blue, etc. and so on.",
        "See cf. Smith et al. 2020 for approx. 5 items. |Sec. 3 applies. |Vol. 2, pp. 3-5.",
        "Version 3.14.2 is out! |Get it at https://example.org/a.b?c=d. |Now.",
        "J. R. R. Tolkien wrote it. |U.S. Army bought it.",
        "Mr. and Mrs. Jones vs. the State. |No. 5 is alive.",
        "The price is $3.50. |It rose by 2.5 %. |Really? |Yes!",
        "Use the .NET runtime. |Node.js is fine. |Read README.md. |Then v1.2.3.",
        "We use C#. |It is fine. |Go to St. Louis. |Ph.D. students came.",
        # signs after the stop
        '"Stop!" he said. |"Go." |She went.',
        'He said "stop." |Then he left.',
        "Third (see above). |Fourth [1]. |Why?! |Nobody knew... |So it was.",
        # what is not to be cut
        "Now run `a. B` twice. |Done.",
        'See [a. B](http://x.y/z "T. Q"). |Then ![img. Alt](a.png). |Then $a. B$ ok.',
        # soft-wrapped lines and quotes: a sentence that begins a line takes the line's prefix
        "This is soft\nwrapped text. |Here is\nmore.",
        "First ends.\n|Second here.\r\n|Third.",
        "> Quoted text\n> goes on.\n|> Next one. |It ends.",
        ">> Deep.\n|>> Deeper.",
        # a stop alone
        "It is done. |. |Next one.",
        # what opens a quotation or a bracket stands between a stop, an abbreviation and the next word
        'He (Mr. Smith) left. |"Dr. Smith came." |He left.',
        "We have pears, etc. (and more) here. |Next.",
        "He is a (Dr.) |He left.",
        "**Dr.** Smith came. |He left.",
        # an abbreviation of two letters, and a letter that is a word
        "Nimm z. B. Die Zeit. |Es geht.",
        "It is plan B. |The rest is old.",
        "他说 好. |Good.",
        "대답은 네. |Good.",
        "대답은 가. |Good.",
        # after small letters a sentence goes on, but one may begin with a name that has a small one
        "Wait... iPhones are here.",
        "Why?! he asked. |Nobody knew.",
        "**Is it so?** |yes it is.",
        # numbers that are ordinals or dates, and others
        "We sold 100. |iPhones are popular.",
        "It was 2024. |5 came.",
        "The end of 2024. 5. |Then it was.",
        "Unser 3. iPhone ist neu.",
        "Siehe Band 2, 3. Kapitel. |Es ist kurz.",
        "답은 5. |그래서 끝.",
        # what closes after a wide stop, and what opens the next sentence
        "「**好。**」|他走了。",
        '屏幕是5"。|他说"好。"|走了。',
        '他说"好。"|屏幕是5"。',
        "（好。）|他（人）走。",
        "（注）他说（好。）然后走。",
        "他说「好。」 ，走了。",
    ],
)
def test_sentences(text: str) -> None:
    expected, found = marked(sentence_starts, text)
    assert found == expected


def of_every_language() -> Iterator[tuple[str, str]]:
    """The language of each case in the table, and the case."""
    language = ""
    for line in TABLE.read_text("utf-8").splitlines():
        if line.startswith("#"):
            language = line.removeprefix("#").strip()
        elif line:
            yield language, line.replace("⏎", "\n")


CASES = list(of_every_language())


@pytest.mark.parametrize(("language", "text"), CASES, ids=[f"{language}-{n}" for n, (language, _) in enumerate(CASES)])
def test_sentences_of_every_language(language: str, text: str) -> None:
    expected, found = marked(sentence_starts, text)
    assert found == expected, language


def test_every_language_has_cases() -> None:
    languages = [language for language, _ in CASES]
    for language in ("English", "German", "Russian", "Chinese", "Japanese", "Korean", "Arabic", "Hindi", "Thai"):
        assert languages.count(language) >= 10, language


@pytest.mark.parametrize(
    "text",
    [
        "one, ~two; ~three: ~four",
        "a – ~b and 1,000 or 10:30 or http://x",
        "一，~二、~三；~四：~五",
        "line one\n~line two\r\n~line three",
        "> a\n~> b, ~c",
        "| a ~| b ~| c |",
        "`a, b` and [c, d](e), ~f",
        "أولا، ~ثانيا؛ ~ثالثا",
    ],
)
def test_clauses(text: str) -> None:
    expected, found = marked(clause_starts, text, "~")
    assert found == expected


@pytest.mark.parametrize(
    "text",
    [
        "one |two  |three\n|four",
        "> a |b\n|> c",
        "`a b` |[c d](e) |f",
        "`a b` |c\n|> > d",
        "a\n|X |b",
        "一 |二",
        "a",
    ],
)
def test_words(text: str) -> None:
    expected, found = marked(word_starts, text)
    assert found == expected


def test_words_inside_what_is_not_to_be_cut_are_found_if_all_are_wanted() -> None:
    expected, found = marked(word_starts_anywhere, "see |`a |b` |[c |d](e)")
    assert found == expected


NO_ATOMS = Spans()
FINDERS = [sentence_starts, clause_starts, word_starts, word_starts_anywhere]
PIECES = st.sampled_from(
    ["a", "B.", "!", " ", "\n", "\r\n", "> ", "`x. Y`", "[l. M](u. v)", "$p. q$", "。", "」", "と", "中", ", ", ": "]
) | st.sampled_from(["3.", " 4. ", "| ", "\u00a0", "…", '"', "👍", "e\u0301", "Dr. ", "\u200b"])


def test_neither_edge_of_a_span_is_a_start_inside_it() -> None:
    assert clause_starts("a | b | c", 2, 9, NO_ATOMS) == [6]
    assert sentence_starts("Τι είναι; Ναι.", 0, 10, NO_ATOMS) == []
    assert word_starts("\n> > a", 2, 6, NO_ATOMS) == [3, 5]


def test_a_sentence_may_begin_right_after_what_is_not_to_be_cut() -> None:
    assert sentence_starts("[甲。]乙。", 0, 6, Spans([0], [4])) == [4]


@pytest.mark.parametrize("find", FINDERS)
@given(pieces=st.lists(PIECES, max_size=40), edges=st.tuples(st.integers(0, 60), st.integers(0, 60)))
def test_starts_are_in_order_and_after_white_space_or_a_wide_sign(find, pieces: list[str], edges) -> None:
    text = "".join(pieces)
    start, end = (min(edge, len(text)) for edge in sorted(edges))
    atoms = parse(text, flavours="math").atoms
    found = find(text, start, end, atoms)
    assert found == sorted(set(found))
    assert all(start < at < end for at in found)
    if find is not word_starts_anywhere:
        assert not [at for at in found if any(atom.start < at < atom.end for atom in atoms)]
    if find is word_starts:
        assert all(text[at - 1].isspace() or text[at - 1] == "\u200b" for at in found)
    assert all(not (text[at - 1] == "\r" and text[at] == "\n") for at in found)


def test_a_lone_surrogate_is_a_character_like_any_other() -> None:
    assert sentence_starts("One\ud800. Two.", 0, 10, NO_ATOMS) == [6]


@given(st.text(st.sampled_from(list("ab .!?\n中。「」と\u0301👍")), max_size=60))
def test_sentences_tile_the_text(text: str) -> None:
    starts = [0, *sentence_starts(text, 0, len(text), NO_ATOMS), len(text)]
    assert "".join(text[a:b] for a, b in pairwise(starts)) == text


CLUSTER = regex.compile(r"\X")


@pytest.mark.parametrize("find", FINDERS)
@given(st.text(st.sampled_from(list("a字.!。，、」 \n\u200b\u0301\ufe0f\u200d\u0e33\uff9e👍🏽♂🇩é|,")), max_size=40))
@example("。\u0301字")
@example("。\u0300字")
@example("字，\ufe0f字")
@example("字。👍\u200d♂字")
def test_no_start_parts_a_grapheme(find, text: str) -> None:
    boundaries = {match.end() for match in CLUSTER.finditer(text)}
    # white space that carries a mark is white space still
    assert not [at for at in find(text, 0, len(text), ()) if at not in boundaries and not text[at - 1].isspace()]
