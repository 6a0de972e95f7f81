"""Servers that cannot be started or reached: the CLIs connect to them even when they only list them.

A command becomes a path that exists nowhere, an address one that nobody listens at. Both still hold the original, so
that the CLI's answer can be compared with it.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import ModuleType

from sightline.sync.formats.values import KeyPath, Value, is_list, is_mapping

NOBODY = "http://127.0.0.1:1"


@dataclass(frozen=True, slots=True)
class Neutral:
    """The two prefixes; the first has a part that no repository can know."""

    command_prefix: str = field(default_factory=lambda: f"sightline-trial-{secrets.token_hex(12)}/")
    address_prefix: str = f"{NOBODY}/"

    def command(self, text: str) -> str:
        return self.command_prefix + text

    def address(self, text: str) -> str:
        return self.address_prefix + text

    def original(self, text: str) -> str:
        return text.replace(self.command_prefix, "").replace(self.address_prefix, "")

    def edits(self, servers: Value, path: KeyPath) -> dict[KeyPath, Value]:
        """What to change in a table of servers that stands at a path."""
        changed: dict[KeyPath, Value] = {}
        for name, entry in servers.items() if is_mapping(servers) else ():
            if is_mapping(entry):
                changed.update({(*path, name, *key): value for key, value in self._fields(entry).items()})
        return changed

    def _fields(self, entry: Mapping[str, Value]) -> dict[KeyPath, Value]:
        changed: dict[KeyPath, Value] = {}
        for key in ("command", "http_headers_helper"):
            match entry.get(key):
                case str() as text:
                    changed[key,] = self.command(text)
                case words if is_list(words) and words and isinstance(words[0], str):
                    changed[key,] = [self.command(words[0]), *words[1:]]
                case _:
                    pass
        for key in ("url", "httpUrl"):
            if isinstance(text := entry.get(key), str):
                changed[key,] = self.address(text)
        return changed


def edited(content: bytes, changes: Mapping[KeyPath, Value], editor: ModuleType) -> bytes:
    """The file with these values; `editor` is one of the formats."""
    for path, value in changes.items():
        content = editor.set_value(content, path, value)
    return content
