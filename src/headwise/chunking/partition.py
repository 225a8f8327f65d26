"""The best way to divide a row of units: the fewest parts, strong cuts, and few that an edit elsewhere moves.

The cost, in this order: the number of parts; then, summed over the cuts, the weakness of the boundary plus a
quarter of the squared distance, in limits, from where the cut is wanted. That is as late as so many parts can
reach, so that an edit moves only cuts after it, which soon fall into step again. Only the last is wanted in the
middle of what the others leave, so that there is no tail. A part that begins at unit *i* and ends before unit *j*
must satisfy `before[i] + sizes[i..j-1] + after[j] <= limit`; a single unit is allowed even so, for the caller to
divide.

Exact in O(n log n). With `parts[j]` the least number of parts of the first *j* units, a cut at *j* can belong to
a least division only as its `parts[j]`-th, so each boundary has one place in the order, and its best predecessor
is the one with the least `(parts, cost)` that still fits. What has ceased to fit never fits again, because what a
start must be within only grows; a heap drops it when it comes to the top.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from heapq import heappop, heappush
from itertools import accumulate
from typing import Final

_FAR: Final = 0.25
"""What a cut costs that is a whole limit away from where it is wanted, in the unit of weakness."""


def partition(
    sizes: Sequence[int], before: Sequence[int], after: Sequence[int], weakness: Sequence[float], limit: int
) -> list[int]:
    """Where to cut: indices of the units that begin a part, without 0, in order.

    Args:
        sizes: size of each of the n units.
        before: what a part costs more if it begins at unit i (n values).
        after: what a part costs more if it ends before unit j (n + 1 values; the first is not used).
        weakness: cost of a cut before unit i (n values; the first is not used).
        limit: the largest size of a part.
    """
    count = len(sizes)
    if count < 2:
        return []
    ends = [0, *accumulate(sizes)]
    own = [end + closing - limit for end, closing in zip(ends[1:], after[1:], strict=True)]
    needs = [0, *accumulate(own, max)]
    if needs[count] <= -before[0]:
        return []
    # most rows take two parts, which need but the best of the cuts that leave both room
    first = max(bisect_right(needs, -before[0]) - 1, 1)
    both = [at for at in range(1, min(first + 1, count)) if ends[at] - before[at] >= needs[count]]
    if both:
        middle, unit = ends[count] / 2, max(limit, 1)
        return [min(both, key=lambda at: weakness[at] + _FAR * ((ends[at] - middle) / unit) ** 2)]
    parts = _walk(ends, needs, before, [0.0] * (count + 1))[0]
    total = parts[count]
    # the latest place for each cut is the last that so many parts reach
    wanted: dict[int, float] = dict(zip(parts, ends, strict=True))
    wanted[total - 1] = (wanted[total - 2] + ends[count]) / 2
    costs = [
        weak + _FAR * ((end - wanted[number]) / max(limit, 1)) ** 2
        for weak, end, number in zip([*weakness, 0.0], ends, parts, strict=True)
    ]
    origins = _walk(ends, needs, before, costs)[1]
    cuts: list[int] = []
    at = origins[count]
    while at > 0:
        cuts.append(at)
        at = origins[at]
    cuts.reverse()
    return cuts


def _walk(
    ends: Sequence[int], needs: Sequence[int], before: Sequence[int], costs: Sequence[float]
) -> tuple[list[int], list[int]]:
    """Least number of parts of every prefix, and where the last of them begins at the least cost."""
    count = len(before)
    parts, best, origins = [0], [0.0], [0]
    heap: list[tuple[int, float, int]] = []
    for j in range(1, count + 1):
        heappush(heap, (parts[j - 1], best[j - 1], j - 1))
        while heap and ends[heap[0][2]] - before[heap[0][2]] < needs[j]:
            heappop(heap)
        origin = heap[0][2] if heap else j - 1
        parts.append(parts[origin] + 1)
        best.append(best[origin] + costs[j])
        origins.append(origin)
    return parts, origins
