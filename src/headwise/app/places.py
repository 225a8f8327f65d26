"""Which root and which store a command works on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from headwise.errors import ReadingError, StoreError
from headwise.indexing.documents import FoundFile
from headwise.indexing.files import FileOptions, walk_files

FOLDER = ".headwise"
DEFAULT_STORE = Path(FOLDER, "index.db")
OWN_ROOT = "."
"""Name, in a store that lies in its root's own `.headwise`, of that root: it may be moved as a whole."""


@dataclass(frozen=True, slots=True)
class Place:
    """A part of a root, and the store it goes into."""

    root: Path
    """The root's folder."""
    name: str
    """The root's name in the store."""
    below: str
    """The part meant, relative to the root with `/`; empty for all of it."""
    store: str
    """URL or path of the store."""

    @property
    def has_own_store(self) -> bool:
        """True if the store lies in the root's `.headwise`."""
        return self.name == OWN_ROOT

    @property
    def shown(self) -> str:
        """The store as people may see it: its URL without a password."""
        from headwise.stores.open import shown_store

        return shown_store(self.store)

    @property
    def has_store(self) -> bool:
        """True if the store is there already, or if that can only be told by opening it."""
        file = self.store.removeprefix("sqlite:///")
        return "://" in file or Path(file).expanduser().exists()


def place_of(path: Path, store: str | None) -> Place:
    """The root that *path* belongs to: the nearest folder above with a `.headwise`, else *path* itself.

    Raises:
        ReadingError: if *path* is missing.
    """
    asked = path.resolve()
    if not asked.exists():
        raise ReadingError(f"{path}: no such file or folder")
    above = (folder for folder in (asked, *asked.parents) if (folder / FOLDER).is_dir())
    root = next(above, asked)
    own = root / DEFAULT_STORE
    is_own = store is None or ("://" not in store and Path(store).expanduser().resolve() == own)
    below = asked.relative_to(root).as_posix()
    return Place(
        root=root,
        name=OWN_ROOT if is_own else str(root),
        below="" if below == "." else below,
        store=store or str(own),
    )


def prepare(place: Place, options: FileOptions) -> None:
    """Make sure that *place* can be indexed into a store that is not there yet.

    A store in its root's own `.headwise` gets that folder, with a `.gitignore` that keeps it out of version control.

    Raises:
        ReadingError: if the root cannot be read, or holds no document.
        StoreError: if the folder cannot be made.
    """
    if place.has_store:
        return
    check_documents(place, options)
    if place.has_own_store:
        folder = place.root / FOLDER
        try:
            folder.mkdir(exist_ok=True)
            (folder / ".gitignore").write_text("*\n", "utf-8")
        except OSError as error:
            raise StoreError(f"{folder}: cannot be made ({error.strerror}); name a store with --store") from error


def check_documents(place: Place, options: FileOptions) -> None:
    """Make sure that there is something to index.

    Raises:
        ReadingError: if the root cannot be read, or holds no document.
    """
    if not any(isinstance(item, FoundFile) for item in walk_files(place.root, options)):
        raise ReadingError(f"{place.root}: no documents to index here")


def settings_start(store: str | None) -> Path:
    """Where to look for settings when a command works on a store: its root, if that is known, else here."""
    if store and "://" not in store and Path(store).parent.name == FOLDER:
        return Path(store).parent.parent
    return Path()


def location_of(store: str) -> str:
    """Where a store lies, so that others can name it: an absolute path, or a URL without its password."""
    if "://" not in store:
        return str(Path(store).expanduser().resolve())
    from sqlalchemy.engine import make_url

    from headwise.stores.open import shown_store

    url = make_url(store)
    if url.get_backend_name() == "sqlite" and url.database:
        return str(Path(url.database).resolve())
    return shown_store(store)
