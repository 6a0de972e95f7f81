"""`check_edit` through the boundary, by the real Pyright; whether its findings are right is for the oracle."""

from __future__ import annotations

import os
import shutil
import venv
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import pytest
from tests.oracle.edit_oracle import disk_of, write_all
from tests.oracle.freshness import Summary, ask_command, ask_sightline
from tests.oracle.typescript_package import typescript_folder
from tests.support.apps import app_over

from sightline.app import App
from sightline.code.service import CodeService

pytestmark = pytest.mark.anyio

CATALOGUE, BASKET = "shop/catalogue.py", "shop/basket.py"
USERS = 25


def replacing(file: str, old: str, new: str) -> dict[str, Any]:
    return {"file": file, "replacements": [{"old_text": old, "new_text": new}]}


BREAKS = replacing(CATALOGUE, "def find(self, name: str)", "def find(self, exact: bool, name: str)")
MENDS = replacing(BASKET, '"Total: " + self.total_cents()', 'f"Total: {self.total_cents()}"')
NEUTRAL = replacing(CATALOGUE, "What the shop sells.", "What this shop sells.")


async def ask(app: App, **arguments: Any) -> dict[str, Any]:
    return (await app.boundary.call("check_edit", arguments)).data


async def ask_once(root: Path, home: Path, settings: dict[str, Any] | None = None, **arguments: Any) -> dict[str, Any]:
    async with app_over(root, home, **(settings or {})) as app:
        return await ask(app, **arguments)


def places(found: list[dict[str, Any]]) -> list[tuple[str, int, str]]:
    return [(each["file"], each["line"], each["rule"]) for each in found]


async def test_an_edit_of_one_file_shows_what_breaks_in_another(shop: Path, tmp_path: Path) -> None:
    before = disk_of(shop)

    data = await ask_once(shop, tmp_path, edits=[BREAKS])

    assert data["verdict"] == "errors"
    assert places(data["introduced"]) == [(BASKET, 14, "reportCallIssue")]
    assert data["covered"]["dependents_checked"] == data["covered"]["dependents"] >= 1
    assert data["evidence"]["method"] == "lsp_overlay"
    assert disk_of(shop) == before


async def test_several_edits_are_tried_together(shop: Path, tmp_path: Path) -> None:
    mended = replacing(BASKET, "find(name)", "find(True, name)")

    data = await ask_once(shop, tmp_path, edits=[BREAKS, mended, MENDS])

    assert data["verdict"] == "clean"
    assert places(data["fixed"]) == [(BASKET, 21, "reportOperatorIssue")]


async def test_a_new_module_is_checked_in_a_copy(shop: Path, tmp_path: Path) -> None:
    before = disk_of(shop)
    late = {"file": "shop/late.py", "content": "from shop.basket import Basket\n\nwrong: int = Basket\n"}
    importing = replacing(BASKET, "from shop.catalogue", "from shop.late import wrong as wrong\nfrom shop.catalogue")

    data = await ask_once(shop, tmp_path, edits=[late, importing])

    assert places(data["introduced"]) == [("shop/late.py", 3, "reportAssignmentType")]
    assert data["unchanged_count"] == 4
    assert data["evidence"]["method"] == "shadow_copy"
    assert disk_of(shop) == before


async def test_candidates_are_ranked_and_the_answer_is_about_the_best(shop: Path, tmp_path: Path) -> None:
    candidates = [[BREAKS], [NEUTRAL], [MENDS], [{"file": CATALOGUE, "delete": True}]]

    data = await ask_once(shop, tmp_path, candidates=candidates)

    ranks = [(each["candidate"], each["verdict"], each["fixed"]) for each in data["ranking"]]
    assert ranks[:3] == [(2, "clean", 1), (1, "clean", 0), (0, "errors", 3)]
    assert ranks[3][:2] == (3, "errors")
    assert data["verdict"] == "clean"
    assert places(data["fixed"]) == [(BASKET, 21, "reportOperatorIssue")]


@pytest.mark.parametrize(
    "arguments",
    [
        {"edits": [BREAKS], "candidates": [[BREAKS]]},
        {},
        {"edits": []},
        {"candidates": []},
        {"candidates": [[BREAKS], []]},
        {"candidates": [[BREAKS]] * 11},
        {"candidates": [[{"file": CATALOGUE, "contents": ""}]]},
        {"edits": [{"file": CATALOGUE}]},
        {"edits": [replacing(CATALOGUE, "self, item", "self"), {"file": CATALOGUE, "replacements": "x"}]},
    ],
    ids=[
        "both",
        "neither",
        "no edit",
        "no candidate",
        "an empty one",
        "too many",
        "unknown field",
        "no way",
        "no list",
    ],
)
async def test_what_is_not_one_edit_or_some_candidates_is_refused(
    shop: Path, tmp_path: Path, arguments: dict[str, Any]
) -> None:
    data = await ask_once(shop, tmp_path, **arguments)
    assert data["error"]["kind"] == "invalid_params"


@pytest.mark.parametrize(
    ("edits", "kind"),
    [
        ([BREAKS] * 10_000, ("too_large", "invalid_params")),
        ([replacing("shop/picture.py", "a", "b")], ("invalid_params", "unsupported")),
        ([{"file": "../outside.py", "content": ""}], ("path_not_allowed",)),
        ([{"file": CATALOGUE, "move_to": "/tmp/elsewhere.py"}], ("path_not_allowed",)),
        ([replacing(CATALOGUE, "not in there", "")], ("no_match",)),
        ([{"file": CATALOGUE, "delete": True}, BREAKS], ("conflict",)),
    ],
    ids=["10,000 edits", "binary", "outside", "moved outside", "no match", "gone by then"],
)
async def test_an_edit_that_cannot_be_made_is_refused_by_name(
    shop: Path, tmp_path: Path, edits: list[dict[str, Any]], kind: tuple[str, ...]
) -> None:
    (shop / "shop" / "picture.py").write_bytes(b"a\0\xff")
    data = await ask_once(shop, tmp_path, edits=edits)
    assert data["error"]["kind"] in kind, data
    assert data["next_steps"]


async def test_replacements_that_overlap_are_refused(shop: Path, tmp_path: Path) -> None:
    parts = [{"old_text": "class Catalogue", "new_text": ""}, {"old_text": "Catalogue:", "new_text": ""}]
    data = await ask_once(shop, tmp_path, edits=[{"file": CATALOGUE, "replacements": parts}])
    assert data["error"]["kind"] == "invalid_params"
    assert "overlap" in data["error"]["message"]


async def test_edits_of_several_projects_are_refused(shop: Path, tmp_path: Path) -> None:
    root = tmp_path / "both"
    for name in ("one", "two"):
        shutil.copytree(shop, root / name)
    edits = [{**BREAKS, "file": f"{name}/{CATALOGUE}"} for name in ("one", "two")]

    data = await ask_once(root, tmp_path / "home", edits=edits)

    assert data["error"]["kind"] == "invalid_params"
    assert "several projects" in data["error"]["message"]


async def test_an_edit_that_changes_nothing_is_told(shop: Path, tmp_path: Path) -> None:
    same = {"file": CATALOGUE, "content": (shop / CATALOGUE).read_text()}
    data = await ask_once(shop, tmp_path, edits=[same])
    assert [each["kind"] for each in data["warnings"]] == ["nothing_changes"]
    assert (data["verdict"], data["introduced"], data["fixed"]) == ("clean", [], [])


@pytest.mark.parametrize("edit", [NEUTRAL, {"file": "shop/late.py", "content": ""}], ids=["shown", "in a copy"])
async def test_without_enough_time_nothing_is_proved(shop: Path, tmp_path: Path, edit: dict[str, Any]) -> None:
    data = await ask_once(shop, tmp_path, {"code__command_timeout_s": 0.001}, edits=[edit])
    assert data["verdict"] == "unknown", data
    assert "not proved" in data["summary"]


async def test_a_candidate_that_is_not_proved_comes_after_one_with_errors(shop: Path, tmp_path: Path) -> None:
    (shop / "elsewhere.py").write_text("")  # not among what the configuration includes
    unproved = {"file": "elsewhere.py", "content": "value = 1\n"}
    data = await ask_once(shop, tmp_path, candidates=[[unproved], [BREAKS]])
    assert [(each["candidate"], each["verdict"]) for each in data["ranking"]] == [(1, "errors"), (0, "unknown")]


async def test_a_module_that_goes_is_missed_also_where_the_project_is_installed_editable(
    shop: Path, tmp_path: Path
) -> None:
    """The environment leads back into the project, where the module still is while the edit is only tried."""
    (shop / "shop" / "extra.py").write_text("value = 1\n")
    (shop / "shop" / "user.py").write_text("from shop.extra import value as value\n")
    venv.create(shop / ".venv", with_pip=False)
    (packages,) = (shop / ".venv").glob("lib/python3*/site-packages")
    (packages / "__editable__.shop.pth").write_text(f"{shop}\n")

    data = await ask_once(shop, tmp_path, edits=[{"file": "shop/extra.py", "delete": True}])

    told = {each["rule"] for each in data["introduced"]}
    assert data["verdict"] == "unknown" or told == {"reportMissingImports"}, data


TSCONFIG = '{"compilerOptions": {"strict": true, "moduleResolution": "bundler", "module": "es2022"}, "include": ["."]}'


@pytest.mark.skipif(typescript_folder() is None, reason="typescript-language-server and tsc are not installed")
async def test_an_edit_stays_shown_however_many_files_are_opened_for_it(tmp_path: Path) -> None:
    """TypeScript's server knows only files that are open, and only so many are kept open."""
    root = tmp_path / "root"
    users = {
        f"user_{n}.ts": f'import {{ made }} from "./core";\nexport const v{n}: number = made();\n' for n in range(30)
    }
    write_all(root, {"tsconfig.json": TSCONFIG, "core.ts": "export const made = () => 1;\n", **users})
    path = os.pathsep.join([str(typescript_folder()), os.environ["PATH"]])

    async with app_over(root, tmp_path / "home", {"PATH": path}, code__request_timeout_s=60) as app:
        edit = {"file": "core.ts", "content": 'export const made = () => "text";\n'}
        data = await ask(app, edits=[edit], max_results=100)

    assert {each["file"] for each in data["introduced"]} == users.keys()


MADE = "def made() -> int:\n    return 1\n"
IMPORTED = {
    "core.py": MADE,
    "pkg/__init__.py": "",
    "pkg/other.py": "",
    "pkg/sub.py": MADE,
    "pkg/near.py": MADE,
    "starred/__init__.py": "__all__ = ['listed']\n",
    "starred/listed.py": MADE,
}
IMPORTERS = {
    "after_semicolon.py": "import os; import core\nx: int = core.made()\n",
    "from_after_semicolon.py": "x = 1; from core import made\ny: int = made()\n",
    "bracket_in_comment.py": "from pkg import (  # noqa (x)\n    sub,\n)\nx: int = sub.made()\n",
    "names_go_on.py": "from pkg import other, \\\n    sub\nx: int = sub.made()\n",
    "import_goes_on.py": "from core \\\n    import made\nx: int = made()\n",
    "modules_go_on.py": "import os, \\\n    core\nx: int = core.made()\n",
    "behind_if.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING: from core import made\nx: int = made()\n",
    "behind_try.py": "try: import core\nfinally: pass\nx: int = core.made()\n",
    "no_space.py": "from core import(made)\nx: int = made()\n",
    "pkg/no_space.py": "from.near import made\nx: int = made()\n",
    "pkg/more_space.py": "from . near import made\nx: int = made()\n",
    "form_feed.py": "\x0cimport core\nx: int = core.made()\n",
    "marked.py": "\ufeffimport core\nx: int = core.made()\n",
    "returns.py": "x = 1\rimport core\ry: int = core.made()\r",
    "star.py": "from starred import *\nx: int = listed.made()\n",
    "indented.py": "def inner() -> None:\n\timport core\n\tx: int = core.made()\n",
    "second_hand.py": "from indented import inner\nfrom no_space import x\ny: bytes = x\n",
    "builtin.py": "x: int = known_everywhere()\n",
}


async def test_a_dependent_is_found_however_it_imports_what_is_edited(tmp_path: Path) -> None:
    root = tmp_path / "root"
    builtins = {"__builtins__.pyi": "def known_everywhere() -> int: ...\n"}
    write_all(root, {**IMPORTED, **IMPORTERS, **builtins})
    edited = {name: text.replace("int", "str") for name, text in {**IMPORTED, **builtins}.items() if "int" in text}
    before = await ask_command(root, ".")

    found: set[str] = set()
    async with app_over(root, tmp_path, code__request_timeout_s=60) as app:
        for name, text in edited.items():
            data = await ask(app, edits=[{"file": name, "content": text}], max_results=1000)
            found |= {each["file"] for each in data["introduced"]} - edited.keys()

    write_all(root, edited)
    broken = {finding[0] for finding in await ask_command(root, ".") - before} - edited.keys()
    assert len(broken) >= len(IMPORTERS) - 1, "imports that do not work prove nothing"
    assert found == broken


@pytest.fixture
def slow_project(tmp_path: Path) -> Path:
    """Trying an edit takes a while: many files depend on the one that is edited."""
    root = tmp_path.resolve() / "slow"
    root.mkdir()
    (root / "pyproject.toml").write_text("[project]\nname = 'slow'\n")
    (root / "core.py").write_text("def made(count: int) -> int:\n    return count\n")
    for n in range(USERS):
        lines = "".join(f"value_{m}: int = made({m}) + len('{m}')\n" for m in range(200))
        (root / f"user_{n}.py").write_text(f"from core import made\n\n{lines}wrong: str = made(1)\n")
    return root


TO_STR = replacing("core.py", "-> int:\n    return count", "-> str:\n    return str(count)")


async def until_an_edit_is_shown(app: App) -> None:
    service: CodeService = app.boundary.services["code"]
    with anyio.fail_after(60):
        while not any(workspace.documents.count for workspace in service.servers.pool.workspaces().values()):
            await anyio.lowlevel.checkpoint()


async def test_who_asks_while_an_edit_is_tried_sees_the_disk(slow_project: Path, tmp_path: Path) -> None:
    hovers: list[str] = []
    checked: dict[str, Any] = {}
    async with app_over(slow_project, tmp_path, code__request_timeout_s=60) as app, anyio.create_task_group() as tasks:

        async def hover() -> None:
            answer = await app.boundary.call("get_hover", {"file": "user_7.py", "line": 5, "column": 16})
            assert answer.ok, answer.text
            hovers.append(answer.data["type"])

        async def check() -> None:
            checked.update(await ask(app, edits=[TO_STR], max_results=10_000, max_total_chars=2_000_000))

        tasks.start_soon(check)
        await until_an_edit_is_shown(app)
        assert not checked
        for _ in range(5):
            tasks.start_soon(hover)

    assert len(hovers) == 5
    assert all("-> int" in each for each in hovers), hovers
    assert len(checked["introduced"]) == USERS * 200, "the edit was not seen by who tried it"
    assert len(checked["fixed"]) == USERS


async def test_a_check_that_is_cancelled_leaves_the_server_with_the_disk(slow_project: Path, tmp_path: Path) -> None:
    async with app_over(slow_project, tmp_path, code__request_timeout_s=60) as app:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(lambda: ask(app, edits=[TO_STR]))
            await until_an_edit_is_shown(app)
            tasks.cancel_scope.cancel()
        service: CodeService = app.boundary.services["code"]
        (workspace,) = service.servers.pool.workspaces().values()
        assert workspace.documents.count == 0
        assert workspace.session.pid, "the same server is asked again"

        found = await ask_sightline(app, ".", Summary("slow"))

        assert found == await ask_command(slow_project, ".")
        assert len(found) == USERS
