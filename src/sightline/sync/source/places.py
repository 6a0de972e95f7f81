"""Where Claude Code's files are: home, configuration folder, project, start directory, the organisation's folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sightline.frozen import frozen

_MANAGED = {
    "darwin": "/Library/Application Support/ClaudeCode",
    "win32": r"C:\Program Files\ClaudeCode",
}


@frozen
class SourcePlaces:
    """All roots that are read. `start` is the directory Claude Code would be started in, in or at the project."""

    home: Path
    config: Path
    state_file: Path
    project: Path
    start: Path
    managed: Path

    def in_project(self, path: Path) -> bool:
        return path.is_relative_to(self.project)


def find_places(
    project: Path, *, home: Path, environment: Mapping[str, str], platform: str, start: Path | None = None
) -> SourcePlaces:
    """The places for one project, by the rules of Claude Code: `CLAUDE_CONFIG_DIR` moves the home of its files."""
    moved = environment.get("CLAUDE_CONFIG_DIR", "")
    config = home / moved if moved else home / ".claude"
    state_file = config / ".claude.json" if moved else home / ".claude.json"
    managed = Path(_MANAGED.get(platform, "/etc/claude-code"))
    return SourcePlaces(home, config, state_file, project, start or project, managed)
