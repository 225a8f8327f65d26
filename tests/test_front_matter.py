import base64
import json
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from headwise.model import FrontMatter
from headwise.reading.front_matter import read_front_matter

CASES = Path(__file__).parents[2] / "shared" / "cases"


def case(number: str) -> dict[str, str]:
    """The files of a shared case, decoded, newlines kept."""
    found = sorted(CASES.glob(f"{number}-*.json"))
    if not found:
        pytest.skip("the shared cases are not beside the project")
    content = json.loads(found[0].read_text(encoding="utf-8"))
    files = content.get("files") or {"input": content["input"]}
    return {
        name: value if isinstance(value, str) else base64.b64decode(value["b64"]).decode("utf-8")
        for name, value in files.items()
    }


def body(text: str) -> str:
    return text[read_front_matter(text).end :]


def test_yaml_between_two_lines_of_hyphens_is_front_matter():
    text = "---\ntitle: Shift plan\ntags: [a, b]\n---\n# Plan\n"
    found = read_front_matter(text)

    assert found.data == {"title": "Shift plan", "tags": ["a", "b"]}
    assert (found.title, found.tags, found.warning) == ("Shift plan", ("a", "b"), None)
    assert text[found.end :] == "# Plan\n"


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
@pytest.mark.parametrize("closing", ["---", "...", "--- \t"])
def test_any_newline_a_byte_order_mark_and_dots_are_understood(newline, bom, closing):
    text = bom + newline.join(["--- ", "title: Über", "owner: ops", closing, "", "Body"])
    found = read_front_matter(text)

    assert found.data == {"title": "Über", "owner": "ops"}
    assert text[found.end :] == f"{newline}Body"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# Title\n",
        "---",
        "---\n",
        "----\ntitle: x\n----\n",
        "--- text\ntitle: x\n---\n",
        " ---\ntitle: x\n---\n",
        "\n---\ntitle: x\n---\n",
        "---\ntitle: x\n\n# Heading\n",
        "---\ntitle: x\n ---\n",
        "---\ntitle: x\n----\n",
        "---\ntitle: x\n--- x\n",
        "---\n\n# Chapter one\n\nText: of the first.\n\n---\n\n# Two\n",
        "---\n# Slide\n---\n",
        "---\n# Slide\n# title: x\n---\n",
        "---\nSome text.\n\nKey: value\n---\n",
        "---\n- item: of a list\n---\n",
        "---\n> Quote: text\n---\n",
        "---\nhttps://example.org\n---\n",
        "---\ntitle: draft\n\n# Heading\n\nThe closing line was forgotten.\n\n---\n\nMore\n",
        "+++\ntitle = 'x'\n",
        "++++\ntitle = 'x'\n++++\n",
        "---\ntitle: x\n+++\n",
    ],
)
def test_what_is_text_stays_text(text):
    assert read_front_matter(text) == FrontMatter()
    assert read_front_matter("\ufeff" + text) == FrontMatter(end=1)


@pytest.mark.parametrize(
    ("block", "data"),
    [
        ("", {}),
        ("\n\n", {}),
        ("# title: x\n", {}),
        ("# A comment\n\ntitle: x\n", {"title": "x"}),
        (
            "\nexcalidraw-plugin: parsed\ntags: [excalidraw]\n\n",
            {"excalidraw-plugin": "parsed", "tags": ["excalidraw"]},
        ),
        ('{"title": "x"}\n', {"title": "x"}),
        ('"a key": 1\n', {"a key": 1}),
        ("标题: 计划\nDate created: x\n", {"标题": "计划", "Date created": "x"}),
        ("  title: x\n  b: y\n", {"title": "x", "b": "y"}),
        ("title: x\n\nfolded: >\n  one\n\n  two\n", {"title": "x", "folded": "one\ntwo\n"}),
    ],
)
def test_what_looks_like_properties_is_front_matter(block, data):
    text = f"---\n{block}---\nBody"

    assert read_front_matter(text) == FrontMatter(end=len(text) - 4, data=data)


@pytest.mark.parametrize(
    ("yaml", "value"),
    [
        ("2024-01-05", "2024-01-05"),
        ("2024-13-45", "2024-13-45"),
        ("2024-01-05T10:00:00Z", "2024-01-05T10:00:00Z"),
        ("12:30", "12:30"),
        ("1.10", "1.10"),
        ("1.5", 1.5),
        ("-3", -3),
        ("007", "007"),
        ("1e3", "1e3"),
        ("1_000", "1_000"),
        ("9" * 5000, "9" * 5000),
        (".nan", ".nan"),
        ("no", "no"),
        ("true", True),
        ("'true'", "true"),
        ("", None),
        ("~", None),
        ("[[Ana]]", [["Ana"]]),
        ("{{date}}", "{{date}}"),
        ("{{title:x}}", "{{title:x}}"),
        ("{? [a, b] : c}", {"[a, b]": "c"}),
        ("\n  ? {a: b}\n  : c", {"{a: b}": "c"}),
        ("!!binary aGk=", "aGk="),
        ("!!set {a, b}", {"a": None, "b": None}),
        ("!!python/object/apply:os.system [x]", ["x"]),
        ("{1: x, 2024-01-05: y, null: z}", {"1": "x", "2024-01-05": "y", "null": "z"}),
        ("\ud800", "\ufffd"),
    ],
)
def test_values_are_kept_as_written_and_json_can_hold_them(yaml, value):
    found = read_front_matter(f"---\nkey: {yaml}\n---\n")

    assert found.data == {"key": value}
    assert json.loads(json.dumps(found.data, allow_nan=False)) == found.data


def test_an_alias_stands_for_its_value():
    found = read_front_matter("---\na: &x [1, 2]\nb: *x\n---\n")

    assert found.data == {"a": [1, 2], "b": [1, 2]}


BOMB = "a0: &a0 [x, x]\n" + "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 12))


@pytest.mark.parametrize(
    ("block", "warning"),
    [
        ("a: 1\nb: c: d\n", "line 3: mapping values are not allowed in this context"),
        ("a: 1\n\nb: c: d\n", "line 4: mapping values are not allowed in this context"),
        ("a: 1\n\tb: 2\n", "line 3: found a tab character that violates indentation"),
        ("a: <% x %>\nb: {{x}} {{y}}\n", "line 3: did not find expected key"),
        ("a: 'b\n", "line 2: found unexpected end of stream"),
        ("a: *b\n", "line 2: found undefined alias"),
        ("a: &a [*a]\n", "line 2: nested too deeply"),
        ("a: &a {b: *a}\n", "line 2: nested too deeply"),
        (f"a:\n  {'[' * 33}{']' * 33}\n", "line 3: nested too deeply"),
        (f"a:\n  {'{b: ' * 33}{'}' * 33}\n", "line 3: nested too deeply"),
        ("a: \x01\n", "character U+0001 is not allowed in YAML"),
        ("a: 1\n--- b\n", "line 3: but found another document"),
        ("<% a %>\n", "line 2: not properties (`key: value`)"),
        ("a:\n" + "  - b\n" * 11_000, "not read, as it is over 64 KiB"),
        (BOMB, "too much data; an alias repeats too often"),
        (f"a: &a {'x' * 30_000}\nb: [{'*a, ' * 100}]\n", "too much data; an alias repeats too often"),
        (f"a: &a [{'x' * 30_000}]\nb:\n" + "- ? *a\n  : c\n" * 100, "too much data; an alias repeats too often"),
        ("# a: b\n{{ a template's tag }}\n", "line 3: not properties (`key: value`)"),
        ("{{ a template's tag }}\n", "line 2: not properties (`key: value`)"),
    ],
)
def test_a_fault_is_one_warning_with_its_line_and_the_block_stays_front_matter(block, warning):
    found = read_front_matter(f"---\n{block}---\nBody")

    assert found.end == len(block) + 8
    assert found.data == {}
    assert found.warning == f"front matter: {warning}"


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ("{a: ", "}")])
def test_32_levels_are_read(opening, closing):
    found = read_front_matter(f"---\na: {opening * 31}[]{closing * 31}\n---\n")

    assert found.warning is None
    assert json.dumps(found.data).count("{" if opening != "[" else "[") == 32


@pytest.mark.parametrize(("mark", "assign"), [("---", "a: "), ("+++", "a = ")])
def test_64_kib_are_read_and_no_more(mark, assign):
    def block(size):
        return f"{assign}'{'x' * (size - len(assign) - 3)}'\n"

    assert len(block(64 * 1024)) == 64 * 1024
    assert read_front_matter(f"{mark}\n{block(64 * 1024)}{mark}\n").warning is None
    assert "over 64 KiB" in (read_front_matter(f"{mark}\n{block(64 * 1024 + 1)}{mark}\n").warning or "")


@pytest.mark.parametrize(
    "block",
    ["a: 1\nb: [x, {c: 'd'}]\n", "a: 1\nb: c: d\n", "a: \x01\n", "a: 'b\n", f"a:\n  {'[' * 600}\n", "# a: b\n"],
)
def test_without_yamls_c_part_the_same_is_read(block, monkeypatch):
    text = f"---\n{block}---\nBody"
    fast = read_front_matter(text)
    monkeypatch.delattr(yaml, "CSafeLoader")
    slow = read_front_matter(text)

    assert (slow.end, slow.data, slow.warning is None) == (fast.end, fast.data, fast.warning is None)


@pytest.mark.parametrize("opener", ["[", "{", "- ", "? ", "{a: ", "[{"])
def test_deep_nesting_is_refused_not_survived_by_luck(opener):
    found = read_front_matter(f"---\na:\n  {opener * 10_000}\n---\nBody")

    assert found.data == {}
    assert found.warning is not None


def test_of_invalid_yaml_the_plain_lines_of_known_properties_are_taken():
    found = read_front_matter(
        "---\ntitle: Budget: second draft\nguests: [[Ana]], [[Ben]]\ntags: [home, money]\naliases:\n  - 'Plan B'\n"
        "- Plan C\n"
        "alias:\nheadwise: false\nowner: ops\n---\n"
    )

    assert found.data == {
        "title": "Budget: second draft",
        "tags": ["home", "money"],
        "aliases": ["Plan B", "Plan C"],
        "alias": None,
        "headwise": False,
    }
    assert found.warning == "front matter: line 2: mapping values are not allowed in this context"
    assert found.aliases == ("Plan B", "Plan C")


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("title: [draft] of it", "[draft] of it"),
        ("title: on [draft]", "on [draft]"),
        ("title: [[Ana]]", "[[Ana]]"),
        ("title: [a, 'b, c', 4]", ["a", "'b", "c'", 4]),
    ],
)
def test_of_invalid_yaml_only_what_stands_in_brackets_is_a_list(line, value):
    assert read_front_matter(f"---\na: b: c\n{line}\n---\n").data == {"title": value}


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_toml_between_two_lines_of_pluses_is_front_matter(newline):
    text = newline.join(["+++", 'title = "x"', "date = 2024-01-05", "n = nan", "[a]", "b = [1, 1.10]", "+++", "Body"])
    found = read_front_matter(text)

    assert found.data == {"title": "x", "date": "2024-01-05", "n": "nan", "a": {"b": [1, 1.1]}}
    assert text[found.end :] == "Body"


@pytest.mark.parametrize(
    ("block", "data", "warning"),
    [
        ("a = 1\ntitle = x y\n", {"title": "x y"}, "line 3: Invalid value"),
        (f"a = {'9' * 5000}\ntitle = 'x'\n", {"title": "x"}, "a number is too long"),
        (f"{'a.' * 20_000}a = 1\n", {}, "nested too deeply"),
        (f"{'a.' * 100}a = 1\n", {}, "nested too deeply"),
        (f"b = 1\n{'a.' * 20_000}a = 1\n", {}, "nested too deeply"),
        (f"a = {'[' * 33}{']' * 33}\n", {}, "nested too deeply"),
        (f"a = {'{b = ' * 33}1{'}' * 33}\n", {}, "nested too deeply"),
        ("a = [1\n", {}, "Unclosed array (at end of document)"),
        (f"a = {'[' * 10_000}\n", {}, "nested too deeply"),
        (f"a = '{'x' * 70_000}'\n", {}, "not read, as it is over 64 KiB"),
    ],
)
def test_invalid_toml_is_a_warning_too(block, data, warning):
    found = read_front_matter(f"+++\n{block}+++\nBody")

    assert found == FrontMatter(end=len(block) + 8, data=data, warning=f"front matter: {warning}")


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ("{b = ", "}")])
def test_32_levels_of_toml_are_read(opening, closing):
    found = read_front_matter(f"+++\na = {opening * 31}[]{closing * 31}\n+++\n")

    assert found.warning is None
    assert "[]" in json.dumps(found.data)


def test_dots_in_the_values_of_toml_are_no_nesting():
    text = f'+++\na = "x {"." * 600} = {"." * 600}"\n+++\n'

    assert read_front_matter(text).data == {"a": f"x {'.' * 600} = {'.' * 600}"}


def test_a_leading_rule_is_not_front_matter():
    for text in case("029").values():
        assert read_front_matter(text) == FrontMatter()


def test_a_byte_order_mark_hides_nothing():
    files = case("030")

    assert read_front_matter(files["vendors.md"]).data == {"title": "Vendor list", "owner": "ops"}
    assert body(files["vendors.md"]).startswith("\r\n# Vendors")
    assert body(files["title.md"]).startswith("# First heading")
    assert body(files["inner-bom.md"]) == files["inner-bom.md"]


def test_invalid_yaml_does_not_stop_a_note():
    for text in case("031").values():
        found = read_front_matter(text)

        assert found.title == "Budget: second draft"
        assert found.warning == "front matter: line 2: mapping values are not allowed in this context"
        assert text[found.end :] == "\n# Budget\n\nThe body survives.\n"


def test_notes_of_front_matter_only_empty_and_unclosed_blocks():
    files = case("033")

    assert read_front_matter(files["only.md"]).aliases == ("Weekly shop",)
    assert body(files["only.md"]).strip() == ""
    assert read_front_matter(files["only-no-newline.md"]).title == "x"
    assert body(files["only-no-newline.md"]) == ""
    assert body(files["unclosed.md"]) == files["unclosed.md"]
    assert body(files["empty-block.md"]) == "\nBody after an empty block.\n"


def test_line_endings_make_no_difference():
    for text in case("051").values():
        assert read_front_matter(text).data == {"title": "Shift plan"}
        assert body(text).strip().startswith("# Plan")


LINES = st.sampled_from(
    [
        "---",
        "...",
        "+++",
        "",
        "title: x",
        "a: b: c",
        "tags: [a",
        "# x",
        "- y",
        "  z: *z",
        "\tt",
        "{{x}}",
        "text",
        "\x01",
        "\ud800",
    ]
)


@given(st.lists(st.one_of(LINES, st.text(max_size=8)), max_size=8), st.sampled_from(["\n", "\r\n", "\r"]))
def test_reading_never_raises_and_ends_within_the_text(lines, newline):
    text = newline.join(["---", *lines])
    found = read_front_matter(text)

    assert found.end == 0 or text[: found.end].splitlines()[-1].rstrip() in {"---", "..."}
    assert found.warning is None or "\n" not in found.warning
    json.dumps(found.data, allow_nan=False).encode()
