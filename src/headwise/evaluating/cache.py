"""What is kept between runs in a folder: vectors by content and model, and the results of whole candidates."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from dataclasses import asdict
from hashlib import blake2b
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from headwise.errors import StoreError
from headwise.evaluating.churn import Churn
from headwise.evaluating.metrics import Scores
from headwise.evaluating.result import Result, Shown
from headwise.indexing.models import Embedder
from headwise.model import content_hash

if TYPE_CHECKING:
    from headwise.indexing.models.embedder import Vectors

RULES = 2
"""Raised by one whenever a result is measured differently, so that kept ones count no more."""
_AT_ONCE = 500


class Cache:
    """One file in *folder*, made if it is not there; to be closed, or used in a `with`.

    Raises:
        StoreError: if it cannot be opened.
    """

    def __init__(self, folder: Path) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file = sqlite3.connect(folder / "eval.db", timeout=30)
            # a disk that is asked to be sure of every batch takes longer than the model
            self._file.execute("PRAGMA journal_mode = WAL")
            self._file.execute("PRAGMA synchronous = NORMAL")
            with self._file:
                self._file.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB)")
                self._file.execute("CREATE TABLE IF NOT EXISTS results (key TEXT PRIMARY KEY, result TEXT)")
        except (OSError, sqlite3.Error) as error:
            raise StoreError(
                f"{folder}: nothing can be kept there ({error}); name another folder with --cache"
            ) from error

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        self.close()

    def vectors(self, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        """Those of *keys* that are known."""
        wanted, found = list(keys), dict[bytes, bytes]()
        for at in range(0, len(wanted), _AT_ONCE):
            some = wanted[at : at + _AT_ONCE]
            marks = ",".join("?" * len(some))
            with closing(self._file.execute(f"SELECT key, vector FROM vectors WHERE key IN ({marks})", some)) as rows:  # noqa: S608 - only question marks
                found.update(rows)
        return found

    def keep_vectors(self, vectors: Iterable[tuple[bytes, bytes]]) -> None:
        """Keep them at once, so that an interrupted run has them."""
        with self._file:
            self._file.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", vectors)

    def result(self, key: str) -> Result | None:
        """What was measured under *key*."""
        row = self._file.execute("SELECT result FROM results WHERE key = ?", (key,)).fetchone()
        return None if row is None else _read(json.loads(row[0]))

    def keep_result(self, key: str, result: Result) -> None:
        """Keep it for the next run."""
        with self._file:
            self._file.execute("INSERT OR REPLACE INTO results VALUES (?, ?)", (key, json.dumps(asdict(result))))


class Remembering:
    """An embedder that asks another one only for what it has not in *cache*."""

    def __init__(self, embedder: Embedder, cache: Cache) -> None:
        self._embedder, self._cache = embedder, cache
        self._queries: dict[str, Vectors] = {}
        self.key, self.reads = embedder.key, embedder.reads
        self.name, self.dimensions = embedder.name, embedder.dimensions

    def fits(self, text: str) -> bool:
        """As the other says."""
        return self._embedder.fits(text)

    def knows(self, text: str) -> float:
        """As the other says."""
        return self._embedder.knows(text)

    def embed_passages(self, texts: list[str]) -> Vectors:
        """One row for each of *texts*."""
        import numpy as np  # noqa: PLC0415 - numpy comes with the extras only

        keys = [self._key("passage", text) for text in texts]
        known = self._cache.vectors(keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if missing:
            rows = self._embedder.embed_passages(list(missing.values()))
            new = dict(zip(missing, (row.astype(np.float32).tobytes() for row in rows), strict=True))
            self._cache.keep_vectors(new.items())
            known |= new
        return np.stack([np.frombuffer(known[key], dtype=np.float32) for key in keys])

    def embed_query(self, text: str) -> Vectors:
        """The vector of a question, asked for once in a run."""
        if text not in self._queries:
            self._queries[text] = self._embedder.embed_query(text)
        return self._queries[text]

    def _key(self, kind: str, text: str) -> bytes:
        return blake2b(f"{self.key}\n{kind}\n{content_hash(text)}".encode(), digest_size=16).digest()


def _read(value: dict[str, Any]) -> Result:
    made: dict[str, Any] = {
        "sizes": {int(size): number for size, number in value["sizes"].items()},
        "churn": Churn(**value["churn"]),
        "scores": tuple(
            Scores(**one | {"within": tuple(one["within"]), "paid": tuple(one["paid"])}) for one in value["scores"]
        ),
        "found": tuple(
            tuple(Shown(**one | {"headings": tuple(one["headings"])}) for one in several) for several in value["found"]
        ),
    }
    return Result(**value | made)
