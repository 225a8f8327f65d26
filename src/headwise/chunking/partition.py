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
    own = [end + closing - limit for end, closing in zip(ends, after, strict=True)]
    needs = [0, *accumulate(own[1:], max)] if any(after) else own
    room = [end - more for end, more in zip(ends, before, strict=False)]
    if needs[count] <= room[0]:
        return []
    # most rows take two parts, which need but the best of the cuts that leave both room
    both = [at for at in range(1, bisect_right(needs, room[0], 2)) if room[at] >= needs[count]]
    if both:
        middle, unit = ends[count] / 2, max(limit, 1)
        return [min(both, key=lambda at: weakness[at] + _FAR * ((ends[at] - middle) / unit) ** 2)]
    parts = _least(needs, room)
    total = parts[count]
    # the latest place for each cut is the last that so many parts reach
    wanted: dict[int, float] = dict(zip(parts, ends, strict=True))
    wanted[total - 1] = (wanted[total - 2] + ends[count]) / 2
    costs = [
        weak + _FAR * ((end - wanted[number]) / max(limit, 1)) ** 2
        for weak, end, number in zip([*weakness, 0.0], ends, parts, strict=True)
    ]
    origins = _walk(needs, room, parts, costs)
    cuts: list[int] = []
    at = origins[count]
    while at > 0:
        cuts.append(at)
        at = origins[at]
    cuts.reverse()
    return cuts


def _least(needs: Sequence[int], room: Sequence[int]) -> list[int]:
    """Least number of parts of every prefix: it never falls, so that the first start that fits is the best."""
    parts = [0]
    first = 0
    for j in range(1, len(needs)):
        while first < j and room[first] < needs[j]:
            first += 1
        parts.append(parts[min(first, j - 1)] + 1)
    return parts


def _walk(needs: Sequence[int], room: Sequence[int], parts: Sequence[int], costs: Sequence[float]) -> list[int]:
    """Where the last part of every prefix begins: at the least number of parts, and then at the least cost."""
    best, origins = [0.0], [0]
    heap: list[tuple[int, float, int]] = []
    for j in range(1, len(needs)):
        need = needs[j]
        heappush(heap, (parts[j - 1], best[-1], j - 1))
        while heap and room[heap[0][2]] < need:
            heappop(heap)
        origin = heap[0][2] if heap else j - 1
        best.append(best[origin] + costs[j])
        origins.append(origin)
    return origins
