"""`sightline sync … --json`: the answers of the tools on stdout, and nothing else there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command_line import CommandLine
from tests.sync.hard_project import fake_secret
from tests.sync.tools.small_project import contents, make_small_project, set_servers

NO_CLIS = "/usr/bin:/bin"


@pytest.fixture
def shop(tmp_path: Path) -> CommandLine:
    project = make_small_project(tmp_path.resolve())
    return CommandLine(project.parent / "home", project)


def answer(shop: CommandLine, *arguments: str) -> tuple[int, dict[str, Any], str]:
    done = shop.run("sync", *arguments, "--json", PATH=NO_CLIS)
    return done.code, json.loads(done.out), done.err


def test_a_plan_is_the_answer_of_the_tool_and_writes_nothing(shop: CommandLine) -> None:
    before = contents(shop.project)

    code, plan, said = answer(shop)
    tool = json.loads(shop.run("call", "sync_all", "max_total_chars=2000000", "--json", PATH=NO_CLIS).out)

    assert code == 1
    assert "say `--yes`" in said
    assert {name: value for name, value in plan.items() if name != "input"} == {
        name: value for name, value in tool.items() if name != "input"
    }
    assert contents(shop.project) == before


def test_what_was_applied_is_one_answer(shop: CommandLine) -> None:
    code, done, said = answer(shop, "--yes")
    again, then, _ = answer(shop, "--yes")
    checked, stands, _ = answer(shop, "--check")

    assert (code, done["status"], done["applied"], said) == (0, "success", True, "")
    assert done["backup_id"]
    assert (again, then["status"]) == (0, "in_sync")
    assert (checked, stands["status"]) == (0, "in_sync")


def test_status_and_diff_have_their_structure_too(shop: CommandLine) -> None:
    _, stands, _ = answer(shop, "status")
    _, one, _ = answer(shop, "--target", "gemini", "status")
    _, plan, _ = answer(shop, "diff")

    assert [(each["target"], each["status"]) for each in stands["targets"]] == [
        ("codex", "never"),
        ("gemini", "never"),
        ("opencode", "never"),
    ]
    assert [each["target"] for each in one["targets"]] == ["gemini"]
    assert plan["diff"].startswith("--- /dev/null\n")


def test_explain_has_every_field_at_every_target(shop: CommandLine) -> None:
    _, found, _ = answer(shop, "explain", "files")

    item = found["items"][0]
    assert (item["item"], item["file"], item["line"]) == ("mcp:files@project", ".mcp.json", 3)
    assert item["targets"]["codex"]["places"] == [".codex/config.toml#mcp_servers.files"]
    assert {"field": "command", "grade": "exact"} in item["targets"]["gemini"]["fields"]


def test_explain_of_nothing_is_a_failure_that_names_the_nearest(shop: CommandLine) -> None:
    code, failed, said = answer(shop, "explain", "skill:relaese")

    assert code == 3
    assert (failed["ok"], failed["error"]["kind"]) == (False, "no_match")
    assert failed["next_steps"][0]["message"].startswith("there are skill:release@project")
    assert "error: no item" in said


def test_a_failure_is_json_as_well(shop: CommandLine) -> None:
    code, failed, said = answer(shop, "--yes", "--take", "GEMINI.md#nonsense")

    assert code == 3
    assert (failed["ok"], failed["error"]["kind"]) == (False, "invalid_params")
    assert "nothing is at" in said


def test_a_literal_secret_is_told_by_place_only(shop: CommandLine) -> None:
    secret = fake_secret("slack")
    set_servers(shop.project, files={"command": "f", "env": {"SLACK_TOKEN": secret}})

    code, blocked, said = answer(shop, "--yes")

    assert (code, blocked["status"], blocked["blocked_reason"]) == (3, "blocked", "secrets_detected")
    assert secret not in json.dumps(blocked) + said
