"""Signs of life while an engine works."""

from __future__ import annotations

import anyio
import pytest

from sightline.errors import ErrorKind, ToolFailure
from sightline.progress import telling_every_second

pytestmark = pytest.mark.anyio


class Listener:
    """Keeps what it is told, and says when it was told twice."""

    def __init__(self) -> None:
        self.told: list[tuple[float, str | None]] = []
        self.told_twice = anyio.Event()

    async def __call__(self, done: float, /, total: float | None = None, message: str | None = None) -> None:
        self.told.append((done, message))
        if len(self.told) == 2:
            self.told_twice.set()


async def test_each_second_of_long_work_is_told_and_its_result_returned() -> None:
    listener = Listener()

    async def work() -> str:
        await listener.told_twice.wait()
        return "done"

    assert await telling_every_second(listener, lambda: "looking", work) == "done"
    assert listener.told == [(1, "looking (1 s)"), (2, "looking (2 s)")]


async def test_short_work_is_not_told_about() -> None:
    listener = Listener()

    async def work() -> None:
        await anyio.lowlevel.checkpoint()

    await telling_every_second(listener, lambda: "looking", work)

    assert listener.told == []


async def test_a_failure_comes_out_as_it_was_raised() -> None:
    async def work() -> None:
        raise ToolFailure(ErrorKind.TIMEOUT, "too slow")

    with pytest.raises(ToolFailure, match="too slow"):
        await telling_every_second(Listener(), lambda: "looking", work)
