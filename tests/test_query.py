"""What a user types: operators are taken out, all else is text, and nothing is an error."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support_embedder import WordBag
from support_postgres import postgres_url
from support_store import document

from headwise.chunking.settings import Settings
from headwise.indexing.files import FileOptions
from headwise.indexing.query import parse_query
from headwise.indexing.records import IndexSettings
from headwise.indexing.search import find
from headwise.indexing.sync import sync
from headwise.indexing.words import analyse_words, phrase_ways, query_words
from headwise.stores.open import open_store
from headwise.stores.store import NO_CONDITIONS, Conditions, Filters, Phrase

ALL = Filters()


def one(*terms: str, in_title: bool = False) -> Phrase:
    return Phrase((terms,), in_title)


@pytest.mark.parametrize(
    ("typed", "text", "conditions", "filters"),
    [
        ('pods "graceful shutdown" now', "pods graceful shutdown now", Conditions((one("grace", "shutdown"),)), ALL),
        ("motor -wheels", "motor", Conditions((), (one("wheel"),)), ALL),
        ('motor -"two wheels"', "motor", Conditions((), (one("two", "wheel"),)), ALL),
        ("title:Motors wiring", "Motors wiring", Conditions((one("motor", in_title=True),)), ALL),
        (
            'title:"the motor" -title:old',
            "the motor",
            Conditions((one("the", "motor", in_title=True),), (one("old", in_title=True),)),
            ALL,
        ),
        ("-C++ code", "code", Conditions((), (one("c", "cplusplus"),)), ALL),
        ('"東京都" 駅', "東京都 駅", Conditions((one("東京", "京都"),)), ALL),
        ("tag:robot motor tag:#Arm/Left", "motor", NO_CONDITIONS, Filters((), ("robot", "#Arm/Left"))),
        ('path:"my notes/*.md" motor', "motor", NO_CONDITIONS, Filters(("my notes/*.md",))),
        ("motor -path:old -tag:draft", "motor", NO_CONDITIONS, Filters((), (), ("old",), ("draft",))),
        (
            "tag:robot how many pins?",
            "how many pins?",
            NO_CONDITIONS,
            Filters((), ("robot",)),
        ),
        ("tag:robot", "", NO_CONDITIONS, Filters((), ("robot",))),
    ],
)
def test_operators_are_taken_out(typed, text, conditions, filters):
    query = parse_query(typed)
    assert (query.text, query.conditions, query.filters) == (text, conditions, filters)
    assert query.restricts
    assert query.words == tuple(query_words(text))


@pytest.mark.parametrize(
    "typed",
    [
        "",
        " ",
        "-",
        '"',
        '""',
        '-""',
        '"?!"',
        "- motor",
        "motor - wheel",
        "--limit",
        "ls -l -10 -x",
        "well-known a-b motor-",
        'the 5" and the 3" disk',
        '"not closed',
        'a"b c"d',
        '"a b"c',
        "foo:bar https://x.y/z note: this",
        "tag: path: title:",
        'tag:"" path:"" title:"…"',
        "tag:# tag:/",
        "tag:\0 path:a\ud800",
        "metatag:x Tag:x",
        "  two  blanks ",
        'What does "connection refused" mean, and -v?',
        'Packages that bind to C libraries (called "sys" crates).',
        '将其设为 true 或 "marker"。',
        "How do I restart the pod?",
    ],
)
def test_all_else_is_text(typed):
    query = parse_query(typed)
    assert (query.text, query.words, query.restricts) == (typed, tuple(query_words(typed)), False)


PARTS = ["tag:", "path:", "title:", "-", '"', '"a b"', "x", " ", "motor", "日本", ".", "**/", "[", "\\"]
SIGNS = '"":-- tagpathtitle*?/\\#.\0\ud800東京'
ODD = st.text(st.characters() | st.sampled_from(SIGNS), max_size=40) | st.lists(st.sampled_from(PARTS)).map("".join)


@given(ODD)
def test_anything_can_be_typed(store, typed):
    query = parse_query(typed)
    assert all(phrase.ways for phrase in (*query.conditions.required, *query.conditions.excluded))
    if not query.restricts:
        assert query.text == typed
    found = find(store, None, typed, ALL, limit=5)
    assert found.matched >= len(found.hits)


@given(ODD.filter(analyse_words))
def test_a_text_stands_in_itself(text):
    assert tuple(analyse_words(text)) in phrase_ways(text)


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def store(request, tmp_path_factory):
    url = postgres_url() if request.param == "postgres" else str(tmp_path_factory.mktemp("query") / "x.db")
    with open_store(url, create=True) as opened:
        notes = {
            "k8s.md": ("Annotations", "Look at kubectl.kubernetes.io/last-applied first."),
            "robots/motor.md": ("Motor", "The motor driver has four pins."),
            "robots/drive.md": ("Drive", "A driver for the motor, with wheels."),
            "tokyo.md": ("東京", "私は東京都に住んでいます。"),
            "kyoto.md": ("京都", "東山は京都にあります。"),
        }
        for path, (title, text) in notes.items():
            opened.replace("r", document(path, text, title=title, tags=("robot",) if "/" in path else ()))
        bag = WordBag()
        opened.add_vectors(bag.key, {p.content_hash: bag.embed_query(p.text) for p in opened.pending(bag.key, 99)})
        yield opened


@pytest.mark.parametrize("embedder", [None, WordBag()])
@pytest.mark.parametrize(
    ("typed", "paths"),
    [
        ('"motor driver"', {"robots/motor.md"}),
        ('"motor driver" pins', {"robots/motor.md"}),
        ("driver -wheel -last tag:robot", {"robots/motor.md"}),
        ('driver tag:robot -"motor driver"', {"robots/drive.md"}),
        ("title:motor driver", {"robots/motor.md"}),
        ("tag:robot", {"robots/motor.md", "robots/drive.md"}),
        ("tag:robot -wheel", {"robots/motor.md"}),
        ("path:robots -path:drive.md", {"robots/motor.md"}),
        ('"東京都"', {"tokyo.md"}),
        ("東京 -tag:robot -title:annotations -title:京都", {"tokyo.md"}),
        ('"kubectl.kubernetes.io/last-applied"', {"k8s.md"}),
        ('"kubernetes.io/last-applied"', {"k8s.md"}),
        ('"kubernetes.io"', {"k8s.md"}),
        ('"last-applied first"', {"k8s.md"}),
        ('"no such words here"', set()),
        ("tag:nobody motor", set()),
    ],
)
def test_words_and_vectors_obey_what_was_typed(store, typed, paths, embedder):
    assert {hit.path for hit in find(store, embedder, typed, ALL, limit=9).hits} == paths


@pytest.mark.parametrize(
    "typed", ["kubectl.kubernetes.io/last-applied", "last-applied", "lastApplied", "kubernetes.io"]
)
def test_an_identifier_is_found_whole_and_in_parts(store, typed):
    assert find(store, None, typed, ALL, limit=1).hits[0].path == "k8s.md"


def test_two_characters_find_their_word(store):
    assert [hit.path for hit in find(store, None, "東京", ALL, limit=9).hits] == ["tokyo.md"]


def test_filters_of_the_query_and_of_the_call_must_both_hold(store):
    hits = find(store, None, "path:robots", Filters(("motor.md",)), limit=9).hits
    assert [hit.path for hit in hits] == ["robots/motor.md"]


def test_what_is_listed_comes_in_order_of_path_and_keeps_limit_and_budget(store):
    assert [hit.path for hit in find(store, None, "-wheel", ALL, limit=3).hits] == [
        "k8s.md",
        "kyoto.md",
        "robots/motor.md",
    ]
    assert [hit.rank for hit in find(store, None, "tag:robot", ALL, limit=10**30).hits] == [1, 2]
    assert len(find(store, None, "tag:robot", ALL, limit=9, budget=8).hits) == 1


def test_a_note_is_found_by_what_only_its_properties_say_its_first_chunk_first(tmp_path):
    notes = {
        "cluster.md": "---\naliases: [K8s]\ntags: [infra/orchestration]\ndescription: Where containers live.\n---\n\n"
        "# Pods\n\nThey restart.\n\n# Nodes\n\nThey drain.\n",
        "people/ada.md": "---\naliases: [Countess]\nrole: mathematician\n---\n",
        "other.md": "# Other\n\nNothing of it.\n",
    }
    for path, text in notes.items():
        (tmp_path / "notes" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "notes" / path).write_text(text, encoding="utf-8")
    with open_store(str(tmp_path / "x.db"), create=True) as opened:
        sync(opened, tmp_path / "notes", "", FileOptions(), IndexSettings(Settings(min_tokens=0)))
        for typed in ("k8s", "title:k8s", "orchestration", '"containers live"'):
            assert [hit.id for hit in find(opened, None, typed, ALL, limit=1).hits] == ["cluster.md#pods::0"], typed
        for typed in ("countess", "mathematician", "title:countess", "path:people"):
            assert [hit.id for hit in find(opened, None, typed, ALL, limit=9).hits] == ["people/ada.md::0"], typed
        assert find(opened, None, "title:containers", ALL, limit=9).hits == ()
