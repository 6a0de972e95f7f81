"""Whether the shared store answers, for `health_check`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sightline.components import Component, Probe
from sightline.config.schema import DocsSettings
from sightline.errors import SettingsError
from sightline.on_demand import OnDemand

if TYPE_CHECKING:
    from sightline.library_docs.service import DocsService

_NAME = "shared docs store"


def store_probes(settings: DocsSettings, docs: OnDemand[DocsService]) -> Sequence[Probe]:
    """A probe where a shared store is set up; none elsewhere."""

    async def probe() -> Component:
        try:
            shared = (await docs.get()).shared
        except SettingsError as error:
            return Component(name=_NAME, works=False, problem=str(error), detail=error.hint)
        if shared is None:
            return Component(name=_NAME, works=False, problem="it was not opened")
        held = await shared.statistics()
        detail = f"{held.place}: {held.web_pages} pages, {held.used_bytes / 1e6:.1f} MB"
        return Component(
            name=_NAME, works=held.problem is None, problem=held.problem, detail=held.place if held.problem else detail
        )

    return (probe,) if settings.store_url else ()
