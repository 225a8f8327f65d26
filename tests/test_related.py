"""Where links lead, and what a document has to do with others."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from support_embedder import WordBag
from support_store import document

from headwise.chunking.settings import Settings
from headwise.errors import StoreError
from headwise.indexing.embed import embed_pending
from headwise.indexing.files import FileOptions
from headwise.indexing.index import Index
from headwise.indexing.links import Directory, Target
from headwise.indexing.records import IndexSettings
from headwise.indexing.related import NEAR, related
from headwise.indexing.sync import sync
from headwise.model import Link
from headwise.stores.open import open_store
from headwise.stores.store import Named

HERE = Directory(
    Named(path, "", aliases, ())
    for path, aliases in {
        "Home.md": ("Start",),
        "docs/README.md": (),
        "docs/setup guide.md": ("Install",),
        "docs/deep/Node.js.md": (),
        "notes/Setup guide.md": (),
        "notes/Über.md": (),
        "notes/plain.txt": (),
        "pages/index.mdx": (),
    }.items()
)


@pytest.mark.parametrize(
    ("source", "kind", "target", "path", "fragment"),
    [
        ("Home.md", "link", "docs/setup%20guide.md#First%20step", "docs/setup guide.md", "First step"),
        ("docs/README.md", "link", "../notes/plain.txt?raw=1", "notes/plain.txt", ""),
        ("docs/README.md", "link", "./setup guide.md", "docs/setup guide.md", ""),
        ("docs/README.md", "link", "setup guide", "docs/setup guide.md", ""),
        ("docs/deep/Node.js.md", "link", "/Home.md", "Home.md", ""),
        ("docs/deep/Node.js.md", "link", "..", "docs/README.md", ""),
        ("Home.md", "link", "pages/", "pages/index.mdx", ""),
        ("Home.md", "link", "docs/deep/node.js.md", "docs/deep/Node.js.md", ""),
        ("Home.md", "link", "#part", "Home.md", "part"),
        ("Home.md", "link", "notes/U\u0308ber.md", "notes/Über.md", ""),
        ("Home.md", "link", "Node.js.md", None, ""),
        ("Home.md", "link", "../Home.md", None, ""),
        ("Home.md", "link", "https://docs/README.md", None, ""),
        ("Home.md", "link", "mailto:Home.md", None, ""),
        ("Home.md", "link", "//docs/README.md", None, ""),
        ("Home.md", "image", "docs/picture.png", None, ""),
        ("Home.md", "wikilink", "Node.js", "docs/deep/Node.js.md", ""),
        ("Home.md", "wikilink", "deep/node.js#A#B", "docs/deep/Node.js.md", "A#B"),
        ("Home.md", "wikilink", "setup guide", "docs/setup guide.md", ""),
        ("notes/plain.txt", "wikilink", "setup guide", "notes/Setup guide.md", ""),
        ("Home.md", "wikilink", "notes/setup guide.md", "notes/Setup guide.md", ""),
        ("Home.md", "wikilink", "install#x", "docs/setup guide.md", "x"),
        ("docs/README.md", "embed", "start", "Home.md", ""),
        ("docs/README.md", "wikilink", "#Part", "docs/README.md", "Part"),
        ("Home.md", "embed", "picture.png", None, ""),
        ("Home.md", "wikilink", "guide", None, ""),
    ],
)
def test_where_a_link_leads(source, kind, target, path, fragment):
    expected = None if path is None else Target(path, fragment)
    assert HERE.resolve(source, Link(0, 1, target, kind)) == expected


NOTES = {
    "a.md": "---\naliases: [First]\n---\n# Alpha\n\nSee [[b]] and [the part](sub/c.md#the-part).\n\n"
    "## Wiring\n\nThe motor needs four pins. [[b#Pins]]\n\n### Deeper\n\nIn it [c](sub/c.md).\n\n## Other\n\nBread.\n",
    "b.md": "# Beta\n\nBack to [[First#Wiring|it]] and [[first]] and [[b]].\n\n"
    "## Pins\n\nThe motor needs four pins too.\n",
    "sub/c.md": "# Gamma\n\n[up](../a.md#deeper) and [out](https://a.md).\n\n## The part\n\nSoup.\n",
    "d.md": "# Delta\n\nBread and butter.\n",
    "hidden.md": "---\nheadwise: false\n---\n[[a]]\n",
}


@pytest.fixture
def store(tmp_path):
    for name, text in NOTES.items():
        file = tmp_path / "notes" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    with open_store(str(tmp_path / "x.db"), create=True) as opened:
        sync(opened, tmp_path / "notes", "r", FileOptions(), IndexSettings(Settings(min_tokens=0)))
        yield opened


def ends(links):
    return [(one.path, one.fragment) for one in links]


def test_links_lead_both_ways(store):
    found = related(store, None, "a.md")
    assert (found.path, found.anchor, found.near) == ("a.md", "", ())
    assert ends(found.links) == [("b.md", ""), ("sub/c.md", "the-part"), ("b.md", "Pins"), ("sub/c.md", "")]
    assert ends(found.backlinks) == [("b.md", "Wiring"), ("b.md", ""), ("sub/c.md", "deeper")]
    assert found.links[0].title == "Beta"
    assert related(store, None, "First") == found


@pytest.mark.parametrize("name", ["a.md#wiring", "a.md#Wiring", "a#Wiring", "first#Alpha#Wiring"])
def test_of_a_section_only_its_own_links_count_and_those_that_name_it(store, name):
    found = related(store, None, name)
    assert (found.path, found.anchor) == ("a.md", "wiring")
    assert ends(found.links) == [("b.md", "Pins"), ("sub/c.md", "")]
    assert ends(found.backlinks) == [("b.md", "Wiring")]


def test_near_is_what_has_the_nearest_passages_and_never_the_document_itself(store):
    bag = WordBag()
    assert related(store, bag, "a.md").near == ()
    embed_pending(store, bag)
    near = related(store, bag, "a.md#wiring").near
    assert near[0].id == "b.md#pins::0"
    assert [one.score for one in near] == sorted((one.score for one in near), reverse=True)
    assert sorted(one.path for one in near) == ["b.md", "d.md", "sub/c.md"]
    assert related(store, bag, "a.md#other").near[0].path == "d.md"
    for n in range(NEAR + 3):
        store.replace("r", document(f"{n}.md", "The motor needs four pins."))
    embed_pending(store, bag)
    assert len(related(store, bag, "a.md").near) == NEAR


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("none.md", "there is no document none.md in the store"),
        ("hidden", "there is no document hidden in the store"),
        ("a.md#none", "a.md has no section #none"),
        ("", "there is no document"),
    ],
)
def test_what_is_not_there_is_said(store, name, reason):
    with pytest.raises(StoreError, match=reason):
        related(store, None, name)


def test_names_and_links_come_from_every_kind_of_store(store_url):
    one = replace(document("b.md", "x", title="B"), aliases=("Bee",), links=(Link(0, 3, "ä#x", "wikilink"),))
    with open_store(store_url, create=True) as store:
        store.replace("r", one)
        store.replace("r", document("a.md", "y"))
        store.replace("r", replace(document("c.md"), excluded=True))
        store.replace("other", document("z.md", "y"))
        assert store.named("r") == [Named("a.md", "Note", (), ()), Named("b.md", "B", one.aliases, one.links)]


def test_python_says_why_nothing_is_near(store, tmp_path):
    with Index(str(Path(tmp_path / "x.db"))) as index:
        found = index.related("a")
    assert found.notes == ("without what is near: the store has no vectors yet",)
    assert found.backlinks
