"""Links that open a place in a document where it is written: in Obsidian, in VS Code, or from a terminal."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path, PurePath
from typing import Literal, NamedTuple, assert_never
from urllib.parse import quote

from headwise.model import Hit

Editor = Literal["obsidian", "vscode", "file", "none"]
"""What opens a place: `file` is any program that understands `path:line`."""

_NO_HEADING = re.compile(r"[#^|\[\]\s]+")
"""What Obsidian reads as something else in the part of a link behind `#`; it takes a blank there for any of it."""


class Opening(NamedTuple):
    """How to open a place."""

    shown: str
    """A URI, or `path:line`."""
    uri: str
    """What a terminal opens on a click."""


def editor_link(kind: Editor, root: PurePath, path: str, line: int, heading: str | None = None) -> str | None:
    """The link that opens *path* in *kind* of editor; None for `none`.

    Obsidian goes to the heading (https://help.obsidian.md/Extending+Obsidian/Obsidian+URI), VS Code to the line
    (https://code.visualstudio.com/docs/configure/command-line#_opening-vs-code-with-urls).

    Args:
        kind: The editor.
        root: The folder of the documents, absolute; for Obsidian, the vault.
        path: The document, relative to *root*, with `/`.
        line: From 1.
        heading: The title of the section; None or empty for the document's beginning.
    """
    match kind:
        case "obsidian":
            note = path.removesuffix(".md") if path.count(".", path.rfind("/") + 1) == 1 else path
            part = _NO_HEADING.sub(" ", heading or "").strip()
            return f"obsidian://open?vault={_encoded(root.name)}&file={_encoded(f'{note}#{part}' if part else note)}"
        case "vscode":
            return f"vscode://file{_absolute(root, path)}:{line}:1"
        case "file":
            return f"{root / path}:{line}"
        case "none":
            return None
    assert_never(kind)


def file_uri(root: PurePath, path: str) -> str:
    """The `file://` URI of the document *path* in the folder *root*, which is absolute."""
    share = root.drive.startswith("\\\\")
    return f"file:{_absolute(root, path)}" if share else f"file://{_absolute(root, path)}"


def usual_editor(root: Path) -> Editor:
    """What opens the documents of *root* if nobody said: Obsidian for a vault, else any editor."""
    return "obsidian" if (root / ".obsidian").is_dir() else "file"


def openings(folders: Sequence[Path], editor: Editor | None) -> Callable[[Hit], Opening | None]:
    """A function that says how to open a hit in *editor* (None: the usual one of its folder).

    Args:
        folders: The roots of the store. Of several, a hit is taken to be of the first that has a file of its path.
        editor: What opens.
    """

    def opening(hit: Hit) -> Opening | None:
        root = folders[0] if len(folders) == 1 else next((one for one in folders if (one / hit.path).is_file()), None)
        if root is None:
            return None
        kind = editor or usual_editor(root)
        link = editor_link(kind, root, hit.path, hit.start_line, hit.headings[-1] if hit.headings else None)
        return Opening(link, file_uri(root, hit.path) if kind == "file" else link) if link else None

    return opening


def _absolute(root: PurePath, path: str) -> str:
    """The absolute path as part of a URI: with `/` at the start and between names, the rest encoded but a drive."""
    whole = (root / path).as_posix()
    drive = root.drive if root.drive.endswith(":") else ""
    rest = quote(whole.removeprefix(drive), safe="/", errors="surrogatepass")
    return f"/{drive}{rest}" if drive else rest


def _encoded(text: str) -> str:
    """*text* as a value of a URI: `/` is encoded as well."""
    return quote(text, safe="", errors="surrogatepass")
