"""Vectors as bytes, and the exact search among all of a model's vectors (needs numpy, imported when used)."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from headwise.errors import StoreError
from headwise.model import Span
from headwise.stores.store import NearPassage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from headwise.stores.store import Vector

_ROUGH = 1e-5
"""More than twice the error of a cosine in single floats."""


@dataclass(frozen=True, slots=True)
class Matrix:
    """All vectors of a model that passages use, and the passages that use them, in order of path and place."""

    generation: int
    """State of the store it was read from."""
    vectors: Vector
    """One unit vector a row, each content once."""
    used: NDArray[np.int64]
    """For each passage, the row of its vector."""
    chunks: NDArray[np.int64]
    documents: NDArray[np.int64]
    spans: NDArray[np.int64]
    """For each passage, its start and end."""


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


def load_matrix(
    generation: int, packed: Iterable[tuple[int, bytes]], places: Iterable[tuple[int, int, int, int, int]]
) -> Matrix:
    """A matrix from what is stored.

    Args:
        generation: State of the store.
        packed: Row and bytes of every vector, in order of row.
        places: Row of the vector, chunk, document, start and end of every passage, in order of path and place.

    Raises:
        StoreError: if they have different lengths, so that they cannot be of one model.
    """
    import numpy as np  # noqa: PLC0415 - numpy comes with the extras only

    ids: list[int] = []
    blobs: list[bytes] = []
    for row, blob in packed:
        ids.append(row)
        blobs.append(blob)
    if len(set(map(len, blobs))) > 1:
        raise StoreError("vectors of one model have different lengths in the store; run `headwise verify --fix`")
    vectors = np.frombuffer(b"".join(blobs), dtype="<f2").astype(np.float32).reshape(len(ids), -1 if ids else 0)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors /= np.where(lengths > 0, lengths, 1)
    table = np.fromiter(places, dtype=np.dtype("i8,i8,i8,i8,i8")).view(np.int64).reshape(-1, 5)
    used = np.searchsorted(np.array(ids, dtype=np.int64), table[:, 0])
    return Matrix(generation, vectors, used, table[:, 1], table[:, 2], table[:, 3:])


def nearest_passages(among: Matrix, vector: Vector, documents: Collection[int] | None, limit: int) -> list[NearPassage]:
    """The *limit* passages of *documents* (None: of all) with the highest cosine; equal ones in their order."""
    import numpy as np  # noqa: PLC0415 - numpy comes with the extras only

    candidates = np.arange(len(among.used))
    if documents is not None:
        candidates = candidates[np.isin(among.documents, np.array(list(documents), dtype=np.int64))]
    if limit < 1 or not len(candidates):
        return []
    asked = vector.astype(np.float64) / (float(np.linalg.norm(vector)) or 1.0)
    rough = (among.vectors @ asked.astype(np.float32))[among.used[candidates]]
    least = (np.partition(rough, -limit)[-limit] if limit < len(rough) else rough.min()) - _ROUGH
    best = np.flatnonzero(rough >= least)
    # How a product of a matrix adds up depends on its other rows: so the best are compared once more, each by itself.
    scores = (among.vectors[among.used[candidates[best]]] * asked).sum(axis=1)
    order = np.argsort(-scores, kind="stable")[:limit]
    return [
        NearPassage(int(among.chunks[at]), Span(int(among.spans[at, 0]), int(among.spans[at, 1])), float(score))
        for at, score in zip(candidates[best[order]], scores[order], strict=True)
    ]
