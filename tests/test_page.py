"""The page of chunks: it shows the source whole, and nothing in the source can steer it."""

from __future__ import annotations

import re
from collections import Counter
from html.parser import HTMLParser
from itertools import product
from pathlib import Path

import pytest
from click.testing import CliRunner

from headwise.app.cli import cli
from headwise.app.page import make_article, page
from headwise.app.sources import cut
from headwise.chunking.settings import Settings
from headwise.model import Document

ROOT = Path(__file__).parent.parent
VAULT = ROOT / "examples" / "vault"
VOID = {"meta", "br"}
OURS = re.compile(
    "html|head|meta|title|style|body|header|h[123]|p|ul|ol|li|main|nav|article|section|div|span|a|details|summary|"
    "figure|figcaption|mark|code|bdi|strong"
)
ATTRIBUTES = re.compile(
    "lang|charset|name|content|http-equiv|class|id|href|style|dir|tabindex|open|data-code|aria-(label|labelledby|hidden)"
)
URI = "data:image/png;base64," + "iVBORw0KGgo" * 40
HOSTILE = {
    "markup": "# <img src=x onerror=alert(1)>\n\n</span></div></section><script>alert('x')</script>\n\n<style>*{}\n",
    "entities and placeholders": "# A & B\n\n&amp; &#60;b&#62; &lt; $title ${body} $$ <!-- --> <![CDATA[\n\n\"'`=<>\n",
    "front matter": '---\ntitle: "</title><script>alert(1)</script>"\ntags: ["<b>"]\n---\n\n# "><i>\n\ntext\n',
    "newlines": "\ufeff\r\n\r\n# A\r\n\r\nb\rc\n\n\n\n    code\r\n\r\n\r\n",
    "blank ends": "\n\n\n  \t\n# A\n\ntext  \n\n   \n",
    "controls": "# A\n\nred \x1b[31m bell \x07 del \x7f next \x85 line \x9c and \x0c form \x0b\n",
    "directions": "# مرحبا\n\n\u202eright to left\u202c and \u200b\u2066nothing\u2069 \u2028 \u2029\n",
    "data": f"# Pictures\n\n![one]({URI}) and ![two]({URI}) after.\n\n![three]({URI})\n",
    "sentences": "# Long\n\n" + "One sentence. Then another one! Is this <b>it</b>? " * 40 + "\n",
    "no spaces": "# 長い\n\n" + "一つの文です。<次>の文です。" * 60 + "\n",
    "graphemes": "👨‍👩‍👧‍👦" * 5 + "\n",
    "table": "# T\n\n| <b> | & |\n|---|---|\n" + "| a <i> | `x|y` |\n" * 60,
    "code": "# C\n\n```html\n" + "<script>alert('&amp;')</script>\n\n" * 40 + "```\n",
    "nothing": "",
    "nothing visible": "\u200b\n\n",
}
SETTINGS = [
    Settings(),
    Settings(max_tokens=40, overlap="25%"),
    Settings(max_tokens=24, overlap="1s", strategy="fixed"),
    Settings(max_tokens=1, tokenizer="chars"),
    Settings(max_tokens=60, min_tokens=20, tiny="drop"),
]


class Reader(HTMLParser):
    """What a browser makes of a page: every element closed, the text of those of a class."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[tuple[str, frozenset[str]]] = []
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str, str]] = []
        self.texts: dict[str, list[str]] = {}
        self.ids: Counter[str] = Counter()

    def handle_starttag(self, tag, attrs):
        named = {name: value or "" for name, value in attrs}
        assert len(named) == len(attrs)
        self.tags.add(tag)
        self.attributes += [(tag, name, value) for name, value in named.items()]
        if "id" in named:
            self.ids[named["id"]] += 1
        if tag in VOID:
            return
        classes = frozenset(named.get("class", "").split()) | {tag}
        assert not ("source" in classes and any("source" in above for _, above in self.open)), "text shown twice"
        self.open.append((tag, classes))
        for name in classes:
            self.texts.setdefault(name, []).append("")

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag

    def handle_data(self, data):
        for name in frozenset().union(*(classes for _, classes in self.open)):
            self.texts[name][-1] += data

    def handle_comment(self, data):
        raise AssertionError(f"a comment: {data}")

    def unknown_decl(self, data):
        raise AssertionError(f"a declaration: {data}")


def read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert not reader.open
    return reader


def document(text: str, path: str = "note.md") -> Document:
    return Document(path, text, "markdown", "", 0, len(text), 0, 0)


def shown(text: str, settings: Settings, path: str = "note.md") -> str:
    made = document(text, path)
    return page([make_article(made, cut(made, settings), settings, 0)], settings)


def lf(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def source(reader: Reader) -> str:
    return "".join(reader.texts.get("source", []))


def assert_only_our_own(reader: Reader) -> None:
    """Every tag and attribute is one of the page's, and every value is of a form that no text can have brought."""
    assert all(map(OURS.fullmatch, reader.tags))
    for tag, name, value in reader.attributes:
        assert ATTRIBUTES.fullmatch(name)
        if name in {"id", "aria-labelledby"}:
            assert re.fullmatch(r"[dt]\d+(c\d+h?)?", value)
        if name == "href":
            assert re.fullmatch(r"#d\d+(c\d+)?", value)
        if name == "style":
            assert re.fullmatch(r"--(size: \d+%|depth: \d+)", value)
        if name in {"class", "data-code"}:
            assert re.fullmatch(r"[a-z0-9 -]+", value)
        assert name != "lang" or value == ("en" if tag == "html" else "")
    assert set(reader.ids.values()) <= {1}
    links = {value[1:] for _, name, value in reader.attributes if name == "href"}
    assert links <= set(reader.ids)


@pytest.mark.parametrize("settings", SETTINGS, ids=lambda settings: settings.key())
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_is_shown_whole_and_only_as_text(name, settings):
    reader = read(shown(HOSTILE[name], settings))
    assert source(reader) == lf(HOSTILE[name])
    assert_only_our_own(reader)


@pytest.mark.parametrize("options", [[], ["--max-tokens", "60", "--overlap", "15%"]])
def test_the_example_vault_is_shown_whole(options):
    html = CliRunner().invoke(cli, ["chunk", str(VAULT), "--format", "html", *options], catch_exceptions=False).stdout
    start, *articles = re.split(r"(?=<article )", html)
    end = articles[-1].partition("</article>")[2]
    texts = [source(read(article.partition("</article>")[0] + "</article>")) for article in articles]

    files = [path for path in VAULT.rglob("*") if path.suffix in {".md", ".mdx", ".txt"} and ".trash" not in path.parts]
    expected = [lf(path.read_bytes().decode("utf-8")) for path in files]
    assert sorted(texts) == sorted(text for text in expected if "headwise: false" not in text)
    assert len(texts) > 30
    read(start + end)
    assert_only_our_own(read(html))


def test_a_path_and_what_html_cannot_hold_are_shown_as_text():
    reader = read(shown("nul \0 and \ud800 half\n", Settings(), path='a"><b>\n&amp;\udcff.md'))
    assert source(reader) == "nul \ufffd and \ufffd half\n"
    assert reader.texts["title"] == ['Chunks of a"><b>\\x0a&amp;\ufffd.md']
    assert_only_our_own(reader)
    assert shown("\0\ud800", Settings(), path="\udcff").encode("utf-8")


def test_each_chunk_has_its_lines_trail_size_kinds_id_and_context(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"| {n} | motor number {n} |\n" for n in range(20))
    Path("Parts.md").write_text(
        f"# Parts\n\n## List\n\n| no | part |\n|---|---|\n{rows}\n```py\n" + "turn()\n" * 60 + "```\n"
    )

    done = CliRunner().invoke(cli, ["chunk", "Parts.md", "--format=html", "--max-tokens", "80"], catch_exceptions=False)

    texts = read(done.stdout).texts
    first, second = texts["section"][:2]
    assert "Chunk 1 · lines 1–" in first
    assert "Parts > List" in second
    assert re.search(r"\d+ / 80 tokens", second)
    assert "heading, table" in first
    assert "Parts.md#list::0" in second
    assert "added before" + "Parts > List\n\n| no | part |\n|---|---|" in texts["added"]
    assert "added after" + "```" in texts["added"]


def test_what_overlap_repeats_is_marked_where_it_stands_and_where_it_is_repeated():
    settings = Settings(max_tokens=40, overlap="1s")
    text = HOSTILE["sentences"]
    texts = read(shown(text, settings)).texts
    repeated = [c.text[: c.own_start - c.start] for c in cut(document(text), settings).chunks if c.start < c.own_start]
    assert len(repeated) > 5
    assert [t.removeprefix("repeated from above") for t in texts["added"] if t.startswith("repeated")] == repeated
    assert texts["mark"] == ["repeated by the next chunk", *map(str.rstrip, repeated)]


def test_what_is_left_out_or_dropped_is_set_apart_with_the_reason():
    text = f"---\na: b\n---\n\n# Big\n\n{'word ' * 40}![one]({URI})\n\n## Small\n\ntiny\n"
    texts = read(shown(text, Settings(min_tokens=20, tiny="drop"))).texts
    assert [t.splitlines()[1] for t in texts["dropped"][1:]] == [
        "front matter: in no chunk",
        "under min_tokens: in no chunk",
    ]
    assert texts["omitted"][1:] == [URI]
    assert f"left out for the embedder: data URI, {len(URI)} characters" in texts["label"]


def test_a_chunk_over_the_limit_is_marked():
    texts = read(shown("🧑🏽‍🚀", Settings(max_tokens=1))).texts
    assert "over the limit: one character alone" in texts["over"][-1]


def test_json_is_short_for_format_json_and_other_formats_contradict_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.md").write_text("# A\n\ntext\n")

    def run(*options):
        return CliRunner().invoke(cli, ["chunk", "a.md", *options])

    assert run("--json").stdout == run("--format", "json").stdout == run("--json", "--format", "json").stdout
    assert run().stdout == run("--format", "text").stdout
    for other in ("text", "html"):
        refused = run("--json", "--format", other)
        assert (refused.exit_code, refused.stdout) == (2, "")
        assert f"--json and --format {other} cannot both be given" in refused.stderr
    assert run("--format", "pdf").exit_code == 2


def test_nothing_to_show_is_no_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.md").write_text("")
    done = CliRunner().invoke(cli, ["chunk", "a.md", "--format", "html"])
    assert (done.exit_code, done.stdout, done.stderr) == (1, "", "a.md: nothing to cut here\n")


def test_the_page_asks_for_nothing_from_outside():
    html = shown("![a](http://x/y.png) <http://x>", Settings())
    assert "default-src 'none'" in html
    frame = html.partition("<main>")[0]
    assert not re.search(r"url\(|@import|https?:|<script|<link", frame)
    assert 'lang="en"' in frame
    assert '<meta charset="utf-8">' in frame


def luminance(colour: str) -> float:
    parts = (int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5))
    linear = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def test_text_stands_out_from_every_background_in_light_and_dark():
    style = (ROOT / "src/headwise/app/page.html").read_text("utf-8")
    schemes = [
        dict(re.findall(r"--([\w-]+): (#\w{6});", block)) for block in re.findall(r":root \{(.*?)\}", style, re.DOTALL)
    ]
    assert len(schemes) == 2
    for colours in schemes:
        for front, back in product(("text", "muted", "link", "over"), ("page", "even", "odd", "out")):
            light, dark = sorted((luminance(colours[front]), luminance(colours[back])), reverse=True)
            assert (light + 0.05) / (dark + 0.05) >= 4.5, f"{front} on {back}"
