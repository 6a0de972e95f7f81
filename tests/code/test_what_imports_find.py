"""What an import finds besides sources: folders, compiled modules, `src`, path files. All come and go between calls."""

from __future__ import annotations

import shutil
import venv
from pathlib import Path

import pytest
from tests.code.checking import make_project
from tests.support.apps import app_over

from sightline.app import App

pytestmark = pytest.mark.anyio

COMPILED = "fast.cpython-311-x86_64-linux-gnu.so"


async def verdict(app: App) -> str:
    data = (await app.boundary.call("check_types", {"path": "use.py"})).data
    assert data["evidence"]["method"] == "lsp_pull", data
    return data["verdict"]


def project(tmp_path: Path, text: str) -> Path:
    return make_project(tmp_path / "root", {"pyproject.toml": "", "use.py": text, "other.py": "x = 1\n"})


async def test_a_folder_without_sources_can_be_imported_as_long_as_it_is_there(tmp_path: Path) -> None:
    root = project(tmp_path, "import assets\n")
    async with app_over(root, tmp_path / "home") as app:
        before = await verdict(app)
        make_project(root, {"assets/image.json": "{}"})
        there = await verdict(app)
        shutil.rmtree(root / "assets")

        assert [before, there, await verdict(app)] == ["errors", "clean", "errors"]


@pytest.mark.parametrize("name", [f"fast/{COMPILED}", COMPILED])
async def test_a_compiled_module_can_be_imported_as_soon_as_it_is_built(tmp_path: Path, name: str) -> None:
    root = project(tmp_path, f"import {'fast.' if '/' in name else ''}fast\n")
    make_project(root, {"fast/__init__.py": ""} if "/" in name else {})
    async with app_over(root, tmp_path / "home") as app:
        before = await verdict(app)
        (root / name).write_bytes(b"")
        built = await verdict(app)
        (root / name).unlink()

        assert [before, built, await verdict(app)] == ["errors", "clean", "errors"]


async def test_packages_that_move_into_a_new_src_folder_and_back_are_found(tmp_path: Path) -> None:
    root = project(tmp_path, "import oven.core\n")
    make_project(root, {"oven/core.py": ""})
    async with app_over(root, tmp_path / "home") as app:
        flat = await verdict(app)
        (root / "src").mkdir()
        (root / "oven").rename(root / "src" / "oven")
        below = await verdict(app)
        (root / "src" / "oven").rename(root / "oven")

        assert [flat, below, await verdict(app)] == ["clean", "clean", "clean"]


async def test_a_path_file_that_is_edited_in_place_leads_elsewhere(tmp_path: Path) -> None:
    root = project(tmp_path, "import oven\n")
    make_project(tmp_path, {"first/shop.py": "", "other/oven.py": ""})
    venv.create(root / ".venv", with_pip=False, symlinks=True)
    (path_file,) = [site / "dev.pth" for site in (root / ".venv").glob("lib/python*/site-packages")]
    path_file.write_text(f"{tmp_path}/first\n")
    async with app_over(root, tmp_path / "home") as app:
        before = await verdict(app)
        with path_file.open("r+") as file:
            file.write(f"{tmp_path}/other\n")

        assert [before, await verdict(app)] == ["errors", "clean"]


async def test_a_package_that_says_it_is_typed_exports_only_what_it_says(tmp_path: Path) -> None:
    root = project(tmp_path, "from oven import heat\n\nheat()\n")
    venv.create(root / ".venv", with_pip=False, symlinks=True)
    (site,) = (root / ".venv").glob("lib/python*/site-packages")
    make_project(site, {"oven/__init__.py": "from shop import heat\n", "shop.py": "def heat(): ...\n"})
    async with app_over(root, tmp_path / "home") as app:
        untyped = await verdict(app)
        (site / "oven" / "py.typed").write_text("")

        assert [untyped, await verdict(app)] == ["clean", "errors"]


async def test_an_installation_in_an_environment_that_is_not_hidden_is_seen_to_change(tmp_path: Path) -> None:
    root = project(tmp_path, "import oven\n\nx: int = oven.HEAT\n")
    venv.create(root / "venv", with_pip=False, symlinks=True)
    make_project(root, {"venv/src/oven/oven.py": "HEAT = 1\n"})
    (site,) = (root / "venv").glob("lib/python*/site-packages")
    (site / "oven.pth").write_text(f"{root}/venv/src/oven\n")
    async with app_over(root, tmp_path / "home") as app:
        before = await verdict(app)
        (root / "venv/src/oven/oven.py").write_text("HEAT = ''\n")

        assert [before, await verdict(app)] == ["clean", "errors"]
