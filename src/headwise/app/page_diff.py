"""Two cuts of one document, as one web page that needs nothing else: the source twice, in step, coloured by chunk."""

from __future__ import annotations

from collections.abc import Iterator

from headwise.app.markup import line_html, text_html
from headwise.app.page import frame
from headwise.app.page_source import lines_of, size_style
from headwise.app.render import breadcrumb, unit
from headwise.app.sides import Side, Sides
from headwise.chunking.compare import Stretch, stretches
from headwise.model import Chunk

_LEGEND = """\
<ul class="legend" aria-label="Legend">
<li class="chunk">a chunk</li>
<li class="chunk odd">the next one</li>
<li class="both">a boundary of both</li>
<li class="lone">of one side only</li>
<li class="dropped">in no chunk</li>
</ul>"""


def diff_page(sides: Sides) -> str:
    """The page: figures, boundaries of one side only as a list, then the text with both cuts.

    Where there is no room for two columns, the text stands once: the left cut is its colour, the right a strip beside
    it. The text in elements of the class `source`, put together, is the document's text with LF newlines.
    """
    title = f"Two cuts of {sides.document.path}"
    body = [
        f"<header>\n<h1>Two cuts of {line_html(sides.document.path)}</h1>",
        *(_figures(side) for side in (sides.left, sides.right)),
        f"<p>{text_html(sides.verdict)}.</p>",
        f"{_LEGEND}\n</header>",
        *_differences(sides),
        '<main class="pair">',
        *_titles(sides),
        *(_row(sides, stretch) for stretch in _stretches(sides)),
        "</main>",
    ]
    return frame(title, "\n".join(body))


def _stretches(sides: Sides) -> list[Stretch]:
    return stretches(len(sides.document.text), sides.left.chunks, sides.right.chunks)


def _figures(side: Side) -> str:
    label = f"<strong>{side.name.capitalize()}:</strong> <code>{text_html(side.label)}</code>"
    return f'<p>{label} <span class="muted">{side.figures}</span></p>'


def _titles(sides: Sides) -> Iterator[str]:
    yield '<div class="row titles">'
    for side in (sides.left, sides.right):
        yield f'<p class="{side.name}">{side.name.capitalize()} <code>{text_html(side.label)}</code></p>'
    yield "</div>"


def _differences(sides: Sides) -> Iterator[str]:
    """A link to every boundary that only one side has, in order of place."""
    lone = [(c.own_start, side, c) for side in (sides.left, sides.right) for c in side.chunks]
    lone = sorted(((a, s, c) for a, s, c in lone if a not in sides.both), key=lambda found: found[0])
    if not lone:
        return
    yield f"<nav>\n<details>\n<summary>{len(lone):,} boundaries of one side only</summary>"
    yield '<ol class="outline">'
    for _, side, chunk in lone:
        name = chunk.headings[-1] if chunk.headings else chunk.title or "text"
        yield (
            f'<li><a href="#{_place(side, chunk)}">{_name(side, chunk)}</a> '
            f'<span class="muted">{lines_of(chunk)}, {line_html(name)}</span></li>'
        )
    yield "</ol>\n</details>\n</nav>"


def _row(sides: Sides, stretch: Stretch) -> str:
    """A stretch of the text on both sides, with the heads of the chunks that begin there."""
    text = sides.document.text[stretch.start : stretch.end]
    source, blank = text_html(text), text.isspace()
    if blank and stretch.left is stretch.right is None:
        return f'<div class="source gap">{source}</div>'
    places = (sides.left, stretch.left), (sides.right, stretch.right)
    heads = [_head(sides, side, index, stretch) for side, index in places]
    parts = ['<div class="row">']
    if any(heads):
        parts += [
            head or f'<div class="head rest {side.name} {_colour(index, blank=blank)}"></div>'
            for head, (side, index) in zip(heads, places, strict=True)
        ]
    left, right = (_colour(index, blank=blank) + " thin" * blank for _, index in places)
    shown = f'dir="auto" lang="">{source}</div></div>'
    parts.append(f'<div class="side left {left}"><div class="text source" {shown}')
    parts.append(f'<div class="side right {right}" aria-hidden="true"><div class="text" {shown}\n</div>')
    return "\n".join(parts)


def _colour(index: int | None, *, blank: bool) -> str:
    if index is None:
        return "none" if blank else "out"
    return "odd" if index % 2 else "even"


def _head(sides: Sides, side: Side, index: int | None, stretch: Stretch) -> str:
    """What is known of the chunk that begins with *stretch*; empty if none does."""
    if index is None or side.chunks[index].own_start != stretch.start:
        return ""
    chunk = side.chunks[index]
    place, repeated = _place(side, chunk), chunk.own_start - chunk.start
    edge = "both" if chunk.own_start in sides.both else "lone"
    meter = f'<span class="meter" style="{size_style(chunk, side.settings)}"></span>'
    limit = f"{side.settings.max_tokens} {unit(side.settings.tokenizer)}"
    facts = [lines_of(chunk), f"only {side.name}" if edge == "lone" else "a boundary of both"]
    if index in side.same:
        facts.append("the same chunk on both sides")
    if repeated:
        facts.append(f"repeats {repeated:,} characters")
    kind = f"head {side.name} {_colour(index, blank=False)} {edge}"
    return (
        f'<section class="{kind}" id="{place}" aria-labelledby="{place}h">\n'
        f'<h3 id="{place}h"><a href="#{place}">{_name(side, chunk)}</a></h3>\n'
        f'<p class="trail">{line_html(breadcrumb(chunk.title, chunk.headings))}</p>\n'
        f'<p class="size">{meter}{chunk.tokens} / {limit}</p>\n<p>{" · ".join(facts)}</p>\n</section>'
    )


def _place(side: Side, chunk: Chunk) -> str:
    return f"{side.name[0]}{chunk.index + 1}"


def _name(side: Side, chunk: Chunk) -> str:
    return f"{side.name.capitalize()} {chunk.index + 1}"
