"""The page of an evaluation: every figure is there in numbers, text stays text, and it is readable in a browser."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner
from test_page import Reader

from headwise.app.cli import cli
from headwise.app.page_report import report_page
from headwise.app.plot import axis
from headwise.evaluating.churn import Churn
from headwise.evaluating.metrics import Place, Scores
from headwise.evaluating.questions import Question, Questions
from headwise.evaluating.report import Drawn, Report, make_report
from headwise.evaluating.result import Result, Shown

VAULT = Path(__file__).resolve().parent.parent / "examples" / "vault"
WHEN = datetime(2026, 2, 3, 4, 5, tzinfo=UTC)
CHROMIUM = Path("/usr/bin/chromium")
HOSTILE = "</title></style><script>alert('x')</script> & ]]> <img src=x onerror=alert(1)> \x1b[31m\n\u202e\ud800"
ELEMENTS = re.compile(
    "html|head|meta|title|style|body|header|h[123]|p|ul|ol|li|main|section|div|span|details|summary|figure|figcaption|"
    "bdi|strong|code|blockquote|dl|dt|dd|time|table|thead|tbody|tr|t[hd]|svg|desc|g|path|text|rect"
)


def result(name: str, family: str, *, vectors: int = 40, edits: int = 60, peer: bool = False) -> Result:
    scores = tuple(
        Scores(at / 40, at / 80, at / 160, at / 50, 0.5, tuple(at / 40 * b / 4 for b in (1, 2, 3, 4)), (0.0,) * 4)
        for at in range(40)
    )
    found = (Shown("b.md", 4, 9, (HOSTILE, "B"), HOSTILE), Shown("c.md", 4, 4, (), "x"))
    churn = Churn(edits, 1.25, 0.5) if edits else Churn()
    return Result(
        name, family, HOSTILE, peer, {30: 7, 90: 5, 100: 1}, vectors, vectors * 512, 0.25, churn, scores, (found,) * 40
    )


def report(*results: Result) -> Report:
    questions = tuple(Question("own", f"{HOSTILE} {at}", ((Place("a.md", 0, 9),),), (), 1.0, "A") for at in range(40))
    answers = {one.key: Shown("a.md", 1, 2, ("A",), HOSTILE) for one in questions}
    drawn = Drawn(7, 300, "edits")
    return make_report(HOSTILE, 3, "model", drawn, Questions(questions, {"links": 1234}), answers, results)


def read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert not reader.open
    return reader


def test_hostile_text_is_only_text() -> None:
    html = report_page(report(result("headings 400", "headings"), result("x <b>", "x", peer=True)), WHEN)
    assert html.encode("utf-8")
    reader = read(html)
    assert all(map(ELEMENTS.fullmatch, reader.tags)), reader.tags
    assert not any(name.startswith("on") or name in {"src", "href"} for _, name, _ in reader.attributes)
    assert max(reader.ids.values()) == 1
    assert {value for _, name, value in reader.attributes if name == "aria-labelledby"} >= {"advice", "contenders"}
    named = {part for _, name, value in reader.attributes if name == "aria-labelledby" for part in value.split()}
    assert named <= set(reader.ids)
    shown = "\n".join(reader.texts["blockquote"])
    assert "<script>alert('x')</script>" in shown
    assert "http" not in html.replace("http-equiv", ""), "nothing from elsewhere"


def test_the_advice_stands_first_and_every_plot_has_its_numbers_and_words_for_those_who_do_not_see_it() -> None:
    html = report_page(report(result("headings 400", "headings"), result("fixed 400", "fixed", vectors=50)), WHEN)
    texts = read(html).texts
    assert texts["h2"][0] == "Advice"
    assert texts["advice"][0].strip().split("\n")[1:3] == [
        "headings 400",
        "The best recall (30.5%), and none within its noise embeds clearly less in the long run.",
    ]
    names = ["Recall within a budget", "Recall against vectors", "Sizes of chunks", "What an edit costs"]
    assert texts["h3"] == names
    assert [one for one in texts["title"] if one in names] == names
    assert len(texts["desc"]) == len(texts["svg"]) - len([s for s in texts["svg"] if not s.strip()]) == 4
    recall, vectors, sizes, churn = (figure.partition("the numbers")[2] for figure in texts["figure"])
    assert re.search(r"fixed 400\s+12\.2% \(9\.\d–14\.\d\)\s+24\.4%", recall)
    assert re.search(r"fixed 400\s+50\s+0\.0\s+30\.5%", vectors)
    assert re.search(r"fixed 400\s+13\s+30\s+30\s+100\s+100", sizes)
    assert re.search(r"fixed 400\s+1\.25\s+50\.0%", churn)
    assert "1,234 to sections" in html
    assert "2026-02-03 04:05 UTC" in html
    assert "seed 7" in html


def test_without_vectors_or_edits_there_are_chunks_and_no_churn() -> None:
    texts = read(report_page(report(result("headings 400", "headings", vectors=0, edits=0)), WHEN)).texts
    assert texts["h3"] == ["Recall within a budget", "Recall against chunks", "Sizes of chunks"]


def test_contenders_differ_by_mark_or_dash_and_not_by_colour_alone() -> None:
    results = [result(f"{f} {size}", f) for f in ("headings", "fixed", "a", "b", "c") for size in (1, 2, 3)]
    html = report_page(report(*results), WHEN)
    keys = re.findall(r'<li><svg class="swatch".*?class="c\d (d\d)[^"]*".*?class="mark".*? d="([^"]*)"', html)[:15]
    assert len(set(keys)) == 12, "of five families the last has the dash of the first"
    assert len(re.findall('class="c. d. strong"', html)) == 6, "in four plots and two legends"


@pytest.mark.parametrize(
    ("values", "percent", "expected"),
    [
        ([0.31, 0.78], True, ["30%", "40%", "50%", "60%", "70%", "80%"]),
        ([0.992, 0.999], True, ["99%", "100%"]),
        ([0.0], True, ["0%", "1%"]),
        ([14_356, 13_946], False, ["13,900", "14,000", "14,100", "14,200", "14,300", "14,400"]),
        ([5, 5], False, ["5", "6"]),
        ([], False, ["0", "1"]),
    ],
)
def test_axes_have_few_round_labels_around_their_values(values, percent, expected) -> None:
    made = axis(values, "", percent=percent)
    assert [label for _, label in made.ticks] == expected
    assert all(made.low <= value <= made.high for value in values)


def written(tmp_path: Path, *more: str) -> Path:
    file = tmp_path / "report.html"
    arguments = ["--max-tokens", "100,400", "--sample", "12", "--cache", str(tmp_path / "cache"), *more]
    done = CliRunner().invoke(cli, ["eval", str(VAULT), *arguments, "--report", str(file)])
    assert done.exit_code == 0, done.output
    assert "Advice" in done.stdout, "the table is shown as well"
    assert [one.name for one in tmp_path.iterdir() if "report" in one.name] == ["report.html"], "nothing half-written"
    return file


def test_a_page_that_cannot_be_written_is_said_before_the_work(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "missing" / "report.html"):
        done = CliRunner().invoke(cli, ["eval", str(VAULT), "--report", str(place), "--cache", str(tmp_path / "c")])
        assert done.exit_code == 1
        assert "no page can be written there" in done.output
    assert not (tmp_path / "c").exists()


def test_in_a_browser_it_fits_a_phone_and_a_desk_in_light_and_dark(tmp_path: Path) -> None:
    browser = pytest.importorskip("playwright.sync_api", reason="needs playwright: pip install playwright")
    if not CHROMIUM.exists():
        pytest.skip(f"needs {CHROMIUM}")
    page_file = written(tmp_path)
    quiet = "--no-sandbox --disable-gpu --no-first-run --disable-background-networking --disable-component-update"
    with browser.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=str(CHROMIUM), args=quiet.split())
        colours = set()
        for width, scheme in ((360, "light"), (360, "dark"), (1280, "light")):
            page = chromium.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
            said: list[str] = []
            page.on("console", lambda one: said.append(one.text))  # noqa: B023 - it is read in this turn
            page.goto(page_file.as_uri())
            assert page.evaluate("document.documentElement.scrollWidth") <= width, "nothing is wider than the screen"
            for summary in page.locator("summary").all():
                summary.click()
            assert page.evaluate("document.documentElement.scrollWidth") <= width, "nor are the numbers"
            small = page.evaluate(
                "Math.min(...[...document.querySelectorAll('.plot text')].map(t => {"
                "  const box = t.ownerSVGElement.getBoundingClientRect();"
                "  return parseFloat(getComputedStyle(t).fontSize) * box.width / 360 }))"
            )
            assert small >= 9.5, "text in plots can be read"
            over = page.evaluate(
                "[...document.querySelectorAll('.plot text')].filter(t => {"
                "  const b = t.getBoundingClientRect(), s = t.ownerSVGElement.getBoundingClientRect();"
                "  return b.left < s.left - 1 || b.right > s.right + 1 || b.bottom > s.bottom + 3 })"
                ".map(t => t.textContent)"
            )
            assert over == []
            colours.add(page.evaluate("getComputedStyle(document.body).backgroundColor"))
            assert said == []
            page.close()
        chromium.close()
    assert colours == {"rgb(255, 255, 255)", "rgb(20, 23, 27)"}
