"""Questions made of documents, and those of the user's file."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwise.errors import SettingsError
from headwise.evaluating.own_questions import own_questions
from headwise.evaluating.pointing import asks, mended
from headwise.evaluating.questions import Question, make_questions
from headwise.evaluating.sources import Source, read_sources, says_enough
from headwise.evaluating.twins import holders
from headwise.indexing.documents import read_document
from headwise.indexing.files import FileOptions, find_files
from headwise.model import Document

ROOT = Path(__file__).resolve().parent.parent
VAULT = ROOT / "examples" / "vault"

GUIDE = """\
# Guide

## Motor wiring

The driver takes four pins, two for each side of the robot.
Two more give it power from the battery pack.

## Known problems

The left track is slower than the right one when the battery is low.
"""
HOME = """\
Before the first drive the four signal wires go where [the guide says](guide.md#motor-wiring), not by their colours.
Slow tracks, weak motors and what can be done about them are listed in [[guide#Known problems]] of the guide.
See [the guide](guide.md#motor-wiring).
"""


def sources(folder: Path, **files: str) -> tuple[Source, ...]:
    for name, text in files.items():
        (folder / f"{name}.md").write_text(text, "utf-8")
    return read_folder(folder)


def read_folder(folder: Path) -> tuple[Source, ...]:
    return read_sources([read_document(file) for file in find_files(folder, FileOptions()).files])


def of_kind(questions: tuple[Question, ...], kind: str) -> list[Question]:
    return [one for one in questions if one.kind == kind]


def said(question: Question, known: tuple[Source, ...]) -> list[str]:
    texts = {source.path: source.document.text for source in known}
    return ["".join(texts[p.document][p.start : p.end] for p in answer) for answer in question.answers]


def test_the_sentence_around_a_link_asks_for_the_section_without_the_text_of_the_link(tmp_path: Path) -> None:
    known = sources(tmp_path, guide=GUIDE, home=HOME)
    links = {one.heading: one for one in of_kind(make_questions(known).asked, "links")}
    wiring = links["Motor wiring"]
    assert wiring.text == "Before the first drive the four signal wires go where …, not by their colours."
    assert wiring.exclude == ("home.md",)
    assert said(wiring, known) == [GUIDE.split("## Motor wiring\n\n")[1].split("\n\n##", maxsplit=1)[0]]
    assert wiring.overlap == 0.5, "it says `wires`"
    assert (
        links["Known problems"].text
        == "Slow tracks, weak motors and what can be done about them are listed in … of the guide."
    )
    assert len(links) == 2
    assert make_questions(known).left_out == {"links": 1}, "`See [the guide]` says too little"


def test_a_link_to_a_page_of_a_site_finds_the_file_it_is_made_of(tmp_path: Path) -> None:
    home = "When the battery is low one of the tracks [lags](guide.html#known-problems) behind the other."
    (question,) = of_kind(make_questions(sources(tmp_path, guide=GUIDE, home=home)).asked, "links")
    assert question.heading == "Known problems"


def test_a_link_to_a_short_page_asks_for_all_of_it(tmp_path: Path) -> None:
    home = "How the small robot gets its signals and its power is told [elsewhere](guide.md) in full."
    known = sources(tmp_path, guide=GUIDE, home=home)
    (question,) = of_kind(make_questions(known).asked, "pages")
    assert said(question, known) == [GUIDE.strip()]


def test_a_first_sentence_asks_for_the_rest_of_its_section(tmp_path: Path) -> None:
    known = sources(tmp_path, guide=GUIDE)
    (question,) = of_kind(make_questions(known).asked, "first sentences")
    assert question.text == "The driver takes four pins, two for each side of the robot."
    assert said(question, known) == ["Two more give it power from the battery pack."]


def test_equal_text_elsewhere_and_targets_of_equal_questions_are_right_answers(tmp_path: Path) -> None:
    other = "# Other\n\n## Motor wiring\n\nThe arm has wires of its own, which run along the second joint.\n"
    known = sources(tmp_path, guide=GUIDE, copy=GUIDE.replace("## Motor", "## The motor"), other=other)
    wiring = next(one for one in of_kind(make_questions(known).asked, "headings") if one.text == "Motor wiring")
    assert {place.document for answer in wiring.answers for place in answer} == {"guide.md", "copy.md", "other.md"}


LONG = """\
The driver takes four pins, two for each side of the robot, and it wants them in the order that is printed on its board.
Two more give it power from the battery pack. Keep these apart from the signal wires, or the sonar reads nonsense
whenever a motor starts. The board says which pin is which, and the red one is never the ground.
"""


def test_what_says_nearly_the_same_is_a_right_answer_and_a_summary_of_it_is_none(tmp_path: Path) -> None:
    known = sources(
        tmp_path,
        one=f"# One\n\n## Motor wiring\n\n{LONG}",
        edited=f"# Two\n\n## The wires\n\n{LONG.replace('sonar', 'range finder')}\nNothing else is known of them.\n",
        short=f"# Three\n\n## In short\n\n{LONG.partition('.')[0]}.\n",
    )
    wiring = next(one for one in of_kind(make_questions(known).asked, "headings") if one.text == "Motor wiring")
    assert [place.document for answer in wiring.answers for place in answer] == ["edited.md", "one.md"]


def test_a_copy_of_the_page_that_asks_is_left_out_of_the_ranking(tmp_path: Path) -> None:
    copied = HOME.replace("[the guide says](guide.md#motor-wiring)", "“Motor wiring” says")
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "home.md").write_text(copied, "utf-8")
    known = sources(tmp_path, guide=GUIDE, home=HOME, other="# Other\n\nBefore the first drive the wires go out.\n")
    wiring = next(one for one in of_kind(make_questions(known).asked, "links") if one.heading == "Motor wiring")
    assert wiring.exclude == ("home.md", "old/home.md")


@given(
    st.lists(st.lists(st.sampled_from("abc"), max_size=40).map(" ".join), min_size=1, max_size=4),
    st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=9).map(" ".join), max_size=4),
)
def test_holders_of_a_sentence_are_those_that_a_search_for_it_finds(texts: list[str], sentences: list[str]) -> None:
    known = read_sources([Document(f"{at}.md", text, "markdown", "", 0, 0, 0, 0) for at, text in enumerate(texts)])
    for sentence, paths in holders(known, sentences).items():
        expected = {f"{at}.md" for at, text in enumerate(texts) if f" {sentence} " in f" {text} "}
        assert paths == (expected if len(sentence.split()) >= 6 else set())


def test_a_sample_is_the_same_after_an_edit_elsewhere() -> None:
    known = read_folder(VAULT)
    before = make_questions(known, sample=20, seed=3).asked
    fewer = tuple(source for source in known if source.path != known[0].path)
    after = make_questions(fewer, sample=20, seed=3).asked
    gone = {one.text for one in before} - {one.text for one in after}
    assert all(any(p.document == known[0].path for a in one.answers for p in a) or known[0].path in one.exclude
               for one in before if one.text in gone)  # fmt: skip
    assert {one.text for one in before} != {one.text for one in make_questions(known, sample=20, seed=4).asked}


def test_no_answer_lies_in_a_document_that_is_left_out() -> None:
    for question in make_questions(read_folder(VAULT)).asked:
        assert question.answers
        assert all(place.start < place.end for answer in question.answers for place in answer)
        assert all(place.document not in question.exclude for answer in question.answers for place in answer)


@pytest.mark.parametrize(
    ("text", "enough"),
    [("See the guide.", False), ("it is what it was to be a guide", False), ("wires go where the pins are", True),
     ("这在那一章节会讨论如何避免状态污染", True), ("参见指南", False)],
)  # fmt: skip
def test_what_is_too_short_or_too_general_is_no_question(text: str, enough: bool) -> None:
    assert says_enough(text) is enough


@pytest.mark.parametrize(
    ("text", "enough"),
    [("See … in the next chapter for more information on copies.", False),
     ("We will discuss this in more detail in the … section of chapter 3.", False),
     ("Read … to learn more about alerting principles.", False),
     ("In …, we described waiting for the receiver of an async channel.", True),
     ("… persists the most recent push of metrics from batch jobs.", True),
     ("详情请参考 … 中的注意部分。", False),
     ("关于 TiDB 支持的操作系统版本列表，请参考 …。", True)],
)  # fmt: skip
def test_a_sentence_that_only_leads_elsewhere_asks_for_nothing(text: str, enough: bool) -> None:
    assert asks(text) is enough


@pytest.mark.parametrize(
    ("text", "expected"),
    [("stretch it to two seconds in the …, not further", "stretch it to two seconds in the …, not further"),
     ("as you saw in … .", "as you saw in …"),
     ("the “…” section and … , … tell", "the … section and … tell"),
     ("give a template (see …) with {} for values", "give a template with {} for values"),
     ("give a template (its values come from … of it)", "give a template (its values come from … of it)"),
     ("leave some out with _ or .., as in …", "leave some out with _ or .., as in …")],
)  # fmt: skip
def test_where_the_text_of_a_link_was_taken_out_nothing_dangles(text: str, expected: str) -> None:
    assert mended(text) == expected


def test_the_users_questions_find_their_quotes() -> None:
    known = read_folder(VAULT)
    found = own_questions(ROOT / "examples" / "questions.jsonl", known)
    assert len(found) > 10
    assert "four pins" in said(found[0], known)[0]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("q.csv", 'question,path,lines\n"how many, in all?",guide.md,5-6\n'),
        ("q.yaml", "- question: how many, in all?\n  path: guide.md\n  lines: 5-6\n"),
        ("q.jsonl", '{"question": "how many, in all?", "path": "guide.md", "lines": "5-6"}\n'),
    ],
)
def test_all_forms_say_the_same(tmp_path: Path, name: str, text: str) -> None:
    known = sources(tmp_path, guide=GUIDE)
    (tmp_path / name).write_text(text, "utf-8")
    (question,) = own_questions(tmp_path / name, known)
    assert question.text == "how many, in all?"
    assert said(question, known) == ["\n".join(GUIDE.splitlines()[4:6])]


WRONG = {
    '{"question": "q", "path": "guid.md"}': "there is no document 'guid.md' in the folder; near are guide.md",
    '{"question": "q", "path": "guide.md", "quote": "The driver takes six pins"}': "nearest is line 5: 'The driver",
    '{"question": "q", "path": "guide.md", "heading": "Motor wirings"}': "no heading 'Motor wirings'; near are 'Motor",
    '{"question": "q", "path": "guide.md", "heading": "Twice"}': "is 2 headings of guide.md: line 12 (#twice), line 16",
    '{"question": "q", "path": "guide.md", "lines": "90"}': "guide.md has lines 1-18",
    '{"question": "q", "path": "guide.md", "lines": "x"}': "give 12 or 12-15",
    '{"question": "q", "paht": "guide.md"}': "unknown column 'paht'; did you mean 'path'?",
    '{"path": "guide.md"}': "question is missing",
    "[1]": "it must have names and values",
    "{": "line 2 is no JSON",
}


@pytest.mark.parametrize("row", WRONG)
def test_what_is_wrong_with_a_question_is_said_with_its_line(tmp_path: Path, row: str) -> None:
    known = sources(tmp_path, guide=GUIDE + "\n## Twice\n\nOne of these.\n\n## Twice\n\nAnd two.\n")
    file = tmp_path / "q.jsonl"
    file.write_text(f"\n{row}\n", "utf-8")
    with pytest.raises(SettingsError) as raised:
        own_questions(file, known)
    assert WRONG[row] in str(raised.value)
    assert str(raised.value).startswith(str(file))
    assert ":2:" in str(raised.value) or "line 2" in str(raised.value)


def test_a_file_without_questions_is_an_error(tmp_path: Path) -> None:
    for name in ("q.jsonl", "q.csv", "q.yaml"):
        (tmp_path / name).write_text("", "utf-8")
        with pytest.raises(SettingsError, match="there is no question in it"):
            own_questions(tmp_path / name, ())
    (tmp_path / "q.txt").write_text("x", "utf-8")
    with pytest.raises(SettingsError, match="are read from"):
        own_questions(tmp_path / "q.txt", ())
