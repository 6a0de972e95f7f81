"""The server's view equals the disk, whatever happens to files between two questions; with the real Pyright.

Every test asks through one application, so that it is one session that has to keep up.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from sightline.app import App
from tests.code.checking import make_project
from tests.projects.repositories import commit_all, git, make_environment, make_repository
from tests.support.apps import app_over

pytestmark = pytest.mark.anyio

IMPORT_MISSING = ("use.py", 1, "reportMissingImports")
WRONG_VALUE = ("use.py", 2, "reportAssignmentType")
NO_SUCH_NAME = ("use.py", 1, "reportAttributeAccessIssue")
USE = "from lib import value\nwanted: str = value\n"
RIGHT, WRONG = "value: str = ''\n", "value: int = 0\n"


async def findings(app: App, path: str = ".") -> set[tuple[str, int, str]]:
    """File, line and rule of everything that is found, by the running server alone."""
    answer = await app.boundary.call("check_types", {"path": path})
    assert answer.ok, answer.text
    assert answer.data["evidence"]["method"] == "lsp_pull", answer.text
    assert answer.data["verdict"] != "unknown", answer.text
    return {(each["file"], each["line"], each["rule"]) for each in answer.data["diagnostics"]}


async def test_a_module_that_comes_changes_and_goes_is_seen_by_its_importer(tmp_path: Path) -> None:
    root = make_project(tmp_path / "app", {"use.py": USE})
    lib = root / "lib.py"

    async with app_over(root, tmp_path) as app:
        assert await findings(app) == {IMPORT_MISSING}
        lib.write_text(WRONG)
        assert await findings(app) == {WRONG_VALUE}
        lib.write_text(RIGHT)
        assert await findings(app) == set()
        lib.rename(root / "other.py")
        assert await findings(app) == {IMPORT_MISSING}
        (root / "other.py").rename(lib)
        assert await findings(app) == set()
        lib.unlink()
        assert await findings(app) == {IMPORT_MISSING}


async def test_a_file_by_itself_is_as_fresh_as_a_folder(tmp_path: Path) -> None:
    root = make_project(tmp_path / "app", {"use.py": USE, "lib.py": RIGHT})

    async with app_over(root, tmp_path) as app:
        assert await findings(app, "use.py") == set()
        (root / "lib.py").write_text(WRONG)
        assert await findings(app, "use.py") == {WRONG_VALUE}
        (root / "lib.py").unlink()
        assert await findings(app, "use.py") == {IMPORT_MISSING}
        (root / "use.py").write_text("wanted: int = ''\n")
        assert await findings(app, "use.py") == {("use.py", 1, "reportAssignmentType")}


@pytest.mark.parametrize(
    "configuration",
    ['{"exclude": ["vendored"]}', '{"include": ["app"]}'],
    ids=["excluded", "not included"],
)
async def test_a_module_outside_the_checked_ones_is_fresh_for_those_who_import_it(
    tmp_path: Path, configuration: str
) -> None:
    """Pyright lists none of these, announces none of their changes, and kept what importers knew about them."""
    use = "from vendored.lib import value\nwanted: str = value\n"
    files = {"pyrightconfig.json": configuration, "app/use.py": use, "vendored/__init__.py": ""}
    root = make_project(tmp_path / "project", files)
    lib = root / "vendored" / "lib.py"
    missing = ("app/use.py", 1, "reportMissingImports")
    wrong = ("app/use.py", 2, "reportAssignmentType")

    async with app_over(root, tmp_path) as app:
        assert await findings(app, "app") == {missing}
        lib.write_text(WRONG)
        assert await findings(app, "app") == {wrong}
        lib.write_text(RIGHT)
        assert await findings(app, "app") == set()
        lib.rename(lib.with_name("other.py"))
        assert await findings(app, "app") == {missing}
        lib.with_name("other.py").rename(lib)
        assert await findings(app, "app") == set()
        shutil.rmtree(root / "vendored")
        assert await findings(app, "app") == {missing}
        make_project(root, {"vendored/__init__.py": "", "vendored/lib.py": WRONG})
        assert await findings(app, "app") == {wrong}
        lib.unlink()
        assert await findings(app, "app") == {missing}


async def test_an_excluded_and_a_listed_file_that_come_together_are_both_seen(tmp_path: Path) -> None:
    """The listed one is announced, and must not vouch for the other."""
    use = "from vendored.lib import value\nfrom listed import other\nwanted: str = value\n"
    files = {
        "pyrightconfig.json": '{"exclude": ["vendored"]}',
        "app/use.py": use,
        "vendored/__init__.py": "",
        "app/__init__.py": "",
    }
    root = make_project(tmp_path / "project", files)

    async with app_over(root, tmp_path) as app:
        assert len(await findings(app, "app")) == 2
        make_project(root, {"vendored/lib.py": WRONG, "listed.py": "other = 1\n"})
        assert await findings(app, "app") == {("app/use.py", 3, "reportAssignmentType")}
        (root / "vendored" / "lib.py").unlink()
        (root / "listed.py").unlink()
        assert {line for _, line, _ in await findings(app, "app")} == {1, 2}


async def test_a_changed_configuration_counts_at_once(tmp_path: Path) -> None:
    root = make_project(tmp_path / "app", {"a.py": "import os\nx: int = ''\n"})
    unused, wrong = ("a.py", 1, "reportUnusedImport"), ("a.py", 2, "reportAssignmentType")

    async with app_over(root, tmp_path) as app:
        assert await findings(app) == {wrong}
        (root / "pyrightconfig.json").write_text('{"reportUnusedImport": "error"}')
        assert await findings(app) == {unused, wrong}
        (root / "pyrightconfig.json").write_text('{"reportAssignmentType": "none"}')
        assert await findings(app) == set()
        (root / "pyrightconfig.json").unlink()
        assert await findings(app) == {wrong}
        (root / "pyproject.toml").write_text("[tool.pyright]\nreportUnusedImport = 'error'\n")
        assert await findings(app) == {unused, wrong}


async def test_a_configuration_that_another_one_extends_counts_at_once(tmp_path: Path) -> None:
    files = {
        "pyrightconfig.json": '{"extends": "shared.json"}',
        "shared.json": "{}",
        "a.py": "import os\n",
    }
    root = make_project(tmp_path / "app", files)

    async with app_over(root, tmp_path) as app:
        assert await findings(app) == set()
        (root / "shared.json").write_text('{"reportUnusedImport": "error"}')
        assert await findings(app) == {("a.py", 1, "reportUnusedImport")}


async def test_a_new_environment_and_a_package_that_it_gets_count_at_once(tmp_path: Path) -> None:
    root = make_project(tmp_path / "app", {"use.py": "import first\nimport second\n"})

    async with app_over(root, tmp_path) as app:
        assert {line for _, line, _ in await findings(app)} == {1, 2}
        environment = make_environment(root / ".venv")
        packages = next(environment.glob("lib/python3.*/site-packages"))
        make_project(packages, {"first/__init__.py": ""})
        assert {line for _, line, _ in await findings(app)} == {2}
        make_project(packages, {"second/__init__.py": ""})
        assert await findings(app) == set()
        shutil.rmtree(packages / "first")
        assert {line for _, line, _ in await findings(app)} == {1}
        shutil.rmtree(environment)
        assert {line for _, line, _ in await findings(app)} == {1, 2}


async def test_a_package_that_is_upgraded_in_place_counts_at_once(tmp_path: Path) -> None:
    root = make_project(tmp_path / "app", {"use.py": "from lib import value\nwanted: str = value\n"})
    packages = next(make_environment(root / ".venv").glob("lib/python3.*/site-packages"))
    typed = {"lib/py.typed": "", "lib-1.dist-info/METADATA": ""}
    make_project(packages, {**typed, "lib/__init__.py": RIGHT})

    async with app_over(root, tmp_path) as app:
        assert await findings(app) == set()
        (packages / "lib-1.dist-info").rename(packages / "lib-2.dist-info")
        (packages / "lib" / "__init__.py").write_text(WRONG)
        assert await findings(app) == {WRONG_VALUE}


async def test_switching_branches_is_seen_whole(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "app")
    make_project(root, {"use.py": USE, "lib.py": RIGHT, "package/__init__.py": "", "package/a.py": "x: int = 0\n"})
    commit_all(root)
    git(root, "checkout", "-q", "-b", "other")
    shutil.rmtree(root / "package")
    make_project(root, {"lib.py": WRONG, "new.py": "y: int = ''\n", "package/b.py": "z: int = ''\n"})
    commit_all(root)
    other = {WRONG_VALUE, ("new.py", 1, "reportAssignmentType"), ("package/b.py", 1, "reportAssignmentType")}

    async with app_over(root, tmp_path) as app:
        for _ in range(2):
            assert await findings(app) == other
            git(root, "checkout", "-q", "-")
            assert await findings(app) == set()
            git(root, "checkout", "-q", "-")
        (root / "package" / "b.py").write_text("z: int = 0\n")
        assert await findings(app) == other - {("package/b.py", 1, "reportAssignmentType")}


async def test_a_rewrite_that_leaves_size_and_mtime_is_seen(tmp_path: Path) -> None:
    root = make_project(tmp_path / "app", {"a.py": "x: int = 1\n", "use.py": USE, "lib.py": "value: str = 0\n"})
    right, wrong = b"x: int = 1\n", b"x: str = 1\n"
    file = root / "a.py"
    before = file.stat()
    expected = {("lib.py", 1, "reportAssignmentType")}

    async with app_over(root, tmp_path) as app:
        assert await findings(app) == expected
        for _ in range(3):
            for content, found in (
                (wrong, {("a.py", 1, "reportAssignmentType")}),
                (right, set[tuple[str, int, str]]()),
            ):
                file.write_bytes(content)
                os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
                assert await findings(app) == expected | found


async def test_a_folder_that_is_made_again_is_watched_again(tmp_path: Path) -> None:
    root = make_project(tmp_path / "app", {"part/a.py": "x: int = 1\n"})

    async with app_over(root, tmp_path) as app:
        assert await findings(app) == set()
        shutil.rmtree(root / "part")
        make_project(root, {"part/a.py": "x: int = 2\n"})
        assert await findings(app) == set()
        (root / "part" / "a.py").write_text("x: int = ''\n")
        assert await findings(app) == {("part/a.py", 1, "reportAssignmentType")}


async def test_a_module_that_becomes_a_package_and_back_is_seen(tmp_path: Path) -> None:
    root = make_project(tmp_path / "app", {"use.py": USE, "lib.py": RIGHT})

    async with app_over(root, tmp_path) as app:
        assert await findings(app) == set()
        (root / "lib.py").unlink()
        make_project(root, {"lib/__init__.py": WRONG})
        assert await findings(app) == {WRONG_VALUE}
        (root / "lib" / "__init__.py").unlink()
        assert await findings(app) == {NO_SUCH_NAME}
        (root / "lib").rmdir()
        (root / "lib.py").write_text(RIGHT)
        assert await findings(app) == set()


async def test_a_stub_takes_the_place_of_its_module_as_long_as_it_is_there(tmp_path: Path) -> None:
    root = make_project(tmp_path / "app", {"use.py": USE, "lib.py": RIGHT})

    async with app_over(root, tmp_path) as app:
        assert await findings(app) == set()
        (root / "lib.pyi").write_text("value: int\n")
        assert await findings(app) == {WRONG_VALUE}
        (root / "lib.pyi").unlink()
        assert await findings(app) == set()
        make_project(root, {"typings/lib.pyi": "value: int\n"})
        assert await findings(app) == {WRONG_VALUE}


@pytest.mark.parametrize("place", ["../beside", ".generated"], ids=["beside the project", "in a hidden folder"])
async def test_a_module_on_an_extra_path_is_fresh_wherever_it_lies(tmp_path: Path, place: str) -> None:
    files = {"pyrightconfig.json": f'{{"extraPaths": ["{place}"]}}', "use.py": USE, f"{place}/lib.py": RIGHT}
    root = make_project(tmp_path / "app", files)

    async with app_over(root, tmp_path) as app:
        assert await findings(app) == set()
        (root / place / "lib.py").write_text(WRONG)
        assert await findings(app) == {WRONG_VALUE}


async def test_a_linked_file_is_as_fresh_as_what_it_leads_to(tmp_path: Path) -> None:
    root = make_project(tmp_path / "app", {"use.py": USE})
    target = tmp_path / "outside.py"
    target.write_text(RIGHT)
    (root / "lib.py").symlink_to(target)

    async with app_over(root, tmp_path) as app:
        assert await findings(app, "use.py") == set()
        target.write_text(WRONG)
        assert await findings(app, "use.py") == {WRONG_VALUE}
