"""Answers to the page: JSON that no cache keeps."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, cast

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
    """JSON as browsers read it: a number that it does not have, such as a client's `1e999`, is told in words."""
    try:
        return _dumped(data)
    except ValueError:
        return _dumped(_without_odd_numbers(data))


def _dumped(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"), default=str, allow_nan=False)


def _without_odd_numbers(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, Mapping):
        return {name: _without_odd_numbers(item) for name, item in cast("Mapping[str, Any]", value).items()}
    if isinstance(value, list | tuple):
        return [_without_odd_numbers(item) for item in cast("list[Any]", value)]
    return value


async def body_of(request: Request) -> dict[str, Any] | None:
    """The JSON object that was sent as such; None for anything else, which is not read to its end if it is long."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        return None
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > _LARGEST_BODY:
            return None
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None  # pyright: ignore[reportUnknownVariableType] - JSON edge
