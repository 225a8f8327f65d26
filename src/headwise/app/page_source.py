"""The source of a document as HTML: its chunks, what is known of each, and all that lies between them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from headwise.app.markup import id_html, line_html, text_html
from headwise.app.render import breadcrumb, unit
from headwise.chunking.settings import Settings
from headwise.chunking.split import Analysis
from headwise.indexing.records import record_id
from headwise.model import Chunk, Document, Span, plain


def source_html(document: Document, analysis: Analysis, settings: Settings, number: int) -> Iterator[str]:
    """The text of *document*, the *number*-th of its page, from its first to its last character.

    The text in elements of the class `source`, put together, is the document's text with LF newlines. Only
    what HTML cannot hold, NUL and lone surrogates, stands there as U+FFFD.
    """
    text, chunks = document.text, analysis.chunks
    repeated = [Span(chunk.start, chunk.own_start) for chunk in chunks if chunk.start < chunk.own_start]
    places = [(c.own_start, c.end, _chunk(document, c, settings, repeated, number)) for c in chunks]
    places += [(d.start, d.end, _dropped(text, d.start, d.end, d.reason)) for d in analysis.dropped]
    at = 0
    for start, end, html in (*sorted(places), (len(text), len(text), "")):
        if at < start:
            yield f'<div class="source gap">{text_html(text[at:start])}</div>'
        if html:
            yield html
        at = end


def _chunk(document: Document, chunk: Chunk, settings: Settings, repeated: Sequence[Span], number: int) -> str:
    """A chunk in its place: what is known of it, and its own text between what is added for the embedder."""
    place = f"d{number}c{chunk.index}"
    kind = ("chunk", *(("odd",) if chunk.index % 2 else ()), *(("over",) if chunk.oversize else ()))
    limit = f"{settings.max_tokens} {unit(settings.tokenizer)}"
    meter = f'<span class="meter" style="{size_style(chunk, settings)}"></span>'
    again = plain(document.text[chunk.start : chunk.own_start], chunk.start, chunk.omitted)
    return "".join(
        (
            f'<section class="{" ".join(kind)}" id="{place}" aria-labelledby="{place}h">\n<div class="meta">\n',
            f'<h3 id="{place}h"><a href="#{place}">Chunk {chunk.index + 1}</a> · {lines_of(chunk)}</h3>\n',
            f'<p class="trail">{line_html(breadcrumb(chunk.title, chunk.headings))}</p>\n',
            f'<p class="size">{meter}{chunk.tokens} / {limit}</p>\n',
            "<p><strong>over the limit</strong>: one character alone</p>\n" if chunk.oversize else "",
            f"<p>{', '.join(kind.replace('_', ' ') for kind in chunk.kinds)}</p>\n",
            f'<p><code>{id_html(record_id(document.path, chunk))}</code></p>\n</div>\n<div class="body">',
            _added("added before", chunk.context),
            _added("repeated from above", again),
            '<div class="text" dir="auto" lang="">',
            *_own(document.text, chunk, repeated),
            "</div>",
            _added("added after", chunk.context_after),
            "</div>\n</section>",
        )
    )


def _dropped(text: str, start: int, end: int, reason: str) -> str:
    return (
        f'<div class="dropped">\n<div class="meta"><p>{text_html(reason)}: in no chunk</p></div>\n'
        f'<div class="text source" dir="auto" lang="">{text_html(text[start:end])}</div>\n</div>'
    )


def _added(label: str, text: str) -> str:
    """What an embedder is given beside a chunk's own text; nothing if there is none."""
    shown = text.strip("\n")
    if not shown:
        return ""
    return (
        f'<div class="added"><span class="label">{label}</span>'
        f'<div class="text" dir="auto" lang="">{text_html(shown)}</div></div>'
    )


def _own(text: str, chunk: Chunk, repeated: Sequence[Span]) -> Iterator[str]:
    """A chunk's own text, with what is left out for an embedder set apart."""
    at = chunk.own_start
    for span in chunk.omitted:
        start, end = max(span.start, at), span.end
        if start < end:
            yield _marked(text, at, start, repeated)
            what = "data URI" if text.startswith("data:", span.start) else "comment"
            yield f'<span class="label">left out for the embedder: {what}, {end - start:,} characters</span>'
            yield f'<span class="source omitted" tabindex="0">{text_html(text[start:end])}</span>'
            at = end
    yield _marked(text, at, chunk.end, repeated)


def _marked(text: str, start: int, end: int, repeated: Sequence[Span]) -> str:
    """A stretch of source, with what chunks after it repeat marked; *repeated* is in order, by start and by end."""
    parts: list[str] = []
    at = start
    first = bisect_right(repeated, start, key=lambda span: span.end)
    for span in repeated[first : bisect_left(repeated, end, lo=first, key=lambda span: span.start)]:
        a, b = max(span.start, at), min(span.end, end)
        parts.append(f"{text_html(text[at:a])}<mark>{text_html(text[a:b])}</mark>")
        at = b
    return f'<span class="source">{"".join(parts)}{text_html(text[at:end])}</span>'


def size_style(chunk: Chunk, settings: Settings) -> str:
    """How much of the limit a chunk takes, for the style sheet."""
    return f"--size: {min(100, 100 * chunk.tokens // settings.max_tokens)}%"


def lines_of(chunk: Chunk) -> str:
    """`lines 12–30`, or `line 12`."""
    if chunk.start_line == chunk.end_line:
        return f"line {chunk.start_line}"
    return f"lines {chunk.start_line}–{chunk.end_line}"
