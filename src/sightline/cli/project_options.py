"""The options that every project-bound subcommand shares, and the settings that follow from them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from sightline.config.layers import setting_from_text
from sightline.config.loading import LoadedSettings, load_settings
from sightline.errors import SettingsError
from sightline.places import standard_places

F = TypeVar("F", bound=Callable[..., Any])

project_option = click.option(
    "--project", metavar="DIR", help="Project root [default: $CLAUDE_PROJECT_DIR, else the working folder]."
)


def settings_option(function: F) -> F:
    return click.option(
        "--set",
        "assignments",
        metavar="KEY=VALUE",
        multiple=True,
        help="Set any setting, e.g. code.pool_size=2.",
    )(function)


def project_root(given: str | None) -> Path:
    """The project to work on; raises `SettingsError` if it is not a folder."""
    root = Path(given or os.environ.get("CLAUDE_PROJECT_DIR") or Path.cwd()).expanduser().resolve()
    if not root.is_dir():
        raise SettingsError(f"project is not a folder: {root}", "name an existing folder with --project")
    return root


def settings_for(
    root: Path,
    assignments: tuple[str, ...] = (),
    flags: Mapping[str, Any] | None = None,
    mode: str | None = None,
) -> LoadedSettings:
    """The settings for a project, with what the command line says on top."""
    chosen = {name: value for name, value in (flags or {}).items() if value not in (None, ())}
    command_line = {**dict(map(_assignment, assignments)), **chosen}
    return load_settings(root, standard_places(), os.environ, command_line=command_line, mode=mode)


def _assignment(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals:
        raise SettingsError(f"not an assignment: {text}", "write --set KEY=VALUE")
    return setting_from_text(name.strip(), value, place="the command line")
