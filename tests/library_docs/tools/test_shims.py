"""A `python` on the PATH that is a script, as version managers put it there: what it stands for in this project."""

from __future__ import annotations

import os
import sys
import venv
from pathlib import Path

import pytest

from tests.library_docs.bakery import bakery
from tests.library_docs.installed.handmade import write_files

pytestmark = pytest.mark.skipif(os.name == "nt", reason="shims are shell scripts")

SHIM = """#!/bin/sh
name=$(cat .python-version 2>/dev/null || echo global)
exec {versions}/"$name"/bin/python "$@"
"""


def make_version(folder: Path, name: str, version_of_lamp: str) -> None:
    """An environment as a version manager keeps it, with `lamp` in it."""
    venv.EnvBuilder(symlinks=True).create(folder / name)
    site = next((folder / name / "lib").glob("python3.*/site-packages"))
    metadata = f"Metadata-Version: 2.1\nName: lamp\nVersion: {version_of_lamp}\n\n# Lamp\n"
    information = f"lamp-{version_of_lamp}.dist-info"
    write_files(
        site, {f"{information}/METADATA": metadata, f"{information}/RECORD": "lamp.py,,\n", "lamp.py": "x = 1\n"}
    )


def make_shims(folder: Path, versions: Path) -> str:
    """A folder of shims, on a PATH."""
    write_files(folder, {"python3": SHIM.format(versions=versions)})
    (folder / "python3").chmod(0o755)
    return f"{folder}{os.pathsep}/usr/bin{os.pathsep}/bin"


async def test_a_shim_stands_for_the_version_that_the_project_names_now(tmp_path: Path) -> None:
    versions = tmp_path / "versions"
    make_version(versions, "global", "1.0")
    make_version(versions, "work", "2.0")
    project = tmp_path / "project"
    write_files(project, {"pyproject.toml": '[project]\nname = "p"\n', ".python-version": "work\n"})

    async with bakery(tmp_path, path=make_shims(tmp_path / "shims", versions)) as shop:
        named = await shop.call("resolve_library", query="lamp")
        (project / ".python-version").write_text("global\n")
        changed = await shop.call("get_library_docs", library_id="pypi:lamp")
        (project / ".python-version").write_text("none\n")
        unknown = await shop.call("resolve_library", query="lamp")

    assert named["matches"][0]["installed"] == "2.0"
    assert "python on PATH" in changed["evidence"]["environment"]
    assert changed["version"] == "1.0"
    assert unknown["matches"] == []
    assert "environment_unknown" in {each["kind"] for each in unknown["warnings"]}


async def test_the_standard_library_of_a_shim_is_that_of_its_interpreter(tmp_path: Path) -> None:
    make_version(tmp_path / "versions", "global", "1.0")
    write_files(tmp_path / "project", {"pyproject.toml": '[project]\nname = "p"\n'})

    async with bakery(tmp_path, path=make_shims(tmp_path / "shims", tmp_path / "versions")) as shop:
        found = await shop.call("get_library_docs", library_id="python:textwrap", topic="dedent")

    assert found["version"].startswith(f"{sys.version_info.major}.{sys.version_info.minor}")
    assert "def dedent" in found["content"]


async def test_a_script_that_the_project_brings_along_is_not_run(tmp_path: Path) -> None:
    project = tmp_path / "project"
    write_files(project, {"pyproject.toml": '[project]\nname = "p"\n', "bin/python3": "#!/bin/sh\ntouch ran\n"})
    (project / "bin" / "python3").chmod(0o755)

    async with bakery(tmp_path, path=f"{project / 'bin'}{os.pathsep}/usr/bin") as shop:
        found = await shop.call("resolve_library", query="lamp")

    assert not (project / "ran").exists()
    assert "environment_unknown" in {each["kind"] for each in found["warnings"]}
