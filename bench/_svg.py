"""Plots as SVG that needs nothing else, and is readable on a white page and on a dark one: rows of marks, and lines."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import NamedTuple

WIDTH = 800
ROW = 22
SIDE = 300
"""For the names of rows."""
_RIGHT, _HEAD, _FOOT = 36, 74, 46
_STYLE = """
svg{color-scheme:light dark;font:13px system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif}
.card{fill:#fff;stroke:#d0d7de}.title{font-weight:600;font-size:15px}text{fill:#1f2328}.muted{fill:#59636e}
.grid{stroke:#d8dee4}.zero{stroke:#59636e}.strong{font-weight:700}.band{fill:#ddf4ff}
.s0{--c:#0969da}.s1{--c:#bc4c00}.s2{--c:#1a7f37}.s3{--c:#8250df}.s4{--c:#59636e}
.mark{fill:var(--c);stroke:#fff}.range{stroke:var(--c);stroke-width:2;opacity:.55}.line{fill:none;stroke:var(--c);stroke-width:2.2}
.dashed{stroke-dasharray:6 4}
@media (prefers-color-scheme:dark){
.card{fill:#0d1117;stroke:#3d444d}text{fill:#f0f6fc}.muted{fill:#9198a1}.grid{stroke:#2a313c}.zero{stroke:#9198a1}
.band{fill:#0c2d4d}.s0{--c:#4493f8}.s1{--c:#f0883e}.s2{--c:#3fb950}.s3{--c:#ab7df8}.s4{--c:#9198a1}.mark{stroke:#0d1117}
}
"""
_MARKS = (
    "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0z",
    "M-4.4-4.4h8.8v8.8h-8.8z",
    "M0-5.6L5.2 4H-5.2z",
    "M0-6.2L5 0L0 6.2L-5 0z",
    "M0 5.6L5.2-4H-5.2z",
)


class Axis(NamedTuple):
    """What it measures, from the least value to the most, and which values are labelled."""

    label: str
    low: float
    high: float
    ticks: Sequence[tuple[float, str]]
    log: bool = False

    def share(self, value: float) -> float:
        """How far along the axis *value* is, within its ends."""
        value = min(max(value, self.low), self.high)
        if self.log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)


def log_axis(label: str, values: Iterable[float], unit: str = "") -> Axis:
    """From a round value to another around *values*, labelled at powers of ten; if these are few, also between."""
    several = [value for value in values if value > 0]
    first, last = math.floor(math.log10(min(several))), math.ceil(math.log10(max(several)))
    rounds = [step * 10.0**power for power in range(first, last + 1) for step in (1, 2, 5)]
    low = max(mark for mark in rounds if mark <= min(several) * 1.001)
    high = min(mark for mark in rounds if mark >= max(several) / 1.001)
    steps = rounds if high / low < 500 else rounds[::3]
    marks = [mark for mark in steps if low / 1.001 <= mark <= high * 1.001]
    return Axis(label, low, high, [(mark, f"{mark:,.10g}{unit}") for mark in marks], log=True)


def even_axis(label: str, low: float, high: float, step: float, unit: str = "") -> Axis:
    marks = [low + step * number for number in range(round((high - low) / step) + 1)]
    return Axis(label, low, high, [(mark, f"{mark:,.10g}{unit}".replace("-", "−")) for mark in marks])


class Mark(NamedTuple):
    """A value of a series, with its interval if it has one."""

    series: int
    value: float
    low: float | None = None
    high: float | None = None


class Row(NamedTuple):
    """What has a name and values of its own."""

    name: str
    marks: Sequence[Mark]
    strong: bool = False


def dots(title: str, says: str, axis: Axis, series: Sequence[str], groups: Sequence[tuple[str, Sequence[Row]]]) -> str:
    """Rows of marks over one axis, in groups with headings; *says* is what one needs to know to read it."""
    lines = sum(len(rows) + bool(name) for name, rows in groups)
    top = _HEAD if series else _HEAD - 18
    bottom = top + lines * ROW + 6

    def at(value: float) -> float:
        return SIDE + (WIDTH - SIDE - _RIGHT) * axis.share(value)

    parts = list(_head(title, says, series, SIDE))
    for value, label in axis.ticks:
        kind = "zero" if value == 0 and axis.low < 0 else "grid"
        parts.append(f'<path class="{kind}" d="M{at(value):.1f} {top - 4}V{bottom}"/>')
        parts.append(_text(at(value), bottom + 16, label, "muted", "middle"))
    parts.append(_text(WIDTH - _RIGHT, bottom + 34, axis.label, "muted", "end"))
    y = top + ROW / 2
    for name, rows in groups:
        if name:
            parts.append(_text(16, y + 4.5, name, "strong"))
            y += ROW
        for row in rows:
            if row.strong:
                band = f'x="8" y="{y - ROW / 2:.1f}" width="{WIDTH - 16}" height="{ROW}"'
                parts.insert(0, f'<rect class="band" rx="4" {band}/>')
            parts.append(_text(SIDE - 14, y + 4.5, row.name, "strong" if row.strong else "", "end"))
            for number, mark in enumerate(row.marks):
                aside = y + 4 * (number - (len(row.marks) - 1) / 2)  # or they would hide each other
                if mark.low is not None and mark.high is not None:
                    span = f"M{at(mark.low):.1f} {aside:.1f}H{at(mark.high):.1f}"
                    parts.append(f'<path class="range s{mark.series}" d="{span}"/>')
                parts.append(_mark(at(mark.value), aside, mark.series, f"{row.name}: {mark.value:.4g}"))
            y += ROW
    return _svg(title, bottom + _FOOT, parts)


class Line(NamedTuple):
    """Points that belong together."""

    name: str
    points: Sequence[tuple[float, float]]
    dashed: bool = False


def lines(title: str, says: str, across: Axis, up: Axis, drawn: Sequence[Line]) -> str:
    """Lines over two axes."""
    left, bottom = 76, _HEAD + 300

    def at_x(value: float) -> float:
        return left + (WIDTH - left - _RIGHT - 16) * across.share(value)

    def at_y(value: float) -> float:
        return bottom - (bottom - _HEAD) * up.share(value)

    parts = list(_head(title, says, [line.name for line in drawn], left, [line.dashed for line in drawn]))
    for value, label in up.ticks:
        parts.append(f'<path class="grid" d="M{left} {at_y(value):.1f}H{WIDTH - _RIGHT}"/>')
        parts.append(_text(left - 8, at_y(value) + 4.5, label, "muted", "end"))
    for value, label in across.ticks:
        parts.append(f'<path class="grid" d="M{at_x(value):.1f} {_HEAD}V{bottom}"/>')
        parts.append(_text(at_x(value), bottom + 18, label, "muted", "middle"))
    parts.append(_text(WIDTH - _RIGHT, bottom + 36, f"across: {across.label}; up: {up.label}", "muted", "end"))
    for number, line in enumerate(drawn):
        path = "L".join(f"{at_x(x):.1f} {at_y(y):.1f}" for x, y in line.points)
        dashed = " dashed" if line.dashed else ""
        parts.append(f'<path class="line s{number}{dashed}" d="M{path}"/>')
        if not line.dashed:
            parts += [_mark(at_x(x), at_y(y), number, f"{line.name}: {y:.4g} at {x:,.10g}") for x, y in line.points]
    return _svg(title, bottom + _FOOT, parts)


def _head(title: str, says: str, series: Sequence[str], left: float, dashed: Sequence[bool] = ()) -> Iterator[str]:
    yield _text(16, 26, title, "title")
    yield _text(16, 44, says, "muted")
    x = 16.0 if left < SIDE else float(left)
    for number, name in enumerate(series):
        if any(dashed[number : number + 1]):
            yield f'<path class="line dashed s{number}" d="M{x - 6:.1f} 58h18"/>'
        else:
            yield _mark(x + 6, 58, number, "")
        yield _text(x + 17, 62.5, name, "")
        x += 36 + 6.9 * len(name)


def _mark(x: float, y: float, series: int, says: str) -> str:
    title = f"<title>{escape(says)}</title>" if says else ""
    place = f'transform="translate({x:.1f} {y:.1f})"'
    return f'<path class="mark s{series}" {place} d="{_MARKS[series % len(_MARKS)]}">{title}</path>'


def _text(x: float, y: float, says: str, kind: str, anchor: str = "") -> str:
    end = f' text-anchor="{anchor}"' if anchor else ""
    look = f' class="{kind}"' if kind else ""
    return f'<text{look} x="{x:.1f}" y="{y:.1f}"{end}>{escape(says)}</text>'


def _svg(title: str, height: float, parts: Sequence[str]) -> str:
    card = f'<rect class="card" x=".5" y=".5" width="{WIDTH - 1}" height="{height - 1:.0f}" rx="8"/>'
    box = f'viewBox="0 0 {WIDTH} {height:.0f}" width="{WIDTH}" height="{height:.0f}"'
    inside = "\n".join((card, *parts))
    name = escape(title)
    opened = f'<svg xmlns="http://www.w3.org/2000/svg" {box} role="img" aria-label="{name}">'
    return f"{opened}\n<title>{name}</title>\n<style>{_STYLE}</style>\n{inside}\n</svg>\n"
