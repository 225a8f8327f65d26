"""The frozen values that flow through Headwise.

Every position is a character (code point) offset into the decoded text, half open; lines count from 1
with both ends included. Sizes are in the unit of the measure that made them (tokens unless said otherwise).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from hashlib import blake2b
from operator import attrgetter
from typing import Any, Final, Literal, NamedTuple

Format = Literal["markdown", "mdx", "plain"]

Kind = Literal[
    "heading",
    "paragraph",
    "code_block",
    "table",
    "table_row",
    "list",
    "list_item",
    "block_quote",
    "html_block",
    "math_block",
    "footnote",
    "thematic_break",
    "admonition",
    "comment",
    "other",
]
"""Kinds of block. `other` holds what has no event of its own, such as link reference definitions."""


class Span(NamedTuple):
    """Characters `start` to `end` (half open) of a document's text."""

    start: int
    end: int


class Block(NamedTuple):
    """A node of the block tree, which is kept flat: blocks in document order with their `depth`.

    Children tile their parent: a block runs from the start of its first line (prefixes such as `> `
    and indentation included) to the start of the next block, so the blank lines after it are its own.
    """

    kind: Kind
    start: int
    end: int
    depth: int
    level: int = 0
    """1 to 6 for a heading, else 0."""
    fence: str = ""
    """The run of backticks or tildes that opens a fenced code block, else empty."""


class Section(NamedTuple):
    """A heading at the top level of a document and all up to the next heading of its level or above."""

    level: int
    title: str
    """The heading's plain text, white space folded; may be empty."""
    start: int
    end: int
    own_start: int
    """Where the heading's own lines end and the section's body begins."""
    own_end: int
    """Where the first section inside it begins (`end` if there is none)."""
    anchor: str
    """GitHub's anchor, unique in the document; an explicit `{#id}` is used as it stands."""
    parent: int
    """Index of the enclosing section in the outline, -1 at the top."""


class Link(NamedTuple):
    """A link, image or embed: where it stands and what it points to, as written."""

    start: int
    end: int
    target: str
    """`page.md#section`, `https://…`, or a wikilink's `Note#Heading` without its alias."""
    kind: Literal["link", "image", "wikilink", "embed"]


class Tag(NamedTuple):
    """A `#tag` in the text, without its `#`."""

    start: int
    end: int
    name: str


class Dropped(NamedTuple):
    """A span of the document that is in no chunk, and why."""

    start: int
    end: int
    reason: str


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The properties at the head of a document.

    `warning` says in one line why `data` is not all that the block says; a title, tags and aliases on lines of
    their own are taken even so.
    """

    end: int = 0
    """Where the body begins: after the byte order mark and the closing line, if there are any."""
    data: Mapping[str, Any] = field(default_factory=dict[str, Any])
    warning: str | None = None

    @property
    def title(self) -> str | None:
        """`title` as text, if it is there and not blank."""
        value = self.data.get("title")
        text = "" if value is None or isinstance(value, (dict, list)) else str(value)
        return " ".join(text.split()) or None

    @property
    def tags(self) -> tuple[str, ...]:
        """`tags` (or `tag`): a list, or words between commas or spaces; without `#`."""
        return tuple(t.lstrip("#") for t in self._words("tags", "tag", spaces=True) if t.lstrip("#"))

    @property
    def aliases(self) -> tuple[str, ...]:
        """`aliases` (or `alias`): a list, or names between commas."""
        return self._words("aliases", "alias", spaces=False)

    def _words(self, *names: str, spaces: bool) -> tuple[str, ...]:
        found: list[str] = []
        for name in names:
            value: Any = self.data.get(name)
            if isinstance(value, str):
                parts = value.replace(",", " ").split() if spaces else value.split(",")
                found += [p.strip() for p in parts]
            elif isinstance(value, list):
                found += [str(v).strip() for v in value if v is not None]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] - YAML has no types
            elif value is not None and not isinstance(value, dict):
                found.append(str(value))
        return tuple(dict.fromkeys(f for f in found if f))


class Shape(NamedTuple):
    """What a block is, wherever it stands; blocks of one shape share it."""

    kind: Kind
    depth: int
    level: int = 0
    fence: str = ""


_new_span: Final[Callable[[tuple[int, int]], Span]] = partial(tuple.__new__, Span)  # pyright: ignore[reportUnknownMemberType] - the stub leaves its items open
_new_block: Final[Callable[[tuple[Kind, int, int, int, int, str]], Block]] = partial(tuple.__new__, Block)  # pyright: ignore[reportUnknownMemberType] - the stub leaves its items open
"""Both take a third of the time of `Span(…)` and `Block(…)`."""


@dataclass(frozen=True, slots=True)
class Spans:
    """Spans in order that do not overlap, kept as two columns: the collector of garbage has less to look at."""

    starts: Sequence[int] = ()
    ends: Sequence[int] = ()

    def __len__(self) -> int:
        return len(self.starts)

    def __iter__(self) -> Iterator[Span]:
        return map(_new_span, zip(self.starts, self.ends, strict=True))

    def __getitem__(self, index: int) -> Span:
        return Span(self.starts[index], self.ends[index])


@dataclass(frozen=True, slots=True)
class Blocks:
    """The blocks of a text in document order, kept as columns: less than half of the memory.

    Whoever looks at one thing of many blocks reads its column.
    """

    starts: Sequence[int] = ()
    ends: Sequence[int] = ()
    shapes: Sequence[Shape] = ()

    def __len__(self) -> int:
        return len(self.starts)

    def __iter__(self) -> Iterator[Block]:
        for (kind, depth, level, fence), start, end in zip(self.shapes, self.starts, self.ends, strict=True):
            yield _new_block((kind, start, end, depth, level, fence))

    def __getitem__(self, index: int) -> Block:
        kind, depth, level, fence = self.shapes[index]
        return _new_block((kind, self.starts[index], self.ends[index], depth, level, fence))


@dataclass(frozen=True, slots=True)
class Tree:
    """A parsed document: its blocks, and what stands inside their lines."""

    text: str
    format: Format
    front_matter: FrontMatter
    lines: Sequence[int]
    """Start of every line; only LF, CR and CRLF end one."""
    blocks: Blocks
    titles: Mapping[int, str]
    """Start of a top-level heading → its plain text."""
    atoms: Spans
    """Spans that are not to be cut: inline code, links, images, formulas, comments, HTML tags."""
    links: tuple[Link, ...]
    tags: tuple[Tag, ...]
    omitted: tuple[Span, ...]
    """Spans left out of the text for an embedder: data URIs and comments."""


class Passage(NamedTuple):
    """A span inside one chunk, small enough to be embedded and matched. `passage` makes one."""

    start: int
    end: int
    context: str
    text: str
    context_after: str
    omitted: tuple[Span, ...]
    content_hash: str
    """BLAKE2b-128 of `embed_text`, as hex: the key of its vector, never its identity."""

    @property
    def embed_text(self) -> str:
        """What an embedder is given, of the same parts as that of a chunk."""
        return for_embedder(self.context, self.text, self.start, self.omitted, self.context_after)


@dataclass(frozen=True, slots=True)
class Chunk:
    """A span of a document that can stand alone: what is shown, cited, and given to a language model."""

    index: int
    """Its number in the document, from 0."""
    start: int
    own_start: int
    """Where its own text begins; from `start` to here it repeats the end of the chunk before."""
    end: int
    start_line: int
    end_line: int
    title: str
    headings: tuple[str, ...]
    """The trail: titles of the sections that contain it, outermost first."""
    anchor: str
    """Anchor of the section it belongs to; empty before the first heading."""
    number: int
    """Its number among the chunks with this anchor, from 0."""
    context: str
    """What is put before `text` for an embedder, separators included: breadcrumb, reopened table header or fence."""
    text: str
    """The document's text from `start` to `end`, exactly."""
    context_after: str
    """What closes after `text` what `context` opened."""
    tokens: int
    """Size of `embed_text` in the measure the document was cut with."""
    kinds: tuple[Kind, ...]
    """Kinds of its outermost blocks, in order, each once."""
    tags: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    omitted: tuple[Span, ...] = ()
    """Spans of the document inside it that `embed_text` leaves out."""
    oversize: bool = False
    """True for a single code point that alone is over the limit."""
    navigation: bool = False
    """True if its own text, headings aside, is only links: a table of contents, "see also", a list of notes."""

    @property
    def embed_text(self) -> str:
        """What an embedder is given: `context`, `text` without `omitted`, `context_after`, with LF newlines."""
        return for_embedder(self.context, self.text, self.start, self.omitted, self.context_after)

    @property
    def content_hash(self) -> str:
        """BLAKE2b-128 of `embed_text`, as hex."""
        return content_hash(self.embed_text)

    def __reduce__(self) -> tuple[type[Chunk], tuple[Any, ...]]:
        """As its fields in order, for other processes: the way of dataclasses takes twice as long."""
        return Chunk, _fields_of_chunk(self)


_fields_of_chunk: Final[Callable[[Chunk], tuple[Any, ...]]] = attrgetter(*[field.name for field in fields(Chunk)])


@dataclass(frozen=True, slots=True)
class Document:
    """One file, read: its text with everything about it that is kept."""

    path: str
    """Relative to the root, with `/`, in Unicode NFC."""
    text: str
    format: Format
    content_hash: str
    """BLAKE2b-128 of the file's bytes, as hex."""
    mtime_ns: int
    size: int
    """Bytes."""
    inode: int
    ctime_ns: int
    warnings: tuple[str, ...] = ()
    obsidian: bool = False
    """True if an `.obsidian` folder lies above it."""

    @property
    def folder(self) -> str:
        """The path without the file's name; empty at the root."""
        return self.path.rpartition("/")[0]


class Record(NamedTuple):
    """A chunk with its identity, as stored."""

    id: str
    """`path#anchor::n`: readable, unique in a root, opaque to programs."""
    path: str
    link: str
    """Percent-encoded `path#anchor`, to open it."""
    chunk: Chunk
    passages: tuple[Passage, ...] = ()
    gap: str = ""
    """The white space between the chunk before it in the document and it; empty if there is none, or anything else."""


class Copy(NamedTuple):
    """Where the text of a hit stands again, the same or nearly so."""

    path: str
    id: str


class Standing(NamedTuple):
    """Where a chunk stands in a list that a search ranked."""

    rank: int
    """From 1."""
    score: float
    """BM25 for words; for vectors the mean of two cosines, of the nearest passage and of all passages together."""


@dataclass(frozen=True, slots=True)
class Scores:
    """How a hit came by its score, which is the sum of `mixed` and all it gained unless a reranker gave another."""

    words: Standing | None
    """None if no word was found in it."""
    vectors: Standing | None
    """None if none of its passages was near."""
    weight: float
    """Share of the vectors in `mixed`; the rest is that of the words."""
    mixed: float
    headings: float
    """What it gained by its title and headings, as far as the query says them."""
    neighbours: float
    """What it gained by standing beside a better chunk."""
    document: float
    """What it gained by the best chunks of its document."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A found chunk: where it is, how well it matches, and its text."""

    rank: int
    """From 1."""
    score: float
    id: str
    path: str
    start: int
    end: int
    start_line: int
    end_line: int
    title: str
    headings: tuple[str, ...]
    text: str
    link: str
    passage: Span | None = None
    """The span inside it that matched best by meaning."""
    also: tuple[Copy, ...] = ()
    """Chunks with the same text, or in another document nearly the same, which are no hits of their own."""
    scores: Scores | None = None
    """None where nothing was ranked."""


def passage(
    start: int, end: int, context: str, text: str, context_after: str, omitted: tuple[Span, ...] = ()
) -> Passage:
    """A passage with the hash of its content, which is asked for again and again."""
    embedded = for_embedder(context, text, start, omitted, context_after)
    return Passage(start, end, context, text, context_after, omitted, content_hash(embedded))


def for_embedder(context: str, text: str, start: int, omitted: tuple[Span, ...], context_after: str) -> str:
    """The only place where text for an embedder is made, of *text* that begins at *start* of its document."""
    return context + plain(text, start, omitted) + context_after


def plain(text: str, start: int, omitted: tuple[Span, ...]) -> str:
    """*text*, which begins at *start* of its document, with LF newlines and without the *omitted* spans."""
    if omitted:
        kept: list[str] = []
        at = 0
        for span in omitted:
            kept.append(text[at : max(span.start - start, at)])
            at = max(span.end - start, at)
        text = "".join(kept) + text[at:]
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def content_hash(text: str) -> str:
    """BLAKE2b-128 of *text* in UTF-8 (lone surrogates kept as they are), as hex."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
