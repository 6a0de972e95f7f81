"""TypeScript and JavaScript without a configuration: the server announces nothing, and answers all the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.servers.driving import environment, require
from tests.support.apps import app_over


@pytest.mark.parametrize(("name", "wrong"), [("index.ts", "const x: number = 'a';\n"), ("index.js", "const x = ;\n")])
async def test_a_file_is_checked_and_explained(name: str, wrong: str, tmp_path: Path) -> None:
    require("typescript")
    root = tmp_path / "root"
    root.mkdir()
    (root / "package.json").write_text('{"name": "bun"}')
    (root / name).write_text("const price = 1;\nconsole.log(price);\n")
    async with app_over(root, tmp_path / "home", environment(), code__request_timeout_s=60.0) as app:
        clean = (await app.boundary.call("check_types", {"path": name})).data
        hover = (await app.boundary.call("get_hover", {"file": name, "line": 1, "symbol": "price"})).data
        (root / name).write_text(wrong)
        after = (await app.boundary.call("check_types", {"path": name})).data

    assert (clean["verdict"], after["verdict"]) == ("clean", "errors")
    assert "price" in hover["type"]
