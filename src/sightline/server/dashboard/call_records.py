"""Calls as the dashboard shows them."""

from __future__ import annotations

import hashlib
from pathlib import PurePath
from typing import Any

from sightline.call_feed import FinishedCall, RunningCall
from sightline.server.dashboard.discretion import Discretion

_SHORTEST_SESSION = 6


def running_call(call: RunningCall, discretion: Discretion) -> dict[str, Any]:
    return {
        "number": call.number,
        "tool": call.tool,
        "client": _client(call, discretion),
        "arguments": discretion.value(dict(call.arguments)),
        "started_at": call.started_at,
    }


def finished_call(call: FinishedCall, discretion: Discretion) -> dict[str, Any]:
    return {
        "number": call.number,
        "request_id": call.request_id,
        "tool": call.tool,
        "project": PurePath(call.root).name,
        "client": _client(call, discretion),
        "arguments": discretion.value(dict(call.arguments)),
        "started_at": call.started_at,
        "ending": call.ending,
        "error_kind": call.error_kind,
        "ms": round(call.seconds * 1000, 2),
        "chars": call.chars,
    }


def _client(call: RunningCall | FinishedCall, discretion: Discretion) -> str:
    """The client's own name, or a mark of its session; the session's id itself would let others join it."""
    if call.client_name:
        return discretion.text(call.client_name)
    if not call.client or call.client.startswith("request "):
        return "unnamed"
    return f"session {hashlib.sha256(call.client.encode()).hexdigest()[:_SHORTEST_SESSION]}"
