"""Which folders count as the project's Python, and when the answer is that there is none."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from sightline.errors import ErrorKind
from sightline.library_docs.installed.python_environment import (
    NoEnvironment,
    PythonEnvironment,
    read_python_environment,
)
from sightline.projects.interpreters import Interpreter, Surroundings, find_interpreter
from sightline.projects.pyright_settings import read_pyright_settings
from tests.library_docs.installed.handmade import write_files

NOT_OWN = Path("/nowhere")


def found_in(root: Path, own: Path = NOT_OWN, **variables: str) -> PythonEnvironment | NoEnvironment:
    interpreter = find_interpreter(root, read_pyright_settings(root), Surroundings(variables, root / "home"))
    return read_python_environment(interpreter, variables, own_prefix=own)


def make_base(folder: Path, version: str = "3.12", patch: str = "3.12.9") -> Path:
    """An interpreter's installation, as far as files go."""
    write_files(
        folder,
        {
            "bin/python3": "\x7fELF",
            f"lib/python{version}/os.py": "",
            f"lib/python{version}/site-packages/README.txt": "",
            f"include/python{version}/patchlevel.h": f'#define PY_VERSION              "{patch}"\n',
        },
    )
    (folder / "bin" / "python3").chmod(0o755)
    return folder


def make_venv(prefix: Path, base: Path, version: str = "3.12", more: str = "") -> Path:
    config = f"home = {base / 'bin'}\nversion = {version}.1\n{more}"
    write_files(
        prefix,
        {"pyvenv.cfg": config, "bin/python": "\x7fELF", f"lib/python{version}/site-packages/x.txt": ""},
    )
    (prefix / "bin" / "python").chmod(0o755)
    return prefix


def test_the_environment_in_the_project_is_read_with_its_exact_version_and_standard_library(tmp_path: Path) -> None:
    base = make_base(tmp_path / "base")
    make_venv(tmp_path / "app" / ".venv", base)

    found = found_in(tmp_path / "app")

    assert isinstance(found, PythonEnvironment)
    assert found.reason == ".venv in the project"
    assert found.version == "3.12.9"  # by the interpreter's own header, not by the note in pyvenv.cfg
    assert found.site_packages == ((tmp_path / "app/.venv/lib/python3.12/site-packages").resolve(),)
    assert found.standard_library == base / "lib" / "python3.12"
    assert not found.is_own


def test_without_the_header_the_environments_note_tells_the_version(tmp_path: Path) -> None:
    base = make_base(tmp_path / "base")
    (base / "include/python3.12/patchlevel.h").unlink()
    make_venv(tmp_path / "app" / ".venv", base)

    found = found_in(tmp_path / "app")

    assert isinstance(found, PythonEnvironment)
    assert found.version == "3.12.1"


def test_system_packages_count_only_if_the_environment_includes_them(tmp_path: Path) -> None:
    base = make_base(tmp_path / "base")
    make_venv(tmp_path / "one" / ".venv", base)
    make_venv(tmp_path / "two" / ".venv", base, more="include-system-site-packages = true\n")
    system = (base / "lib/python3.12/site-packages").resolve()

    without, included = found_in(tmp_path / "one"), found_in(tmp_path / "two")

    assert isinstance(without, PythonEnvironment)
    assert isinstance(included, PythonEnvironment)
    assert system not in without.site_packages
    assert included.site_packages[-1] == system


def test_both_library_folders_count_but_not_twice_if_one_is_a_link(tmp_path: Path) -> None:
    base = make_base(tmp_path / "base")
    linked = make_venv(tmp_path / "one" / ".venv", base)
    (linked / "lib64").symlink_to("lib")
    split = make_venv(tmp_path / "two" / ".venv", base)
    write_files(split, {"lib64/python3.12/site-packages/y.txt": ""})

    one, two = found_in(tmp_path / "one"), found_in(tmp_path / "two")

    assert isinstance(one, PythonEnvironment)
    assert isinstance(two, PythonEnvironment)
    assert len(one.site_packages) == 1
    assert len(two.site_packages) == 2


def test_a_windows_layout_is_read(tmp_path: Path) -> None:
    prefix = tmp_path / "app" / ".venv"
    base = tmp_path / "Python312"
    write_files(base, {"Lib/os.py": "", "include/patchlevel.h": '#define PY_VERSION "3.12.3"\n'})
    write_files(
        prefix,
        {"pyvenv.cfg": f"home = {base}\nversion = 3.12.1\n", "Scripts/python.exe": "", "Lib/site-packages/x.txt": ""},
    )

    found = found_in(tmp_path / "app")

    assert isinstance(found, PythonEnvironment)
    assert found.version == "3.12.3"
    assert found.standard_library == base / "Lib"
    assert found.site_packages == ((prefix / "Lib/site-packages").resolve(),)


def test_a_conda_environment_is_its_own_base(tmp_path: Path) -> None:
    conda = make_base(tmp_path / "conda")
    (conda / "bin" / "python").symlink_to("python3")
    (tmp_path / "app").mkdir()

    found = found_in(tmp_path / "app", CONDA_PREFIX=str(conda))

    assert isinstance(found, PythonEnvironment)
    assert found.reason == "CONDA_PREFIX"
    assert found.standard_library == conda / "lib" / "python3.12"


def test_the_python_on_path_counts_and_the_reason_says_so(tmp_path: Path) -> None:
    base = make_base(tmp_path / "base")
    (tmp_path / "app").mkdir()

    found = found_in(tmp_path / "app", PATH=str(base / "bin"))

    assert isinstance(found, PythonEnvironment)
    assert found.reason == "python on PATH, because the project has no environment of its own"
    assert found.site_packages == ((base / "lib/python3.12/site-packages").resolve(),)


def test_sightlines_own_packages_are_not_taken_for_the_projects_because_of_a_path(tmp_path: Path) -> None:
    own = make_venv(tmp_path / "own", make_base(tmp_path / "base"))
    (own / "bin" / "python3").symlink_to("python")
    (tmp_path / "app").mkdir()

    found = found_in(tmp_path / "app", own, PATH=str(own / "bin"))

    assert isinstance(found, NoEnvironment)
    failure = found.failure()
    assert failure.kind == ErrorKind.LIBRARY_NOT_FOUND
    assert "no Python environment found" in failure.message
    assert "Sightline itself runs in" in failure.message
    assert ".venv" in failure.next_steps[0].message


def test_a_tools_environment_is_not_taken_because_it_is_activated(tmp_path: Path) -> None:
    own = make_venv(tmp_path / "own", make_base(tmp_path / "base"))
    (tmp_path / "app").mkdir()

    as_project = found_in(tmp_path / "app", own, VIRTUAL_ENV=str(own))
    write_files(own, {"uv-receipt.toml": ""})
    as_tool = found_in(tmp_path / "app", own, VIRTUAL_ENV=str(own))

    assert isinstance(as_project, PythonEnvironment)
    assert as_project.is_own
    assert isinstance(as_tool, NoEnvironment)


def test_nothing_at_all_is_said_with_a_remedy(tmp_path: Path) -> None:
    found = found_in(tmp_path, PATH="")

    assert isinstance(found, NoEnvironment)
    assert "no python found" in found.failure().message


def test_a_shim_that_does_not_tell_its_packages_is_no_environment(tmp_path: Path) -> None:
    write_files(tmp_path, {"shims/python3": "\x7fELF"})
    (tmp_path / "shims/python3").chmod(0o755)

    found = found_in(tmp_path, PATH=str(tmp_path / "shims"))

    assert isinstance(found, NoEnvironment)
    assert "does not tell" in found.reason


def test_the_environment_these_tests_run_in_is_read_like_the_interpreter_reads_it() -> None:
    import json

    prefix = Path(sys.prefix)
    if not (prefix / "pyvenv.cfg").exists():
        pytest.skip("not in a virtual environment")
    from sightline.projects.environments import read_environment

    found = read_python_environment(
        Interpreter(prefix / "bin/python", "given", read_environment(prefix)), {}, own_prefix=NOT_OWN
    )

    assert isinstance(found, PythonEnvironment)
    assert found.version == ".".join(map(str, sys.version_info[:3]))
    assert found.standard_library == Path(json.__file__).parents[1]
    assert Path(pytest.__file__).resolve().parents[1] in found.site_packages
