"""Chunks as HTML that is safe to show: Markdown by the parser that cut it, then only what a short list allows."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

import nh3
import pyromark

from headwise.app.markup import bare_html
from headwise.app.visible import visible
from headwise.model import Chunk, Format, plain

_OPTIONS: Final = (
    pyromark.Options.ENABLE_TABLES
    | pyromark.Options.ENABLE_FOOTNOTES
    | pyromark.Options.ENABLE_STRIKETHROUGH
    | pyromark.Options.ENABLE_TASKLISTS
    | pyromark.Options.ENABLE_MATH
    | pyromark.Options.ENABLE_GFM
    | pyromark.Options.ENABLE_WIKILINKS
)
_MARKDOWN: Final = pyromark.Markdown(options=_OPTIONS)

_TAGS: Final = {
    *("p", "div", "span", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre", "code"),
    *("ul", "ol", "li", "dl", "dt", "dd", "table", "thead", "tbody", "tr", "th", "td", "details", "summary"),
    *(
        "em",
        "strong",
        "b",
        "i",
        "u",
        "s",
        "del",
        "ins",
        "mark",
        "small",
        "sub",
        "sup",
        "kbd",
        "samp",
        "var",
        "a",
        "img",
    ),
}
_ATTRIBUTES: Final = {
    "a": {"href", "title"},
    "img": {"src", "alt", "title"},
    "ol": {"start"},
    "th": {"colspan", "rowspan"},
    "td": {"colspan", "rowspan"},
}
_CLASSES: Final = {
    "span": {"math", "math-inline", "math-display"},
    "sup": {"footnote-reference", "footnote-definition-label"},
    "div": {"footnote-definition"},
}
_GONE: Final = {"script", "style", "template", "noscript", "iframe", "object", "svg", "math", "title", "textarea"}
"""What goes with all that is in it; of all other elements that are not allowed, the text stays."""

_PICTURE: Final = re.compile(r"data:image/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=\s]*\Z")
_BOXES: Final = (
    ('<input disabled="" type="checkbox"/>', "\u2610"),
    ('<input disabled="" type="checkbox" checked=""/>', "\u2611"),
)
_UNWRITABLE: Final = re.compile("[\x00\ud800-\udfff]")

Resolve = Callable[[str], str | None]
"""From the target of a relative link, as written in a URL, to where it leads on the page; None if nowhere."""


def chunk_html(chunk: Chunk, document_format: Format, resolve: Resolve) -> str:
    """*chunk* with its context: what only precedes it in an element of the class `context`.

    Context that its text needs to be read, a table's header or the opening of a fence, stays with the text.
    """
    before, after = chunk.context, chunk.context_after
    text = plain(chunk.text, 0, ())
    if document_format == "plain":
        return _context(_paragraphs(before)) + _paragraphs(text)
    above, gap, opening = before.rpartition("\n\n")
    return _context(safe_html(above + gap, resolve)) + safe_html(opening + text + after, resolve)


def safe_html(markdown: str, resolve: Resolve) -> str:
    """*markdown* as HTML in which nothing runs, nothing is loaded, and nothing looks like a part of the page.

    Elements, attributes and classes are those of a short list; ids are not among them. Links are to http, https and
    mailto, or to what *resolve* knows. Pictures are shown if they are inside the text, else their description.
    """
    html = _MARKDOWN.html(_UNWRITABLE.sub("\ufffd", markdown))
    for box, sign in _BOXES:
        html = html.replace(box, sign)
    return nh3.clean(
        html,
        tags=_TAGS,
        clean_content_tags=_GONE,
        attributes=_ATTRIBUTES,
        attribute_filter=_attribute,
        allowed_classes=_CLASSES,
        url_schemes={"http", "https", "mailto", "data"},
        url_relative=resolve,
        link_rel="noopener noreferrer nofollow",
    )


def _attribute(_tag: str, name: str, value: str) -> str | None:
    """*value*, if an attribute may have it: pictures show only what is inside the text, links lead to no data."""
    if name == "src":
        return value if _PICTURE.match(value) else None
    if name == "href" and value.lstrip().lower().startswith("data:"):
        return None
    return value


def _context(html: str) -> str:
    return f'<div class="context">{html}</div>' if html else ""


def _paragraphs(text: str) -> str:
    return "".join(f"<p>{bare_html(part)}</p>" for part in re.split(r"\n{2,}", visible(text).strip("\n")) if part)
