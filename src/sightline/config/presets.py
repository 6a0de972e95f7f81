"""Presets: values for a kind of client, which only fill what the user left open."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from sightline.config.layers import Layer

Mode = Literal["navigation", "refactor"]

_CONTEXTS: Mapping[str, Mapping[str, Any]] = {
    "claude": {"output.max_total_chars": 20_000},
    "codex": {"server.read_only": True, "output.max_total_chars": 8_000},
    "gemini": {"output.max_total_chars": 20_000},
    "opencode": {"output.max_total_chars": 20_000},
    "navigation": {"server.read_only": True, "server.toolsets": ["code"], "output.max_total_chars": 8_000},
    "full": {"output.max_total_chars": 100_000},
}

_MODES: Mapping[str, Mapping[str, Any]] = {
    "navigation": {"server.read_only": True, "server.toolsets": ["code"]},
    "refactor": {"server.read_only": False, "server.toolsets": ["code"]},
}


def preset_layers(context: str | None, mode: str | None) -> list[Layer]:
    """The layers of the chosen presets, weakest first; a mode says more than a context."""
    layers: list[Layer] = []
    if context:
        layers.append(Layer("preset", f"context {context}", _CONTEXTS.get(context, {})))
    if mode:
        layers.append(Layer("preset", f"mode {mode}", _MODES[mode]))
    return layers
