"""The files of a folder that are to be read."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from errno import ELOOP, ENOENT
from heapq import merge
from itertools import groupby
from pathlib import Path
from stat import S_ISREG
from typing import NamedTuple
from unicodedata import normalize

from pathspec import GitIgnoreSpec

from headwise.errors import ReadingError, SettingsError
from headwise.indexing.documents import FoundFile
from headwise.indexing.ignore import Rules, is_named, parse_rules, rules_above, rules_of_file

_NEVER = frozenset({".git", ".headwise", ".obsidian", ".trash"})


@dataclass(frozen=True, slots=True)
class FileOptions:
    """Which files of a folder are read. Patterns have the syntax of `.gitignore`, from the root.

    Folders called `node_modules` are left out unless a `.gitignore` or `exclude` says `!node_modules/`.

    Raises:
        SettingsError: for a pattern that cannot be read.
    """

    include: tuple[str, ...] = ("*.md", "*.markdown", "*.mdx", "*.txt")
    """What to read, in any letter case. Anything not called `.md`, `.markdown` or `.mdx` is plain text."""
    exclude: tuple[str, ...] = ()
    """What to leave out; a `!pattern` brings back what a `.gitignore` names."""
    hidden: tuple[str, ...] = ()
    """Names that begin with a dot and are let in all the same; never `.git`, `.headwise`, `.obsidian`, `.trash`."""
    gitignore: bool = True
    """Whether to leave out what `.gitignore` files name, those above the root in its repository included."""

    def __post_init__(self) -> None:
        for name, patterns in (("include", self.include), ("exclude", self.exclude)):
            for pattern in patterns:
                try:
                    parse_rules([pattern])
                except ValueError as error:
                    raise SettingsError(f"{name} has {pattern!r}, which is no pattern of .gitignore") from error


@dataclass(frozen=True, slots=True)
class Problem:
    """A file or folder that was passed over, and why."""

    path: str
    reason: str
    unknown: bool
    """True if nothing can be said of what is there (no permission, a failing disk): what is known stays.
    False if it is left out for good."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a folder holds, both in the order of their paths."""

    files: tuple[FoundFile, ...]
    problems: tuple[Problem, ...]


def find_files(root: Path, options: FileOptions, below: str = "") -> Found:
    """All that `walk_files` comes by, with the problems apart."""
    found = list(walk_files(root, options, below))
    problems = [item for item in found if isinstance(item, Problem)]
    files = tuple(item for item in found if isinstance(item, FoundFile))
    return Found(files, tuple(sorted(problems, key=lambda problem: problem.path)))


def walk_files(root: Path, options: FileOptions, below: str = "") -> Iterator[FoundFile | Problem]:
    """The files of the folder *root* that *options* ask for; only those at or below the path *below*, if given.

    They come one by one, in order of path by code point, so that two lists can be compared without holding either:
    what is held is the names in the folders that lead to where the walk is.

    A link to a file inside the root is read as a file. A link to a folder is not followed: inside the root, the
    folder is read in its own place. Links out of the root, names that are not Unicode, and all but the first
    of names that are one in NFC are problems.

    Raises:
        ReadingError: at once, if *root* is missing, is not a folder, or cannot be read.
    """
    try:
        top = root.resolve(strict=True)
        os.scandir(top).close()
        above = rules_above(top) if options.gitignore else ()
    except FileNotFoundError as error:
        raise ReadingError(f"{root}: no such folder") from error
    except NotADirectoryError as error:
        raise ReadingError(f"{root}: is a file, not a folder") from error
    except OSError as error:
        raise ReadingError(f"{root}: cannot be read ({error.strerror})") from error
    walk = _Walk(str(top), options, _include_spec(options), normalize("NFC", below).strip("/"))
    rules = (parse_rules(["node_modules/"]), *above, parse_rules(options.exclude))
    return _named_once(_walk(_Folder("", str(top), rules, is_obsidian(top)), walk))


def find_paths(paths: Sequence[Path], options: FileOptions) -> Found:
    """The files of *paths*: of a folder those that *options* ask for, and every file that is named itself.

    Their paths are relative to the one folder that holds all of *paths*: to the folder given, if there is one,
    and to its own folder for a single file.

    Raises:
        ReadingError: if one of *paths* is missing or cannot be read.
    """
    folders = [(path if path.is_dir() else path.parent).resolve() for path in paths]
    shared = os.path.commonpath(folders)
    files: dict[str, FoundFile] = {}
    problems: dict[str, Problem] = {}
    for path, folder in zip(paths, folders, strict=True):
        lead = f"{_nfc(folder.relative_to(shared).as_posix())}/".removeprefix("./")
        if path.is_dir():
            found = find_files(path, options)
            files |= {lead + file.path: file for file in found.files}
            problems |= {lead + problem.path: problem for problem in found.problems}
        else:
            files[lead + _nfc(path.name)] = _named_file(path, folder)
    return Found(
        tuple(replace(file, path=path) for path, file in files.items()),
        tuple(replace(problem, path=path) for path, problem in problems.items()),
    )


def is_obsidian(folder: Path) -> bool:
    """Whether *folder* lies in an Obsidian vault: an `.obsidian` folder is in it or above."""
    here = folder.resolve()
    return any((parent / ".obsidian").is_dir() for parent in (here, *here.parents))


class _Folder(NamedTuple):
    prefix: str
    """Its path with a `/` at the end; empty for the root."""
    location: str
    rules: tuple[Rules, ...]
    """What leaves entries out; the last that knows a path wins, and the last of all are the user's."""
    obsidian: bool


class _Walk(NamedTuple):
    """What holds for all folders of one walk."""

    top: str
    options: FileOptions
    include: GitIgnoreSpec
    below: str


_Item = FoundFile | Problem | _Folder


def _walk(folder: _Folder, walk: _Walk) -> Iterator[FoundFile | Problem]:
    """What is below *folder*, in order; without recursion, however deep it goes."""
    open_folders = [_items(folder, walk)]
    while open_folders:
        item = next(open_folders[-1], None)
        if item is None:
            open_folders.pop()
        elif isinstance(item, _Folder):
            open_folders.append(_items(item, walk))
        else:
            yield item


def _items(folder: _Folder, walk: _Walk) -> Iterator[_Item]:
    """What *folder* holds, in order."""
    try:
        names, links, folder = _open(folder, walk)
    except FileNotFoundError:  # deleted since its own folder was listed
        return
    except OSError as error:
        what = ": .gitignore" if str(error.filename).endswith(".gitignore") else ""
        yield Problem(folder.prefix.rstrip("/"), f"cannot be read ({error.strerror}{what})", unknown=True)
        return
    for name, same in groupby(names, key=_nfc):
        path = folder.prefix + name
        items = [_visit(spelled, path, folder, walk, is_link=spelled in links) for spelled in same]
        twins = [item for item in items if isinstance(item, _Folder)]
        if len(twins) > 1:  # two folders with one name in NFC: what is in them mixes
            yield from merge(*(_walk(twin, walk) for twin in twins), key=_place)
        else:
            yield from (item for item in items if item is not None)


def _place(item: FoundFile | Problem) -> tuple[str, str]:
    return item.path, item.location if isinstance(item, FoundFile) else ""


def _named_once(found: Iterable[FoundFile | Problem]) -> Iterator[FoundFile | Problem]:
    """*found*, with a problem for each file that has the same path as the one before."""
    last = None
    for item in found:
        if isinstance(item, Problem):
            yield item
        elif item.path == last:
            yield Problem(item.path, "another file has this name in another Unicode form", unknown=False)
        else:
            last = item.path
            yield item


def _open(folder: _Folder, walk: _Walk) -> tuple[list[str], set[str], _Folder]:
    """Names in *folder* that may be asked for, which of them are links, and *folder* with what is said in it.

    A folder's name ends in `/`, so that names sort as the paths of what is in them.
    """
    names: list[str] = []
    links: set[str] = set()
    rules, vault = folder.rules, folder.obsidian
    with os.scandir(folder.location) as listing:
        for entry in listing:
            if entry.name == ".gitignore" and walk.options.gitignore and entry.is_file(follow_symlinks=False):
                rules = (*rules[:-1], rules_of_file(Path(entry.path), cut=len(folder.prefix)), rules[-1])
            vault = vault or entry.name == ".obsidian"
            path = folder.prefix + _nfc(entry.name)
            if _is_hidden(entry.name, walk.options) or (walk.below and not _is_on_the_way(path, walk.below)):
                continue
            is_folder = _is_folder(entry)
            if is_folder or walk.include.match_file(path.lower()):
                name = f"{entry.name}/" if is_folder else entry.name
                names.append(name)
                if entry.is_symlink():
                    links.add(name)
    names.sort()
    names.sort(key=_nfc)
    return names, links, folder._replace(rules=rules, obsidian=vault)


def _visit(name: str, path: str, folder: _Folder, walk: _Walk, *, is_link: bool) -> _Item | None:
    """What is called *name* in *folder*; None if it is not asked for."""
    if is_named(path, folder.rules):
        return None
    location = os.path.join(folder.location, name.rstrip("/"))  # noqa: PTH118 - once per file
    is_folder, path = path.endswith("/"), path.rstrip("/")
    if not _is_unicode(path):
        shown = path.encode("utf-8", "replace").decode()
        return Problem(shown, "the name is not Unicode; rename it", unknown=False)
    if is_link and os.path.commonpath([walk.top, target := os.path.realpath(location)]) != walk.top:
        return Problem(path, f"a link out of the folder, to {target}", unknown=False)
    if is_folder:
        return None if is_link else _Folder(f"{path}/", location, folder.rules, folder.obsidian)
    try:
        return _look(path, location, obsidian=folder.obsidian)
    except OSError as error:
        if isinstance(error, FileNotFoundError) and not is_link:  # deleted since the folder was listed
            return None
        return Problem(path, f"cannot be read ({error.strerror})", unknown=error.errno not in {ENOENT, ELOOP})


def _named_file(path: Path, folder: Path) -> FoundFile:
    try:
        file = _look(_nfc(path.name), str(folder / path.name), obsidian=is_obsidian(folder))
    except FileNotFoundError as error:
        raise ReadingError(f"{path}: no such file or folder") from error
    except OSError as error:
        raise ReadingError(f"{path}: cannot be read ({error.strerror})") from error
    if file is None:
        raise ReadingError(f"{path}: is neither a file nor a folder")
    return file


def _look(path: str, location: str, *, obsidian: bool) -> FoundFile | None:
    """The file at *location*; None if it is a pipe, a device, or the like."""
    state = os.stat(location)  # noqa: PTH116 - once per file; DirEntry.stat knows no inode on Windows
    if not S_ISREG(state.st_mode):
        return None
    return FoundFile(path, location, state.st_size, state.st_mtime_ns, state.st_ino, state.st_ctime_ns, obsidian)


def _include_spec(options: FileOptions) -> GitIgnoreSpec:
    return GitIgnoreSpec.from_lines(normalize("NFC", pattern.lower()) for pattern in options.include)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link to itself
        return False


def _is_hidden(name: str, options: FileOptions) -> bool:
    return name.startswith(".") and (name in _NEVER or name not in options.hidden)


def _is_on_the_way(path: str, below: str) -> bool:
    return path == below or path.startswith(f"{below}/") or below.startswith(f"{path}/")


def _is_unicode(path: str) -> bool:
    return path.isascii() or not any("\ud800" <= c <= "\udfff" for c in path)


def _nfc(name: str) -> str:
    return name if name.isascii() else normalize("NFC", name)
