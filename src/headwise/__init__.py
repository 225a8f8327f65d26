"""Headwise cuts folders of documents along their own headings into passages that can be found again."""

from headwise.chunking.settings import Settings
from headwise.chunking.split import Analysis, analyse, split
from headwise.errors import HeadwiseError
from headwise.model import Chunk, Hit

__all__ = ["Analysis", "Chunk", "HeadwiseError", "Hit", "Settings", "analyse", "split"]
