"""`check_types` and the project's Python: the right environment is used, and none that the repository brings."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.code.checking import check, make_project
from tests.projects.repositories import commit_all, make_environment, make_repository

pytestmark = pytest.mark.anyio


async def test_packages_of_the_projects_environment_are_found_and_an_old_python_is_told(tmp_path: Path) -> None:
    root = make_project(
        tmp_path / "app",
        {
            "pyproject.toml": "[project]\nname = 'app'\nrequires-python = '>=3.99'\n",
            "a.py": "import only_here\nx: str = only_here.VALUE\n",
        },
    )
    make_environment(root / ".venv")
    packages = next((root / ".venv").glob("lib/python3.*/site-packages"))
    make_project(packages, {"only_here/__init__.py": "VALUE: int = 1\n", "only_here/py.typed": ""})

    found = (await check(root)).data

    assert [each["rule"] for each in found["diagnostics"]] == ["reportAssignmentType"]
    assert found["evidence"]["interpreter"] == ".venv/bin/python"
    assert found["evidence"]["interpreter_reason"] == ".venv in the project"
    assert [notice["kind"] for notice in found["warnings"]] == ["python_version_mismatch"]


@pytest.mark.parametrize("brings_pyvenv_file", [True, False])
async def test_an_interpreter_that_the_repository_brings_is_never_run(
    tmp_path: Path, *, brings_pyvenv_file: bool
) -> None:
    root = make_project(
        make_repository(tmp_path / "app"),
        {"a.py": "x = 1\n", ".venv/bin/python": f'#!/bin/sh\ntouch {tmp_path}/was-run\nexec python3 "$@"\n'},
    )
    (root / ".venv" / "bin" / "python").chmod(0o755)
    if brings_pyvenv_file:
        make_project(root, {".venv/pyvenv.cfg": "home = /usr/bin\nversion = 3.12.1\n"})
    commit_all(root)

    found = (await check(root, "a.py")).data

    assert not (tmp_path / "was-run").exists()
    assert found["verdict"] == "clean"
    assert [notice["kind"] for notice in found["warnings"]] == ["environment_passed_over"]


@pytest.mark.parametrize("version", ["3.x", "3.13.0rc1", "newest"])
async def test_a_configured_version_that_is_none_does_not_stop_the_check(tmp_path: Path, version: str) -> None:
    root = make_project(
        tmp_path / "app",
        {
            "pyproject.toml": "[project]\nrequires-python = '>=3.11'\n",
            "pyrightconfig.json": f'{{"pythonVersion": "{version}"}}',
            "a.py": "x: int = ''\n",
        },
    )

    answer = await check(root)

    assert answer.ok, answer.text
    assert answer.data["verdict"] == "errors"
