"""One sync at a time, for each project and for the user."""

from __future__ import annotations

from pathlib import Path

import pytest

from sightline.errors import ErrorKind
from sightline.sync.applying import SyncBusy
from sightline.sync.applying.locks import hold_locks
from sightline.sync.applying.places import SyncPlaces
from sightline.sync.outputs import OutputScope
from tests.sync.applying.workbench import Workbench, picture


def lock_of(bench: Workbench, scope: OutputScope) -> Path:
    return SyncPlaces(bench.own).lock(bench.project if scope == "project" else bench.home, scope)


@pytest.mark.parametrize("wait_s", [0.0, 0.05])
@pytest.mark.parametrize("scope", ["project", "user"])
def test_a_second_sync_is_busy_and_says_for_how_long(bench: Workbench, scope: OutputScope, wait_s: float) -> None:
    bench.scopes = ("project", "user")
    bench.wait_s = wait_s
    bench.wants = {"codex": [bench.file("a", b"1")]}
    plan_id = bench.plan().plan_id
    with hold_locks([lock_of(bench, scope)], 0, lambda: bench.now - 7):
        assert bench.syncing.running_s() == 7
        with pytest.raises(SyncBusy, match="for 7 s now") as caught:
            bench.syncing.apply(plan_id)
        assert (caught.value.running_s, caught.value.kind) == (7, ErrorKind.BUSY)
        assert bench.plan().plan_id == plan_id
    assert picture(bench.project) == {}
    assert bench.syncing.running_s() is None
    bench.syncing.apply(plan_id)
    assert bench.read("a") == b"1"


def test_another_project_does_not_wait(bench: Workbench) -> None:
    bench.wants = {"codex": [bench.file("a", b"1")]}
    with hold_locks([SyncPlaces(bench.own).lock(bench.project / "other", "project"), lock_of(bench, "user")], 0, float):
        bench.sync()
    assert bench.read("a") == b"1"


def test_a_failed_sync_frees_the_lock(bench: Workbench) -> None:
    bench.write("a", b"1").chmod(0o444)
    bench.wants = {"codex": [bench.file("b", b"1")]}
    bench.sync()
    with pytest.raises(ZeroDivisionError), hold_locks([lock_of(bench, "project")], 0, float):
        _ = 1 / 0
    assert bench.syncing.running_s() is None
