"""Make one root of a store equal to its folder.

A file is read only if it can have changed. Unchanged are modification time, size, inode and change time, provided the
file was quiet when it was last read: a write in the same tick of the clock as that read would leave no trace in them.
Each document is stored, moved or deleted in one transaction, so that a run that was killed is finished by the next.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, NamedTuple
from unicodedata import normalize

from headwise.errors import ReadingError
from headwise.indexing.documents import read_document
from headwise.indexing.files import FileOptions, Found, FoundFile, Problem, find_files
from headwise.indexing.records import IndexSettings, make_records, stored_file
from headwise.model import Document
from headwise.stores.store import Run, Store, StoredFile

Outcome = Literal["added", "changed", "moved", "deleted", "unchanged", "failed"]

_TICK_NS = 50_000_000
"""Clocks of file systems lag behind by up to a tick of the kernel's timer (4 to 16 ms)."""
_COARSE_NS = 2_000_000_000
"""FAT keeps even seconds, older systems whole ones."""


class SyncEvent(NamedTuple):
    """What became of one document."""

    outcome: Outcome
    path: str
    done: int
    """How many files of `total` were looked at by now."""
    total: int
    chunks: int = 0
    reused: int = 0
    """How many of its chunks were there before."""
    moved_from: str = ""
    reason: str = ""
    """Why it failed."""
    recut: bool = False
    """True for a changed document whose file did not change: its records were made under other settings."""
    warnings: tuple[str, ...] = ()
    """What there is to say about a document that was read now, such as an encoding that was guessed."""


class Warned(NamedTuple):
    """Something to say about a document that was read all the same."""

    path: str
    warning: str


@dataclass(frozen=True, slots=True)
class DocumentCounts:
    """How many documents had which outcome."""

    added: int = 0
    changed: int = 0
    moved: int = 0
    deleted: int = 0
    unchanged: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What a sync did, and what the root holds after it."""

    documents: DocumentCounts
    chunks: int
    """All chunks of the root."""
    passages: int
    """All passages of the root."""
    reused: int
    """Chunks of changed and moved documents that were there before: same place in the document, same text."""
    seconds: float
    recut: int = 0
    """How many of the changed documents were only cut anew, under other settings than before."""
    problems: tuple[Problem, ...] = ()
    """What was passed over or could not be read, and why."""
    warnings: tuple[Warned, ...] = ()
    """What there is to say about documents that were read now."""


def _ignore(event: SyncEvent) -> None:
    """Nobody watches."""


def sync(
    store: Store,
    folder: Path,
    root: str,
    options: FileOptions,
    settings: IndexSettings,
    *,
    below: str = "",
    checksum: bool = False,
    on_event: Callable[[SyncEvent], None] = _ignore,
) -> SyncReport:
    """Make what *store* holds under the name *root* equal to *folder*.

    Args:
        store: The store.
        folder: The folder whose files are wanted.
        root: The name of the folder in the store.
        options: Which files are wanted.
        settings: How they are cut; documents stored under other settings are cut anew.
        below: A path in the folder: nothing outside it is read, changed or deleted.
        checksum: Read every file, however unchanged it looks.
        on_event: Called with what became of each document, in order of path, deleted ones last.

    Raises:
        ReadingError: if *folder* is missing or cannot be read, so that nothing is known of its files.
        StoreError: if the store is in use for too long, full, or damaged; documents already done are kept.
    """
    started, clock = time.time_ns(), time.perf_counter()
    below = normalize("NFC", below).strip("/")
    found = find_files(folder, options, below)
    counts: Counter[str] = Counter(failed=sum(problem.unknown for problem in found.problems))
    problems = list(found.problems)
    warnings: list[Warned] = []
    reused = recut = 0
    for event in _events(store, root, found, store.files(root, below), settings, started, checksum=checksum):
        counts[event.outcome] += 1
        reused += event.reused
        recut += event.recut
        warnings += [Warned(event.path, warning) for warning in event.warnings]
        if event.outcome == "failed":
            problems.append(Problem(event.path, event.reason, unknown=True))
        on_event(event)
    stored = store.counts(root)
    report = SyncReport(
        DocumentCounts(**counts),
        stored.chunks,
        stored.passages,
        reused,
        time.perf_counter() - clock,
        recut,
        tuple(sorted(problems, key=lambda problem: problem.path)),
        tuple(warnings),
    )
    store.log_run(Run("sync", root, started, report.seconds, asdict(report) | {"below": below}))
    return report


def _events(
    store: Store,
    root: str,
    found: Found,
    known: Mapping[str, StoredFile],
    settings: IndexSettings,
    started: int,
    *,
    checksum: bool,
) -> Iterator[SyncEvent]:
    """Brings the store up to date, document by document."""
    keys = {obsidian: settings.key(obsidian=obsidian) for obsidian in (False, True)}
    gone = _gone(found, known)
    homeless: dict[str, list[str]] = {}
    for path in reversed(gone):
        homeless.setdefault(known[path].content_hash, []).append(path)
    touched: list[StoredFile] = []
    total = len(found.files)
    for done, file in enumerate(found.files, 1):
        old, key = known.get(file.path), keys[file.obsidian]
        current = old is not None and old.settings_key == key
        if old and current and not checksum and _is_quiet(old) and _looks_the_same(old, file):
            yield SyncEvent("unchanged", file.path, done, total)
            continue
        try:
            document = read_document(file)
        except ReadingError as error:
            reason = str(error).removeprefix(f"{file.path}: ")
            yield SyncEvent("failed", file.path, done, total, reason=reason)
            continue
        if old and current and old.content_hash == document.content_hash:
            if not (_is_quiet(old) and _looks_the_same(old, document)):
                touched.append(stored_file(document, settings, started))
            yield SyncEvent("unchanged", file.path, done, total)
            continue
        sources = [] if old else homeless.get(document.content_hash, [])
        source = sources.pop() if sources else None
        records = make_records(document, settings, started)
        reused = store.replace(root, records, instead_of=source)
        if source:
            del gone[source]
        outcome = "moved" if source else "changed" if old else "added"
        yield SyncEvent(
            outcome,
            file.path,
            done,
            total,
            len(records.records),
            reused,
            moved_from=source or "",
            recut=old is not None and old.content_hash == document.content_hash,
            warnings=records.warnings,
        )
    if touched:
        store.touch(root, touched)
    for path in gone:
        store.delete(root, path)
        yield SyncEvent("deleted", path, total, total)


def _gone(found: Found, known: Mapping[str, StoredFile]) -> dict[str, StoredFile]:
    """What is known but no longer there; what lies at or below a place that cannot be read may still be there."""
    unknown = {problem.path for problem in found.problems if problem.unknown}
    kept = {file.path for file in found.files} | unknown
    return {
        path: file
        for path, file in known.items()
        if path not in kept and not (unknown and any(parent in unknown for parent in _parents(path)))
    }


def _parents(path: str) -> Iterator[str]:
    while path:
        path = path.rpartition("/")[0]
        yield path


def _looks_the_same(old: StoredFile, now: FoundFile | Document) -> bool:
    return (old.mtime_ns, old.size, old.inode, old.ctime_ns) == (now.mtime_ns, now.size, now.inode, now.ctime_ns)


def _is_quiet(old: StoredFile) -> bool:
    """Whether any write after the last reading of this file would show in its times."""
    tick = _COARSE_NS if old.mtime_ns % 1_000_000_000 == 0 else _TICK_NS
    return max(old.mtime_ns, old.ctime_ns) < old.checked_ns - tick
