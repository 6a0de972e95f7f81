"""The folders that a target's outputs may stand in; nothing outside of them is ever written."""

from __future__ import annotations

from pathlib import Path

from sightline.sync.outputs import OutputScope, TargetPlaces


def own_folders(places: TargetPlaces, scopes: frozenset[OutputScope], *user: Path) -> tuple[Path, ...]:
    """The project as a whole, since instructions stand beside its files; of the home only the folders of the target."""
    project = (places.project,) if "project" in scopes else ()
    return (*project, *user) if "user" in scopes else project
