"""Signs of life for a client that waits."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

import anyio

from sightline.errors import ToolFailure

if TYPE_CHECKING:
    from sightline.tool import Progress

R = TypeVar("R")


async def no_progress(_done: float, /, total: float | None = None, message: str | None = None) -> None:
    """For callers that do not listen."""


async def telling_every_second(progress: Progress, doing: Callable[[], str], work: Callable[[], Awaitable[R]]) -> R:
    """Do the work and, from its first full second on, tell each second what it is doing."""
    result: list[R] = []
    failure: ToolFailure | None = None
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_tick, progress, doing)
        try:
            result.append(await work())
        except ToolFailure as error:  # kept out of the group, which would wrap it
            failure = error
        tasks.cancel_scope.cancel()
    if failure:
        raise failure
    return result[0]


async def _tick(progress: Progress, doing: Callable[[], str]) -> None:
    seconds = 0
    while True:
        await anyio.sleep(1)
        seconds += 1
        await progress(seconds, None, f"{doing()} ({seconds} s)")
