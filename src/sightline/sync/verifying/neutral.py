"""Servers that cannot be started or reached: the CLIs connect to them even when they only list them.

A command becomes a path that exists nowhere, an address one that nobody listens at. Both still hold the original, so
that the CLI's answer can be compared with it. Secrets of the person's own are not copied into a trial.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Mapping
from dataclasses import field
from types import ModuleType

from sightline.frozen import frozen
from sightline.sync.formats.values import KeyPath, Missing, Value, is_list, is_mapping, leaves, starts_with
from sightline.sync.secrets import holds_secret

HIDDEN = "hidden"
_TABLES = ("env", "environment", "headers", "http_headers")
NOBODY = "http://127.0.0.1:1"


@frozen
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

    def edits(self, servers: Value, path: KeyPath, owned: Collection[KeyPath]) -> dict[KeyPath, Value]:
        """What to change in a table of servers that stands at a path."""
        changed: dict[KeyPath, Value] = {}
        for name, entry in servers.items() if is_mapping(servers) else ():
            if is_mapping(entry):
                shown = entry if (*path, name) in owned else _without_words(entry)
                changed.update({(*path, name, *key): value for key, value in self._fields(shown).items()})
                if shown is not entry and "args" in entry:
                    changed[*path, name, "args"] = shown["args"]
        return changed

    def harmless(
        self, content: bytes, document: Value | Missing, servers: str, owned: Collection[KeyPath], editor: ModuleType
    ) -> bytes:
        """A configuration file with no server to start or reach, and no secret of the person's own.

        `document` is what the file holds, `servers` the key of its servers; what is below an `owned` key is ours.
        """
        if not is_mapping(document):
            return content
        changes = self.edits(document.get(servers), (servers,), owned)
        for path, value in leaves(document):
            if isinstance(value, str) and path not in changes and not any(starts_with(path, key) for key in owned):
                is_given = path[0] == servers and len(path) > 3 and path[2] in _TABLES
                if is_given or holds_secret(value):
                    changes[path] = HIDDEN
        return edited(content, changes, editor)

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


def _without_words(entry: Mapping[str, Value]) -> dict[str, Value]:
    """A server of the person's own: what is written behind a command or in an address may be a secret."""
    shown = dict(entry)
    for key in ("args", "command"):
        words = entry.get(key)
        if is_list(words):
            kept = words[: 1 if key == "command" else 0]
            shown[key] = [*kept, *(HIDDEN for _ in words[len(kept) :])]
    shown.update({key: HIDDEN for key in ("url", "httpUrl") if isinstance(entry.get(key), str)})
    return shown


def edited(content: bytes, changes: Mapping[KeyPath, Value], editor: ModuleType) -> bytes:
    """The file with these values; `editor` is one of the formats."""
    for path, value in changes.items():
        content = editor.set_value(content, path, value)
    return content
