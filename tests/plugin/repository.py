"""The manifests of this repository."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PLUGIN = ROOT / "plugin"
MANIFESTS = (
    "plugin/.claude-plugin/plugin.json",
    "plugin/.codex-plugin/plugin.json",
    "plugin/gemini-extension.json",
    "packaging/mcpb/manifest.json",
    "server.json",
)
SERVER_ENTRIES = {
    "claude": "plugin/.claude-plugin/plugin.json",
    "codex": "plugin/codex-mcp.json",
    "gemini": "plugin/gemini-extension.json",
}


def manifest(name: str) -> Any:
    return json.loads((ROOT / name).read_text(encoding="utf-8"))
