"""What the page asks for when it is looked at: documentation, sync, settings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sightline.app import App
from sightline.config.display import effective_settings
from sightline.contract import to_json
from sightline.errors import ToolFailure
from sightline.library_docs.service import DocsService
from sightline.on_demand import OnDemand
from sightline.redaction import without_secrets
from sightline.server.dashboard.discretion import Discretion
from sightline.sync.opening import SyncDoor

_LONGEST_DIFF = 100_000


async def documentation(app: App, discretion: Discretion) -> dict[str, Any]:
    """What the cache holds, and which registry is in use."""
    door: OnDemand[DocsService] = app.boundary.services["docs"]
    service = await door.get()
    registry = (await service.known.get()).registry
    held = await service.store.statistics()
    shared = await service.shared.statistics() if service.shared else None
    return {
        "store": {**to_json(held), "place": discretion.text(held.place), "max_mb": service.settings.cache_max_mb},
        "registry": {
            "origin": registry.origin,
            "version": registry.version,
            "generated_at": registry.generated_at,
            "libraries": len(registry.entries),
            "problems": [discretion.text(each) for each in registry.problems],
        },
        **({"shared": {**to_json(shared), "place": without_secrets(shared.place)}} if shared else {}),
        "offline": service.settings.offline,
        "ttl_hours": service.settings.ttl_hours,
    }


async def sync_standing(app: App) -> dict[str, Any]:
    """How every target stands, with the diff of what a sync would write; raises `ToolFailure`."""
    from sightline.sync.answering import failures, status_output
    from sightline.sync.reports import Names

    door: SyncDoor = app.boundary.services["sync"]
    root: Path = app.boundary.root
    with failures():
        stands = await door.service().standing(root)
    output = to_json(status_output(Names(root, door.around.home), stands))
    plan = stands.planned.plan if stands.planned else None
    for target in output["targets"]:
        changes = plan.for_target(target["target"]) if plan else ()
        target["diffs"] = [
            {"path": change.name, "action": change.action, "diff": _cut(change.diff)}
            for change in changes
            if change.is_written
        ]
    return output


def settings_in_force(app: App) -> dict[str, Any]:
    """Every setting with its origin, and what was left out; as `get_current_config` tells it."""
    return {"settings": to_json(effective_settings(app.settings)), "ignored": list(app.settings.ignored)}


def failure_data(failure: ToolFailure) -> dict[str, Any]:
    return {"error": failure.kind, "message": failure.message}


def _cut(diff: str) -> str:
    return (
        diff if len(diff) <= _LONGEST_DIFF else diff[:_LONGEST_DIFF] + "\n(cut: `sightline sync diff` shows it all)\n"
    )
