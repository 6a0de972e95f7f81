"""Every change of anything that was noted, one at a time, ends the answer."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable, Generator
from dataclasses import replace
from pathlib import Path

import pytest

from sightline.sync.unchanged.snapshot import Snapshot, read_snapshot
from sightline.sync.unchanged.stamps import look_at
from tests.sync.unchanged.scene import Scene, make_scene

Change = Callable[[Path], contextlib.AbstractContextManager[None]]


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    made = make_scene(tmp_path_factory.mktemp("changes"))
    made.run("--scope", "all", "--yes")
    return made


@pytest.fixture(scope="module")
def snapshot(scene: Scene) -> Snapshot:
    found = read_snapshot(scene.snapshots[0])
    assert found is not None
    return found


def holds(snapshot: Snapshot, scene: Scene) -> bool:
    return snapshot.holds(snapshot.program, scene.line.environment(**scene.environment({})))


@contextlib.contextmanager
def rewritten(path: Path) -> Generator[None]:
    """Other bytes of the same number, and the time of the last write set back."""
    before, seen = path.read_bytes(), path.stat()
    path.write_bytes(before[:-1] + bytes([before[-1] ^ 1]))
    os.utime(path, ns=(seen.st_atime_ns, seen.st_mtime_ns))
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (seen.st_size, seen.st_mtime_ns)
    yield
    path.write_bytes(before)


@contextlib.contextmanager
def emptied(path: Path) -> Generator[None]:
    before = path.read_bytes()
    path.write_bytes(b"")
    yield
    path.write_bytes(before)


@contextlib.contextmanager
def taken_away(path: Path) -> Generator[None]:
    away = path.with_name(f"{path.name}.away")
    path.rename(away)
    yield
    away.rename(path)


@contextlib.contextmanager
def made_runnable(path: Path) -> Generator[None]:
    before = path.stat().st_mode
    path.chmod(before ^ 0o100)
    yield
    path.chmod(before)


@contextlib.contextmanager
def behind_a_link(path: Path) -> Generator[None]:
    """The very same file or folder, but by a link."""
    away = path.with_name(f"{path.name}.away")
    path.rename(away)
    path.symlink_to(away)
    yield
    path.unlink()
    away.rename(path)


@contextlib.contextmanager
def led_elsewhere(path: Path) -> Generator[None]:
    """The link leads to an equal copy."""
    target = path.readlink()
    copy = path.with_name(f"{path.name}.copy")
    shutil.copytree(path, copy) if path.is_dir() else shutil.copy2(path, copy)
    path.unlink()
    path.symlink_to(copy)
    yield
    path.unlink()
    path.symlink_to(target)
    shutil.rmtree(copy) if copy.is_dir() else copy.unlink()


@contextlib.contextmanager
def with_a_new_file(path: Path) -> Generator[None]:
    new = path / "new.md"
    new.write_text("new")
    yield
    new.unlink()


@contextlib.contextmanager
def with_a_new_folder(path: Path) -> Generator[None]:
    (path / "new").mkdir()
    yield
    (path / "new").rmdir()


@contextlib.contextmanager
def put_there(path: Path) -> Generator[None]:
    """A file where none was, with the folders that it needs."""
    missing = [folder for folder in path.parents if not folder.exists()]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("new")
    yield
    path.unlink()
    for folder in missing:
        folder.rmdir()


def changes_of(path: Path, noted: list[str]) -> list[Change]:
    """What can happen to a path that matters."""
    is_used = len(noted) > 1
    if path.name == "..":
        return []
    if noted[0] == "-":
        return [] if any(each.is_file() for each in path.parents) else [put_there]
    if path.is_symlink():
        return [taken_away, led_elsewhere]
    if path.is_dir():
        return [taken_away, behind_a_link, *([with_a_new_file, with_a_new_folder] if is_used else [])]
    if not path.is_file() or not path.stat().st_size:
        return [taken_away]
    return [taken_away, behind_a_link, made_runnable, *([rewritten, emptied] if is_used else [])]


def test_an_answer_holds_while_nothing_changes(scene: Scene, snapshot: Snapshot) -> None:
    assert holds(snapshot, scene)
    assert not snapshot.holds("another program", scene.line.environment(**scene.environment({})))


@pytest.mark.parametrize("is_by_stamp", [True, False], ids=["by stamp", "by content"])
def test_every_change_of_every_path_ends_it(scene: Scene, snapshot: Snapshot, is_by_stamp: bool) -> None:
    tried: list[str] = []
    for name, noted in snapshot.paths.items():
        path = Path(name)
        if not path.is_relative_to(scene.root) or path == scene.root:
            continue
        for change in changes_of(path, noted):
            alone = replace(snapshot, variables={}, paths={name: _noted(name, noted, is_by_stamp)})
            assert alone.holds(snapshot.program, {}), f"{name} is not as it was noted"
            with change(path):
                is_still = alone.holds(snapshot.program, {})
            assert not is_still, f"{getattr(change, '__name__', change)}: {name}"
            tried.append(name)
    assert len(tried) > 300
    assert len(set(tried)) > 150


def _noted(name: str, noted: list[str], is_by_stamp: bool) -> list[str]:
    """As for a file that is older than the run, or for one that is not."""
    if len(noted) == 1 or not is_by_stamp:
        return noted
    return [noted[0], look_at(name).stamp, ""]


def test_every_change_of_a_variable_ends_it(scene: Scene, snapshot: Snapshot) -> None:
    environment = scene.line.environment(**scene.environment({}))
    for name in snapshot.variables:
        assert not snapshot.holds(snapshot.program, {**environment, name: "/another"}), name
    given = [name for name, value in snapshot.variables.items() if value is not None]
    assert given
    for name in given:
        assert not snapshot.holds(
            snapshot.program, {key: value for key, value in environment.items() if key != name}
        ), name


def test_a_file_that_is_written_again_with_the_same_bytes_ends_nothing(scene: Scene, snapshot: Snapshot) -> None:
    file = scene.line.project / "CLAUDE.md"
    content = file.read_bytes()
    file.unlink()
    file.write_bytes(content)

    assert holds(snapshot, scene)
