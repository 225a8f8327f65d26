"""The files of a folder that are to be read."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from errno import ELOOP, ENOENT
from pathlib import Path
from stat import S_ISREG
from typing import NamedTuple
from unicodedata import normalize

from pathspec import GitIgnoreSpec

from headwise.errors import ReadingError, SettingsError
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
class FoundFile:
    """A file, as it was when its folder was listed."""

    path: str
    """Relative to the root, with `/`, in Unicode NFC."""
    location: str
    """Its absolute path, as the operating system spells it."""
    size: int
    """Bytes."""
    mtime_ns: int
    inode: int
    ctime_ns: int
    obsidian: bool
    """True if an `.obsidian` folder lies beside or above it."""


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
    """The files of the folder *root* that *options* ask for; only those at or below the path *below*, if given.

    A link to a file inside the root is read as a file. A link to a folder is not followed: inside the root, the
    folder is read in its own place. Links out of the root, names that are not Unicode, and all but the first
    of names that are one in NFC are problems.

    Raises:
        ReadingError: if *root* is missing, is not a folder, or cannot be read.
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
    files: list[FoundFile] = []
    problems: list[Problem] = []
    for found in _walk(top, options, above, normalize("NFC", below).strip("/")):
        if isinstance(found, FoundFile):
            files.append(found)
        else:
            problems.append(found)
    kept: dict[str, FoundFile] = {}
    for file in sorted(files, key=lambda f: (f.path, f.location)):
        if kept.setdefault(file.path, file) is not file:
            problems += [Problem(file.path, "another file has this name in another Unicode form", unknown=False)]
    return Found(tuple(kept.values()), tuple(sorted(problems, key=lambda p: p.path)))


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


def _walk(top: Path, options: FileOptions, above: tuple[Rules, ...], below: str) -> Iterator[FoundFile | Problem]:
    include = GitIgnoreSpec.from_lines(normalize("NFC", pattern.lower()) for pattern in options.include)
    rules = (parse_rules(["node_modules/"]), *above, parse_rules(options.exclude))
    folders = [_Folder("", str(top), rules, is_obsidian(top))]
    while folders:
        folder = folders.pop()
        try:
            entries, folder = _open(folder, options)
        except FileNotFoundError:  # deleted since its own folder was listed
            continue
        except OSError as error:
            what = ": .gitignore" if str(error.filename).endswith(".gitignore") else ""
            yield Problem(folder.prefix.rstrip("/"), f"cannot be read ({error.strerror}{what})", unknown=True)
            continue
        for entry in entries:
            path = folder.prefix + _nfc(entry.name)
            if _is_hidden(entry.name, options) or (below and not _is_on_the_way(path, below)):
                continue
            found = _visit(entry, path, folder, include, str(top))
            if isinstance(found, _Folder):
                folders.append(found)
            elif found is not None:
                yield found


def _open(folder: _Folder, options: FileOptions) -> tuple[list[os.DirEntry[str]], _Folder]:
    """The entries of *folder*, and *folder* with what they say about it."""
    with os.scandir(folder.location) as listing:
        entries = list(listing)
    rules = folder.rules
    for entry in entries:
        if options.gitignore and entry.name == ".gitignore" and entry.is_file(follow_symlinks=False):
            rules = (*rules[:-1], rules_of_file(Path(entry.path), cut=len(folder.prefix)), rules[-1])
    vault = folder.obsidian or any(entry.name == ".obsidian" for entry in entries)
    return entries, folder._replace(rules=rules, obsidian=vault)


def _visit(
    entry: os.DirEntry[str], path: str, folder: _Folder, include: GitIgnoreSpec, top: str
) -> FoundFile | Problem | _Folder | None:
    """What *entry* of *folder* is; None if it is not asked for."""
    is_link = entry.is_symlink()
    is_folder = _is_folder(entry)
    if is_named(f"{path}/" if is_folder else path, folder.rules):
        return None
    if not is_folder and not include.match_file(path.lower()):
        return None
    if not _is_unicode(path):
        shown = path.encode("utf-8", "replace").decode()
        return Problem(shown, "the name is not Unicode; rename it", unknown=False)
    if is_link and os.path.commonpath([top, target := os.path.realpath(entry.path)]) != top:
        return Problem(path, f"a link out of the folder, to {target}", unknown=False)
    if is_folder:
        return None if is_link else _Folder(f"{path}/", entry.path, folder.rules, folder.obsidian)
    try:
        return _look(path, entry.path, obsidian=folder.obsidian)
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
