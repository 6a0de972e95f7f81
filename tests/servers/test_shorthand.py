"""`{ price }` in TypeScript is a name and a property at once; a rename writes it out, and is proved all the same."""

from __future__ import annotations

from pathlib import Path

from tests.servers.driving import environment, require
from tests.support.apps import app_over

TEXT = "export function bun(price: number) {\n  return { price, twice: price * 2 };\n}\n"


async def test_a_name_in_shorthand_is_written_out_and_the_rename_is_proved(tmp_path: Path) -> None:
    require("typescript")
    root = tmp_path / "root"
    root.mkdir()
    (root / "tsconfig.json").write_text('{"compilerOptions": {"strict": true, "noEmit": true}}')
    (root / "bun.ts").write_text(TEXT)
    (root / "use.ts").write_text('import { bun } from "./bun";\nexport const x: number = bun(1).price;\n')
    place = {"file": "bun.ts", "line": 1, "symbol": "price"}
    async with app_over(root, tmp_path / "home", environment(), code__request_timeout_s=60.0) as app:
        plan = (await app.boundary.call("rename_symbol", {**place, "new_name": "cost"})).data
        done = (
            await app.boundary.call(
                "rename_symbol", {**place, "new_name": "cost", "apply": True, "plan_id": plan["plan_id"]}
            )
        ).data

    assert plan["verdict"] == "clean", plan["summary"]
    assert done["applied"]
    assert (root / "bun.ts").read_text() == (
        "export function bun(cost: number) {\n  return { price: cost, twice: cost * 2 };\n}\n"
    )
