"""The life of a target, driven as a user would: sync what there is, change the source, sync again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sightline.children import Children
from sightline.config.schema import SyncSettings, Target
from sightline.projects import Surroundings
from sightline.sync.formats.three_way import Choice
from sightline.sync.planning import Plan
from sightline.sync.service import DoneSync, SyncAsk, SyncService
from sightline.sync.source import SourcePlaces


@dataclass(frozen=True, slots=True)
class Life:
    """One person with some targets; what sync remembers is in `data`."""

    targets: tuple[Target, ...]
    home: Path
    data: Path
    source: Callable[[Path], SourcePlaces]
    children: Children
    allow_secrets: bool = False
    path: str = ""

    @property
    def service(self) -> SyncService:
        settings = SyncSettings(
            targets=self.targets,
            scope="all",
            verify="auto" if self.path else "never",
            allow_secrets=self.allow_secrets,
        )
        around = Surroundings({"PATH": self.path}, self.home)
        return SyncService(settings, around, self.data, self.children, "linux", source=self.source)

    async def plan(self, project: Path, choices: dict[str, Choice] | None = None) -> Plan:
        return (await self.service.plan(project, SyncAsk(choices=choices or {}))).plan

    async def sync(self, project: Path, choices: dict[str, Choice] | None = None) -> DoneSync:
        ask = SyncAsk(choices=choices or {})
        plan_id = (await self.service.plan(project, ask)).plan.plan_id
        return await self.service.apply(project, ask, plan_id, _silent)


async def _silent(_done: float, /, total: float | None = None, message: str | None = None) -> None:
    """Nobody watches."""
