"""A user and a project of a test's own, whose settings files it writes and then loads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sightline.config import LoadedSettings, load_settings
from sightline.config.keys import value_of
from sightline.places import Places
from sightline.trust import TrustStore


@dataclass(frozen=True)
class Sandbox:
    """A project root and a user's folders, empty at first."""

    root: Path
    places: Places

    @property
    def user_file(self) -> Path:
        return self.places.user_settings

    @property
    def project_file(self) -> Path:
        return self.root / "sightline.toml"

    def write_user_file(self, content: str) -> None:
        self.user_file.parent.mkdir(parents=True, exist_ok=True)
        self.user_file.write_text(content, encoding="utf-8")

    def write_project_file(self, content: str, name: str = "sightline.toml") -> None:
        (self.root / name).write_text(content, encoding="utf-8")

    def trust_project_file(self) -> None:
        TrustStore(self.places.trust).grant(self.root, self.project_file.read_bytes())

    def load(
        self,
        environment: Mapping[str, str] | None = None,
        *,
        command_line: Mapping[str, Any] | None = None,
        mode: str | None = None,
    ) -> LoadedSettings:
        return load_settings(self.root, self.places, environment or {}, command_line=command_line, mode=mode)

    def value(self, name: str, **given: Any) -> Any:
        return value_of(self.load(**given).values, name)
