"""What can go wrong, as a small tree.

::

    HeadwiseError
    ├── SettingsError     a setting that cannot work (also a ValueError)
    ├── ReadingError      a file or folder that cannot be read
    │   └── NotTextError  a file that was read and holds no text
    ├── SyncError         a sync that cannot go on
    │   └── MassDeletionError  one that would delete most of what is stored, and was not told to
    ├── StoreError        a store that cannot be opened, is not ours, or is in use
    │   ├── MissingStoreError  a store that is not there
    │   └── NotStoredError     a document, section or chunk that a store does not have
    ├── ModelError        an embedding model that is missing, refuses, or does not answer
    └── ExportError       an export that cannot be written, or would touch what is not ours

Every message is one line: what is wrong, where, and what to do about it. Splitting text never fails;
only its settings can.
"""


class HeadwiseError(Exception):
    """Base of every error Headwise raises on purpose."""


class SettingsError(HeadwiseError, ValueError):
    """A setting that cannot work, found before anything is done."""


class ReadingError(HeadwiseError):
    """A file or folder that cannot be read."""


class NotTextError(ReadingError):
    """A file that was read and holds no text."""


class SyncError(HeadwiseError):
    """A sync that cannot go on; what was done before is kept, and the next one does the rest."""


class MassDeletionError(SyncError):
    """A sync that would delete more than half of what is stored, before it changed anything."""

    def __init__(self, where: str, deleted: int, stored: int) -> None:
        super().__init__(
            f"{where}: {deleted:,} of {stored:,} stored documents are no longer there, and would be deleted: "
            "is the folder complete? If it is, allow it (--yes, allow_mass_deletion)"
        )
        self.deleted = deleted
        self.stored = stored


class StoreError(HeadwiseError):
    """A store that cannot be opened, is not a Headwise store, or is in use."""


class MissingStoreError(StoreError):
    """A store that is not there, and was not to be made."""


class NotStoredError(StoreError):
    """A document, section or chunk that a store does not have."""


class ModelError(HeadwiseError):
    """An embedding model that is missing, refuses, or does not answer."""


class ExportError(HeadwiseError):
    """An export that cannot be written, or would touch what is not ours."""
