"""Answers to the page: JSON that no cache keeps."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from sightline.server.dashboard.page import SAFE_HEADERS

_LARGEST_BODY = 16_384


def reply(data: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    body = to_text(data).encode("utf-8", errors="replace")
    kept = {**SAFE_HEADERS, "cache-control": "no-store", **(headers or {})}
    return Response(body, status, headers=kept, media_type="application/json")


def refused(status: int, error: str, message: str) -> Response:
    return reply({"error": error, "message": message}, status)


def to_text(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"), default=str)


async def body_of(request: Request) -> dict[str, Any] | None:
    """The JSON object that was sent as such; None for anything else."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        return None
    body = await request.body()
    try:
        data = json.loads(body) if len(body) <= _LARGEST_BODY else None
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None  # pyright: ignore[reportUnknownVariableType] - JSON edge
