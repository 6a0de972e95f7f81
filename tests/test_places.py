"""Where files go: the platform's folders, which the environment of the user may move."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from sightline.places import Places, standard_places

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the XDG folders are those of Linux")


def test_the_folders_follow_xdg(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in ("CONFIG", "DATA", "STATE"):
        monkeypatch.setenv(f"XDG_{kind}_HOME", str(tmp_path / kind.lower()))
    places = standard_places()
    assert places.user_settings == tmp_path / "config" / "sightline" / "config.toml"
    assert places.trust == tmp_path / "data" / "sightline" / "trust"
    assert places.logs.is_relative_to(tmp_path / "state" / "sightline")


def test_without_xdg_the_folders_are_in_the_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in ("CONFIG", "DATA", "STATE"):
        monkeypatch.delenv(f"XDG_{kind}_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    places = standard_places()
    assert places.user_settings == tmp_path / ".config" / "sightline" / "config.toml"
    assert places.data == tmp_path / ".local" / "share" / "sightline"
    assert places.logs.is_relative_to(tmp_path / ".local" / "state" / "sightline")


def test_asking_for_the_folders_creates_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in ("CONFIG", "DATA", "STATE"):
        monkeypatch.setenv(f"XDG_{kind}_HOME", str(tmp_path / kind.lower()))
    standard_places()
    assert list(tmp_path.iterdir()) == []


def test_settings_and_trust_lie_in_different_folders(tmp_path: Path) -> None:
    places = Places(tmp_path / "c", tmp_path / "d", tmp_path / "l", tmp_path / "x")
    assert places.user_settings == tmp_path / "c" / "config.toml"
    assert places.trust == tmp_path / "d" / "trust"
