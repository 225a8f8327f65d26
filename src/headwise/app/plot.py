"""Plots drawn as SVG that needs nothing else: what stands where, in units that a style sheet colours."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from headwise.app.markup import bare_html
from headwise.app.visible import one_line

WIDTH = 360
"""Of every plot, in units of about a pixel on a phone."""
_LEFT, _RIGHT, _TOP, _BOTTOM = 38, 8, 8, 32
_HEIGHT = 240
_MARKS = (
    "M-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0z",
    "M-3.2-3.2h6.4v6.4h-6.4z",
    "M0-4.2L3.9 3H-3.9z",
    "M0-4.6L3.6 0L0 4.6L-3.6 0z",
    "M0 4.2L3.9-3H-3.9z",
    "M-1.4-4h2.8v2.6h2.6v2.8h-2.6v2.6h-2.8v-2.6h-2.6v-2.8h2.6z",
)
COLOURS, DASHES = 7, 4
"""How many the style sheet has."""


class Look(NamedTuple):
    """How a contender is told from others without its colour, and with it."""

    colour: int
    """Of its family, which also has a dash."""
    mark: int
    """Of its place in the family."""
    strong: bool

    @property
    def classes(self) -> str:
        """For the style sheet."""
        strong = " strong" if self.strong else ""
        return f"c{self.colour % COLOURS} d{self.colour % DASHES}{strong}"


class Point(NamedTuple):
    """A value with its interval, and what is said of it under the pointer."""

    x: float
    y: float
    low: float
    high: float
    says: str


class Line(NamedTuple):
    """The points of a contender."""

    look: Look
    points: Sequence[Point]


class Axis(NamedTuple):
    """From the least value to the most, with the places that are labelled."""

    low: float
    high: float
    ticks: Sequence[tuple[float, str]]
    label: str


def axis(values: Iterable[float], label: str, *, percent: bool = False, least: float | None = None) -> Axis:
    """An axis for *values*, with at most six round labels; of shares, in per cent and within 0 to 1."""
    several = list(values) or [0.0]
    low, high = min(several) if least is None else least, max(several)
    step = next(step for step in _steps(0.01 if percent else 1) if (high - low) / step <= 5)
    start = math.floor(low / step + 1e-9) * step
    end = max(math.ceil(high / step - 1e-9) * step, start + step)
    if percent:
        start, end = max(0.0, start), min(1.0, end)
    marks = [start + number * step for number in range(round((end - start) / step) + 1)]
    ticks = [(mark, f"{mark:.0%}" if percent else f"{mark:,.0f}") for mark in marks if mark <= end + step / 1000]
    return Axis(start, end, ticks, label)


def _steps(unit: float) -> Iterator[float]:
    power = 0
    while True:
        for one in (1, 2, 5):
            yield one * unit * 10**power
        power += 1


def xy_plot(name: str, says: str, across: Axis, up: Axis, lines: Sequence[Line], *, joined: bool) -> str:
    """*lines* with their intervals over two axes; *joined* connects the points of each."""
    wide, high = WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM

    def at_x(value: float) -> float:
        return _LEFT + wide * (value - across.low) / (across.high - across.low)

    def at_y(value: float) -> float:
        return _TOP + high * (1 - (value - up.low) / (up.high - up.low))

    parts = [*_grid(across, up, at_x, at_y)]
    # side by side, as their intervals would lie over each other
    step = min(6.0, 60 / len(lines)) if joined and lines else 0.0
    # the strong one last, over all others
    for number, line in sorted(enumerate(lines), key=lambda one: one[1].look.strong):
        aside = (number - (len(lines) - 1) / 2) * step
        places = [(at_x(point.x) + aside, at_y(point.y), point) for point in line.points]
        parts.append(f'<g class="{line.look.classes}">')
        for x, _, point in places:
            top, bottom = at_y(min(point.high, up.high)), at_y(max(point.low, up.low))
            parts.append(f'<path class="range" d="M{x:.1f} {top:.1f}V{bottom:.1f}"/>')
        if joined:
            path = "L".join(f"{x:.1f} {y:.1f}" for x, y, _ in places)
            parts.append(f'<path class="line" d="M{path}"/>')
        parts += [_mark(x, y, line.look, point.says) for x, y, point in places]
        parts.append("</g>")
    return _svg(name, says, _HEIGHT, parts)


def _grid(across: Axis, up: Axis, at_x: Callable[[float], float], at_y: Callable[[float], float]) -> Iterator[str]:
    right, bottom = WIDTH - _RIGHT, _HEIGHT - _BOTTOM
    for value, label in up.ticks:
        y = at_y(value)
        yield f'<path class="grid" d="M{_LEFT} {y:.1f}H{right}"/>'
        yield f'<text class="end" x="{_LEFT - 5}" y="{y + 3.5:.1f}">{label}</text>'
    for value, label in across.ticks:
        x = at_x(value)
        yield f'<path class="tick" d="M{x:.1f} {bottom}v4"/>'
        yield f'<text class="middle" x="{x:.1f}" y="{bottom + 14}">{label}</text>'
    yield f'<path class="axis" d="M{_LEFT} {bottom}H{right}"/>'
    yield f'<text class="end muted" x="{right}" y="{_HEIGHT - 5}">{across.label}</text>'


def _mark(x: float, y: float, look: Look, says: str) -> str:
    title = f"<title>{bare_html(one_line(says))}</title>" if says else ""
    place = f'transform="translate({x:.1f} {y:.1f})"'
    return f'<path class="mark" {place} d="{_MARKS[look.mark % len(_MARKS)]}">{title}</path>'


def swatch(look: Look) -> str:
    """The line and mark of a contender, to stand beside its name."""
    line = '<path class="line" d="M1 7H31"/>'
    inside = f'<g class="{look.classes}">{line}{_mark(16, 7, look, "")}</g>'
    return f'<svg class="swatch" viewBox="0 0 32 14" width="32" height="14" aria-hidden="true">{inside}</svg>'


class Row(NamedTuple):
    """A contender's own strip of a plot."""

    name: str
    look: Look
    says: str
    """Beside the name."""
    bars: Sequence[float]
    """Shares of the strip's height, side by side; or the length of one bar, as a share of the width."""
    marked: float | None = None
    """A place that is pointed at, as a share of the width."""


_NAME, _STRIP, _GAP = 14, 26, 10


def rows_plot(name: str, says: str, rows: Sequence[Row], across: Axis, *, upright: bool) -> str:
    """A strip for every contender over one axis: bars that stand side by side (*upright*), or one that lies."""
    wide = WIDTH - 2 * _RIGHT
    strip = _STRIP if upright else _GAP
    each = _NAME + strip + _GAP
    height = each * len(rows) + _BOTTOM
    parts: list[str] = []
    for number, row in enumerate(rows):
        top = number * each
        foot = top + _NAME + strip + 3
        parts.append(f'<g class="{row.look.classes}">')
        parts.append(f'<text x="{_RIGHT}" y="{top + 12}">{bare_html(one_line(row.name))}</text>')
        parts.append(f'<text class="end muted" x="{WIDTH - _RIGHT}" y="{top + 12}">{bare_html(row.says)}</text>')
        if upright:
            each_bar = wide / len(row.bars)
            for at, share in enumerate(row.bars):
                tall = max(share * strip, 0.6) if share else 0
                place = f'x="{_RIGHT + at * each_bar + 0.5:.1f}" y="{foot - tall:.1f}"'
                if tall:
                    parts.append(f'<rect class="bar" {place} width="{each_bar - 1:.1f}" height="{tall:.1f}"/>')
        else:
            long = max(row.bars[0] * wide, 0.6)
            parts.append(f'<rect class="bar" x="{_RIGHT}" y="{foot - strip}" width="{long:.1f}" height="{strip}"/>')
        parts.append(f'<path class="axis" d="M{_RIGHT} {foot}H{WIDTH - _RIGHT}"/>')
        if row.marked is not None:
            x = _RIGHT + min(row.marked, 1) * wide
            parts.append(f'<path class="pointer" d="M{x:.1f} {foot - strip - 1}V{foot + 4}"/>')
        parts.append("</g>")
    foot = each * len(rows)
    for value, label in across.ticks:
        share = (value - across.low) / (across.high - across.low)
        anchor = "end" if share > 0.97 else "middle" if share > 0.03 else "start"
        parts.append(f'<text class="{anchor}" x="{_RIGHT + share * wide:.1f}" y="{foot + 10}">{label}</text>')
    parts.append(f'<text class="end muted" x="{WIDTH - _RIGHT}" y="{height - 5}">{across.label}</text>')
    return _svg(name, says, height, parts)


def _svg(name: str, says: str, height: float, parts: Sequence[str]) -> str:
    """A picture with the title *name*, which is an id, too, and what it *says* to those who do not see it."""
    ident = "".join(letter if letter.isalnum() else "-" for letter in name.lower())
    head = f'<svg class="plot" viewBox="0 0 {WIDTH} {height}" role="img" aria-labelledby="{ident}-t {ident}-d">'
    named = f'<title id="{ident}-t">{bare_html(name)}</title>\n<desc id="{ident}-d">{bare_html(says)}</desc>'
    return "\n".join([head, named, *parts, "</svg>"])
