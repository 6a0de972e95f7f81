"""The service carries out what it planned without running anything, if there is nothing to run, and nothing else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sightline.config.schema import SyncSettings
from sightline.projects import Surroundings
from sightline.sync.applying import StalePlan, TargetsRefused
from sightline.sync.service import ScopeName, SyncAsk, SyncService

ASK = SyncAsk(("codex",), "project")
LATER_NS = 10_000_000_000


def service_in(folder: Path, settings: SyncSettings | None = None) -> tuple[SyncService, Path]:
    home, project = folder / "home", folder / "project"
    (folder / "bin").mkdir(parents=True)
    home.mkdir()
    (project / ".claude" / "rules").mkdir(parents=True)
    (project / "CLAUDE.md").write_text("# Shop\n\nBe kind.\n")
    around = Surroundings({"PATH": str(folder / "bin")}, home)
    return SyncService(settings or SyncSettings(), around, folder / "data", None, "linux"), project


def test_where_no_command_is_installed_it_writes_at_once(tmp_path: Path) -> None:
    service, project = service_in(tmp_path)
    done = service.carry_out_now(project, service.plan_now(project, ASK))
    assert done is not None
    assert {name: answer.status for name, answer in done.verified.items()} == {"codex": "not_installed"}
    assert b"Be kind." in (project / "AGENTS.md").read_bytes()
    assert service.plan_now(project, ASK).plan.is_empty


def test_where_a_command_has_to_be_asked_nothing_is_done(tmp_path: Path) -> None:
    service, project = service_in(tmp_path)
    (tmp_path / "bin" / "codex").write_text("#!/bin/sh\n")
    (tmp_path / "bin" / "codex").chmod(0o755)
    assert service.carry_out_now(project, service.plan_now(project, ASK)) is None
    assert not (project / "AGENTS.md").exists()


def test_nobody_is_asked_if_that_is_not_wanted(tmp_path: Path) -> None:
    service, project = service_in(tmp_path, SyncSettings(verify="never"))
    (tmp_path / "bin" / "codex").write_text("#!/bin/sh\n")
    (tmp_path / "bin" / "codex").chmod(0o755)
    done = service.carry_out_now(project, service.plan_now(project, ASK))
    assert done is not None
    assert done.verified == {}


def test_a_target_that_must_be_asked_and_cannot_is_refused(tmp_path: Path) -> None:
    service, project = service_in(tmp_path, SyncSettings(verify="always"))
    with pytest.raises(TargetsRefused, match="codex: not installed"):
        service.carry_out_now(project, service.plan_now(project, ASK))
    assert not (project / "AGENTS.md").exists()


@pytest.mark.parametrize(
    "moved", ["CLAUDE.md", ".claude/rules/new.md", ".mcp.json", "AGENTS.md", "opencode.jsonc", ".codex/config.toml"]
)
def test_what_was_planned_is_refused_after_any_file_that_counts_has_moved(tmp_path: Path, moved: str) -> None:
    """The last but one is neither source nor planned: that it exists makes OpenCode's file another one."""
    service, project = service_in(tmp_path)
    (project / ".mcp.json").write_text('{"mcpServers": {}}')
    (project / ".claude" / "settings.json").write_text('{"permissions": {"deny": ["Bash(rm *)"]}}')
    planned = service.plan_now(project, ASK)
    (project / moved).parent.mkdir(parents=True, exist_ok=True)
    (project / moved).write_text('{"mcpServers": {"a": {"command": "b"}}}' if "json" in moved else "# New\n")
    with pytest.raises(StalePlan):
        service.carry_out_now(project, planned)


@pytest.mark.parametrize("is_stamp_relied_on", [False, True])
def test_a_change_that_neither_size_nor_time_tells_is_seen(tmp_path: Path, is_stamp_relied_on: bool) -> None:
    service, project = service_in(tmp_path)
    planned, source = service.plan_now(project, ASK), project / "CLAUDE.md"
    planned.record.begun_ns += LATER_NS if is_stamp_relied_on else 0
    before = source.stat()
    source.write_text("# Shop\n\nBe rude.\n")
    os.utime(source, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(StalePlan):
        service.carry_out_now(project, planned)


def test_a_source_that_became_a_link_to_something_else_is_seen(tmp_path: Path) -> None:
    service, project = service_in(tmp_path)
    (project / ".claude" / "rules" / "a.md").write_text("A.\n")
    planned = service.plan_now(project, ASK)
    (project / ".claude").rename(tmp_path / "elsewhere")
    (tmp_path / "elsewhere" / "rules" / "a.md").write_text("B.\n")
    (project / ".claude").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StalePlan):
        service.carry_out_now(project, planned)


def test_what_was_written_anew_with_the_same_content_is_carried_out(tmp_path: Path) -> None:
    service, project = service_in(tmp_path)
    planned, source = service.plan_now(project, ASK), project / "CLAUDE.md"
    draft = project / "draft"
    draft.write_bytes(source.read_bytes())
    draft.replace(source)
    assert service.carry_out_now(project, planned) is not None


@pytest.mark.parametrize("scope", ["project", "user", "all"])
def test_a_plan_that_holds_is_not_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scope: ScopeName) -> None:
    """The first one as well as later ones, though the first one finds none of our own folders."""
    service, project = service_in(tmp_path)
    (tmp_path / "home" / ".claude").mkdir()
    for number in range(2):
        (project / "CLAUDE.md").write_text(f"Be kind, {number}.\n")
        (tmp_path / "home" / ".claude" / "CLAUDE.md").write_text(f"Be brief, {number}.\n")
        planned = service.plan_now(project, SyncAsk(("codex",), scope))
        with monkeypatch.context() as patched:
            patched.setattr("sightline.sync.service.read_for", None)
            done = service.carry_out_now(project, planned)
        assert done is not None
        assert done.applied.plan.writes
