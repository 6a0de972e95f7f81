"""How a server is started for a project: its command found, its settings filled in, or why it is not started.

A command is looked for where the user's own programs are, never in the project: what a repository brings is not run.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from sightline.code.pyright_command import find_entry_file, find_node
from sightline.code.served import Served
from sightline.config.schema import CodeSettings
from sightline.errors import ErrorKind, NextStep, ToolFailure
from sightline.lsp.server_spec import ServerSpec
from sightline.lsp.session import Launch

_MODULES = "node_modules"


def launch_of(served: Served, settings: CodeSettings, variables: Mapping[str, str], cache: Path) -> Launch:
    """Everything the process is started with; raises `ToolFailure` if it cannot or must not be."""
    spec = served.spec
    _require_consent(spec, settings)
    command = spec.command if spec.command.startswith("{") else _found(served, variables)
    places = _places(served, settings, command, cache)
    timeouts = {**spec.request_timeouts, **settings.request_timeouts}
    return Launch(
        spec=spec,
        root=served.root,
        command=[_filled(part, places) for part in (command, *spec.args)],
        settings=_with_interpreter(_filled(spec.settings, places), served),
        initialization_options=_filled(spec.initialization_options, places),
        folders=[served.root / name for name in spec.workspace_folders],
        cwd=served.root / spec.cwd if spec.cwd else None,
        environment={**os.environ, **variables, **spec.env},
        start_timeout_s=settings.start_timeout_s,
        request_timeout_s=settings.request_timeout_s,
        request_timeouts=timeouts,
        max_message_mb=settings.max_message_mb,
    )


def find_program(name: str, variables: Mapping[str, str], root: Path) -> Path | None:
    """A program on the user's PATH, or beside the Python that runs us; never one that lies in the project."""
    ours = Path(sys.executable).parent
    on_path = map(Path, variables.get("PATH", "").split(os.pathsep))
    folders = [folder for folder in on_path if folder.is_absolute() and not _is_inside(folder, root)]
    found = shutil.which(name, path=os.pathsep.join(map(str, [*folders, ours])))
    return Path(found) if found and Path(found).is_absolute() else None


def _is_inside(folder: Path, root: Path) -> bool:
    return folder.is_relative_to(root) or folder.resolve().is_relative_to(root)


def not_installed(spec: ServerSpec, reason: str) -> ToolFailure:
    steps = [NextStep("command", f"install it: `{spec.install}`")] if spec.install else []
    return ToolFailure(
        ErrorKind.SERVER_NOT_INSTALLED,
        f"{spec.name or spec.id} is needed for this file: {reason}",
        *steps,
        NextStep("tool", "see which servers are set up", tool="list_servers", arguments={}),
    )


def require_programs(served: Served, variables: Mapping[str, str]) -> None:
    """What a server needs to find anything; without it, it would call everything clean."""
    for name in served.spec.diagnostics.needs:
        if find_program(name, variables, served.watched) is None:
            raise not_installed(served.spec, f"it finds nothing without `{name}`, which is not on the PATH")


def _found(served: Served, variables: Mapping[str, str]) -> str:
    spec = served.spec
    program = find_program(spec.command, variables, served.watched)
    if program is None:
        raise not_installed(spec, f"`{spec.command}` is not on the PATH")
    return str(program)


def _require_consent(spec: ServerSpec, settings: CodeSettings) -> None:
    if spec.runs_project_code and not settings.run_project_code:
        raise ToolFailure(
            ErrorKind.UNTRUSTED_CONFIG,
            f"{spec.name or spec.id} runs code of the project it serves (build scripts), which is switched off",
            NextStep("config", "a person can set `code.run_project_code = true` in the user settings"),
        )


def _places(served: Served, settings: CodeSettings, command: str, cache: Path) -> Mapping[str, str]:
    """What may stand in braces in a server's data."""
    return {
        "{heap_mb}": str(settings.memory_budget_mb),
        "{cache}": str(cache),
        "{root_hash}": hashlib.sha256(os.fsencode(served.root)).hexdigest()[:16],
        **(_pyright_places() if served.spec.command == "{node}" else {"{modules}": _modules_of(command)}),
    }


def _pyright_places() -> dict[str, str]:
    return {"{node}": str(find_node()), "{pyright}": str(find_entry_file().parent)}


def _modules_of(command: str) -> str:
    """The folder of node packages that a command belongs to; empty if it is no such command."""
    real = Path(command).resolve()
    return next((str(folder) for folder in real.parents if folder.name == _MODULES), "")


def _filled(value: Any, places: Mapping[str, str]) -> Any:
    """The value with its places filled in; a text whose place is empty is left out of its table."""
    if isinstance(value, str):
        for name, text in places.items():
            value = value.replace(name, text)
        return value
    if isinstance(value, Mapping):
        table = cast("Mapping[str, Any]", value)
        empty = [name for name, text in places.items() if not text]
        return {
            key: _filled(item, places)
            for key, item in table.items()
            if not (isinstance(item, str) and any(name in item for name in empty))
        }
    if isinstance(value, list | tuple):
        return [_filled(item, places) for item in cast("list[Any]", value)]
    return value


def _with_interpreter(settings: Mapping[str, Any], served: Served) -> Mapping[str, Any]:
    interpreter = served.python.interpreter.path if served.python and served.tells_interpreter else None
    if interpreter is None:
        return settings
    return {**settings, "python": {**settings["python"], "pythonPath": str(interpreter)}}
