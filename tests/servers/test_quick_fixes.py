"""Quick fixes of real servers: shown as diffs under their findings, never applied."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.servers.driving import environment, require
from tests.support.apps import app_over

_TSCONFIG = '{"compilerOptions": {"strict": true, "noEmit": true}}'


@dataclass(frozen=True)
class Fixable:
    files: dict[str, str]
    file: str
    removed: str
    added: str


FIXABLE = {
    "typescript": Fixable(
        {"tsconfig.json": _TSCONFIG, "bun.ts": "class Bun {\n  price = 1;\n}\nexport const p = new Bun().prise;\n"},
        file="bun.ts",
        removed="-export const p = new Bun().prise;",
        added="+export const p = new Bun().price;",
    ),
    "clangd": Fixable(
        {
            "compile_flags.txt": "-std=c++17\n",
            "bun.cpp": "int price() {\n  return 1\n}\n",
        },
        file="bun.cpp",
        removed="-  return 1",
        added="+  return 1;",
    ),
}


def written(root: Path, files: dict[str, str]) -> Path:
    root.mkdir()
    for name, text in files.items():
        (root / name).write_text(text)
    return root


@pytest.mark.parametrize("server_id", FIXABLE)
async def test_a_finding_comes_with_the_servers_fix_as_a_diff(server_id: str, tmp_path: Path) -> None:
    require(server_id)
    fixable = FIXABLE[server_id]
    root = written(tmp_path / "root", fixable.files)
    async with app_over(root, tmp_path / "home", environment(), code__request_timeout_s=60.0) as app:
        answer = await app.boundary.call("check_types", {"path": fixable.file, "fixes": True})
        plain = await app.boundary.call("check_types", {"path": fixable.file})

    (found,) = answer.data["diagnostics"]
    diffs = [fix["diff"].splitlines() for fix in found["fixes"]]
    assert any({fixable.removed, fixable.added} <= set(diff) for diff in diffs), diffs
    assert fixable.removed in answer.text
    assert "fixes" not in plain.data["diagnostics"][0]
    assert (root / fixable.file).read_text() == fixable.files[fixable.file]


async def test_what_an_edit_would_break_comes_with_a_fix_of_the_new_text(tmp_path: Path) -> None:
    require("typescript")
    files = {
        **FIXABLE["typescript"].files,
        "bun.ts": "class Bun {\n  price = 1;\n}\nexport const p = new Bun().price;\n",
    }
    root = written(tmp_path / "root", files)
    edit = {"file": "bun.ts", "replacements": [{"old_text": "new Bun().price", "new_text": "new Bun().prise"}]}
    async with app_over(root, tmp_path / "home", environment(), code__request_timeout_s=60.0) as app:
        answer = await app.boundary.call("check_edit", {"edits": [edit], "fixes": True})

    (found,) = answer.data["introduced"]
    assert "+export const p = new Bun().price;" in found["fixes"][0]["diff"]
    assert (root / "bun.ts").read_text() == files["bun.ts"]


async def test_fixes_are_for_one_file(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    async with app_over(tmp_path, tmp_path / "home") as app:
        answer = await app.boundary.call("check_types", {"path": ".", "fixes": True})

    assert answer.data["error"]["kind"] == "invalid_params"
