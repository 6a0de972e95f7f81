"""What `sightline dashboard` finds: services that run, and no complaint about files of dead ones."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from sightline.server.dashboard.run_file import RunningService, run_folder, running_services, told_to_owner
from tests.projects.unprivileged import open_folder, without_privileges


def service(pid: int) -> RunningService:
    return RunningService(f"http://127.0.0.1:{pid}/", "/srv/shop", pid, 1.0, "none")


def dead_pid() -> int:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    return process.pid


def test_a_file_of_a_dead_service_is_removed_and_a_living_one_is_found(tmp_path: Path) -> None:
    alive, dead = service(os.getpid()), service(dead_pid())
    with told_to_owner(alive, tmp_path), told_to_owner(dead, tmp_path):
        assert running_services(tmp_path) == [alive]
        assert len(list(run_folder(tmp_path).iterdir())) == 1


def test_a_file_that_may_not_be_removed_is_passed_over() -> None:
    with open_folder() as data:
        folder = run_folder(data)
        alive, dead = service(os.getpid()), replace(service(dead_pid()), started_at=2.0)
        with told_to_owner(alive, data), told_to_owner(dead, data):
            for path in folder.iterdir():
                os.chown(path, 65534, -1) if os.geteuid() == 0 else None
            folder.chmod(0o555)
            try:
                with without_privileges():
                    assert running_services(data) == [alive]
            finally:
                folder.chmod(0o700)
            assert len(list(folder.iterdir())) == 2


def test_a_pipe_in_the_place_of_a_file_is_nobodys_service(tmp_path: Path) -> None:
    folder = run_folder(tmp_path)
    folder.mkdir(parents=True)
    os.mkfifo(folder / "http-1.json", 0o600)
    assert running_services(tmp_path) == []
    assert stat.S_ISFIFO((folder / "http-1.json").stat().st_mode)
