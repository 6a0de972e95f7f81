"""Damage to any file of the source: never an exception, never a silent loss."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sightline.sync.model import ItemKind, PermissionKind, SourceTree
from sightline.sync.source import read_source_tree
from tests.sync.hard_project import HardProject, make_hard_project

DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "half": lambda content: content[: len(content) // 2],
    "bytes": lambda content: content[: len(content) // 2] + b"\xff\x00" + content[len(content) // 2 :],
    "garbage": lambda content: b"---\n{[(: \n---\n" + content,
}


def _read(hard: HardProject) -> SourceTree:
    return read_source_tree(hard.places, pause=lambda: None)


def _source_files(hard: HardProject, tree: SourceTree) -> list[Path]:
    return [each.path for each in tree.inputs if each.digest and each.path.is_relative_to(hard.root)]


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_an_item_that_vanishes_is_explained_by_a_problem(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    hard = make_hard_project(tmp_path)
    whole = _read(hard)
    ids = {item.item_id for item in whole.items()}
    messages = {(problem.file, problem.message) for problem in whole.problems}
    files = _source_files(hard, whole)
    assert len(files) > 40
    for file in files:
        content = file.read_bytes()
        file.write_bytes(damage(content))
        tree = _read(hard)
        file.write_bytes(content)
        lost = ids - {item.item_id for item in tree.items()}
        new = {problem.file for problem in tree.problems if (problem.file, problem.message) not in messages}
        assert not lost or new, (file, lost)


def test_no_cut_through_a_settings_file_loses_a_deny(tmp_path: Path) -> None:
    hard = make_hard_project(tmp_path)
    restricting = {rule.item_id for rule in _read(hard).permissions if rule.effect is not PermissionKind.ALLOW}
    file = hard.project / ".claude/settings.json"
    content = file.read_bytes()
    for length in range(0, len(content), 97):
        file.write_bytes(content[:length])
        tree = _read(hard)
        kept = {rule.item_id for rule in tree.permissions}
        assert ItemKind.PERMISSION in tree.blocked_kinds or restricting <= kept, length


def test_links_that_lead_nowhere_are_no_deletions(tmp_path: Path) -> None:
    hard = make_hard_project(tmp_path)
    for file in (hard.project / ".claude/settings.json", hard.home / ".claude/commands"):
        file.rename(hard.root / file.name)
        file.symlink_to(hard.root / "unmounted" / file.name)
    (hard.root / "elsewhere/linked").rename(hard.root / "gone")
    tree = _read(hard)
    assert {ItemKind.PERMISSION, ItemKind.COMMAND} <= tree.blocked_kinds
    assert "skill:linked@project" in tree.blocked_items


def test_folders_in_the_place_of_files_and_files_in_the_place_of_folders_are_survived(tmp_path: Path) -> None:
    hard = make_hard_project(tmp_path)
    for name in ("CLAUDE.md", ".mcp.json", ".claude/settings.json", ".claude/commands/fix.md"):
        (hard.project / name).unlink()
        (hard.project / name).mkdir()
    for name in ("skills", "rules", "agents"):
        (hard.home / ".claude" / name).rename(hard.home / name)
        (hard.home / ".claude" / name).write_text("a file")
    tree = _read(hard)
    assert {ItemKind.PERMISSION, ItemKind.INSTRUCTIONS, ItemKind.MCP} <= tree.blocked_kinds
    assert {skill.provenance.scope.value for skill in tree.skills} == {"project", "plugin"}
