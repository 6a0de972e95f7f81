"""A language server as data: one TOML file each in `servers/`, and what users add in their settings.

A key that is not known is an error: a misspelt one would silently change what a server is taken to promise.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from importlib.resources import files
from pathlib import PurePath
from typing import Any, Literal, TypeVar, cast

T = TypeVar("T")

SignalKind = Literal["none", "unknown", "log", "progress", "notification", "stderr"]


class BadSpec(ValueError):
    """A server that is described wrongly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadySignal:
    """How a server tells that it knows the whole project.

    `none`: it needs no time to know it. `unknown`: nobody has told us; an empty answer is asked for again, a few times.

    `after_open`: only once a document is open. `only_with`: only if the root holds one of these files; without them
    it never knows more than what is open. `busy`: what takes the signal back. `trouble`: that it does not know the
    project as it should, though it goes on answering. `repeats`: also after every file that came or went.
    """

    kind: SignalKind = "none"
    pattern: str = ""
    method: str = ""
    busy: str = ""
    trouble: str = ""
    after_open: bool = False
    only_with: tuple[str, ...] = ()
    repeats: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DiagnosticsForm:
    """How diagnostics are had: asked for, or awaited and then held to be complete after `settle_s` of silence.

    `change_extra` goes into a change of a document, for servers that publish nothing for an unchanged text; `needs`
    are programs without which nothing is ever found. `left_out` is how the server refuses a file that it does not
    check, such as one of another platform.
    """

    mode: Literal["pull", "push", "tsserver", "auto"] = "auto"
    has_version: bool = False
    settle_s: float = 2.0
    change_extra: Mapping[str, Any] = field(default_factory=dict[str, Any])
    needs: tuple[str, ...] = ()
    left_out: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSpec:
    """How a server is started, what it serves, and what it can be trusted with.

    `needs_open`: it knows nothing of documents that are not open. `sees_disk`: what a notice makes it read again;
    anything else that happens to a file means a new session. `watched`: files that are not its own, but that it wants
    to hear of. `overlay`: which files follow the text of an open document.
    `knows_quotes_late`: a name in quotes is a use only once its file was evaluated.
    `stamps`: files and folders that a session is bound to, such as the list of installed packages. `trusted_settings`
    are added where the project is trusted, because they let the server run the project's own code.
    """

    id: str
    name: str = ""
    command: str
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    cwd: str | None = None
    languages: tuple[str, ...]
    extensions: tuple[str, ...]
    filenames: tuple[str, ...] = ()
    shebangs: tuple[str, ...] = ()
    language_ids: Mapping[str, str] = field(default_factory=dict[str, str])
    role: Literal["types", "linter", "data"] = "types"
    root_markers: tuple[str, ...] = ()
    root_dir: str | None = None
    workspace_folders: tuple[str, ...] = ()
    config_files: tuple[str, ...] = ()
    watched: tuple[str, ...] = ()
    stamps: tuple[str, ...] = ()
    install: str = ""
    url: str = ""
    oldest: str = ""
    is_tested: bool = False
    needs_open: bool = True
    sees_disk: Literal["all", "changes", "never"] = "never"
    overlay: Literal["all", "open", "none"] = "none"
    is_single_file: bool = False
    knows_quotes_late: bool = False
    runs_project_code: bool = False
    declares_snippets: bool = False
    experimental: Mapping[str, Any] = field(default_factory=dict[str, Any])
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])
    initialization_options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    ready: ReadySignal = field(default_factory=ReadySignal)
    diagnostics: DiagnosticsForm = field(default_factory=DiagnosticsForm)
    request_timeouts: Mapping[str, float] = field(default_factory=dict[str, float])
    idle_timeout_s: float | None = None
    notes: str = ""

    def language_id(self, path: str) -> str:
        """What the protocol calls the language of a file."""
        name = PurePath(path).name
        for key in (name, PurePath(path).suffix):
            if key in self.language_ids:
                return self.language_ids[key]
        return self.languages[0]

    def is_source(self, name: str) -> bool:
        """Whether a file of this name is one of its own."""
        return name.endswith(self.extensions) or name in self.filenames


@cache
def builtin_specs() -> tuple[ServerSpec, ...]:
    """The servers that Sightline knows out of the box, one file each."""
    folder = files("sightline.lsp") / "servers"
    texts = {
        entry.name: entry.read_text(encoding="utf-8") for entry in folder.iterdir() if entry.name.endswith(".toml")
    }
    return tuple(spec_from(tomllib.loads(texts[name])) for name in sorted(texts))


def builtin_spec(server_id: str) -> ServerSpec:
    return next(spec for spec in builtin_specs() if spec.id == server_id)


def spec_from(table: Mapping[str, Any]) -> ServerSpec:
    """A spec from its table; raises `BadSpec`."""
    values = dict(table)
    values["ready"] = _record(ReadySignal, values.get("ready", {}), "ready")
    values["diagnostics"] = _record(DiagnosticsForm, values.get("diagnostics", {}), "diagnostics")
    spec = _record(ServerSpec, values, str(table.get("id", "a server")))
    for pattern in (spec.ready.pattern, spec.ready.busy, spec.ready.trouble, spec.diagnostics.left_out):
        try:
            re.compile(pattern)
        except re.error as error:
            raise BadSpec(f"`{spec.id}`: `{pattern}` is no regular expression: {error}") from None
    return spec


def _record(kind: type[T], values: Mapping[str, Any], what: str) -> T:
    known = {each.name for each in fields(cast("Any", kind))}
    if unknown := sorted(values.keys() - known):
        raise BadSpec(f"`{what}` has the unknown keys {', '.join(unknown)}; known are {', '.join(sorted(known))}")
    try:
        return kind(
            **{
                name: tuple(cast("list[Any]", value)) if isinstance(value, list) else value
                for name, value in values.items()
            }
        )
    except TypeError as error:
        raise BadSpec(f"`{what}`: {error}") from None
