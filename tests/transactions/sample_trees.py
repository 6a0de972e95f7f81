"""A tree with one file of each kind, the changes to make in it, and pictures of trees to compare."""

from __future__ import annotations

import stat
from pathlib import Path

from sightline.transactions import FileChange

Picture = dict[str, tuple[int, bytes | str | None]]


def picture(root: Path) -> Picture:
    """Every entry below a root: its mode, and its bytes or where it leads."""
    found: Picture = {}
    for path in sorted(root.rglob("*")):
        mode = path.lstat().st_mode
        content = str(path.readlink()) if stat.S_ISLNK(mode) else path.read_bytes() if stat.S_ISREG(mode) else None
        found[path.relative_to(root).as_posix()] = (mode, content)
    return found


def plant(root: Path) -> None:
    """Files that differ in what must survive: mode, links, line endings, emptiness."""
    for folder in ("sub", "real", "twins"):
        (root / folder).mkdir(parents=True)
    (root / "a.txt").write_bytes(b"one\r\ntwo\r\n")
    (root / "a.txt").chmod(0o640)
    (root / "sub" / "moved.txt").write_bytes(b"\xff\xfe moved")
    (root / "real" / "target.txt").write_bytes(b"behind a link")
    (root / "link.txt").symlink_to("real/target.txt")
    (root / "twins" / "hard.txt").write_bytes(b"two names")
    (root / "twins" / "other.txt").hardlink_to(root / "twins" / "hard.txt")
    (root / "run.sh").write_bytes(b"#!/bin/sh\n")
    (root / "run.sh").chmod(0o600)
    (root / "bystander.txt").write_bytes(b"not ours")


def changes_in(root: Path) -> list[FileChange]:
    """A change of content, a move into new folders, one through a link, one of twins, one of mode, a new empty file."""
    return [
        FileChange(root / "a.txt", b"one\r\ntwo\r\n", b"uno\r\ndos\r\n"),
        FileChange(root / "sub" / "moved.txt", b"\xff\xfe moved", None),
        FileChange(root / "new" / "deep" / "moved.txt", None, b"\xff\xfe moved"),
        FileChange(root / "link.txt", b"behind a link", b"through the link"),
        FileChange(root / "twins" / "hard.txt", b"two names", b"one name"),
        FileChange(root / "run.sh", b"#!/bin/sh\n", b"#!/bin/sh\n", mode=0o755),
        FileChange(root / "empty.txt", None, b"", mode=0o604),
    ]


def expected_after(root: Path) -> Picture:
    """The picture that the changes shall give, by plain writing into another tree."""
    plant(root)
    (root / "a.txt").write_bytes(b"uno\r\ndos\r\n")
    (root / "new" / "deep").mkdir(parents=True)
    (root / "sub" / "moved.txt").replace(root / "new" / "deep" / "moved.txt")
    (root / "real" / "target.txt").write_bytes(b"through the link")
    (root / "twins" / "hard.txt").unlink()
    (root / "twins" / "hard.txt").write_bytes(b"one name")
    (root / "run.sh").chmod(0o755)
    (root / "empty.txt").touch()
    (root / "empty.txt").chmod(0o604)
    return picture(root)


def is_clean(journal: Path) -> bool:
    """Whether no transaction is remembered, and nothing is kept for a person."""
    return not journal.exists() or {path.name for path in journal.iterdir()} <= {"lock"}
