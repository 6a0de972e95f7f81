"""Which folder a path's project begins at."""

from __future__ import annotations

from pathlib import Path

import pytest

from sightline.projects.roots import find_root
from tests.projects.repositories import commit_all, git, make_repository


def write(path: Path, text: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.mark.parametrize("marker", ["pyrightconfig.json", "pyproject.toml", "setup.cfg", "setup.py"])
def test_each_marker_file_makes_its_folder_the_root(tmp_path: Path, marker: str) -> None:
    write(tmp_path / "app" / marker)
    module = write(tmp_path / "app" / "src" / "package" / "module.py")

    root = find_root(module, within=tmp_path)

    assert (root.path, root.marker) == (tmp_path / "app", marker)


def test_a_repository_without_other_markers_is_a_root(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "app")
    module = write(repository / "src" / "module.py")

    root = find_root(module, within=tmp_path)

    assert (root.path, root.marker) == (repository, ".git")


def test_the_served_folder_is_the_root_when_nothing_marks_one(tmp_path: Path) -> None:
    module = write(tmp_path / "src" / "module.py")

    root = find_root(module, within=tmp_path)

    assert (root.path, root.marker) == (tmp_path, None)


def test_a_folder_is_searched_from_itself_and_not_from_its_parent(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml")
    write(tmp_path / "inner" / "pyproject.toml")

    assert find_root(tmp_path / "inner", within=tmp_path).path == tmp_path / "inner"
    assert find_root(tmp_path, within=tmp_path).path == tmp_path


def test_a_nested_project_is_its_own_and_its_neighbours_belong_to_the_outer_one(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml")
    write(tmp_path / "libs" / "inner" / "setup.cfg")
    inside = write(tmp_path / "libs" / "inner" / "module.py")
    beside = write(tmp_path / "libs" / "module.py")

    assert find_root(inside, within=tmp_path).path == tmp_path / "libs" / "inner"
    assert find_root(beside, within=tmp_path).path == tmp_path


def test_a_pyright_configuration_above_a_nested_manifest_wins(tmp_path: Path) -> None:
    write(tmp_path / "pyrightconfig.json", "{}")
    write(tmp_path / "inner" / "pyproject.toml")
    module = write(tmp_path / "inner" / "module.py")

    root = find_root(module, within=tmp_path)

    assert (root.path, root.marker) == (tmp_path, "pyrightconfig.json")


def test_the_nearer_of_two_pyright_configurations_wins(tmp_path: Path) -> None:
    write(tmp_path / "pyrightconfig.json", "{}")
    write(tmp_path / "inner" / "pyrightconfig.json", "{}")

    assert find_root(write(tmp_path / "inner" / "a.py"), within=tmp_path).path == tmp_path / "inner"


def test_a_manifest_wins_over_the_repository_it_lies_in(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "monorepo")
    write(repository / "service" / "pyproject.toml")

    assert find_root(write(repository / "service" / "a.py"), within=tmp_path).path == repository / "service"


def test_nothing_above_the_served_folder_is_looked_at(tmp_path: Path) -> None:
    write(tmp_path / "pyrightconfig.json", "{}")
    write(tmp_path / "pyproject.toml")
    served = tmp_path / "served"
    module = write(served / "module.py")

    root = find_root(module, within=served)

    assert (root.path, root.marker) == (served, None)


def test_nothing_above_a_repository_is_looked_at(tmp_path: Path) -> None:
    write(tmp_path / "pyrightconfig.json", "{}")
    write(tmp_path / "pyproject.toml")
    repository = make_repository(tmp_path / "repository")

    root = find_root(write(repository / "src" / "a.py"), within=tmp_path)

    assert (root.path, root.marker) == (repository, ".git")


def test_a_worktree_inside_its_repository_is_a_project_of_its_own(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "repository")
    write(repository / "pyrightconfig.json", "{}")
    write(repository / "module.py")
    commit_all(repository)
    git(repository, "worktree", "add", "trees/feature")
    worktree = repository / "trees" / "feature"
    assert (worktree / ".git").is_file()
    (worktree / "pyrightconfig.json").unlink()

    root = find_root(worktree / "module.py", within=tmp_path)

    assert (root.path, root.marker) == (worktree, ".git")


def test_a_path_that_does_not_exist_belongs_to_the_project_of_its_folder(tmp_path: Path) -> None:
    write(tmp_path / "app" / "setup.py")

    assert find_root(tmp_path / "app" / "new" / "module.py", within=tmp_path).path == tmp_path / "app"
