"""What every store can do, and the frozen values that go in and come out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, Self

from headwise.model import Format, Link, Record, Span
from headwise.stores.folders import Standouts

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]


class StoredFile(NamedTuple):
    """What a store knows of a file without its contents: enough to tell whether it must be read again."""

    path: str
    content_hash: str
    settings_key: str
    """What decided how it was cut; another key means cutting it again."""
    size: int
    mtime_ns: int
    inode: int
    ctime_ns: int
    checked_ns: int
    """Clock time before which the sync that last read it began; see `headwise.indexing.sync`."""


class Words(NamedTuple):
    """The analysed words of one record, by field: terms joined by blanks.

    A term holds no white space and no quotation mark; a store neither splits nor folds it.
    """

    title: str
    headings: str
    text: str


@dataclass(frozen=True, slots=True)
class DocumentRecords:
    """All that one document puts into a store."""

    file: StoredFile
    format: Format
    title: str
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    front_matter: Mapping[str, Any] = field(default_factory=dict[str, Any])
    links: tuple[Link, ...] = ()
    warnings: tuple[str, ...] = ()
    excluded: bool = False
    """True for a document that keeps itself out: it is remembered, without records."""
    records: tuple[Record, ...] = ()
    words: tuple[Words, ...] = ()
    """One per record."""

    @property
    def content_hashes(self) -> frozenset[str]:
        """Those of all its passages."""
        return frozenset([passage.content_hash for record in self.records for passage in record.passages])


class Change(NamedTuple):
    """What becomes of one document: *document* takes the place of what was stored under its path."""

    document: DocumentRecords | None
    """None only forgets `gone`."""
    gone: str | None = None
    """Another path whose document goes: where it was before it moved, or what is deleted."""


class Place(NamedTuple):
    """Where a chunk stands in its document, what it says, and how many passages it has."""

    anchor: str
    number: int
    text: str
    passages: int


class Named(NamedTuple):
    """What other documents may call a document, and its links."""

    path: str
    title: str
    aliases: tuple[str, ...]
    links: tuple[Link, ...]


class Listed(NamedTuple):
    """What a list of documents shows of one."""

    root: str
    path: str
    title: str
    mtime_ns: int
    chunks: int
    tokens: int
    """Size of all its chunks, in the measure that each was cut with."""


class WaitingPassage(NamedTuple):
    """A passage without a vector, and the document it is in."""

    row: int
    """Where the next page begins after."""
    root: str
    path: str
    content_hash: str
    text: str
    """As an embedder is to read it."""


Operator = Literal["is", "=", "<", "<=", ">", ">="]


class Where(NamedTuple):
    """What a property of a document must be like; of several values one will do.

    It is compared as what it can be: with numbers if there is a number, with dates if there are moments, equality also
    with texts; if there are neither, with texts alone.
    """

    name: str
    """Folded as by `headwise.stores.properties.fold_name`."""
    operator: Operator
    """`is` asks only whether there is a value."""
    negated: bool = False
    """Whether all this must not be so; then a document without the property will do."""
    text: str = ""
    """Folded as by `headwise.stores.properties.fold_text`."""
    number: float | None = None
    moments: tuple[int, int] | None = None
    """As `headwise.stores.properties.read_moments` gives them."""


@dataclass(frozen=True, slots=True)
class Filters:
    """Which documents a search looks at; all conditions must hold.

    A path is a glob over root-relative paths: `*` and `?` stay inside one name, `**` goes through folders, a
    pattern without `/` names a file or folder at any depth, and a folder stands for all that is in it.
    Tags are names without `#`, in any letter case; a tag stands for those nested in it (`robot` for `robot/motor`).
    """

    paths: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    without_paths: tuple[str, ...] = ()
    without_tags: tuple[str, ...] = ()
    where: tuple[Where, ...] = ()


NO_FILTERS = Filters()


class Phrase(NamedTuple):
    """Terms that stand together: one after the other, in one field of a chunk."""

    ways: tuple[tuple[str, ...], ...]
    """Rows of terms; any of them will do."""
    in_title: bool = False
    """Whether it has to be the title."""


@dataclass(frozen=True, slots=True)
class Conditions:
    """What a chunk's words must be like; all of it must hold."""

    required: tuple[Phrase, ...] = ()
    excluded: tuple[Phrase, ...] = ()


NO_CONDITIONS = Conditions()


class PendingPassage(NamedTuple):
    """A passage without a vector, as an embedder is to read it."""

    row: int
    """Where the next page of pending passages begins after."""
    content_hash: str
    text: str


class Coverage(NamedTuple):
    """How many passages, those with equal text for the embedder counted once, have a model's vector, and have not."""

    embedded: int
    pending: int


class Unused(NamedTuple):
    """Vectors that nothing uses."""

    vectors: int
    bytes: int


class Space(NamedTuple):
    """What a store takes on disk, in bytes, before and after it gave some back."""

    before: int
    after: int


class WordMatch(NamedTuple):
    """A chunk found by words; a higher score is better."""

    chunk: int
    score: float


class NearPassage(NamedTuple):
    """A passage found by its vector: the row of its chunk, its span, and its cosine."""

    chunk: int
    span: Span
    score: float


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """A stored chunk, as far as showing and citing it needs."""

    row: int
    root: str
    id: str
    path: str
    link: str
    title: str
    headings: tuple[str, ...]
    start: int
    own_start: int
    end: int
    start_line: int
    end_line: int
    text: str
    tokens: int
    content_hash: str
    gap: str = ""
    """As in `Record`: what stands between the chunk before it and it."""


@dataclass(frozen=True, slots=True)
class LargeChunk:
    """One of the largest chunks: where it lies, its size in the measure it was cut with, and what made it so large."""

    id: str
    path: str
    start_line: int
    end_line: int
    tokens: int
    limit: int | None
    """What it was cut to; None if that cannot be told."""
    kinds: tuple[str, ...]
    part: int
    """Its number among the chunks of its section, from 1."""
    parts: int
    """How many chunks its section has."""
    reopened: bool
    """Whether its context reopens what was cut: a table's header, a fence."""
    oversize: bool


class Repeated(NamedTuple):
    """A text that several chunks have."""

    chunks: int
    documents: int
    tokens: int
    """Size of one of them, the largest; breadcrumbs differ."""
    path: str
    """The first document, by path, that has it."""
    text: str
    """How it begins."""


class Repetition(NamedTuple):
    """Chunks whose text another chunk has, too."""

    chunks: int = 0
    """How many would be left out if each text was there once."""
    tokens: int = 0
    """What these have together."""
    most: tuple[Repeated, ...] = ()
    """The texts that most chunks have."""


class Navigation(NamedTuple):
    """Chunks that are only links."""

    chunks: int = 0
    unknown: int = 0
    """Chunks stored before this was kept; indexing anew tells."""


class Counts(NamedTuple):
    """How much is stored."""

    documents: int
    excluded: int
    """Documents that keep themselves out; not among `documents`."""
    chunks: int
    passages: int


@dataclass(frozen=True, slots=True)
class Stats:
    """Figures about a store, or one root of it."""

    counts: Counts
    sizes: Mapping[int, int] = field(default_factory=dict[int, int])
    """Size of a chunk in tokens → how many have it, in ascending order."""
    largest: tuple[LargeChunk, ...] = ()
    vectors: Mapping[str, int] = field(default_factory=dict[str, int])
    """Key of a model → how many of the distinct passages have its vector."""
    distinct_passages: int = 0
    """Passages with equal text for the embedder counted once."""
    properties: Mapping[str, int] = field(default_factory=dict[str, int])
    """Name of a property, folded → how many documents have it, in order of name."""
    oversize: int = 0
    """Chunks over the limit: single characters that are so large by themselves."""
    navigation: Navigation = field(default_factory=Navigation)
    repetition: Repetition = field(default_factory=Repetition)
    standouts: Standouts = field(default_factory=Standouts)


@dataclass(frozen=True, slots=True)
class Run:
    """A line in the log of runs."""

    kind: str
    """`sync` or `embed`."""
    root: str
    started_ns: int
    seconds: float
    report: Mapping[str, Any]


class Store(Protocol):
    """Where documents, chunks, passages, words and vectors are kept, under named roots.

    Every writing method is one transaction. Rows of chunks are never used again for others, so that a search
    whose chunk was just replaced finds nothing rather than something else. All methods raise `StoreError` when the
    store is in use for too long, full, damaged or not writable.
    """

    def files(self, root: str, below: str = "") -> dict[str, StoredFile]:
        """What is known of the files of *root* at or below the path *below*, by path, in order of path."""
        ...

    def files_after(self, root: str, below: str, after: str, limit: int) -> list[StoredFile]:
        """Up to *limit* files of *root* at or below the path *below* whose paths come after *after*.

        They come in order of path by code point, whatever the language of the database: two lists in one order can be
        compared without holding either of them.
        """
        ...

    def places(self, root: str, paths: Collection[str]) -> dict[str, list[Place]]:
        """The chunks of those of *paths* that are stored, in order; a document without any has an empty list."""
        ...

    def named(self, root: str) -> list[Named]:
        """Names and links of all documents of *root* that are not excluded, in order of path."""
        ...

    def apply(self, root: str, changes: Sequence[Change]) -> None:
        """Do all of *changes*, which name each path once, in one transaction."""
        ...

    def replace(self, root: str, document: DocumentRecords, *, instead_of: str | None = None) -> int:
        """Put *document* in the place of what was stored under its path, and of what was under *instead_of*.

        Returns:
            How many of the chunks were there before: same section, number in it, and text.
        """
        ...

    def touch(self, root: str, files: Iterable[StoredFile]) -> None:
        """Note that these files were looked at and hold what is stored."""
        ...

    def delete(self, root: str, path: str) -> None:
        """Forget the document with this path; its vectors stay until `prune`."""
        ...

    def roots(self) -> list[str]:
        """The names of all roots, in order."""
        ...

    def load(self, root: str, path: str) -> DocumentRecords | None:
        """All that was put in for the document with this path, but its words; None if it is not there.

        Whether a chunk is only links (`Chunk.navigation`) is False where it was stored before that was kept.
        """
        ...

    def compare(self, root: str, document: DocumentRecords) -> list[str]:
        """How what is stored under its path differs from *document*, words included: a line for each kind of fault.

        What is known of the file itself (size, times) is not compared.
        """
        ...

    def faults(self) -> list[str]:
        """What is wrong with the store as a whole, whatever the documents say: a line for each.

        It looks for damage, and for what belongs to nothing (words without a chunk, chunks without a document).
        """
        ...

    def mend(self) -> None:
        """Make right what `faults` finds, as far as that can be done without the documents."""
        ...

    def compact(self) -> Space:
        """Give back to the disk what the store no longer needs, and renew what its queries are planned by."""
        ...

    def pending(self, model: str, limit: int, after: int = 0) -> list[PendingPassage]:
        """Up to *limit* passages behind row *after* that have no vector of *model*, each content hash once."""
        ...

    def waiting(self, model: str, limit: int, after: int = 0) -> list[WaitingPassage]:
        """As `pending`, but every passage, with the document it is in."""
        ...

    def unembedded(self, model: str, hashes: Collection[str]) -> set[str]:
        """Those of *hashes* that no vector of *model* is stored for."""
        ...

    def coverage(self, model: str) -> Coverage:
        """How many distinct passages have a vector of *model*, and how many do not."""
        ...

    def models(self) -> list[str]:
        """The keys of the models that vectors are stored of."""
        ...

    def add_vectors(self, model: str, vectors: Mapping[str, Vector]) -> None:
        """Keep unit vectors of the model with this key by content hash; those already there stay as they are."""
        ...

    def vectors(self, model: str, hashes: Collection[str]) -> dict[str, Vector]:
        """The vectors of *model* with these content hashes, as far as they are there."""
        ...

    def passage_vectors(self, model: str, chunks: Collection[int]) -> tuple[Sequence[int], Vector]:
        """The vectors of *model* that the passages of the chunks in these rows have, those of a chunk together.

        Each is a row of length one of a matrix; before it stands which chunk each is of.
        """
        ...

    def dimensions(self, model: str) -> int:
        """The length that most vectors of *model* have; 0 if there are none."""
        ...

    def drop_vectors(self, model: str, hashes: Collection[str]) -> None:
        """Drop the vectors of *model* with these content hashes, so that they are made anew."""
        ...

    def unused(self, keep: str | None = None) -> Unused:
        """Vectors that no passage uses and, if *keep* is the key of a model, those of all other models."""
        ...

    def prune(self, keep: str | None = None) -> int:
        """Drop the vectors that `unused` counts, and say how many there were."""
        ...

    def match(
        self, words: Sequence[str], filters: Filters, limit: int, conditions: Conditions = NO_CONDITIONS
    ) -> list[WordMatch]:
        """The chunks that match any of these analysed words best, best first, among those that fulfil *conditions*."""
        ...

    def documents(self, filters: Filters, after: tuple[str, str], limit: int) -> list[Listed]:
        """Up to *limit* documents that *filters* let through and that do not keep themselves out.

        They come in order of root and path by code point, from behind the pair of both in *after* on.
        """
        ...

    def document_count(self, filters: Filters) -> int:
        """How many documents `documents` gives in all."""
        ...

    def sizes(self) -> dict[int, int]:
        """Size of a chunk in tokens → how many have it, in ascending order."""
        ...

    def listed(self, filters: Filters, conditions: Conditions, limit: int) -> list[int]:
        """The rows of the chunks that fulfil *conditions*, in order of root, path and place."""
        ...

    def fulfilling(self, rows: Collection[int], conditions: Conditions) -> set[int]:
        """Those of the chunks in *rows* that fulfil *conditions*."""
        ...

    def nearest(self, model: str, vector: Vector, filters: Filters, limit: int) -> list[NearPassage]:
        """The passages with the highest cosine to *vector*, best first, equal ones in order of path and place.

        Nothing is near to zeros.
        """
        ...

    def chunks(self, rows: Collection[int]) -> dict[int, StoredChunk]:
        """The chunks in these rows; rows that are gone are left out."""
        ...

    def property_names(self) -> list[str]:
        """The names of all properties that a document has, folded, in order."""
        ...

    def counts(self, root: str | None = None) -> Counts:
        """How much is stored of one root, or of all."""
        ...

    def stats(self, root: str | None = None) -> Stats:
        """Figures about one root, or about all."""
        ...

    def log_run(self, run: Run) -> None:
        """Add a line to the log of runs."""
        ...

    def runs(self, limit: int = 20) -> list[Run]:
        """The last runs, newest first."""
        ...

    def close(self) -> None:
        """Let go of files and connections."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None: ...
