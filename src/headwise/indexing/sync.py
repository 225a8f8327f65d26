"""Make one root of a store equal to its folder.

A file is read only if it can have changed. Each document is stored, moved or deleted whole, several in one
transaction, so that a run that was killed is finished by the next.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import NamedTuple

from headwise.errors import MassDeletionError
from headwise.indexing.files import FileOptions, Problem
from headwise.indexing.outcomes import Action, Outcome, decide, deletions, in_batches
from headwise.indexing.records import IndexSettings
from headwise.indexing.survey import Outlook, Same, Survey, take_survey
from headwise.indexing.tally import ChunkChanges, compare_chunks
from headwise.indexing.workers import preparing
from headwise.stores.store import Place, Run, Store


class SyncEvent(NamedTuple):
    """What became of one document."""

    outcome: Outcome
    path: str
    done: int
    """How many files were looked at by now: first those that need not be read, then those that are read."""
    total: int
    """How many files there are to read; 0 as long as that is not known."""
    chunks: int = 0
    reused: int = 0
    """How many of its chunks were there before."""
    to_embed: int = 0
    """How many of its passages have no vector yet of the model that it was cut for."""
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
    changes: ChunkChanges = field(default_factory=ChunkChanges)
    """What became of the chunks of documents that were added, changed, moved or deleted."""


def _ignore(_: object) -> None:
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
    workers: int = 1,
    allow_mass_deletion: bool = False,
    on_outlook: Callable[[Outlook], None] = _ignore,
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
        workers: How many processes cut documents, this one included, where there are enough of them. A tokenizer or a
            model that is defined in the script itself cannot be sent to others: this process then cuts alone.
        allow_mass_deletion: Whether more than half of 20 or more documents may be deleted, of those at or below
            *below*. Documents that moved are not deleted.
        on_outlook: Called once, before anything is read or changed, with how much there is to do.
        on_event: Called with what became of each document: those that need not be read, then those that were, both in
            order of path (files that changed while they were read come once more, after the others), deleted ones last.

    Raises:
        ReadingError: if *folder* is missing or cannot be read, so that nothing is known of its files.
        MassDeletionError: if too many documents would be deleted; nothing was changed.
        SyncError: if a process that cuts documents was killed; documents already done are kept.
        StoreError: if the store is in use for too long, full, or damaged; documents already done are kept.
    """
    started, clock = time.time_ns(), time.perf_counter()
    ledger = Ledger(on_event)
    with closing(take_survey(store, folder, root, options, settings, below, ledger.same, checksum=checksum)) as survey:
        on_outlook(survey.outlook)
        if not allow_mass_deletion and (deleted := deletions(survey)):
            raise MassDeletionError(str(folder / below), deleted, survey.outlook.stored)
        ledger.begin(survey)
        with closing(work(store, root, survey, settings, started, workers)) as batches:
            for batch in batches:
                changes = [change for done in batch if (change := done.action.change)]
                touched = [done.action.touched for done in batch if done.action.touched]
                if changes:
                    store.apply(root, changes)
                if touched:
                    store.touch(root, touched)
                ledger.enter(batch, survey)
    stored = store.counts(root)
    report = ledger.report(survey, stored.chunks, stored.passages, time.perf_counter() - clock)
    store.log_run(Run("sync", root, started, report.seconds, asdict(report) | {"below": below}))
    return report


class Done(NamedTuple):
    """An action, held against what is stored."""

    action: Action
    changes: ChunkChanges
    before: tuple[Place, ...]
    """The chunks that go."""
    waiting: frozenset[str]
    """Content hashes of its passages that have no vector of the model."""


def work(
    store: Store, root: str, survey: Survey, settings: IndexSettings, started: int, workers: int
) -> Generator[list[Done]]:
    """All that is to be done about *survey*, in batches, each of which is to be one transaction; nothing is written.

    To be closed: it may have processes at work.
    """
    model = settings.embedder.key if settings.embedder else ""
    size = survey.size if len(survey.reads) > 1 else 0  # two cannot share one file
    with preparing(settings, started, workers, size) as prepare:
        for batch in in_batches(decide(survey, prepare)):
            stored = store.places(root, {path for action in batch for path in _replaced(action)})
            hashes = {action.path: action.records.content_hashes for action in batch if action.records}
            waiting = store.unembedded(model, {name for of_one in hashes.values() for name in of_one})
            done: list[Done] = []
            for action in batch:
                before = tuple(place for path in _replaced(action) for place in stored.get(path, ()))
                records = action.records.records if action.records else ()
                changes = compare_chunks(before, records, moved=action.outcome == "moved")
                done.append(Done(action, changes, before, hashes.get(action.path, frozenset()) & waiting))
            yield done


def _replaced(action: Action) -> set[str]:
    """The paths of what an action takes away."""
    return ({action.path} if action.records else set[str]()) | ({action.gone} if action.gone else set[str]())


@dataclass(slots=True)
class Ledger:
    """What was done so far, told as it is done; its report is frozen."""

    on_event: Callable[[SyncEvent], None] = _ignore
    outcomes: Counter[str] = field(default_factory=Counter[str])
    changes: ChunkChanges = field(default_factory=ChunkChanges)
    done: int = 0
    recut: int = 0
    problems: list[Problem] = field(default_factory=list[Problem])
    warnings: list[Warned] = field(default_factory=list[Warned])

    def same(self, item: Same) -> None:
        """Enter a file that need not be read."""
        self.outcomes["unchanged"] += 1
        self.on_event(SyncEvent("unchanged", item.path, self.outcomes["unchanged"], 0))

    def begin(self, survey: Survey) -> None:
        """Enter the places that could not be looked at."""
        for problem in survey.problems:
            if problem.unknown:
                self.outcomes["failed"] += 1
                self.on_event(SyncEvent("failed", problem.path, 0, len(survey.reads), reason=problem.reason))

    def enter(self, batch: list[Done], survey: Survey) -> None:
        """Enter what was done together."""
        for action, changes, _, waiting in batch:
            self.outcomes[action.outcome] += 1
            self.done += action.outcome != "deleted"
            self.recut += action.recut
            self.changes += changes
            self.warnings += [Warned(action.path, warning) for warning in action.warnings]
            if action.outcome == "failed":
                self.problems.append(Problem(action.path, action.reason, unknown=action.is_text))
            self.on_event(
                SyncEvent(
                    action.outcome,
                    action.path,
                    self.done,
                    len(survey.reads),
                    chunks=len(action.records.records) if action.records else 0,
                    reused=changes.reused,
                    to_embed=len(waiting),
                    moved_from=action.gone if action.outcome == "moved" else "",
                    reason=action.reason,
                    recut=action.recut,
                    warnings=action.warnings,
                )
            )

    def report(self, survey: Survey, chunks: int, passages: int, seconds: float) -> SyncReport:
        """All that was entered, with how many chunks and passages the root holds after it."""
        return SyncReport(
            DocumentCounts(**self.outcomes),
            chunks,
            passages,
            self.changes.reused,
            seconds,
            self.recut,
            tuple(sorted((*survey.problems, *self.problems), key=lambda problem: problem.path)),
            tuple(self.warnings),
            self.changes,
        )
