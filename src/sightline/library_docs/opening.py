"""The way in: the docs service, opened when a tool first needs it, so that a start costs nothing."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from sightline.children import Children
from sightline.config.schema import DocsSettings
from sightline.on_demand import OnDemand, on_demand
from sightline.projects import Surroundings

if TYPE_CHECKING:
    from sightline.library_docs.service import DocsService


def open_docs(
    settings: DocsSettings, around: Surroundings, data: Path, children: Children, *, is_long_lived: bool = False
) -> AbstractAsyncContextManager[OnDemand[DocsService]]:
    """The door to the service; what is behind it ends with the block. It opens by itself to look for a registry."""

    def opener() -> AbstractAsyncContextManager[DocsService]:
        from sightline.library_docs.service import open_service

        return open_service(settings, around, data, children=children, is_long_lived=is_long_lived)

    return on_demand(opener, is_wanted=bool(settings.registry_url) and not settings.offline)
