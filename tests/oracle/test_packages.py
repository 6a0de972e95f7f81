"""A folder check finds what the command finds on real packages: cold, after an edit to a leaf, after one to the core.

`SIGHTLINE_ORACLE=full` takes larger packages, Django among them, which pip downloads.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.oracle.freshness import Summary, ask_command, ask_sightline
from tests.support.apps import app_over

pytestmark = pytest.mark.anyio

IS_FULL = os.environ.get("SIGHTLINE_ORACLE") == "full"
EDIT = "\n\ndef added_from_outside(value: int) -> str:\n    return value\n"


@dataclass(frozen=True, slots=True)
class RealPackage:
    """A package with a leaf that few others import, and a core that many do."""

    name: str
    leaf: str
    core: str
    wheel: str | None = None


SAMPLE = [RealPackage("click", "_compat.py", "core.py")]
FULL = [
    *SAMPLE,
    RealPackage("anyio", "streams/tls.py", "_core/_eventloop.py"),
    RealPackage("django", "utils/lorem_ipsum.py", "db/models/base.py", wheel="django==5.2.8"),
]


def _project(package: RealPackage, folder: Path) -> Path:
    root = folder.resolve() / "project"
    root.mkdir()
    (root / "pyproject.toml").write_text("[project]\nname = 'project'\n")
    if package.wheel:
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(folder), package.wheel]
        subprocess.run(command, check=True, capture_output=True)
        with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
            wheel.extractall(root)
    else:
        spec = importlib.util.find_spec(package.name)
        assert spec
        assert spec.submodule_search_locations
        shutil.copytree(spec.submodule_search_locations[0], root / package.name)
    return root


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("package", FULL if IS_FULL else SAMPLE, ids=lambda package: package.name)
async def test_a_folder_check_finds_what_the_command_finds(
    package: RealPackage, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = _project(package, tmp_path)
    async with app_over(root, tmp_path / "home", code__command_timeout_s=300) as app:
        for edited in (None, package.leaf, package.core):
            if edited:
                path = root / package.name / edited
                path.write_text(path.read_text() + EDIT)
            summary = Summary(f"{package.name}, {f'{edited} edited' if edited else 'cold'}")
            ours = await ask_sightline(app, package.name, summary)
            theirs = await ask_command(root, package.name)
            with capsys.disabled():
                sys.stdout.write(
                    f"\n{summary.layout}: {len(theirs)} findings, {summary.seconds:.2f} s, {summary.methods}"
                )
            assert ours == theirs
