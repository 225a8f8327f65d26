"""Time and peak memory of cutting huge inputs, each in a process of its own, small and large.

    python bench/monsters.py [NAME …] [--small 1] [--large 5] [--max-tokens 400] [--docs FOLDER]

For each monster and both sizes (in MB): seconds, MB/s, peak memory above that of the process before the text was
made, and how many times the text's own size that is, in UTF-8. The last column is the one that matters: how many
times longer the large input takes per megabyte than the small one. 1 is linear; garbage and caches make it wander.
Where every few characters are a block of their own, memory is that of the blocks: look twice before `--large 50`.
`documents` are the Markdown files of FOLDER, one after the other, over and over.
"""

from __future__ import annotations

import argparse
import itertools
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MB = 1_000_000


def documents(size: int, folder: Path) -> str:
    """Markdown files, again and again, until there is enough."""
    texts = [path.read_bytes().decode("utf-8", "replace") for path in sorted(folder.rglob("*.md"))]
    parts: list[str] = []
    length = 0
    for text in itertools.cycle(texts):
        if length >= size:
            return "\n\n".join(parts)
        parts.append(text)
        length += len(text.encode("utf-8", "replace"))
    raise SystemExit(f"no Markdown in {folder}")


MONSTERS: dict[str, Callable[[int], str]] = {
    "a log on one line": lambda n: "12:00:00 INFO request id=7 path=/a/b status=200 took 3 ms, " * (n // 60),
    "words on one line": lambda n: "word " * (n // 5),
    "minified JSON": lambda n: (
        '{"items":[' + '{"id":12345,"name":"pump","tags":["a","b"],"on":true},' * (n // 55) + "]}"
    ),
    "base64 on one line": lambda n: "iVBORw0KGgoAAAANSUhEUgAAB" * (n // 25),
    "a base64 image": lambda n: "![a](data:image/png;base64," + "iVBORw0KGgoAAAANSUhEUgAAB" * (n // 25) + ")\n",
    "headings": lambda n: "# A heading\n\n" * (n // 13),
    "brackets": lambda n: "[" * n,
    "spaces": lambda n: "a" + " " * n + "b",
    "nested quotes": lambda n: "> " * (n // 2) + "deep\n",
    "a table": lambda n: "| pin | wire |\n|---|---|\n" + "| 1 | red, 12 V |\n" * (n // 19),
    "a list": lambda n: "- one item of a list\n" * (n // 21),
    "code": lambda n: "```py\n" + "value = some_function(1)\n" * (n // 25) + "```\n",
}


def measure(name: str, size: int, limit: int, folder: Path) -> None:
    """Cut one monster, and print what that took as JSON."""
    from headwise import Settings, analyse

    settings = Settings(limit)
    analyse("# Warm\n\nCaches and imports.\n", settings=settings)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    text = documents(size, folder) if name == "documents" else MONSTERS[name](size)
    length = len(text.encode("utf-8"))
    begun = time.process_time()
    made = analyse(text, settings=settings)
    seconds = time.process_time() - begun
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(json.dumps({"bytes": length, "seconds": seconds, "peak": peak * 1024, "chunks": len(made.chunks)}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=["documents", *MONSTERS])
    parser.add_argument("--small", type=float, default=1)
    parser.add_argument("--large", type=float, default=5)
    parser.add_argument("--max-tokens", type=int, default=400)
    parser.add_argument("--docs", type=Path, default=ROOT / "examples" / "vault")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        measure(given.names[0], given.one, given.max_tokens, given.docs)
        return
    print(f"{'':20} {'MB':>5} {'chunks':>8} {'s':>7} {'MB/s':>6} {'peak MB':>8} {'× text':>6}  a MB takes")
    for name in given.names:
        pace = 0.0
        for size in (given.small, given.large):
            command = [sys.executable, __file__, name, f"--one={int(size * MB)}", f"--max-tokens={given.max_tokens}"]
            done = subprocess.run([*command, f"--docs={given.docs}"], capture_output=True, text=True, check=False)
            if done.returncode:
                print(f"{name:20} {size:5.0f} failed: {done.stderr.strip().splitlines()[-1:]}")
                continue
            found = json.loads(done.stdout)
            megabytes, seconds, peak = found["bytes"] / MB, found["seconds"], found["peak"] / MB
            more = f"× {seconds / megabytes / pace:.2f}" if pace else ""
            pace = seconds / megabytes
            print(
                f"{name:20} {megabytes:5.1f} {found['chunks']:8,} {seconds:7.2f} {megabytes / seconds:6.2f} "
                f"{peak:8.0f} {peak / megabytes:6.1f}  {more}",
                flush=True,
            )


if __name__ == "__main__":
    main()
