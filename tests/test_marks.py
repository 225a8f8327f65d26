"""The words of a text that a query matched."""

import pytest

from headwise.indexing.marks import marks


@pytest.mark.parametrize(
    ("text", "query", "marked"),
    [
        ("The pods restart.", "restarting a pod", ["pods", "restart"]),
        ("the last-applied config", "applied", ["applied"]),
        ("the last-applied config", "lastApplied", ["last", "applied"]),
        ("written in Node.js", "nodejs", ["Node.js"]),
        ("modern C++ code", "C++", ["C"]),
        ("私は東京都に住む", "東京", ["東京"]),
        ("私は東京都に住む", "東京都", ["東京都"]),
        ("Python入門", "入門", ["入門"]),
        ("كتاب جديد", "الكتاب", ["كتاب"]),
        ("nothing here", "pods", []),
        ("nothing here", "?!", []),
    ],
)
def test_marked_words(text, query, marked):
    assert [text[start:end] for start, end in marks(text, query)] == marked
