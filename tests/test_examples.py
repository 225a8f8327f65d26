"""The example vault and its questions: quotes stand where they are said to, and are found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from headwise import Index, analyse
from headwise.indexing.documents import document_format
from headwise.indexing.files import FileOptions
from headwise.indexing.records import IndexSettings
from headwise.indexing.sync import sync
from headwise.stores.open import open_store

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
VAULT = EXAMPLES / "vault"
QUESTIONS: list[dict[str, str]] = [
    json.loads(line) for line in (EXAMPLES / "questions.jsonl").read_text("utf-8").splitlines()
]

FOUND_BY_WORDS = 23
"""Of 34, in the first five; 25 when this was set. Questions are asked in other words than the notes use."""


def text_of(question: dict[str, str]) -> str:
    return (VAULT / question["path"]).read_bytes().decode("utf-8")


def test_there_are_questions() -> None:
    assert len(QUESTIONS) == 34
    assert len({question["question"] for question in QUESTIONS}) == 34


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question["question"])
def test_a_quote_stands_once_in_its_note_in_a_chunk_under_its_heading(question: dict[str, str]) -> None:
    text, quote = text_of(question), question["quote"]
    made = analyse(text, path=question["path"], document_format=document_format(question["path"]), obsidian=True)
    start = text.find(quote)
    holding = [chunk for chunk in made.chunks if chunk.start <= start and start + len(quote) <= chunk.end]

    assert text.count(quote) == 1
    assert [(chunk.headings or (chunk.title,))[-1] for chunk in holding] == [question["heading"] or made.title]


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The first five hits for every question, by words alone."""
    file = str(tmp_path_factory.mktemp("examples") / "index.db")
    with open_store(file, create=True) as store:
        report = sync(store, VAULT, "vault", FileOptions(), IndexSettings())
    assert report.documents.failed == 0
    with Index(file) as index:
        return {question["question"]: index.search(question["question"]) for question in QUESTIONS}


def test_search_by_words_finds_most_answers_in_the_first_five(answers: dict[str, Any]) -> None:
    found = [
        question["question"]
        for question in QUESTIONS
        if any(hit.path == question["path"] and question["quote"] in hit.text for hit in answers[question["question"]])
    ]

    assert len(found) >= FOUND_BY_WORDS
