"""The words that documents are found by."""

import re
import sqlite3
import sys
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from snowballstemmer.arabic_stemmer import ArabicStemmer
from snowballstemmer.english_stemmer import EnglishStemmer
from snowballstemmer.russian_stemmer import RussianStemmer

from headwise.indexing import words
from headwise.indexing.words import LONGEST, analyse_words, query_words


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("The pods are restarting.", "the pod are restart"),
        (
            "kubectl.kubernetes.io/last-applied",
            "kubectlkubernetesiolastappli kubectlkubernetesio lastappli kubectl kubernet io last appli",
        ),
        ("last_applied", "lastappli last appli"),
        ("lastApplied", "lastappli last appli"),
        ("last-applied", "lastappli last appli"),
        ("HTTPServer", "httpserver http server"),
        ("OAuth2 URLs", "oauth2 auth2 url"),
        ("__init__", "init"),
        ("self.fooBar()", "selffoobar self foobar foo bar"),
        ("C++ and C# on .NET", "c cplusplus and c csharp on net dotnet"),
        ("ASP.NET", "aspnet asp net"),
        ("end of sentence.Next", "end of sentencenext sentenc next"),
        ("Heading #", "head"),
        ("page.md#setup", "pagemd page md setup"),
        ("3.11 or 311", "3x11 3 11 or 311"),
        ("don't, it's, l’homme", "dont it lhomm l homm"),
        ("e-mails", "email e mail"),
        ("Überprüfung CAFÉ cafe\u0301 Straße", "uberprufung cafe cafe strass"),
        ("ｗｉｄｅ ﬁne", "wide fine"),
        ("книги книга ёлка", "книг книг елк"),
        ("الكتاب كِتَابٌ", "كتاب كتاب"),
        ("東京都", "東京 京都"),
        ("車", "車"),
        ("Python入門", "python 入門"),
        ("ﾃｽﾄ", "テス スト"),
        ("학교에서", "학교 교에 에서"),
        ("ไทย", "ไท ทย"),
        ("हिन्दी", "ह93fन94dद940"),
        ("—… !? 😀", ""),
        ("", ""),
        ("a\ud800b", "a b"),
    ],
)
def test_terms_of_a_text(text, terms):
    assert analyse_words(text) == terms.split()


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("東京", "私は東京に住んでいます"),
        ("restart pod", "Restarting Pods"),
        ("lastApplied", "the last-applied configuration"),
        ("nodejs", "written in Node.js"),
        ("C++", "modern C/C++ code"),
        ("dotnet", "the .NET runtime"),
        ("naive", "a naïve reader"),
        ("ครู", "คุณครูใหญ่"),
        ("kubernetes.io", "kubectl.kubernetes.io/last-applied"),
        ("k8s", "K8S"),
    ],
)
def test_a_query_shares_a_term_with_the_text_it_should_find(query, text):
    assert set(query_words(query)) & set(analyse_words(text))


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("How do I restart the pod?", ["restart", "pod"]),
        ("to be or not to be", ["to", "be", "or", "not", "to", "be"]),
        ("pod pod pods", ["pod", "pod", "pod"]),
        ("pod, " * 99 + "node", ["pod"] * 4 + ["node"]),
        ("?!", []),
        ('"foo" OR NEAR(bar) * ^', ["foo", "near", "bar"]),
    ],
)
def test_a_query_keeps_a_few_repeats_and_stop_words_only_if_nothing_else_is_left(query, terms):
    assert query_words(query) == terms


def test_a_long_word_is_found_by_its_beginning_only():
    blob = "aB3" * 1000
    assert [len(term) for term in analyse_words(blob)] == [LONGEST]


MIXED = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from("aZ9._-/:@'’+# \u0301東京カ한ไทยกินहिन्दीكتابкнига"),
    ),
    max_size=60,
)


@given(MIXED)
def test_every_term_is_letters_and_digits_on_any_text(text):
    terms = analyse_words(text)
    assert all(term.isalnum() for term in terms)
    assert all(len(term) <= 8 * LONGEST for term in terms)
    assert analyse_words(text) == terms
    assert set(query_words(text)) <= set(terms)


@given(st.text("aB1_-./:'@+# \t\n(é"))
def test_what_is_told_apart_in_ascii_is_told_apart_the_same_beside_a_letter_that_is_not(text):
    """ASCII is read by a pattern of its own: with a far letter in it, the same text is read by the other."""
    assert [*analyse_words(text), *analyse_words("é")] == analyse_words(f"{text} é")


@given(MIXED)
def test_terms_of_composed_and_decomposed_text_are_equal(text):
    composed = unicodedata.normalize("NFC", text)
    assert analyse_words(composed) == analyse_words(unicodedata.normalize("NFC", unicodedata.normalize("NFD", text)))


@pytest.mark.parametrize("word", ["Größe", "Ёлка", "हिन्दी", "학교", "が", "ế"])
def test_decomposed_words_give_the_terms_of_composed_ones(word):
    assert analyse_words(unicodedata.normalize("NFD", word)) == analyse_words(unicodedata.normalize("NFC", word))


def test_sqlite_keeps_every_term_whole():
    texts = [
        "kubectl.kubernetes.io/last-applied C++ .NET __init__ 3.11 naïve Ørsted straße İstanbul Ǆ ŉ",
        "東京都庁 カタカナ々 한국어 ภาษาไทย កម្ពុជា မြန်မာ ລາວ हिन्दी தமிழ் বাংলা 𠀋𠮷野家",
        "книги ёлка йод Ελλάδα ΆΣ עברית שָׁלוֹם العربيّة المُعَلِّم አማርኛ ქართული հայերեն ᠮᠣᠩᠭᠣᠯ བོད་ཡིག ꦗꦮ ①²Ⅷ ºª",
    ]
    store = sqlite3.connect(":memory:")
    store.execute("create virtual table words using fts5(terms, tokenize='unicode61')")
    store.execute("create virtual table seen using fts5vocab(words, 'instance')")
    for row, text in enumerate(texts):
        store.execute("insert into words(rowid, terms) values (?, ?)", (row, " ".join(analyse_words(text))))
    for row, text in enumerate(texts):
        (tokens,) = store.execute("select count(*) from seen where doc = ?", (row,)).fetchone()
        assert tokens == len(analyse_words(text))
        for term in query_words(text):
            found = store.execute("select rowid from words where words match ?", (f'"{term}"',)).fetchall()
            assert (row,) in found
    store.close()


@pytest.mark.parametrize("unit", ["a.", "aB", "A", "'s", "a/", "東", "ก\u0e31", "\u0301", "1", "++", ".", "#", "’t"])
def test_time_is_linear_on_runs_without_an_end(unit):
    # a quadratic form of it took minutes for this: a guard against hanging, no measurement
    began = process_time()
    analyse_words(unit * 160_000)
    assert process_time() - began < 10


VAULT = Path(__file__).parent.parent / "examples" / "vault"
VOCABULARY = sorted({w for p in VAULT.rglob("*.md") for w in re.findall(r"[a-z]{3,}", p.read_text("utf-8").lower())})
OTHERS = ["программирование", "новости", "красивая", "الكتاب", "المدرسة", "يكتبون"]


def test_stems_are_those_of_snowball_in_python():
    for slow, texts in ((EnglishStemmer(), VOCABULARY), (RussianStemmer(), OTHERS[:3]), (ArabicStemmer(), OTHERS[3:])):
        assert [analyse_words(word) for word in texts] == [[slow.stemWord(word)] for word in texts]


def test_threads_do_not_get_each_others_stems():
    alone = list(map(words._stem.__wrapped__, VOCABULARY))
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            together = list(pool.map(lambda _: list(map(words._stem.__wrapped__, VOCABULARY)), range(4)))
    finally:
        sys.setswitchinterval(before)
    assert together == [alone] * 4
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(words._stemmer, "english").result() is not words._stemmer("english")
