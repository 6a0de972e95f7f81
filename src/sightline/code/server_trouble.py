"""A server that answers although it does not know the project as it should: its answers prove nothing."""

from __future__ import annotations

from sightline.contract import Notice


def in_trouble(server_id: str, trouble: str | None) -> tuple[Notice, ...]:
    """What a caller is told of it."""
    if trouble is None:
        return ()
    message = f"{server_id} says that it does not know the project as it should: {trouble}"
    return (Notice("server_in_trouble", message),)
