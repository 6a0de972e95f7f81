"""Sync where things are not as they should be: damaged memory, folders that cannot be written, moved and odd places."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from sightline.sync.applying import NoSuchBackup, StateDamaged, SyncFailed
from sightline.sync.planning import status_of
from tests.sync.end_to_end.desk import Desk, a_desk, desk_in, picture, quick_folder

SKILL = b"---\ndescription: sails\n---\nSail.\n"


def planted(desk: Desk) -> Desk:
    desk.write("work/shop/CLAUDE.md", b"Be kind.\n")
    desk.write("work/shop/.claude/skills/sail/SKILL.md", SKILL)
    desk.write("home/.claude/CLAUDE.md", b"Tabs.\n")
    return desk


def test_what_we_keep_is_for_the_owner_alone() -> None:
    with a_desk() as desk:
        planted(desk).sync()
        folder = desk.data / "sync"
        assert folder.stat().st_mode & 0o777 == 0o700
        kept = [path for top in ("state", "backups", "journal") for path in (folder / top).rglob("*") if path.is_file()]
        assert len(kept) > 3
        assert {path.stat().st_mode & 0o777 for path in kept} == {0o600}


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"format": 99}', b"\xff\xfe"])
def test_a_damaged_state_is_named_and_nothing_is_guessed(damage: bytes) -> None:
    with a_desk() as desk:
        planted(desk).sync()
        state = next(path for path in (desk.data / "sync/state").rglob("codex.json"))
        state.write_bytes(damage)
        before = desk.picture()
        with pytest.raises(StateDamaged, match=r"codex\.json"):
            desk.plan()
        with pytest.raises(StateDamaged):
            desk.standing()
        assert desk.picture() == before
        assert state.read_bytes() == damage


def test_after_a_lost_memory_our_own_outputs_are_known_again() -> None:
    """The same content is no conflict: it becomes ours again."""
    with a_desk() as desk:
        planted(desk).sync()
        before = desk.picture()
        shutil.rmtree(desk.data)
        done = desk.sync()
        assert done.planned.plan.conflicts == ()
        assert desk.picture() == before
        (desk.project / ".claude/skills/sail/SKILL.md").unlink()
        desk.sync()
        assert not (desk.project / ".agents/skills/sail/SKILL.md").exists()


def test_a_damaged_backup_is_refused_and_nothing_changes() -> None:
    with a_desk() as desk:
        planted(desk).sync()
        backup = next((desk.data / "sync/backups").rglob("*.json"))
        backup.write_bytes(backup.read_bytes()[:-40])
        before = desk.picture()
        with pytest.raises(StateDamaged, match=backup.name):
            desk.rollback()
        assert desk.picture() == before
        with pytest.raises(NoSuchBackup):
            desk.rollback("../../x")


def test_an_unreadable_journal_stops_nothing_and_stays_for_a_person() -> None:
    with a_desk() as desk:
        planted(desk).sync()
        folder = desk.data / "sync/journal/t-0123"
        folder.mkdir()
        (folder / "replacing.json").write_bytes(b"{")
        desk.write("work/shop/CLAUDE.md", b"Be kinder.\n")
        assert desk.standing().is_unsettled
        desk.sync()
        assert b"Be kinder." in (desk.project / "AGENTS.md").read_bytes()
        assert (folder / "replacing.json").read_bytes() == b"{"


def test_a_target_file_that_was_deleted_by_hand_is_a_conflict_until_a_person_decides() -> None:
    """To bring it back unasked could undo what the person wanted."""
    with a_desk() as desk:
        planted(desk).sync()
        (desk.project / ".agents/skills/sail/SKILL.md").unlink()
        planned = desk.plan()
        assert planned.plan.conflicts == (".agents/skills/sail/SKILL.md",)
        assert status_of("codex", planned.plan, planned.states) == "conflict"
        desk.apply(planned)
        assert not (desk.project / ".agents/skills/sail/SKILL.md").exists()


def test_a_folder_where_we_keep_nothing_because_it_cannot_be_written_is_named() -> None:
    with a_desk() as desk:
        planted(desk)
        desk.data.write_bytes(b"a file in the place of the folder")
        before = desk.picture()
        planned = desk.plan()
        with pytest.raises(SyncFailed, match="data"):
            desk.apply(planned)
        assert desk.picture() == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_home_leaves_everything_as_it_was() -> None:
    with a_desk() as desk:
        planted(desk)
        desk.home.chmod(0o500)
        try:
            before = desk.picture()
            with pytest.raises(SyncFailed):
                desk.sync()
            assert desk.picture() == before
        finally:
            desk.home.chmod(0o700)


def test_a_read_only_target_file_is_left_alone_and_reported() -> None:
    with a_desk() as desk:
        planted(desk)
        path = desk.write("work/shop/AGENTS.md", b"Mine.\n", 0o444)
        done = desk.sync()
        assert path.read_bytes() == b"Mine.\n"
        assert [each.kind for each in done.planned.plan.problems if each.path == path] == ["read_only"]
        assert (desk.project / ".agents/skills/sail/SKILL.md").exists()


def test_a_home_with_blanks_and_odd_letters_works() -> None:
    with quick_folder() as folder, desk_in(folder / 'Ünï çödé\'s "home"') as desk:
        planted(desk).sync()
        assert desk.plan().plan.is_empty
        assert (desk.project / ".agents/skills/sail/SKILL.md").read_bytes() == b"---\nname: sail\n" + SKILL[4:]


def test_a_moved_project_takes_its_outputs_over_and_can_still_remove_them() -> None:
    with a_desk() as desk:
        planted(desk).sync()
        moved = desk.folder / "work" / "moved"
        desk.project.rename(moved)
        done = desk.sync(project=moved)
        assert done.planned.plan.conflicts == ()
        assert done.planned.plan.writes == ()
        shutil.rmtree(moved / ".claude/skills")
        desk.sync(project=moved)
        assert not list(moved.rglob(".agents/**/*.md"))


def test_a_clock_that_goes_backwards_changes_nothing() -> None:
    with a_desk() as desk:
        planted(desk).sync()
        desk.write("work/shop/CLAUDE.md", b"Be kinder.\n")
        desk.now -= 10_000_000
        second = desk.sync().applied.backup_id
        assert desk.plan().plan.is_empty
        assert desk.standing().backups[-1] == second
        desk.rollback()
        assert b"Be kind.\n" in (desk.project / "AGENTS.md").read_bytes()


def test_windows_lines_and_a_byte_order_mark_in_the_source_are_read() -> None:
    with a_desk() as desk:
        desk.write("work/shop/CLAUDE.md", b"\xef\xbb\xbf# Shop\r\n\r\nBe kind.\r\n")
        desk.write("work/shop/.claude/agents/a.md", b"---\r\nname: a\r\ndescription: does\r\n---\r\nBody.\r\n")
        desk.sync()
        assert b"\xef\xbb\xbf" not in (desk.project / "AGENTS.md").read_bytes()
        assert (desk.project / ".codex/agents/a.toml").exists()
        assert desk.plan().plan.is_empty


@pytest.mark.parametrize("content", [b"\xff\xfe\x00bad", b"x" * 5_000_000], ids=["not UTF-8", "huge"])
def test_a_source_that_cannot_be_read_keeps_what_came_from_it(content: bytes) -> None:
    with a_desk() as desk:
        planted(desk).sync()
        before = (desk.project / "AGENTS.md").read_bytes()
        desk.write("work/shop/CLAUDE.md", content)
        desk.write("work/shop/.claude/skills/new/SKILL.md", SKILL)
        done = desk.sync()
        assert [each.file.name for each in done.planned.reading.tree.problems if each.is_fatal_for] == ["CLAUDE.md"]
        assert (desk.project / "AGENTS.md").read_bytes() == before
        assert (desk.project / ".agents/skills/new/SKILL.md").exists()


def test_a_git_worktree_is_a_project_of_its_own() -> None:
    with a_desk() as desk:
        planted(desk)
        other = desk.folder / "work" / "tree"
        shutil.copytree(desk.project, other)
        (desk.project / ".git").mkdir()
        (other / ".git").write_text(f"gitdir: {desk.project}/.git/worktrees/tree\n")
        desk.sync()
        before = picture(desk.project, desk.project)
        desk.sync(project=other)
        assert picture(desk.project, desk.project) == before
        assert (other / "AGENTS.md").read_bytes() == (desk.project / "AGENTS.md").read_bytes()
        assert desk.plan().plan.is_empty


@pytest.mark.parametrize("name", [".codex", ".gemini", ".config/opencode", ".agents"])
def test_a_linked_folder_of_the_home_is_written_through_and_stays_a_link(name: str) -> None:
    """Dotfiles are often kept elsewhere."""
    with a_desk() as desk:
        planted(desk)
        desk.write("home/.claude/skills/own/SKILL.md", SKILL)
        real = desk.folder / "dotfiles" / Path(name).name
        real.mkdir(parents=True)
        (desk.home / name).parent.mkdir(parents=True, exist_ok=True)
        (desk.home / name).symlink_to(real)
        desk.sync()
        assert (desk.home / name).is_symlink()
        assert list(real.rglob("*.md"))
        assert desk.plan().plan.is_empty
        desk.rollback()
        assert list(real.iterdir()) == []
        assert (desk.home / name).is_symlink()
