"""What counts as a source file, and what is said about the rest."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sightline.errors import ErrorKind, ToolFailure
from sightline.source_files import MAX_SOURCE_BYTES, SourceText, read_source
from tests.projects.unprivileged import open_folder, without_privileges


def refusal(path: Path) -> ToolFailure:
    with pytest.raises(ToolFailure) as caught:
        read_source(path, path.name)
    assert caught.value.next_steps, "a refusal says what to do"
    assert f"`{path.name}`" in caught.value.message
    return caught.value


def test_utf8_is_read_as_it_is_line_ends_included(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes("naïve = '😀'\r\n\r\x0c".encode())

    assert read_source(tmp_path / "a.py", "a.py") == SourceText("naïve = '😀'\r\n\r\x0c", is_utf8=True)


def test_a_byte_order_mark_is_not_part_of_the_text(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"\xef\xbb\xbfx = 1\n")

    assert read_source(tmp_path / "a.py", "a.py") == SourceText("x = 1\n", is_utf8=True, is_marked=True)


def test_other_encodings_are_read_with_replacement_characters_and_that_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes("# naïve\n".encode("latin-1"))

    assert read_source(tmp_path / "a.py", "a.py") == SourceText("# na\ufffdve\n", is_utf8=False)


@pytest.mark.parametrize("content", [b"\x7fELF\x02\x01\x01\x00", "x = 1\n".encode("utf-16")])
def test_a_binary_file_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.py").write_bytes(content)

    failure = refusal(tmp_path / "a.py")

    assert failure.kind is ErrorKind.INVALID_PARAMS
    assert "binary" in failure.message


def test_a_huge_file_is_refused_with_its_size_and_the_limit(tmp_path: Path) -> None:
    (tmp_path / "a.py").touch()
    os.truncate(tmp_path / "a.py", 50_000_000)

    failure = refusal(tmp_path / "a.py")

    assert failure.kind is ErrorKind.TOO_LARGE
    assert "50,000,000" in failure.message
    assert f"{MAX_SOURCE_BYTES:,}" in failure.message


def test_a_file_of_exactly_the_limit_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"#" * MAX_SOURCE_BYTES)

    assert len(read_source(tmp_path / "a.py", "a.py").text) == MAX_SOURCE_BYTES


def test_a_file_that_has_just_vanished_can_be_asked_for_again(tmp_path: Path) -> None:
    failure = refusal(tmp_path / "a.py")

    assert (failure.kind, failure.retryable) == (ErrorKind.FILE_NOT_FOUND, True)


def test_a_file_whose_folder_has_become_a_file_has_vanished_too(tmp_path: Path) -> None:
    (tmp_path / "package").touch()

    assert refusal(tmp_path / "package" / "a.py").kind is ErrorKind.FILE_NOT_FOUND


def test_a_file_that_may_not_be_read_is_said_to_be_so() -> None:
    with open_folder() as folder:
        file = folder / "a.py"
        file.touch(mode=0o600)
        if os.geteuid() != 0:
            file.chmod(0)

        with without_privileges():
            failure = refusal(file)

    assert failure.kind is ErrorKind.PERMISSION_DENIED
