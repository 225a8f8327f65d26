"""Filters by property: what can be typed, and that both stores let through what a look at the front matter says."""

from __future__ import annotations

import operator
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support_embedder import WordBag
from support_postgres import postgres_url
from support_store import document, dump

from headwise.errors import SettingsError
from headwise.indexing.files import FileOptions
from headwise.indexing.index import Index
from headwise.indexing.records import IndexSettings
from headwise.indexing.search import find
from headwise.indexing.sync import sync
from headwise.indexing.where import parse_where
from headwise.stores.open import open_store
from headwise.stores.properties import fold_name, fold_text, properties_of, read_moments, read_number
from headwise.stores.store import NO_CONDITIONS, NO_FILTERS, Change, Filters, Store, Where

DAY = 24 * 60 * 60 * 1_000_000

# --- what can be typed ---


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("status = Done", Where("status", "=", text="done")),
        ("  Due  Date!=  next   week ", Where("due date", "=", negated=True, text="next week")),
        ("status==done", Where("status", "=", text="done")),
        ("due", Where("due", "is")),
        ("! Due", Where("due", "is", negated=True)),
        ("author.name = [[People/Ada|Ada]]", Where("author.name", "=", text="people/ada")),
        ("pages >= 12.50", Where("pages", ">=", text="12.50", number=12.5)),
        ('version = "1.10"', Where("version", "=", text="1.10")),
        ("name < 'm'", Where("name", "<", text="m")),
        ('"a <= b" > 3', Where("a <= b", ">", text="3", number=3.0)),
        ("what's new = it's", Where("what's new", "=", text="it's")),
        ("url = https://x.y/?a=b", Where("url", "=", text="https://x.y/?a=b")),
        ('v < "2024-13"', Where("v", "<", text="2024-13")),
        ('sign = "=>"', Where("sign", "=", text="=>")),
        ("状態=完了", Where("状態", "=", text="完了")),
        ("path=~/Notes", Where("path", "=", text="~/notes")),
        ("about = a ~ b: c", Where("about", "=", text="a ~ b: c")),
        ('"a ~ b" = 3', Where("a ~ b", "=", text="3", number=3.0)),
        ("og:title", Where("og:title", "is")),
        ("new!", Where("new!", "is")),
    ],
)
def test_filters_say_what_they_look_like(typed, meant):
    assert parse_where(typed) == meant


@pytest.mark.parametrize(
    ("typed", "advice"),
    [
        ("", "it names no property; write `name`, `!name` or `name = value`"),
        ("!", "it names no property"),
        ("= done", "it names no property"),
        ("!= done", "it names no property"),
        ('"" = done', "it names no property"),
        ("status =", "nothing stands after '='; `status` asks for any value, `!status` for none"),
        ('status != ""', "`!status` for none"),
        ("!status = done", "to compare, write `name != value`"),
        ("pages => 3", "'=>' is none of =, !=, <, <=, > and >="),
        ("pages =< 3", "'=<' is none of"),
        ("status === done", "'===' is none of"),
        ("pages > = 3", "'> =' is none of"),
        ("status ~ 3", "'~' is none of =, !=, <, <=, > and >=; put a name or a text that holds it in quotes"),
        ("status=~'3'", "'=~' is none of"),
        ("status !~ 3", "'!~' is none of"),
        ("~draft", "'~' is none of"),
        ("pages ≥ 3", "'≥' is none of"),
        ("status: done", "':' is none of"),
        ("date >= 2024-13-01", "'2024-13-01' is no date; write it like 2024, 2024-01"),
        ("date < 2024-1-1 25:00", "is no date"),
        ("modified > yesterday", "'yesterday' is no date"),
        ('modified = "2024"', "'2024' is no date"),
    ],
)
def test_a_filter_that_makes_no_sense_is_refused_in_one_line_that_says_what_to_write(typed, advice):
    with pytest.raises(SettingsError) as refused:
        parse_where(typed)
    assert str(refused.value).startswith(f"the filter {typed!r} is not understood: ")
    assert advice in str(refused.value)
    assert "\n" not in str(refused.value)


@given(st.text(st.sampled_from("ab =<>!~/≥\"'.-2024[]|:\n") | st.characters(), max_size=30))
def test_whatever_is_typed_is_understood_or_refused(typed):
    try:
        where = parse_where(typed)
    except SettingsError:
        return
    assert where.name == fold_name(where.name) != ""
    assert (where.text == "") == (where.operator == "is")
    assert not (where.operator not in {"is", "="} and where.negated)


@pytest.mark.parametrize(
    ("text", "first", "width"),
    [
        ("2024", "2024-01-01", 366 * DAY),
        ("9999", "9999-01-01", 365 * DAY),
        ("2023-02", "2023-02-01", 28 * DAY),
        ("2024/2/9", "2024-02-09", DAY),
        ("2024-02-29 10:30", "2024-02-29T10:30", 60_000_000),
        (" 2024-02-29t1:30:05Z ", "2024-02-29T01:30:05", 1_000_000),
        ("2024-02-29T10:30:05.25+05:30", "2024-02-29T10:30:05.250", 10_000),
        ("2024-02-29T10:30:05.1234567 -8", "2024-02-29T10:30:05.123456", 1),
    ],
)
def test_a_date_stands_for_all_of_itself(text, first, width):
    begin = (datetime.fromisoformat(first) - datetime(1, 1, 1)).total_seconds()  # noqa: DTZ001 - as clocks show it
    moments = read_moments(text)
    assert moments is not None
    assert moments[0] == pytest.approx(begin * 1_000_000, abs=20)
    assert moments[1] - moments[0] == width


@pytest.mark.parametrize(
    "text",
    ["", "0000", "24", "2023-02-29", "2024-00", "2024-1/2", "2024-01-01 24:00", "12:30", "2024-01-01x", "２０２４"],
)
def test_what_is_no_date(text):
    assert read_moments(text) is None


def test_numbers_are_decimal_and_no_larger_than_floats_can_tell_apart():
    assert [read_number(text) for text in ("007", " -1.50", "+3", "-0")] == [7, -1.5, 3, 0]
    for text in ("", "1e5", "0x1f", "1,000", "1.", ".5", "9007199254740993", "12:30", "٣", "nan"):
        assert read_number(text) is None


# --- what front matter says ---


def test_values_are_taken_out_of_lists_and_maps_and_what_is_empty_is_not_there():
    found = properties_of(
        {
            "Status": ["Done", "done", None, ""],
            "project": [["Robot Arm"]],
            "author": {"Name": "Ada", "born": 1815, "": 1},
            "empty": {"a": None, "b": {}, "c": [[]]},
            "draft": False,
            "x" * 201: 1,
            "deep": {"y" * 150: {"z" * 100: 1}},
            "huge": 10**30,
            "tiny": 1e-7,
        }
    )
    assert [(value.name, value.text, value.number) for value in found] == [
        ("status", "done", None),
        ("project", "robot arm", None),
        ("author", None, None),
        ("author.name", "ada", None),
        ("author.born", "1815", 1815.0),
        ("draft", "false", None),
        ("huge", "1" + "0" * 30, None),
        ("tiny", "1e-07", 1e-7),
    ]
    assert found[1].text == fold_text("[[Robot Arm|the arm]]")


def test_long_texts_equal_only_themselves_and_sort_by_their_beginning():
    long, other = "a" * 300 + "x", "A" * 300 + "y"
    assert fold_text(long) == fold_text(long.upper()) != fold_text(other)
    assert fold_text("a" * 199) < fold_text(long) < fold_text("b")
    assert len(fold_text(long)) < 250


# --- both stores, against a look at the front matter ---


class Leaf(NamedTuple):
    """A value as it is written, and what it is, known from how it was made."""

    written: Any
    number: Decimal | None = None
    date: str | None = None
    """`2024-01` or longer, as far as it is given."""

    @property
    def text(self) -> str:
        return " ".join(str(self.written).casefold().split())


def _date(year: int, *parts: int) -> Leaf:
    text = f"{year:04}" + "".join(f"{sign}{part:02}" for sign, part in zip("--T::", parts, strict=False))
    return Leaf(text, Decimal(year) if not parts else None, text)


years = st.sampled_from([1, 1999, 2023, 2024, 9999])
lots = st.sampled_from([1, 2, 12]), st.sampled_from([1, 28]), st.sampled_from([0, 23]), st.sampled_from([0, 59])
dates = st.one_of(
    st.builds(_date, years),
    st.builds(_date, years, *lots[:1]),
    st.builds(_date, years, *lots[:2]),
    st.builds(_date, years, *lots),
    st.builds(_date, years, *lots, st.sampled_from([0, 30])),
)
numbers = st.one_of(
    st.integers(-3, 3).map(lambda n: Leaf(n, Decimal(n))),
    st.integers(2022, 2025).map(lambda n: Leaf(n, Decimal(n), str(n))),
    st.sampled_from([1.5, 2.0, -0.25, 1e-7]).map(lambda n: Leaf(n, Decimal(str(n)))),
    st.sampled_from(["007", "2.50", "+3", "-0"]).map(lambda text: Leaf(text, Decimal(text))),
)
plain_texts = st.sampled_from(
    [
        "done",
        "Done",
        "DONE ",
        "in  progress",
        "straße",
        "STRASSE",
        "完了",
        "1e5",
        "12:30",
        "a" * 250,
        "A" * 250,
        "2024-13",
    ]
).map(Leaf)
leaves = dates | numbers | plain_texts | st.booleans().map(Leaf)


def can_be_typed(leaf: Leaf) -> bool:
    """Neither a number that is written as only floats are, nor a date that is none."""
    return leaf.text not in {"1e-07", "2024-13"}


typed_leaves = leaves.filter(can_be_typed)
names = st.sampled_from(["status", "Status", "due date", "B"])
nothing = st.sampled_from([None, "", "  ", [], [None], {}])
values = st.recursive(
    leaves | nothing,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=2),
    max_leaves=5,
)
# One property has most of the values, so that many are compared with one another.
fronts = st.dictionaries(st.just("status"), leaves) | st.dictionaries(names, values, max_size=3)
asked_names = st.sampled_from(["status", "STATUS"]) | st.sampled_from(
    ["Due  Date", "b", "B.Status", "b.b.b", "nowhere"]
)
COMPARE = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


def written(value: Any) -> Any:
    if isinstance(value, Leaf):
        return value.written
    if isinstance(value, dict):
        return {name: written(inner) for name, inner in value.items()}
    return [written(inner) for inner in value] if isinstance(value, list) else value


def under(value: Any, name: str, path: str = "") -> Iterator[Leaf]:
    """The values at *name*, those of what is inside it at a deeper name left aside."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from under(inner, name, f"{path}.{key.lower()}".lstrip("."))
    elif isinstance(value, list):
        for inner in value:
            yield from under(inner, name, path)
    elif isinstance(value, Leaf) and path == name:
        yield value


def is_there(value: Any, name: str, path: str = "") -> bool:
    if isinstance(value, dict):
        return any(is_there(inner, name, f"{path}.{key.lower()}".lstrip(".")) for key, inner in value.items())
    if isinstance(value, list):
        return any(is_there(inner, name, path) for inner in value)
    return isinstance(value, Leaf) and f"{path}.".startswith(f"{name}.")


def full(date: str) -> str:
    return date + "0000-01-01T00:00:00"[len(date) :]


def compares(has: Leaf, sign: str, typed: Leaf) -> bool:
    if sign == "=":
        if has.text == typed.text or (typed.number is not None and has.number == typed.number):
            return True
        return typed.date is not None and has.date is not None and full(has.date).startswith(typed.date)
    test, found = COMPARE[sign], False
    if typed.number is not None:
        found |= has.number is not None and test(has.number, typed.number)
    if typed.date is not None:
        found |= has.date is not None and test(full(has.date)[: len(typed.date)], typed.date)
    if typed.number is None and typed.date is None:
        found |= test(has.text[:200], typed.text[:200]) if has.text != typed.text else sign in {"<=", ">="}
    return found


@pytest.fixture(scope="module")
def stores(tmp_path_factory):
    file: Path = tmp_path_factory.mktemp("stores") / "index.db"
    with open_store(str(file), create=True) as one, open_store(postgres_url(), create=True) as other:
        yield one, other


def paths(store: Store, *filters: str) -> list[str]:
    """What is listed; what words and vectors find must be the same."""
    chosen = Filters(where=tuple(map(parse_where, filters)))
    rows = store.listed(chosen, NO_CONDITIONS, 99)
    assert {match.chunk for match in store.match(["word"], chosen, 99)} == set(rows)
    assert {near.chunk for near in store.nearest("m", np.array([1, 0], np.float32), chosen, 99)} == set(rows)
    return listed(store, *filters)


def listed(store: Store, *filters: str) -> list[str]:
    rows = store.listed(Filters(where=tuple(map(parse_where, filters))), NO_CONDITIONS, 99)
    found = store.chunks(rows)
    return [found[row].path for row in rows]


def fill(store: Store, notes: dict[str, dict[str, Any]], **file: Any) -> None:
    """Only these notes, each of one word."""
    gone = [Change(None, path) for path in store.files("r") if path not in notes]
    made = [document(path, "word", front=front) for path, front in notes.items()]
    store.apply("r", gone + [Change(replace(note, file=note.file._replace(**file))) for note in made])
    store.add_vectors("m", {passage.content_hash: np.array([1, 0], np.float32) for passage in store.pending("m", 99)})


@given(st.lists(fronts, min_size=1, max_size=12), asked_names, st.data())
@settings(max_examples=80)
def test_both_stores_let_through_what_a_look_at_the_front_matter_says(stores, notes, name, data):
    folded = " ".join(name.lower().split())
    plain = {f"{number:02}.md": front for number, front in enumerate(notes)}
    there = {path: list(under(front, folded)) for path, front in plain.items()}
    near = [leaf for found in there.values() for leaf in found if can_be_typed(leaf)]
    typed = data.draw(st.sampled_from(near) | typed_leaves if near else typed_leaves)
    like = {
        sign: [path for path, found in there.items() if any(compares(has, sign, typed) for has in found)]
        for sign in ("=", "<", "<=", ">", ">=")
    }
    has_it = [path for path, front in plain.items() if is_there(front, folded)]
    wanted = {f"{name} {sign} {typed.written}": right for sign, right in like.items()} | {
        f"{name} != {typed.written}": [path for path in plain if path not in like["="]],
        name: has_it,
        f"!{name}": [path for path in plain if path not in has_it],
    }
    several = data.draw(st.lists(st.sampled_from(sorted(wanted)), min_size=2, max_size=3))
    for store in stores:
        fill(store, {path: written(front) for path, front in plain.items()})
        for text, right in wanted.items():
            assert listed(store, text) == right, text
        assert paths(store, *several) == [path for path in plain if all(path in wanted[text] for text in several)]


def test_quotes_compare_as_text_alone(stores):
    for store in stores:
        fill(store, {"a.md": {"v": 1.1}, "b.md": {"v": "1.10"}, "c.md": {"v": "2024-01-31"}})
        assert paths(store, "v = 1.10") == ["a.md", "b.md"]
        assert paths(store, 'v = "1.10"') == ["b.md"]
        assert paths(store, "v >= '2'") == ["c.md"]
        assert paths(store, "v = 2024-01") == ["c.md"]
        fill(
            store, {"a.md": {"day": "[[2024-01-31]]"}, "b.md": {"day": [["2023-12-01"]]}, "c.md": {"day": "[[2024]] x"}}
        )
        assert paths(store, "day >= 2024") == paths(store, "day = [[2024-01-31|Wednesday]]") == ["a.md"]
        fill(store, {"a.md": {"v": "[[2024-01-31]]"}, "c.md": {"v": "2024-01-31"}})
        assert paths(store, 'v = "2024-01-31"') == ["a.md", "c.md"]
        assert paths(store, 'v = "2024-01"') == []


@pytest.mark.parametrize("zone", ["UTC", "Pacific/Auckland", "America/St_Johns"])
def test_modified_is_the_time_of_the_file_on_the_clock_here_unless_the_note_says_when(stores, monkeypatch, zone):
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        changed = int(datetime(2024, 7, 1, 0, 30).timestamp()) * 10**9 + 5000  # noqa: DTZ001 - as clocks show it
        notes = {"file.md": {}, "odd.md": {"Modified": "often"}, "said.md": {"modified": "2020-05-01"}}
        for store in stores:
            fill(store, notes, mtime_ns=changed)
            assert paths(store, "modified") == ["file.md", "odd.md", "said.md"]
            assert paths(store, "!modified") == []
            for same in ("2024", "2024-07", "2024-07-01", "2024-07-01 00:30", "2024-07-01 00:30:00.000005"):
                assert paths(store, f"modified = {same}") == ["file.md", "odd.md"]
                assert paths(store, f"modified != {same}", f"modified <= {same}") == ["said.md"]
                assert paths(store, f"modified < {same}") == ["said.md"]
                assert paths(store, f"modified > {same}") == []
            assert paths(store, "modified < 2024-07-01") == paths(store, "modified <= 2024-06") == ["said.md"]
            assert paths(store, "modified > 2024-06-30", "modified < 9999", "modified > 0001") == ["file.md", "odd.md"]
            assert paths(store, "modified = 2020") == ["said.md"]
    finally:
        monkeypatch.undo()
        time.tzset()


ODD = ["\0", "\ufdd0", "a\0b", "日本\0", "x" * 5000, "😀" * 500, "e\u0301", "'\"\\", "%_*"]


def test_any_text_can_be_a_name_and_a_value(stores):
    for store in stores:
        fill(store, {"a.md": {text: text for text in ODD}, "b.md": {"list": ODD}})
        for text in ODD:
            assert paths(store, f'list = "{text}"') == ["b.md"]
            assert paths(store, f'"{text}" = "{text}"') == (["a.md"] if len(fold_name(text)) <= 200 else [])
    assert stores[0].property_names() == stores[1].property_names()


def test_names_are_listed_once_and_counted_by_document(stores):
    for store in stores:
        fill(store, {"a.md": {"b": [1, 2], "A": 1}, "b.md": {"B": {"c": 1}, "z": None}})
        assert store.property_names() == ["a", "b", "b.c"]
        assert store.stats().properties == {"a": 1, "b": 2, "b.c": 1}
        fill(store, {})
        assert (store.property_names(), store.stats().properties) == ([], {})


# --- searches ---


def notes_in(folder: Path, notes: dict[str, str]) -> Path:
    for name, text in notes.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_filters_come_before_the_best_are_taken(tmp_path, store_url):
    """One note that is wanted among hundreds that match better."""
    bag = WordBag()
    with open_store(store_url, create=True) as store:
        better = [document(f"{number}.md", "motor motor motor", front={"status": "open"}) for number in range(700)]
        store.apply("r", [Change(note) for note in better])
        store.replace("r", document("wanted.md", "a motor among many other words", front={"status": ["x", "done"]}))
        store.add_vectors(bag.key, {p.content_hash: bag.embed_query(p.text) for p in store.pending(bag.key, 9999)})
        only = Filters(where=(parse_where("status = done"),))
        for model in (None, bag):
            assert [hit.path for hit in find(store, model, "motor", only, limit=5).hits] == ["wanted.md"]
        assert [hit.path for hit in find(store, None, "tag:robot", only, limit=5).hits] == []


def test_without_words_what_filters_let_through_is_listed(tmp_path, store_url):
    folder = notes_in(
        tmp_path / "notes",
        {
            "a.md": "---\nstatus: done\ndate: 2024-03-01\n---\n# A\n\nMotor.\n",
            "x/b.md": "---\nStatus: Done\ndate: 2024-02-29T10:00:00Z\n---\n# B\n\nMotor.\n",
            "c.md": "+++\nstatus = 'open'\ndate = 2024-02-01\n[author]\nname = 'Ada'\n+++\n# C\n\nMotor.\n",
            "d.md": "# D\n\nMotor.\n",
        },
    )
    with Index(store_url, create=True) as index:
        index.sync(folder)
        found = {
            "status = done": ["a.md", "x/b.md"],
            "date = 2024-02": ["c.md", "x/b.md"],
            "author.name = ada": ["c.md"],
            "!status": ["d.md"],
            "status != done": ["c.md", "d.md"],
        }
        for where, wanted in found.items():
            assert [hit.path for hit in index.search("", where=where)] == wanted
            assert sorted({hit.path for hit in index.search("motor", where=[where])}) == wanted
        assert [hit.path for hit in index.search(" ", path="x")] == ["x/b.md"]
        assert [hit.path for hit in index.search("path:x", where=["status", "date < 2024-03"])] == ["x/b.md"]
        assert index.search("?!", where="status") == index.search("") == []
        with pytest.raises(SettingsError, match="the filter 'status =' is not understood"):
            index.search("motor", where="status =")


def test_a_name_that_no_document_has_is_said_with_those_that_are_near(stores):
    for store in stores:
        fill(store, {"a.md": {"status": 1, "author": {"name": "Ada"}, "created": "2024"}})
        for typed, said in (
            ("statsu = done", "no document has the property 'statsu'; is it 'status'?"),
            ("!Creatd", "no document has the property 'creatd'; is it 'created'?"),
            ("name = ada", "no document has the property 'name'; is it 'author.name'?"),
            ("zzz", "no document has the property 'zzz'; `headwise stats` shows which there are"),
        ):
            for words in ("", "word"):
                found = find(store, None, words, Filters(where=(parse_where(typed),)), limit=5)
                assert found.notes == (said,)
                assert len(found.hits) == ("!" in typed)
        known = Filters(where=(parse_where("status"), parse_where("modified < 1990")))
        assert find(store, None, "word", known, limit=5).notes == ()
    assert find(stores[0], None, "word", NO_FILTERS, limit=5).notes == ()


def test_edits_of_front_matter_move_what_filters_find_as_a_rebuilt_store(tmp_path, new_url):
    folder = notes_in(
        tmp_path / "notes", {"a.md": "---\nstatus: open\n---\n# A\n", "b.md": "---\nx: {y: 1}\n---\n# B\n"}
    )
    url, fresh = new_url(), new_url()
    how = IndexSettings()
    with open_store(url, create=True) as store:
        sync(store, folder, "r", FileOptions(), how)
        notes_in(folder, {"a.md": "---\nstatus: done\nDue: 2024-05\n---\n# A\n"})
        (folder / "b.md").rename(folder / "c.md")
        sync(store, folder, "r", FileOptions(), how)
        assert store.property_names() == ["due", "status", "x", "x.y"]
        assert store.listed(Filters(where=(parse_where("status = open"),)), NO_CONDITIONS, 9) == []
    with open_store(fresh, create=True) as store:
        sync(store, folder, "r", FileOptions(), how)
    assert dump(url)["properties"] == dump(fresh)["properties"]
