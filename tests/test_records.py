"""A document's records: identity, link, words, and what decides that they must be made anew."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from support_embedder import WordBag

from headwise.chunking.settings import Settings
from headwise.indexing.models import ModelSettings, open_model
from headwise.indexing.records import IndexSettings, make_records
from headwise.model import Document, content_hash
from headwise.stores.store import DocumentRecords, Words

TEXT = """---
tags: [Robot, arm]
aliases: [Bot]
rating: 5
---

Before any heading. #inline

# Motor & wiring

The motors turn. See [[Arm#Grip]].

# Motor & wiring

Again.
"""


def records(text: str = TEXT, path: str = "my notes/C# ü.md", settings: IndexSettings | None = None) -> DocumentRecords:
    document = Document(path, text, "markdown", content_hash(text), 1, 2, 3, 4, ("a warning",))
    return make_records(document, settings or IndexSettings(Settings(min_tokens=0)), 5)


def test_ids_are_readable_and_links_open_the_place():
    made = records()
    assert [(record.id, record.link) for record in made.records] == [
        ("my notes/C# ü.md::0", "my%20notes/C%23%20%C3%BC.md"),
        ("my notes/C# ü.md#motor--wiring::0", "my%20notes/C%23%20%C3%BC.md#motor--wiring"),
        ("my notes/C# ü.md#motor--wiring-1::0", "my%20notes/C%23%20%C3%BC.md#motor--wiring-1"),
    ]


def test_an_edit_in_one_section_leaves_the_ids_of_the_others():
    before = {record.id for record in records().records}
    assert {record.id for record in records(TEXT.replace("Before any", "Now. " * 300 + "Before any")).records} > before


def test_what_a_document_says_of_itself_is_kept():
    made = records()
    assert (made.title, made.tags, made.aliases) == ("C# ü", ("Robot", "arm", "inline"), ("Bot",))
    assert (made.front_matter["rating"], made.warnings) == (5, ("a warning",))
    assert [link.target for link in made.links] == ["Arm#Grip"]
    assert made.file.checked_ns == 5


def test_words_are_analysed_by_field():
    before, motor, _ = records().words
    assert before.headings == "robot arm"
    assert {"u", "csharp"} <= set(motor.title.split())
    assert motor[1:] == Words("", "motor wire", "motor wire the motor turn see arm grip")[1:]


def test_what_the_properties_say_is_in_the_words_of_the_first_chunk_only():
    made = records(
        "---\naliases: [Kubernetes, K8s]\ntags: infra/cluster\ndescription: Where pods run.\nsummary: 7\n---\n"
        + TEXT.partition("---\n\n")[2]
    )
    first, *others = made.words
    assert first.title.endswith("kubernet k8s")
    assert first.headings == "infraclust infra cluster where pod run"
    assert others
    for words in others:
        assert words.title == first.title.removesuffix(" kubernet k8s")
        assert not {"infra", "pod"} & set(words.headings.split())


FRONT = "---\ntitle: Ada\naliases: [Countess]\nrole: engineer\n---\n"


@pytest.mark.parametrize("text", [FRONT, FRONT + "\n \n", FRONT.replace("\n", "\r\n"), "\ufeff" + FRONT, FRONT[:-1]])
def test_a_document_of_properties_only_has_them_for_its_text(text):
    made = records(text)
    (record,) = made.records
    assert (record.id, made.title, record.chunk.title) == ("my notes/C# ü.md::0", "Ada", "Ada")
    assert record.chunk.text == text[record.chunk.start : record.chunk.end] == text.strip("\ufeff\r\n ")
    assert record.passages
    assert made.words[0].title == "ada countess"
    assert {"role", "engin"} <= set(made.words[0].text.split())


def test_properties_are_text_only_where_they_are_all_there_is():
    assert all("engineer" not in record.chunk.text for record in records(FRONT + "Body.\n").records)
    assert records(FRONT.replace("role", "headwise: false\nrole")).records == ()
    assert records("---\n---\n").records == ()
    long = records("---\nnames:\n" + "- a name or two\n" * 400 + "---\n")
    assert len(long.records) > 1
    assert all(record.chunk.tokens <= Settings().max_tokens for record in long.records)


def test_passages_lie_in_their_chunk():
    long = "# One\n\n" + "A sentence stands here. " * 60 + "\n"
    for size in (16, 128, None):
        for record in records(long, settings=IndexSettings(Settings(overlap="1s"), size)).records:
            assert record.passages
            assert size is not None or len(record.passages) == 1
            for passage in record.passages:
                assert record.chunk.own_start <= passage.start < passage.end <= record.chunk.end
                assert passage.text == long[passage.start : passage.end]


@pytest.mark.parametrize("value", ["false", "False", "FALSE"])
def test_a_document_can_keep_itself_out(value):
    made = records(f"---\nheadwise: {value}\n---\n\nSecret.\n")
    assert (made.excluded, made.records, made.words) == (True, (), ())
    assert not records("---\nheadwise: true\n---\n\nOpen.\n").excluded


def test_everything_that_decides_the_records_is_in_the_key():
    base = IndexSettings()
    others = [
        replace(base, cutting=Settings(max_tokens=300)),
        replace(base, passages=32),
        replace(base, passages=None),
        replace(base, embedder=WordBag()),
        replace(base, embedder=WordBag(max_tokens=9)),
    ]
    keys = [base.key(obsidian=False), base.key(obsidian=True), *(other.key(obsidian=False) for other in others)]
    assert len(set(keys)) == len(keys)
    assert replace(base, embedder=WordBag(name="other", dimensions=9)).key(obsidian=False) in keys


def test_a_model_without_a_limit_cuts_as_none_does():
    assert open_model(ModelSettings("wordllama")).reads == "all"
    assert replace(IndexSettings(), embedder=open_model(ModelSettings("wordllama"))).key(
        obsidian=False
    ) == IndexSettings().key(obsidian=False)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_a_record_knows_the_white_space_before_it(newline):
    text = newline.join(("# A", "", "One. Two.", " ", "\tThree four five six seven.", "", "Eight nine ten.", ""))
    made = make_records(
        Document("a.md", text, "markdown", "", 0, 0, 0, 0), IndexSettings(Settings(max_tokens=10, min_tokens=0)), 0
    )
    assert len(made.records) > 2
    assert made.records[0].gap == ""
    for before, record in pairwise(made.records):
        assert before.chunk.text + record.gap + record.chunk.text == text[before.chunk.start : record.chunk.end]


def test_what_was_dropped_is_no_gap():
    text = "# A\n\nOne two three.\n\n" + "x" * 300 + "\n\nFour five six.\n"
    settings = IndexSettings(Settings(max_tokens=10, min_tokens=0, max_line=200))
    made = make_records(Document("a.md", text, "markdown", "", 0, 0, 0, 0), settings, 0)
    assert [record.gap for record in made.records if record.chunk.text.startswith("Four")] == [""]
