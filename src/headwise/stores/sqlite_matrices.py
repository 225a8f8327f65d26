"""The vectors of models in memory: read once for all threads of a process, and kept as the store changes."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection

from headwise.errors import StoreError
from headwise.stores import queries
from headwise.stores.sqlite_file import ask
from headwise.stores.vectors import DIFFERENT, Matrix, unit_rows, unpack_all

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from headwise.stores.store import Vector

_ROOM = 5 / 4
"""How much larger memory is made than it need be, once vectors have been added to what was read."""
_AT_ONCE = 4096

_COUNT = "SELECT count(*) FROM vectors WHERE model_id = (SELECT id FROM models WHERE key = :model)"
_BEHIND = """
SELECT id, data FROM vectors WHERE id > :after AND model_id = (SELECT id FROM models WHERE key = :model) ORDER BY id
"""


@dataclass(frozen=True, slots=True)
class _Known:
    """All vectors of a model, as they were in one state of the store."""

    state: queries.State
    last: int
    """Row of the last vector that was read; what is behind it is new."""
    ids: NDArray[np.int64]
    rows: Vector
    """Memory, with room for more: what is there is never changed, so that other threads may read meanwhile."""
    count: int
    """How much of it is in use."""

    @property
    def matrix(self) -> Matrix:
        return Matrix(self.ids[: self.count], self.rows[: self.count])


class Matrices:
    """The vectors of each model that was asked for, once for all threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._known: dict[str, _Known] = {}

    def matrix(self, connection: Connection, model: str) -> Matrix:
        """All vectors of *model* as *connection*, whose transaction has read nothing before, sees them.

        New vectors are read behind those that are known, all only after some were dropped.

        Raises:
            StoreError: if they have different lengths.
        """
        with self._lock:
            # What a transaction sees is settled by its first look, so that no thread sees less than one before it
            # did, but where the file was overwritten by an older one.
            state, known = queries.state(connection), self._known.get(model)
            if known is None or known.state != state:
                goes_on = known and known.state.drops == state.drops and known.state.generation < state.generation
                known = self._known[model] = _read(connection, model, state, known if goes_on else None)
            return known.matrix

    def clear(self) -> None:
        """Forget all of them."""
        with self._lock:
            self._known.clear()


def _read(connection: Connection, model: str, state: queries.State, known: _Known | None) -> _Known:
    """*known*, None for nothing, with all vectors of *model* that are behind it."""
    import numpy as np  # noqa: PLC0415 - numpy comes with the extras only

    known = known or _Known(state, 0, np.empty(0, np.int64), np.empty((0, 0), np.float32), 0)
    ids, rows, at, last = known.ids, known.rows, known.count, known.last
    cursor = ask(connection, _BEHIND, {"model": model, "after": last})
    while page := cursor.fetchmany(_AT_ONCE):
        read = unit_rows(unpack_all([data for _, data in page]))
        end = at + len(page)
        if end > len(ids):
            size = int(end * _ROOM) if at else ask(connection, _COUNT, {"model": model}).fetchone()[0]
            ids, rows = _larger(ids, at, size), _larger(rows if at else read[:0], at, size)
        if read.shape[1] != rows.shape[1]:
            raise StoreError(DIFFERENT)
        ids[at:end], rows[at:end] = [row for row, _ in page], read
        at, last = end, page[-1][0]
    return _Known(state, last, ids, rows, at)


def _larger(array: Any, used: int, size: int) -> Any:
    """*array* with room for *size* rows, of which the first *used* are its own."""
    import numpy as np  # noqa: PLC0415 - numpy comes with the extras only

    larger = np.empty((size, *array.shape[1:]), array.dtype)
    larger[:used] = array[:used]
    return larger
