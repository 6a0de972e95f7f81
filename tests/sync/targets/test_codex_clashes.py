"""A server that Codex would mix up with one of the same name in another project of the person."""

from __future__ import annotations

from pathlib import Path

import pytest

from sightline.sync.outputs import OwnedKeys, Rendered, TargetPlaces
from sightline.sync.targets.codex import CodexTarget
from tests.sync.source.trees import SmallSource


@pytest.fixture
def source(tmp_path: Path) -> SmallSource:
    return SmallSource(tmp_path.resolve())


def _render(source: SmallSource) -> Rendered:
    places = TargetPlaces(source.project, source.home, {})
    return CodexTarget().render(source.read(), places, frozenset({"user", "project"}))


def _is_switched_off(rendered: Rendered) -> bool:
    mine = [each for each in rendered.outputs if isinstance(each, OwnedKeys) and each.scope == "user"]
    return any(("mcp_servers", "m") in each.values for each in mine)


def test_a_server_is_not_switched_off_where_codex_would_not_start_in_another_project(source: SmallSource) -> None:
    """Codex merges the person's table with that of each project, and refuses a `command` beside a `url`."""
    other = source.home / "other"
    source.write(source.home / ".codex/config.toml", f'[projects."{other}"]\ntrust_level = "trusted"\n')
    source.write(source.project / ".mcp.json", {"mcpServers": {"m": {"command": "ours"}}})
    source.write(source.project / ".claude/settings.json", {"enabledMcpjsonServers": ["m"]})
    source.write(source.project / ".claude/settings.local.json", {"disabledMcpjsonServers": ["m"]})
    source.write(other / ".codex/config.toml", '[mcp_servers.m]\ncommand = "theirs"\n')
    assert _is_switched_off(_render(source))

    source.write(other / ".codex/config.toml", '[mcp_servers.m]\nurl = "https://m.example"\n')
    rendered = _render(source)

    assert not _is_switched_off(rendered)
    assert any("not switched off" in each and str(other) in each for each in rendered.warnings)
    assert any(each.startswith("laxer: `mcp:m@project` is disabled for you") for each in rendered.deltas)

    source.write(source.home / ".codex/config.toml", f'[projects."{other}"]\ntrust_level = "untrusted"\n')
    assert _is_switched_off(_render(source))
