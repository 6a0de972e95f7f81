"""The way in: what the sync service is made of, and the service when a tool needs it, so that a start costs nothing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sightline.config.schema import SyncSettings
from sightline.frozen import frozen
from sightline.surroundings import Surroundings

if TYPE_CHECKING:
    from sightline.children import Children
    from sightline.sync.service import SyncService


@frozen
class SyncDoor:
    """Settings, surroundings, where sync keeps its own files, and who runs the targets' commands, if anybody may."""

    settings: SyncSettings
    around: Surroundings
    data: Path
    children: Children | None
    platform: str

    def service(self) -> SyncService:
        """The service; it holds nothing, all that it remembers is on disk."""
        from sightline.sync.service import SyncService

        return SyncService(self.settings, self.around, self.data, self.children, self.platform)
