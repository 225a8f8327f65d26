"""Megabytes per second of cutting, beside its two limits and the peers that are installed, in one run.

    python bench/speed.py FOLDER [FOLDER …] [--rounds 5]

Every contender gets the same Markdown texts, in turn, round after round; the median counts. The limits are one pass
of the parser (its events) and one of the tokenizer (counts of whole texts): what no cutter over these two can beat.
Peers are measured if they can be imported: `pip install semantic-text-splitter langchain-text-splitters`; they count
tokens with tiktoken, so their numbers need its vocabulary on disk.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pyromark

from headwise import Settings, analyse
from headwise.chunking.measure import find_measure

LIMIT_TOKENS = 400
LIMIT_CHARS = 1500


def read(folder: Path) -> list[str]:
    return [p.read_bytes().decode("utf-8", "replace") for p in sorted(folder.rglob("*.md")) if p.is_file()]


def contenders() -> Iterator[tuple[str, Callable[[str], object]]]:
    tokens, chars = Settings(LIMIT_TOKENS), Settings(LIMIT_CHARS, tokenizer="chars")
    count = find_measure("cl100k_base").count
    yield f"headwise, {LIMIT_TOKENS} tokens", lambda text: analyse(text, settings=tokens)
    yield f"headwise, {LIMIT_CHARS} characters", lambda text: analyse(text, settings=chars)
    yield "limit: parser and tokenizer", lambda text: (list(pyromark.events_with_range(text)), count(text))
    try:
        from semantic_text_splitter import MarkdownSplitter

        by_chars = MarkdownSplitter(LIMIT_CHARS)
        yield f"semantic-text-splitter {installed('semantic-text-splitter')} Markdown, characters", by_chars.chunks
        by_tokens = MarkdownSplitter.from_tiktoken_model("gpt-4", LIMIT_TOKENS)
        yield f"semantic-text-splitter {installed('semantic-text-splitter')} Markdown, tokens", by_tokens.chunks
    except ImportError:
        print("semantic-text-splitter is not installed: left out")
    try:
        from langchain_text_splitters import RecursiveCharacterTextSplitter

        recursive = RecursiveCharacterTextSplitter(chunk_size=LIMIT_CHARS, chunk_overlap=0)
        yield (
            f"langchain-text-splitters {installed('langchain-text-splitters')} recursive, characters",
            recursive.split_text,
        )
    except ImportError:
        print("langchain-text-splitters is not installed: left out")


def installed(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "?"


def seconds(work: Callable[[str], object], texts: list[str]) -> float:
    begun = time.process_time()
    for text in texts:
        work(text)
    return time.process_time() - begun


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, default=[Path(__file__).parent.parent / "examples" / "vault"])
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    runners = list(contenders())
    for folder in given.folders:
        texts = read(folder)
        size = sum(len(text.encode("utf-8", "replace")) for text in texts) / 1e6
        taken: dict[str, list[float]] = {name: [] for name, _ in runners}
        for _ in range(given.rounds):
            for name, work in runners:
                taken[name].append(seconds(work, texts))
        ours = statistics.median(taken[runners[0][0]])
        print(f"\n{folder.name}: {len(texts)} files, {size:.1f} MB, median of {given.rounds} rounds")
        for name, times in taken.items():
            median = statistics.median(times)
            print(f"  {size / median:8.2f} MB/s  {ours / median:6.2f} × headwise with tokens  {name}")


if __name__ == "__main__":
    main()
