"""Megabytes per second of cutting, beside its two limits and the peers that are installed, in one run.

    python bench/speed.py cut FOLDER [FOLDER …] [--rounds 5] [--megabytes 3] [--only WORD]
    python bench/speed.py grow [--largest 100]
    python bench/speed.py start
    python bench/speed.py cores FOLDER

`cut`: every contender gets the same Markdown texts, in turn, round after round, on one core; the median of its
processor time counts. The limits are one pass of the parser (its events) and one of the tokenizer (counts of whole
texts): what no cutter over these two can beat. Peers are measured if they can be imported; those that count tokens do
it with tiktoken, which needs its vocabulary on disk, or with their own table. `grow`: the time for a text against its
size, from 10 kB on, and the slope of the line through both logarithms. `start`: seconds to import and to the first
chunks, in processes of their own, and the peak of memory over that for next to nothing, as a multiple of the input.
`cores`: a folder read and cut by one process, and by two.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from math import log
from pathlib import Path
from typing import Any

import pyromark

from headwise import Index, Settings, analyse
from headwise.chunking.measure import find_measure

LIMIT_TOKENS = 400
LIMIT_CHARS = 1500
VAULT = Path(__file__).parent.parent / "examples" / "vault"
OPTIONS = (
    pyromark.Options.ENABLE_TABLES
    | pyromark.Options.ENABLE_FOOTNOTES
    | pyromark.Options.ENABLE_MATH
    | pyromark.Options.ENABLE_GFM
)

Work = Callable[[str], object]


def read(folder: Path, megabytes: float) -> list[str]:
    texts: list[str] = []
    size = 0
    for path in sorted(path for path in folder.rglob("*.md") if path.is_file()):
        if size > megabytes * 1e6:
            break
        texts.append(path.read_bytes().decode("utf-8", "replace"))
        size += len(texts[-1].encode())
    return texts


def contenders() -> Iterator[tuple[str, Work]]:
    tokens, chars = Settings(LIMIT_TOKENS), Settings(LIMIT_CHARS, tokenizer="chars")
    count = find_measure("cl100k_base").count
    yield f"headwise, {LIMIT_TOKENS} tokens", lambda text: analyse(text, settings=tokens)
    yield f"headwise, {LIMIT_CHARS} characters", lambda text: analyse(text, settings=chars)
    yield "limit: parser and tokenizer", lambda text: (events(text), count(text))
    yield "limit: parser", events
    yield from semantic()
    encode = tiktoken_encode()
    yield from langchain(encode)
    yield from llama(encode)
    yield from others(encode)


def events(text: str) -> None:
    for _ in pyromark.events_with_range(text, options=OPTIONS):
        pass


def tiktoken_encode() -> Callable[[str], list[int]] | None:
    try:
        import tiktoken

        return tiktoken.get_encoding("cl100k_base").encode_ordinary
    except Exception as error:  # noqa: BLE001 - whatever it says about a vocabulary that is not on disk
        print(f"peers that count with tiktoken are left out: {error}")
        return None


def semantic() -> Iterator[tuple[str, Work]]:
    if not find_spec("semantic_text_splitter"):
        return
    from semantic_text_splitter import MarkdownSplitter, TextSplitter

    name = named("semantic-text-splitter")
    for kind, splitter in (("Markdown", MarkdownSplitter), ("text", TextSplitter)):
        yield f"{name} {kind}, tokens", splitter.from_tiktoken_model("gpt-4", LIMIT_TOKENS).chunks
        yield f"{name} {kind}, characters", splitter(LIMIT_CHARS).chunks


def langchain(encode: Callable[[str], list[int]] | None) -> Iterator[tuple[str, Work]]:
    if not find_spec("langchain_text_splitters"):
        return
    from langchain_text_splitters import MarkdownHeaderTextSplitter, RecursiveCharacterTextSplitter

    name = named("langchain-text-splitters")
    headers = MarkdownHeaderTextSplitter([("#" * n, f"h{n}") for n in range(1, 7)], strip_headers=False)
    ways: list[tuple[str, Any]] = [
        ("characters", RecursiveCharacterTextSplitter(chunk_size=LIMIT_CHARS, chunk_overlap=0))
    ]
    if encode:
        by_tokens = RecursiveCharacterTextSplitter(
            chunk_size=LIMIT_TOKENS, chunk_overlap=0, length_function=lambda text: len(encode(text))
        )
        ways.append(("tokens", by_tokens))
    for unit, recursive in ways:
        yield f"{name} recursive, {unit}", recursive.split_text
        yield (
            f"{name} Markdown headers + recursive, {unit}",
            lambda text, recursive=recursive: recursive.split_documents(headers.split_text(text)),
        )


def llama(encode: Callable[[str], list[int]] | None) -> Iterator[tuple[str, Work]]:
    spec = find_spec("llama_index")
    if not spec or not encode:
        return
    core = find_spec("llama_index.core")
    inside = Path(next(iter(core.submodule_search_locations or ()))) if core else Path()
    os.environ.setdefault("NLTK_DATA", str(inside / "_static" / "nltk_cache"))  # it would fetch what lies inside it
    from llama_index.core import Document
    from llama_index.core.node_parser import MarkdownNodeParser, SentenceSplitter

    markdown = MarkdownNodeParser()
    sentences = SentenceSplitter(chunk_size=LIMIT_TOKENS, chunk_overlap=0, tokenizer=encode)
    yield (
        f"{named('llama-index-core')} Markdown + sentence, tokens",
        lambda text: sentences.get_nodes_from_documents(markdown.get_nodes_from_documents([Document(text=text)])),
    )


def others(encode: Callable[[str], list[int]] | None) -> Iterator[tuple[str, Work]]:
    if find_spec("semchunk") and encode:
        import semchunk

        yield f"{named('semchunk')}, tokens", semchunk.chunkerify(lambda text: len(encode(text)), LIMIT_TOKENS)
    if find_spec("chonkie"):
        from chonkie import RecursiveChunker, TokenChunker

        if encode:
            import tiktoken

            encoding = tiktoken.get_encoding("cl100k_base")
            yield f"{named('chonkie')} recursive, tokens", RecursiveChunker(encoding, chunk_size=LIMIT_TOKENS).chunk
            yield f"{named('chonkie')} token, tokens", TokenChunker(encoding, chunk_size=LIMIT_TOKENS).chunk
        yield f"{named('chonkie')} recursive, characters", RecursiveChunker("character", chunk_size=LIMIT_CHARS).chunk
    if find_spec("chonkie_core"):
        from chonkie_core import Chunker

        yield f"{named('chonkie-core')}, characters", lambda text: list(Chunker(text, size=LIMIT_CHARS))


def named(name: str) -> str:
    try:
        return f"{name} {version(name)}"
    except PackageNotFoundError:
        return name


def seconds(work: Work, texts: list[str]) -> float:
    begun = time.process_time()
    for text in texts:
        work(text)
    return time.process_time() - begun


def cut(folders: list[Path], rounds: int, megabytes: float, only: str) -> None:
    runners = [(name, work) for name, work in contenders() if only in name or name.startswith("headwise")]
    for folder in folders:
        texts = read(folder, megabytes)
        size = sum(len(text.encode("utf-8", "replace")) for text in texts) / 1e6
        taken: dict[str, list[float]] = {name: [] for name, _ in runners}
        for _ in range(rounds):
            for name, work in runners:
                taken[name].append(seconds(work, texts))
        ours = {
            unit: statistics.median(taken[f"headwise, {limit} {unit}"])
            for unit, limit in (("tokens", LIMIT_TOKENS), ("characters", LIMIT_CHARS))
        }
        print(f"\n{folder.name}: {len(texts)} files, {size:.1f} MB, median of {rounds} rounds")
        print("      MB/s   headwise is × as fast")
        for name, times in sorted(taken.items(), key=lambda each: statistics.median(each[1])):
            median = statistics.median(times)
            unit = "characters" if name.endswith("characters") or name == "limit: parser" else "tokens"
            print(f"  {size / median:8.2f}   {median / ours[unit]:8.2f}   {name}")


def grow(largest: float) -> None:
    page = "\n\n".join(path.read_text("utf-8") for path in sorted(VAULT.rglob("*.md")))
    print("       MB    seconds   MB/s")
    points: list[tuple[float, float]] = []
    size = 0.01
    while size <= largest:
        text = (page * (int(size * 1e6 / len(page)) + 1))[: int(size * 1e6)]
        least = min(seconds(lambda text: analyse(text, settings=Settings(LIMIT_TOKENS)), [text]) for _ in range(3))
        points.append((log(len(text)), log(least)))
        print(f"  {size:7.2f}   {least:8.3f}   {size / least:5.2f}")
        size *= 10**0.5
    slope = statistics.linear_regression(*zip(*points, strict=True)).slope
    print(f"slope of the logarithms: {slope:.3f}")


SNIPPETS = {
    "import headwise": "import headwise",
    "import headwise and cut one line": "import headwise; headwise.split('# A\\n\\nb\\n')",
}
PEAK = """
import resource, sys
from headwise import analyse
text = open(sys.argv[1], encoding="utf-8", newline="").read()
analyse(text)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
"""


def start() -> None:
    for name, code in SNIPPETS.items():
        times = []
        for _ in range(7):
            begun = time.perf_counter()
            subprocess.run([sys.executable, "-c", code], check=True)
            times.append(time.perf_counter() - begun)
        print(f"  {min(times):6.3f} s  {name}, in a process of its own")
    page = "\n\n".join(path.read_text("utf-8") for path in sorted(VAULT.rglob("*.md")))
    with tempfile.TemporaryDirectory() as folder:
        peaks = []
        for size in (0, 30_000_000):
            file = Path(folder, f"{size}.md")
            file.write_text((page * (size // len(page) + 1))[:size], "utf-8", newline="")
            done = subprocess.run([sys.executable, "-c", PEAK, str(file)], check=True, capture_output=True, text=True)
            peaks.append((file.stat().st_size, int(done.stdout)))
    (_, nothing), (size, much) = peaks
    print(f"  {(much - nothing) / size:6.1f} × the input, peak of memory for {size / 1e6:.0f} MB in one document")


def cores(folder: Path) -> None:
    times: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(3):
        for workers, taken in times.items():
            with tempfile.TemporaryDirectory() as place, Index(str(Path(place, "index.db")), create=True) as index:
                begun = time.perf_counter()
                index.plan(folder, workers=workers)
                taken.append(time.perf_counter() - begun)
    one, two = (min(taken) for taken in times.values())
    print(f"  {one:.2f} s by one process, {two:.2f} s by two: {one / two:.2f} times as fast")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", choices=["cut", "grow", "start", "cores"], default="cut")
    parser.add_argument("folders", nargs="*", type=Path, default=[VAULT])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--megabytes", type=float, default=3)
    parser.add_argument("--largest", type=float, default=100)
    parser.add_argument("--only", default="", metavar="WORD", help="only contenders with it in their names")
    given = parser.parse_args()
    if given.what == "cut":
        cut(given.folders, given.rounds, given.megabytes, given.only)
    elif given.what == "grow":
        grow(given.largest)
    elif given.what == "start":
        start()
    else:
        for folder in given.folders:
            cores(folder)


if __name__ == "__main__":
    main()
