"""Something that is opened when it is first needed, and closed with its owner.

What it is made of lives in a task of its own, because whoever asks first may end long before the others.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Generic, TypeVar

import anyio

T = TypeVar("T")

Opener = Callable[[], AbstractAsyncContextManager[T]]


class OnDemand(Generic[T]):
    """A door: `get` opens it the first time. If that fails, everybody is told, and the next one tries again."""

    def __init__(self, opener: Opener[T], *, is_wanted: bool = False) -> None:
        self._opener = opener
        self._wanted = anyio.Event()
        if is_wanted:
            self._wanted.set()
        self._settled = anyio.Event()
        self._value: T | None = None
        self._error: Exception | None = None

    async def get(self) -> T:
        """What is behind the door; raises what opening it raised."""
        if self._value is None:
            settled = self._settled
            self._wanted.set()
            await settled.wait()
        if self._value is None:
            raise self._error or RuntimeError("closed")
        return self._value

    async def own(self) -> None:
        """Open when asked to, until cancelled."""
        while True:
            await self._wanted.wait()
            try:
                async with self._opener() as self._value:
                    self._settled.set()
                    await anyio.sleep_forever()
            except Exception as error:  # noqa: BLE001 - handed to those who wait
                self._error = error
            finally:
                self._value = None
                self._settled.set()
            self._wanted, self._settled = anyio.Event(), anyio.Event()


@asynccontextmanager
async def on_demand(opener: Opener[T], *, is_wanted: bool = False) -> AsyncGenerator[OnDemand[T]]:
    """The door, and its owner in the background; `is_wanted`: it is opened at once."""
    door = OnDemand(opener, is_wanted=is_wanted)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(door.own)
        try:
            yield door
        finally:
            tasks.cancel_scope.cancel()
