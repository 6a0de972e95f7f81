"""Servers and hooks of plugins with the folder of the plugin in place of `${CLAUDE_PLUGIN_ROOT}`.

Only Claude Code sets that variable.
The folder is a personal path: for files of the person's own alone, never for a committed one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from sightline.sync.model import Hook, JsonValue, McpServer, Reference, SourceTree, Template
from sightline.sync.targets.findings import Findings

_ROOT = "CLAUDE_PLUGIN_ROOT"
_IN_SHELL = re.compile(r"\$\{CLAUDE_PLUGIN_ROOT\}|\$CLAUDE_PLUGIN_ROOT(?!\w)")
_ANY_IN_SHELL = re.compile(r"\$\{?CLAUDE_PLUGIN_")
_PLAIN_PATH = re.compile(r"[\w./@+:-]+")
_FIELDS = ("command", "args", "env", "cwd", "url", "headers")


def with_plugin_folder(server: McpServer, tree: SourceTree) -> McpServer:
    """The server as it is if its plugin is not installed, or if it does not name the folder."""
    root = _folder_of(server.provenance.plugin, tree)
    if root is None:
        return server

    def put(template: Template) -> Template:
        parts = (root.as_posix() if _is_folder(part) else part for part in template.parts)
        return Template(tuple(_joined(parts)))

    return replace(
        server,
        command=server.command and put(server.command),
        args=tuple(map(put, server.args)),
        env={key: put(text) for key, text in server.env.items()},
        cwd=server.cwd and put(server.cwd),
        url=server.url and put(server.url),
        headers={key: put(text) for key, text in server.headers.items()},
    )


def hook_with_plugin_folder(hook: Hook, tree: SourceTree) -> Hook:
    """The hook as it is if its plugin is not installed, or if a shell would take the path apart."""
    root = _folder_of(hook.provenance.plugin, tree)
    folder = "" if root is None else root.as_posix()
    if not _PLAIN_PATH.fullmatch(folder):
        return hook

    def put(value: JsonValue) -> JsonValue:
        if isinstance(value, list):
            return [put(each) for each in value]
        return _IN_SHELL.sub(lambda _: folder, value) if isinstance(value, str) else value

    changed = {name: put(value) for name, value in hook.fields.items() if name in ("command", "args")}
    return replace(hook, fields={**hook.fields, **changed})


def needs_plugin(hook: Hook) -> bool:
    """Whether the hook's words name something that only Claude Code knows."""
    return any(_ANY_IN_SHELL.search(str(hook.fields.get(name, ""))) for name in ("command", "args"))


def _folder_of(plugin: str, tree: SourceTree) -> Path | None:
    return next((each.root for each in tree.plugins if f"{each.name}@{each.marketplace}" == plugin), None)


def note_plugin_folder(before: McpServer, after: McpServer, findings: Findings) -> None:
    """Say which fields have the folder in them now."""
    for name in _FIELDS:
        if getattr(before, name) != getattr(after, name):
            findings.note(before.item_id, name, "equivalent", "with the folder in which the plugin is installed now")


def _is_folder(part: str | Reference) -> bool:
    return isinstance(part, Reference) and part.name == _ROOT


def _joined(parts: Iterable[str | Reference]) -> Iterator[str | Reference]:
    """The parts with neighbouring texts as one, as they would be read."""
    for is_text, group in groupby(parts, key=lambda part: isinstance(part, str)):
        if is_text:
            yield "".join(str(part) for part in group)
        else:
            yield from group
