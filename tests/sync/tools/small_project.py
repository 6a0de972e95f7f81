"""A project with a little of Claude Code's configuration, and a person's own target files beside it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

OWN_SETTINGS = '// mine\n{\n  "theme": "dark", // keep\n  "mcpServers": {"own": {"command": "own"}}\n}\n'


def make_small_project(root: Path) -> Path:
    """`root/home` and `root/shop`; answers with the latter."""
    project, home = root / "shop", root / "home"
    home.mkdir(parents=True)
    texts = {
        "CLAUDE.md": "# Shop\n\nUse tabs.\n",
        ".claude/skills/release/SKILL.md": "---\nname: release\ndescription: How to release\n---\nTag it.\n",
        ".claude/agents/tester.md": "---\nname: tester\ndescription: Runs tests\n---\nRun the tests.\n",
        ".gemini/settings.json": OWN_SETTINGS,
    }
    for name, text in texts.items():
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    set_servers(project, files={"command": "files-server", "args": ["--root", "."]})
    write_json(
        project / ".claude/settings.json",
        {"enableAllProjectMcpServers": True, "permissions": {"deny": ["Bash(rm -rf *)"]}},
    )
    return project


def set_servers(project: Path, **servers: dict[str, Any]) -> None:
    write_json(project / ".mcp.json", {"mcpServers": servers})


def write_json(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=2))


def contents(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Every file below, with its bytes and the moment of its last change."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): (path.read_bytes(), path.stat().st_mtime_ns) for path in files}
