"""What can go wrong, as a small tree.

::

    HeadwiseError
    ├── SettingsError     a setting that cannot work (also a ValueError)
    ├── ReadingError      a file or folder that cannot be read
    ├── StoreError        a store that cannot be opened, is not ours, or is in use
    └── ModelError        an embedding model that is missing, refuses, or does not answer

Every message is one line: what is wrong, where, and what to do about it. Splitting text never fails;
only its settings can.
"""


class HeadwiseError(Exception):
    """Base of every error Headwise raises on purpose."""


class SettingsError(HeadwiseError, ValueError):
    """A setting that cannot work, found before anything is done."""


class ReadingError(HeadwiseError):
    """A file or folder that cannot be read."""


class StoreError(HeadwiseError):
    """A store that cannot be opened, is not a Headwise store, or is in use."""


class ModelError(HeadwiseError):
    """An embedding model that is missing, refuses, or does not answer."""
