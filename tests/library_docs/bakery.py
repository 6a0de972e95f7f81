"""A project with an environment of its own, a registry entry for a library that is not installed, and its site."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sightline.allowed_roots import AllowedRoots
from sightline.answers import Answer
from sightline.boundary import ToolBoundary
from sightline.children import Children
from sightline.config.schema import DocsSettings, Settings
from sightline.library_docs.service import DocsService, open_service
from sightline.library_docs.tools import TOOLS
from sightline.metrics import Metrics
from sightline.on_demand import on_demand
from sightline.projects import Surroundings
from sightline.selection import select_tools
from tests.library_docs.installed.handmade import make_distribution
from tests.library_docs.loopback_site import LoopbackSite

SITE = "https://docs.oven-kit.dev"
OVEN = {
    "docs": f"{SITE}/en/stable/",
    "llms_txt": f"{SITE}/llms.txt",
    "version": "3.1.0",
}


@dataclass(slots=True)
class Clock:
    """A time that tests move."""

    now: float = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


@dataclass(frozen=True, slots=True)
class Bakery:
    """The docs tools over a project."""

    root: Path
    boundary: ToolBoundary
    service: DocsService

    async def ask(self, tool: str, **arguments: Any) -> Answer:
        return await self.boundary.call(tool, arguments)

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The data of an answer that must be good."""
        answer = await self.ask(tool, **arguments)
        assert answer.ok, answer.text
        return answer.data


def make_project(folder: Path) -> Path:
    """`widget` 2.0.0 is installed, `oven-kit` is declared and not installed."""
    root = folder / "project"
    root.mkdir(parents=True)
    (root / "pyproject.toml").write_text('[project]\nname = "p"\ndependencies = ["widget>=2", "oven-kit~=3.0"]\n')
    make_distribution(
        root,
        "widget",
        "2.0.0",
        {"widget/__init__.py": 'def turn(angle: float) -> None:\n    """Turn the widget by an angle."""\n'},
    )
    (root / ".venv" / "pyvenv.cfg").write_text("home = /usr/bin\nversion = 3.12.4\n")
    (root / ".venv" / "bin").mkdir()
    (root / ".venv" / "bin" / "python").symlink_to("/usr/bin/python3")
    return root


@asynccontextmanager
async def bakery(
    folder: Path,
    site: LoopbackSite | None = None,
    clock: Callable[[], float] | None = None,
    path: str = "",
    **settings: Any,
) -> AsyncGenerator[Bakery]:
    """The tools over a new project (or the one that is there already); without a site nobody can be reached.

    `path` is the PATH on which a `python` is looked for.
    """
    root = folder / "project" if (folder / "project").exists() else make_project(folder)
    extra = folder / "extra.json"
    extra.write_text(json.dumps({"schema": 1, "libraries": {"pypi:oven-kit": OVEN}}))
    docs = DocsSettings(extra_registries=(str(extra),), **settings)
    around = Surroundings({"PATH": path}, folder)
    fetcher = site.fetcher() if site else None
    data, clock = folder / "data", clock or Clock()
    with Children() as children:
        async with (
            open_service(docs, around, data, children=children, fetcher=fetcher, clock=clock) as service,
            on_demand(lambda: _as_it_is(service)) as door,
        ):
            values = Settings(docs=docs)
            boundary = ToolBoundary(
                root, select_tools(TOOLS, values.server), {"docs": door}, values, Metrics(), AllowedRoots.of(root, ())
            )
            yield Bakery(root, boundary, service)


@asynccontextmanager
async def _as_it_is(service: DocsService) -> AsyncGenerator[DocsService]:
    yield service
