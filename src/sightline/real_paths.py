"""Where many paths really are: links are followed as `Path.resolve` does it, each folder once."""

from __future__ import annotations

from pathlib import Path


class RealPaths:
    """Remembers the folders that it has looked at; for one run, since links may change."""

    def __init__(self) -> None:
        self._folders: dict[Path, Path] = {}

    def of(self, path: Path) -> Path:
        """The path behind all links; raises what `Path.resolve` raises."""
        if path.name in ("", "..") or path.is_symlink():
            return path.resolve()
        folder = path.parent
        if folder not in self._folders:
            self._folders[folder] = folder.resolve()
        return self._folders[folder] / path.name
