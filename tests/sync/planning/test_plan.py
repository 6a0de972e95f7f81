"""Source, last applied and target now, compared: what would be done, and what is left alone."""

from __future__ import annotations

import json

import pytest

from sightline.sync.formats.three_way import Choice, Standing
from sightline.sync.formats.values import KeyPath, Value, entry_step
from sightline.sync.outputs import Output, OwnedFile
from sightline.sync.planning import EVERYTHING, Blocked, TargetStatus, status_of
from tests.sync.applying.workbench import Workbench, picture

CONFIG = b'# mine\nmodel = "x"  # why\n'
SERVER = ("mcp_servers", "m")


def actions(bench: Workbench) -> dict[str, str]:
    return {change.name: change.action for change in bench.plan().changes}


def test_new_changed_and_gone_items_are_created_updated_and_deleted(bench: Workbench) -> None:
    bench.wants = {"codex": [bench.file("a", b"1"), bench.file("b", b"1"), bench.file("c", b"1")]}
    assert actions(bench) == {"a": "create", "b": "create", "c": "create"}
    bench.sync()
    bench.wants = {"codex": [bench.file("a", b"1"), bench.file("b", b"2")]}
    assert actions(bench) == {"b": "update", "c": "delete"}


def test_a_plan_writes_nothing(bench: Workbench) -> None:
    bench.wants = {"codex": [bench.file("deep/a", b"1")]}
    bench.plan()
    assert picture(bench.project) == {}
    assert not bench.own.exists()


def test_a_foreign_file_in_our_place_is_a_conflict_and_stays(bench: Workbench) -> None:
    bench.write("skill/SKILL.md", b"theirs")
    bench.wants = {"codex": [bench.file("skill/SKILL.md", b"ours"), bench.file("other", b"ours")]}
    plan = bench.plan()
    assert plan.conflicts == ("skill/SKILL.md",)
    assert plan.changes[1].units["skill/SKILL.md"].standing is Standing.FOREIGN_COLLISION
    bench.sync()
    assert (bench.read("skill/SKILL.md"), bench.read("other")) == (b"theirs", b"ours")
    bench.wants = {"codex": []}
    bench.sync()
    assert bench.read("skill/SKILL.md") == b"theirs"


def test_keys_that_both_sides_changed_apart_from_one_another_are_merged(bench: Workbench) -> None:
    bench.write("c.toml", CONFIG)
    bench.wants = {"codex": [bench.toml("c.toml", {SERVER: {"command": "a"}})]}
    bench.sync()
    bench.write("c.toml", bench.read("c.toml").replace(b'model = "x"', b'model = "y"'))
    bench.wants = {"codex": [bench.toml("c.toml", {SERVER: {"command": "b"}})]}
    plan = bench.plan()
    assert [unit.standing for unit in plan.changes[0].units.values()] == [Standing.PENDING]
    bench.sync()
    assert bench.read("c.toml") == b'# mine\nmodel = "y"  # why\n\n[mcp_servers.m]\ncommand = "b"\n'


def drifted(bench: Workbench) -> None:
    """One key changed by hand at the target, another at the source."""
    bench.wants = {"codex": [bench.json("o.json", {("mcp", "a"): 1, ("mcp", "b"): 1})]}
    bench.sync()
    bench.write("o.json", bench.read("o.json").replace(b'"a": 1', b'"a": 9'))
    bench.wants = {"codex": [bench.json("o.json", {("mcp", "a"): 1, ("mcp", "b"): 2})]}


def test_a_key_changed_by_hand_is_skipped_and_the_others_are_written(bench: Workbench) -> None:
    drifted(bench)
    plan = bench.plan()
    assert {place: unit.action for place, unit in plan.changes[0].units.items()} == {
        "o.json#mcp.a": "conflict",
        "o.json#mcp.b": "update",
    }
    bench.sync()
    assert b'"a": 9' in bench.read("o.json")
    assert b'"b": 2' in bench.read("o.json")
    assert bench.plan().conflicts == ("o.json#mcp.a",)


@pytest.mark.parametrize("place", ["o.json#mcp.a", EVERYTHING])
def test_take_follows_the_source(bench: Workbench, place: str) -> None:
    drifted(bench)
    bench.sync(choices={place: Choice.TAKE})
    assert b'"a": 1' in bench.read("o.json")
    assert bench.plan().is_empty


def test_keep_leaves_it_and_is_not_asked_again_until_something_moves(bench: Workbench) -> None:
    drifted(bench)
    bench.sync(choices={"o.json#mcp.a": Choice.KEEP})
    assert b'"a": 9' in bench.read("o.json")
    assert bench.plan().conflicts == ()
    assert bench.plan().is_empty
    bench.write("o.json", bench.read("o.json").replace(b'"a": 9', b'"a": 8'))
    assert bench.plan().conflicts == ("o.json#mcp.a",)


def test_a_foreign_key_that_is_kept_is_never_ours(bench: Workbench) -> None:
    bench.write("o.json", b'{"mcp": {"a": 7}}')
    bench.wants = {"codex": [bench.json("o.json", {("mcp", "a"): 1})]}
    bench.sync(choices={"o.json#mcp.a": Choice.KEEP})
    bench.wants = {"codex": []}
    assert bench.plan().changes == ()
    bench.sync()
    assert bench.read("o.json") == b'{"mcp": {"a": 7}}'


def test_a_deleted_item_that_was_changed_by_hand_is_a_conflict(bench: Workbench) -> None:
    bench.wants = {"codex": [bench.file("a", b"1")]}
    bench.sync()
    bench.write("a", b"edited")
    bench.wants = {"codex": []}
    plan = bench.plan()
    assert plan.changes[0].units["a"].standing is Standing.ORPHAN_DRIFTED
    bench.sync()
    assert bench.read("a") == b"edited"
    bench.sync(choices={"a": Choice.KEEP})
    assert bench.plan().changes == ()


def test_keys_whose_names_hold_dots_have_places_of_their_own(bench: Workbench) -> None:
    bench.write("o.json", b'{"a.b": 1, "a": {"b": 1}}')
    bench.wants = {"codex": [bench.json("o.json", {("a.b",): 2, ("a", "b"): 3})]}
    assert bench.plan().conflicts == ('o.json#"a.b"', "o.json#a.b")


def test_a_key_split_out_of_a_table_that_was_ours_stays_ours(bench: Workbench) -> None:
    bench.wants = {"codex": [bench.toml("c.toml", {("hooks",): {"a": 1, "b": 2}})]}
    bench.sync()
    bench.wants = {"codex": [bench.toml("c.toml", {("hooks", "a"): 3})]}
    assert bench.plan().conflicts == ()
    bench.sync()
    assert bench.read("c.toml").split() == [b"[hooks]", b"a", b"=", b"3"]


def test_a_part_of_a_table_that_was_ours_stays_even_if_it_is_as_before(bench: Workbench) -> None:
    bench.wants = {"codex": [bench.toml("c.toml", {("hooks",): {"a": 1, "b": 2}})]}
    bench.sync()
    bench.wants = {"codex": [bench.toml("c.toml", {("hooks", "a"): 1})]}
    bench.sync()
    assert bench.read("c.toml").split() == [b"[hooks]", b"a", b"=", b"1"]


def entries(*commands: str) -> dict[KeyPath, Value]:
    return {("hooks", "Stop", entry_step({"command": each})): {"command": each} for each in commands}


def test_entries_of_a_list_are_ours_one_by_one_and_those_of_others_stay_to_the_byte(bench: Workbench) -> None:
    theirs = b'{"hooks": {"Stop": [\n  {"command":   "mine"} // why\n]}}'
    bench.write("h.json", theirs)
    bench.wants = {"codex": [bench.json("h.json", entries("a", "b"))]}
    assert bench.plan().conflicts == ()
    bench.sync()
    bench.write("h.json", bench.read("h.json").replace(b'"mine"', b'"mine too"'))
    bench.wants = {"codex": [bench.json("h.json", entries("b", "c"))]}
    assert bench.plan().conflicts == ()
    bench.sync()
    assert json.loads(bench.read("h.json").replace(b"// why", b""))["hooks"]["Stop"] == [
        {"command": "mine too"},
        {"command": "b"},
        {"command": "c"},
    ]
    bench.wants = {"codex": []}
    bench.sync()
    assert bench.read("h.json") == theirs.replace(b'"mine"', b'"mine too"')


def test_an_entry_of_ours_that_was_changed_by_hand_is_a_conflict(bench: Workbench) -> None:
    bench.wants = {"codex": [bench.json("h.json", entries("a", "b"))]}
    bench.sync()
    bench.write("h.json", bench.read("h.json").replace(b'"a"', b'"z"'))
    plan = bench.plan()
    assert [place.rpartition(".")[0] for place in plan.conflicts] == ["h.json#hooks.Stop"]
    bench.sync(choices={plan.conflicts[0]: Choice.KEEP})
    assert bench.plan().is_empty
    bench.sync(choices={EVERYTHING: Choice.TAKE})
    assert [each["command"] for each in json.loads(bench.read("h.json"))["hooks"]["Stop"]] == ["z", "b", "a"]


def test_a_list_that_was_ours_as_a_whole_becomes_entries(bench: Workbench) -> None:
    bench.wants = {"codex": [bench.json("h.json", {("hooks", "Stop"): [{"command": "a"}, {"command": "old"}]})]}
    bench.sync()
    bench.wants = {"codex": [bench.json("h.json", entries("a", "b"))]}
    assert bench.plan().conflicts == ()
    bench.sync()
    assert [each["command"] for each in json.loads(bench.read("h.json"))["hooks"]["Stop"]] == ["a", "b"]
    bench.wants = {"codex": []}
    bench.sync()
    assert picture(bench.project) == {}


@pytest.mark.parametrize(
    ("name", "content", "line"),
    [("c.toml", b"a = 1\nb = = 2\n", 2), ("o.json", b'{\n "a": 1,\n oops\n}', 3)],
)
def test_a_file_that_cannot_be_parsed_is_left_alone_and_others_go_on(
    bench: Workbench, name: str, content: bytes, line: int
) -> None:
    bench.write(name, content)
    outputs: list[Output] = [bench.toml("c.toml", {SERVER: {"command": "a"}}), bench.json("o.json", {("mcp",): {}})]
    bench.wants = {"codex": outputs, "gemini": [bench.file("fine", b"1")]}
    (problem,) = bench.plan().problems
    assert (problem.kind, problem.path.name, problem.line) == ("target_malformed", name, line)
    assert problem.targets == {"codex"}
    bench.sync()
    assert bench.read(name) == content
    assert bench.read("fine") == b"1"


def test_damaged_marks_are_a_malformed_target(bench: Workbench) -> None:
    bench.write("AGENTS.md", b"x\n<!-- sightline:begin instructions -->\n")
    bench.wants = {"codex": [bench.block("AGENTS.md", "text")]}
    (problem,) = bench.plan().problems
    assert (problem.kind, problem.line) == ("target_malformed", 2)


def test_a_key_that_leads_through_something_else_is_reported(bench: Workbench) -> None:
    bench.write("o.json", b'{"mcp": [1]}')
    bench.wants = {"codex": [bench.json("o.json", {("mcp", "m"): 1})]}
    assert [problem.kind for problem in bench.plan().problems] == ["uneditable"]


@pytest.mark.parametrize("is_folder", [True, False])
def test_a_symlinked_destination_is_refused(bench: Workbench, is_folder: bool) -> None:
    source = bench.write(".claude/skills/a/SKILL.md", b"source")
    bench.write(".agents/mine", b"")
    link = bench.project / (".agents/skills" if is_folder else ".agents/skills/a/SKILL.md")
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(source.parent.parent if is_folder else source)
    bench.wants = {"codex": [bench.file(".agents/skills/a/SKILL.md", b"ours")]}
    assert [problem.kind for problem in bench.plan().problems] == ["link"]
    bench.sync(choices={EVERYTHING: Choice.TAKE})
    assert source.read_bytes() == b"source"


@pytest.mark.parametrize("name", ["../outside", "a/../../outside", "/etc/outside"])
def test_paths_that_lead_out_are_refused(bench: Workbench, name: str) -> None:
    bench.wants = {"codex": [bench.file(name, b"ours")]}
    assert [problem.kind for problem in bench.plan().problems] == ["outside"]
    assert bench.sync().plan.writes == ()


def test_a_folder_in_our_place_is_reported(bench: Workbench) -> None:
    bench.write("a/b", b"")
    bench.wants = {"codex": [bench.file("a", b"ours"), bench.file("a/b/c", b"ours")]}
    assert {problem.kind for problem in bench.plan().problems} == {"not_a_file"}


def test_the_same_output_of_two_targets_is_one_and_goes_with_the_last(bench: Workbench) -> None:
    shared = bench.file("AGENTS.md", b"text")
    bench.wants = {"codex": [shared], "opencode": [shared]}
    (change,) = bench.plan().changes
    assert change.targets == {"codex", "opencode"}
    bench.sync()
    bench.wants = {"codex": [], "opencode": [shared]}
    bench.sync()
    assert bench.read("AGENTS.md") == b"text"
    bench.wants = {"codex": [], "opencode": []}
    bench.sync()
    assert picture(bench.project) == {}


def test_what_a_target_that_is_not_of_this_run_holds_is_not_deleted(bench: Workbench) -> None:
    shared = bench.json("o.json", {("mcp", "m"): 1})
    bench.wants = {"codex": [shared], "opencode": [shared, bench.file("only", b"1")]}
    bench.sync()
    bench.wants = {"codex": []}
    bench.sync()
    assert b'"m": 1' in bench.read("o.json")
    assert bench.read("only") == b"1"
    bench.wants = {"codex": [], "opencode": []}
    bench.sync()
    assert picture(bench.project) == {}


def test_a_held_unit_that_changes_is_remembered_by_its_holder(bench: Workbench) -> None:
    bench.wants = {name: [bench.file("a", b"1")] for name in ("codex", "opencode")}
    bench.sync()
    bench.wants = {"codex": [bench.file("a", b"2")]}
    bench.sync()
    bench.wants = {"opencode": [bench.file("a", b"3")]}
    assert bench.plan().conflicts == ()


def test_different_content_for_one_path_is_an_error_value(bench: Workbench) -> None:
    bench.wants = {
        "codex": [bench.file("a", b"1"), bench.json("o.json", {("x",): 1}), bench.file("fine", b"1")],
        "opencode": [bench.file("a", b"2"), bench.json("o.json", {("x",): 1.0})],
    }
    plan = bench.plan()
    assert {(problem.kind, problem.path.name) for problem in plan.problems} == {
        ("disputed", "a"),
        ("disputed", "o.json"),
    }
    assert [change.name for change in plan.changes] == ["fine"]


def test_a_dispute_deletes_nothing(bench: Workbench) -> None:
    bench.wants = {name: [bench.file("a", b"1")] for name in ("codex", "opencode")}
    bench.sync()
    bench.wants = {"codex": [bench.file("a", b"1")], "opencode": [bench.file("a", b"2")]}
    bench.sync()
    assert bench.read("a") == b"1"


def test_one_target_alone_builds_shared_files_for_all_and_touches_only_its_own(bench: Workbench) -> None:
    bench.wants = {
        "codex": [bench.json("shared.json", {("a",): 1}), bench.file("codex", b"1")],
        "opencode": [bench.json("shared.json", {("b",): 1}), bench.file("opencode", b"1")],
    }
    plan = bench.plan(only="codex")
    assert [change.name for change in plan.changes] == ["codex", "shared.json"]
    bench.sync(only="codex")
    assert bench.read("shared.json").split() == b'{ "a": 1, "b": 1 }'.split()
    assert not (bench.project / "opencode").exists()
    bench.wants["opencode"] = [bench.json("shared.json", {("b",): 2})]
    assert bench.plan().conflicts == ()


def test_a_blocked_kind_is_neither_written_nor_deleted(bench: Workbench) -> None:
    bench.wants = {
        "codex": [
            bench.file("old", b"1", source="skill:old@project"),
            bench.file("changed", b"1", source="skill:changed@project"),
            bench.file("agent", b"1", source="agent:a@project"),
        ]
    }
    bench.sync()
    before = picture(bench.project)
    bench.blocked = Blocked(frozenset({"skill"}))
    bench.wants = {
        "codex": [
            bench.file("changed", b"2", source="skill:changed@project"),
            bench.file("new", b"1", source="skill:new@project"),
        ]
    }
    assert actions(bench) == {"old": "keep", "changed": "keep", "new": "keep", "agent": "delete"}
    bench.sync()
    assert picture(bench.project) == {name: each for name, each in before.items() if name != "agent"}
    bench.blocked = Blocked()
    assert actions(bench) == {"old": "delete", "changed": "update", "new": "create"}


def test_a_blocked_item_keeps_what_was_made_of_it_and_of_others(bench: Workbench) -> None:
    both = ("instructions:a@project", "instructions:b@project")
    bench.wants = {"codex": [OwnedFile(bench.project / "text", b"a and b", "project", both)]}
    bench.sync()
    bench.blocked = Blocked(items=frozenset({both[1]}))
    bench.wants = {"codex": [OwnedFile(bench.project / "text", b"a", "project", both[:1])]}
    bench.sync()
    assert bench.read("text") == b"a and b"


@pytest.mark.parametrize(
    ("blocked", "sources", "is_covered"),
    [
        (Blocked(frozenset({"plugin"})), ("skill:p:x@plugin",), True),
        (Blocked(frozenset({"plugin"})), ("skill:x@project",), False),
        (Blocked(frozenset({"mcp"})), (), True),
        (Blocked(items=frozenset({"mcp:x@project"})), (), False),
        (Blocked(), (), False),
    ],
)
def test_what_is_blocked(blocked: Blocked, sources: tuple[str, ...], is_covered: bool) -> None:
    assert blocked.covers(sources) is is_covered


def test_the_plan_id_changes_with_every_input_and_only_then(bench: Workbench) -> None:
    bench.write("o.json", b"{}")
    bench.wants = {"codex": [bench.json("o.json", {("x",): 1}), bench.file("a", b"1")]}
    ids = [bench.plan().plan_id]
    assert bench.plan().plan_id == ids[0]
    ids += [bench.plan(only="codex").plan_id, bench.plan(choices={"o.json#x": Choice.TAKE}).plan_id]
    bench.blocked = Blocked(frozenset({"hook"}))
    ids.append(bench.plan().plan_id)
    bench.write("o.json", b"{ }")
    ids.append(bench.plan().plan_id)
    (bench.project / "o.json").chmod(0o600)
    ids.append(bench.plan().plan_id)
    bench.wants["codex"][1] = bench.file("a", b"1", mode=0o755)
    ids.append(bench.plan().plan_id)
    bench.wants["gemini"] = []
    ids.append(bench.plan().plan_id)
    bench.sync()
    ids.append(bench.plan().plan_id)
    assert len(set(ids)) == len(ids)


def test_diffs_show_only_changed_lines_of_shared_files_and_no_secret(bench: Workbench) -> None:
    canary = "sk-" + "ant-" + "a8Kd93jfKq0ZmP27x" * 2
    bench.write("c.toml", f'# private\ntoken = "{canary}"\n'.encode())
    bench.write("o.json", f'{{"token": "{canary}"}}'.encode())
    bench.wants = {"codex": [bench.toml("c.toml", {SERVER: {"command": "a"}}), bench.json("o.json", {("x",): 1})]}
    diff = bench.plan().diff
    assert "# private" not in diff
    assert "[mcp_servers.m]" in diff
    assert canary not in diff
    assert "a line with a secret is not shown" in diff


def test_a_private_key_over_several_lines_hides_the_whole_diff(bench: Workbench) -> None:
    body = "MIIEvQIBADANBgkqhkiG9w0B" + "AQEFAASCBKcwggSjAgEAAoIBAQC7"
    key = "-----BEGIN " + "PRIVATE KEY-----\n" + body + "\n"
    bench.wants = {"codex": [bench.file("a", f"text\n{key}".encode())]}
    diff = bench.plan().diff
    assert body not in diff
    assert diff.startswith("--- /dev/null\n+++ a\n")


def test_a_foreign_secret_in_the_way_is_not_taken_into_a_backup(bench: Workbench) -> None:
    canary = "sk-" + "ant-" + "a8Kd93jfKq0ZmP27x" * 2
    bench.write("o.json", f'{{"mcp": {{"token": "{canary}"}}}}'.encode())
    bench.wants = {"codex": [bench.json("o.json", {("mcp", "token"): "${TOKEN}"})]}
    plan = bench.plan(choices={EVERYTHING: Choice.TAKE})
    assert [problem.kind for problem in plan.problems] == ["secret"]
    bench.sync(choices={EVERYTHING: Choice.TAKE})
    assert canary.encode() in bench.read("o.json")
    bench.allow_secrets = True
    bench.sync(choices={EVERYTHING: Choice.TAKE})
    assert canary.encode() not in bench.read("o.json")


def test_what_a_project_has_in_the_users_files_is_left_alone_by_other_projects(bench: Workbench) -> None:
    """Gemini reads rules from the user's folder alone: a deny of one project must outlive the sync of another."""
    other = Workbench(bench.home.parent)
    other.project = bench.home.parent / "other"
    other.project.mkdir()
    bench.scopes = other.scopes = ("project", "user")
    policy = OwnedFile(bench.home / ".gemini/policies/a.toml", b"deny", "user", ("permission:x@project",))
    of_user = OwnedFile(bench.home / ".gemini/GEMINI.md", b"hello", "user", ("instructions:u@user",))
    bench.wants, other.wants = {"gemini": [policy, of_user]}, {"gemini": [of_user]}
    bench.sync()
    other.sync()
    assert policy.path.read_bytes() == b"deny"
    assert bench.plan().is_empty
    other.wants = {"gemini": []}
    other.sync()
    assert list(picture(bench.home)) == [".gemini", ".gemini/policies", ".gemini/policies/a.toml"]
    bench.wants = {"gemini": []}
    bench.sync()
    assert picture(bench.home) == {}
    bench.syncing.rollback()
    assert policy.path.read_bytes() == b"deny"


def test_the_status_of_a_target_in_one_word(bench: Workbench) -> None:
    def status(target: str) -> str:
        return status_of(target, bench.plan(), bench.syncing.states())

    bench.wants = {"codex": [bench.file("a", b"1")], "gemini": []}
    assert (status("codex"), status("gemini")) == (TargetStatus.NEVER, TargetStatus.IN_SYNC)
    bench.sync()
    assert status("codex") == TargetStatus.IN_SYNC
    bench.wants["codex"] = [bench.file("a", b"2")]
    assert status("codex") == TargetStatus.DRIFTED
    bench.write("a", b"3")
    assert (status("codex"), status("gemini")) == (TargetStatus.CONFLICT, TargetStatus.IN_SYNC)
