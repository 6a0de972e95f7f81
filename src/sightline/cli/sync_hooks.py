"""Hooks for Claude Code's settings, as text to paste; nothing installs them."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from pathlib import Path


def snippet() -> str:
    """The `hooks` table: a debounced sync after edits, and a notice of drift when a session starts."""
    program = shlex.quote(_program())
    after_edit = {
        "matcher": "Edit|Write",
        "hooks": [{"type": "command", "command": f"{program} sync --yes --debounced", "async": True, "timeout": 60}],
    }
    at_start = {"hooks": [{"type": "command", "command": f"{program} sync --check || true", "timeout": 30}]}
    return json.dumps({"hooks": {"PostToolUse": [after_edit], "SessionStart": [at_start]}}, indent=2)


def _program() -> str:
    """The command as it is installed: a hook may have another search path."""
    own = Path(sys.argv[0])
    if own.name.startswith("sightline") and own.exists():
        return str(own.absolute())
    return shutil.which("sightline") or "sightline"
