"""Documents with their chunks, as one web page that needs nothing else: the source, coloured and annotated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from importlib.resources import files
from string import Template
from typing import NamedTuple

from headwise.app.figures import distribution
from headwise.app.markup import bare_html, line_html, text_html
from headwise.app.page_source import lines_of, size_style, source_html
from headwise.app.render import unit
from headwise.app.visible import one_line
from headwise.chunking.settings import Settings
from headwise.chunking.split import Analysis
from headwise.model import Chunk, Document

_LEGEND = """\
<ul class="legend" aria-label="Legend">
<li class="chunk">a chunk</li>
<li class="chunk odd">the next one</li>
<li class="added">added around it, or repeated in it, for the embedder</li>
<li><mark>repeated by the next chunk</mark></li>
<li class="omitted">in the chunk, left out for the embedder</li>
<li class="dropped">in no chunk</li>
</ul>"""


class Article(NamedTuple):
    """A document on the page: how it is listed, and its HTML."""

    path: str
    chunks: int
    html: str


def page(articles: Sequence[Article], settings: Settings) -> str:
    """The page that holds *articles*, cut with *settings*."""
    what = one_line(articles[0].path) if len(articles) == 1 else f"{len(articles):,} documents"
    over = f", overlap {settings.overlap}" if str(settings.overlap) not in {"0", "0%", "0s"} else ""
    word = unit(settings.tokenizer)
    measured = (
        f"{settings.max_tokens} {word}"
        if word == settings.tokenizer
        else f"{settings.max_tokens} {word} ({settings.tokenizer})"
    )
    body = [
        f"<header>\n<h1>Chunks of {text_html(what)}</h1>",
        f'<p class="muted">At most {measured}{text_html(over)}, cut by {settings.strategy}.</p>',
        f"{_LEGEND}\n</header>",
        *(_documents(articles) if len(articles) > 1 else ()),
        "<main>",
        *(article.html for article in articles),
        "</main>",
    ]
    return frame(f"Chunks of {what}", "\n".join(body))


def frame(title: str, body: str) -> str:
    """A page with this title, as text, and this *body*, as HTML."""
    template = Template(files("headwise.app").joinpath("page.html").read_text("utf-8"))
    return template.substitute(title=bare_html(title), body=body)


def _documents(articles: Sequence[Article]) -> Iterator[str]:
    total = sum(article.chunks for article in articles)
    yield f"<nav>\n<details open>\n<summary>{len(articles):,} documents, {total:,} chunks</summary>"
    yield '<ol class="outline">'
    for number, article in enumerate(articles):
        count = _count(article.chunks)
        yield f'<li><a href="#d{number}">{line_html(article.path)}</a> <span class="muted">{count}</span></li>'
    yield "</ol>\n</details>\n</nav>"


def make_article(document: Document, analysis: Analysis, settings: Settings, number: int) -> Article:
    """*document* as cut with *settings*, which stands in place *number* of the page, from 0."""
    chunks = analysis.chunks
    parts = [
        f'<article id="d{number}" aria-labelledby="t{number}">',
        f'<h2 id="t{number}">{line_html(analysis.title or document.path)}</h2>',
        f'<p class="muted">{line_html(document.path)} · {_count(len(chunks))}</p>',
    ]
    if chunks:
        parts += [*_sizes(chunks, settings, number), *_outline(chunks, unit(settings.tokenizer), number)]
    parts += [*source_html(document, analysis, settings, number), "</article>"]
    return Article(document.path, len(chunks), "\n".join(parts))


def _sizes(chunks: Sequence[Chunk], settings: Settings, number: int) -> Iterator[str]:
    """A bar for each chunk, as high as the chunk is large: the dashed line is the limit."""
    sizes = distribution(Counter(chunk.tokens for chunk in chunks))
    yield '<figure>\n<div class="bars" aria-hidden="true">'
    for chunk in chunks:
        over = ' class="over"' if chunk.oversize else ""
        yield f'<a href="#d{number}c{chunk.index}" tabindex="-1"{over} style="{size_style(chunk, settings)}"></a>'
    yield "</div>"
    yield (
        f'<figcaption class="muted">Sizes: min {sizes.min}, median {sizes.median}, p95 {sizes.p95}, '
        f"max {sizes.max} of {settings.max_tokens} {unit(settings.tokenizer)}</figcaption>\n</figure>"
    )


def _outline(chunks: Sequence[Chunk], word: str, number: int) -> Iterator[str]:
    yield '<details>\n<summary>Outline</summary>\n<ol class="outline">'
    for chunk in chunks:
        name = chunk.headings[-1] if chunk.headings else chunk.title or "text"
        depth = max(len(chunk.headings) - 1, 0)
        yield (
            f'<li style="--depth: {depth}"><a href="#d{number}c{chunk.index}">{chunk.index + 1}. {line_html(name)}</a> '
            f'<span class="muted">{lines_of(chunk)}, {chunk.tokens} {word}</span></li>'
        )
    yield "</ol>\n</details>"


def _count(chunks: int) -> str:
    return "1 chunk" if chunks == 1 else f"{chunks:,} chunks"
