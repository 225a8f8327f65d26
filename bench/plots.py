"""Draws the plots of docs/benchmarks.md, and writes its tables, from what the benchmarks found.

    python bench/plots.py [--results FOLDER] [--plots FOLDER] [--page FILE] [--check]

`--results` holds the files that `bench/run.py` has the benchmarks write; a plot or table whose file is not there stays
as it is. A table of the page stands between `<!-- table NAME -->` and `<!-- end -->`. `--check` writes nothing, and
fails if anything would change.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from _data import ROOT
from _svg import Line, Mark, Row, dots, even_axis, lines, log_axis
from _tables import HISTORIES, MADE_SETS, SETS, TABLES, Found, at_400, churn_name, churn_shares, contender, plain

# plots


def cut_plot(unit: str) -> Callable[[Found], str]:
    def draw(found: Found) -> str:
        chosen = [one for one in found if one["unit"] == unit]
        names = list(dict.fromkeys(one["corpus"] for one in chosen))
        rates: dict[str, list[Mark]] = {}
        for one in chosen:
            rates.setdefault(one["name"], []).append(Mark(names.index(one["corpus"]), one["rate"]))
        order = sorted(rates, key=lambda name: -rates[name][0].value)
        rows = [Row(name, rates[name], strong=name.startswith("headwise")) for name in map(str, order)]
        axis = log_axis("MB per second of one core; each step of the axis is ten times", values(rows))
        size = "400 tokens" if unit == "tokens" else "1,500 characters"
        return dots(
            f"Cutting into chunks of {size}", "Further right is faster", axis, names, [("", [short(r) for r in rows])]
        )

    return draw


def grow_plot(found: Found) -> str:
    points = [(one["bytes"] / 1e6, one["seconds"]) for one in found["points"]]
    first, last = points[0][0], points[-1][0]
    pace = statistics.geometric_mean(y / x for x, y in points)
    drawn = [
        Line("time for one text", points),
        Line("the same time for each MB", [(first, first * pace), (last, last * pace)], dashed=True),
    ]
    across, up = log_axis("MB of text", [x for x, _ in points]), log_axis("seconds", [y for _, y in points])
    says = f"Slope of the line through the logarithms: {found['slope']:.2f} (1 is linear)"
    return lines("Time against size", says, across, up, drawn)


def search_plot(found: Found) -> str:
    wanted = {"both": "the whole search", "words": "words alone", "vectors": "vectors alone"}
    drawn: list[Line] = []
    for name, title in wanted.items():
        rows = [(one["passages"], row) for one in found for row in one["rows"] if row["name"] == name]
        kinds = ("p50", "p99") if name == "both" else ("p50",)
        drawn += [Line(f"{title}, {kind}", [(passages, row[kind]) for passages, row in rows]) for kind in kinds]
    across = log_axis("passages", [x for line in drawn for x, _ in line.points])
    up = log_axis("milliseconds", [y for line in drawn for _, y in line.points])
    return lines("Time of a search in SQLite", "384 dimensions, exact; by the clock", across, up, drawn)


def churn_plot(found: Found) -> str:
    groups: list[tuple[str, list[Row]]] = []
    for history, told in found.items():
        rows = [
            Row(
                churn_name(name),
                [Mark(0, 100 * statistics.mean(part.own)), Mark(1, 100 * statistics.median(part.own))],
                strong=name.startswith("headwise"),
            )
            for name, part in churn_shares(told).items()
        ]
        groups.append((f"{HISTORIES.get(history, history)}, {len(told['folder']) - 1} commits", rows))
    axis = log_axis("of all tokens the contender holds", values([row for _, rows in groups for row in rows]), " %")
    return dots("Embedded anew after a commit", "Further left is less", axis, ["mean share", "median share"], groups)


def recall_plot(found: Found) -> str:
    groups: list[tuple[str, list[Row]]] = []
    for name, title in SETS.items():
        chosen = [one for one in found if at_400(one, name) and one["retriever"] == "both"]
        chosen.sort(key=lambda one: -one["within"]["2000"]["mean"])
        rows = [
            short(Row(contender(one), [percent(one["within"]["2000"])], strong="program" in one["contender"]))
            for one in chosen
        ]
        if rows:
            groups.append((title, rows))
    axis = even_axis("recall within 2,000 tokens", 55, 100, 5, " %")
    says = "Words and vectors mixed, chunks of 400 tokens; with 95 % intervals"
    return dots("How much of the answer is found", says, axis, [], groups)


def difference_plot(found: Found) -> str:
    groups: list[tuple[str, list[Row]]] = []
    for heading, wanted in (
        ("The program", "headwise, the program"),
        ("Its chunks only, ranked like all", "headwise, its chunks only"),
    ):
        rows = [
            Row(title, [percent(one["to_best_peer"])])
            for name, title in (SETS | MADE_SETS).items()
            for one in found
            if at_400(one, name) and one["retriever"] == "both" and contender(one) == wanted
        ]
        groups.append((heading, rows))
    axis = even_axis("points of recall within 2,000 tokens more than the best peer's", -10, 30, 5)
    return dots("Headwise beside the best peer of each set", "Right of 0, it finds more", axis, [], groups)


def percent(found: Mapping[str, float]) -> Mark:
    return Mark(0, 100 * found["mean"], 100 * found["low"], 100 * found["high"])


def values(rows: Sequence[Row]) -> list[float]:
    return [mark.value for row in rows for mark in row.marks]


def short(row: Row) -> Row:
    """Without versions, which the tables tell."""
    return row._replace(name=plain(row.name).replace("Markdown headers", "headers"))


PLOTS: Mapping[str, tuple[str, Callable[[Found], str]]] = {
    "cut-tokens": ("cut", cut_plot("tokens")),
    "cut-characters": ("cut", cut_plot("characters")),
    "grow": ("grow", grow_plot),
    "search": ("search", search_plot),
    "churn": ("churn", churn_plot),
    "recall": ("retrieval", recall_plot),
    "recall-difference": ("retrieval", difference_plot),
}


def made(results: Path, plots: Path, page: Path) -> Iterator[tuple[Path, str]]:
    """Every file to be written, with its text."""

    def found(name: str) -> Found | None:
        file = results / f"{name}.json"
        return json.loads(file.read_text("utf-8"))["found"] if file.exists() else None

    for name, (source, draw) in PLOTS.items():
        if (told := found(source)) is not None:
            yield plots / f"{name}.svg", draw(told)
    if not page.is_file():
        return
    text = page.read_text("utf-8")
    for name, (source, table) in TABLES.items():
        if (told := found(source)) is not None:
            head, between = (
                re.escape(f"<!-- table {name} -->"),
                f"<!-- table {name} -->\n\n{table(told)}\n\n<!-- end -->",
            )
            text = re.sub(rf"{head}.*?<!-- end -->", lambda _, between=between: between, text, flags=re.DOTALL)
    yield page, text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=Path, default=ROOT / "bench" / "results")
    parser.add_argument("--plots", type=Path, default=ROOT / "docs" / "plots")
    parser.add_argument("--page", type=Path, default=ROOT / "docs" / "benchmarks.md")
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    changed = [
        (file, text)
        for file, text in made(given.results, given.plots, given.page)
        if not file.exists() or file.read_text("utf-8") != text
    ]
    for file, text in changed:
        print(f"{'not as drawn' if given.check else 'written'}: {file}")
        if not given.check:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
    if given.check and changed:
        sys.exit("python bench/plots.py writes them")


if __name__ == "__main__":
    main()
