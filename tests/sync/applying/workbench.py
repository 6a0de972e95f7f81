"""A project and a home folder with targets that want what a test says, and everything that a sync needs around them."""

from __future__ import annotations

import stat
from collections.abc import Mapping
from pathlib import Path

from sightline.sync.applying import AppliedPlan, SourceView, Syncing, SyncPlaces, SyncSettings, SyncWish
from sightline.sync.formats.three_way import Choice
from sightline.sync.formats.values import KeyPath, Value
from sightline.sync.outputs import Output, OutputScope, OwnedBlock, OwnedFile, OwnedKeys, Rendered
from sightline.sync.planning import Blocked, Plan
from sightline.sync.secrets import SecretValues
from sightline.transactions import Disk

Picture = dict[str, tuple[int, bytes | str | None]]


class Workbench:
    """`wants` is what each target should hold; a test changes it as a user would change the source."""

    def __init__(
        self, folder: Path, *, scopes: tuple[OutputScope, ...] = ("project",), disk: Disk | None = None
    ) -> None:
        self.project, self.home, self.own = folder / "project", folder / "home", folder / "own"
        self.project.mkdir(parents=True, exist_ok=True)
        self.home.mkdir(parents=True, exist_ok=True)
        self.wants: dict[str, list[Output]] = {}
        self.blocked = Blocked()
        self.secrets = SecretValues()
        self.now = 1_800_000_000.0
        self.scopes, self.disk, self.kept, self.wait_s, self.allow_secrets = scopes, disk, 10, 0.0, False

    @property
    def syncing(self) -> Syncing:
        roots: Mapping[OutputScope, Path] = {"project": self.project, "user": self.home}
        settings = SyncSettings(
            SyncPlaces(self.own),
            {scope: roots[scope] for scope in self.scopes},
            (self.project, self.home),
            self.project,
            lambda: self.now,
            wait_s=self.wait_s,
            backups_kept=self.kept,
            allow_secrets=self.allow_secrets,
        )
        return Syncing(settings, self.view, disk=self.disk)

    def view(self) -> SourceView:
        rendered = {target: Rendered(tuple(outputs)) for target, outputs in self.wants.items()}
        return SourceView(rendered, (), self.blocked, self.secrets)

    def plan(self, only: str | None = None, choices: Mapping[str, Choice] | None = None) -> Plan:
        return self.syncing.plan(SyncWish(frozenset({only}) if only else None, choices or {}))

    def sync(self, only: str | None = None, choices: Mapping[str, Choice] | None = None) -> AppliedPlan:
        wish = SyncWish(frozenset({only}) if only else None, choices or {})
        return self.syncing.apply(self.syncing.plan(wish).plan_id, wish)

    def file(self, name: str, content: bytes, *, source: str = "skill:s@project", mode: int = 0o644) -> OwnedFile:
        return OwnedFile(self.project / name, content, "project", (source,), mode)

    def toml(self, name: str, values: Mapping[KeyPath, Value], source: str = "mcp:m@project") -> OwnedKeys:
        return OwnedKeys(self.project / name, "toml", values, "project", dict.fromkeys(values, source))

    def json(self, name: str, values: Mapping[KeyPath, Value], source: str = "mcp:m@project") -> OwnedKeys:
        return OwnedKeys(self.project / name, "jsonc", values, "project", dict.fromkeys(values, source))

    def block(self, name: str, text: str, source: str = "instructions:i@project") -> OwnedBlock:
        return OwnedBlock(self.project / name, "instructions", text, "project", (source,))

    def write(self, name: str, content: bytes) -> Path:
        path = self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return path

    def read(self, name: str) -> bytes:
        return (self.project / name).read_bytes()


def picture(root: Path) -> Picture:
    """Every file, link and folder with mode and content."""
    seen: Picture = {}
    for path in sorted(root.rglob("*")):
        name, mode = path.relative_to(root).as_posix(), stat.S_IMODE(path.lstat().st_mode)
        if path.is_symlink():
            seen[name] = (0, str(path.readlink()))
        else:
            seen[name] = (mode, path.read_bytes() if path.is_file() else None)
    return seen


def times(root: Path) -> dict[str, int]:
    return {str(path): path.lstat().st_mtime_ns for path in [root, *root.rglob("*")]}
