"""Vectors as bytes, and the exact comparison of a query with them (needs numpy, imported when used)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from headwise.errors import StoreError
from headwise.model import Span
from headwise.stores.store import NearPassage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from headwise.stores.store import Vector


DIFFERENT = "vectors of one model have different lengths in the store; run `headwise verify --fix`"
"""What is said when a model's vectors cannot all be its."""


class Place(NamedTuple):
    """A passage, and the vector it uses."""

    vector: int
    """Row of the vector in the store."""
    chunk: int
    document: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Matrix:
    """Vectors of one model, in ascending order of their rows in the store."""

    ids: NDArray[np.int64]
    """For each vector, its row in the store."""
    rows: Vector
    """One unit vector a row, or zeros."""


def pack(vector: Vector) -> bytes:
    """*vector* as little-endian half floats.

    Half the bytes of single floats, and what PostgreSQL's `halfvec` holds, so that both stores rank alike. Over
    12,000 paragraphs in 256 dimensions a cosine moves by 1e-5 (7e-5 at most), and of the ten nearest to 500
    queries one in 5,000 is another.
    """
    return vector.astype("<f2").tobytes()


def unpack(data: bytes) -> Vector:
    """What `pack` made; no numbers at all if *data* is not a whole number of them."""
    import numpy as np  # noqa: PLC0415 - numpy comes with the extras only

    return np.frombuffer(b"" if len(data) % 2 else data, dtype="<f2").astype(np.float32)


def unpack_all(packed: Sequence[bytes]) -> Vector:
    """What `pack` made of vectors of one model, one a row.

    Raises:
        StoreError: if they have different lengths, so that they cannot be of one model.
    """
    import numpy as np  # noqa: PLC0415 - numpy comes with the extras only

    if len(set(map(len, packed))) > 1:
        raise StoreError(DIFFERENT)
    return np.frombuffer(b"".join(packed), dtype="<f2").astype(np.float32).reshape(len(packed), -1 if packed else 0)


def unit_rows(rows: Vector) -> Vector:
    """*rows*, each scaled to length one; rows of zeros stay zeros."""
    import numpy as np  # noqa: PLC0415 - numpy comes with the extras only

    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
    return (rows / np.where(lengths > 0, lengths, 1)).astype(np.float32, copy=False)


def unit(vector: Vector) -> NDArray[np.float64]:
    """*vector* scaled to length one in double floats; zeros stay zeros."""
    import numpy as np  # noqa: PLC0415 - numpy comes with the extras only

    return vector.astype(np.float64) / (float(np.linalg.norm(vector)) or 1.0)


def nearest_passages(among: Matrix, places: Sequence[Place], vector: Vector, limit: int) -> list[NearPassage]:
    """The *limit* passages at *places*, all with a vector of *among*, of the highest cosine; equal ones in their order.

    Each is compared by itself: how the product of a matrix adds up depends on its other rows.
    """
    import numpy as np  # noqa: PLC0415 - numpy comes with the extras only

    if not places:
        return []
    used = np.searchsorted(among.ids, np.array([place.vector for place in places], dtype=np.int64))
    scores = (among.rows[used] * unit(vector)).sum(axis=1)
    best: list[int] = np.argsort(-scores, kind="stable")[:limit].tolist()
    return [NearPassage(places[at].chunk, Span(places[at].start, places[at].end), float(scores[at])) for at in best]


def are_enough(cosines: Sequence[float], uses: Sequence[int], limit: int, doubt: float) -> bool:
    """Whether no vector beyond those found can be that of one of the best *limit* passages.

    Args:
        cosines: Of the vectors found with the query, roughly, nearest first.
        uses: How many of the passages that are meant use each of them.
        limit: How many passages are wanted.
        doubt: More than twice what a cosine may be wrong by.
    """
    passages = 0
    for cosine, count in zip(cosines, uses, strict=True):
        passages += count
        if passages >= limit:
            return cosines[-1] < cosine - doubt
    return False
