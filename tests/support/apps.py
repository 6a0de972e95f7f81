"""An application in this process, with settings and folders of its own."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from sightline.app import App, open_app
from sightline.config import LoadedSettings, load_settings
from sightline.places import Places


def places_in(folder: Path) -> Places:
    return Places(folder / "config", folder / "data", folder / "logs", folder / "cache")


def settings_in(root: Path, home: Path, **values: Any) -> LoadedSettings:
    """Settings as the command line would set them: `output__format="text"`."""
    command_line = {name.replace("__", "."): value for name, value in values.items()}
    return load_settings(root, places_in(home), {}, command_line=command_line)


@asynccontextmanager
async def app_over(
    root: Path, home: Path, environment: Mapping[str, str] | None = None, **values: Any
) -> AsyncGenerator[App]:
    settings = settings_in(root, home, **values)
    async with open_app(
        root, settings, environment=environment or _environment(), home=home, places=places_in(home)
    ) as app:
        yield app


def _environment() -> Mapping[str, str]:
    import os

    return {"PATH": os.environ["PATH"]}
