"""What is examined: one project of one user, with the settings that are in force there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sightline.config import LoadedSettings
from sightline.config.loading import load_settings
from sightline.config.schema import Settings
from sightline.errors import SettingsError
from sightline.places import Places


@dataclass(frozen=True, slots=True)
class Subject:
    """Everything that the checks look at. Where the settings cannot be used, the rest is examined with defaults."""

    root: Path
    environment: Mapping[str, str]
    home: Path
    places: Places
    platform: str
    python: Path
    loaded: LoadedSettings
    settings_error: SettingsError | None = None

    @property
    def settings(self) -> Settings:
        return self.loaded.values


def subject_at(
    root: Path, environment: Mapping[str, str], home: Path, places: Places, platform: str, python: Path
) -> Subject:
    """The subject, with its settings or with why they cannot be used."""
    try:
        loaded, failure = load_settings(root, places, environment), None
    except SettingsError as error:
        loaded, failure = LoadedSettings(Settings(), {}), error
    return Subject(root, environment, home, places, platform, python, loaded, failure)
