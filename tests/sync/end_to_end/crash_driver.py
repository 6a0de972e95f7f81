"""Runs in a process of its own and kills forks of a whole sync of the hard project, or of its rollback, at every step.

A fresh interpreter has one thread, which is what makes forking safe. Prints its figures as JSON.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from tests.sync.end_to_end.desk import Desk, Picture, desk_in
from tests.sync.hard_project import make_hard_project
from tests.transactions.crash_driver import die, in_fork
from tests.transactions.faulty_disks import SteppedDisk, Steps

Work = Callable[[Desk], object]


def change_source(project: Path, home: Path) -> None:
    """Items that come, change and go, in files of our own and in shared ones."""
    shutil.rmtree(project / ".claude/skills/release")
    (project / ".claude/commands/fix.md").write_text("Fix it in another way.\n")
    (project / ".claude/agents/new.md").write_text("---\nname: new\ndescription: a new one\n---\nNew.\n")
    (project / "CLAUDE.md").write_text("# Shop\n\nAll is new.\n")
    (project / ".claude/rules/always.md").unlink()
    servers = json.loads((project / ".mcp.json").read_text())
    servers["mcpServers"].pop("files")
    servers["mcpServers"]["future"]["command"] = "another"
    (project / ".mcp.json").write_text(json.dumps(servers))
    settings = json.loads((home / ".claude/settings.json").read_text())
    settings["permissions"]["deny"].append("Bash(wget *)")
    (home / ".claude/settings.json").write_text(json.dumps(settings))
    (home / ".claude/skills/private-skill/run.sh").write_text("#!/bin/sh\n")
    (home / ".claude/skills/private-skill/run.sh").chmod(0o755)


class Crashes:
    """One prepared folder that is put back before each crash; paths in states are absolute, so always in one place."""

    def __init__(self, desk: Desk, work: Work, stride: int) -> None:
        self.desk, self.work, self.stride = desk, work, stride
        self.template = desk.folder.with_name("template")
        self.figures = {"points": 0, "killed": 0, "old": 0, "new": 0, "interrupted": 0}
        shutil.copytree(desk.folder, self.template, symlinks=True)
        self.start = desk.now
        self.old = self._whole()
        steps = self._count()
        self.new = self._whole()
        assert self.old != self.new
        self.figures["points"] = steps
        for at in sorted({*range(0, steps, stride), steps - 1}):
            self._crash(at)

    def _count(self) -> int:
        hook = Steps()
        self.desk.disk = SteppedDisk(hook)
        self.work(self.desk)
        return hook.count

    def _crash(self, at: int) -> None:
        desk = self.desk
        shutil.rmtree(desk.folder)
        shutil.copytree(self.template, desk.folder, symlinks=True)
        desk.now, desk.disk = self.start, SteppedDisk(Steps(at, die))
        assert not in_fork(lambda: self.work(desk)), f"step {at} was not reached"
        desk.disk = None
        before = self._whole()
        standing = desk.standing()
        assert self._whole() == before, "asking how things stand has written something"
        assert (standing.planned is None) == standing.is_unsettled
        desk.plan()  # as the next start does, whatever it is asked for
        found = self._whole()
        assert found in (self.old, self.new), (
            f"neither old nor new after a crash at step {at}: {_difference(found, self)}"
        )
        assert [path.name for path in (desk.data / "sync/journal").iterdir()] == ["lock"]
        assert not list(desk.folder.rglob(".sightline-*"))
        self.figures["killed"] += 1
        self.figures["interrupted"] += standing.is_unsettled
        self.figures["old" if found == self.old else "new"] += 1

    def _whole(self) -> Picture:
        return {**self.desk.picture(), **self.desk.own_files()}


def _difference(found: Picture, crashes: Crashes) -> list[str]:
    whole = {*found, *crashes.old, *crashes.new}
    return [
        name for name in sorted(whole) if found.get(name) not in (crashes.old.get(name), crashes.new.get(name))
    ] or [
        f"{name}: {'old' if found.get(name) == crashes.old.get(name) else 'new'}"
        for name in sorted(whole)
        if crashes.old.get(name) != crashes.new.get(name)
    ]


def main(what: str, folder: str, stride: str) -> None:
    whole = Path(folder) / "whole"
    hard = make_hard_project(whole, with_foreign=True)
    with desk_in(whole, hard.environment) as desk:
        desk.sync()
        change_source(desk.project, desk.home)
        if what == "rollback":
            desk.sync()
        works: dict[str, Work] = {"apply": lambda each: each.sync(), "rollback": lambda each: each.rollback()}
        sys.stdout.write(json.dumps(Crashes(desk, works[what], int(stride)).figures))


if __name__ == "__main__":
    main(*sys.argv[1:])
