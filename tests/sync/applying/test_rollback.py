"""Taking back restores every byte and mode, or says which file is in the way."""

from __future__ import annotations

import pytest

from sightline.sync.applying import NoSuchBackup, StateDamaged
from sightline.sync.formats.three_way import Choice
from tests.sync.applying.test_apply import everything
from tests.sync.applying.workbench import Workbench, picture


def test_the_first_sync_is_taken_back_without_a_trace(bench: Workbench) -> None:
    everything(bench)
    before = picture(bench.project)
    bench.sync()
    done = bench.syncing.rollback()
    assert done.conflicts == ()
    assert picture(bench.project) == before
    assert bench.syncing.states() == {}
    with pytest.raises(NoSuchBackup):
        bench.syncing.rollback()


def test_syncs_are_taken_back_one_by_one_with_what_was_remembered(bench: Workbench) -> None:
    everything(bench)
    bench.sync()
    seen = [(picture(bench.project), picture(bench.own / "state"))]
    bench.now += 60
    bench.wants["codex"] = [bench.block("AGENTS.md", "other\n"), bench.file(".agents/skills/b/SKILL.md", b"\xff")]
    bench.sync()
    seen.append((picture(bench.project), picture(bench.own / "state")))
    bench.now += 60
    bench.wants = {"codex": [], "gemini": []}
    bench.sync()
    for expected in reversed(seen):
        bench.syncing.rollback()
        assert (picture(bench.project), picture(bench.own / "state")) == expected


def test_a_deleted_file_comes_back_with_its_mode(bench: Workbench) -> None:
    bench.wants = {"codex": [bench.file("deep/run", b"\x00\xff", mode=0o755)]}
    bench.sync()
    (bench.project / "deep/run").chmod(0o700)
    bench.wants = {"codex": []}
    bench.sync()
    assert picture(bench.project) == {}
    bench.syncing.rollback()
    assert picture(bench.project)["deep/run"] == (0o700, b"\x00\xff")
    bench.sync()
    assert picture(bench.project) == {}


def test_a_file_changed_since_stops_it_or_is_skipped(bench: Workbench) -> None:
    everything(bench)
    bench.sync()
    bench.write("c.toml", bench.read("c.toml") + b"b = 2\r\n")
    before = picture(bench.project)
    stopped = bench.syncing.rollback()
    assert [conflict.path.name for conflict in stopped.conflicts] == ["c.toml"]
    assert stopped.restored == ()
    assert picture(bench.project) == before
    bench.syncing.rollback(skip_changed=True)
    assert list(picture(bench.project)) == ["AGENTS.md", "c.toml"]
    assert bench.read("AGENTS.md") == b"theirs, no line end"
    assert bench.read("c.toml").endswith(b"b = 2\r\n")
    bench.wants = {"codex": [], "gemini": []}
    bench.sync(choices={"c.toml#mcp_servers.m": Choice.TAKE})
    assert bench.read("c.toml").startswith(b"# mine\r\na = 1\r\n")
    assert b"command" not in bench.read("c.toml")


def test_a_link_in_the_place_of_our_file_is_a_conflict(bench: Workbench) -> None:
    bench.wants = {"codex": [bench.file("a", b"1")]}
    bench.sync()
    (bench.project / "a").unlink()
    (bench.project / "a").symlink_to(bench.write("b", b"1"))
    assert [conflict.path.name for conflict in bench.syncing.rollback().conflicts] == ["a"]
    assert bench.read("b") == b"1"


def test_an_older_sync_is_taken_back_under_a_newer_one_of_other_files(bench: Workbench) -> None:
    bench.wants = {"codex": [bench.file("a", b"1")]}
    first = bench.sync().backup_id
    bench.wants["codex"].append(bench.file("b", b"1"))
    bench.sync()
    bench.syncing.rollback(first)
    assert list(picture(bench.project)) == ["b"]
    assert [change.name for change in bench.plan().changes] == ["a"]


def test_a_foreign_file_that_was_taken_over_comes_back(bench: Workbench) -> None:
    bench.write("a", b"theirs\r\n")
    (bench.project / "a").chmod(0o640)
    bench.wants = {"codex": [bench.file("a", b"ours\n")]}
    bench.sync(choices={"a": Choice.TAKE})
    assert bench.read("a") == b"ours\n"
    bench.syncing.rollback()
    assert picture(bench.project) == {"a": (0o640, b"theirs\r\n")}
    assert bench.plan().conflicts == ("a",)


def test_an_unknown_or_damaged_backup_is_refused(bench: Workbench) -> None:
    everything(bench)
    bench.sync()
    for name in ("000009-00000000", "../x", ""):
        with pytest.raises(NoSuchBackup):
            bench.syncing.rollback(name)
    (path,) = (bench.own / "backups").rglob("*.json")
    before = picture(bench.project)
    path.write_bytes(path.read_bytes().replace(b'"edits"', b'"adits"'))
    with pytest.raises(StateDamaged):
        bench.syncing.rollback()
    assert picture(bench.project) == before


@pytest.mark.parametrize("own", [None, b'{\n  "theme": "dark"\n}\n'])
def test_a_line_that_opencode_adds_when_it_starts_is_no_change(bench: Workbench, own: bytes | None) -> None:
    if own is not None:
        bench.write("opencode.json", own)
    bench.wants = {"opencode": [bench.json("opencode.json", {("share",): "disabled"})]}
    bench.sync()
    written = bench.read("opencode.json")
    added = written.replace(b"{\n", b'{\n  "$schema": "https://opencode.ai/config.json",\n', 1)

    bench.write("opencode.json", added.replace(b"disabled", b"manual"))
    assert [conflict.reason for conflict in bench.syncing.rollback().conflicts] == ["changed since"]
    bench.write("opencode.json", added)
    assert bench.syncing.rollback().conflicts == ()

    assert picture(bench.project) == ({} if own is None else {"opencode.json": (0o644, own)})
