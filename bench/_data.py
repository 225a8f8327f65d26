"""Where the texts are that benchmarks read: a folder with `corpora/`, `questions/` and `histories/`.

It is named by the environment's `HEADWISE_BENCH_DATA`; by default it is `shared/data` beside the project. Nothing is
fetched: what is not there is left out, and that is said.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from itertools import chain, zip_longest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VAULT = ROOT / "examples" / "vault"
DATA = Path(os.environ.get("HEADWISE_BENCH_DATA") or ROOT.parent / "shared" / "data")


def there(paths: Iterable[Path], what: str) -> list[Path]:
    """Those of *paths* that are there; what is not is said, in one line."""
    wanted = list(paths)
    found = [path for path in wanted if path.exists()]
    if len(found) < len(wanted):
        missing = ", ".join(str(path) for path in wanted if not path.exists())
        print(f"left out of {what}, as not there: {missing}", flush=True)
    return found


def corpora(*names: str) -> list[Path]:
    return there((DATA / "corpora" / name for name in names), "the corpora")


def markdown(folders: Iterable[Path]) -> Iterator[str]:
    """The Markdown files of *folders*, one of each folder in turn, in an order that no name decides."""
    in_turn = zip_longest(*map(_shuffled, folders))
    for path in chain.from_iterable(in_turn):
        if path:
            yield path.read_bytes().decode("utf-8", "replace").removeprefix("\ufeff")


def _shuffled(folder: Path) -> list[Path]:
    files = (path for path in folder.rglob("*.md") if path.is_file())
    return sorted(files, key=lambda path: blake2b(path.relative_to(folder).as_posix().encode()).digest())
