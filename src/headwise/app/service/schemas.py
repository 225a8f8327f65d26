"""What answers look like, for the OpenAPI description; answers are made elsewhere, and tests hold them against this."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Characters = Annotated[int, Field(ge=0, description="Code points from the start of the document.")]
Line = Annotated[int, Field(ge=1, description="From 1.")]


class _Answer(BaseModel):
    """Nothing else is in an answer."""

    model_config = ConfigDict(extra="forbid")


class ValueProblem(_Answer):
    """What is wrong with one value of a request."""

    location: Annotated[str, Field(alias="in", description="`query`, `path` or `body`.")]
    name: Annotated[str, Field(description="Of the parameter or member.")]
    detail: str


class Problem(_Answer):
    """Problem details (RFC 9457)."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {
                    "type": "urn:headwise:problem:not-stored",
                    "title": "Not Found",
                    "status": 404,
                    "detail": "there is no document notes.md in the store; name it as search shows it",
                    "instance": "/documents/notes.md",
                    "request_id": "cd1e69f45d406396",
                }
            ]
        },
    )

    type: Annotated[str, Field(description="Names the problem to programs; `about:blank` if the status says it all.")]
    title: str
    status: Annotated[int, Field(ge=400, le=599)]
    detail: Annotated[str, Field(description="One line: what is wrong, and what to do about it.")]
    instance: Annotated[str, Field(description="The path that was asked for.")]
    request_id: Annotated[str, Field(description="As in the header X-Request-ID, and in the log.")]
    errors: list[ValueProblem] = []


class Bar(_Answer):
    """How many sizes lie in a range, both ends included."""

    least: Annotated[int, Field(alias="from", ge=0)]
    most: Annotated[int, Field(alias="to", ge=0)]
    count: Annotated[int, Field(ge=0)]


class Sizes(_Answer):
    """Where the sizes of chunks lie; all 0 if there are none."""

    min: int
    median: int
    p95: int
    max: int
    histogram: list[Bar]


class PassagePlace(_Answer):
    """The span of a hit that matched best by meaning."""

    start: Characters
    end: Characters
    start_line: Line
    end_line: Line


class Copy(_Answer):
    """Where the text of a hit stands again."""

    path: str
    id: str


class Hit(_Answer):
    """A found chunk, or several that follow each other."""

    rank: Annotated[int, Field(ge=1)]
    score: float
    id: Annotated[str, Field(description="For `GET /chunk`; opaque.")]
    path: str
    start: Characters
    end: Characters
    start_line: Line
    end_line: Line
    title: Annotated[str, Field(description="Of the document.")]
    headings: Annotated[list[str], Field(description="The sections that it is in, outermost first.")]
    text: Annotated[str, Field(description="The document's text from `start` to `end`.")]
    link: Annotated[str, Field(description="Percent-encoded path and anchor.")]
    passage: PassagePlace | None
    matched: Annotated[list[str], Field(description="Words of its text that the query asked for.")]
    open: Annotated[str | None, Field(description="A link that opens the place in the user's editor.")]
    also: list[Copy] = []
    explain: Annotated[dict[str, Any] | None, Field(description="How it came by its score, if asked.")] = None


class Found(_Answer):
    """What a search found, best first."""

    query: str
    hits: list[Hit]
    notes: Annotated[list[str], Field(description="What the search had to do without, a line each.")]
    model: Annotated[str | None, Field(description="Whose vectors were compared; null if words alone were.")]
    seconds: float


class Listed(_Answer):
    """A document in a list."""

    path: str
    title: str
    chunks: Annotated[int, Field(ge=0)]
    tokens: Annotated[int, Field(ge=0, description="Of all its chunks.")]
    mtime: str | None
    root: Annotated[str | None, Field(description="The root it is in, if the store has several.")] = None


class DocumentList(_Answer):
    """A page of documents, in order of path."""

    documents: list[Listed]
    next: Annotated[str | None, Field(description="Send it as `after` for the next page; null on the last.")]
    total: Annotated[int, Field(ge=0, description="On all pages.")]


class Section(_Answer):
    """A heading and all up to the next one of its level or above."""

    level: Annotated[int, Field(ge=1, le=6)]
    title: str
    start: Characters
    end: Characters
    start_line: Line
    end_line: Line
    tokens: Annotated[int, Field(ge=0, description="Of its own text, without subsections.")]
    anchor: str


class Dropped(_Answer):
    """Text that is in no chunk, and why."""

    start: Characters
    end: Characters
    reason: str


class Span(_Answer):
    """Characters of the document."""

    start: Characters
    end: Characters


class Passage(_Answer):
    """What is embedded: a part of a chunk."""

    start: Characters
    end: Characters
    tokens: Annotated[int, Field(ge=0)]


class _Chunk(_Answer):
    """A chunk, with the fields of `headwise chunk --json` and more."""

    id: str
    path: str
    index: Annotated[int, Field(ge=0)]
    start: Characters
    own_start: Annotated[int, Field(ge=0, description="From `start` to here it repeats the chunk before.")]
    end: Characters
    start_line: Line
    end_line: Line
    title: str
    headings: list[str]
    anchor: str
    context: Annotated[str, Field(description="What stands before the text for an embedder.")]
    text: Annotated[str, Field(description="The document's text from `start` to `end`, exactly.")]
    context_after: str
    tokens: Annotated[int, Field(ge=0, description="Of context and text together.")]
    kinds: list[str]
    content_hash: str
    metadata: Annotated[dict[str, Any], Field(description="Front matter, folder, tags, links and more.")]
    navigation: Annotated[bool, Field(description="Whether it is only links.")]
    oversize: bool
    omitted: Annotated[list[Span], Field(description="What of it an embedder is not given.")]
    passages: list[Passage]


class CutChunk(_Chunk):
    """A chunk of a text that was sent."""

    html: Annotated[str, Field(description="Rendered and sanitised, context included; only if asked.")] = ""


class DocumentChunk(_Chunk):
    """A chunk as it is stored."""

    html: Annotated[str, Field(description="Rendered and sanitised, context included.")]
    link: str
    open: Annotated[str | None, Field(description="A link that opens the place in the user's editor.")]


class StoredChunk(DocumentChunk):
    """A stored chunk with those beside it."""

    previous: Annotated[str | None, Field(description="Id of the chunk before it in its document.")]
    next: Annotated[str | None, Field(description="Id of the chunk after it in its document.")]


class CutSettings(_Answer):
    """What something was cut with."""

    max_tokens: int
    min_tokens: int
    overlap: str
    strategy: str
    tokenizer: str


class LinkPlace(_Answer):
    """A link as it stands in a document."""

    start: Characters
    end: Characters
    target: str
    kind: Literal["link", "image", "wikilink", "embed"]


class Document(_Answer):
    """A stored document with all that is known of it."""

    path: str
    root: str
    title: str
    tags: list[str]
    aliases: list[str]
    properties: Annotated[dict[str, Any], Field(description="Its front matter.")]
    links: list[LinkPlace]
    warnings: list[str]
    format: Literal["markdown", "mdx", "plain"]
    text: Annotated[str | None, Field(description="All of its file, if that is as it was stored.")]
    stale: Annotated[bool, Field(description="Whether its file has changed or is not there.")]
    sections: Annotated[list[Section], Field(description="Empty if the text is not there.")]
    chunks: list[DocumentChunk]
    dropped: Annotated[list[Dropped], Field(description="Empty if the text is not there.")]
    settings: CutSettings
    open: str | None


class Cut(_Answer):
    """A text that was cut."""

    title: str
    chunks: list[CutChunk]
    sections: list[Section]
    dropped: list[Dropped]
    tokens: Sizes
    settings: CutSettings


class Progress(_Answer):
    """How far a sync is."""

    phase: Literal["reading", "embedding"]
    done: Annotated[int, Field(ge=0, description="Documents read, or passages embedded.")]
    total: int | None


class Job(_Answer):
    """A sync."""

    id: str
    state: Literal["running", "done", "failed"]
    started: str
    finished: str | None
    progress: Progress
    report: Annotated[dict[str, Any] | None, Field(description="As `headwise index --json` ends, with notes.")]
    problem: Annotated[Problem | None, Field(description="Why it failed.")]


class LastSync(_Answer):
    """The last sync of the store, by whomever."""

    started: str
    seconds: float
    documents: Annotated[dict[str, int], Field(description="How many had which outcome.")]


class _Looked(_Answer):
    version: str
    store: Annotated[str, Field(description="Where it is, without a password.")]
    job: Annotated[Job | None, Field(description="The sync that was asked for last.")]
    can_sync: Annotated[bool, Field(description="Whether `POST /index` knows a folder.")]


class Usable(_Looked):
    """A store that can be used."""

    status: Literal["ok"]
    detail: None
    documents: int
    excluded: Annotated[int, Field(description="Documents that keep themselves out.")]
    chunks: int
    passages: int
    pending: Annotated[int, Field(description="Distinct passages without a vector of the model.")]
    model: str | None
    last_sync: LastSync | None
    tokens: Sizes
    editor: Literal["obsidian", "vscode", "file", "none"]


class Unusable(_Looked):
    """A store that cannot be used."""

    status: Literal["unusable"]
    detail: Annotated[str, Field(description="Why, and what to do.")]


class Linked(_Answer):
    """A document at the other end of a link."""

    path: str
    title: str
    fragment: Annotated[str, Field(description="The part that the link names; empty for all of it.")]


class Near(_Answer):
    """A document that is near by its vectors."""

    path: str
    title: str
    id: Annotated[str, Field(description="Of its nearest chunk.")]
    score: float


class Related(_Answer):
    """What a document or a section has to do with others."""

    path: str
    anchor: str
    links: list[Linked]
    backlinks: list[Linked]
    near: list[Near]
    notes: list[str]
