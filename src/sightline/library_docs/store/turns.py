"""Turns to fetch a page, where nobody else could have it."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FreeTurn:
    """Always ours. Who asked remembers what to put off."""

    is_ours: bool = True

    async def put_off(self, until: float) -> None:
        pass


@asynccontextmanager
async def free_turn() -> AsyncGenerator[FreeTurn]:
    yield FreeTurn()
