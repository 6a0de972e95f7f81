"""Which files changed, by both ways of looking, against a comparison of everything by content."""

from __future__ import annotations

import os
import random
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from sightline.file_changes import Changes, FileChanges, TreeFilter

Snapshot = dict[str, bytes]

BOTH_WAYS = pytest.mark.parametrize("use_kernel", [True, False], ids=["kernel", "sweep"])
SOURCES = (".py", ".pyi")
SEEDS = range(12)
LOOKS = 30


def which() -> TreeFilter:
    return TreeFilter(
        is_source=lambda name: name.endswith(SOURCES),
        is_skipped=lambda entry: entry.name.startswith(".") or entry.name == "node_modules",
    )


def snapshot(folder: Path) -> Snapshot:
    """Every source file by the path it is reached by; a link back up is not followed."""
    found: Snapshot = {}
    for entry in folder.iterdir():
        if entry.is_dir():
            is_loop = entry.is_symlink() and entry.parent.resolve().is_relative_to(entry.resolve())
            if not is_loop and not entry.name.startswith(".") and entry.name != "node_modules":
                found.update(snapshot(entry))
        elif entry.name.endswith(SOURCES) and entry.is_file():
            found[str(entry)] = entry.read_bytes()
    return found


class Tree:
    """A folder of sources that random edits are made to."""

    def __init__(self, root: Path, seed: int) -> None:
        self.root = root
        self.rng = random.Random(seed)
        for name in ("a", "b", "a/c", "node_modules"):
            (root / name).mkdir()
        for number in range(8):
            (self.any_folder() / f"f{number}.py").write_text("x")

    def folders(self) -> list[Path]:
        """Real folders only: an edit through a link would be seen in two places, and done in one."""
        return sorted(Path(folder) for folder, _, _ in os.walk(self.root))

    def any_folder(self) -> Path:
        return self.rng.choice(self.folders())

    def any_inner_folder(self) -> Path | None:
        return self.rng.choice(self.folders()[1:] or [None])

    def files(self) -> list[Path]:
        return sorted(Path(folder) / name for folder, _, names in os.walk(self.root) for name in names)

    def any_file(self) -> Path | None:
        readable = [path for path in self.files() if path.is_file() and path.suffix in SOURCES]
        return self.rng.choice(readable or [None])

    def free_name(self, suffix: str = ".py") -> Path:
        while (path := self.any_folder() / f"n{self.rng.randrange(999)}{suffix}").is_symlink() or path.exists():
            pass
        return path

    def content(self) -> str:
        return str(self.rng.random())


def write(tree: Tree) -> None:
    if file := tree.any_file():
        file.write_text(tree.content())


def rewrite_without_a_trace(tree: Tree) -> None:
    """Same size, same mtime."""
    if file := tree.any_file():
        before = file.stat()
        file.write_bytes(bytes(tree.rng.randrange(65, 90) for _ in range(before.st_size)))
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


def create(tree: Tree) -> None:
    tree.free_name().write_text(tree.content())


def create_something_else(tree: Tree) -> None:
    tree.free_name(".txt").write_text(tree.content())


def delete(tree: Tree) -> None:
    if file := tree.any_file():
        file.unlink()


def rename(tree: Tree) -> None:
    if file := tree.any_file():
        file.rename(tree.free_name(tree.rng.choice((".py", ".pyi", ".txt"))))


def rename_over_another(tree: Tree) -> None:
    file, other = tree.any_file(), tree.any_file()
    if file and other:
        file.replace(other)


def replace_atomically(tree: Tree) -> None:
    if file := tree.any_file():
        spare = file.with_name("spare.tmp")
        spare.write_text(tree.content())
        spare.replace(file)


def swap(tree: Tree) -> None:
    file, other = tree.any_file(), tree.any_file()
    if file and other and file != other:
        spare = tree.root / "spare.tmp"
        file.rename(spare)
        other.rename(file)
        spare.rename(other)


def make_folder(tree: Tree) -> None:
    folder = tree.free_name("")
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "inner.py").write_text(tree.content())


def move_folder(tree: Tree) -> None:
    folder, target = tree.any_inner_folder(), tree.free_name("")
    if folder and not target.is_relative_to(folder):
        folder.rename(target)


def swap_folders(tree: Tree) -> None:
    folder, other = tree.any_inner_folder(), tree.any_inner_folder()
    if folder and other and not folder.is_relative_to(other) and not other.is_relative_to(folder):
        spare = tree.root / ".spare"
        folder.rename(spare)
        other.rename(folder)
        spare.rename(other)


def remove_folder(tree: Tree) -> None:
    if folder := tree.any_inner_folder():
        shutil.rmtree(folder)


def remove_folder_and_make_it_again(tree: Tree) -> None:
    if folder := tree.any_inner_folder():
        shutil.rmtree(folder)
        folder.mkdir()
        (folder / "again.py").write_text(tree.content())


def link_to_a_file(tree: Tree) -> None:
    if file := tree.any_file():
        tree.free_name().symlink_to(file)


def link_to_a_folder_above(tree: Tree) -> None:
    folder = tree.any_folder()
    link = folder / f"up{tree.rng.randrange(99)}"
    if not link.is_symlink() and not link.exists():
        link.symlink_to(tree.rng.choice([".", ".." if folder != tree.root else "."]))


def link_to_nothing(tree: Tree) -> None:
    tree.free_name().symlink_to("nowhere.py")


def change_mode(tree: Tree) -> None:
    if file := tree.any_file():
        file.chmod(0o600 if tree.rng.random() < 0.5 else 0o644)


EDITS: tuple[Callable[[Tree], None], ...] = (
    write,
    rewrite_without_a_trace,
    create,
    create_something_else,
    delete,
    rename,
    rename_over_another,
    replace_atomically,
    swap,
    make_folder,
    move_folder,
    swap_folders,
    remove_folder,
    remove_folder_and_make_it_again,
    link_to_a_file,
    link_to_a_folder_above,
    link_to_nothing,
    change_mode,
)


def assert_seen(changes: Changes, before: Snapshot, now: Snapshot, done: list[str]) -> None:
    """`changed` may name more than differs, and nothing that is not there."""
    assert changes.created == now.keys() - before.keys(), done
    assert changes.deleted == before.keys() - now.keys(), done
    assert changes.changed >= {path for path in now.keys() & before.keys() if now[path] != before[path]}, done
    assert changes.changed <= now.keys() & before.keys(), done


@BOTH_WAYS
@pytest.mark.parametrize("seed", SEEDS)
def test_every_look_finds_what_a_comparison_by_content_finds(tmp_path: Path, seed: int, use_kernel: bool) -> None:
    tree = Tree(tmp_path.resolve(), seed)
    with closing(FileChanges(tree.root, which(), use_kernel=use_kernel)) as changes:
        assert changes.is_watched_by_kernel == use_kernel
        before = snapshot(tree.root)
        done: list[str] = []

        for _ in range(LOOKS):
            for _ in range(tree.rng.randint(0, 4)):
                edit = tree.rng.choice(EDITS)
                done.append(edit.__name__)
                edit(tree)
            seen = changes.look()
            now = snapshot(tree.root)
            assert_seen(seen, before, now, done)
            assert set(changes.files) == now.keys(), done
            before = now
            done.append("look")


@BOTH_WAYS
def test_a_look_at_a_tree_that_nobody_touched_finds_nothing(tmp_path: Path, use_kernel: bool) -> None:
    tree = Tree(tmp_path.resolve(), 0)
    with closing(FileChanges(tree.root, which(), use_kernel=use_kernel)) as changes:
        assert [bool(changes.look()) for _ in range(3)] == [False, False, False]


@BOTH_WAYS
def test_a_folder_without_sources_is_seen_to_come_and_go(tmp_path: Path, use_kernel: bool) -> None:
    root = tmp_path.resolve()
    with closing(FileChanges(root, which(), use_kernel=use_kernel)) as changes:
        (root / "empty").mkdir()
        came = changes.look()
        (root / "empty").rmdir()
        went = changes.look()

    assert came == went == Changes(folders=frozenset({str(root / "empty")}))


@BOTH_WAYS
def test_only_links_within_the_tree_give_its_files_second_paths(tmp_path: Path, use_kernel: bool) -> None:
    root, outside = tmp_path.resolve() / "root", tmp_path.resolve() / "outside"
    for folder in (root / "real", outside):
        folder.mkdir(parents=True)
    (root / "notes.txt").symlink_to("real")
    (root / "away").symlink_to(outside)
    with closing(FileChanges(root, which(), use_kernel=use_kernel)) as changes:
        before = changes.has_links
        (outside / "link").symlink_to(outside)
        (root / "notes.txt").unlink()
        changes.look()
        between = changes.has_links
        (root / "linked").symlink_to("real")
        changes.look()

        assert [before, between, changes.has_links] == [True, False, True]


@BOTH_WAYS
def test_a_file_that_a_link_points_to_is_seen_to_change_through_the_link(tmp_path: Path, use_kernel: bool) -> None:
    outside = tmp_path.resolve() / "outside.py"
    outside.write_text("1")
    root = tmp_path.resolve() / "root"
    root.mkdir()
    (root / "link.py").symlink_to(outside)
    with closing(FileChanges(root, which(), use_kernel=use_kernel)) as changes:
        outside.write_text("2")

        assert changes.look().changed == {str(root / "link.py")}


@BOTH_WAYS
def test_files_in_a_linked_folder_are_seen_to_come_change_and_go(tmp_path: Path, use_kernel: bool) -> None:
    outside = tmp_path.resolve() / "outside"
    outside.mkdir()
    (outside / "old.py").write_text("1")
    root = tmp_path.resolve() / "root"
    root.mkdir()
    (root / "link").symlink_to(outside, target_is_directory=True)
    with closing(FileChanges(root, which(), use_kernel=use_kernel)) as changes:
        assert set(changes.files) == {str(root / "link" / "old.py")}

        (outside / "old.py").write_text("2")
        (outside / "new.py").write_text("1")
        first = changes.look()
        (outside / "old.py").unlink()
        second = changes.look()

        assert (first.created, first.changed) == ({str(root / "link" / "new.py")}, {str(root / "link" / "old.py")})
        assert second.deleted == {str(root / "link" / "old.py")}


@BOTH_WAYS
def test_what_happens_in_a_folder_that_is_reached_twice_is_seen(tmp_path: Path, use_kernel: bool) -> None:
    root = tmp_path.resolve()
    (root / "real").mkdir()
    (root / "real" / "a.py").write_text("1")
    (root / "alias").symlink_to(root / "real", target_is_directory=True)
    with closing(FileChanges(root, which(), use_kernel=use_kernel)) as changes:
        (root / "real" / "a.py").write_text("2")
        (root / "real" / "b.py").write_text("1")
        seen = changes.look()

        assert {Path(path).resolve() for path in seen.changed} == {root / "real" / "a.py"}
        assert {Path(path).resolve() for path in seen.created} == {root / "real" / "b.py"}


@BOTH_WAYS
def test_a_tree_that_is_gone_has_lost_all_its_files(tmp_path: Path, use_kernel: bool) -> None:
    root = tmp_path.resolve() / "root"
    root.mkdir()
    (root / "a.py").write_text("1")
    with closing(FileChanges(root, which(), use_kernel=use_kernel)) as changes:
        shutil.rmtree(root)

        assert changes.look().deleted == {str(root / "a.py")}
        assert not changes.files


@BOTH_WAYS
def test_a_folder_whose_parent_is_moved_away_and_back_is_still_looked_at(tmp_path: Path, use_kernel: bool) -> None:
    root = tmp_path.resolve()
    (root / "a" / "b").mkdir(parents=True)
    file = root / "a" / "b" / "f.py"
    file.write_text("1")
    with closing(FileChanges(root, which(), use_kernel=use_kernel)) as changes:
        (root / "a").rename(root / "elsewhere")
        (root / "elsewhere").rename(root / "a")
        changes.look()
        file.write_text("2")

        assert changes.look().changed == {str(file)}


def test_a_folder_on_another_device_makes_every_look_look_everywhere(other_device: Path, tmp_path: Path) -> None:
    root = tmp_path.resolve()
    (root / "near.py").write_text("1")
    (other_device / "far.py").write_text("1")
    with closing(FileChanges(root, which())) as changes:
        assert changes.is_watched_by_kernel

        (root / "link").symlink_to(other_device, target_is_directory=True)
        assert changes.look().created == {str(root / "link" / "far.py")}
        assert not changes.is_watched_by_kernel
        (other_device / "far.py").write_text("2")
        (root / "near.py").write_text("2")

        assert changes.look().changed == {str(root / "link" / "far.py"), str(root / "near.py")}


def test_an_overflow_of_the_kernels_queue_makes_the_look_look_everywhere(tmp_path: Path) -> None:
    root = tmp_path.resolve()
    most = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    for name in ("first.py", "last.py", "gone.py"):
        (root / name).write_text("1")
    with closing(FileChanges(root, which())) as changes:
        flood = [root / f"{number}.txt" for number in range(2)]
        for _ in range(most // 2 + 10):
            for file in flood:
                file.touch()
        (root / "last.py").write_text("2")
        (root / "new.py").write_text("1")
        (root / "gone.py").unlink()
        seen = changes.look()

        assert (seen.created, seen.deleted) == ({str(root / "new.py")}, {str(root / "gone.py")})
        assert str(root / "last.py") in seen.changed


def test_after_an_overflow_the_kernel_is_relied_on_again(tmp_path: Path) -> None:
    root = tmp_path.resolve()
    most = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    (root / "a.py").write_text("1")
    with closing(FileChanges(root, which())) as changes:
        flood = [root / f"{number}.txt" for number in range(2)]
        for _ in range(most // 2 + 10):
            for file in flood:
                file.touch()
        changes.look()

        (root / "folder").mkdir()
        (root / "folder" / "b.py").write_text("1")
        first = changes.look()
        (root / "a.py").write_text("2")
        (root / "folder" / "b.py").write_text("2")
        second = changes.look()

        assert first.created == {str(root / "folder" / "b.py")}
        assert second.changed == {str(root / "a.py"), str(root / "folder" / "b.py")}


@BOTH_WAYS
def test_closing_twice_is_closing_once_and_looking_goes_on(tmp_path: Path, use_kernel: bool) -> None:
    root = tmp_path.resolve()
    (root / "a.py").write_text("1")
    with closing(FileChanges(root, which(), use_kernel=use_kernel)) as changes:
        changes.close()
        changes.close()
        (root / "b.py").write_text("1")

        assert not changes.is_watched_by_kernel
        assert changes.look().created == {str(root / "b.py")}


def test_a_change_right_after_closing_is_not_lost_for_want_of_a_digest(tmp_path: Path) -> None:
    """While the kernel watches, fresh files are remembered without their content."""
    root = tmp_path.resolve()
    file = root / "a.py"
    file.write_text("1")
    with closing(FileChanges(root, which())) as changes:
        before = file.stat()

        changes.close()
        file.write_text("2")
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))

        assert changes.look().changed == {str(file)}


@BOTH_WAYS
def test_sizes_are_those_of_the_last_look(tmp_path: Path, use_kernel: bool) -> None:
    root = tmp_path.resolve()
    file = root / "a.py"
    file.write_text("123")
    with closing(FileChanges(root, which(), use_kernel=use_kernel)) as changes:
        file.write_text("12345")
        old = changes.size_of(str(file))
        changes.look()

        assert (old, changes.size_of(str(file)), changes.size_of("/nowhere.py")) == (3, 5, 0)


@pytest.fixture
def other_device(tmp_path: Path) -> Iterator[Path]:
    """A folder on another device, which this machine may not have."""
    shared = Path("/dev/shm")
    if not os.access(shared, os.W_OK) or shared.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("there is no other device to write to")
    with tempfile.TemporaryDirectory(dir=shared) as folder:
        yield Path(folder)
