"""Making a store equal to a place as it is configured: what `index`, `watch` and the service have in common."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from headwise.app.config import Config
from headwise.app.places import Place
from headwise.indexing.embed import EmbedReport, embed_pending
from headwise.indexing.models import Embedder
from headwise.indexing.plan import Plan, make_plan
from headwise.indexing.survey import Outlook
from headwise.indexing.sync import SyncEvent, SyncReport, sync
from headwise.stores.store import Store


def _ignore(_: object) -> None:
    """Nobody watches."""


@dataclass(frozen=True, slots=True)
class Filling:
    """A place, and the open store that is to hold it as *config* says; its methods raise what they are made of does."""

    store: Store
    config: Config
    place: Place
    embedder: Embedder | None
    """What passages are cut for, and embedded by."""

    def sync(
        self,
        on_event: Callable[[SyncEvent], None],
        *,
        workers: int,
        checksum: bool = False,
        allow_mass_deletion: bool = False,
        on_outlook: Callable[[Outlook], None] = _ignore,
    ) -> SyncReport:
        """Make the store equal to the place; see `headwise.indexing.sync.sync`."""
        return sync(
            self.store,
            self.place.root,
            self.place.name,
            self.config.files,
            self.config.indexing(self.embedder),
            below=self.place.below,
            checksum=checksum,
            workers=workers,
            allow_mass_deletion=allow_mass_deletion,
            on_outlook=on_outlook,
            on_event=on_event,
        )

    def plan(self, on_event: Callable[[SyncEvent], None], *, workers: int, checksum: bool) -> Plan:
        """What `sync` and `embed` would do; see `headwise.indexing.plan.make_plan`."""
        return make_plan(
            self.store,
            self.place.root,
            self.place.name,
            self.config.files,
            self.config.indexing(self.embedder),
            below=self.place.below,
            checksum=checksum,
            workers=workers,
            on_event=on_event,
        )

    def embed(self, on_progress: Callable[[int, int], None]) -> EmbedReport:
        """Give vectors to what has none, if there is a model; see `headwise.indexing.embed.embed_pending`."""
        return embed_pending(self.store, self.embedder, on_progress) if self.embedder else self.unembedded()

    def unembedded(self) -> EmbedReport:
        """What there is to report where nothing is embedded."""
        coverage = self.store.coverage(self.embedder.key if self.embedder else "")
        return EmbedReport(0, *coverage, unread=0, seconds=0.0)
