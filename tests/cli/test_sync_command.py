"""`sightline sync …`: by the real command, with and without a terminal."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.cli.command_line import DEADLINE_S, CommandLine
from tests.support.wire import SIGHTLINE
from tests.sync.hard_project import fake_secret
from tests.sync.tools.small_project import contents, make_small_project, set_servers

NO_CLIS = "/usr/bin:/bin"


@pytest.fixture
def shop(tmp_path: Path) -> CommandLine:
    project = make_small_project(tmp_path.resolve())
    return CommandLine(project.parent / "home", project)


def sync(shop: CommandLine, *arguments: str, said: str = "") -> tuple[int, str, str]:
    done = shop.run("sync", *arguments, said=said, PATH=NO_CLIS)
    return done.code, done.out, done.err


def test_without_a_terminal_and_without_yes_nothing_is_written(shop: CommandLine) -> None:
    before = contents(shop.project)

    code, out, err = sync(shop, said="y\n")

    assert code == 1
    assert "+Use tabs." in out
    assert "files would change" in out
    assert "--yes" in err
    assert "\x1b[" not in out
    assert contents(shop.project) == before


def test_yes_writes_check_agrees_and_rollback_takes_it_back_to_the_byte(shop: CommandLine) -> None:
    before = {name: content for name, (content, _) in contents(shop.project).items()}

    drift, _, _ = sync(shop, "--check")
    written, out, _ = sync(shop, "--yes")
    in_sync, said, _ = sync(shop, "--check")
    table = sync(shop, "status")[1]
    backup = out.partition("sync rollback ")[2].partition("`")[0]
    only_shown = sync(shop, "rollback", backup)
    back = sync(shop, "rollback", backup, "--yes")

    assert (drift, written, in_sync, said) == (1, 0, 0, "")
    assert (shop.project / ".codex/config.toml").exists() is False
    assert [line.split()[:2] for line in table.splitlines()[1:4]] == [
        ["codex", "in_sync"],
        ["gemini", "in_sync"],
        ["opencode", "in_sync"],
    ]
    assert "nothing is taken back" in only_shown[2]
    assert "removed AGENTS.md" in back[1]
    assert "restored .gemini/settings.json" in back[1]
    assert {name: content for name, (content, _) in contents(shop.project).items()} == before


def test_a_dry_run_writes_nothing_even_with_yes(shop: CommandLine) -> None:
    before = contents(shop.project)

    code, out, _ = sync(shop, "--dry-run", "--yes")

    assert (code, "+Use tabs." in out) == (0, True)
    assert contents(shop.project) == before


def test_only_the_named_targets_are_written(shop: CommandLine) -> None:
    sync(shop, "--target", "gemini", "--target", "opencode", "--yes")

    assert (shop.project / "GEMINI.md").exists()
    assert (shop.project / "opencode.json").exists()
    assert not (shop.project / ".codex").exists()


def test_diff_is_a_diff_and_nothing_else(shop: CommandLine) -> None:
    code, out, err = sync(shop, "diff")

    assert (code, err) == (0, "")
    assert out.startswith("--- /dev/null\n+++ .agents/skills/release/SKILL.md\n@@")
    assert all(line[:1] in "+-@ " for line in out.splitlines() if line)


def test_explain_tells_where_an_item_comes_from_and_what_became_of_it(shop: CommandLine) -> None:
    code, out, _ = sync(shop, "explain", "mcp:files")
    missing, _, err = sync(shop, "explain", "mcp:fils")

    assert code == 0
    assert out.startswith("mcp:files@project  .mcp.json:3  scope project\n")
    assert "in .codex/config.toml#mcp_servers.files" in out
    assert "gemini:" in out
    assert missing == 3
    assert "no item `mcp:fils`" in err
    assert "hint: there are mcp:files@project and " in err


def test_an_item_that_cannot_be_read_is_named_by_check_status_and_explain(shop: CommandLine) -> None:
    skill = shop.project / ".claude/skills/deploy"
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text("---\nname: deploy\ndescription: Deploys\n---\nDo it.\n")
    (skill / "gone.sh").symlink_to("nowhere")

    written, plan, _ = sync(shop, "--yes")
    checked, said, _ = sync(shop, "--check")
    _, stands, _ = sync(shop, "status")
    found, why, _ = sync(shop, "explain", "skill:deploy")

    assert (written, checked, found) == (1, 1, 0)
    for text in (plan, said, stands):
        assert "gone.sh:1: the file is a link that leads nowhere" in text
        assert "skill:deploy@project" in text
    assert "parts of the source could not be read" in said
    assert "left as it is at every target: the file is a link that leads nowhere" in why


def test_a_literal_secret_stops_it_and_is_not_shown(shop: CommandLine) -> None:
    secret = fake_secret("slack")
    set_servers(shop.project, files={"command": "f", "env": {"SLACK_TOKEN": secret}})

    code, out, err = sync(shop, "--yes")

    assert code == 3
    assert ".mcp.json:" in out
    assert "blocked: 1 literal secrets" in out
    assert secret not in out + err
    assert not (shop.project / "AGENTS.md").exists()


def test_on_a_terminal_it_asks_and_shows_colours(shop: CommandLine) -> None:
    no = shop.run_on_a_terminal("sync", typed="n\n", PATH=NO_CLIS).out
    wrote_nothing = not (shop.project / "AGENTS.md").exists()
    yes = shop.run_on_a_terminal("sync", typed="y\n", PATH=NO_CLIS).out

    assert "write this? [y/N]" in no
    assert "\x1b[32m+Use tabs." in no
    assert wrote_nothing
    assert "files written" in yes
    assert (shop.project / "AGENTS.md").exists()


def test_a_conflict_is_kept_or_taken_by_its_place(shop: CommandLine) -> None:
    sync(shop, "--yes")
    agent = shop.project / ".codex/agents/tester.toml"
    agent.write_text(agent.read_text().replace("Runs tests", "Mine"))
    shown = sync(shop, "--check")
    kept = sync(shop, "--keep", ".codex/agents/tester.toml", "--yes")
    after_keep = agent.read_text()
    settled = sync(shop, "--check")[0]
    taken = sync(shop, "--take", "*", "--yes")

    assert shown[0] == 1
    assert "codex: conflict" in shown[1]
    assert (kept[0], "Mine" in after_keep, settled) == (0, True, 0)
    assert taken[0] == 0
    assert "Runs tests" in agent.read_text()


def test_a_choice_for_a_place_that_is_not_there_is_refused(shop: CommandLine) -> None:
    code, out, err = sync(shop, "--yes", "--take", "GEMINI.md#nonsense")

    assert (code, out) == (3, "")
    assert "nothing is at `GEMINI.md#nonsense`" in err
    assert not (shop.project / "GEMINI.md").exists()


def test_of_many_debounced_runs_in_a_row_only_the_last_does_anything(shop: CommandLine) -> None:
    command = [SIGHTLINE, "sync", "--yes", "--debounced", "--set", "sync.debounce_s=2"]
    started = [
        subprocess.Popen(
            command,
            cwd=shop.project,
            env=shop.environment(PATH=NO_CLIS),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        for _ in range(3)
    ]
    said = [process.communicate(timeout=DEADLINE_S)[0] for process in started]

    assert sum("files written" in each for each in said) == 1
    assert sum(each == "" for each in said) == 2
    assert (shop.project / "AGENTS.md").exists()


def test_a_debounced_run_of_another_project_is_no_reason_to_do_nothing(shop: CommandLine) -> None:
    other = shop.project.parent / "other"
    other.mkdir()
    (other / "CLAUDE.md").write_text("Use spaces.\n")
    started = [
        subprocess.Popen(
            [SIGHTLINE, "sync", "--yes", "--debounced", "--set", "sync.debounce_s=2"],
            cwd=folder,
            env=shop.environment(PATH=NO_CLIS),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for folder in (shop.project, other)
    ]
    for process in started:
        process.communicate(timeout=DEADLINE_S)

    assert (shop.project / "AGENTS.md").exists()
    assert (other / "AGENTS.md").exists()


def test_watch_carries_a_change_over(shop: CommandLine) -> None:
    watching = subprocess.Popen(
        [SIGHTLINE, "sync", "--set", "sync.debounce_s=0.1", "watch", "--yes"],
        cwd=shop.project,
        env=shop.environment(PATH=NO_CLIS),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert watching.stdout is not None
        _read_until(watching, "files written")
        (shop.project / "CLAUDE.md").write_text("# Shop\n\nUse spaces.\n")
        _read_until(watching, "written for")
    finally:
        watching.terminate()
        watching.communicate(timeout=DEADLINE_S)

    assert "Use spaces." in (shop.project / "GEMINI.md").read_text()


def test_watch_goes_on_after_a_sync_that_was_refused(shop: CommandLine) -> None:
    clis = shop.project.parent / "bin"
    clis.mkdir()
    codex = clis / "codex"
    codex.write_text(
        '#!/bin/sh\n[ "$1" = --version ] && echo codex-cli 0.166.0 && exit\n[ ! -e AGENTS.md ] && echo []\n'
    )
    codex.chmod(0o755)
    watching = subprocess.Popen(
        [SIGHTLINE, "sync", "--set", "sync.debounce_s=0.1", "--target", "codex", "watch", "--yes"],
        cwd=shop.project,
        env=shop.environment(PATH=f"{clis}:{NO_CLIS}"),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        _read_until(watching, "Error: ")
        codex.unlink()
        (shop.project / "CLAUDE.md").write_text("# Shop\n\nUse spaces.\n")
        _read_until(watching, "written for")
    finally:
        watching.terminate()
        watching.communicate(timeout=DEADLINE_S)

    assert "Use spaces." in (shop.project / "AGENTS.md").read_text()


def test_the_offered_hooks_are_valid_settings_that_name_this_command(shop: CommandLine) -> None:
    _, out, _ = sync(shop, "hooks")

    hooks = json.loads(out)["hooks"]
    after_edit = hooks["PostToolUse"][0]["hooks"][0]["command"]
    assert after_edit.startswith(str(SIGHTLINE))
    assert after_edit.endswith("sync --yes --debounced")
    assert "--check" in hooks["SessionStart"][0]["hooks"][0]["command"]
    assert not (shop.home / ".claude").exists()


def _read_until(process: subprocess.Popen[str], words: str) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        if words in line:
            return
    raise AssertionError(f"it ended without saying {words!r}")


@pytest.mark.parametrize("options", [("--scope", "all"), ("--scope", "user"), ("--target", "cursor")])
def test_the_command_that_is_named_takes_a_sync_of_any_form_back(shop: CommandLine, options: tuple[str, str]) -> None:
    (shop.home / ".claude").mkdir(exist_ok=True)
    (shop.home / ".claude/CLAUDE.md").write_text("Be brief.\n")
    before = contents(shop.project), {path for path in shop.home.glob(".[cg]*/**/*") if path.is_file()}

    _, out, _ = sync(shop, "--yes", *options)
    rest = out.partition("sightline sync rollback ")[2].partition("`")[0].split()
    back = sync(shop, "rollback", *rest, "--yes")

    assert "written for" in out
    assert (back[0], back[2]) == (0, "")
    after = contents(shop.project), {path for path in shop.home.glob(".[cg]*/**/*") if path.is_file()}
    assert {name: content for name, (content, _) in after[0].items()} == {
        name: content for name, (content, _) in before[0].items()
    }
    assert after[1] == before[1]


def test_files_that_were_to_be_skipped_on_the_way_back_leave_exit_code_one(shop: CommandLine) -> None:
    sync(shop, "--yes")
    (shop.project / "GEMINI.md").write_text("mine")

    assert sync(shop, "rollback", "--yes")[0] == 3
    assert sync(shop, "rollback", "--yes", "--skip-changed")[0] == 1
    assert not (shop.project / "AGENTS.md").exists()
