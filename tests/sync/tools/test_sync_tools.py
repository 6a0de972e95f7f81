"""The sync tools as an agent calls them, over real files."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from sightline.answers import Answer
from sightline.app import App
from sightline.sync.applying import SyncPlaces
from sightline.sync.applying.locks import hold_locks
from tests.support.apps import app_over, places_in
from tests.sync.hard_project import fake_secret
from tests.sync.tools.small_project import OWN_SETTINGS, contents, make_small_project, set_servers, write_json

pytestmark = pytest.mark.anyio

NO_CLI = {"PATH": "/usr/bin:/bin"}
OURS = ("AGENTS.md", "GEMINI.md", ".codex", ".gemini", ".agents", ".opencode", "opencode.json")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_small_project(tmp_path.resolve())


@pytest.fixture
async def app(project: Path) -> AsyncGenerator[App]:
    async with app_over(project, project.parent / "home", NO_CLI) as opened:
        yield opened


async def call(app: App, tool: str = "sync_all", **arguments: Any) -> Answer:
    return await app.boundary.call(tool, {"max_total_chars": 200_000, **arguments})


async def synced(app: App, tool: str = "sync_all", **arguments: Any) -> Answer:
    """Preview and apply, as an agent does it."""
    plan = await call(app, tool, **arguments)
    return await call(app, tool, **arguments, apply=True, plan_id=plan.data["plan_id"])


def outputs(project: Path) -> dict[str, bytes]:
    return {name: content for name, (content, _) in contents(project).items() if name.startswith(OURS)}


async def test_a_preview_says_all_in_both_forms_and_writes_nothing(app: App, project: Path) -> None:
    before = contents(project.parent)

    answer = await call(app)

    assert answer.data["status"] == "planned"
    assert not answer.data["applied"]
    assert answer.data["plan_id"] in answer.text
    paths = {change["path"] for report in answer.data["targets"].values() for change in report["changes"]}
    assert {"AGENTS.md", "GEMINI.md", ".codex/config.toml", "opencode.json"} <= paths
    for report in answer.data["targets"].values():
        for change in report["changes"]:
            assert f"{change['action']} {change['path']}" in answer.text
        for loss in report["losses"]:
            assert loss["reason"] in answer.text
        for text in (*report["security"], *report["steps"], *report["notes"]):
            assert text in answer.text
    assert answer.data["diff"] in answer.text
    assert "+Use tabs." in answer.data["diff"]
    assert contents(project.parent) == before


async def test_applying_writes_all_of_it_and_the_next_run_has_nothing_to_do(app: App, project: Path) -> None:
    done = await synced(app)
    after = contents(project)
    again = await call(app)

    assert (done.data["status"], done.data["applied"]) == ("success", True)
    assert "Use tabs." in (project / "AGENTS.md").read_text()
    assert (project / ".agents/skills/release/SKILL.md").read_text().endswith("Tag it.\n")
    settings = (project / ".gemini/settings.json").read_text()
    assert settings.startswith('// mine\n{\n  "theme": "dark", // keep\n')
    assert again.data["status"] == "in_sync"
    assert "plan_id" not in again.data
    assert contents(project) == after


async def test_apply_needs_the_id_of_the_plan_that_was_shown(app: App, project: Path) -> None:
    without = await call(app, apply=True)
    invented = await call(app, apply=True, plan_id="0123456789abcdef")

    assert without.data["error"]["kind"] == "invalid_params"
    assert invented.data["error"]["kind"] == "stale_plan"
    assert set(outputs(project)) == {".gemini/settings.json"}


@pytest.mark.parametrize("moved", ["source", "target", "scope"])
async def test_a_plan_is_stale_once_anything_that_it_depends_on_has_moved(app: App, project: Path, moved: str) -> None:
    plan_id = (await call(app)).data["plan_id"]
    if moved == "source":
        (project / "CLAUDE.md").write_text("# Shop\n\nUse spaces.\n")
    elif moved == "target":
        (project / ".gemini/settings.json").write_text(OWN_SETTINGS.replace("dark", "light"))

    answer = await call(app, apply=True, plan_id=plan_id, **({"scope": "all"} if moved == "scope" else {}))

    assert answer.data["error"]["kind"] == "stale_plan"
    assert answer.data["error"]["retryable"]
    assert answer.data["next_steps"][0]["tool"] == "sync_all"
    assert set(outputs(project)) == {".gemini/settings.json"}


async def test_a_literal_secret_blocks_and_is_named_by_place_only(app: App, project: Path) -> None:
    secret = fake_secret("github")
    set_servers(project, files={"command": "files-server", "env": {"API_TOKEN": secret}})
    before = contents(project.parent)

    preview = await call(app)
    applied = await call(app, apply=True, plan_id=preview.data.get("plan_id", "0" * 16))

    assert (preview.data["status"], preview.data["blocked_reason"]) == ("blocked", "secrets_detected")
    assert "plan_id" not in preview.data
    assert preview.data["secrets"][0]["file"] == ".mcp.json"
    assert "mcp:files@project" in preview.data["secrets"][0]["message"]
    assert applied.data["error"]["kind"] in ("secrets_detected", "stale_plan")
    for answer in (preview, applied):
        assert secret not in answer.text + answer.json()
    assert contents(project.parent) == before


async def test_the_plan_id_of_a_clean_plan_does_not_carry_a_secret_that_came_later(app: App, project: Path) -> None:
    set_servers(project, files={"command": "files-server", "env": {"API_TOKEN": fake_secret("github")}})

    service = app.boundary.services["sync"].service()
    plan = await service.plan(project, _ask())
    answer = await call(app, apply=True, plan_id=plan.plan.plan_id)

    assert answer.data["error"]["kind"] == "secrets_detected"
    assert set(outputs(project)) == {".gemini/settings.json"}


def _ask() -> Any:
    from sightline.sync.service import SyncAsk

    return SyncAsk()


async def test_a_person_who_lets_secrets_through_still_applies_only_what_was_shown(project: Path) -> None:
    secret = fake_secret("github")
    set_servers(project, files={"command": "files-server", "env": {"API_TOKEN": secret}})
    home = project.parent / "home"
    (home / "config").mkdir()
    (home / "config/config.toml").write_text("[sync]\nallow_secrets = true\n")
    async with app_over(project, home, NO_CLI) as app:
        invented = await call(app, apply=True, plan_id="0123456789abcdef")
        before = set(outputs(project))
        done = await synced(app)

    assert invented.data["error"]["kind"] == "stale_plan"
    assert before == {".gemini/settings.json"}
    assert done.data["status"] == "success"


@contextmanager
def a_running_sync(project: Path) -> Generator[None]:
    places = SyncPlaces(places_in(project.parent / "home").data / "sync")
    places.folder.mkdir(parents=True, exist_ok=True)
    with hold_locks([places.lock(project, "project")], 0.0, time.time):
        yield


async def test_while_a_sync_is_running_others_are_busy_and_the_status_says_so(app: App, project: Path) -> None:
    plan_id = (await call(app)).data["plan_id"]
    with a_running_sync(project):
        preview = await call(app)
        applied = await call(app, apply=True, plan_id=plan_id)
        status = await call(app, "get_sync_status")

    for answer in (preview, applied):
        assert answer.data["error"]["kind"] == "busy"
        assert answer.data["error"]["retryable"]
        assert answer.data["error"]["retry_after_ms"] > 0
        assert "running_s" in answer.data["error"]["data"]
    assert status.ok
    assert status.data["running_s"] >= 0
    assert {each["status"] for each in status.data["targets"]} == {"unknown"}
    assert (await call(app, apply=True, plan_id=plan_id)).data["status"] == "success"


async def test_read_only_refuses_syncs_and_still_tells_the_status(project: Path) -> None:
    async with app_over(project, project.parent / "home", NO_CLI, server__read_only=True) as app:
        refused = await call(app)
        status = await call(app, "get_sync_status")

    assert refused.data["error"]["kind"] == "read_only"
    assert status.ok


async def test_one_target_gets_only_its_own_files_and_those_that_it_shares(app: App, project: Path) -> None:
    before = outputs(project)

    done = await synced(app, "sync_target", target="codex")

    new = set(outputs(project)) - set(before)
    assert set(done.data["targets"]) == {"codex"}
    assert {name.split("/")[0] for name in new} == {".codex", ".agents", "AGENTS.md"}
    assert outputs(project)[".gemini/settings.json"] == OWN_SETTINGS.encode()
    assert (await call(app, "get_sync_status")).data["targets"][0]["status"] == "in_sync"


async def test_what_was_changed_by_hand_is_a_conflict_until_somebody_decides(app: App, project: Path) -> None:
    await synced(app)
    agent = project / ".codex/agents/tester.toml"
    by_hand = agent.read_text().replace("Runs tests", "Runs my tests")
    agent.write_text(by_hand)
    (project / ".claude/agents/tester.md").write_text("---\nname: tester\ndescription: Checks\n---\nCheck.\n")

    asked = await call(app)
    done = await synced(app)
    conflict = asked.data["targets"]["codex"]["conflicts"][0]
    kept = await synced(app, choices={conflict["place"]: "keep"})
    again = await call(app)
    (project / ".claude/agents/tester.md").write_text("---\nname: tester\ndescription: Proves\n---\nProve.\n")
    taken = await synced(app, choices={"*": "take"})

    assert conflict["place"] == ".codex/agents/tester.toml"
    assert conflict["place"] in asked.text
    assert (done.data["status"], kept.ok) == ("partial", True)
    assert again.data["status"] == "in_sync"
    assert taken.ok
    assert "Proves" in agent.read_text()


async def test_rules_that_stand_in_a_conflict_are_said_not_to_hold(app: App, project: Path) -> None:
    write_json(project / "opencode.json", {"permission": {"bash": {"rm *": "deny"}}})

    report = (await call(app)).data["targets"]["opencode"]

    assert report["conflicts"][0]["place"] == "opencode.json#permission.bash"
    assert any("`opencode.json#permission.bash` stands" in line for line in report["security"])


async def test_a_choice_about_a_place_that_is_not_there_is_refused(app: App) -> None:
    answer = await call(app, choices={".codex/agents/testre.toml": "take"})

    assert answer.data["error"]["kind"] == "invalid_params"
    assert ".codex/agents/testre.toml" in answer.data["error"]["message"]


async def test_a_target_file_that_cannot_be_parsed_is_left_alone_and_named(app: App, project: Path) -> None:
    broken = '{\n  "theme": "dark"\n  "x": 1\n}\n'
    (project / ".gemini/settings.json").write_text(broken)

    done = await synced(app)

    problem = done.data["targets"]["gemini"]["problems"][0]
    assert (problem["kind"], problem["path"], problem["line"]) == ("target_malformed", ".gemini/settings.json", 3)
    assert done.data["status"] == "partial"
    assert (project / ".gemini/settings.json").read_text() == broken
    assert (project / "AGENTS.md").exists()


async def test_a_source_that_cannot_be_read_loses_nothing_at_the_targets(app: App, project: Path) -> None:
    await synced(app)
    before = (project / ".codex/config.toml").read_bytes()
    (project / ".mcp.json").write_text('{"mcpServers": {\n  "files": oops\n}}')

    answer = await call(app)

    note = next(each for each in answer.data["source"] if each["file"] == ".mcp.json")
    assert note["line"] == 2
    assert "mcp" in note["blocks"]
    assert answer.data["status"] == "partial"
    assert (project / ".codex/config.toml").read_bytes() == before


async def test_a_deleted_item_is_removed_and_what_is_foreign_stays(app: App, project: Path) -> None:
    await synced(app)
    set_servers(project)
    (project / ".claude/skills/release/SKILL.md").unlink()

    await synced(app)

    settings = (project / ".gemini/settings.json").read_text()
    assert "files-server" not in settings
    assert '"own": {"command": "own"}' in settings
    assert not (project / ".agents").exists()


async def test_a_short_answer_keeps_what_needs_a_person_and_says_how_to_get_the_rest(app: App, project: Path) -> None:
    for number in range(40):
        path = project / f".claude/agents/a{number}.md"
        path.write_text(f"---\nname: a{number}\ndescription: Agent {number}\n---\nDo {number}.\n")
    (project / ".codex/agents").mkdir(parents=True)
    (project / ".codex/agents/a7.toml").write_text('name = "a7"\n')
    (project / ".claude/skills/release/gone.sh").symlink_to("nowhere")

    answer = await app.boundary.call("sync_all", {"max_total_chars": 12_000})

    assert answer.data["truncated"]
    assert len(answer.text) <= 12_000
    assert len(answer.json()) <= 12_000
    assert [note["blocks"] for note in answer.data["source"]] == [["skill:release@project"]]
    assert "gone.sh:1" in answer.text
    assert answer.data["truncated"]
    assert answer.data["targets"]["codex"]["conflicts"][0]["place"] == ".codex/agents/a7.toml"
    assert all(report["changes"] for report in answer.data["targets"].values())
    assert "max_total_chars" in answer.text


async def test_a_target_that_would_not_start_any_more_keeps_everything_from_being_written(project: Path) -> None:
    folder = project.parent / "bin"
    folder.mkdir()
    (folder / "codex").write_text(
        '#!/bin/sh\n[ "$1" = --version ] && echo codex-cli 0.166.0 && exit 0\n'
        'grep -qs files-server "$CODEX_HOME/config.toml" .codex/config.toml && echo "bad config" >&2 && exit 1\n'
        "echo '[]'\n"
    )
    (folder / "codex").chmod(0o755)
    environment = {"PATH": f"{folder}:/usr/bin:/bin"}
    async with app_over(project, project.parent / "home", environment) as app:
        answer = await synced(app)

    assert answer.data["error"]["kind"] == "conflict"
    assert "codex" in answer.data["error"]["message"]
    assert set(outputs(project)) == {".gemini/settings.json"}


async def test_with_verify_always_a_target_that_cannot_be_asked_gets_nothing(project: Path) -> None:
    async with app_over(project, project.parent / "home", NO_CLI, sync__verify="always") as app:
        answer = await synced(app)

    assert "not installed" in answer.data["error"]["message"]
    assert set(outputs(project)) == {".gemini/settings.json"}


async def test_the_home_folder_is_not_a_project(project: Path) -> None:
    home = project.parent / "home"
    async with app_over(home, home, NO_CLI) as app:
        answer = await call(app)
        own = await call(app, scope="user")

    assert answer.data["error"]["kind"] == "invalid_params"
    assert "scope `user`" in answer.data["error"]["message"]
    assert own.ok


async def test_status_tells_never_then_in_sync_then_drifted(app: App, project: Path) -> None:
    never = await call(app, "get_sync_status")
    await synced(app)
    fresh = await call(app, "get_sync_status")
    (project / "CLAUDE.md").write_text("# Shop\n\nUse spaces.\n")
    drifted = await call(app, "get_sync_status")

    def states(answer: Answer) -> set[str]:
        return {each["status"] for each in answer.data["targets"]}

    assert states(never) == {"never"}
    assert states(fresh) == {"in_sync"}
    assert states(drifted) == {"drifted"}
    assert fresh.data["targets"][0]["last_sync"] in fresh.text
    assert fresh.data["targets"][0]["items"] > 0
    assert len(fresh.data["backups"]) == 1
    assert drifted.data["targets"][0]["pending"] == ["update AGENTS.md"]


async def test_a_project_without_anything_to_carry_over_gets_no_files(tmp_path: Path) -> None:
    home, empty = tmp_path / "home", tmp_path / "empty"
    home.mkdir()
    empty.mkdir()
    async with app_over(empty, home, NO_CLI) as app:
        answer = await call(app, scope="all")

    assert answer.data["status"] == "in_sync"
    assert answer.data["diff"] == ""


async def test_a_user_s_deny_and_a_project_s_deny_both_arrive(app: App, project: Path) -> None:
    write_json(project / ".claude/settings.json", {"permissions": {"deny": ["Bash(npm run deploy *)"]}})
    write_json(project.parent / "home/.claude/settings.json", {"permissions": {"deny": ["Bash(curl *)"]}})

    await synced(app, scope="all")

    committed = (project / ".codex/rules/sightline.rules").read_text()
    personal = (project.parent / "home/.codex/rules/sightline.rules").read_text()
    assert 'decision="forbidden"' in committed
    assert "deploy" in committed
    assert "curl" in personal
    assert "curl" not in committed
