"""A look at a folder: how many documents, what made them, in which languages, and what among them is none to search."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from headwise.app.setup.languages import languages
from headwise.chunking.measure import find_measure
from headwise.errors import ReadingError
from headwise.indexing.documents import FoundFile
from headwise.indexing.files import FileOptions, walk_files
from headwise.reading.decode import decode
from headwise.reading.parse import parse

SAMPLE = 200
"""Files that are looked into, at most."""
_BYTES = 32 * 2**10
"""Bytes of each."""
_PARSED = 8 * 2**10
"""Characters of each that are read for their language."""
_LARGE = 512 * 2**10
"""Bytes of a file that may be a dump rather than a text."""
_LARGEST = 20

_SITES: Sequence[tuple[str, str]] = (
    ("mkdocs.yml", "MkDocs"),
    ("mkdocs.yaml", "MkDocs"),
    ("docusaurus.config.js", "Docusaurus"),
    ("docusaurus.config.ts", "Docusaurus"),
    ("docusaurus.config.mjs", "Docusaurus"),
    ("book.toml", "mdBook"),
    ("_config.yml", "Jekyll"),
    ("hugo.toml", "Hugo"),
    ("conf.py", "Sphinx"),
    ("SUMMARY.md", "GitBook"),
)
_TEMPLATE_NAMES = frozenset({"template", "templates", "_templates", "vorlagen", "modèles", "plantillas", "模板"})
_PLACEHOLDER = re.compile(r"\{\{.{0,80}?\}\}|<%.{0,200}?%>", re.DOTALL)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}\.\w+")
_CODE = re.compile(r"`[^`\n]*`")
_ADDRESS = re.compile(r"\(\S*[/.#]\S*\)|https?://\S+")
_GENERATED = re.compile(
    r"do not edit|auto-?generated|generated (?:by|from|with|file)|@generated|automatically generated", re.IGNORECASE
)
_LONG_LINE = re.compile(r"[^\r\n]{10000}")


@dataclass(frozen=True, slots=True)
class Look:
    """What was seen of a folder. Paths are relative to it, with `/`."""

    documents: int
    size: int
    """Bytes of all documents."""
    is_vault: bool
    site: str
    """What makes a site of it; empty if nothing does."""
    languages: Mapping[str, float]
    tokens_per_word: float
    """`cl100k_base` tokens for a word, words being what stands between blanks."""
    tokens_per_letter: float
    daily: tuple[str, int]
    """The folder with most daily notes, and how many those are."""
    templates: tuple[str, ...] = ()
    """Folders of templates that hold documents."""
    hidden_in_vault: tuple[str, ...] = ()
    """Folders that Obsidian is told to leave out, as far as they hold documents."""
    attachments: str = ""
    """The folder for attachments, if it holds documents."""
    outputs: tuple[str, ...] = ()
    """Folders with what the site's generator made, or kept of older versions."""
    lists: tuple[str, ...] = ()
    """Files that only list others, or are for programs."""
    generated: tuple[tuple[str, int], ...] = ()
    """Large files that a program seems to have written, and their bytes."""
    drawings: int = 0
    """Excalidraw drawings that are kept as Markdown."""
    long_lines: int = 0
    """Files of the sample with lines too long to be text."""


def look_at(root: Path) -> Look:
    """What there is in the folder *root*: all names, and the contents of a sample.

    Raises:
        ReadingError: if it cannot be read, or holds no document.
    """
    found = [item for item in walk_files(root, FileOptions()) if isinstance(item, FoundFile)]
    if not found:
        raise ReadingError(f"{root}: no documents here (.md, .markdown, .mdx, .txt); nothing to propose settings for")
    paths = [file.path for file in found]
    is_vault = (root / ".obsidian").is_dir()
    site = "" if is_vault else next((name for file, name in _SITES if (root / file).is_file()), "")
    texts = [text for file in found[:: -(-len(found) // SAMPLE)] if (text := _read(file.location)) is not None]
    prose = [_prose(text) for text in texts]
    whole = "\n".join(text[:4000] for text in prose)
    tokens = find_measure("cl100k_base").count(whole)
    folders = _folders(paths)
    large = sorted((file for file in found if file.size >= _LARGE), key=lambda file: -file.size)[:_LARGEST]
    return Look(
        documents=len(found),
        size=sum(file.size for file in found),
        is_vault=is_vault,
        site=site,
        languages=languages(prose),
        tokens_per_word=tokens / max(len(whole.split()), 1),
        tokens_per_letter=tokens / max(len(whole), 1),
        daily=_daily(paths),
        templates=_templates(root, folders, found) if folders else (),
        hidden_in_vault=_existing(_left_out(root), folders) if is_vault else (),
        attachments=next(iter(_existing([_of_vault(root, "app.json", "attachmentFolderPath")], folders)), ""),
        outputs=_existing(_outputs(site), folders),
        lists=_lists(paths, site),
        generated=tuple((file.path, file.size) for file in large if _is_generated(file)),
        drawings=sum(path.endswith(".excalidraw.md") for path in paths),
        long_lines=sum(_LONG_LINE.search(text) is not None for text in texts),
    )


def _read(location: str) -> str | None:
    """The beginning of a file, in whole lines; None if it is no text or cannot be read."""
    try:
        with Path(location).open("rb") as file:
            data = file.read(_BYTES)
        if len(data) == _BYTES:
            data = data[: data.rfind(b"\n") + 1] or data.decode("utf-8", "ignore").encode()
        return decode(data)[0]
    except (OSError, ReadingError):
        return None


def _prose(text: str) -> str:
    """*text*, as far as people wrote it for people: without code, HTML, addresses and front matter."""
    tree = parse(text[:_PARSED])
    parts: list[str] = []
    at = tree.front_matter.end
    for block in tree.blocks:
        if block.kind in {"code_block", "html_block", "math_block"} and block.start >= at:
            parts.append(tree.text[at : block.start])
            at = block.end
    return _ADDRESS.sub(" ", _CODE.sub(" ", "".join([*parts, tree.text[at:]])))


def _folders(paths: Iterable[str]) -> Mapping[str, int]:
    """Folders with how many documents lie in them, at any depth."""
    found: Counter[str] = Counter()
    for path in paths:
        found.update(parent.as_posix() for parent in PurePosixPath(path).parents if parent.name)
    return found


def _daily(paths: Iterable[str]) -> tuple[str, int]:
    days = Counter(path.rpartition("/")[0] for path in paths if _DAY.fullmatch(path.rpartition("/")[2]))
    return days.most_common(1)[0] if days else ("", 0)


def _templates(root: Path, folders: Mapping[str, int], found: Sequence[FoundFile]) -> tuple[str, ...]:
    """What the vault calls its folder of templates, and folders so called whose documents hold placeholders."""
    told = [
        _of_vault(root, "templates.json", "folder"),
        _of_vault(root, "plugins/templater-obsidian/data.json", "templates_folder"),
    ]
    named = [folder for folder in folders if folder.rpartition("/")[2].lower() in _TEMPLATE_NAMES]
    filled: list[str] = []
    for folder in named[:_LARGEST]:
        inside = [file for file in found if file.path.startswith(f"{folder}/")][:6]
        hits = sum(_PLACEHOLDER.search(_read(file.location) or "") is not None for file in inside)
        if 2 * hits >= len(inside):
            filled.append(folder)
    return _outermost([*_existing(told, folders), *filled])


def _left_out(root: Path) -> list[str]:
    """What Obsidian is told to leave out of its own search, but for regular expressions."""
    told = _vault_file(root, "app.json").get("userIgnoreFilters")
    return [one for one in told if isinstance(one, str) and not one.startswith("/")] if isinstance(told, list) else []  # pyright: ignore[reportUnknownVariableType] - JSON


def _of_vault(root: Path, file: str, key: str) -> str:
    value = _vault_file(root, file).get(key)
    return value if isinstance(value, str) else ""


def _vault_file(root: Path, name: str) -> Mapping[str, Any]:
    """A settings file of the vault; empty if it is not there or damaged, which is Obsidian's business."""
    try:
        found = json.loads((root / ".obsidian" / name).read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}  # pyright: ignore[reportUnknownVariableType] - JSON


def _existing(names: Iterable[str], folders: Mapping[str, int]) -> tuple[str, ...]:
    """Those of *names* that are folders with documents, none inside another."""
    return _outermost([name for one in names if (name := one.strip().strip("/").removeprefix("./")) in folders])


def _outermost(names: Iterable[str]) -> tuple[str, ...]:
    every = sorted(set(names))
    return tuple(name for name in every if not any(name.startswith(f"{other}/") for other in every))


def _outputs(site: str) -> list[str]:
    """Where generators put what they make, and copies of older versions."""
    return {
        "MkDocs": ["site"],
        "Docusaurus": ["build", "versioned_docs"],
        "mdBook": ["book"],
        "Jekyll": ["_site"],
        "Hugo": ["public"],
        "Sphinx": ["_build", "build"],
        "GitBook": ["_book"],
    }.get(site, [])


def _lists(paths: Iterable[str], site: str) -> tuple[str, ...]:
    """Names of files that are no text to find, each once."""
    wanted = [re.compile(r"(?:requirements[\w.-]*|robots|CMakeLists|llms|llms-full)\.txt")]
    if site in {"mdBook", "GitBook"}:
        wanted.append(re.compile("SUMMARY\\.md"))
    names = {path.rpartition("/")[2] for path in paths}
    return tuple(sorted(name for name in names if any(one.fullmatch(name) for one in wanted)))


def _is_generated(file: FoundFile) -> bool:
    if file.size >= 4 * _LARGE:
        return True
    return _GENERATED.search((_read(file.location) or "")[:2000]) is not None
