"""When to look at a folder again: soon after something in it changed, and when it is back after it was gone.

Nothing is concluded from single events: they come late, twice, or not at all (a file written into a folder just made, a
burst that is too much for the system's queue). They only say that it is time to compare.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from threading import Event
from typing import Any, Literal

from headwise.errors import ReadingError

Wake = Literal["changed", "idle", "gone"]

_TICK = 1.0
"""Seconds after which to look whether the folder is still there."""
_PATIENCE = 10
"""How many times the quiet that is waited for a burst of changes may last before it is looked at."""
_SELDOM = 600.0
"""Seconds after which to compare anyway: some file systems, such as those of a network, tell nothing."""
_INSIDE = frozenset({".git", ".headwise", ".obsidian", ".trash"})


def wakes(folder: Path, quiet: float, is_own: Callable[[str], bool], stop: Event) -> Iterator[Wake]:
    """Until *stop* is set: `changed` when *folder* is to be compared, `gone` as long as it is not there, else `idle`.

    The first is `changed`, and comes when changes are heard already, so that none falls in between. `idle` and `gone`
    come about every second.

    Args:
        folder: The folder, with all below it.
        quiet: Seconds without a change after which it is time.
        is_own: Whether an absolute path is of the one who compares, such as a store: its changes do not count.
        stop: Ends it at once.

    Raises:
        ReadingError: if watchfiles is not installed, or the system watches no more folders.
    """
    try:
        watchfiles: Any = import_module("watchfiles")
    except ImportError as error:
        raise ReadingError('watching needs watchfiles: pip install "headwise[watch]"') from error
    while not stop.is_set():
        place = _identity(folder)
        if place is None:
            yield "gone"
            stop.wait(_TICK)
            continue
        heard = watchfiles.watch(
            folder,
            watch_filter=None,  # one that takes all changes of a batch away would keep `idle` back as well
            step=max(int(quiet * 1000), 1),
            debounce=max(int(quiet * 1000), 1) * _PATIENCE,
            rust_timeout=int(_TICK * 1000),
            yield_on_timeout=True,
            stop_event=stop,
            ignore_permission_denied=True,
        )
        try:
            yield from _listen(heard, folder, place, is_own)
        except FileNotFoundError:  # it went between the look and the watch
            continue
        except OSError as error:
            raise ReadingError(
                f"{folder}: cannot be watched ({error}); set WATCHFILES_FORCE_POLLING=1 to look every 0.3 s instead"
            ) from error
        finally:
            heard.close()


def _listen(
    heard: Iterator[Any], folder: Path, place: tuple[int, int], is_own: Callable[[str], bool]
) -> Iterator[Wake]:
    """Until *folder* is another one than *place*, or none."""
    due = 0.0
    for changes in heard:
        if _identity(folder) != place:
            return
        counts = any(not _is_inside(path, folder) and not is_own(path) for _, path in changes)
        if counts or time.monotonic() >= due:
            due = time.monotonic() + _SELDOM
            yield "changed"
        else:
            yield "idle"


def _is_inside(path: str, folder: Path) -> bool:
    """Whether *path* lies in a folder that is never read; that there is one may matter, what is in it does not."""
    try:
        parts = Path(path).relative_to(folder).parts
    except ValueError:
        return False
    return not _INSIDE.isdisjoint(parts[:-1])


def _identity(folder: Path) -> tuple[int, int] | None:
    try:
        state = folder.stat()
    except OSError:
        return None
    return (state.st_dev, state.st_ino) if folder.is_dir() else None
