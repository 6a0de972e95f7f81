"""A door that opens when somebody needs what is behind it, once for all, and closes with its owner."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio
import pytest

from sightline.on_demand import OnDemand, on_demand

pytestmark = pytest.mark.anyio


@dataclass
class Shop:
    """Counts how often it was opened; the first `broken` times it cannot be."""

    broken: int = 0
    events: list[str] = field(default_factory=list[str])

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[str]:
        self.events.append("open")
        if self.broken:
            self.broken -= 1
            raise OSError("no key")
        try:
            yield "bread"
        finally:
            self.events.append("closed")


async def test_nothing_is_opened_that_nobody_needs() -> None:
    shop = Shop()
    async with on_demand(shop.open):
        await anyio.wait_all_tasks_blocked()

    assert shop.events == []


async def test_all_who_ask_share_one_opening_even_if_the_first_gives_up() -> None:
    shop = Shop()
    got: list[str] = []
    async with on_demand(shop.open) as door:
        with anyio.move_on_after(0):
            await door.get()
        async with anyio.create_task_group() as tasks:
            for _ in range(3):
                tasks.start_soon(_take, door, got)

    assert got == ["bread"] * 3
    assert shop.events == ["open", "closed"]


async def _take(door: OnDemand[str], got: list[str]) -> None:
    got.append(await door.get())


async def test_a_failed_opening_is_told_and_tried_again() -> None:
    shop = Shop(broken=1)
    async with on_demand(shop.open) as door:
        with pytest.raises(OSError, match="no key"):
            await door.get()
        assert await door.get() == "bread"


async def test_it_opens_by_itself_if_it_is_wanted_from_the_start() -> None:
    shop = Shop()
    async with on_demand(shop.open, is_wanted=True):
        await anyio.wait_all_tasks_blocked()
        assert shop.events == ["open"]
