"""The hard project, synced, and judged by the Codex CLI itself."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from sightline.sync.model import PermissionKind
from sightline.sync.permission_commands import split_command, words_of
from sightline.sync.permission_samples import sample_actions
from sightline.sync.permissions import Action, ActionKind, Permissions
from tests.clients.sync_scene import Scene, strings, synced, trust_for_codex
from tests.sync.hard_project_texts import FOREIGN_HOME, FOREIGN_PROJECT

_PLAIN = re.compile(r"[^$`<>*?\[\]{}()!~=\\]*")
_STDIO: dict[str, Any] = {"type": "stdio", "args": [], "env": None, "env_vars": [], "cwd": None}
_ADDRESS = "https://user.example.com/mcp"
EXPECTED: dict[str, tuple[bool, dict[str, Any]]] = {
    "files": (True, {"command": "files-server", "args": ["--root", "."], "env_vars": ["API_TOKEN"]}),
    "both": (True, {"command": "project-version"}),
    "my_server": (True, {"command": "odd-name-too"}),
    "my_server_7cab4c": (True, {"command": "odd-name"}),
    "future": (True, {"command": "f"}),
    "switched-off": (False, {"command": "off-server"}),
    "unapproved": (False, {"command": "never-approved"}),
    "only-by-me": (False, {"command": "approved-by-one-person"}),
    "own": (True, {"command": "own-server"}),
    **dict.fromkeys(
        ("-rf", "FILES", "__31mred", "____evil", "___escape", "__proto__", "a_b"), (True, {"command": "hostile"})
    ),
}


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    """With target files of the person's own, and with hostile names."""
    made = synced(tmp_path_factory.mktemp("codex"), "codex", with_foreign=True, with_hostile_names=True)
    trust_for_codex(made)
    return made


@pytest.fixture(scope="module")
def plain_scene(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    """Without the person's own files: they name a model that is not known to have agents."""
    made = synced(tmp_path_factory.mktemp("plain-codex"), "codex")
    trust_for_codex(made)
    return made


def prompt_of(scene: Scene, *, has_sandbox: bool = False) -> str:
    """Everything that the model would read; helpers of the sandbox may outlive Codex, so it is off if it can be."""
    unboxed = () if has_sandbox else ("-c", 'sandbox_mode="danger-full-access"')
    return "\n".join(strings(scene.json(*unboxed, "debug", "prompt-input", "x")))


def test_codex_itself_verified_the_plan(scene: Scene) -> None:
    answer = scene.done.verified["codex"]
    assert (answer.status, answer.findings) == ("verified", ())
    assert "codex mcp list --json" in answer.asked


def test_codex_lists_exactly_the_expected_servers(scene: Scene) -> None:
    listed = {each["name"]: each for each in scene.json("mcp", "list", "--json")}
    address = listed.pop("user-only")
    assert (address["enabled"], address["transport"]["url"]) == (True, _ADDRESS)
    shown = {name: (each["enabled"], each["transport"]) for name, each in listed.items()}
    assert shown == {name: (is_on, _STDIO | transport) for name, (is_on, transport) in EXPECTED.items()}


def test_denied_tools_and_times_arrive(tmp_path: Path, scene: Scene) -> None:
    assert scene.json("mcp", "get", "files", "--json")["disabled_tools"] == ["write"]
    assert scene.json("mcp", "get", "both", "--json")["disabled_tools"] is None


def test_codex_starts_in_a_project_that_was_never_synced(scene: Scene, tmp_path: Path) -> None:
    ended = scene.program.run("mcp", "list", "--json", folder=tmp_path)
    assert ended.code == 0, ended.err
    assert '"own"' in ended.out


def test_what_the_person_wrote_is_still_there(scene: Scene) -> None:
    foreign = {scene.hard.home / name: text for name, text in FOREIGN_HOME.items() if ".codex" in name}
    foreign |= {scene.hard.project / name: text for name, text in FOREIGN_PROJECT.items() if "codex" in name}
    for file, text in foreign.items():
        own = [line for line in text.splitlines() if line]
        assert [line for line in file.read_text().splitlines() if line in own] == own


def test_the_model_gets_the_instructions_once_and_nothing_personal(scene: Scene) -> None:
    prompt = prompt_of(scene)
    for text in (
        *("Always be kind.", "Deeper text.", "Only Codex reads this.", "Only for Codex, by file.", "Keep me, too."),
        *("PRIVATE: I prefer tabs.", "Keep me.\n"),
    ):
        assert prompt.count(text) == 1, text
    for text in ("a block comment for people", "No target reads this", "PERSONAL:", "PRIVATE: outside", "EXCLUDED"):
        assert text not in prompt, text


def test_the_model_is_offered_each_skill_once_and_the_manual_ones_not(scene: Scene) -> None:
    prompt = prompt_of(scene)
    text = prompt.partition("### Available skills")[2].partition("</skills_instructions>")[0]
    found = re.findall(r"^- (\S+): .*\(file: (\S+)/SKILL\.md\)$", text, re.MULTILINE)
    system = re.findall(r"^- `(r\d+)` = `[^`]*/skills/\.system`", prompt, re.MULTILINE)
    listed = [name for name, place in found if place.partition("/")[0] not in system]
    automatic = {"31mred", "dots", "release-21e4bb", "own", "private-skill", "kit-brew", "kit-pour"}
    assert {name for name in listed if name != "shared-name"} == automatic
    assert listed.count("shared-name") == 2  # the person's and the project's, which the plan warns of
    assert len(listed) == len(automatic) + 2
    sidecars = [file for file in scene.hard.root.rglob("agents/openai.yaml") if ".system" not in file.parts]
    manual = {file.parent.parent.name for file in sidecars}
    assert {"release", "db-migrate", "mine", "kit-steep", "rf", "con-item", "a-b-c-d"} <= manual
    assert not manual & set(listed)


def test_every_agent_is_offered(plain_scene: Scene) -> None:
    text = prompt_of(plain_scene).partition("Available roles:")[2]
    named = set(re.findall(r"^(\S[^\n]*): \{$", text, re.MULTILINE)) - {"default", "explorer", "worker"}
    assert named == {"reviewer", "shared-agent", "helper", "kit-taster"}


def test_the_rules_of_the_project_for_files_are_in_force(plain_scene: Scene) -> None:
    denied = set(
        re.findall(r'<entry access="deny"[^>]*><(?:glob|path)>([^<]*)<', prompt_of(plain_scene, has_sandbox=True))
    )
    assert {f"{plain_scene.hard.project}/{key}" for key in ("**/.env", "**/secrets/**")} <= denied


def test_codex_has_nothing_to_warn_of(plain_scene: Scene) -> None:
    ended = plain_scene.program.run("doctor", folder=plain_scene.hard.project)
    assert "config.toml parse        ok" in ended.out
    assert re.findall(r"startup warning .*", ended.out) == []


def _decision(scene: Scene, rules: list[Path], words: tuple[str, ...]) -> str:
    named = [part for file in rules for part in ("--rules", str(file))]
    return scene.json("execpolicy", "check", *named, "--", *words).get("decision", "")


def test_no_command_is_freer_than_in_claude_code(plain_scene: Scene) -> None:
    hard, tree = plain_scene.hard, plain_scene.tree
    rules = [*hard.home.glob(".codex/rules/*.rules"), *hard.project.glob(".codex/rules/*.rules")]
    assert len(rules) == 3  # the person's, the person's for this project, the project's
    claude = Permissions(tree.permissions, hard.project, hard.home)
    actions = [each for each in sample_actions(tree.permissions) if each.kind is ActionKind.BASH]
    assert len(actions) >= 100
    known: dict[tuple[str, ...], str] = {}
    seen: set[str] = set()
    for action in actions:
        limit = claude.decide(action).verdict
        verdict = _verdict(plain_scene, rules, action.value, known)
        seen.add(verdict)
        assert verdict != "allow" or limit is PermissionKind.ALLOW, action.value
        if limit is PermissionKind.DENY and _is_seen(plain_scene, action):
            assert verdict == "forbidden", action.value
    assert {"allow", "forbidden", "prompt", ""} == seen
    assert len(known) >= 60


def _verdict(scene: Scene, rules: list[Path], command: str, known: dict[tuple[str, ...], str]) -> str:
    """What Codex makes of a command line: it looks at the plain parts, and at nothing if one is not plain."""
    line = split_command(command)
    if not _PLAIN.fullmatch(command) or line.is_doubtful:
        return ""
    parts = [tuple(words) for part in line.parts if (words := words_of(part))]
    for words in parts:
        if words not in known:
            known[words] = _decision(scene, rules, words)
    decisions = {known[words] for words in parts}
    return next((each for each in ("forbidden", "prompt", "", "allow") if each in decisions), "")


def _is_seen(scene: Scene, action: Action) -> bool:
    """Whether the command is denied as it stands: not behind a variable, a wrapper or another program's back."""
    rules = [rule for rule in scene.tree.permissions if rule.effect is PermissionKind.DENY and rule.tool == "Bash"]
    starts = [str(rule.pattern).removesuffix(" *") for rule in rules]
    return bool(_PLAIN.fullmatch(action.value)) and any(
        part == start or part.startswith(f"{start} ") for part in split_command(action.value).parts for start in starts
    )
