"""Raw settings from each source, as flat keys; nothing is judged here but whether a key exists."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from sightline.arguments import nearest
from sightline.config.keys import Key, all_keys
from sightline.errors import SettingsError
from sightline.frozen import frozen
from sightline.regular_files import read_regular

ENV_PREFIX = "SIGHTLINE_"
PROJECT_FILES = ("sightline.toml", "pyproject.toml")


@frozen
class Layer:
    """The values that one source sets."""

    origin: str
    place: str
    values: Mapping[str, Any]


@frozen
class ProjectFile:
    """A project's settings file as it is now; its bytes are what trust is bound to."""

    path: Path
    content: bytes
    layer: Layer


def read_user_file(path: Path) -> Layer | None:
    content = _content(path)
    if content is None:
        return None
    table = _parsed(content, path)
    return Layer("user file", str(path), dict(_flattened(table, place=str(path))))


def read_project_file(root: Path) -> ProjectFile | None:
    """`sightline.toml`, or `[tool.sightline]` in `pyproject.toml`; the former wins whole."""
    for name in PROJECT_FILES:
        path = root / name
        content = _content(path)
        if content is None:
            continue
        table = _manifest_section(content, path) if name == "pyproject.toml" else _parsed(content, path)
        if table is not None:
            layer = Layer("project file", str(path), dict(_flattened(table, place=str(path))))
            return ProjectFile(path, content, layer)
    return None


def read_environment(environment: Mapping[str, str]) -> list[Layer]:
    """`SIGHTLINE_SECTION__KEY`, a layer each; lists are comma-separated or JSON, tables are JSON."""
    layers: list[Layer] = []
    for variable, text in sorted(environment.items()):
        if variable.startswith(ENV_PREFIX) and "__" in variable:
            name = variable.removeprefix(ENV_PREFIX).lower().replace("__", ".")
            value = setting_from_text(name, text, place=f"environment variable `{variable}`")
            layers.append(Layer("environment", variable, dict([value])))
    return layers


def _content(path: Path) -> bytes | None:
    try:
        return read_regular(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise SettingsError(f"settings file cannot be read: {path}: {error.strerror}") from None


def _parsed(content: bytes, path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise SettingsError(f"settings file is not valid TOML: {path}: {error}") from None


def _manifest_section(content: bytes, path: Path) -> dict[str, Any] | None:
    """Our section of the project's manifest.

    A manifest that cannot be parsed is not ours to complain about unless it speaks of us: somebody may be editing it.
    """
    try:
        table = _parsed(content, path)
    except SettingsError:
        if b"tool.sightline" in content:
            raise
        return None
    return _section(table, path)


def _section(table: dict[str, Any], path: Path) -> dict[str, Any] | None:
    tool = table.get("tool")
    section = cast("dict[str, Any]", tool).get("sightline") if isinstance(tool, dict) else None
    if section is not None and not isinstance(section, dict):
        raise SettingsError(f"`tool.sightline` is not a table: {path}", "write `[tool.sightline.server]` and so on")
    return cast("dict[str, Any] | None", section)


def _flattened(table: Mapping[str, Any], *, place: str, prefix: str = "") -> Iterator[tuple[str, Any]]:
    for part, value in table.items():
        name = prefix + part
        key = all_keys().get(name)
        if key is None and isinstance(value, dict) and _is_section(name):
            yield from _flattened(cast("dict[str, Any]", value), place=place, prefix=f"{name}.")
        else:
            yield _known(name, place=place).name, value


def _is_section(name: str) -> bool:
    return any(known.startswith(f"{name}.") for known in all_keys())


def _known(name: str, *, place: str) -> Key:
    key = all_keys().get(name)
    if key is None:
        guess = nearest(name, list(all_keys()))
        hint = f"did you mean `{guess}`?" if guess else "`sightline config show` lists every key"
        raise SettingsError(f"unknown setting: `{name}` in {place}", hint)
    return key


def setting_from_text(name: str, text: str, *, place: str) -> tuple[str, Any]:
    """A key and its raw value from text: lists comma-separated or JSON, tables JSON."""
    key = _known(name, place=place)
    if key.is_table or (key.is_list and text.lstrip().startswith("[")):
        try:
            return name, json.loads(text)
        except ValueError:
            raise SettingsError(f"`{name}` in {place} is not valid JSON") from None
    if key.is_list:
        return name, [item.strip() for item in text.split(",") if item.strip()]
    return name, text
