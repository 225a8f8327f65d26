"""Whether the store can be used, and figures about it that are quick to get."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

from headwise.app.editor_links import Editor, usual_editor
from headwise.app.service.chunks import spread
from headwise.app.service.library import Library
from headwise.errors import HeadwiseError
from headwise.indexing.index import Index
from headwise.indexing.models import ModelSettings, preferred_model
from headwise.integrations.stored import moment
from headwise.stores.open import shown_store
from headwise.stores.store import Run


class Health:
    """Looks at the store; figures that take longer are kept until a run has changed something."""

    def __init__(self, library: Library, store: str, model: ModelSettings | None, editor: Editor | None) -> None:
        self._library = library
        self._editor: Editor | None = editor
        self._shown = shown_store(store)
        self._model = model
        self._sizes: tuple[object, Mapping[int, int]] = (None, {})

    def look(self) -> dict[str, Any]:
        """How the store is: `status` is `ok`, or `unusable` with the reason in `detail`."""
        about = {"version": version("headwise"), "store": self._shown}
        try:
            with self._library.index() as index:
                return {"status": "ok", "detail": None, **about, **self._figures(index)}
        except HeadwiseError as error:
            return {"status": "unusable", "detail": str(error), **about}

    def _figures(self, index: Index) -> dict[str, Any]:
        store = index.store
        counts, stored = store.counts(), store.models()
        last = next((run for run in store.runs() if run.kind == "sync"), None)
        state = counts, last and last.started_ns
        if self._sizes[0] != state:
            self._sizes = state, store.sizes()
        # By the name of the model: opening it to ask for its exact key may take a server.
        family = (self._model or preferred_model(stored)).family
        coverage = {key: store.coverage(key) for key in stored if key.startswith(family)}
        best = max(coverage, key=lambda key: coverage[key].embedded, default="")
        return {
            "documents": counts.documents,
            "excluded": counts.excluded,
            "chunks": counts.chunks,
            "passages": counts.passages,
            "pending": store.coverage(best).pending,
            "model": best or None,
            "last_sync": last and _sync_view(last),
            "tokens": spread(self._sizes[1]),
            "editor": self._editor or next(map(usual_editor, index.folders()), "none"),
        }


def _sync_view(run: Run) -> dict[str, Any]:
    return {
        "started": moment(run.started_ns),
        "seconds": round(run.seconds, 3),
        "documents": run.report.get("documents", {}),
    }
