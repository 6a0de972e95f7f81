"""A repository of several packages: what happens beside a server's own root is seen as well."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.code.checking import make_project
from tests.servers.driving import environment, require
from tests.support.apps import app_over

_TSCONFIG = '{"compilerOptions": {"strict": true, "module": "nodenext", "noEmit": true}, "include": ["*.ts"]}'


@dataclass(frozen=True)
class Repository:
    files: dict[str, str]
    user: str
    library: str
    broken: str


REPOSITORIES = {
    "typescript": Repository(
        {
            "packages/oven/package.json": '{"name": "oven", "type": "module"}',
            "packages/oven/tsconfig.json": _TSCONFIG,
            "packages/oven/index.ts": "export function heat(): number { return 1; }\n",
            "packages/shop/package.json": '{"name": "shop", "type": "module"}',
            "packages/shop/tsconfig.json": _TSCONFIG,
            "packages/shop/use.ts": 'import { heat } from "../oven/index.js";\nexport const x: number = heat();\n',
        },
        user="packages/shop/use.ts",
        library="packages/oven/index.ts",
        broken='export function heat(): string { return ""; }\n',
    ),
    "gopls": Repository(
        {
            "oven/go.mod": "module example.com/oven\n\ngo 1.19\n",
            "oven/oven.go": "package oven\n\nfunc Heat() int { return 1 }\n",
            "shop/go.mod": "module example.com/shop\n\ngo 1.19\n\nrequire example.com/oven v0.0.0\n\n"
            "replace example.com/oven => ../oven\n",
            "shop/main.go": 'package main\n\nimport "example.com/oven"\n\nvar X int = oven.Heat()\n\nfunc main() {}\n',
        },
        user="shop/main.go",
        library="oven/oven.go",
        broken='package oven\n\nfunc Heat() string { return "" }\n',
    ),
}


@pytest.mark.parametrize("server_id", REPOSITORIES)
async def test_a_change_in_the_package_next_door_is_seen(server_id: str, tmp_path: Path) -> None:
    require(server_id)
    repository, root = REPOSITORIES[server_id], tmp_path / "root"
    for name, text in repository.files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)

    async with app_over(root, tmp_path / "home", environment(), code__request_timeout_s=60.0) as app:

        async def verdict() -> str:
            return (await app.boundary.call("check_types", {"path": repository.user})).data["verdict"]

        before = await verdict()
        (root / repository.library).write_text(repository.broken)

        assert [before, await verdict()] == ["clean", "errors"]


async def test_symbols_of_every_package_are_found_from_the_root(tmp_path: Path) -> None:
    require("typescript")
    root = make_project(tmp_path / "root", REPOSITORIES["typescript"].files)
    async with app_over(root, tmp_path / "home", environment(), code__request_timeout_s=60.0) as app:
        found = [(await app.boundary.call("find_symbol", {"query": name})).data["symbols"] for name in ("heat", "x")]

    assert [each[0]["file"] for each in found] == ["packages/oven/index.ts", "packages/shop/use.ts"]


async def test_a_package_that_is_installed_for_the_whole_repository_is_seen(tmp_path: Path) -> None:
    require("typescript")
    root = make_project(
        tmp_path / "root",
        {
            "packages/shop/package.json": '{"name": "shop", "type": "module"}',
            "packages/shop/tsconfig.json": _TSCONFIG,
            "packages/shop/use.ts": 'import { heat } from "oven";\nexport const x: number = heat;\n',
        },
    )
    async with app_over(root, tmp_path / "home", environment(), code__request_timeout_s=60.0) as app:

        async def verdict() -> str:
            return (await app.boundary.call("check_types", {"path": "packages/shop/use.ts"})).data["verdict"]

        before = await verdict()
        oven = {"package.json": '{"name": "oven", "types": "i.d.ts"}', "i.d.ts": "export declare const heat: number;\n"}
        make_project(root / "node_modules" / "oven", oven)
        installed = await verdict()
        (root / "node_modules" / "oven").rename(tmp_path / "away")

        assert [before, installed, await verdict()] == ["errors", "clean", "errors"]


async def test_uses_in_the_package_next_door_are_not_passed_over_in_silence(tmp_path: Path) -> None:
    require("typescript")
    root = make_project(tmp_path / "root", REPOSITORIES["typescript"].files)
    (root / "packages/oven/own.ts").write_text('import { heat } from "./index.js";\nheat();\n')
    place = {"file": "packages/oven/index.ts", "symbol": "heat"}
    async with app_over(root, tmp_path / "home", environment(), code__request_timeout_s=60.0) as app:
        uses = (await app.boundary.call("find_references", place)).data
        plan = (await app.boundary.call("rename_symbol", {**place, "new_name": "bake"})).data

    assert [[each["kind"] for each in data["warnings"]] for data in (uses, plan)] == [["other_projects"]] * 2
    assert plan["verdict"] == "unknown"
