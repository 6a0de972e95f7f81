"""Which language server serves which file: those that come with Sightline, as the user's settings change them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from sightline.config.schema import CodeSettings, LanguageServerSettings
from sightline.errors import SettingsError
from sightline.lsp.server_spec import ReadySignal, ServerSpec, builtin_specs

_PYTHON = "python"
_LONGEST_FIRST_LINE = 200
_MERGED = ("env", "settings", "initialization_options", "request_timeouts")


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All servers that are set up; for Python only the chosen engine serves."""

    specs: Sequence[ServerSpec]
    engine: str
    linter_ids: Sequence[str] = ()
    only: str | None = None

    def for_file(self, path: Path) -> ServerSpec | None:
        """The server of a file: by its name, its ending, or its first line if it has no ending."""
        for spec in self.serving():
            if spec.is_source(path.name):
                return spec
        return None if path.suffix else self._by_first_line(path)

    def serving(self) -> list[ServerSpec]:
        """The servers that files are routed to, those of the user's own first."""
        if self.only:
            return [spec for spec in self.specs if spec.id == self.only]
        return [spec for spec in self.specs if spec.role != "linter" and self._is_chosen(spec)]

    def linters(self) -> list[ServerSpec]:
        """The servers that add their findings to those of others."""
        return [spec for spec in self.specs if spec.id in self.linter_ids]

    def get(self, server_id: str) -> ServerSpec | None:
        return next((spec for spec in self.specs if spec.id == server_id), None)

    @property
    def default(self) -> ServerSpec:
        """The server of a folder that tells nothing: Python's, or the only one."""
        return next(spec for spec in self.specs if spec.id == (self.only or self.engine))

    def _is_chosen(self, spec: ServerSpec) -> bool:
        return _PYTHON not in spec.languages or spec.id == self.engine

    def _by_first_line(self, path: Path) -> ServerSpec | None:
        program = _program_of(path)
        return next((spec for spec in self.serving() if program in spec.shebangs), None) if program else None


def catalogue(settings: CodeSettings) -> Catalogue:
    """The servers of the settings: changed ones keep their place, added ones come first; raises `SettingsError`."""
    known = {spec.id: spec for spec in builtin_specs()}
    added = [_added(name, each) for name, each in settings.servers.items() if name not in known]
    changed = [_changed(spec, settings.servers.get(spec.id)) for spec in known.values()]
    specs = (*added, *changed)
    for name in (*settings.linters, *filter(None, [settings.only_server])):
        if not any(spec.id == name for spec in specs):
            known_ids = ", ".join(spec.id for spec in specs)
            raise SettingsError(f"no language server is called `{name}`", f"known are {known_ids}")
    return Catalogue(specs, settings.python.engine, settings.linters, settings.only_server)


def is_python(spec: ServerSpec) -> bool:
    return _PYTHON in spec.languages


def _changed(spec: ServerSpec, settings: LanguageServerSettings | None) -> ServerSpec:
    if settings is None:
        return spec
    given = _given(settings)
    for name in _MERGED:
        if name in given:
            given[name] = {**getattr(spec, name), **given[name]}
    return replace(spec, **given)


def _added(name: str, settings: LanguageServerSettings) -> ServerSpec:
    """A server that we know nothing else of: nothing is taken on trust that it may not do."""
    given: dict[str, Any] = {"languages": (name,), "extensions": (), **_given(settings)}
    ready = ReadySignal(kind="unknown")
    return ServerSpec(id=name, name=name, command=given.pop("command", name), ready=ready, **given)


def _given(settings: LanguageServerSettings) -> dict[str, Any]:
    values = {each.name: getattr(settings, each.name) for each in fields(settings)}
    return {name: value for name, value in values.items() if value is not None}


def _program_of(path: Path) -> str | None:
    """The program that a script's first line names, without its folder and its version."""
    try:
        with path.open("rb") as file:
            first = file.readline(_LONGEST_FIRST_LINE)
    except OSError:
        return None
    if not first.startswith(b"#!"):
        return None
    words = first[2:].decode("utf-8", errors="replace").split()
    names = [Path(word).name for word in words if not word.startswith("-") and "=" not in word]
    wanted = names[1:] if names[:1] == ["env"] else names
    return wanted[0].rstrip("0123456789.") or None if wanted else None
