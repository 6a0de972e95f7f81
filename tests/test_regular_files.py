"""A file is read; what only has a file's name is refused at once, and nobody is kept waiting."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from sightline.regular_files import NotRegular, read_regular


def test_a_file_is_read_through_a_link_and_up_to_the_limit(tmp_path: Path) -> None:
    (tmp_path / "kept").write_bytes(b"a\r\n\x00b")
    (tmp_path / "link").symlink_to("kept")
    assert read_regular(tmp_path / "link") == b"a\r\n\x00b"
    assert read_regular(tmp_path / "link", 2) == b"a\r"


def test_a_pipe_a_folder_a_device_and_a_socket_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the name of a socket may not be long
    os.mkfifo("pipe")
    Path("folder").mkdir()
    Path("device").symlink_to("/dev/zero")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        for name in ("pipe", "folder", "device", "socket"):
            with pytest.raises(NotRegular, match="not a regular file"):
                read_regular(Path(name))


def test_a_missing_file_is_missing_and_a_masked_one_is_empty(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_regular(tmp_path / "none")
    (tmp_path / "masked").symlink_to(os.devnull)
    assert read_regular(tmp_path / "masked") == b""


def test_looking_at_a_pipe_does_not_wake_who_waits_to_write_to_it(tmp_path: Path) -> None:
    """A writer that has been woken would write to nobody, and be killed for it."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    writer = os.open(pipe, os.O_WRONLY)
    os.write(writer, b"for somebody else")
    with pytest.raises(NotRegular):
        read_regular(pipe)
    assert os.read(reader, 100) == b"for somebody else"
    os.close(reader)
    os.close(writer)
