"""A folder with an environment of its own is a project of its own, also without a manifest."""

from __future__ import annotations

import venv
from pathlib import Path

from tests.support.apps import app_over


def repository(folder: Path) -> Path:
    """A root whose `legacy` folder has an environment with an older package."""
    root = folder / "root"
    for place, text in ((root, "def new_name() -> int: ...\n"), (root / "legacy", "def old_name() -> int: ...\n")):
        place.mkdir()
        venv.create(place / ".venv", with_pip=False, symlinks=True)
        site = next((place / ".venv").glob("lib/python*/site-packages"))
        (site / "oven.py").write_text(text)
        (place / "use.py").write_text("import oven\n\nx: int = oven.new_name()\n")
    return root


async def test_a_file_is_checked_in_the_nearest_environment(tmp_path: Path) -> None:
    root = repository(tmp_path)
    async with app_over(root, tmp_path / "home") as app:
        own = (await app.boundary.call("check_types", {"path": "use.py"})).data
        legacy = (await app.boundary.call("check_types", {"path": "legacy/use.py"})).data

    assert (own["verdict"], legacy["verdict"]) == ("clean", "errors")
    assert legacy["evidence"]["project_root"] == "legacy"


async def test_a_folder_over_several_environments_is_not_called_clean(tmp_path: Path) -> None:
    root = repository(tmp_path)
    async with app_over(root, tmp_path / "home") as app:
        found = (await app.boundary.call("check_types", {"path": "."})).data

    assert found["verdict"] == "unknown"
    assert [each["kind"] for each in found["warnings"]] == ["nested_environments"]
    assert "`legacy`" in found["warnings"][0]["message"]
