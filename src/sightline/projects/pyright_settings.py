"""What a project's own Pyright configuration says about its environment.

Only the keys that decide environment and version are read; Pyright itself reads the rest, and reports mistakes.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from sightline.projects.jsonc import parse_jsonc
from sightline.projects.roots import PYRIGHT_CONFIG


@dataclass(frozen=True, slots=True)
class PyrightSettings:
    """The configuration file in use, and the keys that matter here; `is_broken` if it cannot be parsed."""

    file: str | None = None
    venv_path: str | None = None
    venv: str | None = None
    python_version: str | None = None
    chooses_files: bool = False
    is_broken: bool = False


def read_pyright_settings(root: Path) -> PyrightSettings:
    """Of `pyrightconfig.json`, else of `[tool.pyright]`; empty if there is neither."""
    if (root / PYRIGHT_CONFIG).exists():
        return _settings(PYRIGHT_CONFIG, _json_object(root / PYRIGHT_CONFIG))
    manifest = root / "pyproject.toml"
    table = _parsed_toml(manifest)
    if table is None and manifest.exists():
        return PyrightSettings("pyproject.toml", is_broken=True)
    section = table_at(table or {}, "tool", "pyright")
    return _settings("pyproject.toml", section) if section else PyrightSettings()


def read_toml(path: Path) -> dict[str, Any]:
    """The file's table; empty if it is missing or cannot be parsed, which its own tools will report."""
    return _parsed_toml(path) or {}


def _parsed_toml(path: Path) -> dict[str, Any] | None:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return None


def table_at(table: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """A nested table; empty if it is not there."""
    value: Any = table
    for name in names:
        value = cast("dict[str, Any]", value).get(name) if isinstance(value, dict) else None
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _json_object(path: Path) -> dict[str, Any] | None:
    try:
        value = parse_jsonc(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError):
        return None
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def _settings(file: str, table: Mapping[str, Any] | None) -> PyrightSettings:
    if table is None:
        return PyrightSettings(file, is_broken=True)

    def text(name: str) -> str | None:
        value = table.get(name)
        return value if isinstance(value, str) else None

    chooses_files = bool({"include", "exclude", "extends"} & table.keys())
    return PyrightSettings(file, text("venvPath"), text("venv"), text("pythonVersion"), chooses_files)
