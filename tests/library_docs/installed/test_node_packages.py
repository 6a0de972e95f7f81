"""Packages in `node_modules`: the nearest wins, links are followed where they may lead."""

from __future__ import annotations

from pathlib import Path

import pytest

from sightline.errors import ErrorKind, ToolFailure
from sightline.library_docs.installed.node_packages import NodePackages
from tests.library_docs.installed.handmade import make_node_package, write_files


def test_the_nearest_package_wins_and_nothing_above_the_root_counts(tmp_path: Path) -> None:
    root = tmp_path / "repo"
    make_node_package(tmp_path / "node_modules", "above", "1.0.0", {})
    make_node_package(root / "node_modules", "zod", "3.0.0", {})
    make_node_package(root / "apps" / "web" / "node_modules", "zod", "4.0.0", {})

    near, far = NodePackages(root / "apps" / "web", root=root), NodePackages(root, root=root)

    assert near.version_of("zod") == "4.0.0"
    assert far.version_of("zod") == "3.0.0"
    assert near.version_of("above") is None
    assert far.names() == ("zod",)


def test_scoped_names_subpaths_and_types_are_found(tmp_path: Path) -> None:
    make_node_package(tmp_path / "node_modules", "@scope/x", "1.0.0", {})
    make_node_package(tmp_path / "node_modules", "@types/scope__x", "1.0.1", {})
    packages = NodePackages(tmp_path, root=tmp_path)

    assert packages.names() == ("@scope/x", "@types/scope__x")
    assert packages.providers_of("@scope/x/deep/file") == ("@scope/x", "@types/scope__x")
    assert packages.version_of("@scope/y") is None


def test_a_link_into_a_store_is_followed(tmp_path: Path) -> None:
    store = tmp_path / "repo" / "node_modules" / ".pnpm" / "zod@4.0.0" / "node_modules"
    folder = make_node_package(store, "zod", "4.0.0", {})
    (tmp_path / "repo" / "node_modules" / "zod").symlink_to(folder)

    found = NodePackages(tmp_path / "repo", root=tmp_path / "repo").find("zod")

    assert found
    assert found.folder == folder.resolve()
    assert not found.is_editable


def test_a_workspace_link_is_editable_and_said(tmp_path: Path) -> None:
    folder = make_node_package(tmp_path / "packages", "mine", "0.1.0", {})
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "mine").symlink_to(folder)

    found = NodePackages(tmp_path, root=tmp_path).find("mine")

    assert found
    assert found.is_editable
    assert "workspace" in found.warnings[0]


def test_a_link_out_of_the_project_is_not_followed(tmp_path: Path) -> None:
    outside = make_node_package(tmp_path / "home", "secret", "1.0.0", {})
    (tmp_path / "repo" / "node_modules").mkdir(parents=True)
    (tmp_path / "repo" / "node_modules" / "secret").symlink_to(outside)

    assert NodePackages(tmp_path / "repo", root=tmp_path / "repo").find("secret") is None


@pytest.mark.parametrize("name", ["../x", "..", "@a/..", "a/b", ".bin", "", "@/x", "x\0y"])
def test_a_name_that_climbs_is_no_name(tmp_path: Path, name: str) -> None:
    make_node_package(tmp_path, "x", "1.0.0", {})
    (tmp_path / "app" / "node_modules").mkdir(parents=True)

    assert NodePackages(tmp_path / "app", root=tmp_path).find(name) is None


def test_a_package_under_another_name_says_so(tmp_path: Path) -> None:
    folder = make_node_package(tmp_path / "node_modules", "real", "1.0.0", {})
    folder.rename(folder.with_name("alias"))

    found = NodePackages(tmp_path, root=tmp_path).find("alias")

    assert found
    assert found.warnings == ("installed as `alias`, but the package calls itself `real`",)


def test_plug_and_play_is_unsupported_and_says_the_remedy(tmp_path: Path) -> None:
    write_files(tmp_path, {".pnp.cjs": ""})

    with pytest.raises(ToolFailure) as failure:
        NodePackages(tmp_path, root=tmp_path).require_readable()

    assert failure.value.kind == ErrorKind.UNSUPPORTED
    assert "nodeLinker" in failure.value.next_steps[0].message


def test_a_broken_manifest_is_no_package(tmp_path: Path) -> None:
    write_files(tmp_path / "node_modules", {"a/package.json": "{", "b/package.json": "[]", "c/package.json": "{}"})

    packages = NodePackages(tmp_path, root=tmp_path)

    assert [packages.find(name) for name in "abc"] == [None, None, None]


def test_the_manifest_gives_addresses_and_license(tmp_path: Path) -> None:
    make_node_package(
        tmp_path / "node_modules", "x", "1.0.0", {}, description="Does x", license="MIT", homepage="https://x.example",
        repository={"url": "git+https://code.example/x.git"},
    )  # fmt: skip

    found = NodePackages(tmp_path, root=tmp_path).find("x")

    assert found
    assert (found.summary, found.license) == ("Does x", "MIT")
    assert found.urls == (("Homepage", "https://x.example"), ("Repository", "https://code.example/x.git"))
