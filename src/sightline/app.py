"""The composition root: `async with open_app(...) as app`. It composes and does nothing else."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from sightline import code, status
from sightline.boundary import ToolBoundary
from sightline.children import Children
from sightline.code.pyright_command import PyrightCommand
from sightline.config import LoadedSettings
from sightline.metrics import Metrics
from sightline.projects.interpreters import Surroundings
from sightline.selection import Selection, select_tools
from sightline.tool import AnyTool

ALL_TOOLS: tuple[AnyTool, ...] = (*code.TOOLS, *status.TOOLS)


@dataclass(frozen=True, slots=True)
class App:
    """One running Sightline: its settings, and the boundary through which tools are called."""

    settings: LoadedSettings
    boundary: ToolBoundary
    metrics: Metrics

    @property
    def selection(self) -> Selection:
        return self.boundary.selection


@asynccontextmanager
async def open_app(
    root: Path, settings: LoadedSettings, *, environment: Mapping[str, str], home: Path
) -> AsyncGenerator[App]:
    """Everything the tools need, ended in order when the block ends; raises `SettingsError`."""
    values = settings.values
    selection = select_tools(ALL_TOOLS, values.server)
    metrics = Metrics()
    with Children() as children:
        command = PyrightCommand(
            children, timeout_s=values.code.command_timeout_s, max_output_mb=values.code.max_message_mb
        )
        engine = code.CodeService(command, Surroundings(environment, home))
        watch = status.StatusService(settings, selection, metrics, environment, probes=(command.probe,))
        services = {"code": engine, "always": watch}
        yield App(settings, ToolBoundary(root, selection, services, values, metrics), metrics)
