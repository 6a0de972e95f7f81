"""Every target there is, each loaded when it is asked for. What a target can do, it says itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from sightline.sync.outputs import Target

TARGET_NAMES = ("codex", "gemini", "opencode", "cursor")
"""All names, in the order in which they are shown; known without loading a target."""


def all_targets(*, allows_secrets: bool = False) -> Mapping[str, Target]:
    """The targets by name; literal secrets are copied only where the person has allowed it in the user settings."""
    return chosen_targets(TARGET_NAMES, allows_secrets=allows_secrets)


def chosen_targets(names: Iterable[str], *, allows_secrets: bool = False) -> Mapping[str, Target]:
    """Some of them, in this order; only these are loaded. Raises `KeyError` for a name that no target has."""
    return MappingProxyType({name: _target(name, allows_secrets=allows_secrets) for name in names})


def _target(name: str, *, allows_secrets: bool) -> Target:
    match name:
        case "codex":
            from sightline.sync.targets.codex import CodexTarget

            return CodexTarget(allows_secrets=allows_secrets)
        case "gemini":
            from sightline.sync.targets.gemini import GeminiTarget

            return GeminiTarget(allows_secrets=allows_secrets)
        case "opencode":
            from sightline.sync.targets.opencode import OpenCodeTarget

            return OpenCodeTarget(allows_secrets=allows_secrets)
        case "cursor":
            from sightline.sync.targets.cursor import CursorTarget

            return CursorTarget(allows_secrets=allows_secrets)
        case _:
            raise KeyError(name)
