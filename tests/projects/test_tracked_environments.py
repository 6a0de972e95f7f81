"""An environment that came with the repository is never run, because Pyright runs what it is given."""

from __future__ import annotations

from pathlib import Path

import pytest

from sightline.projects.interpreters import NOWHERE, Interpreter, Surroundings, find_interpreter
from sightline.projects.pyright_settings import PyrightSettings
from tests.projects.repositories import commit_all, git, make_environment, make_environment_by_hand, make_repository

INDEX_VERSIONS = ["2", "4"]


def write_index(repository: Path, version: str) -> None:
    git(repository, "update-index", "--index-version", version)
    assert (repository / ".git" / "index").read_bytes()[7] == int(version)


def interpreter_of(root: Path, **variables: str) -> Interpreter:
    return find_interpreter(root, PyrightSettings(), Surroundings(variables, root.parent / "home"))


@pytest.mark.parametrize("version", INDEX_VERSIONS)
def test_a_committed_environment_is_passed_over_with_a_reason(tmp_path: Path, version: str) -> None:
    repository = make_repository(tmp_path / "repository")
    make_environment(repository / ".venv")
    (repository / "module.py").touch()
    commit_all(repository)
    write_index(repository, version)
    mine = make_environment_by_hand(tmp_path / "mine")

    found = interpreter_of(repository, VIRTUAL_ENV=str(mine))

    assert found.reason == "VIRTUAL_ENV"
    assert found.passed_over == (".venv in the project: checked in with the repository, so it is not run",)


@pytest.mark.parametrize("version", INDEX_VERSIONS)
def test_an_environment_beside_the_committed_files_is_used(tmp_path: Path, version: str) -> None:
    repository = make_repository(tmp_path / "repository")
    for name in ("module.py", "pyvenv.cfg.txt", "zoo.py"):
        (repository / name).touch()
    commit_all(repository)
    write_index(repository, version)
    make_environment_by_hand(repository / ".venv")

    found = interpreter_of(repository)

    assert (found.reason, found.passed_over) == (".venv in the project", ())


@pytest.mark.parametrize("version", INDEX_VERSIONS)
def test_an_environment_committed_elsewhere_does_not_taint_the_projects_own(tmp_path: Path, version: str) -> None:
    repository = make_repository(tmp_path / "repository")
    make_environment_by_hand(repository / "fixtures" / ".venv")
    commit_all(repository)
    write_index(repository, version)
    make_environment_by_hand(repository / ".venv")

    assert interpreter_of(repository / "fixtures").path is None
    assert interpreter_of(repository).path == repository / ".venv" / "bin" / "python"


@pytest.mark.parametrize("version", INDEX_VERSIONS)
def test_a_name_that_shares_its_beginning_with_its_neighbour_is_still_seen(tmp_path: Path, version: str) -> None:
    repository = make_repository(tmp_path / "repository")
    make_environment_by_hand(repository / ".venv")
    (repository / ".venv" / "pyvenv.bfg").touch()
    commit_all(repository)
    write_index(repository, version)

    assert interpreter_of(repository).path is None


@pytest.mark.parametrize("version", INDEX_VERSIONS)
def test_a_committed_interpreter_without_a_pyvenv_file_is_passed_over(tmp_path: Path, version: str) -> None:
    repository = make_repository(tmp_path / "repository")
    python = repository / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text("#!/bin/sh\necho anything the repository likes\n")
    python.chmod(0o755)
    commit_all(repository)
    write_index(repository, version)

    assert interpreter_of(repository).path is None


def test_a_committed_environment_is_passed_over_in_a_repository_of_the_other_hash(tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    repository.mkdir()
    git(repository, "init", "--object-format=sha256")
    make_environment_by_hand(repository / ".venv")
    commit_all(repository)

    assert interpreter_of(repository).path is None


def test_a_committed_environment_is_passed_over_when_the_index_is_split(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "repository")
    make_environment_by_hand(repository / ".venv")
    commit_all(repository)
    git(repository, "update-index", "--split-index")

    assert interpreter_of(repository).path is None


def test_a_committed_environment_is_passed_over_beside_a_file_that_is_only_announced(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "repository")
    make_environment_by_hand(repository / "venv")
    commit_all(repository)
    (repository / "announced.py").touch()
    git(repository, "add", "--intent-to-add", "announced.py")
    assert (repository / ".git" / "index").read_bytes()[7] == 3

    assert interpreter_of(repository).path is None


def test_a_committed_link_to_a_committed_environment_is_passed_over(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "repository")
    make_environment_by_hand(repository / "innocent")
    (repository / ".venv").symlink_to("innocent")
    commit_all(repository)

    assert interpreter_of(repository).path is None


def test_an_uncommitted_pyvenv_file_does_not_launder_a_committed_interpreter(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "repository")
    make_environment_by_hand(repository / ".venv")
    commit_all(repository)
    git(repository, "rm", "--cached", ".venv/pyvenv.cfg")

    assert interpreter_of(repository).path is None


def test_an_environment_committed_in_a_submodule_is_passed_over(tmp_path: Path) -> None:
    library = make_repository(tmp_path / "library")
    make_environment_by_hand(library / "inner" / ".venv")
    commit_all(library)
    repository = make_repository(tmp_path / "repository")
    git(repository, "-c", "protocol.file.allow=always", "submodule", "add", str(library), "vendored")
    assert (repository / "vendored" / ".git").is_file()

    assert interpreter_of(repository / "vendored" / "inner").path is None


def test_an_environment_that_is_itself_a_submodule_is_passed_over(tmp_path: Path) -> None:
    environment = make_repository(tmp_path / "environment")
    make_environment_by_hand(environment / "here")
    for path in (environment / "here").iterdir():
        path.rename(environment / path.name)
    commit_all(environment)
    repository = make_repository(tmp_path / "repository")
    git(repository, "-c", "protocol.file.allow=always", "submodule", "add", str(environment), ".venv")

    assert interpreter_of(repository).path is None


def test_an_environment_committed_in_a_worktree_is_passed_over_there(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "repository")
    make_environment_by_hand(repository / ".venv")
    commit_all(repository)
    git(repository, "worktree", "add", str(tmp_path / "worktree"))
    assert (tmp_path / "worktree" / ".git").is_file()

    assert interpreter_of(tmp_path / "worktree").path is None


def test_an_environment_beside_the_files_of_a_worktree_is_used(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "repository")
    (repository / "module.py").touch()
    commit_all(repository)
    git(repository, "worktree", "add", str(tmp_path / "worktree"))
    make_environment_by_hand(tmp_path / "worktree" / ".venv")

    assert interpreter_of(tmp_path / "worktree").reason == ".venv in the project"


@pytest.mark.parametrize("index", [b"", b"DIRC", b"not an index at all", b"DIRC\0\0\0\4\0\0\0\x09\xff"])
def test_an_environment_is_not_run_when_the_index_cannot_be_read(tmp_path: Path, index: bytes) -> None:
    repository = make_repository(tmp_path / "repository")
    (repository / ".git" / "index").write_bytes(index)
    make_environment_by_hand(repository / ".venv")

    assert interpreter_of(repository).path is None


@pytest.mark.parametrize("pointer", ["", "gitdir: nowhere", "gitdir: \0", "\udcff"])
def test_a_git_file_that_leads_nowhere_is_survived(tmp_path: Path, pointer: str) -> None:
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / ".git").write_text(pointer, errors="surrogateescape")
    make_environment_by_hand(tmp_path / "app" / ".venv")

    assert interpreter_of(tmp_path / "app").reason in (".venv in the project", NOWHERE)
