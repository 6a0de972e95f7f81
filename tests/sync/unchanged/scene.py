"""A project that is synced, with the real command over it; and runs that are watched."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.cli.command_line import DEADLINE_S, CommandLine, Ended
from tests.sync.hard_project import make_hard_project
from tests.sync.tools.small_project import make_small_project

OBSERVING = Path(__file__).with_name("observing.py")
TARGETS = ("codex", "gemini", "opencode", "cursor")
ALL = tuple(word for name in TARGETS for word in ("--target", name))


@dataclass(frozen=True, slots=True)
class Watched:
    """How a command ended, and what it asked the system for."""

    ended: Ended
    seen: frozenset[str]
    used: frozenset[str]
    modules: frozenset[str]

    @property
    def is_recalled(self) -> bool:
        """Whether it answered without making a plan."""
        return "sightline.sync.planning" not in self.modules


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything is below `root`."""

    root: Path
    line: CommandLine
    variables: Mapping[str, str]
    targets: tuple[str, ...]

    @property
    def snapshots(self) -> list[Path]:
        return sorted((self.line.home / "data/sightline/sync/unchanged").glob("*/*.json"))

    def run(self, *arguments: str, **variables: str) -> Ended:
        return self.line.run("sync", *self.targets, *arguments, folder=None, **self.environment(variables))

    def watch(self, *arguments: str, **variables: str) -> Watched:
        report = self.root / "report.json"
        command = [sys.executable, "-P", str(OBSERVING), str(report), "sync"]
        environment = self.line.environment(**self.environment(variables))
        done = subprocess.run(
            [*command, *self.targets, *arguments],
            cwd=self.line.project,
            env=environment,
            capture_output=True,
            timeout=DEADLINE_S,
            check=False,
        )
        told = json.loads(report.read_text())
        report.unlink()
        ended = Ended(done.returncode, done.stdout.decode(), done.stderr.decode())
        return Watched(ended, self._below(told["seen"]), self._below(told["used"]), frozenset(told["modules"]))

    def _below(self, paths: Sequence[str]) -> frozenset[str]:
        return frozenset(path for path in paths if Path(path).is_relative_to(self.root))

    def environment(self, more: dict[str, str]) -> dict[str, str]:
        return {"PATH": "/usr/bin:/bin", **self.variables, **more}


def make_scene(folder: Path) -> Scene:
    """The hard project, synced, so that there is nothing to do."""
    hard = make_hard_project(folder.resolve(), with_foreign=True)
    scene = Scene(hard.root, CommandLine(hard.home, hard.project), hard.environment, ALL)
    done = scene.run("--scope", "all", "--yes")
    assert done.code == 1, done  # the person's own files are in conflict with it, which stays so
    return scene


def make_plain_scene(folder: Path) -> Scene:
    """One file of instructions and nothing else, synced: what is looked at is in no plan."""
    root = folder.resolve()
    line = CommandLine(root / "home", root / "work" / "shop")
    line.home.mkdir()
    line.write("CLAUDE.md", "# Shop\n\nSee @docs/none.md\n")
    scene = Scene(root, line, {}, ALL)
    done = scene.run("--scope", "all", "--yes")
    assert done.code == 0, done
    return scene


def make_small_scene(folder: Path) -> Scene:
    """Not synced yet."""
    project = make_small_project(folder.resolve())
    return Scene(project.parent, CommandLine(project.parent / "home", project), {}, ())
