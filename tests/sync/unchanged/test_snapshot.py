"""What may be relied on, what may not, and the file that it is kept in."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from sightline.sync.files import DISK
from sightline.sync.state_part import used_part
from sightline.sync.unchanged.program import running_program
from sightline.sync.unchanged.recording import Record, RecordingFiles, RecordingVariables
from sightline.sync.unchanged.snapshot import Shown, Snapshot, read_snapshot, snapshot_of, write_snapshot

SHOWN = Shown("\x1b[32mnothing to do\x1b[0m\n", "a note\n", 3)
LATER_NS = 60_000_000_000
SECRET = "pa" + "ss-of-a-test"


class Run:
    """A run that is noted, over a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.record = Record()
        self.files = RecordingFiles(DISK, self.record)

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def end(self, *, is_long_after: bool) -> Snapshot | None:
        """`is_long_after` all files were written, or right then."""
        self.record.begun_ns = time.time_ns() + (LATER_NS if is_long_after else 0)
        return snapshot_of(self.record, "program", SHOWN)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return Run(tmp_path.resolve())


def test_a_stamp_counts_only_if_it_is_clearly_older_than_the_run(run: Run) -> None:
    file = run.write("a.md", "text")
    run.files.read(file)
    old, new = run.end(is_long_after=True), run.end(is_long_after=False)

    assert old is not None
    assert new is not None
    assert old.paths[str(file)][1] != ""
    assert new.paths[str(file)][1] == ""
    assert old.paths[str(file)][2] == new.paths[str(file)][2]


def test_what_changes_during_the_run_is_not_remembered(run: Run) -> None:
    file = run.write("a.md", "text")
    run.files.read(file)
    file.write_text("other")

    assert run.end(is_long_after=False) is None
    assert run.end(is_long_after=True) is None


def test_two_contents_of_one_file_in_one_run_are_not_remembered(run: Run) -> None:
    file = run.write("a.md", "one")
    run.files.read(file)
    seen = file.stat()
    file.write_text("two")
    os.utime(file, ns=(seen.st_atime_ns, seen.st_mtime_ns))
    run.files.read(file)

    assert run.record.is_complete is False


def test_a_new_name_during_the_run_is_not_remembered(run: Run) -> None:
    run.write("sub/a.md", "text")
    run.files.entries(run.folder / "sub")
    run.write("sub/b.md", "text")

    assert run.end(is_long_after=True) is None


def test_a_file_of_which_only_the_beginning_was_read_counts_by_its_stamp_alone(run: Run) -> None:
    file = run.write("a.md", "a long text")
    assert run.files.read(file, 3) == b"a l"

    old = run.end(is_long_after=True)

    assert old is not None
    assert old.paths[str(file)][2] == ""
    assert run.end(is_long_after=False) is None


@pytest.mark.parametrize("ask", [list, len, dict])
def test_who_asks_for_the_whole_environment_is_not_remembered(
    run: Run, ask: Callable[[RecordingVariables], object]
) -> None:
    ask(RecordingVariables({"A": "1"}, run.record))

    assert run.end(is_long_after=True) is None


def test_what_exists_and_cannot_be_read_is_not_remembered(run: Run) -> None:
    (run.folder / "sub").mkdir()
    with pytest.raises(OSError, match="not a regular file"):
        run.files.read(run.folder / "sub")

    assert run.end(is_long_after=True) is None


def test_a_folder_on_the_way_of_a_link_that_becomes_a_link_ends_the_answer(run: Run) -> None:
    run.write("far/away/SKILL.md", "text")
    (run.folder / "link").symlink_to("far/away")
    run.files.is_symlink(run.folder / "link")
    run.files.resolve(run.folder / "link" / "SKILL.md")
    snapshot = run.end(is_long_after=True)
    assert snapshot is not None
    assert snapshot.holds("program", {})

    (run.folder / "far").rename(run.folder / "further")
    (run.folder / "far").symlink_to("further")

    assert not snapshot.holds("program", {})


def test_a_loop_of_links_is_looked_at_and_comes_to_an_end(run: Run) -> None:
    (run.folder / "one").symlink_to("two")
    (run.folder / "two").symlink_to("one")

    assert run.files.is_file(run.folder / "one") is False
    run.files.is_symlink(run.folder / "one")
    assert {str(run.folder / "one")} <= set(run.record.looks)


class StateFile:
    """Claude Code's state file, as a run has read it."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.file = run.folder / ".claude.json"
        self.value: dict[str, object] = {
            "mcpServers": {"a": {"command": "x"}, "b": {"command": "y"}},
            "projects": {"/p": {"enabledMcpjsonServers": ["a"], "history": []}},
            "numStartups": 1,
        }
        self.file.write_text(json.dumps(self.value))

    def read(self) -> None:
        value = json.loads(self.run.files.read(self.file))
        self.run.files.note_state_part(self.file, ("/p",), used_part(value, ("/p",)))

    def rewrite(self, **changes: object) -> None:
        self.file.write_text(json.dumps({**self.value, **changes}, indent=2))


@pytest.mark.parametrize("is_long_after", [True, False])
def test_of_the_state_file_only_the_part_that_is_used_counts(run: Run, is_long_after: bool) -> None:
    state = StateFile(run)
    state.read()
    snapshot = run.end(is_long_after=is_long_after)
    assert snapshot is not None

    state.rewrite(numStartups=2, tips={"seen": ["a"]})
    assert snapshot.holds("program", {})

    changes: list[dict[str, object]] = [
        {"mcpServers": {"a": {"command": "x"}}},
        {"mcpServers": {"b": {"command": "y"}, "a": {"command": "x"}}},
        {"projects": {"/p": {"enabledMcpjsonServers": ["a"], "hasTrustDialogAccepted": True}}},
        {"projects": {"/p": {"enabledMcpjsonServers": []}}},
        {"projects": {}},
        {"numStartups": float("nan")},
        {"tips": "\ud800"},
    ]
    for change in changes:
        state.rewrite(**change)
        assert not snapshot.holds("program", {}), change


def test_a_state_file_that_is_torn_or_says_something_twice_ends_the_answer(run: Run) -> None:
    state = StateFile(run)
    state.read()
    snapshot = run.end(is_long_after=False)
    assert snapshot is not None
    whole = state.file.read_text()

    for text in ("", whole[:-1], whole[:-1] + ', "numStartups": 1}', "[]"):
        state.file.write_text(text)
        assert not snapshot.holds("program", {}), text
    state.file.write_text(whole)
    assert snapshot.holds("program", {})


def test_a_state_file_that_the_answer_names_counts_as_a_whole(run: Run) -> None:
    state = StateFile(run)
    state.read()
    snapshot = snapshot_of(run.record, "program", Shown("~/.claude.json:3: is given twice\n"))
    assert snapshot is not None

    state.rewrite(numStartups=2)

    assert not snapshot.holds("program", {})


def test_the_file_comes_back_as_it_was_written_and_only_for_its_owner(run: Run) -> None:
    run.files.read(run.write("a.md", "text"))
    assert RecordingVariables({"DB_PASSWORD": SECRET}, run.record)["DB_PASSWORD"] == SECRET
    snapshot = run.end(is_long_after=True)
    assert snapshot is not None
    file = run.folder / "kept" / "one.json"

    write_snapshot(file, snapshot)

    assert read_snapshot(file) == snapshot
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert SECRET not in file.read_text()
    assert [path.name for path in file.parent.iterdir()] == ["one.json"]


def test_a_file_that_is_not_what_was_written_is_no_snapshot(run: Run) -> None:
    run.files.read(run.write("a.md", "text"))
    snapshot = run.end(is_long_after=True)
    assert snapshot is not None
    file = run.folder / "one.json"
    write_snapshot(file, snapshot)
    whole = file.read_bytes()

    for broken in (b"", b"{}", whole[:-1], whole.replace(b"nothing", b"Nothing"), whole.partition(b"\n")[2]):
        file.write_bytes(broken)
        assert read_snapshot(file) is None
    assert read_snapshot(run.folder / "none.json") is None
    assert read_snapshot(run.folder) is None


def test_another_program_is_told_by_every_change_of_its_files_and_libraries(tmp_path: Path) -> None:
    package, library = tmp_path / "package", tmp_path / "library"
    (package / "inner").mkdir(parents=True)
    library.mkdir()
    (package / "inner/module.py").write_text("a = 1\n")

    def digest() -> str:
        return running_program(package, [str(library)]).digest

    digests = [digest()]
    seen = (package / "inner/module.py").stat()
    (package / "inner/module.py").write_text("a = 2\n")
    os.utime(package / "inner/module.py", ns=(seen.st_atime_ns, seen.st_mtime_ns))
    digests.append(digest())
    (package / "other.py").write_text("")
    digests.append(digest())
    (package / "other.py").unlink()
    digests.append(running_program(package, []).digest)
    (library / "new-1.0.dist-info").mkdir()
    os.utime(library, ns=(0, 1))
    digests.append(digest())

    assert len(set(digests)) == len(digests)
    (package / "__pycache__").mkdir()
    (package / "__pycache__/module.pyc").write_text("")
    assert digest() == digests[-1]


def test_a_snapshot_of_another_program_does_not_hold(run: Run) -> None:
    snapshot = run.end(is_long_after=True)
    assert snapshot is not None

    assert snapshot.holds("program", {})
    assert not replace(snapshot, program="other").holds("program", {})
