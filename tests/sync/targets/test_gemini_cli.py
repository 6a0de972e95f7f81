"""The hard project, rendered for Gemini CLI and judged by the CLI itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sightline.sync.model import SourceTree
from sightline.sync.outputs import OwnedKeys, Rendered, TargetPlaces
from sightline.sync.permission_samples import sample_actions
from sightline.sync.permissions import Permissions, is_at_most
from sightline.sync.source import read_source_tree
from sightline.sync.targets.gemini import GeminiTarget
from sightline.sync.targets.gemini_mcp import gemini_names
from tests.sync.hard_project import HardProject, make_hard_project
from tests.sync.targets.codex_oracle import materialise
from tests.sync.targets.gemini_oracle import Gemini, needs_gemini

pytestmark = needs_gemini


def _synced(root: Path, **kinds: bool) -> tuple[HardProject, SourceTree, Rendered, Gemini]:
    hard = make_hard_project(root, **kinds)
    tree = read_source_tree(hard.places)
    places = TargetPlaces(hard.project, hard.home, {})
    rendered = GeminiTarget().render(tree, places, frozenset({"user", "project"}))
    materialise(rendered)
    return hard, tree, rendered, Gemini(hard.home, hard.project)


def _expected_servers(rendered: Rendered) -> dict[str, tuple[str, str]]:
    expected: dict[str, tuple[str, str]] = {}
    for scope in ("user", "project"):
        for output in rendered.outputs:
            if isinstance(output, OwnedKeys) and output.scope == scope:
                found = {str(path[1]): value for path, value in output.values.items() if path[0] == "mcpServers"}
                expected |= {name: _shown(value) for name, value in found.items()}
    return expected


def _shown(entry: Any) -> tuple[str, str]:
    if "command" in entry:
        return " ".join([entry["command"], *entry.get("args", [])]), "stdio"
    return (entry["httpUrl"], "http") if "httpUrl" in entry else (entry["url"], "sse")


def test_gemini_starts_and_lists_exactly_the_servers_of_the_plan(tmp_path: Path) -> None:
    _hard, _tree, rendered, gemini = _synced(tmp_path, with_hostile_names=True, with_secrets=True, with_foreign=True)
    expected = {**_expected_servers(rendered), "own": ("own-server", "stdio")}
    assert len(expected) > 8
    assert gemini.servers() == expected


def test_gemini_sees_every_skill_once_and_rejects_no_agent(tmp_path: Path) -> None:
    _hard, _tree, rendered, gemini = _synced(tmp_path, with_hostile_names=True)
    skills, complaints = gemini.skills()
    wanted = {
        output.path.parent.name
        for output in rendered.outputs
        if output.path.name == "SKILL.md" and "web" not in output.path.parts
    }
    assert set(skills) - wanted == set()
    assert wanted <= set(skills)
    assert "Agent loading error" not in complaints
    assert "olicy" not in complaints


def test_no_action_is_freer_than_in_claude_code(tmp_path: Path) -> None:
    hard, tree, _rendered, gemini = _synced(tmp_path)
    actions = sample_actions(tree.permissions, cwd=hard.project)
    permissions = Permissions(tree.permissions, hard.project, hard.home)
    verdicts = gemini.verdicts(actions, gemini_names(tree))
    wider = [
        (action.kind.value, action.value, verdict.value, permissions.decide(action).verdict.value)
        for action, verdict in zip(actions, verdicts, strict=True)
        if not is_at_most(verdict, permissions.decide(action).verdict)
    ]
    assert wider == []
    assert len(actions) > 100
    assert any(
        verdict.value == "allow" for action, verdict in zip(actions, verdicts, strict=True) if "npm" in action.value
    )
