"""`sightline serve --server CMD`: one language server over MCP, named on the command line.

The program must be one that Sightline knows, or that the user has listed: an agent's configuration, which may come
with a repository, must not be a way to start anything.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import fields
from pathlib import PurePath
from typing import Any

from sightline.config.schema import CodeSettings
from sightline.errors import SettingsError
from sightline.lsp.server_spec import ServerSpec, builtin_specs


def bridge_settings(command: str, extensions: Sequence[str], settings: CodeSettings) -> dict[str, Any]:
    """The settings that make one server the only one; raises `SettingsError`."""
    words = _words(command)
    program, args = words[0], words[1:]
    known = next((spec for spec in builtin_specs() if spec.command == program), None)
    if known is None and program not in settings.bridge_commands:
        raise SettingsError(
            f"`{program}` is not a program that may be started",
            "add it to `code.bridge_commands` in the user settings; known programs are "
            + ", ".join(sorted({spec.command for spec in builtin_specs() if not spec.command.startswith("{")})),
        )
    server_id = known.id if known else PurePath(program).stem
    server: dict[str, Any] = {"command": program}
    if args or known is None:
        server["args"] = args
    server |= _served_files(extensions, known)
    return {"code.servers": {server_id: {**_given(settings, server_id), **server}}, "code.only_server": server_id}


def _given(settings: CodeSettings, server_id: str) -> dict[str, Any]:
    """What the user has set for this server."""
    known = settings.servers.get(server_id)
    values = {each.name: getattr(known, each.name) for each in fields(known)} if known else {}
    return {name: value for name, value in values.items() if value is not None}


def _words(command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise SettingsError(f"the command of --server cannot be read: {error}", "check its quotes") from None
    if not words:
        raise SettingsError("the command of --server is empty", 'write e.g. --server "clangd --background-index"')
    return words


def _served_files(extensions: Sequence[str], known: ServerSpec | None) -> dict[str, Any]:
    endings = [each if each.startswith(".") else f".{each}" for each in extensions]
    if endings:
        return {"extensions": endings}
    if known is None:
        raise SettingsError("which files the server serves is not known", "name them: --extension c --extension h")
    return {}
