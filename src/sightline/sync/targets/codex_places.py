"""Where Codex looks: its home, its folder in a project, and what of the user's own is already there."""

from __future__ import annotations

from pathlib import Path

from sightline.frozen import frozen
from sightline.sync.files import Files
from sightline.sync.formats import toml_tables
from sightline.sync.formats.failures import FormatFailed
from sightline.sync.formats.values import Value, is_mapping
from sightline.sync.outputs import OutputScope, TargetPlaces
from sightline.sync.targets.shown_paths import shown


@frozen
class CodexPlaces:
    """The folders of one user and one project."""

    project: Path
    home: Path
    codex_home: Path
    files: Files

    @classmethod
    def of(cls, places: TargetPlaces) -> CodexPlaces:
        moved = places.variables.get("CODEX_HOME", "")
        return cls(places.project, places.home, Path(moved) if moved else places.home / ".codex", places.files)

    def folder(self, scope: OutputScope) -> Path:
        return self.codex_home if scope == "user" else self.project / ".codex"

    def config(self, scope: OutputScope) -> Path:
        return self.folder(scope) / "config.toml"

    def instructions(self, scope: OutputScope) -> Path:
        return self.codex_home / "AGENTS.md" if scope == "user" else self.project / "AGENTS.md"

    def shown(self, path: Path) -> str:
        return shown(path, self.project, self.home)

    @property
    def is_trusted(self) -> bool:
        """Whether the person has told Codex to trust the project's own folder."""
        projects = self.present_value("user", "projects")
        folders = (str(self.project), str(self.files.resolve(self.project)))
        entries = [projects.get(folder) for folder in folders] if is_mapping(projects) else []
        return any(is_mapping(entry) and entry.get("trust_level") == "trusted" for entry in entries)

    def present_value(self, scope: OutputScope, key: str) -> Value:
        """A top-level value of the configuration as it is now; none if the file is missing or cannot be read."""
        return self._value_in(self.config(scope), key)

    def servers_elsewhere(self) -> dict[str, Value]:
        """The tables of servers in other projects that Codex is known to trust; it reads no others."""
        projects = self.present_value("user", "projects")
        entries = projects.items() if is_mapping(projects) else ()
        own = (str(self.project), str(self.files.resolve(self.project)))
        trusted = [name for name, entry in entries if is_mapping(entry) and entry.get("trust_level") == "trusted"]
        return {
            name: self._value_in(Path(name) / ".codex" / "config.toml", "mcp_servers")
            for name in trusted
            if name not in own and Path(name).is_absolute()
        }

    def _value_in(self, config: Path, key: str) -> Value:
        try:
            found = toml_tables.read_value(read_or_empty(config, self.files))
        except FormatFailed:
            return None
        return found.get(key) if is_mapping(found) else None


def read_or_empty(file: Path, files: Files) -> bytes:
    """The bytes of a file that may be missing."""
    try:
        return files.read(file)
    except OSError:
        return b""
