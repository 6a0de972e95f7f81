"""A home folder, projects in it and a data folder, with the sync service over them as the tools and the CLI use it.

`plant` writes a source, `picture` sees every byte, mode and link. The targets' own commands are not asked here.
"""

from __future__ import annotations

import stat
import tempfile
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import anyio

from sightline.children import Children
from sightline.config.schema import SyncSettings
from sightline.progress import no_progress
from sightline.projects import Surroundings
from sightline.sync.applying import RolledBack
from sightline.sync.formats.three_way import Choice
from sightline.sync.service import DoneSync, PlannedSync, ScopeName, SyncAsk, SyncService, SyncStanding
from sightline.sync.source import SourcePlaces, find_places
from sightline.transactions import Disk

Picture = Mapping[str, tuple[int, bytes | str | None]]
Files = Mapping[str, tuple[bytes, int]]
_IN_MEMORY = Path("/dev/shm")
_NOW = 1_800_000_000.0


class Desk:
    """`folder/home` and `folder/work/<project>`; names of files are relative to `folder`."""

    def __init__(self, folder: Path, children: Children, environment: Mapping[str, str] | None = None) -> None:
        self.folder = folder
        self.home, self.project, self.data = folder / "home", folder / "work" / "shop", folder / "data"
        self.environment = dict(environment or {})
        self.settings = SyncSettings(verify="never", scope="all")
        self.now = _NOW
        self.disk: Disk | None = None
        self._children = children
        self._planted: list[Path] = []
        for place in (self.home, self.project / "web"):  # a folder of the project's own, where sources and outputs meet
            place.mkdir(parents=True, exist_ok=True)

    @property
    def service(self) -> SyncService:
        around = Surroundings(self.environment, self.home)
        return SyncService(
            self.settings, around, self.data, self._children, "linux", self._clock, self._source, self.disk
        )

    def plan(
        self,
        *,
        project: Path | None = None,
        targets: Sequence[str] = (),
        scope: ScopeName = "all",
        choices: Mapping[str, Choice] | None = None,
    ) -> PlannedSync:
        ask = SyncAsk(tuple(targets), scope, choices or {})
        return anyio.run(partial(self.service.plan, project or self.project, ask))

    def apply(self, planned: PlannedSync, project: Path | None = None) -> DoneSync:
        """Carry out a plan that was shown."""
        self.now += 60
        root, plan_id = project or self.project, planned.plan.plan_id
        return anyio.run(partial(self.service.apply, root, planned.ask, plan_id, no_progress))

    def sync(
        self,
        *,
        project: Path | None = None,
        targets: Sequence[str] = (),
        scope: ScopeName = "all",
        choices: Mapping[str, Choice] | None = None,
    ) -> DoneSync:
        """Plan, and carry it out."""
        planned = self.plan(project=project, targets=targets, scope=scope, choices=choices)
        return self.apply(planned, project)

    def rollback(self, backup_id: str | None = None, *, project: Path | None = None) -> RolledBack:
        back = self.service.rollback
        return anyio.run(partial(back, project or self.project, "all", backup_id, skip_changed=False, waits_s=0.0))

    def standing(self, project: Path | None = None) -> SyncStanding:
        return anyio.run(partial(self.service.standing, project or self.project, "all"))

    def write(self, name: str, content: bytes, mode: int = 0o644) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        path.chmod(mode)
        return path

    def plant(self, files: Files) -> None:
        """Make these files the whole source; what was planted before goes, with the folders that it needed."""
        for path in reversed(self._planted):
            if path.is_dir():
                if not any(path.iterdir()):
                    path.rmdir()
            else:
                path.unlink()
        self._planted = []
        for name, (content, mode) in files.items():
            self._planted += self._new_folders(self.folder / name)
            self._planted.append(self.write(name, content, mode))

    def _new_folders(self, path: Path) -> list[Path]:
        missing = [folder for folder in path.parents if folder.is_relative_to(self.folder) and not folder.exists()]
        return missing[::-1]

    def picture(self) -> Picture:
        """Everything but the data folder and what was planted."""
        planted = set(self._planted)
        return {
            name: each
            for place in (self.home, self.folder / "work")
            for name, each in picture(place, self.folder).items()
            if self.folder / name not in planted
        }

    def stamps(self) -> dict[str, tuple[int, int]]:
        """When each file and folder was last touched, and which one it is."""
        found = (path for place in (self.home, self.folder / "work") for path in (place, *place.rglob("*")))
        return {str(path): (path.lstat().st_mtime_ns, path.lstat().st_ino) for path in found}

    def own_files(self) -> Picture:
        """State and backups."""
        seen = picture(self.data, self.data) if self.data.exists() else {}
        return {name: each for name, each in seen.items() if name.startswith(("sync/state/", "sync/backups/"))}

    def _clock(self) -> float:
        return self.now

    def _source(self, root: Path) -> SourcePlaces:
        found = find_places(root, home=self.home, environment=self.environment, platform="linux")
        # The organisation's folder of this machine must not take part in a test.
        return replace(found, managed=self.folder / "managed")


def picture(root: Path, base: Path) -> dict[str, tuple[int, bytes | str | None]]:
    """Every file, link and folder below, by its name relative to the base, with mode and content."""
    seen: dict[str, tuple[int, bytes | str | None]] = {}
    for path in sorted(root.rglob("*")):
        name, mode = path.relative_to(base).as_posix(), stat.S_IMODE(path.lstat().st_mode)
        if path.is_symlink():
            seen[name] = (0, str(path.readlink()))
        else:
            seen[name] = (mode, path.read_bytes() if path.is_file() else None)
    return seen


@contextmanager
def quick_folder() -> Generator[Path]:
    """In memory where there is such a place: a proof is about bytes, not about a disk's patience."""
    with tempfile.TemporaryDirectory(dir=_IN_MEMORY if _IN_MEMORY.is_dir() else None) as folder:
        yield Path(folder).resolve()


@contextmanager
def desk_in(folder: Path, environment: Mapping[str, str] | None = None) -> Generator[Desk]:
    with Children() as children:
        yield Desk(folder, children, environment)


@contextmanager
def a_desk(environment: Mapping[str, str] | None = None) -> Generator[Desk]:
    with quick_folder() as folder, desk_in(folder, environment) as desk:
        yield desk
