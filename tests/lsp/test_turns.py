"""Many at once, or one alone; and whoever gives up waiting stands in nobody's way."""

from __future__ import annotations

import random

import anyio
import anyio.abc
import anyio.lowlevel
import pytest
from anyio import wait_all_tasks_blocked

from sightline.lsp.turns import TurnNotGiven, Turns

pytestmark = pytest.mark.anyio

LONG_S = 60.0


class User:
    """A task that takes a turn, and gives it back when it is told to."""

    def __init__(self, turns: Turns, *, alone: bool = False, within_s: float = LONG_S) -> None:
        self._turn = (turns.alone if alone else turns.shared)(within_s)
        self._leave = anyio.Event()
        self.scope = anyio.CancelScope()
        self.is_in = False
        self.was_refused = False

    async def run(self) -> None:
        with self.scope:
            try:
                async with self._turn:
                    self.is_in = True
                    try:
                        await self._leave.wait()
                    finally:
                        self.is_in = False
            except TurnNotGiven:
                self.was_refused = True

    async def leave(self) -> None:
        self._leave.set()
        await wait_all_tasks_blocked()

    async def cancel(self) -> None:
        self.scope.cancel()
        await wait_all_tasks_blocked()


async def start(tasks: anyio.abc.TaskGroup, *users: User) -> None:
    """Let each of them come as far as it can, one after the other."""
    for user in users:
        tasks.start_soon(user.run)
        await wait_all_tasks_blocked()


async def test_many_share() -> None:
    turns = Turns()
    users = [User(turns) for _ in range(5)]
    async with anyio.create_task_group() as tasks:
        await start(tasks, *users)
        assert all(user.is_in for user in users)
        tasks.cancel_scope.cancel()


async def test_whoever_wants_to_be_alone_waits_for_all_who_share() -> None:
    turns = Turns()
    first, second, alone = User(turns), User(turns), User(turns, alone=True)
    async with anyio.create_task_group() as tasks:
        await start(tasks, first, second, alone)
        await first.leave()
        assert not alone.is_in
        await second.leave()
        assert alone.is_in
        tasks.cancel_scope.cancel()


async def test_nobody_comes_beside_one_who_is_alone() -> None:
    turns = Turns()
    alone, other, sharing = User(turns, alone=True), User(turns, alone=True), User(turns)
    async with anyio.create_task_group() as tasks:
        await start(tasks, alone, other, sharing)
        assert (alone.is_in, other.is_in, sharing.is_in) == (True, False, False)
        await alone.leave()
        assert other.is_in
        assert not sharing.is_in
        await other.leave()
        assert sharing.is_in
        tasks.cancel_scope.cancel()


async def test_one_who_came_later_does_not_pass_one_who_waits_to_be_alone() -> None:
    turns = Turns()
    early, alone, late = User(turns), User(turns, alone=True), User(turns)
    async with anyio.create_task_group() as tasks:
        await start(tasks, early, alone, late)
        assert not late.is_in
        await early.leave()
        assert alone.is_in
        assert not late.is_in
        tasks.cancel_scope.cancel()


async def test_one_who_waited_to_be_alone_and_was_cancelled_lets_the_others_in() -> None:
    turns = Turns()
    early, alone, late = User(turns), User(turns, alone=True), User(turns)
    async with anyio.create_task_group() as tasks:
        await start(tasks, early, alone, late)
        await alone.cancel()
        assert late.is_in
        assert not alone.was_refused
        tasks.cancel_scope.cancel()


async def test_one_who_waited_to_be_alone_for_too_long_is_refused_and_lets_the_others_in() -> None:
    turns = Turns()
    early, late = User(turns), User(turns)
    async with anyio.create_task_group() as tasks:
        await start(tasks, early)
        with pytest.raises(TurnNotGiven):
            async with turns.alone(0.01):
                pass
        await start(tasks, late)
        assert late.is_in
        tasks.cancel_scope.cancel()


async def test_one_who_waited_to_share_for_too_long_is_refused_and_not_counted() -> None:
    turns = Turns()
    alone, next_one = User(turns, alone=True), User(turns, alone=True)
    async with anyio.create_task_group() as tasks:
        await start(tasks, alone)
        with pytest.raises(TurnNotGiven):
            async with turns.shared(0.01):
                pass
        await start(tasks, next_one)
        await alone.leave()
        assert next_one.is_in
        tasks.cancel_scope.cancel()


@pytest.mark.parametrize("is_alone", [False, True])
async def test_a_turn_that_is_cancelled_or_fails_is_given_back(is_alone: bool) -> None:
    turns = Turns()
    user, waiting = User(turns, alone=is_alone), User(turns, alone=True)
    async with anyio.create_task_group() as tasks:
        await start(tasks, user, waiting)
        assert not waiting.is_in
        await user.cancel()
        assert waiting.is_in
        await waiting.leave()
        with pytest.raises(ValueError, match="inside"):
            async with (turns.alone if is_alone else turns.shared)(LONG_S):
                raise ValueError("inside")
        async with turns.alone(0.01):
            pass


async def test_whatever_comes_goes_or_gives_up_nobody_alone_has_company_and_all_get_a_turn() -> None:
    turns, chance = Turns(), random.Random(1)
    inside: list[bool] = []
    served = 0

    async def take(*, alone: bool, gives_up: bool) -> None:
        nonlocal served
        with anyio.CancelScope() as scope:
            if gives_up:
                tasks.start_soon(_cancel_soon, scope, chance.randrange(6))
            async with (turns.alone if alone else turns.shared)(LONG_S):
                inside.append(alone)
                try:
                    assert len(inside) == 1 or not any(inside)
                    for _ in range(chance.randrange(4)):
                        await anyio.lowlevel.checkpoint()
                        assert len(inside) == 1 or not any(inside)
                finally:
                    inside.remove(alone)
            served += not gives_up

    async with anyio.create_task_group() as tasks:
        for number in range(300):
            tasks.start_soon(lambda number=number: take(alone=chance.random() < 0.3, gives_up=number % 3 == 0))
            if chance.random() < 0.5:
                await anyio.lowlevel.checkpoint()

    assert served == 200
    async with turns.alone(0):
        assert not inside


async def _cancel_soon(scope: anyio.CancelScope, steps: int) -> None:
    for _ in range(steps):
        await anyio.lowlevel.checkpoint()
    scope.cancel()


async def test_a_stream_of_those_who_want_to_be_alone_does_not_keep_the_others_out() -> None:
    turns = Turns()
    first, second = User(turns, alone=True), User(turns, alone=True)
    reader, third = User(turns), User(turns, alone=True)
    async with anyio.create_task_group() as tasks:
        await start(tasks, first, second, reader, third)
        await first.leave()
        await second.leave()
        assert (reader.is_in, third.is_in) == (True, False)
        await reader.leave()
        assert third.is_in
        await third.leave()
