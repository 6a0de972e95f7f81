"""Every target there is: one line each. What a target can do, it says itself."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from sightline.sync.outputs import Target

TARGET_NAMES = ("codex", "gemini", "opencode", "cursor")
"""All names, in the order in which they are shown; known without loading a target."""


def all_targets(*, allows_secrets: bool = False) -> Mapping[str, Target]:
    """The targets by name; literal secrets are copied only where the person has allowed it in the user settings."""
    from sightline.sync.targets.codex import CodexTarget
    from sightline.sync.targets.cursor import CursorTarget
    from sightline.sync.targets.gemini import GeminiTarget
    from sightline.sync.targets.opencode import OpenCodeTarget

    known: tuple[Target, ...] = (
        CodexTarget(allows_secrets=allows_secrets),
        GeminiTarget(allows_secrets=allows_secrets),
        OpenCodeTarget(allows_secrets=allows_secrets),
        CursorTarget(allows_secrets=allows_secrets),
    )
    return MappingProxyType({target.name: target for target in known})
