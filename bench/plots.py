"""Draws the plots of docs/benchmarks.md, and writes its tables, from what the benchmarks found.

    python bench/plots.py [--results FOLDER] [--plots FOLDER] [--page FILE] [--check]

`--results` holds the files that `bench/run.py` has the benchmarks write; a plot or table whose file is not there stays
as it is. A table of the page stands between `<!-- table NAME -->` and `<!-- end -->`. `--check` writes nothing, and
fails if anything would change.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import statistics
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from _data import ROOT
from _shares import Shares, shares, typical
from _svg import Line, Mark, Row, dots, even_axis, lines, log_axis

Found = Any
HISTORIES = {
    "vue-zh": "Vue's guide in Chinese",
    "prometheus": "Prometheus",
    "rust-book": "The Rust book",
}
SETS = {
    "links-s": "English documentation, links-s",
    "links-zh": "Chinese documentation, links-zh",
    "chroma": "Long unstructured texts, chroma",
    "react-en": "React in English, react-en",
    "mixed-en": "Four documentations, mixed-en",
    "react-ja": "React in Japanese, react-ja",
    "tidb-2": "TiDB in Chinese, tidb-2",
    "gardens": "Two gardens of notes, gardens",
}


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
        if rows and name in ("links-s", "links-zh", "chroma"):
            groups.append((title, rows))
    axis = even_axis("recall within 2,000 tokens", 55, 100, 5, " %")
    says = "Words and vectors mixed, chunks of 400 tokens; with 95 % intervals"
    return dots("How much of the answer is found", says, axis, [], groups)


def difference_plot(found: Found) -> str:
    groups: list[tuple[str, list[Row]]] = []
    for title, wanted in (
        ("The program", "headwise, the program"),
        ("Its chunks only, ranked like all", "headwise, its chunks only"),
    ):
        rows = [
            Row(SETS[name], [percent(one["to_best_peer"])])
            for name in SETS
            for one in found
            if at_400(one, name) and one["retriever"] == "both" and contender(one) == wanted
        ]
        groups.append((title, rows))
    axis = even_axis("points of recall within 2,000 tokens more than the best peer's", -10, 30, 5)
    return dots("Headwise beside the best peer of each set", "Right of 0, it finds more", axis, [], groups)


def contender(one: Mapping[str, Any]) -> str:
    name = one["contender"]
    return name if "program" in name or not name.startswith("headwise") else "headwise, its chunks only"


def at_400(one: Mapping[str, Any], name: str) -> bool:
    return one["set"] == name and one["size"] == 400


def percent(found: Mapping[str, float]) -> Mark:
    return Mark(0, 100 * found["mean"], 100 * found["low"], 100 * found["high"])


def values(rows: Sequence[Row]) -> list[float]:
    return [mark.value for row in rows for mark in row.marks]


def short(row: Row) -> Row:
    """Without versions, which the tables tell."""
    name = re.sub(r" \d+\.[\w.]*", "", row.name)
    for long, less in (("langchain-text-splitters", "langchain"), ("index-core", "index"), ("docling-core", "docling")):
        name = name.replace(long, less)
    return row._replace(name=name.replace("Markdown headers", "headers"))


def churn_name(name: str) -> str:
    return re.sub(r" \d+\.[\w.]*", "", name).replace("-core", "").replace(" indexing,", ",").replace(" pipeline,", ",")


def churn_shares(told: Found) -> dict[str, Shares]:
    return {name: shares(its, told["folder"]) for name, its in told["contenders"].items()}


# tables


def cut_table(unit: str) -> Callable[[Found], str]:
    def table(found: Found) -> str:
        chosen = [one for one in found if one["unit"] == unit]
        names = list(dict.fromkeys(one["corpus"] for one in chosen))
        rates: dict[str, dict[str, Mapping[str, Any]]] = {}
        for one in chosen:
            rates.setdefault(one["name"], {})[one["corpus"]] = one
        order = sorted(rates, key=lambda name: -rates[name][names[0]]["rate"])
        head = ["", *(f"{name}, MB/s | headwise is × as fast" for name in names)]
        rows = []
        for name in order:
            bold = "**" if name.startswith("headwise") else ""
            cells = []
            for corpus in names:
                one = rates[name][corpus]
                cells += [f"{bold}{figure(one['rate'])}{bold}", "" if bold else figure(one["headwise_is"])]
            rows.append([f"{bold}{name}{bold}", *cells])
        return markdown_table(head, rows)

    return table


def grow_table(found: Found) -> str:
    rows = [
        [
            figure(one["bytes"] / 1e6),
            figure(one["seconds"]),
            figure(one["bytes"] / 1e6 / one["seconds"]),
            figure(one["peak"] / 1e6) if one["bytes"] > 1e6 else "",
            figure(one["peak"] / one["bytes"]) if one["bytes"] > 1e6 else "",
        ]
        for one in found["points"]
    ]
    table = markdown_table(["MB", "seconds", "MB/s", "peak of memory, MB", "× the text"], rows)
    says = f"{table}\n\nSlope of the line through the logarithms: {found['slope']:.3f}."
    memory = [
        [
            one["folder"],
            figure(one["files"]["bytes"] / 1e6),
            *(figure(way[part] / way["bytes"]) for way in (one["files"], one["whole"]) for part in ("peak", "itself")),
        ]
        for one in found["memory"]
    ]
    if not memory:
        return says
    head = ["peak of memory, × the texts", "MB", "all files", "of it the texts", "as one text", "of it the text"]
    return f"{says}\n\n{markdown_table(head, memory)}"


def start_table(found: Found) -> str:
    rows = [[bold(one["name"]), f"{one['import']:.3f}", f"{one['first']:.3f}"] for one in found]
    return markdown_table(["", "import, s", "import and first chunks, s"], rows)


def cores_table(found: Found) -> str:
    rows = [
        [one["folder"], f"{one['one']:.2f}", f"{one['two']:.2f}", f"{one['one'] / one['two']:.2f}"] for one in found
    ]
    return markdown_table(["folder", "one process, s", "two, s", "times as fast"], rows)


def churn_table(found: Found) -> str:
    rows: list[list[str]] = []
    for history, told in found.items():
        title = f"{HISTORIES.get(history, history)}, {len(told['folder']) - 1} commits"
        for name, part in churn_shares(told).items():
            its = told["contenders"][name]
            strong = "**" if name.startswith("headwise") else ""
            figures = [
                f"{strong}{100 * f(one):.3f} %{strong}" for one in part for f in (statistics.mean, statistics.median)
            ]
            held = f"{its['held_tokens'][-1] / told['folder'][-1]:.2f}"
            counts = [its["texts"][0], sum(its["texts"][1:]), sum(its["tokens"][1:])]
            rows.append([title, bold(churn_name(name), name), held, *(f"{one:,}" for one in counts), *figures])
            title = ""
    head = [
        "history",
        "contender",
        "holds at last, × the folder",
        "texts at first",
        "texts embedded",
        "tokens embedded",
    ]
    return markdown_table([*head, "of its own, mean", "median", "of the folder's, mean", "median"], rows)


def churn_times_table(found: Found) -> str:
    """How many times as much as Headwise each embeds, in all histories."""
    all_shares = [churn_shares(told) for told in found.values()]
    ours = [next(iter(parts.values())) for parts in all_shares]
    rows: list[list[str]] = []
    for name in list(all_shares[0])[1:]:
        pairs = [(parts[name], own) for parts, own in zip(all_shares, ours, strict=True)]
        ways: list[Callable[[Shares, Shares], float]] = [
            lambda its, own: times(statistics.mean(its.own), statistics.mean(own.own)),
            lambda its, own: times(statistics.median(its.own), statistics.median(own.own)),
            lambda its, own: typical(its.own, own.own),
            lambda its, own: times(statistics.mean(its.folder), statistics.mean(own.folder)),
            lambda its, own: times(statistics.median(its.folder), statistics.median(own.folder)),
            lambda its, own: typical(its.folder, own.folder),
        ]
        rows.append([churn_name(name), *(" / ".join(figure(way(*pair)) for pair in pairs) for way in ways)])
    head = ["times Headwise's share", "of its own, mean", "median", "middle commit"]
    return markdown_table([*head, "of the folder's, mean", "median", "middle commit"], rows)


def times(its: float, own: float) -> float:
    return its / own if own else math.inf


def bold(text: str, name: str = "") -> str:
    return f"**{text}**" if (name or text).startswith("headwise") else text


def figure(value: float) -> str:
    """Two or three digits of it."""
    if value < 1:
        return f"{value:#.2g}"
    return f"{value:,.{0 if value >= 100 else 1 if value >= 10 else 2}f}"


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    cells = " | ".join(head)
    rule = "---|" * (cells.count("|") + 1)
    lines = (f"| {' | '.join(row)} |" for row in rows)
    return "\n".join([f"| {cells} |", f"|{rule}", *lines]).replace("|  |", "| |").replace("|  |", "| |")


PLOTS: Mapping[str, tuple[str, Callable[[Found], str]]] = {
    "cut-tokens": ("cut", cut_plot("tokens")),
    "cut-characters": ("cut", cut_plot("characters")),
    "grow": ("grow", grow_plot),
    "search": ("search", search_plot),
    "churn": ("churn", churn_plot),
    "recall": ("retrieval", recall_plot),
    "recall-difference": ("retrieval", difference_plot),
}
TABLES: Mapping[str, tuple[str, Callable[[Found], str]]] = {
    "cut-tokens": ("cut", cut_table("tokens")),
    "cut-characters": ("cut", cut_table("characters")),
    "grow": ("grow", grow_table),
    "start": ("start", start_table),
    "cores": ("cores", cores_table),
    "churn": ("churn", churn_table),
    "churn-times": ("churn", churn_times_table),
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
