"""What becomes of each document: decided in one place, for a sync that does it and for a plan that only says it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Literal, NamedTuple

from headwise.indexing.documents import CHANGED, file_hash
from headwise.indexing.prepare import Prepared, Read
from headwise.indexing.survey import Survey
from headwise.stores.store import Change, DocumentRecords, StoredFile

Outcome = Literal["added", "changed", "moved", "deleted", "unchanged", "failed"]

MANY = 20
"""Documents from which on it is asked whether most of them are really to be deleted."""

_ROUNDS = 2
"""How often a sync comes back to files that changed while they were read."""
_DOCUMENTS, _CHUNKS = 64, 1_000
"""At most, in one transaction: enough to make it cheap, and little to do again after a crash."""


class Action(NamedTuple):
    """What is to become of one document."""

    outcome: Outcome
    path: str
    records: DocumentRecords | None = None
    """What is to be stored under its path, in place of what is."""
    gone: str = ""
    """The path of a document that goes: its own, or the one it had before it moved."""
    touched: StoredFile | None = None
    """What is to be noted of a file that holds what is stored."""
    reason: str = ""
    is_text: bool = True
    """False for a file that was read, and is no text."""
    recut: bool = False
    """Whether it is changed only because it was cut under other settings."""
    warnings: tuple[str, ...] = ()

    @property
    def change(self) -> Change | None:
        """What it means for the documents of a store, if anything."""
        return Change(self.records, self.gone or None) if self.records or self.gone else None


def decide(survey: Survey, prepare: Callable[[Iterable[Read]], Iterator[tuple[Read, Prepared]]]) -> Iterator[Action]:
    """An action for every file that was read, in order of path, then for every document that is gone.

    A file that changed since it was read is read again when all others are done.
    """
    gone = dict(survey.gone)
    homeless: dict[str, list[str]] = {}
    for path in reversed(gone):
        homeless.setdefault(gone[path], []).append(path)
    reads: Iterable[Read] = survey.reads
    for left in range(_ROUNDS, -1, -1):
        restless: list[Read] = []
        for read, prepared in prepare(reads):
            if left and not prepared.is_steady:
                restless.append(read)
                continue
            action = _settle(read, prepared, homeless)
            gone.pop(action.gone, None)
            yield action
        reads = restless
    for path in gone:
        yield Action("deleted", path, gone=path)


def in_batches(actions: Iterable[Action]) -> Iterator[list[Action]]:
    """*actions*, as many together as are done in one transaction."""
    batch: list[Action] = []
    chunks = 0
    for action in actions:
        batch.append(action)
        chunks += len(action.records.records) if action.records else 0
        if len(batch) == _DOCUMENTS or chunks >= _CHUNKS:
            yield batch
            batch, chunks = [], 0
    if batch:
        yield batch


def deletions(survey: Survey) -> int:
    """How many documents a sync would delete, if that is more than half of many; else 0.

    Moves are none: where there are too many without a file, the new files are read to see which of them moved.
    """
    stored, missing = survey.outlook.stored, len(survey.gone)
    if stored < MANY or 2 * missing <= stored:
        return 0
    homeless: dict[str, int] = {}
    for content_hash in survey.gone.values():
        homeless[content_hash] = homeless.get(content_hash, 0) + 1
    for read in survey.reads:
        if read.old is None and homeless.get(content_hash := file_hash(read.file.location), 0):
            homeless[content_hash] -= 1
            missing -= 1
            if 2 * missing <= stored:
                return 0
    return missing


def _settle(read: Read, prepared: Prepared, homeless: Mapping[str, list[str]]) -> Action:
    path, old, records = read.file.path, read.old, prepared.records
    if prepared.reason:
        # Nobody knows what is in a file that cannot be read. One that is no text has no records.
        gone = path if old is not None and not prepared.is_text else ""
        return Action("failed", path, gone=gone, reason=prepared.reason, is_text=prepared.is_text)
    warnings = () if prepared.is_steady else (CHANGED,)
    if records is None:
        return Action("unchanged", path, touched=prepared.touched, warnings=warnings)
    warnings = (*records.warnings, *warnings)
    if old is not None:
        recut = old.content_hash == records.file.content_hash
        return Action("changed", path, records, recut=recut, warnings=warnings)
    sources = homeless.get(records.file.content_hash)
    if sources:
        return Action("moved", path, records, gone=sources.pop(), warnings=warnings)
    return Action("added", path, records, warnings=warnings)
