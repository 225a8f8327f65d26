"""Compare a folder with what a store holds of it, document by document, and mend what differs.

Nothing is taken on trust: every file is read, its records are made anew, and all rows are compared with them. What
differs is looked at a second time before it is called a difference: another run may be at work.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from headwise.errors import MassDeletionError, StoreError
from headwise.indexing.files import FileOptions, Problem
from headwise.indexing.outcomes import deletions
from headwise.indexing.prepare import Prepared, Read, prepare
from headwise.indexing.records import IndexSettings
from headwise.indexing.survey import Survey, take_survey
from headwise.indexing.workers import preparing
from headwise.stores.store import DocumentRecords, Store, StoredFile, Unused

if TYPE_CHECKING:
    from headwise.stores.store import Vector

_UNIT = 0.01
"""How far from one the length of a vector of half floats may be; rounding moves it by less than 0.001."""


class Difference(NamedTuple):
    """Something that is not as it should be."""

    path: str
    """The document, or empty for the store as a whole."""
    what: str
    mended: bool


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """What was looked at, and what was found."""

    documents: int
    """How many files were compared."""
    differences: tuple[Difference, ...]
    problems: tuple[Problem, ...]
    """What could not be compared, or is left out, and why."""
    pending: int
    """Passages that wait for a vector of the model in use."""
    unused: Unused
    """Vectors that no passage uses: a cache, no fault."""
    with_vectors: bool
    """False if vectors were not looked at, since numpy is not installed."""
    seconds: float

    @property
    def is_clean(self) -> bool:
        """Whether all that could be compared is equal now."""
        mended = all(difference.mended for difference in self.differences)
        return mended and not any(problem.unknown for problem in self.problems)


def _ignore(_done: int, _total: int) -> None:
    """Nobody watches."""


def verify(
    store: Store,
    folder: Path,
    root: str,
    options: FileOptions,
    settings: IndexSettings,
    *,
    below: str = "",
    fix: bool = False,
    workers: int = 1,
    on_progress: Callable[[int, int], None] = _ignore,
) -> VerifyReport:
    """Compare what *store* holds under the name *root* with *folder*, and with *fix* make it equal.

    Wrong vectors are dropped, so that the next pass of embedding makes them anew.

    Args:
        store: The store.
        folder: The folder it was made from.
        root: The name of the folder in the store.
        options: Which files are wanted.
        settings: How they are cut; documents stored under other settings differ.
        below: A path in the folder: nothing outside it is compared or mended.
        fix: Mend what differs.
        workers: How many processes cut documents, where there are enough of them.
        on_progress: Called with how many files were compared, and how many there are.

    Raises:
        ReadingError: if *folder* is missing or cannot be read.
        MassDeletionError: if most of the documents would be deleted.
        StoreError: if the store has nothing of *folder*, is damaged beyond mending, or in use for too long.
    """
    started, clock = time.time_ns(), time.perf_counter()
    if root not in store.roots():
        raise StoreError(f"the store has nothing of {folder}; index it first")
    faults = store.faults()
    if faults and fix:
        store.mend()
    with_vectors = find_spec("numpy") is not None
    lengths = {model: store.dimensions(model) for model in store.models()} if with_vectors else {}
    look = _Look(store, root, settings, fix, started, lengths)
    found = [Difference("", fault, fix) for fault in faults]
    with closing(take_survey(store, folder, root, options, settings, below, lambda _: None, checksum=True)) as survey:
        if fix and (deleted := deletions(survey)):
            raise MassDeletionError(str(folder / below), deleted, survey.outlook.stored)
        problems = list(survey.problems)
        for done, (read, prepared) in enumerate(_prepared(survey, settings, started, workers), 1):
            if prepared.reason:
                found += _unread(look, read, prepared)
                problems.append(Problem(read.file.path, prepared.reason, unknown=prepared.is_text))
            elif prepared.records is not None:
                found += _document(look, read, prepared.records)
            on_progress(done, len(survey.reads))
        found += [_gone(look, path) for path in survey.gone]
        compared = len(survey.reads)
    if faults and fix and (left := store.faults()):
        raise StoreError(
            f"the store is damaged ({left[0]}); delete it and index again, your documents are not affected"
        )
    return VerifyReport(
        compared,
        tuple(found),
        tuple(problems),
        store.coverage(settings.embedder.key).pending if settings.embedder else 0,
        store.unused(),
        with_vectors,
        time.perf_counter() - clock,
    )


@dataclass(frozen=True, slots=True)
class _Look:
    """What holds for every document of one run."""

    store: Store
    root: str
    settings: IndexSettings
    fix: bool
    started: int
    lengths: Mapping[str, int]
    """Key of a model → how long most of its vectors are."""


def _prepared(survey: Survey, settings: IndexSettings, started: int, workers: int) -> Iterator[tuple[Read, Prepared]]:
    """Every file with the records it should have, made as for a file that nothing is known of."""
    with preparing(settings, started, workers, survey.size) as prepare_all:
        bare = (read._replace(old=None) for read in survey.reads)
        for read, (_, prepared) in zip(survey.reads, prepare_all(bare), strict=True):
            yield read, prepared


def _document(look: _Look, read: Read, made: DocumentRecords) -> list[Difference]:
    """What differs in a document, mended if that was asked for."""
    path = read.file.path
    lines = _compare(look, read.old, made)
    if lines and (now := _known(look, path)) != read.old:  # another run was at work: only what still differs counts
        made = prepare(read._replace(old=None), look.settings, look.started).records or made
        lines = _compare(look, now, made)
    if lines and look.fix:
        look.store.replace(look.root, made)
    return [*(Difference(path, line, look.fix) for line in lines), *_vectors(look, made)]


def _known(look: _Look, path: str) -> StoredFile | None:
    found = look.store.files_after(look.root, path, "", 1)
    return found[0] if found and found[0].path == path else None


def _compare(look: _Look, known: StoredFile | None, made: DocumentRecords) -> list[str]:
    file = made.file
    if known is None:
        return ["is not in the store"]
    if known.content_hash != file.content_hash:
        is_silent = (file.size, file.mtime_ns) == (known.size, known.mtime_ns)
        also = ", although its size and time are the same" if is_silent else ""
        return [f"says something else than what was indexed{also}"]
    if known.settings_key != file.settings_key:
        return ["was cut under other settings; give verify the options that index was given"]
    return look.store.compare(look.root, made)


def _unread(look: _Look, read: Read, prepared: Prepared) -> Iterator[Difference]:
    """Nobody knows what is in a file that cannot be read; one that is no text has no records."""
    if read.old is not None and not prepared.is_text:
        if look.fix:
            look.store.delete(look.root, read.file.path)
        yield Difference(read.file.path, "is stored, but is no text any more", look.fix)


def _gone(look: _Look, path: str) -> Difference:
    if look.fix:
        look.store.delete(look.root, path)
    return Difference(path, "is stored, but no longer there", look.fix)


def _vectors(look: _Look, made: DocumentRecords) -> Iterator[Difference]:
    """What is wrong with the vectors that the passages of *made* have; that some have none yet is no fault."""
    hashes = list({passage.content_hash for record in made.records for passage in record.passages})
    for model, length in look.lengths.items():
        vectors = look.store.vectors(model, hashes)
        wrong = {name: why for name, vector in vectors.items() if (why := _wrong(vector, length))}
        if wrong and look.fix:
            look.store.drop_vectors(model, list(wrong))
        if wrong:
            reasons = ", ".join(sorted(set(wrong.values())))
            yield Difference(made.file.path, f"{len(wrong)} of {len(vectors)} vectors of {model}: {reasons}", look.fix)


def _wrong(vector: Vector, length: int) -> str:
    """What is wrong with *vector*, or nothing: all zeros is what models give for a text without a word they know."""
    import numpy as np  # noqa: PLC0415 - numpy comes with the extras only

    if vector.shape != (length,):
        return f"not of {length} dimensions"
    if not np.isfinite(vector).all():
        return "not numbers"
    norm = float(np.linalg.norm(vector))
    return "not of length one" if norm and abs(norm - 1) > _UNIT else ""
