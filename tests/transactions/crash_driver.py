"""Runs in a process of its own and kills its forks at every step, or does one thing that a test needs another for.

A fresh interpreter has one thread, which is what makes forking safe; a fork costs a hundredth of a start.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random

from sightline.transactions import Busy, FileChange, FileTransactions, StaleContent, WriteFailed
from tests.transactions.faulty_disks import LinklessDisk, SteppedDisk, Steps, say_no
from tests.transactions.lossy_disk import LossyDisk
from tests.transactions.sample_trees import Picture, changes_in, expected_after, is_clean, picture, plant


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def in_fork(work: Callable[[], object]) -> bool:
    """Do the work in a fork; False if it was killed."""
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            work()
            status = 0
        finally:
            os._exit(status)
    _, status = os.waitpid(pid, 0)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL:
        return False
    assert os.waitstatus_to_exitcode(status) == 0, "the fork failed; its traceback is above"
    return True


class Bench:
    """One sample tree that is planted anew for each crash."""

    def __init__(self, folder: Path, kind: type[SteppedDisk], stride: int) -> None:
        self.root, self.journal, self._kind, self._stride = folder / "tree", folder / "journal", kind, stride
        self.new = expected_after(folder / "expected")
        plant(self.root)
        self.old = picture(self.root)
        self.figures = {
            "apply_points": 0,
            "recovery_points": 0,
            "rollback_points": 0,
            "edited_points": 0,
            "old": 0,
            "new": 0,
        }

    def plant(self) -> None:
        shutil.rmtree(self.root)
        shutil.rmtree(self.journal, ignore_errors=True)
        plant(self.root)

    def transactions(self, hook: Callable[[str], None]) -> FileTransactions:
        return FileTransactions(self.journal, disk=self._kind(hook))

    def apply_and_die(self, at: int | str) -> bool:
        self.plant()
        return in_fork(lambda: self.transactions(Steps(at, die)).apply(changes_in(self.root)))

    def recover_and_die(self, at: int) -> bool:
        return in_fork(lambda: self.transactions(Steps(at, die)).recover())

    def count(self, where: str) -> Picture:
        FileTransactions(self.journal).recover()
        found = picture(self.root)
        assert found in (self.old, self.new), f"half old, half new after {where}: {found}"
        assert is_clean(self.journal), f"{where}: {list(self.journal.rglob('*'))}"
        self.figures["old" if found == self.old else "new"] += 1
        return found

    def crash_everywhere(self) -> None:
        """Kill `apply` at each step, and then each recovery from that at each of its steps."""
        at, is_done = 0, False
        while not is_done:
            is_done = self.apply_and_die(at)
            self.count(f"a crash at step {at}")
            self.figures["apply_points"] += not is_done
            if at % self._stride == 0:
                self._crash_recoveries(at)
            at += 1

    def _crash_recoveries(self, at: int) -> None:
        in_recovery, is_done = 0, False
        while not is_done:
            self.apply_and_die(at)
            is_done = self.recover_and_die(in_recovery)
            self.count(f"a crash at step {at} and one at step {in_recovery} of the recovery")
            self.figures["recovery_points"] += not is_done
            in_recovery += 1

    def crash_recoveries_of_an_edited_tree(self, name: str) -> None:
        """Edit a file after a crash half-way, and kill the recovery at each step: edit and old bytes must survive."""
        at, is_done = 0, False
        while not is_done:
            self.apply_and_die("rename hard.txt")
            (self.root / name).write_bytes(b"edited")
            is_done = self.recover_and_die(at)
            FileTransactions(self.journal).recover()
            self._check_edit(name, f"a crash at step {at} of a recovery with a conflict")
            self.figures["edited_points"] += not is_done
            at += 1

    def _check_edit(self, name: str, where: str) -> None:
        found, kept = picture(self.root), [path.read_bytes() for path in self.journal.glob("kept/*/*/*")]
        assert found.pop(name)[1] == b"edited", where
        others = [{path: entry for path, entry in tree.items() if path != name} for tree in (self.old, self.new)]
        assert found in others, f"half old, half new after {where}: {found}"
        assert kept == [self.old[name][1]], f"{where}: kept {kept}"
        assert not [*self.journal.glob("t-*")], where

    def crash_while_taking_back(self) -> None:
        """Let each step fail, and kill the process at each step of taking back."""
        steps = Steps()
        self.plant()
        self.transactions(steps).apply(changes_in(self.root))
        for failing in range(0, steps.count, self._stride):
            at, is_done = failing + 1, False
            while not is_done:
                self.plant()
                is_done = in_fork(lambda at=at, failing=failing: self._fail_and_die(failing, at))
                self.count(f"a failure at step {failing} and a crash at step {at}")
                self.figures["rollback_points"] += not is_done
                at += 1

    def _fail_and_die(self, failing: int, at: int) -> None:
        fail, kill = Steps(failing, say_no), Steps(at, die)

        def hook(step: str) -> None:
            kill(step)
            fail(step)

        with contextlib.suppress(WriteFailed):
            self.transactions(hook).apply(changes_in(self.root))


class PowerCuts(Bench):
    """The same tree; a crash takes with it what was not on the disk yet."""

    def __init__(self, folder: Path, picks: int) -> None:
        super().__init__(folder, SteppedDisk, 1)
        self._limbo = folder / "limbo"
        self._chances = (None, *range(picks))
        self.figures = {"apply_points": 0, "recovery_points": 0, "lossy_points": 0, "old": 0, "new": 0}

    def cut_everywhere(self) -> None:
        """Cut the power before each step of `apply`, and before each step of a recovery from half-way."""
        for chance in self._chances:
            at = 0
            while not self._cut(FileTransactions.apply, at, chance, self.plant):
                self.figures["apply_points"] += 1
                at += 1
            for is_failing in (False, True):
                at, start = 0, partial(self._stop_half_way, is_failing=is_failing)
                while not self._cut(FileTransactions.recover, at, chance, start):
                    self.figures["recovery_points"] += 1
                    at += 1

    def count(self, where: str) -> Picture:
        """Also: a file that is put back is the very file that it was, with all its names."""
        found = super().count(where)
        twins = self.root / "twins"
        assert found != self.old or (twins / "hard.txt").samefile(twins / "other.txt"), f"parted by {where}"
        return found

    def _stop_half_way(self, *, is_failing: bool) -> None:
        """Killed while going forward; or on the way back from a failure."""
        self.plant()
        has_failed = False

        def hook(step: str) -> None:
            nonlocal has_failed
            if step == "rename hard.txt" and is_failing:
                has_failed = True
                say_no()
            if step == ("rename a.txt" if is_failing else "rename hard.txt") and has_failed is is_failing:
                die()

        in_fork(lambda: self._kept(FileTransactions(self.journal, disk=SteppedDisk(hook))))

    def _kept(self, transactions: FileTransactions) -> None:
        with contextlib.suppress(WriteFailed):
            transactions.apply(changes_in(self.root))

    def _cut(self, work: Callable[..., object], at: int, chance: int | None, start: Callable[[], None]) -> bool:
        start()
        shutil.rmtree(self._limbo, ignore_errors=True)
        self._limbo.mkdir()
        lost = self.root.parent / "lost"
        arguments = [changes_in(self.root)] if work is FileTransactions.apply else []

        def cut() -> None:
            lost.write_text(str(disk.cut_power(None if chance is None else Random(f"{chance} {at}"))))
            die()

        disk = LossyDisk(Steps(at, cut), self._limbo)
        is_done = in_fork(lambda: work(FileTransactions(self.journal, disk=disk), *arguments))
        if not is_done:
            self.figures["lossy_points"] += lost.read_text() != "0"
        self.count(f"a power cut at step {at} of {work.__name__}, chance {chance}")
        return is_done


def cut_power(folder: str, picks: str) -> None:
    cuts = PowerCuts(Path(folder), int(picks))
    cuts.cut_everywhere()
    sys.stdout.write(json.dumps(cuts.figures))


def enumerate_crashes(folder: str, disk: str, stride: str) -> None:
    bench = Bench(Path(folder), {"links": SteppedDisk, "no_links": LinklessDisk}[disk], int(stride))
    bench.crash_everywhere()
    bench.crash_recoveries_of_an_edited_tree("run.sh")  # not yet replaced at the crash
    bench.crash_recoveries_of_an_edited_tree("a.txt")  # already replaced
    bench.crash_while_taking_back()
    sys.stdout.write(json.dumps(bench.figures))


def _say(word: str) -> None:
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


def crash(root: str, journal: str, step: str) -> None:
    """Apply the sample changes and be killed before a step, by its name."""
    FileTransactions(Path(journal), disk=SteppedDisk(Steps(step, die))).apply(changes_in(Path(root)))


def pause(root: str, journal: str, step: str) -> None:
    """Apply the sample changes, but stop before a step until a line comes in."""

    def wait() -> None:
        _say("paused")
        sys.stdin.readline()

    FileTransactions(Path(journal), disk=SteppedDisk(Steps(step, wait))).apply(changes_in(Path(root)))


def increment(root: str, journal: str, times: str) -> None:
    """Add one to the number in each file, all together, as often as said, once the input ends."""
    paths = [Path(root) / name for name in "abc"]
    _say("ready")
    sys.stdin.read()
    transactions = FileTransactions(Path(journal), wait_s=0.05)
    done = 0
    while done < int(times):
        seen = [(path, path.read_bytes()) for path in paths]
        with contextlib.suppress(StaleContent, Busy):
            transactions.apply([FileChange(path, old, b"%d" % (int(old) + 1)) for path, old in seen])
            done += 1


def fill(root: str, journal: str, before: str, after: str) -> None:
    """Change a small file and a large one, which has one size before and another after, and is too large for a disk."""
    small, large = Path(root) / "small", Path(root) / "large"
    small.write_bytes(b"small")
    old = bytes(int(before)) or None
    if old:
        large.write_bytes(old)
    try:
        FileTransactions(Path(journal)).apply(
            [FileChange(small, b"small", b"changed"), FileChange(large, old, bytes(int(after)))]
        )
    except WriteFailed as error:
        left = sorted(path.name for path in Path(root).iterdir())
        sys.stdout.write(json.dumps([error.reason, small.read_text(), left]))


if __name__ == "__main__":
    commands = {command.__name__: command for command in (enumerate_crashes, cut_power, crash, pause, increment, fill)}
    commands[sys.argv[1]](*sys.argv[2:])
