"""Where Sightline keeps its own files on this machine. Passed in everywhere, so that tests use their own."""

from __future__ import annotations

from pathlib import Path

from sightline.frozen import frozen


@frozen
class Places:
    """The folders of one user: settings, data that must last, logs, what can be made again."""

    config: Path
    data: Path
    logs: Path
    cache: Path

    @property
    def user_settings(self) -> Path:
        return self.config / "config.toml"

    @property
    def journal(self) -> Path:
        return self.data / "journal"

    @property
    def trust(self) -> Path:
        return self.data / "trust"


def standard_places() -> Places:
    """The platform's own folders."""
    from platformdirs import PlatformDirs

    dirs = PlatformDirs("sightline", appauthor=False)
    return Places(
        Path(dirs.user_config_dir), Path(dirs.user_data_dir), Path(dirs.user_log_dir), Path(dirs.user_cache_dir)
    )
