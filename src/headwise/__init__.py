"""Headwise cuts folders of documents along their own headings into passages that can be found again."""

from typing import TYPE_CHECKING, Any

from headwise.chunking.settings import Settings
from headwise.chunking.split import Analysis, analyse, split
from headwise.errors import HeadwiseError
from headwise.model import Chunk, Hit

if TYPE_CHECKING:
    from headwise.indexing.index import Index

__all__ = ["Analysis", "Chunk", "HeadwiseError", "Hit", "Index", "Settings", "analyse", "split"]


def __getattr__(name: str) -> Any:
    # the database library takes longer to import than all the rest: only who opens an index pays for it
    if name == "Index":
        from headwise.indexing.index import Index  # noqa: PLC0415

        return Index
    raise AttributeError(f"module 'headwise' has no attribute {name!r}")
