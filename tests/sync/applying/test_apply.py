"""A plan is carried out as a whole or not at all, once, and leaves nothing behind that it did not say."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sightline.sync.applying import MadePlan, NotWritten, SecretsDetected, StalePlan, StateDamaged, SyncWish
from sightline.sync.formats.three_way import Choice
from sightline.sync.outputs import OwnedFile
from sightline.sync.planning import StateKey
from sightline.sync.secrets import SecretValues
from tests.sync.applying.workbench import Workbench, picture, times
from tests.transactions.faulty_disks import SteppedDisk, Steps, say_no

SERVER = ("mcp_servers", "m")


def everything(bench: Workbench) -> None:
    """An output of each kind, in new and in foreign files."""
    bench.write("c.toml", b"# mine\r\na = 1\r\n")
    bench.write("AGENTS.md", b"theirs, no line end")
    bench.wants = {
        "codex": [
            bench.file(".agents/skills/a/SKILL.md", b"skill\n"),
            bench.file(".agents/skills/a/run.sh", b"#!/bin/sh\n", mode=0o755),
            bench.toml("c.toml", {SERVER: {"command": "x"}}),
            bench.block("AGENTS.md", "ours\n"),
        ],
        "gemini": [bench.json(".gemini/settings.json", {("mcpServers", "m"): {"command": "x"}})],
    }


def test_every_kind_of_output_is_written_with_its_mode(bench: Workbench) -> None:
    everything(bench)
    bench.sync()
    assert bench.read("c.toml") == b'# mine\r\na = 1\r\n\r\n[mcp_servers.m]\r\ncommand = "x"\r\n'
    assert bench.read("AGENTS.md").startswith(b"theirs, no line end\n\n<!-- sightline:begin")
    assert picture(bench.project)[".agents/skills/a/run.sh"] == (0o755, b"#!/bin/sh\n")
    assert b'"command": "x"' in bench.read(".gemini/settings.json")


def test_a_second_run_plans_nothing_and_touches_nothing(bench: Workbench) -> None:
    everything(bench)
    bench.sync()
    before, own = times(bench.project), times(bench.own / "state") | times(bench.own / "backups")
    bench.now += 100
    applied = bench.sync()
    assert applied.plan.is_empty
    assert applied.plan.changes == ()
    assert applied.backup_id is None
    assert times(bench.project) == before
    assert times(bench.own / "state") | times(bench.own / "backups") == own


def test_what_is_deleted_at_the_source_leaves_no_trace(bench: Workbench) -> None:
    everything(bench)
    before = picture(bench.project)
    bench.sync()
    bench.wants = {"codex": [], "gemini": []}
    bench.sync()
    assert picture(bench.project) == before
    assert bench.syncing.states() == {}


def test_a_folder_that_we_made_stays_if_somebody_put_something_into_it(bench: Workbench) -> None:
    everything(bench)
    bench.sync()
    bench.write(".agents/skills/theirs", b"theirs")
    bench.wants = {"codex": [], "gemini": []}
    bench.sync()
    assert [name for name in picture(bench.project) if name.startswith(".")] == [
        ".agents",
        ".agents/skills",
        ".agents/skills/theirs",
    ]
    (bench.project / ".agents/skills/theirs").unlink()
    bench.sync()
    assert (bench.project / ".agents/skills").is_dir()


def test_a_folder_that_was_there_before_us_stays(bench: Workbench) -> None:
    (bench.project / ".agents").mkdir()
    bench.wants = {"codex": [bench.file(".agents/skills/a", b"1")]}
    bench.sync()
    bench.wants = {"codex": []}
    bench.sync()
    assert list(picture(bench.project)) == [".agents"]


@pytest.mark.parametrize("is_plan_kept", [False, True])
@pytest.mark.parametrize("moved", ["target", "source", "state", "choice"])
def test_a_plan_is_refused_when_an_input_moved(bench: Workbench, moved: str, is_plan_kept: bool) -> None:
    everything(bench)
    plan, wish = bench.plan(), SyncWish()
    if moved == "target":
        bench.write("c.toml", b"# mine too\n")
    elif moved == "source":
        bench.wants["gemini"] = []
    elif moved == "state":
        bench.sync(only="gemini")
    else:
        wish = SyncWish(choices={"c.toml#a": Choice.TAKE})
    before = picture(bench.project)
    with pytest.raises(StalePlan):
        bench.syncing.apply(
            plan.plan_id, wish, made=MadePlan(plan, lambda: moved == "choice") if is_plan_kept else None
        )
    assert picture(bench.project) == before


def test_one_write_that_fails_takes_all_of_them_back(bench: Workbench) -> None:
    everything(bench)
    before = picture(bench.project)
    steps = Steps("rename c.toml", say_no)
    bench.disk = SteppedDisk(steps)
    with pytest.raises(NotWritten, match="Input/output error"):
        bench.sync()
    assert "rename SKILL.md" in steps.log
    assert picture(bench.project) == before
    assert bench.syncing.states() == {}
    assert bench.syncing.backups() == ()


def test_a_read_only_file_is_respected_and_others_go_on(bench: Workbench) -> None:
    everything(bench)
    (bench.project / "c.toml").chmod(0o444)
    assert [problem.kind for problem in bench.sync().plan.problems] == ["read_only"]
    assert bench.read("c.toml") == b"# mine\r\na = 1\r\n"
    assert (bench.project / ".agents").exists()


def test_a_source_secret_is_never_written_anywhere(bench: Workbench) -> None:
    canary = "canary-" + "93jfKq0ZmP27x"
    bench.secrets = SecretValues({canary: "mcp:m@project env.TOKEN"})
    bench.wants = {"codex": [bench.file("fine", b"1"), bench.toml("c.toml", {SERVER: {"env": {"T": canary}}})]}
    with pytest.raises(SecretsDetected) as caught:
        bench.sync()
    assert caught.value.places == ("mcp:m@project env.TOKEN",)
    assert canary not in str(caught.value)
    assert canary not in bench.plan().diff
    assert picture(bench.project) == {}
    assert not any(canary.encode() in path.read_bytes() for path in bench.own.rglob("*") if path.is_file())


def test_a_secret_that_the_user_wrote_into_the_target_is_no_leak_and_in_no_file_of_ours(bench: Workbench) -> None:
    canary = "canary-" + "93jfKq0ZmP27x"
    bench.secrets = SecretValues({canary: "mcp:m@project env.TOKEN"})
    bench.write("o.json", f'{{"mine": "{canary}", "x": 0}}'.encode())
    bench.wants = {"codex": [bench.json("o.json", {("mcp",): 1})]}
    bench.sync()
    bench.wants = {"codex": [bench.json("o.json", {("mcp",): {"m": [1, 2]}})]}
    bench.sync()
    assert canary.encode() in bench.read("o.json")
    assert len(bench.syncing.backups()) == 2
    assert not any(canary.encode() in path.read_bytes() for path in bench.own.rglob("*") if path.is_file())


def test_an_unchanged_file_keeps_the_mode_that_its_owner_gave_it(bench: Workbench) -> None:
    bench.wants = {"codex": [bench.file("a", b"1"), bench.file("run", b"1", mode=0o755)]}
    bench.sync()
    (bench.project / "a").chmod(0o600)
    (bench.project / "run").chmod(0o700)
    assert bench.plan().is_empty
    bench.wants = {"codex": [bench.file("a", b"2"), bench.file("run", b"2", mode=0o755)]}
    bench.sync()
    assert picture(bench.project) == {"a": (0o600, b"2"), "run": (0o700, b"2")}


def test_a_file_that_may_be_run_from_now_on_gets_its_bits(bench: Workbench) -> None:
    bench.wants = {"codex": [bench.file("a", b"1")]}
    bench.sync()
    (bench.project / "a").chmod(0o640)
    bench.wants = {"codex": [bench.file("a", b"1", mode=0o755)]}
    bench.sync()
    assert picture(bench.project) == {"a": (0o750, b"1")}
    bench.syncing.rollback()
    assert picture(bench.project) == {"a": (0o640, b"1")}


def test_states_are_kept_by_scope_and_target_and_hold_no_content(bench: Workbench) -> None:
    bench.scopes = ("project", "user")
    everything(bench)
    user_file = OwnedFile(bench.home / ".codex/AGENTS.md", b"for the user", "user", ("instructions:u@user",))
    bench.wants["codex"].append(user_file)
    bench.sync()
    states = bench.syncing.states()
    assert {(key.scope, key.target): state.item_count for key, state in states.items()} == {
        ("project", "codex"): 3,
        ("project", "gemini"): 1,
        ("user", "codex"): 1,
    }
    assert states[StateKey(bench.home, "user", "codex")].applied_at == "2027-01-15T08:00:00+00:00"
    written = b"".join(path.read_bytes() for path in (bench.own / "state").rglob("*.json"))
    assert b"for the user" not in written
    assert b"skill\\n" not in written
    bench.scopes = ("project",)
    bench.wants = {"codex": [], "gemini": []}
    bench.sync()
    assert (bench.home / ".codex/AGENTS.md").read_bytes() == b"for the user"


def test_a_damaged_state_is_reported_and_nothing_is_guessed(bench: Workbench) -> None:
    everything(bench)
    bench.sync()
    (path,) = (bench.own / "state").rglob("codex.json")
    for content in (b"", b"{", b"[]", b'{"format": 1}', path.read_bytes().replace(b'"digest"', b'"digust"')):
        path.write_bytes(content)
        with pytest.raises(StateDamaged):
            bench.plan()


def test_without_our_memory_what_is_there_already_is_taken_for_ours(bench: Workbench) -> None:
    everything(bench)
    bench.sync()
    for path in (bench.own / "state").rglob("*.json"):
        path.unlink()
    before = times(bench.project)
    bench.sync()
    assert times(bench.project) == before
    assert bench.plan().is_empty


def test_our_files_are_private(bench: Workbench) -> None:
    everything(bench)
    bench.sync()
    assert bench.own.stat().st_mode & 0o077 == 0
    modes = {path.name: path.stat().st_mode & 0o777 for path in bench.own.rglob("*.json")}
    assert set(modes.values()) == {0o600}


def test_hard_links_that_are_parted_are_named(bench: Workbench) -> None:
    everything(bench)
    os.link(bench.project / "c.toml", bench.home / "twin")
    assert bench.sync().parted == (bench.project / "c.toml",)
    assert (bench.home / "twin").read_bytes() == b"# mine\r\na = 1\r\n"


def test_old_backups_are_removed(bench: Workbench) -> None:
    bench.kept = 2
    for number in range(4):
        bench.wants = {"codex": [bench.file("a", b"%d" % number)]}
        bench.sync()
    assert [name.partition("-")[0] for name in bench.syncing.backups()] == ["000003", "000004"]
    bench.kept = 0
    bench.wants = {"codex": []}
    assert bench.sync().backup_id is None
    assert bench.syncing.backups() == ()


def test_nothing_of_a_transaction_is_left(bench: Workbench) -> None:
    everything(bench)
    bench.sync()
    assert [path.name for path in (bench.own / "journal").iterdir()] == ["lock"]
    assert not list(bench.project.rglob(".sightline-*"))


def test_home_and_project_may_lie_in_one_another(tmp_path: Path) -> None:
    bench = Workbench(tmp_path.resolve())
    bench.home = tmp_path.resolve()
    everything(bench)
    bench.sync()
    assert bench.plan().is_empty
