"""Which Python a project is checked for, and why."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from sightline.projects import Project, Surroundings, find_project
from sightline.projects.python_versions import PythonVersion, required_python
from tests.projects.repositories import make_environment_by_hand


def project_in(root: Path, manifest: str, *, python_on_path: bool = False) -> Project:
    root.mkdir(parents=True, exist_ok=True)
    (root / "pyproject.toml").write_text(manifest)
    path = str(Path(sys.executable).parent) if python_on_path else str(root)
    return find_project(root, within=root, around=Surroundings({"PATH": path}, root / "home"))


FULL = '[project]\nrequires-python = ">=3.10"\n[tool.pyright]\npythonVersion = "3.11"\n'


def test_the_version_that_is_asked_for_wins_and_pyright_is_told(tmp_path: Path) -> None:
    make_environment_by_hand(tmp_path / ".venv")

    version = project_in(tmp_path, FULL).python_version("3.9")

    assert version == PythonVersion("3.9", "asked for", is_given=True)


def test_the_version_of_the_configuration_is_known_to_pyright_already(tmp_path: Path) -> None:
    make_environment_by_hand(tmp_path / ".venv")

    version = project_in(tmp_path, FULL).python_version()

    assert version == PythonVersion("3.11", "`pythonVersion` in pyproject.toml", is_given=False)


def test_the_version_of_the_interpreter_comes_before_requires_python(tmp_path: Path) -> None:
    make_environment_by_hand(tmp_path / ".venv", version="3.12")

    version = project_in(tmp_path, '[project]\nrequires-python = ">=3.10"\n').python_version()

    assert version == PythonVersion("3.12", "the interpreter's", is_given=False)


def test_requires_python_counts_where_there_is_no_python_at_all(tmp_path: Path) -> None:
    version = project_in(tmp_path, '[project]\nrequires-python = ">=3.10"\n').python_version()

    assert version == PythonVersion("3.10", "`requires-python`", is_given=True)


def test_requires_python_does_not_overrule_the_python_on_the_path(tmp_path: Path) -> None:
    project = project_in(tmp_path, '[project]\nrequires-python = ">=3.10"\n', python_on_path=True)

    assert project.python_version() == PythonVersion(None, "the interpreter's", is_given=False)


@pytest.mark.parametrize(
    ("text", "lowest"),
    [
        ('">=3.10"', "3.10"),
        ('"<4,>=3.9.1"', "3.9"),
        ('"~=3.11.2"', "3.11"),
        ('"== 3.12.*"', "3.12"),
        ('"<3.13"', None),
        ("3.10", None),
        ('[">=3.10"]', None),
    ],
)
def test_the_lower_bound_of_requires_python_is_read(tmp_path: Path, text: str, lowest: str | None) -> None:
    (tmp_path / "pyproject.toml").write_text(f"[project]\nrequires-python = {text}\n")

    assert required_python(tmp_path) == lowest


@pytest.mark.parametrize("text", ["[project", "\udcff", "project = 3", "", "a = " + "[" * 100_000])
def test_a_manifest_that_cannot_be_read_requires_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / "pyproject.toml").write_text(text, errors="surrogateescape")

    assert required_python(tmp_path) is None


def test_a_project_is_read_anew_at_every_call(tmp_path: Path) -> None:
    before = project_in(tmp_path, "")
    make_environment_by_hand(tmp_path / ".venv", version="3.12")

    after = project_in(tmp_path, "")

    assert (before.interpreter.path, after.interpreter.path) == (None, tmp_path / ".venv" / "bin" / "python")
