"""What holds for every target of the registry; a new one is driven through all of it by its line there."""

from __future__ import annotations

import dataclasses
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from sightline.children import Children
from sightline.config.schema import Target as TargetName
from sightline.sync.formats.three_way import Choice
from sightline.sync.model import (
    Agent,
    Command,
    Hook,
    Item,
    McpServer,
    PermissionKind,
    Rule,
    Skill,
    SourceTree,
)
from sightline.sync.outputs import Output, OutputScope, OwnedBlock, OwnedFile, OwnedKeys, Rendered, TargetPlaces
from sightline.sync.permission_samples import sample_actions
from sightline.sync.permissions import ActionKind, Permissions
from sightline.sync.source import read_source_tree
from sightline.sync.targets.registry import TARGET_NAMES, all_targets
from sightline.sync.targets.servers import fields_of
from tests.sync.applying.workbench import picture, times
from tests.sync.hard_project import HardProject, make_hard_project
from tests.sync.source.trees import SmallSource
from tests.sync.targets.judges import JUDGES
from tests.sync.targets.life import Life

BOTH: frozenset[OutputScope] = frozenset({"user", "project"})
pytestmark = pytest.mark.parametrize("name", TARGET_NAMES)


@pytest.fixture
def children() -> Iterator[Children]:
    with Children() as each:
        yield each


def rendered_for(name: str, hard: HardProject, scopes: frozenset[OutputScope] = BOTH) -> tuple[SourceTree, Rendered]:
    tree = read_source_tree(hard.places)
    return tree, all_targets()[name].render(tree, TargetPlaces(hard.project, hard.home, {}), scopes)


def written(output: Output) -> str:
    match output:
        case OwnedFile():
            return output.content.decode(errors="replace")
        case OwnedKeys():
            return repr(list(output.values.items()))
        case OwnedBlock():
            return output.text


def units(rendered: Rendered) -> Iterator[tuple[Path, object, tuple[str, ...]]]:
    for output in rendered.outputs:
        match output:
            case OwnedFile():
                yield output.path, (), output.sources
            case OwnedKeys():
                for key in output.values:
                    yield output.path, key, output.sources_of(key)
            case OwnedBlock():
                yield output.path, output.block_id, output.sources


def test_no_step_delta_or_warning_holds_an_absolute_path_of_the_person(name: str, tmp_path: Path) -> None:
    hard = make_hard_project(tmp_path.resolve(), with_foreign=True)
    _, rendered = rendered_for(name, hard)
    for text in (*rendered.steps, *rendered.deltas, *rendered.warnings):
        assert str(hard.home) not in text, text
        assert str(hard.project) not in text, text


def test_the_registry_knows_the_target_by_its_name(name: str) -> None:
    target = all_targets()[name]
    assert target.name == name
    assert target.title
    assert list(all_targets()) == list(TARGET_NAMES)


def test_the_same_source_gives_the_same_outputs_in_the_same_order(name: str, tmp_path: Path) -> None:
    hard = make_hard_project(tmp_path, with_hostile_names=True, with_foreign=True)
    assert rendered_for(name, hard) == rendered_for(name, hard)


def test_outputs_stay_in_the_folders_of_the_target_whatever_the_names_are(name: str, tmp_path: Path) -> None:
    hard = make_hard_project(tmp_path, with_hostile_names=True)
    _tree, rendered = rendered_for(name, hard)
    places = TargetPlaces(hard.project, hard.home, {})
    for output in rendered.outputs:
        folders = all_targets()[name].folders(places, frozenset({output.scope}))
        assert any(output.path != folder and output.path.is_relative_to(folder) for folder in folders), output.path
        assert os.path.normpath(output.path) == str(output.path)
        assert output.path.name.isprintable()
        assert hard.home not in folders
    committed = all_targets()[name].folders(places, frozenset({"project"}))
    assert not any(folder.is_relative_to(hard.home) for folder in committed)


def test_moved_folders_are_followed(name: str, tmp_path: Path) -> None:
    hard = make_hard_project(tmp_path)
    moved = tmp_path / "moved"
    variables = {key: str(moved) for key in ("CODEX_HOME", "GEMINI_CLI_HOME", "XDG_CONFIG_HOME")}
    target, places = all_targets()[name], TargetPlaces(hard.project, hard.home, variables)
    rendered = target.render(read_source_tree(hard.places), places, frozenset({"user"}))
    folders = target.folders(places, frozenset({"user"}))
    assert all(any(output.path.is_relative_to(folder) for folder in folders) for output in rendered.outputs)
    if name != "cursor":
        assert any(output.path.is_relative_to(moved) for output in rendered.outputs)


def test_a_scope_that_is_not_asked_for_gets_nothing_and_changes_nothing(name: str, tmp_path: Path) -> None:
    hard = make_hard_project(tmp_path)
    scopes: tuple[OutputScope, ...] = ("project", "user")
    for scope in scopes:
        _tree, alone = rendered_for(name, hard, frozenset({scope}))
        _tree, both = rendered_for(name, hard)
        assert {output.scope for output in alone.outputs} <= {scope}
        assert set(map(written, alone.outputs)) == {written(each) for each in both.outputs if each.scope == scope}


def test_no_unit_is_written_twice_and_each_names_its_items(name: str, tmp_path: Path) -> None:
    hard = make_hard_project(tmp_path, with_hostile_names=True)
    tree, rendered = rendered_for(name, hard)
    known = {item.item_id for item in tree.items()}
    seen: set[tuple[Path, object]] = set()
    for path, key, sources in units(rendered):
        assert (path, key) not in seen
        seen.add((path, key))
        assert sources, (path, key)
        assert all(source in known or source.startswith("permission:baseline@") for source in sources), (path, key)


def test_no_secret_is_in_anything_that_is_written_or_said(name: str, tmp_path: Path) -> None:
    hard = make_hard_project(tmp_path, with_secrets=True, with_hostile_names=True)
    _tree, rendered = rendered_for(name, hard)
    told = "\n".join((*map(written, rendered.outputs), repr(rendered)))
    for secret in (*hard.secrets, *hard.environment.values()):
        assert secret not in told


def test_committed_outputs_hold_nothing_personal_and_do_not_change_with_it(name: str, tmp_path: Path) -> None:
    hard = make_hard_project(tmp_path)
    _tree, before = rendered_for(name, hard, frozenset({"project"}))
    committed = "\n".join(map(written, before.outputs))
    for personal in ("PRIVATE:", "PERSONAL:", "local-only", "user-only", "plugin_kit", "terraform", str(hard.home)):
        assert personal not in committed
    (hard.project / ".claude/settings.local.json").unlink()
    (hard.project / "CLAUDE.local.md").unlink()
    shutil.rmtree(hard.home / ".claude/rules")
    shutil.rmtree(hard.home / ".claude/skills")
    _tree, after = rendered_for(name, hard, frozenset({"project"}))
    assert [written(each) for each in after.outputs] == [written(each) for each in before.outputs]


def _fields(item: Item) -> set[str]:
    match item:
        case McpServer():
            return set(fields_of(item))
        case Skill() | Command() | Agent() | Rule():
            return set(item.frontmatter.fields)
        case Hook():
            return set(item.fields)
        case _:
            return set()


def test_every_item_and_every_field_of_it_has_a_line_in_the_ledger(name: str, tmp_path: Path) -> None:
    hard = make_hard_project(tmp_path, with_hostile_names=True)
    tree, rendered = rendered_for(name, hard)
    lines = {(line.item_id, line.field): line for line in rendered.ledger}
    assert len(lines) == len(rendered.ledger)
    for item in tree.items():
        assert (item.item_id, "") in lines, item.item_id
        if lines[item.item_id, ""].grade in {"exact", "equivalent", "approximated"}:
            missing = {field for field in _fields(item) if (item.item_id, field) not in lines}
            assert not missing, (item.item_id, missing)
    for line in rendered.ledger:
        assert line.reason or line.grade in {"exact", "equivalent", "approximated"}, line


def test_the_ledger_is_about_all_fields_of_the_model(name: str, tmp_path: Path) -> None:
    """A field that is added to the model has to be thought of here, and in `_fields` above."""
    own = {"item_id", "provenance", "shadowed_by", "kind", "name", "body", "frontmatter", "description"}
    known = {
        Skill: {"directory", "files", "nested_in", "when_to_use", "argument_names", "disable_model_invocation"}
        | {"user_invocable", "allowed_tools", "disallowed_tools", "paths"},
        Command: {"segments", "argument_hint", "argument_names", "disable_model_invocation", "allowed_tools"},
        Agent: {"tools", "disallowed_tools", "model", "permission_mode", "max_turns", "skills", "effort", "color"},
        McpServer: {"transport", "state", "command", "args", "env", "cwd", "url", "headers", "headers_helper"}
        | {"oauth", "timeout_ms", "always_load", "extra"},
        Hook: {"event", "matcher", "type", "fields", "timeout_s", "is_known_event"},
        Rule: {"paths", "parts"},
    }
    for kind, fields in known.items():
        assert {field.name for field in dataclasses.fields(kind)} - own == fields, (name, kind)


def test_nothing_is_allowed_that_claude_code_would_ask_or_deny(name: str, tmp_path: Path) -> None:
    hard = make_hard_project(tmp_path)
    tree, rendered = rendered_for(name, hard)
    judge = JUDGES[name](tree, rendered, TargetPlaces(hard.project, hard.home, {}))
    claude = Permissions(tree.permissions, hard.project, hard.home, mode="acceptEdits")
    actions = sample_actions(tree.permissions, cwd=hard.project)
    assert len(actions) > 200
    for action in actions:
        said = claude.decide(action)
        is_asked_about = action.kind not in {ActionKind.READ, ActionKind.EDIT}
        if is_asked_about and said.verdict is not PermissionKind.ALLOW:
            group = action.kind is ActionKind.BASH and said.rule is None
            assert judge(action) is not PermissionKind.ALLOW or group, action.value


def test_a_file_that_a_committed_rule_denies_is_denied(name: str, tmp_path: Path) -> None:
    if name == "codex":
        pytest.skip("its rules for files are a profile that only Codex evaluates")
    hard = make_hard_project(tmp_path)
    tree, rendered = rendered_for(name, hard)
    judge = JUDGES[name](tree, rendered, TargetPlaces(hard.project, hard.home, {}))
    claude = Permissions(tree.permissions, hard.project, hard.home)
    checked = 0
    for action in sample_actions(tree.permissions, cwd=hard.project):
        said = claude.decide(action)
        is_file = action.kind in {ActionKind.READ, ActionKind.EDIT} and action.value.startswith(hard.project.as_posix())
        if is_file and said.verdict is PermissionKind.DENY and said.rule is not None and said.rule.scope.is_committed:
            checked += 1
            assert judge(action) is PermissionKind.DENY, action
    assert checked > 5


def test_text_for_one_target_reaches_that_target_once_and_no_other_ones_file(name: str, tmp_path: Path) -> None:
    source = SmallSource(tmp_path.resolve())
    tagged = "".join(f"<!-- sync:{each}-only -->\nTagged for {each}.\n<!-- sync:end -->\n" for each in TARGET_NAMES)
    source.write(
        source.project / "CLAUDE.md", f"For all.\n{tagged}<!-- sync:exclude -->\nFor none.\n<!-- sync:end -->\n"
    )
    for each in TARGET_NAMES:
        source.write(source.project / f"CLAUDE.{each}.md", f"File for {each}.\n")
        source.write(source.project / f".claude/CLAUDE.{each}.md", f"Second file for {each}.\n")
    rendered = all_targets()[name].render(source.read(), TargetPlaces(source.project, source.home, {}), BOTH)
    text = "\n".join(map(written, rendered.outputs))
    for mine in ("For all.", f"Tagged for {name}.", f"File for {name}.", f"Second file for {name}."):
        assert text.count(mine) == 1, mine
    for other in set(TARGET_NAMES) - {name}:
        assert f"for {other}." not in text
    assert "For none." not in text


async def test_a_second_sync_does_nothing_and_the_end_of_the_source_leaves_no_trace(
    name: TargetName, tmp_path: Path, children: Children
) -> None:
    hard = make_hard_project(tmp_path, with_foreign=True, with_hostile_names=True)
    life = Life((name,), hard.home, tmp_path / "own", lambda _root: hard.places, children)
    before = picture(tmp_path)
    done = await life.sync(hard.project, {"*": Choice.KEEP})
    assert done.applied.plan.writes
    assert not done.applied.plan.problems
    then = times(hard.root)
    again = await life.plan(hard.project, {"*": Choice.KEEP})
    assert [change.path for change in again.writes] == []
    assert times(hard.root) == then
    for folder in (hard.home / ".claude", *list(hard.project.rglob(".claude"))):
        shutil.rmtree(folder)
    for file in (hard.home / ".claude.json", hard.project / ".mcp.json", *(hard.root / "work").rglob("CLAUDE*.md")):
        file.unlink()
    await life.sync(hard.project, {"*": Choice.KEEP})
    left = {path: seen for path, seen in picture(tmp_path).items() if not path.startswith("own")}
    gone = {path for path in before if path not in left}
    assert all(".claude" in path or "CLAUDE" in path or path.endswith(".mcp.json") for path in gone)
    assert {path: seen for path, seen in left.items() if seen[1] is not None} == {
        path: seen for path, seen in before.items() if path not in gone and seen[1] is not None
    }


async def test_two_projects_of_one_person_do_not_undo_each_other(
    name: TargetName, tmp_path: Path, children: Children
) -> None:
    one = SmallSource(tmp_path)
    two = one.root / "work/second"
    for project, word in ((one.project, "first"), (two, "second")):
        one.write(project / "CLAUDE.md", f"{word}\n")
        rules = {"deny": [f"Bash({word} *)", f"Read({word}/**)", f"mcp__{word}__put"], "ask": [f"Edit({word}-x/**)"]}
        one.write(project / ".claude/settings.local.json", {"permissions": rules})
        one.write(project / ".mcp.json", {"mcpServers": {word: {"command": word}}})
        one.write(project / ".claude/settings.json", {"enableAllProjectMcpServers": True})
    settings = {"permissions": {"deny": ["Bash(curl *)", "mcp__first__drop"]}, "enableAllProjectMcpServers": True}
    one.write(one.config / "settings.json", settings)
    places = {
        project: dataclasses.replace(one.places(), project=project, start=project) for project in (one.project, two)
    }
    life = Life((name,), one.home, tmp_path / "own", lambda root: places[root], children)
    for project in (one.project, two):
        await life.sync(project)
    for project in (one.project, two):
        plan = await life.plan(project)
        assert [(change.action, change.name) for change in plan.changes] == []
    (one.project / ".claude/settings.local.json").unlink()
    await life.sync(one.project)
    assert (await life.plan(two)).changes == ()
    own = [path for path in one.home.rglob("*") if path.is_file() and ".claude" not in path.parts]
    text = "\n".join(path.read_text() for path in own)
    assert name == "cursor" or "second" in text
    assert "first *" not in text
