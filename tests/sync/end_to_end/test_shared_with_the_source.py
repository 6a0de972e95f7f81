"""Files and folders of other CLIs that are part of Claude Code's own configuration, too, by a link or an import."""

from __future__ import annotations

from pathlib import Path

import pytest

from sightline.config.schema import SyncSettings
from sightline.projects import Surroundings
from sightline.sync.service import PlannedSync, SyncAsk, SyncService

ASK = SyncAsk(scope="project")


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path.resolve() / "project"
    write(folder / ".claude/rules/tabs.md", "Use tabs.\n")
    write(folder / "AGENTS.md", "# Shop\n\nBe kind.\n")
    return folder


def service_of(project: Path) -> SyncService:
    home = project.parent / "home"
    home.mkdir(exist_ok=True)
    around = Surroundings({"PATH": ""}, home)
    return SyncService(SyncSettings(verify="never"), around, project.parent / "data", None, "linux")


def synced(project: Path) -> PlannedSync:
    """Sync, and plan once more."""
    service = service_of(project)
    assert service.carry_out_now(project, service.plan_now(project, ASK)) is not None
    return service.plan_now(project, ASK)


def warnings(planned: PlannedSync) -> str:
    return "\n".join(text for each in planned.reading.view.rendered.values() for text in each.warnings)


@pytest.mark.parametrize("way", ["link", "inner link", "import"])
def test_what_we_wrote_into_a_file_of_the_source_is_no_source(project: Path, way: str) -> None:
    match way:
        case "link":
            (project / "CLAUDE.md").symlink_to("AGENTS.md")
        case "inner link":
            (project / ".claude/CLAUDE.md").symlink_to("../AGENTS.md")
        case _:
            write(project / "CLAUDE.md", "@AGENTS.md\n")

    again = synced(project)

    assert again.plan.is_empty, again.plan.diff
    assert (project / "GEMINI.md").read_text().count("Use tabs.") == 1
    assert (project / "AGENTS.md").read_text().count("Be kind.") == 1
    assert "Claude Code reads `AGENTS.md`, too, by `instructions:" in warnings(again)


def test_nothing_is_said_of_a_source_that_is_a_file_of_its_own(project: Path) -> None:
    write(project / "CLAUDE.md", "Be brief.\n")

    assert "Claude Code reads" not in warnings(synced(project))


@pytest.mark.parametrize("folder", ["rules", "agents", "commands"])
def test_nothing_is_written_where_claude_code_would_read_it(project: Path, folder: str) -> None:
    write(project / ".claude/rules/own.md", f"---\npaths: .claude/{folder}/**\n---\nKeep it short.\n")

    again = synced(project)

    assert again.plan.is_empty, again.plan.diff
    assert not list((project / ".claude").rglob("GEMINI.md"))
    assert "Keep it short." in (project / "GEMINI.md").read_text()


def test_skills_that_all_read_from_one_folder_are_not_lost(project: Path) -> None:
    skill = "---\nname: release\ndescription: How to release\ndisable-model-invocation: true\n---\nTag it.\n"
    write(project / ".agents/skills/release/SKILL.md", skill)
    (project / ".claude/skills").symlink_to("../.agents/skills")

    rendered = synced(project).reading.view.rendered

    for target, each in rendered.items():
        grades = {line.field: line.grade for line in each.ledger if line.item_id == "skill:release@project"}
        assert {grades[name] for name in ("", "name", "description", "text")} == {"exact"}, target
    assert any("Codex may call the skill `skill:release@project`" in each for each in rendered["codex"].deltas)

    write(project / ".agents/skills/release/agents/openai.yaml", "policy:\n  allow_implicit_invocation: false\n")
    again = service_of(project).plan_now(project, ASK).reading.view.rendered["codex"]
    assert not any("may call the skill" in each for each in again.deltas)
