"""A language server as data: one TOML file each in `servers/`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSpec:
    """How a server is started, what it serves, and how it tells that it is ready."""

    id: str
    command: str
    args: tuple[str, ...] = ()
    extensions: tuple[str, ...]
    language: str
    config_files: tuple[str, ...] = ()
    install: str
    ready_log: re.Pattern[str] | None = None
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])
    request_timeouts: Mapping[str, float] = field(default_factory=dict[str, float])


@cache
def builtin_specs() -> tuple[ServerSpec, ...]:
    """The servers that Sightline knows out of the box, one file each."""
    folder = files("sightline.lsp") / "servers"
    texts = {
        entry.name: entry.read_text(encoding="utf-8") for entry in folder.iterdir() if entry.name.endswith(".toml")
    }
    return tuple(_spec(tomllib.loads(texts[name])) for name in sorted(texts))


def builtin_spec(server_id: str) -> ServerSpec:
    return next(spec for spec in builtin_specs() if spec.id == server_id)


def _spec(table: Mapping[str, Any]) -> ServerSpec:
    pattern = table.get("readiness", {}).get("log_pattern")
    return ServerSpec(
        id=table["id"],
        command=table["command"],
        args=tuple(table.get("args", ())),
        extensions=tuple(table["extensions"]),
        language=table["language"],
        config_files=tuple(table.get("config_files", ())),
        install=table["install"],
        ready_log=re.compile(pattern) if pattern else None,
        settings=table.get("settings", {}),
        request_timeouts=table.get("request_timeouts", {}),
    )
