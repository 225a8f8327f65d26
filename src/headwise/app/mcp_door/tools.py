"""The tools: what each is for, in words that a model uses it rightly by, and what it does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from headwise.app.mcp_door.answers import (
    Asked,
    LinkAnswer,
    NearAnswer,
    OutlineAnswer,
    OutlineAsked,
    Passage,
    ReadAnswer,
    ReadAsked,
    RelatedAnswer,
    RelatedAsked,
    SearchAnswer,
    SearchAsked,
    SectionAnswer,
)
from headwise.app.mcp_door.desk import Desk
from headwise.app.mcp_door.headings import headings_of
from headwise.app.mcp_door.slices import cut_slice
from headwise.app.mcp_door.texts import line, outline_text, plain, read_text, related_text, search_text
from headwise.chunking.measure import find_measure
from headwise.errors import NotStoredError, SettingsError
from headwise.indexing.budget import MEASURE
from headwise.indexing.locate import locate
from headwise.indexing.prompt import SEPARATOR, trail
from headwise.indexing.related import Linked
from headwise.model import Hit

_SECTIONS = 100
"""Sections of an outline in one answer."""
_LINKS = 25
"""Links of each direction in one answer."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool."""

    name: str
    title: str
    description: str
    asked: type[Asked]
    answer: type[BaseModel]
    call: Callable[[Desk, Any], tuple[str, BaseModel]]
    """From what is read and the arguments to the answer, as text and as structured content."""


def search(desk: Desk, asked: SearchAsked) -> tuple[str, SearchAnswer]:
    """The passages that answer best.

    Raises:
        SettingsError: if nothing was asked for.
    """
    if not (asked.query.strip() or asked.path or asked.tag):
        raise SettingsError("query is empty: give words or a question, or a path or a tag whose documents to list")
    found = desk.index.find(asked.query, asked.limit, asked.budget, asked.path or None, asked.tag, as_prompt=True)
    passages = [_passage(desk, hit) for hit in found.hits]
    notes = [line(note) for note in found.notes]
    text, count = search_text(passages, notes), find_measure(MEASURE).count
    while passages and count(text) > asked.budget:  # ids are in no budget of the search
        passages.pop()
        text = search_text(passages, notes)
    if not passages and found.matched:
        notes.append(f"passages were found, but none fits into {asked.budget} tokens: raise budget")
    elif not passages and (asked.path or asked.tag):
        notes.append("nothing found: try without path and tag, or other words")
    elif not passages:
        notes.append("nothing found: try other words, or fewer")
    return search_text(passages, notes), SearchAnswer(passages=passages, notes=notes)


def read(desk: Desk, asked: ReadAsked) -> tuple[str, ReadAnswer]:
    """A document, a section or a passage, or a slice of it.

    Raises:
        NotStoredError: if there is no such thing, or nothing of it is indexed.
        SettingsError: if it ends before the offset.
    """
    place = locate(desk.index.store, asked.name)
    if not place.records:
        raise NotStoredError(f"nothing of {place.path} is indexed: it is empty, or keeps itself out")
    found = cut_slice(place.records, asked.offset, asked.max_tokens)
    if found is None:
        raise SettingsError(f"offset is {asked.offset}, but {asked.name} ends before it: begin again with offset=0")
    headings = place.records[0].chunk.headings if place.fragment else ()
    answer = ReadAnswer(
        path=line(place.path),
        start_line=found.start_line,
        end_line=found.end_line,
        breadcrumb=_breadcrumb(place.document.title, headings),
        text=plain(found.text),
        next_offset=found.next_offset,
    )
    return read_text(answer), answer


def outline(desk: Desk, asked: OutlineAsked) -> tuple[str, OutlineAnswer]:
    """The sections of a document.

    Raises:
        NotStoredError: if there is no such document.
    """
    place = locate(desk.index.store, asked.name)
    every = headings_of(place.document, is_vault=desk.is_vault())
    shown = every[asked.offset : asked.offset + _SECTIONS]
    upto = asked.offset + len(shown)
    answer = OutlineAnswer(
        path=line(place.path),
        title=line(place.document.title),
        end_line=place.document.records[-1].chunk.end_line if place.document.records else 0,
        sections=[
            SectionAnswer(
                level=one.level,
                title=line(one.title),
                name=line(f"{place.path}#{one.anchor}"),
                start_line=one.start_line,
                end_line=one.end_line,
                tokens=one.tokens,
            )
            for one in shown
        ],
        next_offset=upto if upto < len(every) else None,
    )
    return outline_text(answer), answer


def related(desk: Desk, asked: RelatedAsked) -> tuple[str, RelatedAnswer]:
    """What a document or section has to do with others.

    Raises:
        NotStoredError: if there is no such document or section.
    """
    found = desk.index.related(asked.name)
    answer = RelatedAnswer(
        path=line(found.path),
        anchor=line(found.anchor),
        links=[_link(one) for one in found.links[:_LINKS]],
        backlinks=[_link(one) for one in found.backlinks[:_LINKS]],
        near=[
            NearAnswer(path=line(one.path), title=line(one.title), id=line(one.id), score=round(one.score, 3))
            for one in found.near
        ],
        left_out=max(len(found.links) - _LINKS, 0) + max(len(found.backlinks) - _LINKS, 0),
        notes=[line(note) for note in found.notes],
    )
    return related_text(answer), answer


_SEARCH = """\
Find passages in the user's documents by words and by meaning. Begin here whenever a question may be answered by their \
notes or docs. Ask once with the question itself; if nothing fits, ask again with other words. Each passage comes with \
path:lines to cite and an id: `read` the id's section (`path#anchor`) or its path for more around it.
Examples: {"query": "how many pins does the motor driver need"}; {"query": "restart", "path": "Server", "limit": 3}; \
{"tag": ["recipe"]} lists what has a tag."""

_READ = """\
Read a document, a section or a passage in full. Take name from another answer: an id (`path#anchor::0`) is that \
one passage, `path#anchor` the section with those inside it, a path the whole document. Prefer a section to a long \
document: `outline` says how many tokens each takes. Long text comes in slices: go on with offset = next_offset.
Examples: {"name": "Robots/SMARS.md#motor-wiring"}; {"name": "Robots/SMARS.md", "offset": 5120}."""

_OUTLINE = """\
List a document's sections with their lines, their size in tokens, and the name to `read` each by. Use it before \
reading a long document, or to see what it is about.
Example: {"name": "Robots/SMARS.md"}."""

_RELATED = """\
Show what a document or section is connected with: where its links lead, what links to it, and which other documents \
are near in meaning. Use it to widen an answer, or to follow a thread that a search cannot find by words.
Examples: {"name": "Robots/SMARS.md"}; {"name": "SMARS#Motor wiring"}."""

TOOLS: Mapping[str, Tool] = {
    tool.name: tool
    for tool in (
        Tool("search", "Search the documents", _SEARCH, SearchAsked, SearchAnswer, search),
        Tool("read", "Read a document or section", _READ, ReadAsked, ReadAnswer, read),
        Tool("outline", "Outline a document", _OUTLINE, OutlineAsked, OutlineAnswer, outline),
        Tool("related", "What is connected", _RELATED, RelatedAsked, RelatedAnswer, related),
    )
}
"""The tools by name. None of them writes."""


def _passage(desk: Desk, hit: Hit) -> Passage:
    opening = desk.opening(hit)
    return Passage(
        rank=hit.rank,
        path=line(hit.path),
        start_line=hit.start_line,
        end_line=hit.end_line,
        breadcrumb=_breadcrumb(hit.title, hit.headings),
        id=line(hit.id),
        score=round(hit.score, 3),
        text=plain(hit.text),
        open=opening and line(opening.shown),
    )


def _link(one: Linked) -> LinkAnswer:
    return LinkAnswer(path=line(one.path), title=line(one.title), part=line(one.fragment))


def _breadcrumb(title: str, headings: tuple[str, ...]) -> str:
    return line(SEPARATOR.join(trail(title, headings)))
