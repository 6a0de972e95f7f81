"""The pool, with scripted servers as real processes: who is started, shared, evicted, replaced and ended."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest

from sightline.children import Children
from sightline.file_changes import FileChanges, TreeFilter
from sightline.lsp.connection import ConnectionClosed
from sightline.lsp.pool import KeepsCrashing, Pool, PoolFull, PoolLimits, WorkspaceKey, memory_mb, open_pool
from sightline.lsp.session import Session
from sightline.lsp.workspace import Workspace
from tests.lsp.fake_sessions import is_running, launch_fake, workspace_over

pytestmark = pytest.mark.anyio

SOON_S = 5.0
LIMITS = PoolLimits(size=3, memory_mb=100_000, idle_s=3600)


class Maker:
    """Makes workspaces over the scripted server, and keeps what it made."""

    def __init__(self, children: Children, root: Path, *flags: str) -> None:
        self.made: list[Workspace] = []
        self._children = children
        self._root = root
        self._flags = flags

    def __call__(self) -> Workspace:
        which = TreeFilter(is_source=lambda name: name.endswith(".py"), is_skipped=lambda entry: False)
        session = Session(launch_fake(self._root, *self._flags), self._children)
        self.made.append(workspace_over(session, FileChanges(self._root, which)))
        return self.made[-1]

    @property
    def pids(self) -> list[int]:
        return [workspace.session.pid for workspace in self.made if workspace.session.pid]

    @property
    def running(self) -> list[int]:
        return [pid for pid in self.pids if is_running(pid)]


def key_of(root: Path, name: str = "app", environment: str = "one") -> WorkspaceKey:
    return WorkspaceKey("fake", root / name, environment)


async def do_nothing(_workspace: Workspace) -> None:
    return


async def use(pool: Pool, key: WorkspaceKey, make: Maker) -> Workspace:
    """Lease a workspace and let go of it."""
    async with pool.lease(key, make) as workspace:
        return workspace


async def until_running(make: Maker, count: int) -> None:
    """Wait until so many of its processes are left."""
    with anyio.fail_after(SOON_S):
        while len(make.running) != count:
            await anyio.lowlevel.checkpoint()


async def test_ten_callers_at_once_share_one_start(tmp_path: Path) -> None:
    with Children() as children:
        make = Maker(children, tmp_path)
        async with open_pool(LIMITS, do_nothing) as pool:
            async with anyio.create_task_group() as tasks:
                for _ in range(10):
                    tasks.start_soon(use, pool, key_of(tmp_path), make)

            assert len(make.made) == 1
            assert (pool.counts.starts, pool.counts.hits) == (1, 9)
            assert make.made[0].users == 0


async def test_the_longest_unused_one_makes_room(tmp_path: Path) -> None:
    with Children() as children:
        make = Maker(children, tmp_path)
        async with open_pool(PoolLimits(size=2, memory_mb=100_000, idle_s=3600), do_nothing) as pool:
            first, second, third = (key_of(tmp_path, name) for name in ("first", "second", "third"))
            await use(pool, first, make)
            await use(pool, second, make)
            await use(pool, first, make)
            await use(pool, third, make)

            assert set(pool.workspaces()) == {first, third}
            assert pool.counts.evictions == 1
            await until_running(make, 2)
            assert not is_running(make.pids[1])


async def test_one_that_is_in_use_is_never_evicted(tmp_path: Path) -> None:
    with Children() as children:
        make = Maker(children, tmp_path)
        async with open_pool(PoolLimits(size=1, memory_mb=1, idle_s=3600), do_nothing) as pool:
            async with pool.lease(key_of(tmp_path, "busy"), make) as busy:
                with pytest.raises(PoolFull, match="1 language servers are in use"):
                    await use(pool, key_of(tmp_path, "other"), make)
                assert (await busy.session.request("echo", None))["method"] == "echo"
            await use(pool, key_of(tmp_path, "other"), make)

            assert set(pool.workspaces()) == {key_of(tmp_path, "other")}


async def test_starts_at_the_same_time_count_against_the_size_too(tmp_path: Path) -> None:
    with Children() as children:
        make = Maker(children, tmp_path)
        refused: list[str] = []

        async def hold(name: str) -> None:
            try:
                async with pool.lease(key_of(tmp_path, name), make):
                    await released.wait()
            except PoolFull:
                refused.append(name)
            if len(make.running) + len(refused) == 4:
                released.set()

        async with open_pool(PoolLimits(size=2, memory_mb=100_000, idle_s=3600), do_nothing) as pool:
            released = anyio.Event()
            with anyio.move_on_after(2):
                async with anyio.create_task_group() as tasks:
                    for name in ("a", "b", "c", "d"):
                        tasks.start_soon(hold, name)

            assert pool.counts.starts <= 2
            assert len(refused) == 2


async def test_what_nobody_uses_for_a_while_is_stopped_and_what_is_in_use_is_not(tmp_path: Path) -> None:
    with Children() as children:
        make, kept = Maker(children, tmp_path), Maker(children, tmp_path)
        async with (
            open_pool(PoolLimits(size=3, memory_mb=100_000, idle_s=0.05), do_nothing) as pool,
            pool.lease(key_of(tmp_path, "used"), kept),
        ):
            await use(pool, key_of(tmp_path, "unused"), make)
            await until_running(make, 0)

            assert set(pool.workspaces()) == {key_of(tmp_path, "used")}
            assert len(kept.running) == 1


async def test_a_crashed_server_is_replaced_at_the_next_call(tmp_path: Path) -> None:
    with Children() as children:
        make = Maker(children, tmp_path)
        async with open_pool(LIMITS, do_nothing) as pool:
            workspace = await use(pool, key_of(tmp_path), make)
            os.kill(make.pids[0], signal.SIGKILL)
            while workspace.session.state == "running":
                await anyio.lowlevel.checkpoint()
            async with anyio.create_task_group() as tasks:
                for _ in range(5):
                    tasks.start_soon(use, pool, key_of(tmp_path), make)

            assert (pool.counts.starts, pool.counts.restarts) == (2, 1)
            assert pool.last_error(key_of(tmp_path))
            assert len(make.running) == 1


async def test_a_server_that_keeps_failing_is_left_alone_for_a_while(tmp_path: Path) -> None:
    with Children() as children:
        make = Maker(children, tmp_path)
        async with open_pool(LIMITS, do_nothing) as pool:
            for _ in range(5):
                pool.note_failure(key_of(tmp_path), "it fell over")
            with pytest.raises(KeepsCrashing, match="it failed 5 times: it fell over") as caught:
                await use(pool, key_of(tmp_path), make)
            await use(pool, key_of(tmp_path, "healthy"), make)

            assert 0 < caught.value.retry_after_s <= 60
            assert len(make.made) == 1


async def test_a_server_that_dies_in_its_start_is_told_and_counted(tmp_path: Path) -> None:
    with Children() as children:
        make = Maker(children, tmp_path, "--die-at-start")
        async with open_pool(LIMITS, do_nothing) as pool:
            with pytest.raises(ConnectionClosed):
                await use(pool, key_of(tmp_path), make)

            assert not pool.workspaces()
            assert pool.last_error(key_of(tmp_path))
            assert not make.made[0].files.is_watched_by_kernel


async def test_a_server_that_twice_did_not_answer_is_taken_for_dead(tmp_path: Path) -> None:
    with Children() as children:
        make = Maker(children, tmp_path)
        async with open_pool(LIMITS, do_nothing) as pool:
            workspace = await use(pool, key_of(tmp_path), make)
            pool.note_timeout(workspace, "slow")
            assert pool.workspaces()
            pool.note_timeout(workspace, "slow")

            assert not pool.workspaces()
            await until_running(make, 0)


async def test_another_environment_replaces_the_session_of_the_same_root(tmp_path: Path) -> None:
    with Children() as children:
        make = Maker(children, tmp_path)
        async with open_pool(LIMITS, do_nothing) as pool:
            await use(pool, key_of(tmp_path, environment="old"), make)
            await use(pool, key_of(tmp_path, "neighbour", environment="old"), make)
            await use(pool, key_of(tmp_path, environment="new"), make)

            kept = {key_of(tmp_path, "neighbour", environment="old"), key_of(tmp_path, environment="new")}
            assert set(pool.workspaces()) == kept
            await until_running(make, 2)


async def test_memory_over_the_budget_evicts_the_longest_unused(tmp_path: Path) -> None:
    with Children() as children:
        make = Maker(children, tmp_path, "--allocate-mb", "100")
        async with open_pool(PoolLimits(size=9, memory_mb=150, idle_s=3600), do_nothing) as pool:
            for name in ("first", "second", "third"):
                await use(pool, key_of(tmp_path, name), make)

            assert memory_mb(make.made[-1].session.pid) > 100
            assert set(pool.workspaces()) == {key_of(tmp_path, "second"), key_of(tmp_path, "third")}
            assert pool.counts.evictions == 1


async def test_a_caller_that_is_cancelled_during_a_start_leaves_no_server_behind(tmp_path: Path) -> None:
    with Children() as children:
        make = Maker(children, tmp_path, "--slow", "initialize")
        async with open_pool(LIMITS, do_nothing) as pool:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(use, pool, key_of(tmp_path), make)
                await until_running(make, 1)
                tasks.cancel_scope.cancel()
            workspace = await use(pool, key_of(tmp_path), make)
            await make.made[0].session.started.wait()

            await until_running(make, 1)
            assert make.running == [workspace.session.pid]


async def test_background_work_that_fails_ends_nothing(tmp_path: Path) -> None:
    async def fail(_workspace: Workspace) -> None:
        raise ValueError("a defect")

    with Children() as children:
        make = Maker(children, tmp_path)
        async with open_pool(LIMITS, fail) as pool:
            workspace = await use(pool, key_of(tmp_path), make)

            assert (await workspace.session.request("echo", None))["method"] == "echo"


async def test_the_end_of_the_pool_is_orderly_and_leaves_no_process(tmp_path: Path) -> None:
    farewell = tmp_path / "farewell"
    with Children() as children:
        polite = Maker(children, tmp_path, "--farewell", str(farewell))
        rude = Maker(children, tmp_path, "--ignore-shutdown")
        async with open_pool(LIMITS, do_nothing) as pool:
            await use(pool, key_of(tmp_path, "polite"), polite)
            await use(pool, key_of(tmp_path, "rude"), rude)

        assert not polite.running
        assert not rude.running
        assert farewell.exists(), "it was killed without `shutdown` and `exit`"
