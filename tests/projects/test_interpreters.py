"""Which interpreter a project gets, and the reason that is given for it."""

from __future__ import annotations

import base64
import hashlib
import sys
from pathlib import Path

import pytest

from sightline.projects.interpreters import NOWHERE, ON_PATH, Interpreter, Surroundings, find_interpreter
from sightline.projects.pyright_settings import read_pyright_settings
from tests.projects.repositories import make_environment, make_environment_by_hand
from tests.projects.unprivileged import open_folder, without_privileges


def interpreter_of(root: Path, **variables: str) -> Interpreter:
    around = Surroundings(variables, root.parent / "home")
    return find_interpreter(root, read_pyright_settings(root), around)


def poetry_stem(name: str, root: Path) -> str:
    """As `EnvManager.generate_env_name` of Poetry 2 does it."""
    digest = hashlib.sha256(str(root.resolve()).encode()).digest()
    return f"{name}-{base64.urlsafe_b64encode(digest).decode()[:8]}"


def make_project(root: Path, manifest: str = "") -> Path:
    root.mkdir(parents=True)
    (root / "pyproject.toml").write_text(manifest)
    return root


@pytest.mark.parametrize("name", [".venv", "venv"])
def test_a_real_environment_in_the_project_is_found_with_its_version_and_libraries(tmp_path: Path, name: str) -> None:
    root = make_project(tmp_path / "app")
    make_environment(root / name)

    found = interpreter_of(root)

    assert found.path == root / name / "bin" / "python"
    assert found.reason == f"{name} in the project"
    assert found.version == f"{sys.version_info.major}.{sys.version_info.minor}"
    assert found.environment
    assert next((root / name).glob("lib/python3.*")) in found.environment.packages
    assert Path(pytest.__file__).parents[1] not in found.environment.packages


def test_the_standard_library_belongs_to_the_packages_of_an_environment(tmp_path: Path) -> None:
    import json

    root = make_project(tmp_path / "app")
    make_environment(root / ".venv")

    found = interpreter_of(root)

    assert found.environment
    assert Path(json.__file__).parents[1] in found.environment.packages


def test_pyrights_own_configuration_comes_first_and_is_left_to_pyright(tmp_path: Path) -> None:
    root = make_project(tmp_path / "app", '[tool.pyright]\nvenvPath = "../envs"\nvenv = "one"\n')
    make_environment_by_hand(root / ".venv")
    make_environment_by_hand(tmp_path / "envs" / "one", version="3.9")

    found = interpreter_of(root)

    assert found.path is None
    assert found.reason == "`venv` in pyproject.toml"
    assert found.environment
    assert (found.environment.prefix, found.version) == (tmp_path / "envs" / "one", "3.9")


def test_pyrightconfig_hides_the_pyright_section_of_the_manifest(tmp_path: Path) -> None:
    root = make_project(tmp_path / "app", '[tool.pyright]\nvenv = "one"\n')
    (root / "pyrightconfig.json").write_text('{ // ours\n "venv": "two", }')
    make_environment_by_hand(root / "two")

    found = interpreter_of(root)

    assert found.reason == "`venv` in pyrightconfig.json"
    assert found.environment
    assert found.environment.prefix == root / "two"


def test_an_environment_that_pyrights_configuration_names_in_vain_is_none(tmp_path: Path) -> None:
    root = make_project(tmp_path / "app", '[tool.pyright]\nvenv = "missing"\n')

    found = interpreter_of(root)

    assert (found.path, found.environment) == (None, None)
    assert found.reason == "`venv` in pyproject.toml"


def test_nonsense_in_pyrights_configuration_does_not_stop_the_search(tmp_path: Path) -> None:
    root = make_project(tmp_path / "app")
    make_environment_by_hand(root / ".venv")

    for text in ("[1]", '{"venv": 3, "venvPath": [], "pythonVersion": 3.12}', "{", "\udcff", "[" * 100_000):
        (root / "pyrightconfig.json").write_text(text, errors="surrogateescape")
        assert interpreter_of(root).reason == ".venv in the project", text[:50]


def test_a_configured_environment_that_cannot_be_a_path_is_none(tmp_path: Path) -> None:
    root = make_project(tmp_path / "app")
    (root / "loop").symlink_to("loop")

    for text in (r'{"venv": "a\u0000b"}', '{"venv": "loop"}', '{"venv": "' + "x" * 5000 + '"}'):
        (root / "pyrightconfig.json").write_text(text)
        assert interpreter_of(root).environment is None, text[:50]


def test_virtual_env_is_found(tmp_path: Path) -> None:
    root = make_project(tmp_path / "app")
    active = make_environment_by_hand(tmp_path / "active")

    found = interpreter_of(root, VIRTUAL_ENV=str(active))

    assert (found.path, found.reason) == (active / "bin" / "python", "VIRTUAL_ENV")


def test_the_environment_that_uv_is_told_to_use_is_found_by_absolute_and_relative_path(tmp_path: Path) -> None:
    root = make_project(tmp_path / "app")
    inside = make_environment_by_hand(root / "env")
    outside = make_environment_by_hand(tmp_path / "elsewhere")

    relative = interpreter_of(root, UV_PROJECT_ENVIRONMENT="env")
    absolute = interpreter_of(root, UV_PROJECT_ENVIRONMENT=str(outside))

    assert (relative.path, relative.reason) == (inside / "bin" / "python", "UV_PROJECT_ENVIRONMENT")
    assert absolute.path == outside / "bin" / "python"


def test_a_member_of_a_uv_workspace_gets_the_environment_of_the_workspace(tmp_path: Path) -> None:
    workspace = make_project(tmp_path / "workspace", '[tool.uv.workspace]\nmembers = ["packages/*"]\n')
    member = make_project(workspace / "packages" / "one")
    shared = make_environment_by_hand(workspace / ".venv")

    found = interpreter_of(member)

    assert (found.path, found.reason) == (shared / "bin" / "python", ".venv of the uv workspace")


def test_a_relative_uv_environment_of_a_member_lies_in_the_workspace(tmp_path: Path) -> None:
    workspace = make_project(tmp_path / "workspace", '[tool.uv.workspace]\nmembers = ["packages/*"]\n')
    member = make_project(workspace / "packages" / "one")
    shared = make_environment_by_hand(workspace / "env")

    assert interpreter_of(member, UV_PROJECT_ENVIRONMENT="env").path == shared / "bin" / "python"


def test_a_uv_workspace_above_the_repository_is_not_the_projects(tmp_path: Path) -> None:
    workspace = make_project(tmp_path / "workspace", '[tool.uv.workspace]\nmembers = ["*"]\n')
    make_environment_by_hand(workspace / ".venv")
    (workspace / "repository" / ".git").mkdir(parents=True)
    member = make_project(workspace / "repository" / "one")

    assert interpreter_of(member).path is None


@pytest.mark.parametrize(
    ("declared", "known_as"),
    [("shop", "shop"), ("My_Shop", "my-shop"), ("my.shop--app", "my-shop-app"), ("s" * 60, "s" * 42)],
)
def test_poetrys_environment_is_found_under_the_name_that_poetry_gives_it(
    tmp_path: Path, declared: str, known_as: str
) -> None:
    root = make_project(tmp_path / "app", f'[project]\nname = "{declared}"\n[tool.poetry]\npackage-mode = true\n')
    cache = tmp_path / "home" / ".cache" / "pypoetry" / "virtualenvs"
    made = make_environment_by_hand(cache / f"{poetry_stem(known_as, root)}-py3.12")
    make_environment_by_hand(cache / f"{known_as}-AAAAAAAA-py3.12")

    found = interpreter_of(root)

    assert (found.path, found.reason) == (made / "bin" / "python", "Poetry's environment of this project")


@pytest.mark.parametrize(
    ("variable", "below"),
    [
        ("POETRY_VIRTUALENVS_PATH", ""),
        ("POETRY_CACHE_DIR", "virtualenvs"),
        ("XDG_CACHE_HOME", "pypoetry/virtualenvs"),
    ],
)
def test_poetrys_folders_can_be_moved_by_variables(tmp_path: Path, variable: str, below: str) -> None:
    root = make_project(tmp_path / "app", '[tool.poetry]\nname = "shop"\n')
    made = make_environment_by_hand(tmp_path / "moved" / below / f"{poetry_stem('shop', root)}-py3.12")

    assert interpreter_of(root, **{variable: str(tmp_path / "moved")}).path == made / "bin" / "python"


def test_the_newest_of_several_poetry_environments_is_chosen(tmp_path: Path) -> None:
    root = make_project(tmp_path / "app", '[tool.poetry]\nname = "shop"\n')
    stem = poetry_stem("shop", root)
    make_environment_by_hand(tmp_path / "envs" / f"{stem}-py3.9", version="3.9")
    make_environment_by_hand(tmp_path / "envs" / f"{stem}-py3.12", version="3.12")

    assert interpreter_of(root, POETRY_VIRTUALENVS_PATH=str(tmp_path / "envs")).version == "3.12"


def test_a_project_that_does_not_use_poetry_gets_none_of_its_environments(tmp_path: Path) -> None:
    root = make_project(tmp_path / "app", '[project]\nname = "shop"\n')
    make_environment_by_hand(tmp_path / "envs" / f"{poetry_stem('shop', root)}-py3.12")

    assert interpreter_of(root, POETRY_VIRTUALENVS_PATH=str(tmp_path / "envs")).path is None


def test_a_poetry_project_is_known_by_its_lock_file_too(tmp_path: Path) -> None:
    root = make_project(tmp_path / "app", '[project]\nname = "shop"\n')
    (root / "poetry.lock").touch()
    made = make_environment_by_hand(tmp_path / "envs" / f"{poetry_stem('shop', root)}-py3.12")

    found = interpreter_of(root, POETRY_VIRTUALENVS_PATH=str(tmp_path / "envs"))

    assert found.path == made / "bin" / "python"


def test_the_interpreter_that_pdm_wrote_down_is_found(tmp_path: Path) -> None:
    root = make_project(tmp_path / "app")
    made = make_environment_by_hand(tmp_path / "pdm")
    (root / ".pdm-python").write_text(f"{made}/bin/python\n")

    found = interpreter_of(root)

    assert (found.path, found.reason) == (made / "bin" / "python", ".pdm-python")


@pytest.mark.parametrize("text", ["", "bin/python", "/usr/bin/env", "\0", "/nowhere/bin/python"])
def test_a_pdm_file_that_names_no_environment_is_ignored(tmp_path: Path, text: str) -> None:
    root = make_project(tmp_path / "app")
    (root / ".pdm-python").write_text(text)

    assert interpreter_of(root).path is None


def test_a_conda_environment_is_found_and_its_version_read_from_its_folders(tmp_path: Path) -> None:
    root = make_project(tmp_path / "app")
    prefix = tmp_path / "conda"
    (prefix / "bin").mkdir(parents=True)
    (prefix / "bin" / "python").symlink_to(sys.executable)
    (prefix / "lib" / "python3.10").mkdir(parents=True)
    (prefix / "lib" / "python3.1").symlink_to("python3.10")

    found = interpreter_of(root, CONDA_PREFIX=str(prefix))

    assert (found.path, found.reason, found.version) == (prefix / "bin" / "python", "CONDA_PREFIX", "3.10")


def test_the_version_of_a_free_threaded_conda_environment_is_a_plain_version(tmp_path: Path) -> None:
    root = make_project(tmp_path / "app")
    prefix = tmp_path / "conda"
    (prefix / "bin").mkdir(parents=True)
    (prefix / "bin" / "python").symlink_to(sys.executable)
    (prefix / "lib" / "python3.13t").mkdir(parents=True)

    assert interpreter_of(root, CONDA_PREFIX=str(prefix)).version == "3.13"


def test_every_place_has_its_rank(tmp_path: Path) -> None:
    workspace = make_project(tmp_path / "workspace", "[tool.uv.workspace]\n")
    root = make_project(workspace / "app", '[tool.poetry]\nname = "shop"\n')
    places = [
        (make_environment_by_hand(root / ".venv"), ".venv in the project"),
        (make_environment_by_hand(root / "venv"), "venv in the project"),
        (make_environment_by_hand(tmp_path / "active"), "VIRTUAL_ENV"),
        (make_environment_by_hand(tmp_path / "uv"), "UV_PROJECT_ENVIRONMENT"),
        (
            make_environment_by_hand(tmp_path / "poetry" / f"{poetry_stem('shop', root)}-py3.12"),
            "Poetry's environment of this project",
        ),
        (make_environment_by_hand(tmp_path / "pdm"), ".pdm-python"),
        (make_environment_by_hand(tmp_path / "conda"), "CONDA_PREFIX"),
    ]
    (root / ".pdm-python").write_text(str(tmp_path / "pdm" / "bin" / "python"))
    variables = {
        "VIRTUAL_ENV": str(tmp_path / "active"),
        "UV_PROJECT_ENVIRONMENT": str(tmp_path / "uv"),
        "POETRY_VIRTUALENVS_PATH": str(tmp_path / "poetry"),
        "CONDA_PREFIX": str(tmp_path / "conda"),
    }

    for prefix, reason in places:
        found = interpreter_of(root, **variables)
        assert (found.path, found.reason) == (prefix / "bin" / "python", reason)
        (prefix / "bin" / "python").unlink()

    assert interpreter_of(root, **variables).path is None


def test_a_broken_environment_is_skipped_for_the_next_place(tmp_path: Path) -> None:
    root = make_project(tmp_path / "app")
    make_environment(root / ".venv")
    for link in (root / ".venv" / "bin").glob("python*"):
        link.unlink()
        link.symlink_to(tmp_path / "removed" / "python")
    active = make_environment_by_hand(tmp_path / "active")

    assert interpreter_of(root, VIRTUAL_ENV=str(active)).reason == "VIRTUAL_ENV"


def test_an_environment_that_may_not_be_entered_is_skipped_for_the_next_place() -> None:
    with open_folder() as folder:
        root = make_project(folder / "app")
        private = make_environment_by_hand(folder / "private")
        private.chmod(0)
        conda = make_environment_by_hand(folder / "conda")

        with without_privileges():
            found = interpreter_of(root, VIRTUAL_ENV=str(private), CONDA_PREFIX=str(conda))
        private.chmod(0o755)

    assert found.reason == "CONDA_PREFIX"


def test_without_an_environment_the_python_on_the_path_is_left_to_pyright(tmp_path: Path) -> None:
    root = make_project(tmp_path / "app")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python3").symlink_to(sys.executable)

    found = interpreter_of(root, PATH=str(tmp_path / "bin"))

    assert (found.path, found.reason) == (None, ON_PATH)


def test_without_any_python_that_is_said(tmp_path: Path) -> None:
    found = interpreter_of(make_project(tmp_path / "app"), PATH=str(tmp_path))

    assert (found.path, found.reason) == (None, NOWHERE)
