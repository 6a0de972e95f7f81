"""Which paths a git checkout tracks, read from its index.

No git is asked: a repository's own settings can make git run programs.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

_HEADER = struct.Struct(">4sII")
_FIXED = 62
_EXTENDED = 0x4000
_NAME_LENGTH = 0xFFF


class UnreadableIndex(Exception):
    """The index is of a form that this reader does not know."""


def tracked_paths(repository: Path) -> Iterator[bytes]:
    """The tracked paths, relative to the repository; none if there is no index. Raises `UnreadableIndex`."""
    try:
        content = _index_file(repository / ".git").read_bytes()
    except OSError:
        return
    except ValueError:
        raise UnreadableIndex(str(repository)) from None
    try:
        yield from _entries(content)
    except (struct.error, ValueError, IndexError):
        raise UnreadableIndex(str(repository)) from None


def _index_file(git: Path) -> Path:
    """In a worktree or submodule `.git` is a file that names the folder."""
    if git.is_dir():
        return git / "index"
    return git.parent / git.read_text(encoding="utf-8").removeprefix("gitdir:").strip() / "index"


def _entries(content: bytes) -> Iterator[bytes]:
    magic, version, count = _HEADER.unpack_from(content)
    if magic != b"DIRC" or version not in (2, 3, 4):
        raise ValueError(version)
    position, name = _HEADER.size, b""
    for _ in range(count):
        start = position
        (flags,) = struct.unpack_from(">H", content, position + _FIXED - 2)
        position += _FIXED + (2 if flags & _EXTENDED else 0)
        if version == 4:
            stripped, position = _offset_number(content, position)
            name = name[: len(name) - stripped]
        else:
            name = b""
        end = content.index(b"\0", position)
        name += content[position:end]
        if flags & _NAME_LENGTH != min(len(name), _NAME_LENGTH):
            raise ValueError(name)
        position = end + 1 if version == 4 else start + (end - start + 8) // 8 * 8
        yield name
    if content[position : position + 4] == b"link":
        raise ValueError("split index")


def _offset_number(content: bytes, position: int) -> tuple[int, int]:
    """Git's variable-length number, as the compressed form uses it."""
    byte = content[position]
    value = byte & 0x7F
    while byte & 0x80:
        position += 1
        byte = content[position]
        value = ((value + 1) << 7) | (byte & 0x7F)
    return value, position + 1
