"""What of a folder differs from what is stored: two lists in one order, compared by what is known without reading."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from unicodedata import normalize

from headwise.errors import ReadingError
from headwise.indexing.documents import FoundFile
from headwise.indexing.files import FileOptions, Problem, walk_files
from headwise.indexing.prepare import Read, old_is_same
from headwise.indexing.records import IndexSettings
from headwise.indexing.spool import Spool
from headwise.stores.store import Store, StoredFile

_PAGE = 1_000


class Same(NamedTuple):
    """A file that holds what is stored, as far as shows without reading it."""

    path: str


class Gone(NamedTuple):
    """A document that is stored and whose file is no longer there."""

    old: StoredFile


class Outlook(NamedTuple):
    """What there is to do, before anything is read."""

    stored: int
    """Documents of the part that was looked at, but for those of which nothing can be said."""
    listed: int
    """Files found there."""
    new: int
    """Those of them that are not stored."""
    changed: int
    """Those that look changed, or were written too recently to tell."""
    recut: int
    """Those that look unchanged, but were cut under other settings or rules."""
    passages: int
    """About how many passages those have."""
    gone: int
    """Documents without a file; some of the new files may be them."""


@dataclass(frozen=True, slots=True)
class Survey:
    """All that a sync goes by; to be closed, or used in a `with`.

    What is held in memory grows with what is gone and with the problems, not with the number of files.
    """

    outlook: Outlook
    reads: Spool[Read]
    """In order of path."""
    size: int
    """Bytes of `reads`."""
    gone: Mapping[str, str]
    """Path → content hash, in order of path."""
    problems: tuple[Problem, ...]

    def close(self) -> None:
        """Let go of what was put aside."""
        self.reads.close()


def take_survey(
    store: Store,
    folder: Path,
    root: str,
    options: FileOptions,
    settings: IndexSettings,
    below: str,
    on_same: Callable[[Same], None],
    *,
    checksum: bool,
) -> Survey:
    """Compare *folder*, or its part *below*, with what *store* holds of it under the name *root*.

    *on_same* is called with every file that need not be read; see `headwise.indexing.sync.sync` for the rest.

    Raises:
        ReadingError: if *folder* is missing, cannot be read, or becomes another while it is read.
    """
    below = normalize("NFC", below).strip("/")
    found = walk_files(folder, options, below)
    place = _identity(folder)
    reads: Spool[Read] = Spool()
    gone: dict[str, str] = {}
    problems: list[Problem] = []
    same = new = recut = size = 0
    try:
        for item in differences(found, _stored(store, root, below), settings, checksum=checksum):
            match item:
                case Same():
                    same += 1
                    on_same(item)
                case Read(file, old, is_current):
                    reads.add(item)
                    size += file.size
                    new += old is None
                    recut += old is not None and not is_current and old_is_same(old, file)
                case Gone(old):
                    gone[old.path] = old.content_hash
                case Problem():
                    problems.append(item)
        _check_identity(folder, place)
        passages = _passages_of(store, root, recut) if recut else 0
    except BaseException:
        reads.close()
        raise
    outlook = Outlook(
        stored=same + len(reads) - new + len(gone),
        listed=same + len(reads),
        new=new,
        changed=len(reads) - new - recut,
        recut=recut,
        passages=passages,
        gone=len(gone),
    )
    return Survey(outlook, reads, size, gone, tuple(problems))


def differences(
    found: Iterable[FoundFile | Problem], known: Iterable[StoredFile], settings: IndexSettings, *, checksum: bool
) -> Iterator[Same | Read | Gone | Problem]:
    """How the files *found* differ from those *known*, both in order of path by code point.

    What lies at or below a place that cannot be read may still be there: it is not gone.
    """
    keys = {obsidian: settings.key(obsidian=obsidian) for obsidian in (False, True)}
    unknown: set[str] = set()
    stored = iter(known)
    old = next(stored, None)
    for item in found:
        if isinstance(item, Problem):
            if item.unknown:
                unknown.add(item.path)
            yield item
            continue
        while old is not None and old.path < item.path:
            if not _is_hidden_from_us(old.path, unknown):
                yield Gone(old)
            old = next(stored, None)
        same = old if old is not None and old.path == item.path else None
        is_current = same is not None and same.settings_key == keys[item.obsidian]
        if same is not None and is_current and not checksum and old_is_same(same, item):
            yield Same(item.path)
        else:
            yield Read(item, same, is_current)
        if same is not None:
            old = next(stored, None)
    while old is not None:
        if not _is_hidden_from_us(old.path, unknown):
            yield Gone(old)
        old = next(stored, None)


def _is_hidden_from_us(path: str, unknown: set[str]) -> bool:
    return bool(unknown) and (path in unknown or any(parent in unknown for parent in _parents(path)))


def _parents(path: str) -> Iterator[str]:
    while path:
        path = path.rpartition("/")[0]
        yield path


def _stored(store: Store, root: str, below: str) -> Iterator[StoredFile]:
    """What is known of the files, page by page."""
    after = ""
    while page := store.files_after(root, below, after, _PAGE):
        yield from page
        after = page[-1].path


def _identity(folder: Path) -> tuple[int, int]:
    try:
        state = folder.stat()
    except OSError as error:
        raise ReadingError(f"{folder}: cannot be read any more ({error.strerror}); nothing was changed") from error
    return state.st_dev, state.st_ino


def _check_identity(folder: Path, before: tuple[int, int]) -> None:
    """Where a disk was unmounted, or a folder swapped, nothing is known of what is gone."""
    if _identity(folder) != before:
        raise ReadingError(f"{folder}: became another folder while it was read; run again")


def _passages_of(store: Store, root: str, documents: int) -> int:
    """About how many passages so many documents have."""
    counts = store.counts(root)
    return round(counts.passages * documents / max(counts.documents + counts.excluded, 1))
