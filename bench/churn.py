"""The share of text that is embedded anew after each commit of real histories, beside the peers that are installed.

    python bench/churn.py HISTORY.jsonl.gz [HISTORY.jsonl.gz …] [--commits N] [--each]

A history is JSON Lines: the whole folder first, then what each commit changed (`{"changed": {path: text or null}}`).
Every contender begins with the whole folder, then gets the folder after each commit, and is given the same embedder:
one that only counts what it is asked for, in texts and in `cl100k_base` tokens. What was asked for after a commit is
divided

- by what the contender itself holds after it, so that small passages and large chunks compare alike ("of its own"),
- and by the tokens of the folder's text after it, the same for all ("of the folder").

`typically` is the middle of the shares of its own of all commits, each divided by Headwise's for the same commit.

- Headwise: `sync` into an SQLite store, then `embed_pending`, with the defaults (400 tokens, passages of 64).
- LangChain: `langchain_core.indexing.index(cleanup="full")` with `RecursiveCharacterTextSplitter` at 400 tokens
  without overlap, and as it comes (4,000 characters, 200 of them overlap); and with `MarkdownHeaderTextSplitter`
  before it, headers kept in the text. The index hashes a piece with its metadata, which is where that splitter puts
  the headers; "keyed by text" is the same with a `key_encoder` of the text alone.
- LlamaIndex: `IngestionPipeline` with `MarkdownNodeParser` and `SentenceSplitter(400)`, a document store and a
  vector store under `UPSERTS_AND_DELETE`: as its documentation says, a changed document is taken whole.
- What nobody can go below whose pieces are lines, sentences or paragraphs (between blank lines): each piece, without
  any context, once for the folder and once more only if it was gone.

Peers are measured if they can be imported: `pip install langchain-core langchain-text-splitters llama-index-core`.
"""

from __future__ import annotations

import argparse
import gzip
import json
import shutil
import statistics
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from _contenders import BOUNDS, LIMIT, Contender, Folder, Step, bound, count, headwise, langchain, llama_index
from _results import save
from _shares import shares, typical


def contenders() -> dict[str, Callable[[Path], Contender]]:
    found: dict[str, Callable[[Path], Contender]] = {f"headwise {version('headwise')}": headwise}
    if find_spec("langchain_core") and find_spec("langchain_text_splitters"):
        name = f"langchain-core {version('langchain-core')} indexing"
        alike = partial(langchain, chunk_size=LIMIT, chunk_overlap=0, length_function=count)
        found[f"{name}, recursive"] = alike
        found[f"{name}, headers + recursive"] = partial(alike, headers=True)
        found[f"{name}, headers + recursive, keyed by text"] = partial(alike, headers=True, by_text=True)
        found[f"{name}, recursive, its defaults"] = langchain
    else:
        print("langchain-core and langchain-text-splitters are not installed: left out")
    if find_spec("llama_index"):
        found[f"llama-index-core {version('llama-index-core')} pipeline, Markdown + sentence"] = llama_index
    else:
        print("llama-index-core is not installed: left out")
    return found | {name: lambda _place, split=split: bound(split) for name, split in BOUNDS.items()}


def replay(history: Path, commits: int | None) -> Iterator[tuple[Folder, Mapping[str, str | None]]]:
    folder: Folder = {}
    with gzip.open(history, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            if commits is not None and number > commits:
                return
            changed: Mapping[str, str | None] = json.loads(line)["changed"]
            folder |= {path: text for path, text in changed.items() if text is not None}
            folder = {path: text for path, text in folder.items() if changed.get(path, "") is not None}
            yield folder, changed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("histories", nargs="*", type=Path)
    parser.add_argument("--commits", type=int, help="how many commits at most")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what was counted at all commits to it")
    parser.add_argument("--each", action="store_true", help="a line for every commit")
    given = parser.parse_args()
    if not given.histories:
        print("name histories to replay: python bench/churn.py HISTORY.jsonl.gz …")
    found: dict[str, dict[str, Any]] = {}
    for history in given.histories:
        size = cache(count)
        folder = [sum(map(size, now.values())) for now, _ in replay(history, given.commits)]
        counted: dict[str, dict[str, list[int]]] = {}
        for name, make in contenders().items():
            place = Path(tempfile.mkdtemp())
            try:
                contender = make(place)
                counted[name] = told([contender(*state) for state in replay(history, given.commits)])
            finally:
                shutil.rmtree(place)
        title = history.name.removesuffix(".jsonl.gz")
        found[title] = {"folder": folder, "contenders": counted}
        show(title, found[title], each=given.each)
        save(given.json, found)


def told(steps: Sequence[Step]) -> dict[str, list[int]]:
    """What was counted at the beginning and after each commit."""
    return {kind: [getattr(step, kind) for step in steps] for kind in ("texts", "tokens", "held_tokens")}


def show(name: str, found: Mapping[str, Any], *, each: bool) -> None:
    folder, counted = found["folder"], found["contenders"]
    parts = {contender: shares(its, folder) for contender, its in counted.items()}
    first = next(iter(parts.values()))
    print(f"\n{name}: {len(folder) - 1} commits")
    if each:
        for number in range(1, len(folder)):
            row = zip(counted.values(), parts.values(), strict=True)
            said = "  ".join(f"{its['texts'][number]:5} texts {part.own[number - 1]:8.3%}" for its, part in row)
            print(f"  {number:4}  {said}")
    print(f"  {'':>25} {'of its own':>18} {'of the folder':>18}")
    head = f"{'mean':>9} {'median':>8}" * 2
    print(f"  {'first':>8} {'texts':>7} {'tokens':>8} {head} {'typically':>9}")
    for contender, its in counted.items():
        part = parts[contender]
        figures = "".join(f"{statistics.mean(one):9.3%} {statistics.median(one):8.3%}" for one in part)
        print(
            f"  {its['texts'][0]:8} {sum(its['texts'][1:]):7} {sum(its['tokens'][1:]):8} {figures} "
            f"{typical(part.own, first.own):9.2f}  {contender}"
        )


if __name__ == "__main__":
    main()
