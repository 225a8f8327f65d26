"""The tables of docs/benchmarks.md, each from what one benchmark found."""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from _shares import Shares, shares, typical

Found = Any
Row = Mapping[str, Any]
HISTORIES = {
    "vue-zh": "Vue's guide in Chinese",
    "prometheus": "Prometheus",
    "rust-book": "The Rust book",
}
SETS = {
    "links-s": "English documentation, links-s",
    "links-zh": "Chinese documentation, links-zh",
    "chroma": "Long unstructured texts, chroma",
}
MADE_SETS = {
    "react-en": "React in English, react-en",
    "mixed-en": "Four documentations, mixed-en",
    "react-ja": "React in Japanese, react-ja",
    "tidb-2": "TiDB in Chinese, tidb-2",
    "gardens": "Two gardens of notes, gardens",
}
"""Made by `bench/run.py` from the corpora."""


def contender(one: Mapping[str, Any]) -> str:
    name = one["contender"]
    return name if "program" in name or not name.startswith("headwise") else "headwise, its chunks only"


def at_400(one: Mapping[str, Any], name: str) -> bool:
    return one["set"] == name and one["size"] == 400


def unversioned(name: str) -> str:
    return re.sub(r" \d+\.[\w.]*", "", name)


def plain(name: str) -> str:
    """A contender's name without its version, and no longer than it has to be."""
    name = unversioned(name)
    for long, less in (("langchain-text-splitters", "langchain"), ("index-core", "index"), ("docling-core", "docling")):
        name = name.replace(long, less)
    return name


def churn_name(name: str) -> str:
    return unversioned(name).replace("-core", "").replace(" indexing,", ",").replace(" pipeline,", ",")


def churn_shares(told: Found) -> dict[str, Shares]:
    return {name: shares(its, told["folder"]) for name, its in told["contenders"].items()}


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


def recall_table(name: str) -> Callable[[Found], str]:
    def table(found: Found) -> str:
        chosen = [one for one in found if at_400(one, name)]
        ways = {(one["contender"], one["retriever"]): one for one in chosen}
        hard = any(one["hard"] for one in chosen)
        rows: list[list[str]] = []
        for who in sorted(dict.fromkeys(one["contender"] for one in chosen), key=_ours_first):
            both = ways[who, "both"]
            within = [both["within"][budget] for budget in ("500", "1000", "2000", "4000")]
            cells = [interval(ways[who, way]["within"]["2000"]) for way in ("words", "vectors")]
            cells += [interval(one) if at == 2 else f"{100 * one['mean']:.1f}" for at, one in enumerate(within)]
            cells += [interval(both["ndcg"]), interval(both["iou"])]
            shown = plain(contender(both))
            rows.append([f"**{shown}**" if "program" in shown else shown, *cells])
            if hard:
                rows[-1].append(f"{100 * both['hard']:.1f}")
        head = ["", "words", "vectors", "both: 500", "1,000", "2,000", "4,000", "nDCG@10", "IoU@5"]
        return markdown_table([*head, "`hov` < 0.5"] if hard else head, rows)

    return table


def recall_differences_table(*names: str) -> Callable[[Found], str]:
    """The program and its chunks beside the best peer, by each retriever and size."""

    def table(found: Found) -> str:
        by_case: dict[tuple[str, int, str], list[Row]] = {}
        for one in found:
            if one["set"] in names:
                by_case.setdefault((one["set"], one["size"], one["retriever"]), []).append(one)
        rows: list[list[str]] = []
        for (name, size, retriever), chosen in sorted(
            by_case.items(), key=lambda case: (names.index(case[0][0]), -case[0][1])
        ):
            ours = {contender(one): one for one in chosen}
            program, chunks = ours["headwise, the program"], ours["headwise, its chunks only"]
            peers = [one for one in chosen if not one["contender"].startswith("headwise")]
            best = max(peers, key=lambda one: one["within"]["2000"]["mean"], default=None)
            rival = f"{100 * best['within']['2000']['mean']:.1f} {plain(best['contender'])}" if best else "–"
            itself = f"{100 * program['within']['2000']['mean']:.1f}"
            differences = [difference(one["to_best_peer"]) for one in (program, chunks)]
            rows.append([f"`{name}`", str(size), retriever, itself, rival, *differences])
        head = ["questions", "tokens", "ranked by", "headwise, the program", "best peer", "difference"]
        return markdown_table([*head, "its chunks only, difference"], rows)

    return table


def _ours_first(name: str) -> int:
    """What puts the program first, then Headwise's chunks, then all others as they were."""
    return 0 if "program" in name else 1 if name.startswith("headwise") else 2


def interval(found: Mapping[str, float]) -> str:
    return f"{100 * found['mean']:.1f} ({100 * found['low']:.1f}–{100 * found['high']:.1f})"


def difference(found: Mapping[str, float] | None) -> str:
    if not found:
        return "–"
    mean, low, high = (f"{100 * found[key]:+.1f}".replace("-", "−") for key in ("mean", "low", "high"))
    return f"{mean} ({low} to {high})"


def search_table(found: Found) -> str:
    """A column for each store, and for each way to find the nearest in it."""
    several = any("recall" in one for one in found)
    ways = [", by HNSW" if "recall" in one else ", exact" if several else "" for one in found]
    head = [f"{one['passages']:,} ({one['chunks']:,}){way}" for one, way in zip(found, ways, strict=True)]
    times = [
        {_searched(row["name"]): f"{figure(row['p50'])} / {figure(row['p99'])}" for row in one["rows"]} for one in found
    ]
    rows = [[name, *(one.get(name, "") for one in times)] for name in times[0]]
    rows.append(["memory of the process for it, MB", *(f"{one['memory']:,.0f}" for one in found)])
    if several:
        made = [f"{one['index']:,.0f}" if "index" in one else "" for one in found]
        recalls = {
            f"recall@{first}, mean, least": [
                " / ".join(f"{share:.3f}" for share in one["recall"][first]) if "recall" in one else "" for one in found
            ]
            for first in next(one["recall"] for one in found if "recall" in one)
        }
        rows += [[name, *cells] for name, cells in recalls.items()]
        rows.append(["to make the index, s", *made])
    return markdown_table(["passages (chunks)", *head], rows)


def _searched(name: str) -> str:
    if name.startswith("words: "):
        return "words, six of the most frequent ones"
    known = {
        "both": "**both, the whole search**",
        "both: the same": "both, six of the most frequent words",
        "both, fresh": "both, the first of a process",
        "both, after an edit": "both, the first after an edit by another process",
    }
    return known.get(name, name)


def sync_table(found: Found) -> str:
    rows = [
        [
            f"{one['files']:,}" if one["run"] == "first" else "",
            one["run"],
            f"{one['seconds']:.1f}",
            f"{one['cpu']:.1f}",
            f"{one['own'] / 1e6:.0f}",
            f"{one['all'] / 1e6:.0f}",
        ]
        for one in found
    ]
    return markdown_table(["files", "run", "seconds", "CPU s", "MB, itself", "MB, with its processes"], rows)


def embedding_table(found: Found) -> str:
    rows = [
        [
            one["model"],
            f"{one['passages']:,}",
            f"{one['whole']:,.0f}" if one["whole"] else "–",
            f"{one['embedded']:,.0f}",
            f"{one['alone']:,.0f}",
            f"{one['embedded'] / one['alone']:.2f}",
        ]
        for one in found
    ]
    return markdown_table(
        ["model", "passages", "`headwise embed`", "the model", "its runtime", "model / runtime"], rows
    )


def service_table(found: Found) -> str:
    rows = [
        [run["name"], *(figure(run[key]) for key in ("per_second", "p50", "p99", "cpu")), str(run["failed"])]
        for run in found["runs"]
    ]
    head = ["", "searches per second", "p50 ms", "p99 ms", "CPU ms for each", "failed"]
    told = ", ".join(f"{found[key]:,} {key}" for key in ("documents", "chunks", "passages"))
    done = found["synced"]
    return (
        f"{told}; {found['seconds']} seconds a row:\n\n{markdown_table(head, rows)}\n\n"
        f"The service took {found['memory']:.0f} MB of memory. At the end of the last row the sync had read "
        f"{done['done']:,} of {done['total']:,} documents."
    )


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


TABLES: Mapping[str, tuple[str, Callable[[Found], str]]] = {
    "cut-tokens": ("cut", cut_table("tokens")),
    "cut-characters": ("cut", cut_table("characters")),
    "grow": ("grow", grow_table),
    "start": ("start", start_table),
    "cores": ("cores", cores_table),
    "churn": ("churn", churn_table),
    "churn-times": ("churn", churn_times_table),
    **{f"recall-{name}": ("retrieval", recall_table(name)) for name in (*SETS, *MADE_SETS)},
    "recall-differences": ("retrieval", recall_differences_table(*SETS)),
    "recall-differences-made": ("retrieval", recall_differences_table(*MADE_SETS)),
    "search": ("search", search_table),
    "search-postgres": ("search-postgres", search_table),
    "sync": ("sync", sync_table),
    "sync-real": ("sync-real", sync_table),
    "sync-postgres": ("sync-postgres", sync_table),
    "embedding": ("embedding", embedding_table),
    "service": ("service", service_table),
}
