"""What the tools read: the open index, and what opens a place for the user."""

from __future__ import annotations

from dataclasses import dataclass

from headwise.app.editor_links import Editor, Opening, openings, usual_editor
from headwise.indexing.index import Index
from headwise.model import Hit


@dataclass(frozen=True, slots=True)
class Desk:
    """An open index, for the time of one call."""

    index: Index
    editor: Editor | None = None
    """What opens places; None if that was not chosen: then answers have no links."""

    def opening(self, hit: Hit) -> Opening | None:
        """How to open *hit*, if an editor was chosen."""
        return openings(self.index.folders(), self.editor)(hit) if self.editor else None

    def is_vault(self) -> bool:
        """Whether the documents are read as those of an Obsidian vault."""
        return any(usual_editor(folder) == "obsidian" for folder in self.index.folders())
