"""Runs in a process of its own: an application whose sync tools are called until a plan was carried out, or once."""

from __future__ import annotations

import json
import os
import sys
from functools import partial
from pathlib import Path
from typing import Any

import anyio

from sightline.app import open_app
from sightline.config import load_settings
from sightline.places import Places


async def main(root: str, home: str, data: str, *ways: str) -> None:
    places = Places(Path(home) / ".config", Path(data) / "sightline", Path(data) / "logs", Path(data) / "cache")
    wishes = {"sync.verify": "never", "sync.scope": "all"}
    settings = load_settings(Path(root), places, {}, command_line=wishes)
    environment = {"PATH": os.environ["PATH"]}
    result: dict[str, Any] = {"failures": [], "last": None}
    async with open_app(Path(root), settings, environment=environment, home=Path(home), places=places) as app:
        while result["last"] is None:
            preview = await app.boundary.call("sync_all", {})
            answer = preview
            if preview.ok and preview.data.get("plan_id"):
                answer = await app.boundary.call("sync_all", {"apply": True, "plan_id": preview.data["plan_id"]})
            if answer.ok:
                result["last"] = answer.data["status"]
                break
            error: dict[str, Any] = answer.data["error"]
            result["failures"].append(error["kind"])
            result["running_s"] = error.get("data", error).get("running_s")
            if "once" in ways:
                break
            await anyio.sleep(error.get("retry_after_ms", 100) / 1000)
        status = await app.boundary.call("get_sync_status", {})
        result["status_running_s"] = status.data.get("running_s")
    sys.stdout.write(json.dumps(result))


if __name__ == "__main__":
    anyio.run(partial(main, *sys.argv[1:]))
