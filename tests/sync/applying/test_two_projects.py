"""Two projects with something in the same files of one person: what was made around it goes with the last of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from sightline.sync.applying import MadePlan, StalePlan
from sightline.sync.formats.values import KeyPath, Value, entry_step
from sightline.sync.outputs import Output, OwnedFile, OwnedKeys
from tests.sync.applying.workbench import Workbench, picture


@pytest.fixture
def desks(tmp_path: Path) -> tuple[Workbench, Workbench]:
    one, other = (Workbench(tmp_path.resolve(), scopes=("project", "user")) for _ in range(2))
    other.project = tmp_path.resolve() / "other"
    other.project.mkdir()
    return one, other


def user_keys(bench: Workbench, name: str, values: dict[KeyPath, Value]) -> OwnedKeys:
    kind = "toml" if name.endswith(".toml") else "jsonc"
    return OwnedKeys(bench.home / name, kind, values, "user", dict.fromkeys(values, "mcp:m@project"))


def wants(bench: Workbench, name: str) -> list[Output]:
    return [
        user_keys(bench, ".gemini/settings.json", {("mcp", "excluded", entry_step(name)): name}),
        user_keys(bench, ".codex/config.toml", {("mcp_servers", name): {"command": name}}),
        OwnedFile(bench.home / f".gemini/policies/{name}.toml", b"x", "user", ("permission:deny:x@project",)),
    ]


@pytest.mark.parametrize("first", [0, 1])
def test_nothing_is_left_of_two_projects_whichever_goes_first(desks: tuple[Workbench, Workbench], first: int) -> None:
    for bench, name in zip(desks, "ab", strict=True):
        bench.wants = {"gemini": wants(bench, name)}
        bench.sync()
    gone, left = desks[first], desks[1 - first]
    gone.wants = {"gemini": []}
    gone.sync()
    assert left.plan().is_empty
    assert (left.home / ".gemini/policies").is_dir()
    left.wants = {"gemini": []}
    left.sync()

    assert picture(left.home) == {}
    assert left.plan().is_empty
    assert gone.plan().is_empty


def test_a_sync_of_a_project_with_nothing_there_forgets_nothing(desks: tuple[Workbench, Workbench]) -> None:
    one, other = desks
    one.wants = {"gemini": wants(one, "a")}
    one.sync()
    other.wants = {"gemini": [OwnedFile(other.project / "GEMINI.md", b"x", "project", ("instructions:i@project",))]}
    other.sync()
    assert other.plan().is_empty
    one.wants = {"gemini": []}
    one.sync()

    assert picture(one.home) == {}


def test_a_table_and_a_folder_of_the_person_s_own_stay(desks: tuple[Workbench, Workbench]) -> None:
    one = desks[0]
    own = one.home / ".gemini/settings.json"
    (one.home / ".gemini/policies").mkdir(parents=True)
    own.write_text('{"mcp": {"excluded": []}}')
    before = picture(one.home)
    for bench, name in zip(desks, "ab", strict=True):
        bench.wants = {"gemini": wants(bench, name)}
        bench.sync()
    for bench in desks:
        bench.wants = {"gemini": []}
        bench.sync()

    assert picture(one.home) == before


def test_a_file_that_the_person_took_away_is_not_ours_when_it_comes_back(desks: tuple[Workbench, Workbench]) -> None:
    one, other = desks
    one.wants = {"gemini": [user_keys(one, "s.json", {("mcp", "a"): 1})]}
    one.sync()
    one.wants = {"gemini": []}
    (one.home / "s.json").unlink()
    one.sync()
    (one.home / "s.json").write_text('{"mcp": {}}')
    other.wants = {"gemini": [user_keys(other, "s.json", {("mcp", "b"): 1})]}
    other.sync()
    other.wants = {"gemini": []}
    other.sync()

    assert (one.home / "s.json").read_text() == '{"mcp": {}}'


def same_wants(bench: Workbench) -> list[Output]:
    return [
        user_keys(bench, ".gemini/settings.json", {("mcp", "excluded", entry_step("m")): "m"}),
        user_keys(bench, ".codex/config.toml", {("mcp_servers", "m"): {"command": "m", "enabled": False}}),
    ]


@pytest.mark.parametrize("first", [0, 1])
def test_what_two_projects_want_stays_until_the_last_of_them_lets_it_go(
    desks: tuple[Workbench, Workbench], first: int
) -> None:
    for bench in desks:
        bench.wants = {"gemini": same_wants(bench)}
        bench.sync()
    gone, left = desks[first], desks[1 - first]
    before = picture(left.home)
    gone.wants = {"gemini": []}
    gone.sync()

    assert picture(left.home) == before
    assert gone.plan().is_empty
    assert left.plan().is_empty
    left.wants = {"gemini": []}
    left.sync()
    assert picture(left.home) == {}


def test_what_the_person_wrote_first_is_not_taken_away_with_the_project_s_wish(
    desks: tuple[Workbench, Workbench],
) -> None:
    for name, content in {
        ".gemini/settings.json": '{"mcp": {"excluded": ["m"]}}',
        ".codex/config.toml": '[mcp_servers.m]\ncommand = "m"\nenabled = false\n',
    }.items():
        (desks[0].home / name).parent.mkdir()
        (desks[0].home / name).write_text(content)
    before = picture(desks[0].home)
    for bench in desks:
        bench.wants = {"gemini": same_wants(bench)}
        bench.sync()
        assert bench.plan().is_empty
    for bench in desks:
        bench.wants = {"gemini": []}
        bench.sync()

    assert picture(desks[0].home) == before


def test_a_sync_is_not_taken_back_where_another_project_needs_it(desks: tuple[Workbench, Workbench]) -> None:
    one, other = desks
    one.wants = {"gemini": [*same_wants(one), one.file("GEMINI.md", b"x")]}
    other.wants = {"gemini": same_wants(other)}
    one.sync()
    other.sync()
    before = picture(one.home)

    back = one.syncing.rollback()
    assert {conflict.path.name for conflict in back.conflicts} == {"settings.json", "config.toml"}
    assert back.restored == ()
    back = one.syncing.rollback(skip_changed=True)
    assert [path.name for path in back.restored] == ["GEMINI.md"]
    assert picture(one.home) == before
    assert other.plan().is_empty


def test_a_plan_is_stale_once_another_project_needs_what_it_would_remove(desks: tuple[Workbench, Workbench]) -> None:
    one, other = desks
    one.wants = {"gemini": same_wants(one)}
    one.sync()
    one.wants = {"gemini": []}
    plan = one.plan()
    other.wants = {"gemini": same_wants(other)}
    other.sync()

    with pytest.raises(StalePlan):
        one.syncing.apply(plan.plan_id, made=MadePlan(plan, lambda: False))


def test_a_hook_that_the_person_has_written_alike_stays_when_ours_goes(desks: tuple[Workbench, Workbench]) -> None:
    one = desks[0]
    own = one.home / "hooks.json"
    own.write_text('{"hooks": {"Stop": [{"command": "x"}]}}')
    keys: dict[KeyPath, Value] = {("hooks", "Stop", entry_step({"command": c})): {"command": c} for c in "xy"}
    one.wants = {"codex": [OwnedKeys(own, "jsonc", keys, "user", dict.fromkeys(keys, "hook:h@user"))]}
    one.sync()
    assert one.plan().is_empty
    assert own.read_text().count('"x"') == 1
    one.wants = {"codex": []}
    one.sync()

    assert own.read_text() == '{"hooks": {"Stop": [{"command": "x"}]}}'


def test_a_project_that_is_gone_needs_nothing(desks: tuple[Workbench, Workbench]) -> None:
    one, other = desks
    for bench in desks:
        bench.wants = {"gemini": same_wants(bench)}
        bench.sync()
    other.project.rmdir()
    one.wants = {"gemini": []}
    one.sync()

    assert picture(one.home) == {}


def test_a_sync_from_the_home_folder_forgets_nothing(desks: tuple[Workbench, Workbench]) -> None:
    one = desks[0]
    keys: dict[KeyPath, Value] = {("mcp", "a"): 1}
    one.wants = {"gemini": [OwnedKeys(one.home / "s.json", "jsonc", keys, "user", dict.fromkeys(keys, "mcp:a@user"))]}
    one.sync()
    one.project = one.home
    one.scopes = ("user",)
    assert one.plan().is_empty
    one.wants = {"gemini": []}
    one.sync()

    assert picture(one.home) == {}
