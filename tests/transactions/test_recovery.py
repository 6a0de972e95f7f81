"""After a crash everything is old or everything is new, and nobody's later edit is lost."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sightline.transactions import Busy, Ending, FileChange, FileTransactions, Refused
from tests.transactions.faulty_disks import SteppedDisk, say_no
from tests.transactions.sample_trees import changes_in, expected_after, is_clean, picture, plant

REPOSITORY = Path(__file__).resolve().parent.parent.parent
IS_FULL = os.environ.get("SIGHTLINE_ORACLE") == "full"


def driver(*arguments: str | Path) -> list[str]:
    return [sys.executable, "-m", "tests.transactions.crash_driver", *map(str, arguments)]


def start(command: list[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(command, cwd=REPOSITORY, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def crash_before(step: str, folder: Path) -> tuple[Path, FileTransactions]:
    """A planted tree in which a process was killed before a step, and the transactions to recover with."""
    plant(folder / "tree")
    command = driver("crash", folder / "tree", folder / "journal", step)
    assert subprocess.run(command, cwd=REPOSITORY, check=False).returncode == -signal.SIGKILL
    return folder / "tree", FileTransactions(folder / "journal")


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("disk", ["links", "no_links"])
def test_a_crash_at_any_step_even_of_the_recovery_leaves_all_old_or_all_new(quick_path: Path, disk: str) -> None:
    """Every step of a transaction; a sample of the pairs with a second crash or a failure, all in the full run."""
    command = driver("enumerate_crashes", quick_path, disk, "1" if IS_FULL else "23")
    done = subprocess.run(command, cwd=REPOSITORY, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)
    assert figures["apply_points"] > 100
    assert min(figures.values()) > 50, f"too little was tried: {figures}"


@pytest.mark.timeout(3600)
def test_a_power_cut_at_any_step_leaves_all_old_or_all_new(quick_path: Path) -> None:
    """What was not synced is lost: all of it, and what chance picks."""
    command = driver("cut_power", quick_path, "40" if IS_FULL else "2")
    done = subprocess.run(command, cwd=REPOSITORY, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert min(json.loads(done.stdout).values()) > 50, f"too little was tried: {done.stdout}"


@pytest.mark.parametrize(
    ("step", "ending"),
    [
        ("rename untouched.json", Ending.RESTORED),
        ("rename replacing.json", Ending.RESTORED),
        ("rename a.txt", Ending.COMPLETED),
        ("rename replaced.json", Ending.COMPLETED),
    ],
)
def test_recovery_says_what_became_of_the_transaction(tmp_path: Path, step: str, ending: Ending) -> None:
    old = (plant(tmp_path / "first"), picture(tmp_path / "first"))[1]
    tree, transactions = crash_before(step, tmp_path)
    (recovered,) = transactions.recover()
    assert recovered.ending is ending
    assert picture(tree) == (old if ending is Ending.RESTORED else expected_after(tmp_path / "expected"))
    assert transactions.recover() == ()


def test_a_draft_that_is_damaged_turns_recovery_back(tmp_path: Path) -> None:
    tree, transactions = crash_before("rename hard.txt", tmp_path)
    assert (tree / "a.txt").read_bytes() == b"uno\r\ndos\r\n"
    next((tree / "twins").glob(".sightline-*.new")).write_bytes(b"torn")
    (recovered,) = transactions.recover()
    assert (recovered.ending, recovered.conflicts) == (Ending.RESTORED, ())
    shutil.rmtree(tmp_path / "journal")
    plant(tmp_path / "first")
    assert picture(tree) == picture(tmp_path / "first")


def test_old_files_come_back_from_the_journal_when_their_second_names_are_gone(tmp_path: Path) -> None:
    tree, transactions = crash_before("rename hard.txt", tmp_path)
    for draft in tree.rglob(".sightline-*"):
        draft.unlink()
    (recovered,) = transactions.recover()
    assert recovered.ending is Ending.RESTORED
    plant(tmp_path / "first")
    assert picture(tree) == picture(tmp_path / "first")


def test_an_edit_of_a_file_not_yet_replaced_turns_the_others_back_and_stays(tmp_path: Path) -> None:
    tree, transactions = crash_before("rename hard.txt", tmp_path)
    (tree / "run.sh").write_bytes(b"edited")
    (recovered,) = transactions.recover()
    (conflict,) = recovered.conflicts
    assert recovered.ending is Ending.RESTORED
    assert (tree / "run.sh").read_bytes() == b"edited"
    assert (tree / "a.txt").read_bytes() == b"one\r\ntwo\r\n"
    assert conflict.path == tree / "run.sh"
    assert conflict.backup
    assert conflict.backup.read_bytes() == b"#!/bin/sh\n"
    assert not list(tree.rglob(".sightline-*"))


def test_an_edit_of_a_file_already_replaced_stays_and_the_others_become_new(tmp_path: Path) -> None:
    tree, transactions = crash_before("rename hard.txt", tmp_path)
    (tree / "a.txt").write_bytes(b"uno, edited")
    (recovered,) = transactions.recover()
    (conflict,) = recovered.conflicts
    assert recovered.ending is Ending.COMPLETED
    assert (tree / "a.txt").read_bytes() == b"uno, edited"
    assert (tree / "twins" / "hard.txt").read_bytes() == b"one name"
    assert conflict.path == tree / "a.txt"
    assert conflict.backup
    assert conflict.backup.read_bytes() == b"one\r\ntwo\r\n"


def test_a_file_made_where_one_was_to_be_created_stays(tmp_path: Path) -> None:
    tree, transactions = crash_before("rename empty.txt", tmp_path)
    (tree / "empty.txt").write_bytes(b"theirs")
    (recovered,) = transactions.recover()
    assert recovered.ending is Ending.RESTORED
    assert [(conflict.path, conflict.backup) for conflict in recovered.conflicts] == [(tree / "empty.txt", None)]
    assert (tree / "empty.txt").read_bytes() == b"theirs"
    assert not (tree / "new").exists()


def test_a_folder_or_a_link_put_in_the_place_of_a_file_stays(tmp_path: Path) -> None:
    tree, transactions = crash_before("rename hard.txt", tmp_path)
    (tree / "a.txt").unlink()
    (tree / "a.txt").mkdir()
    (tree / "run.sh").unlink()
    (tree / "run.sh").symlink_to("bystander.txt")
    (recovered,) = transactions.recover()
    assert recovered.ending is Ending.RESTORED
    assert {conflict.path.name for conflict in recovered.conflicts} == {"a.txt", "run.sh"}
    assert (tree / "a.txt").is_dir()
    assert (tree / "run.sh").is_symlink()
    assert (tree / "bystander.txt").read_bytes() == b"not ours"


def test_without_any_sound_copy_of_the_old_bytes_nothing_is_overwritten(tmp_path: Path) -> None:
    tree, transactions = crash_before("rename hard.txt", tmp_path)
    for draft in tree.rglob(".sightline-*"):
        draft.unlink()
    for backup in (tmp_path / "journal").glob("t-*/0"):
        backup.write_bytes(b"damaged")
    (recovered,) = transactions.recover()
    assert recovered.ending is Ending.UNFINISHED
    assert recovered.reason
    assert "is damaged" in recovered.reason
    assert (tree / "a.txt").read_bytes() == b"uno\r\ndos\r\n"
    assert list((tmp_path / "journal").glob("t-*"))


def test_when_the_whole_tree_is_gone_recovery_ends_and_keeps_the_old_bytes(tmp_path: Path) -> None:
    tree, transactions = crash_before("rename hard.txt", tmp_path)
    shutil.rmtree(tree)
    (recovered,) = transactions.recover()
    kept = {conflict.backup.read_bytes() for conflict in recovered.conflicts if conflict.backup}
    assert {b"one\r\ntwo\r\n", b"two names", b"behind a link", b"#!/bin/sh\n", b"\xff\xfe moved"} == kept
    assert not tree.exists()
    assert transactions.recover() == ()


def test_applying_settles_first_what_a_crash_left(tmp_path: Path) -> None:
    tree, transactions = crash_before("rename hard.txt", tmp_path)
    applied = transactions.apply([FileChange(tree / "a.txt", b"uno\r\ndos\r\n", b"later")])
    assert [recovered.ending for recovered in applied.recovered] == [Ending.COMPLETED]
    assert (tree / "twins" / "hard.txt").read_bytes() == b"one name"
    assert (tree / "a.txt").read_bytes() == b"later"


def test_files_that_cannot_be_settled_now_are_refused_and_others_are_not(tmp_path: Path) -> None:
    tree, transactions = crash_before("rename hard.txt", tmp_path)

    def fail_on_the_crashed_ones(step: str) -> None:
        if step in ("rename hard.txt", "rename restoring.json"):
            say_no()

    failing = FileTransactions(tmp_path / "journal", disk=SteppedDisk(fail_on_the_crashed_ones))
    with pytest.raises(Refused, match="neither complete nor taken back"):
        failing.apply([FileChange(tree / "a.txt", b"uno\r\ndos\r\n", b"later")])
    applied = failing.apply([FileChange(tree / "bystander.txt", b"not ours", b"later")])
    (unfinished,) = applied.recovered
    assert (unfinished.ending, unfinished.reason) == (Ending.UNFINISHED, "Input/output error")
    assert [recovered.ending for recovered in transactions.recover()] == [Ending.COMPLETED]


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"format": 2}', b'{"format": 1, "entries": [{}]}'])
def test_a_manifest_that_cannot_be_read_is_reported_and_left_alone(tmp_path: Path, content: bytes) -> None:
    tree, transactions = crash_before("rename hard.txt", tmp_path)
    before = picture(tree)
    (manifest,) = (tmp_path / "journal").rglob("replacing.json")
    manifest.write_bytes(content)
    (recovered,) = transactions.recover()
    assert recovered.ending is Ending.UNFINISHED
    assert recovered.reason
    assert manifest.exists()
    assert picture(tree) == before


def test_a_journal_that_does_not_exist_needs_no_recovery(tmp_path: Path) -> None:
    assert FileTransactions(tmp_path / "journal").recover() == ()
    assert not (tmp_path / "journal").exists()


def test_a_transaction_of_a_live_process_is_not_touched_and_its_death_frees_it(tmp_path: Path) -> None:
    plant(tmp_path / "tree")
    command = driver("pause", tmp_path / "tree", tmp_path / "journal", "rename hard.txt")
    with start(command) as paused:
        assert paused.stdout
        assert paused.stdout.readline() == b"paused\n"
        half_way = picture(tmp_path / "tree")
        other = FileTransactions(tmp_path / "journal", wait_s=0.1)
        with pytest.raises(Busy, match=r"not free within 0\.1 s"):
            other.recover()
        with pytest.raises(Busy):
            other.apply(changes_in(tmp_path / "tree"))
        assert picture(tmp_path / "tree") == half_way
        paused.kill()
    assert [recovered.ending for recovered in other.recover()] == [Ending.COMPLETED]
    assert picture(tmp_path / "tree") == expected_after(tmp_path / "expected")


def test_no_increment_of_processes_at_work_together_is_lost(quick_path: Path) -> None:
    (quick_path / "tree").mkdir()
    files = [quick_path / "tree" / name for name in "abc"]
    for file in files:
        file.write_bytes(b"0")
    command = driver("increment", quick_path / "tree", quick_path / "journal", "25")
    with contextlib.ExitStack() as stack:
        children = [stack.enter_context(start(command)) for _ in range(4)]
        assert [child.stdout and child.stdout.readline() for child in children] == [b"ready\n"] * 4
        for child in children:
            assert child.stdin
            child.stdin.close()
    assert [child.returncode for child in children] == [0, 0, 0, 0]
    assert [file.read_bytes() for file in files] == [b"100"] * 3
    assert is_clean(quick_path / "journal")


@pytest.mark.parametrize(
    ("full", "before", "after", "left"),
    [("tree", 0, 1_000_000, ["small"]), ("journal", 1_000_000, 1, ["large", "small"])],
)
def test_a_disk_that_is_really_full_changes_nothing(
    tmp_path: Path, full: str, before: int, after: int, left: list[str]
) -> None:
    """A file system of 64 KB, in a mount namespace of the child's own, so that nobody else sees it."""
    tree, journal = tmp_path / "tree", tmp_path / "journal"
    tree.mkdir()
    journal.mkdir()
    script = 'mount -t tmpfs -o size=64k none "$0" && exec "$@"'
    command = ["unshare", "--mount", "--map-root-user", "sh", "-c", script, tmp_path / full]
    if not shutil.which("unshare") or subprocess.run([*command, "true"], check=False).returncode:
        pytest.skip("no mount namespaces here")
    command += driver("fill", tree, journal, str(before), str(after))
    done = subprocess.run(command, cwd=REPOSITORY, check=True, capture_output=True)
    assert json.loads(done.stdout) == ["No space left on device", "small", left]
