"""Servers of plugins with the folder of the plugin in place of `${CLAUDE_PLUGIN_ROOT}`, which only Claude Code sets.

The folder is a personal path: for files of the person's own alone, never for a committed one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby

from sightline.sync.model import McpServer, Reference, SourceTree, Template
from sightline.sync.targets.findings import Findings

_ROOT = "CLAUDE_PLUGIN_ROOT"
_FIELDS = ("command", "args", "env", "cwd", "url", "headers")


def with_plugin_folder(server: McpServer, tree: SourceTree) -> McpServer:
    """The server as it is if its plugin is not installed, or if it does not name the folder."""
    roots = {f"{each.name}@{each.marketplace}": each.root for each in tree.plugins}
    root = roots.get(server.provenance.plugin)
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
