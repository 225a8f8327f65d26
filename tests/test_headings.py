"""What a chunk gains by what a query says of its title and headings."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support_store import document

from headwise.indexing.headings import HEADING_WEIGHT, TRAIL_WEIGHT, gain
from headwise.indexing.search import find
from headwise.indexing.words import query_words
from headwise.stores.open import open_store
from headwise.stores.store import Filters

said = st.sampled_from(["how", "to", "do", "the", "Motor", "motors", "wiring", "lastApplied", "C++", ".NET", "電動機"])
words = st.lists(said, max_size=6).map(" ".join)

TRAIL = ("Guide", ("Deployment", "Rolling updates"))


def gained(question: str, title: str = TRAIL[0], headings: tuple[str, ...] = TRAIL[1]) -> float:
    return gain(frozenset(query_words(question)), title, headings)


@pytest.mark.parametrize(
    ("question", "own", "trail"),
    [
        ("something else", 0, 0),
        ("how do I update it", 1 / 2, 1 / 4),
        ("rolling updates", 1, 2 / 4),
        ("a guide to rolling updates of a deployment, and more", 1, 1),
        ("guide", 0, 1 / 4),
    ],
)
def test_the_more_of_its_headings_a_query_says_the_more_a_chunk_gains(question, own, trail):
    assert gained(question) == pytest.approx(HEADING_WEIGHT * own**2 + TRAIL_WEIGHT * trail**2)


@given(words, words, st.lists(words, max_size=3).map(tuple))
def test_what_is_gained_is_what_the_terms_of_all_of_it_together_say(question, title, headings):
    def share(text):
        terms = set(query_words(text))
        return len(terms & set(query_words(question))) / len(terms) if terms else 0.0

    own = share(headings[-1]) if headings else 0.0
    assert (
        gained(question, title, headings)
        == HEADING_WEIGHT * own**2 + TRAIL_WEIGHT * share("\n".join((title, *headings))) ** 2
    )


def test_words_such_as_the_do_not_count_unless_a_heading_has_no_others():
    assert gained("installing", "", ("How to do the installing",)) == pytest.approx(HEADING_WEIGHT + TRAIL_WEIGHT)
    assert gained("to be", "", ("To be or not to be",)) > 0


def test_a_word_that_is_in_two_headings_counts_once():
    assert gained("motor", "Motor", ("Motor", "Motor wiring")) == pytest.approx(HEADING_WEIGHT / 4 + TRAIL_WEIGHT / 4)


def test_without_headings_only_the_title_counts_and_without_words_nothing():
    assert gained("guide", "Guide", ()) == pytest.approx(TRAIL_WEIGHT)
    assert gained("guide", "", ()) == 0
    assert gained("…", "…", ("—",)) == 0


def test_of_two_chunks_with_equal_words_the_one_whose_title_is_asked_for_is_first(tmp_path):
    with open_store(str(tmp_path / "index.db"), create=True) as store:
        store.replace("r", document("a.md", "a belt over two wheels", title="Wheels and many other things"))
        store.replace("r", document("b.md", "what two wheels carry", title="Wheels"))
        (first, second) = find(store, None, "wheels", Filters(), limit=2).hits
    assert (first.path, second.path) == ("b.md", "a.md")
    assert first.scores.headings > second.scores.headings > 0
