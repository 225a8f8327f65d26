"""Looks for documents that break a promise, by mutations that follow the branches of Headwise's own code.

    python fuzz/run.py TARGET [--seconds 600] [--seed 1]

TARGET is `cutting`, `files` or `growth` (see targets.py). What is worth keeping grows in .fuzz/TARGET/ from run to run;
an input that breaks something is written to .fuzz/found/ and ends the run: `python fuzz/run.py TARGET --replay FILE`
shows it again. Needs atheris: `pip install --group fuzz`.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["headwise"]):
    from targets import TARGETS

from seeds import write_seeds

HERE = Path(__file__).resolve().parent
KEPT = HERE.parent / ".fuzz"
SLOWEST = 60
"""Seconds after which one input is a finding."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--longest", type=int, default=2_000, help="bytes of the longest input")
    parser.add_argument("--replay", type=Path, help="only this input, without a fuzzer")
    given = parser.parse_args()
    target = TARGETS[given.target]
    if given.replay:
        target(given.replay.read_bytes())
        return
    seeds, corpus, found = KEPT / "seeds" / given.target, KEPT / given.target, KEPT / "found"
    for folder in (corpus, found):
        folder.mkdir(parents=True, exist_ok=True)
    print(f"{write_seeds(given.target, seeds)} seeds", flush=True)
    options = [
        f"-max_total_time={given.seconds}",
        f"-seed={given.seed}",
        f"-max_len={min(given.longest, 400) if given.target == 'growth' else given.longest}",
        f"-timeout={SLOWEST}",
        f"-dict={HERE / 'markdown.dict'}",
        f"-artifact_prefix={found}/{given.target}-",
        "-rss_limit_mb=4096",
        "-print_final_stats=1",
        "-reload=0",
    ]
    atheris.Setup([sys.argv[0], *options, str(corpus), str(seeds)], target)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
