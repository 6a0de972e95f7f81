"""What a project's own Pyright configuration says about its environment.

Only the keys that decide environment and version are read; Pyright itself reads the rest, and reports mistakes.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from sightline.projects.file_scope import FileScope, patterns_of
from sightline.projects.jsonc import parse_jsonc
from sightline.projects.roots import PYRIGHT_CONFIG
from sightline.regular_files import read_regular


@dataclass(frozen=True, slots=True)
class PyrightSettings:
    """The configuration in use, and the keys that matter here.

    `files` is the configuration file and those that it extends; `is_broken` if one of them is missing or cannot be
    parsed; `search_paths` are the folders it adds to the search for imports.
    """

    file: str | None = None
    venv_path: str | None = None
    venv: str | None = None
    python_version: str | None = None
    scope: FileScope = FileScope()
    is_broken: bool = False
    files: tuple[Path, ...] = ()
    search_paths: tuple[Path, ...] = ()


def read_pyright_settings(root: Path) -> PyrightSettings:
    """Of `pyrightconfig.json`, else of `[tool.pyright]`; empty if there is neither."""
    file = root / PYRIGHT_CONFIG if (root / PYRIGHT_CONFIG).exists() else root / "pyproject.toml"
    if not file.exists():
        return PyrightSettings()
    chain = list(_chain(file))
    tables = [table for _, table in chain if table is not None]
    if not any(tables) and len(tables) == len(chain):
        return PyrightSettings()
    return PyrightSettings(
        file=file.name,
        venv_path=_first_text(tables, "venvPath"),
        venv=_first_text(tables, "venv"),
        python_version=_first_text(tables, "pythonVersion"),
        scope=_scope(chain),
        is_broken=len(tables) < len(chain),
        files=tuple(path for path, _ in chain),
        search_paths=tuple(path for file, table in chain for path in _search_paths(file.parent, table or {})),
    )


def _chain(file: Path) -> Iterator[tuple[Path, dict[str, Any] | None]]:
    """A configuration file and those that it extends, each with its table; None where there is no table to read."""
    seen: set[Path] = set()
    while file not in seen:
        seen.add(file)
        table = _table_of(file)
        yield file, table
        base = (table or {}).get("extends")
        if not isinstance(base, str):
            return
        file = (file.parent / base).resolve()


def _table_of(file: Path) -> dict[str, Any] | None:
    if file.suffix != ".toml":
        return _json_object(file)
    table = _parsed_toml(file)
    return None if table is None else table_at(table, "tool", "pyright")


def _scope(chain: Sequence[tuple[Path, dict[str, Any] | None]]) -> FileScope:
    """Of the strongest file that chooses, each key for itself."""
    lists = [(file.parent, table or {}) for file, table in chain]
    include = next((patterns_of(at, _listed(table["include"])) for at, table in lists if "include" in table), None)
    exclude = next((patterns_of(at, _listed(table["exclude"])) for at, table in lists if "exclude" in table), ())
    return FileScope(include, exclude)


def _first_text(tables: Sequence[Mapping[str, Any]], name: str) -> str | None:
    """The strongest file comes first."""
    return next((value for table in tables if isinstance(value := table.get(name), str)), None)


def _search_paths(folder: Path, table: Mapping[str, Any]) -> Iterator[Path]:
    listed = _listed(table.get("executionEnvironments"))
    environments = [cast("dict[str, Any]", each) for each in listed if isinstance(each, dict)]
    for each in (table, *environments):
        names: list[Any] = [
            *_listed(each.get("extraPaths")),
            each.get("root"),
            each.get("stubPath"),
            each.get("typeshedPath"),
        ]
        for name in names:
            if isinstance(name, str):
                yield Path(os.path.normpath(folder / name))


def _listed(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def read_toml(path: Path) -> dict[str, Any]:
    """The file's table; empty if it is missing or cannot be parsed, which its own tools will report."""
    return _parsed_toml(path) or {}


def _parsed_toml(path: Path) -> dict[str, Any] | None:
    try:
        return tomllib.loads(read_regular(path).decode("utf-8-sig"))
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
        value = parse_jsonc(read_regular(path).decode("utf-8-sig"))
    except (OSError, ValueError):
        return None
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None
