"""Which paths a call may touch, and what is said about the others."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sightline.errors import ErrorKind, ToolFailure
from sightline.paths import PathPolicy
from tests.projects.unprivileged import open_folder, without_privileges


def policy_of(root: Path, *more: Path, readable: tuple[Path, ...] = ()) -> PathPolicy:
    root.mkdir(exist_ok=True)
    return PathPolicy(root, (root, *more), readable)


def refusal(policy: PathPolicy, text: str, *, for_reading_only: bool = False) -> ToolFailure:
    with pytest.raises(ToolFailure) as caught:
        policy.resolve(text, for_reading_only=for_reading_only)
    assert caught.value.next_steps, "a refusal says what to do"
    return caught.value


@pytest.mark.parametrize("text", ["src/a.py", "./src/a.py", "src//a.py", "src/../src/a.py", "../root/src/a.py"])
def test_relative_paths_are_taken_from_the_root(tmp_path: Path, text: str) -> None:
    policy = policy_of(tmp_path / "root")
    (policy.root / "src").mkdir()
    (policy.root / "src" / "a.py").touch()

    assert policy.resolve(text) == policy.root / "src" / "a.py"


def test_absolute_paths_inside_the_root_are_accepted(tmp_path: Path) -> None:
    policy = policy_of(tmp_path / "root")
    (policy.root / "a.py").touch()

    assert policy.resolve(str(policy.root / "a.py")) == policy.root / "a.py"
    assert policy.resolve(str(policy.root)) == policy.root
    assert policy.resolve(".") == policy.root


@pytest.mark.parametrize("name", ["a.py", "with space.py", "100%.py", "a#b?c.py", "naïve.py", "模块.py", "😀.py"])
def test_file_uris_are_decoded(tmp_path: Path, name: str) -> None:
    policy = policy_of(tmp_path / "root")
    file = policy.root / name
    file.touch()

    assert policy.resolve(file.as_uri()) == file
    assert policy.resolve(file.as_uri().replace("file:///", "file://localhost/")) == file


def test_a_percent_sign_in_a_plain_path_is_not_decoded(tmp_path: Path) -> None:
    policy = policy_of(tmp_path / "root")
    (policy.root / "a%20b.py").touch()

    assert policy.resolve("a%20b.py") == policy.root / "a%20b.py"


@pytest.mark.parametrize(
    "text", ["http://example.com/a.py", "file://other-host/a.py", "untitled://a.py", "vscode://file/a.py", "http://["]
)
def test_other_addresses_are_refused(tmp_path: Path, text: str) -> None:
    assert refusal(policy_of(tmp_path / "root"), text).kind is ErrorKind.INVALID_PARAMS


@pytest.mark.parametrize("text", ["", "  ", "\n", "a\0.py", "file:///a%00.py"])
def test_empty_paths_and_nul_are_refused_in_words(tmp_path: Path, text: str) -> None:
    failure = refusal(policy_of(tmp_path / "root"), text)

    assert failure.kind is ErrorKind.INVALID_PARAMS
    assert "empty" in failure.message or "NUL" in failure.message


def test_a_text_that_no_file_name_can_be_is_refused(tmp_path: Path) -> None:
    assert refusal(policy_of(tmp_path / "root"), "a\ud800.py").kind is ErrorKind.INVALID_PARAMS


@pytest.mark.parametrize("text", ["n" * 300, "d/" * 3000 + "a.py", "n" * 1_000_000])
def test_a_name_too_long_for_the_system_is_no_matter_of_permissions(tmp_path: Path, text: str) -> None:
    failure = refusal(policy_of(tmp_path / "root"), text)

    assert failure.kind in (ErrorKind.INVALID_PARAMS, ErrorKind.FILE_NOT_FOUND)
    assert len(failure.message) < 500


@pytest.mark.parametrize(
    "text", ["..", "../outside/a.py", "src/../../outside/a.py", "/etc/passwd", "file:///etc/passwd"]
)
def test_paths_out_of_the_root_are_refused(tmp_path: Path, text: str) -> None:
    policy = policy_of(tmp_path / "root")
    (policy.root / "src").mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "a.py").touch()

    assert refusal(policy, text).kind is ErrorKind.PATH_NOT_ALLOWED


def test_a_root_is_not_a_prefix_of_its_neighbours_name(tmp_path: Path) -> None:
    (tmp_path / "root-two").mkdir()

    assert refusal(policy_of(tmp_path / "root"), str(tmp_path / "root-two")).kind is ErrorKind.PATH_NOT_ALLOWED


def test_symlinks_out_of_the_root_are_refused_and_those_within_are_followed(tmp_path: Path) -> None:
    policy = policy_of(tmp_path / "root")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.py").touch()
    (policy.root / "real.py").touch()
    (policy.root / "file.py").symlink_to(outside / "a.py")
    (policy.root / "folder").symlink_to(outside, target_is_directory=True)
    (policy.root / "chain.py").symlink_to("file.py")
    (policy.root / "inner.py").symlink_to("real.py")

    for text in ("file.py", "folder", "folder/a.py", "folder/missing.py", "chain.py"):
        assert refusal(policy, text).kind is ErrorKind.PATH_NOT_ALLOWED, text
    assert policy.resolve("inner.py") == policy.root / "real.py"


def test_a_dangling_symlink_says_nothing_about_its_target_outside(tmp_path: Path) -> None:
    policy = policy_of(tmp_path / "root")
    (policy.root / "dangling.py").symlink_to(tmp_path / "outside.py")

    assert refusal(policy, "dangling.py").kind is ErrorKind.PATH_NOT_ALLOWED


def test_a_symlink_loop_is_refused(tmp_path: Path) -> None:
    policy = policy_of(tmp_path / "root")
    (policy.root / "one").symlink_to("two")
    (policy.root / "two").symlink_to("one")

    for text in ("one", "one/a.py"):
        assert refusal(policy, text).kind is ErrorKind.INVALID_PARAMS


def test_what_exists_outside_is_refused_in_the_same_words_as_what_does_not(tmp_path: Path) -> None:
    policy = policy_of(tmp_path / "root")
    outside = tmp_path / "outside"
    outside.mkdir()
    os.mkfifo(outside / "fifo")
    (outside / "file").touch()
    (outside / "loop").symlink_to("loop")

    said = set[tuple[str, str]]()
    for name in ("missing", "fifo", "file", "file/below", "loop", "."):
        text = str(outside / name)
        failure = refusal(policy, text)
        said.add((failure.kind, failure.message.replace(text, "…")))

    assert len(said) == 1, said


def test_home_is_not_expanded(tmp_path: Path) -> None:
    policy = policy_of(tmp_path / "root")

    assert refusal(policy, "~/.ssh/id_rsa").kind is ErrorKind.FILE_NOT_FOUND
    (policy.root / "~").mkdir()
    assert policy.resolve("~") == policy.root / "~"


def test_a_missing_file_is_answered_with_the_nearest_name(tmp_path: Path) -> None:
    policy = policy_of(tmp_path / "root")
    (policy.root / "src").mkdir()
    (policy.root / "src" / "service.py").touch()

    failure = refusal(policy, "src/servcie.py")

    assert failure.kind is ErrorKind.FILE_NOT_FOUND
    assert failure.next_steps[0].message == "did you mean `src/service.py`?"


@pytest.mark.parametrize("text", ["nothing-alike", "no/such/folder/a.py", "file.py/below.py"])
def test_a_missing_file_without_a_like_name_is_answered_with_the_rule(tmp_path: Path, text: str) -> None:
    policy = policy_of(tmp_path / "root")
    (policy.root / "file.py").touch()

    failure = refusal(policy, text)

    assert failure.kind is ErrorKind.FILE_NOT_FOUND
    assert "relative to the project root" in failure.next_steps[0].message


def test_what_is_neither_file_nor_folder_is_refused(tmp_path: Path) -> None:
    policy = policy_of(tmp_path / "root")
    os.mkfifo(policy.root / "fifo.py")

    failure = refusal(policy, "fifo.py")

    assert failure.kind is ErrorKind.INVALID_PARAMS
    assert "neither a file nor a folder" in failure.message


def test_a_folder_where_a_file_is_needed_is_refused(tmp_path: Path) -> None:
    policy = policy_of(tmp_path / "root")
    (policy.root / "package").mkdir()
    (policy.root / "a.py").touch()

    assert policy.resolve_file("a.py") == policy.root / "a.py"
    with pytest.raises(ToolFailure, match="`package` is a folder") as caught:
        policy.resolve_file("package")
    assert caught.value.kind is ErrorKind.INVALID_PARAMS


@pytest.mark.parametrize("locked", ["secret.py", "private", "private/a.py"])
def test_what_may_not_be_read_is_said_to_be_so(locked: str) -> None:
    with open_folder() as folder:
        policy = PathPolicy(folder, (folder,))
        (folder / "secret.py").touch(mode=0o600)
        (folder / "private").mkdir(mode=0o700)
        (folder / "private" / "a.py").touch()
        if os.geteuid() != 0:
            (folder / "secret.py").chmod(0)
            (folder / "private").chmod(0)

        with without_privileges():
            failure = refusal(policy, locked)
        (folder / "private").chmod(0o700)

    assert failure.kind is ErrorKind.PERMISSION_DENIED
    assert f"`{locked}` cannot be read" in failure.message


def test_other_allowed_roots_are_reached_by_absolute_path(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    policy = policy_of(tmp_path / "root", other)

    assert policy.resolve(str(other)) == other
    assert policy.resolve("../other") == other


def test_installed_packages_are_reached_for_reading_only(tmp_path: Path) -> None:
    packages = tmp_path / "packages"
    packages.mkdir()
    (packages / "library.py").touch()
    policy = policy_of(tmp_path / "root", readable=(packages,))
    (policy.root / "link.py").symlink_to(packages / "library.py")

    assert policy.resolve_file(str(packages / "library.py"), for_reading_only=True) == packages / "library.py"
    assert policy.resolve("link.py", for_reading_only=True) == packages / "library.py"
    assert refusal(policy, str(packages / "library.py")).kind is ErrorKind.PATH_NOT_ALLOWED
    assert refusal(policy, "link.py").kind is ErrorKind.PATH_NOT_ALLOWED
    assert refusal(policy, str(tmp_path), for_reading_only=True).kind is ErrorKind.PATH_NOT_ALLOWED


def test_paths_are_shown_relative_where_they_can_be_and_hidden_where_they_must(tmp_path: Path) -> None:
    root, other, packages = tmp_path / "root", tmp_path / "other", tmp_path / "packages"
    policy = policy_of(root, other, readable=(packages,))

    assert policy.display(root / "src" / "a.py") == "src/a.py"
    assert policy.display(root) == "."
    assert policy.display(other / "a.py") == f"{other}/a.py"
    assert policy.display(packages / "a.py") == f"{packages}/a.py"
    assert policy.display(tmp_path / "private" / "a.py") == "<outside the project>/a.py"
