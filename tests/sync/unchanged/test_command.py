"""`sightline sync` again and again: the same words while nothing changes, and the truth as soon as something does."""

from __future__ import annotations

from pathlib import Path

import pytest

from sightline.sync.unchanged.memory import AnswerMemory, current_program
from sightline.sync.unchanged.recording import Record
from sightline.sync.unchanged.snapshot import Shown
from tests.sync.tools.small_project import contents, set_servers, write_json
from tests.sync.unchanged.scene import Scene, make_small_scene


@pytest.fixture
def unsynced(tmp_path: Path) -> Scene:
    return make_small_scene(tmp_path)


@pytest.fixture
def scene(unsynced: Scene) -> Scene:
    """Synced, and asked once more."""
    assert unsynced.run("--yes").code == 0
    assert unsynced.watch("--yes").ended.code == 0
    return unsynced


def test_a_change_of_the_source_is_carried_over_at_once(scene: Scene) -> None:
    assert scene.watch("--yes").is_recalled
    (scene.line.project / "CLAUDE.md").write_text("# Shop\n\nUse tabz.\n")

    after = scene.watch("--yes")
    again = scene.watch("--yes"), scene.watch("--yes")

    assert not after.is_recalled
    assert "Use tabz." in (scene.line.project / "AGENTS.md").read_text()
    assert [each.is_recalled for each in again] == [False, True]
    assert again[0].ended == again[1].ended


def test_a_change_at_a_target_is_seen_at_once(scene: Scene) -> None:
    file = scene.line.project / ".codex/config.toml"
    before = file.read_text()
    file.write_text(before.replace("files-server", "files-serveR"))

    changed, still = scene.watch("--yes"), scene.watch("--yes")
    file.write_text(before)
    back = scene.watch("--yes")

    assert [each.is_recalled for each in (changed, still, back)] == [False, True, False]
    assert "it was changed at the target" in changed.ended.out
    assert still.ended == changed.ended
    assert "changed at the target" not in back.ended.out


def test_a_new_skill_a_new_ancestor_and_a_new_override_are_seen(scene: Scene) -> None:
    for name in (".claude/skills/new/SKILL.md", "../CLAUDE.md", "CLAUDE.codex.md", "AGENTS.override.md"):
        file = scene.line.project / name
        file.parent.mkdir(exist_ok=True)
        file.write_text("---\nname: new\ndescription: new\n---\nNew.\n")
        assert not scene.watch().is_recalled, name
        file.unlink()
        if file.parent.name == "new":
            file.parent.rmdir()
        scene.watch()
        assert scene.watch().is_recalled, name


def test_check_is_silent_both_ways_and_tells_drift(scene: Scene) -> None:
    long, short = scene.watch("--check"), scene.watch("--check")
    set_servers(scene.line.project, files={"command": "other-server"})
    drifted = scene.watch("--check")

    assert [long.is_recalled, short.is_recalled, drifted.is_recalled] == [False, True, False]
    assert (short.ended.code, short.ended.out, short.ended.err) == (0, "", "")
    assert long.ended == short.ended
    assert drifted.ended.code == 1
    assert "drifted" in drifted.ended.out


def test_claude_code_may_rewrite_its_state_file_as_long_as_the_servers_stay(unsynced: Scene) -> None:
    file = unsynced.line.home / ".claude.json"
    write_json(file, {"numStartups": 1, "projects": {}})
    unsynced.run("--yes")
    unsynced.watch("--yes")

    write_json(file, {"numStartups": 2, "projects": {"/other": {"mcpServers": {"a": {"command": "b"}}}}})
    rewritten = unsynced.watch("--yes")
    write_json(file, {"numStartups": 2, "projects": {str(unsynced.line.project): {"disabledMcpServers": ["files"]}}})
    switched_off = unsynced.watch("--yes")

    assert (rewritten.is_recalled, switched_off.is_recalled) == (True, False)


def test_other_settings_and_other_questions_are_answered_anew(scene: Scene) -> None:
    assert scene.watch("--yes").is_recalled
    assert scene.watch().is_recalled
    for words in (("--full",), ("--target", "codex"), ("--scope", "user"), ("--set", "sync.backups_kept=3")):
        assert not scene.watch(*words).is_recalled, words
    assert not scene.watch("--yes", CODEX_HOME=str(scene.line.home / "moved")).is_recalled
    scene.line.write_user_file("[sync]\nbackups_kept = 4\n")
    assert not scene.watch("--yes").is_recalled


def test_what_another_sync_left_half_done_is_settled_first(scene: Scene) -> None:
    assert scene.watch("--yes").is_recalled
    (scene.line.home / "data/sightline/sync/journal/left-behind").mkdir()

    assert not scene.watch("--yes").is_recalled


def test_a_dry_run_remembers_nothing_and_says_the_same(scene: Scene) -> None:
    for file in scene.snapshots:
        file.unlink()

    only_shown = scene.watch("--dry-run")

    assert scene.snapshots == []
    assert scene.watch("--yes").ended == only_shown.ended


def test_where_nothing_was_ever_synced_nothing_is_left_behind(unsynced: Scene) -> None:
    for file in sorted(unsynced.line.project.rglob("*"), reverse=True):
        file.rmdir() if file.is_dir() else file.unlink()

    done = unsynced.run("--yes")

    assert "nothing to do" in done.out
    assert unsynced.snapshots == []
    assert not (unsynced.line.home / "data").exists()


def test_a_terminal_shows_the_same_colours_both_ways(scene: Scene) -> None:
    for file in scene.snapshots:
        file.unlink()
    before = contents(scene.line.project)

    first = scene.line.run_on_a_terminal("sync", "--yes", PATH="/usr/bin:/bin")
    assert len(scene.snapshots) == 1
    second = scene.line.run_on_a_terminal("sync", "--yes", PATH="/usr/bin:/bin")
    piped = scene.run("--yes")

    assert "\x1b[32m" in first.out
    assert first == second
    assert "\x1b[" not in piped.out
    assert contents(scene.line.project) == before


def test_a_damaged_snapshot_is_as_good_as_none(scene: Scene) -> None:
    good = scene.watch("--yes")
    for file in scene.snapshots:
        file.write_bytes(file.read_bytes()[:-10])

    mended, again = scene.watch("--yes"), scene.watch("--yes")

    assert [each.is_recalled for each in (good, mended, again)] == [True, False, True]
    assert good.ended == mended.ended == again.ended


def test_of_many_questions_the_newest_are_remembered(tmp_path: Path) -> None:
    data = tmp_path / "sync"
    (data / "state").mkdir(parents=True)
    program = current_program()

    def memory(number: int) -> AnswerMemory:
        return AnswerMemory(data, tmp_path, (str(number),), {}, program)

    for number in range(20):
        memory(number).keep(Record(), Shown(str(number)))

    assert memory(19).recall() == Shown("19")
    assert memory(0).recall() is None
    assert len(list((data / "unchanged").glob("*/*"))) <= 12
