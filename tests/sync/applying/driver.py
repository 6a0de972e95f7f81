"""Runs in a process of its own: kills forks of a sync at every step, or is one of many that sync at once."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
from collections.abc import Callable, Generator
from pathlib import Path

from sightline.sync.applying import SourceView, StalePlan, SyncBusy
from sightline.sync.outputs import Output, Rendered
from tests.sync.applying.workbench import Picture, Workbench, picture
from tests.transactions.crash_driver import die, in_fork
from tests.transactions.faulty_disks import SteppedDisk, Steps

SERVER = ("mcp_servers", "m")


def first(bench: Workbench) -> None:
    bench.wants = {
        "codex": [
            bench.file(".agents/skills/gone/SKILL.md", b"gone"),
            bench.file(".agents/skills/stays/SKILL.md", b"old"),
            bench.toml("c.toml", {SERVER: {"command": "old"}}),
            bench.block("AGENTS.md", "old"),
        ]
    }


def second(bench: Workbench) -> None:
    """Files that are made, changed and removed, with folders that come and go."""
    bench.wants = {
        "codex": [
            bench.file(".agents/skills/stays/SKILL.md", b"new"),
            bench.file(".agents/skills/come/run.sh", b"new", mode=0o755),
            bench.toml("c.toml", {SERVER: {"command": "new"}}),
        ],
        "gemini": [bench.json(".gemini/settings.json", {("mcpServers", "m"): 1})],
    }


def whole_picture(bench: Workbench) -> Picture:
    """Project, state and backups; not the journal and the locks."""
    own = {name: each for name, each in picture(bench.own).items() if name.startswith(("state/", "backups/"))}
    return {**{f"project/{name}": each for name, each in picture(bench.project).items()}, **own}


class Crashes:
    """One prepared folder that is put back before each crash; paths in states are absolute, so always in one place."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.template = folder / "work", folder / "template"
        bench = Workbench(self.folder)
        bench.write("c.toml", b"# mine\na = 1\n")
        bench.write("AGENTS.md", b"mine\n")
        first(bench)
        bench.sync()
        self.figures = {"points": 0, "old": 0, "new": 0}

    def enumerate(self, work: Callable[[Workbench], object]) -> None:
        shutil.copytree(self.folder, self.template, symlinks=True)
        bench = self.bench()
        old = whole_picture(bench)
        work(bench)
        new = whole_picture(bench)
        assert old != new
        at, is_done = 0, False
        while not is_done:
            bench = self.bench(Steps(at, die))
            is_done = in_fork(lambda bench=bench: work(bench))
            bench.disk = None
            bench.syncing.recover()
            found = whole_picture(bench)
            assert found in (old, new), f"neither old nor new after a crash at step {at}: {found}"
            assert not is_done or found == new
            assert [path.name for path in (bench.own / "journal").iterdir()] == ["lock"]
            self.figures["points"] += not is_done
            self.figures["old" if found == old else "new"] += 1
            at += 1
        shutil.rmtree(self.template)

    def bench(self, hook: Steps | None = None) -> Workbench:
        shutil.rmtree(self.folder)
        shutil.copytree(self.template, self.folder, symlinks=True)
        bench = Workbench(self.folder, disk=SteppedDisk(hook) if hook else None)
        second(bench)
        return bench


def crash_apply(folder: str) -> None:
    crashes = Crashes(Path(folder))
    crashes.enumerate(lambda bench: bench.sync())
    sys.stdout.write(json.dumps(crashes.figures))


def crash_rollback(folder: str) -> None:
    crashes = Crashes(Path(folder))
    bench = Workbench(crashes.folder)
    second(bench)
    bench.sync()
    crashes.enumerate(lambda bench: bench.syncing.rollback())
    sys.stdout.write(json.dumps(crashes.figures))


def rendered_items(bench: Workbench, items: Path) -> SourceView:
    """A file, a key and a line for each item of the source folder."""
    names = sorted(path.name for path in items.iterdir())
    outputs: list[Output] = [bench.file(f".agents/skills/{name}/SKILL.md", name.encode()) for name in names]
    outputs.append(bench.toml("c.toml", {("mcp_servers", name): {"command": name} for name in names}))
    outputs.append(bench.block("AGENTS.md", "".join(f"- {name}\n" for name in names)))
    return SourceView({"codex": Rendered(tuple(outputs)), "opencode": Rendered(tuple(outputs[-1:]))})


class ItemBench(Workbench):
    """A workbench whose source is a folder that other processes add to."""

    is_applying = False

    def view(self) -> SourceView:
        if not self.is_applying:
            return rendered_items(self, self.home / "items")
        with alone(self.home / "reading"):  # whoever applies reads the source under the lock
            views = [rendered_items(self, self.home / "items") for _ in range(20)]
        return views[-1]


@contextlib.contextmanager
def alone(mark: Path) -> Generator[None]:
    """Fail if another process is at the same place."""
    os.close(os.open(mark, os.O_CREAT | os.O_EXCL))
    yield
    mark.unlink()


def join(folder: str, name: str, wait_s: str) -> None:
    """Add an item to the source when the input ends, and sync until a plan was carried out or nothing is to do."""

    def check_alone(_step: str) -> None:
        with alone(Path(folder) / "writing"):
            pass

    bench = ItemBench(Path(folder), disk=SteppedDisk(check_alone))
    bench.wait_s = float(wait_s)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.read()
    (bench.home / "items" / name).touch()
    counts = {"stale": 0, "busy": 0}
    while True:
        try:
            bench.is_applying = False
            plan_id = bench.plan().plan_id
            bench.is_applying = True
            bench.syncing.apply(plan_id)
            break
        except StalePlan:
            counts["stale"] += 1
        except SyncBusy:
            counts["busy"] += 1
    sys.stdout.write(json.dumps(counts))


if __name__ == "__main__":
    commands = {command.__name__: command for command in (crash_apply, crash_rollback, join)}
    commands[sys.argv[1]](*sys.argv[2:])
