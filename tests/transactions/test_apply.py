"""All files change, or none does; what a change does not speak of stays."""

from __future__ import annotations

import os
import re
import shutil
import stat
from pathlib import Path

import pytest

from sightline.transactions import FileChange, FileTransactions, NotRestored, Refused, StaleContent, WriteFailed
from tests.projects.unprivileged import open_folder, without_privileges
from tests.transactions.faulty_disks import FullDisk, LinklessDisk, SteppedDisk, Steps, say_no
from tests.transactions.sample_trees import changes_in, expected_after, is_clean, picture, plant


def test_all_files_become_new_and_nothing_is_left_behind(tmp_path: Path) -> None:
    plant(tmp_path / "tree")
    applied = FileTransactions(tmp_path / "journal").apply(changes_in(tmp_path / "tree"))
    assert picture(tmp_path / "tree") == expected_after(tmp_path / "expected")
    assert is_clean(tmp_path / "journal")
    assert len(applied.paths) == 7
    assert tmp_path / "tree" / "real" / "target.txt" in applied.paths


def test_a_hard_link_keeps_the_old_bytes_under_its_other_name_and_that_is_said(tmp_path: Path) -> None:
    plant(tmp_path / "tree")
    applied = FileTransactions(tmp_path / "journal").apply(changes_in(tmp_path / "tree"))
    assert (tmp_path / "tree" / "twins" / "other.txt").read_bytes() == b"two names"
    assert applied.parted == (tmp_path / "tree" / "twins" / "hard.txt",)


def test_a_file_that_moves_is_at_one_of_its_places_at_all_times(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_bytes(b"moved")
    seen: list[bool] = []
    disk = SteppedDisk(lambda _: seen.append(old.exists() or new.exists()))
    FileTransactions(tmp_path / "journal", disk=disk).apply(
        [FileChange(old, b"moved", None), FileChange(new, None, b"moved")]
    )
    assert all(seen)
    assert (old.exists(), new.read_bytes()) == (False, b"moved")


def test_the_owner_of_a_file_stays(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can have files of others")
    file = tmp_path / "file"
    file.write_bytes(b"old")
    os.chown(file, 65534, 65533)
    FileTransactions(tmp_path / "journal").apply([FileChange(file, b"old", b"new")])
    assert (file.stat().st_uid, file.stat().st_gid, file.read_bytes()) == (65534, 65533, b"new")


def test_a_new_file_gets_the_mode_that_every_new_file_gets(tmp_path: Path) -> None:
    (tmp_path / "usual").write_bytes(b"")
    FileTransactions(tmp_path / "journal").apply([FileChange(tmp_path / "file", None, b"")])
    assert (tmp_path / "file").stat().st_mode == (tmp_path / "usual").stat().st_mode


@pytest.mark.parametrize("disk", [SteppedDisk, LinklessDisk])
def test_a_failure_at_any_step_leaves_all_old_and_one_that_is_survived_all_new(
    quick_path: Path, disk: type[SteppedDisk]
) -> None:
    tree, journal = quick_path / "tree", quick_path / "journal"
    new = expected_after(quick_path / "expected")
    steps, at, failures = Steps(), 0, 0
    while at <= steps.count:
        shutil.rmtree(tree, ignore_errors=True)
        plant(tree)
        old = picture(tree)
        steps = Steps(at, say_no)
        try:
            FileTransactions(journal, disk=disk(steps)).apply(changes_in(tree))
            FileTransactions(journal).recover()  # for a failure in sweeping up
            assert picture(tree) == new, f"step {at}: {steps.log[at:]}"
        except WriteFailed:
            failures += 1
            assert picture(tree) == old, f"step {at}: {steps.log[at:]}"
        assert is_clean(journal), f"step {at}: {steps.log[at:]}"
        at += 1
    assert failures > 70


def test_a_file_that_is_put_back_is_the_same_file_with_its_times_and_names(tmp_path: Path) -> None:
    plant(tmp_path / "tree")
    twin = tmp_path / "tree" / "twins" / "hard.txt"
    before = twin.stat()
    disk = SteppedDisk(Steps("rename empty.txt", say_no))
    with pytest.raises(WriteFailed, match=r"empty\.txt"):
        FileTransactions(tmp_path / "journal", disk=disk).apply(changes_in(tmp_path / "tree"))
    after = twin.stat()
    assert (after.st_ino, after.st_mtime_ns, after.st_nlink) == (before.st_ino, before.st_mtime_ns, 2)


def test_a_disk_that_is_full_from_any_moment_on_leaves_everything_as_it_was(quick_path: Path) -> None:
    plant(quick_path / "tree")
    old = picture(quick_path / "tree")
    reasons: set[str] = set()
    for room in range(200):
        try:
            FileTransactions(quick_path / "journal", disk=FullDisk(room)).apply(changes_in(quick_path / "tree"))
            break
        except WriteFailed as error:
            reasons.add(error.reason)
        assert picture(quick_path / "tree") == old
        assert is_clean(quick_path / "journal")
    else:
        pytest.fail("never enough room")
    assert room > 30
    assert reasons == {"No space left on device"}
    assert picture(quick_path / "tree") == expected_after(quick_path / "expected")


def test_when_taking_back_fails_too_the_journal_remembers_and_recovery_finishes(tmp_path: Path) -> None:
    plant(tmp_path / "tree")
    old = picture(tmp_path / "tree")

    broken: list[str] = []

    def break_and_stay_broken(step: str) -> None:
        if step == "rename empty.txt" or broken:
            broken.append(step)
            say_no()

    transactions = FileTransactions(tmp_path / "journal", disk=SteppedDisk(break_and_stay_broken))
    with pytest.raises(NotRestored, match=r"a\.txt"):
        transactions.apply(changes_in(tmp_path / "tree"))
    assert picture(tmp_path / "tree") != old
    FileTransactions(tmp_path / "journal").recover()
    assert picture(tmp_path / "tree") in (old, expected_after(tmp_path / "expected"))
    assert is_clean(tmp_path / "journal")


def test_a_stale_file_is_named_and_nothing_is_written(tmp_path: Path) -> None:
    plant(tmp_path / "tree")
    (tmp_path / "journal").mkdir()
    (tmp_path / "tree" / "run.sh").write_bytes(b"edited")
    (tmp_path / "tree" / "empty.txt").write_bytes(b"")
    old = picture(tmp_path / "tree")
    steps = Steps()
    with pytest.raises(StaleContent) as failure:
        FileTransactions(tmp_path / "journal", disk=SteppedDisk(steps)).apply(changes_in(tmp_path / "tree"))
    assert failure.value.paths == (tmp_path / "tree" / "run.sh", tmp_path / "tree" / "empty.txt")
    assert str(tmp_path / "tree" / "run.sh") in str(failure.value)
    assert picture(tmp_path / "tree") == old
    assert steps.count == 0


def test_a_file_that_is_gone_is_stale(tmp_path: Path) -> None:
    with pytest.raises(StaleContent, match="gone"):
        FileTransactions(tmp_path / "journal").apply([FileChange(tmp_path / "gone", b"old", b"new")])
    with pytest.raises(StaleContent, match="gone"):
        FileTransactions(tmp_path / "journal").apply([FileChange(tmp_path / "gone", b"old", None)])


def test_an_edit_between_the_first_look_and_the_replacement_is_not_lost(tmp_path: Path) -> None:
    plant(tmp_path / "tree")
    edited = tmp_path / "tree" / "run.sh"
    old = picture(tmp_path / "tree")
    steps = Steps("rename hard.txt", lambda: edited.write_bytes(b"edited"))
    with pytest.raises(StaleContent, match=r"run\.sh") as failure:
        FileTransactions(tmp_path / "journal", disk=SteppedDisk(steps)).apply(changes_in(tmp_path / "tree"))
    assert picture(tmp_path / "tree") == old | {"run.sh": (edited.stat().st_mode, b"edited")}
    assert is_clean(tmp_path / "journal")
    assert not failure.value.conflicts


def test_an_edit_of_a_replaced_file_survives_taking_back_and_the_old_bytes_are_kept(tmp_path: Path) -> None:
    plant(tmp_path / "tree")
    edited = tmp_path / "tree" / "a.txt"

    def edit_and_fail() -> None:
        edited.write_bytes(b"edited")
        say_no()

    steps = Steps("rename hard.txt", edit_and_fail)
    with pytest.raises(WriteFailed) as failure:
        FileTransactions(tmp_path / "journal", disk=SteppedDisk(steps)).apply(changes_in(tmp_path / "tree"))
    (conflict,) = failure.value.conflicts
    assert edited.read_bytes() == b"edited"
    assert conflict.path == edited
    assert conflict.backup
    assert conflict.backup.read_bytes() == b"one\r\ntwo\r\n"
    assert (tmp_path / "tree" / "real" / "target.txt").read_bytes() == b"behind a link"


def test_a_folder_that_we_made_stays_if_somebody_put_something_there(tmp_path: Path) -> None:
    theirs = tmp_path / "new" / "theirs"

    def put_and_fail() -> None:
        theirs.write_bytes(b"")
        say_no()

    disk = SteppedDisk(Steps("rename ours", put_and_fail))
    with pytest.raises(WriteFailed):
        FileTransactions(tmp_path / "journal", disk=disk).apply([FileChange(theirs.parent / "deep/ours", None, b"")])
    assert [path.name for path in theirs.parent.iterdir()] == ["theirs"]


@pytest.mark.parametrize("after", [b"new", None])
def test_a_read_only_file_is_refused_and_nothing_else_is_written(tmp_path: Path, after: bytes | None) -> None:
    free, protected = tmp_path / "free", tmp_path / "protected"
    free.write_bytes(b"old")
    protected.write_bytes(b"old")
    protected.chmod(0o444)
    changes = [FileChange(free, b"old", b"new"), FileChange(protected, b"old", after)]
    with pytest.raises(Refused, match="protected` is not written: it is read-only"):
        FileTransactions(tmp_path / "journal").apply(changes)
    assert (free.read_bytes(), protected.read_bytes()) == (b"old", b"old")
    assert stat.S_IMODE(protected.stat().st_mode) == 0o444


def test_what_is_not_a_regular_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "link").symlink_to("file")
    (tmp_path / "loop").symlink_to("loop")
    os.mkfifo(tmp_path / "pipe")
    transactions = FileTransactions(tmp_path / "journal")
    for change, reason in [
        (FileChange(tmp_path, None, b""), "not a regular file"),
        (FileChange(tmp_path / "pipe", b"", b"new"), "not a regular file"),
        (FileChange(tmp_path / "link", b"", None), "symbolic link"),
        (FileChange(tmp_path / "loop", b"", b"new"), "lead nowhere"),
    ]:
        with pytest.raises(Refused, match=reason):
            transactions.apply([change])
    with pytest.raises(Refused, match="file` is not a folder"):
        transactions.apply([FileChange(tmp_path / "file" / "below" / "deep", None, b"")])


def test_two_changes_of_one_file_are_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"old")
    (tmp_path / "link").symlink_to("file")
    changes = [FileChange(tmp_path / "file", b"old", b"1"), FileChange(tmp_path / "link", b"old", b"2")]
    with pytest.raises(Refused, match="two changes"):
        FileTransactions(tmp_path / "journal").apply(changes)
    assert (tmp_path / "file").read_bytes() == b"old"


def test_a_change_that_changes_nothing_is_checked_and_not_written(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"same")
    file.chmod(0o444)
    (tmp_path / "journal").mkdir()
    steps = Steps()
    transactions = FileTransactions(tmp_path / "journal", disk=SteppedDisk(steps))
    assert transactions.apply([FileChange(file, b"same", b"same"), FileChange(tmp_path / "no", None, None)]).paths == ()
    assert steps.count == 0
    with pytest.raises(StaleContent):
        transactions.apply([FileChange(file, b"other", b"other")])


def test_a_folder_that_vanishes_half_way_is_named_and_the_rest_is_as_before(tmp_path: Path) -> None:
    (tmp_path / "stays").write_bytes(b"old")
    (tmp_path / "goes").mkdir()
    changes = [FileChange(tmp_path / "stays", b"old", b"new"), FileChange(tmp_path / "goes" / "file", None, b"new")]
    disk = SteppedDisk(Steps("link stays", (tmp_path / "goes").rmdir))
    with pytest.raises(WriteFailed, match="goes/file` cannot be written: No such file"):
        FileTransactions(tmp_path / "journal", disk=disk).apply(changes)
    assert {path.name for path in tmp_path.iterdir()} == {"stays", "journal"}
    assert (tmp_path / "stays").read_bytes() == b"old"


def test_a_folder_that_may_not_be_written_to_is_an_error_that_names_the_file() -> None:
    with open_folder() as folder:
        folder.chmod(0o777)
        (folder / "closed").mkdir()
        (folder / "closed" / "file").write_bytes(b"old")
        (folder / "closed" / "file").chmod(0o666)
        (folder / "free").write_bytes(b"old")
        (folder / "free").chmod(0o666)
        (folder / "closed").chmod(0o555)
        changes = [FileChange(folder / name, b"old", b"new") for name in ("free", "closed/file")]
        with (
            without_privileges(),
            pytest.raises(WriteFailed, match="closed/file` cannot be written: Permission denied"),
        ):
            FileTransactions(folder / "journal").apply(changes)
        assert {path.name for path in folder.iterdir()} == {"closed", "free", "journal"}
        assert (folder / "free").read_bytes() == b"old"


def test_a_file_of_another_user_is_refused() -> None:
    with open_folder() as folder:
        folder.chmod(0o777)
        (folder / "theirs").write_bytes(b"old")
        with without_privileges():
            if os.access(folder / "theirs", os.W_OK):
                pytest.skip("only root can make files of others")
            with pytest.raises(Refused, match="read-only"):
                FileTransactions(folder / "journal").apply([FileChange(folder / "theirs", b"old", b"new")])


def test_a_journal_that_cannot_be_written_is_an_error_before_anything_is_touched() -> None:
    with open_folder() as folder:
        (folder / "closed").mkdir(mode=0o555)
        (folder / "blocked").write_bytes(b"")
        (folder / "mine").mkdir()
        (folder / "mine").chmod(0o777)
        for journal in (folder / "closed" / "journal", folder / "blocked", folder / "blocked" / "journal"):
            with without_privileges(), pytest.raises(WriteFailed, match=f"`{journal}` cannot be written"):
                FileTransactions(journal).apply([FileChange(folder / "mine" / "file", None, b"new")])
            assert not any((folder / "mine").iterdir())


def test_only_the_user_may_look_into_the_journal(tmp_path: Path) -> None:
    plant(tmp_path / "tree")
    journal = tmp_path / "journal"
    journal.mkdir(mode=0o755)
    modes: set[tuple[bool, int]] = set()

    def look(_: str) -> None:
        found = (path.stat() for path in [journal, *journal.rglob("*")])
        modes.update((stat.S_ISDIR(each.st_mode), stat.S_IMODE(each.st_mode)) for each in found)

    FileTransactions(journal, disk=SteppedDisk(look)).apply(changes_in(tmp_path / "tree"))
    assert modes == {(True, 0o700), (False, 0o600)}


def test_names_that_are_long_or_not_utf8_can_be_written(tmp_path: Path) -> None:
    names = ["x" * 255, os.fsdecode(b"\xff\n")]
    FileTransactions(tmp_path / "journal").apply([FileChange(tmp_path / name, None, b"") for name in names])
    assert {path.name for path in tmp_path.iterdir()} == {*names, "journal"}


def test_drafts_last_before_the_mark_and_renames_before_the_record_goes(tmp_path: Path) -> None:
    (tmp_path / "journal").mkdir()
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "file").write_bytes(b"old")
    steps = Steps()
    FileTransactions(tmp_path / "journal", disk=SteppedDisk(steps)).apply(
        [
            FileChange(tmp_path / "tree" / "file", b"old", b"new"),
            FileChange(tmp_path / "made" / "file", None, b"first"),
        ]
    )
    shown = [re.sub(r"(t|\.sightline)-[0-9a-f-]+", r"\1", step) for step in steps.log]
    write = ["write", "write the rest"]
    assert shown == [
        *("make_folder t", "create 0", *write, "create draft", *write, "sync", "sync"),
        *("rename untouched.json", "sync_folder journal", "sync_folder t"),
        *("make_folder made", "link file", "create .sightline.new", *write, "set_mode .sightline.new"),
        *("create .sightline.new", *write, "sync", "sync", "sync_folder tree"),
        *("rename replacing.json", "sync_folder t", "rename file", "rename file"),
        *(f"sync_folder {name}" for name in (tmp_path.name, "made", "tree")),
        "rename replaced.json",
        *("unlink .sightline.new", "unlink .sightline.old") * 2,
        *("sync_folder tree", "unlink 0", "unlink replaced.json", "remove_folder t"),
    ]
