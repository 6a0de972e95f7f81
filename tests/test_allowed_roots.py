"""Allowed roots are what the disk says at each call, however they were listed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sightline.allowed_roots import AllowedRoots
from sightline.config.narrowing import resolved_root
from sightline.errors import SettingsError


def assert_right(root: Path, names: list[str], roots: AllowedRoots) -> None:
    assert roots.now() == tuple(resolved_root(root, each) for each in names)


def test_a_link_that_leads_elsewhere_between_two_calls_is_followed_anew(tmp_path: Path) -> None:
    root = tmp_path.resolve()
    for name in ("one/deep", "two/deep"):
        (root / name).mkdir(parents=True)
    (root / "link").symlink_to("one")
    names = ["link/deep", "one", str(root / "link"), "link/../two", "later", "."]
    roots = AllowedRoots.of(root, names)
    assert roots.now()[0] == root / "one/deep"
    assert_right(root, names, roots)

    (root / "link").unlink()
    (root / "link").symlink_to("two")
    assert roots.now()[0] == root / "two/deep"
    assert_right(root, names, roots)


def test_a_folder_that_is_replaced_by_a_link_is_the_folder_that_it_leads_to(tmp_path: Path) -> None:
    """Also where it is the same folder as before, moved, with a link left in its old place."""
    root = tmp_path.resolve()
    (root / "home/me/project").mkdir(parents=True)
    names = [str(root / "home/me/project"), str(root / "home/me")]
    roots = AllowedRoots.of(root, names)
    assert_right(root, names, roots)

    (root / "home").rename(root / "disk")
    assert_right(root, names, roots)
    (root / "home").symlink_to("disk")
    assert roots.now() == (root / "disk/me/project", root / "disk/me")

    (root / "home").unlink()
    (root / "disk").rename(root / "home")
    assert_right(root, names, roots)
    assert roots.now()[0] == root / "home/me/project"


def test_a_place_that_is_made_later_is_followed_once_it_is_there(tmp_path: Path) -> None:
    root = tmp_path.resolve()
    (root / "real").mkdir()
    roots = AllowedRoots.of(root, ["later"])
    assert roots.now() == (root / "later",)
    (root / "later").symlink_to("real")
    assert roots.now() == (root / "real",)


def test_the_project_is_the_only_root_where_none_is_listed(tmp_path: Path) -> None:
    assert AllowedRoots.of(tmp_path, ()).now() == (tmp_path,)


def test_nobodys_home_is_an_error_of_the_settings(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="nobody's home: ~no-such-user-here/x"):
        AllowedRoots.of(tmp_path, ["~no-such-user-here/x"])


def test_ways_that_folders_share_are_looked_at_once(tmp_path: Path) -> None:
    """Twenty projects in one folder cost twenty looks and the way to that folder, not twenty times the way."""
    root = tmp_path.resolve()
    names = [str(root / "work" / f"p{number}") for number in range(20)]
    for each in names:
        Path(each).mkdir(parents=True)
    roots = AllowedRoots.of(root, names)
    distinct = {part for each in roots.listed for part in each.parts}
    assert len(distinct) == 20 + len((root / "work").parts) - 1
    assert os.path.sep not in distinct
    assert_right(root, names, roots)
