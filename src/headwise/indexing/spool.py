"""Values put aside until they are needed, in memory as long as they are few, else in a file without a name."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from tempfile import SpooledTemporaryFile
from typing import Generic, TypeVar

Value = TypeVar("Value")

_BLOCK = 256
_IN_MEMORY = 1_000_000  # bytes: some thousands of files


class Spool(Generic[Value]):
    """A list that takes no memory when it is long; first everything is added, then read, as often as wanted."""

    def __init__(self) -> None:
        self._file = SpooledTemporaryFile[bytes](max_size=_IN_MEMORY)
        self._block: list[Value] = []
        self._number = 0

    def add(self, value: Value) -> None:
        """Put *value* at the end."""
        self._block.append(value)
        self._number += 1
        if len(self._block) == _BLOCK:
            pickle.dump(self._block, self._file, pickle.HIGHEST_PROTOCOL)
            self._block.clear()

    def __len__(self) -> int:
        return self._number

    def __iter__(self) -> Iterator[Value]:
        at = 0
        for _ in range(self._number // _BLOCK):
            self._file.seek(at)
            block: list[Value] = pickle.load(self._file)  # noqa: S301 - see above
            at = self._file.tell()
            yield from block
        yield from self._block

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()
