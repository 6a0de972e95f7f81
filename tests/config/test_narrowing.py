"""What a project file may do before a person has trusted it: less, never more."""

from __future__ import annotations

from typing import Any

import pytest

from sightline.config.keys import all_keys, value_of
from tests.config.sandbox import Sandbox

NARROWER = [
    ("lower", "code.pool_size", "2", 2),
    ("lower", "output.max_total_chars", "1000", 1000),
    ("lower", "code.command_timeout_s", "0.5", 0.5),
    ("true", "server.read_only", "true", True),
    ("true", "docs.offline", "true", True),
    ("subset", "server.toolsets", "['code']", ("code",)),
    ("choice", "server.tools", "['check_types']", ("check_types",)),
    ("subset", "sync.targets", "['codex']", ("codex",)),
    ("extend", "server.exclude_tools", "['check_types']", ("check_types",)),
    ("any", "output.format", "'text'", "text"),
]

WIDER = [
    ("lower", "code.pool_size", "4"),
    ("lower", "output.max_total_chars", "10001"),
    ("lower", "code.command_timeout_s", "31"),
    ("lower", "code.memory_budget_mb", "4097"),
    ("lower", "docs.max_redirects", "4"),
    ("subset", "sync.targets", "['codex', 'cursor']"),
    (None, "code.servers", "{x = {command = 'evil'}}"),
    (None, "code.request_timeouts", "{'textDocument/hover' = 1}"),
    (None, "server.host", "'0.0.0.0'"),
    (None, "server.port", "1"),
    (None, "server.auth_key_file", "'/etc/passwd'"),
    (None, "docs.allowed_hosts", "['evil.example']"),
    (None, "docs.registry_url", "'https://evil.example'"),
    (None, "docs.extra_registries", "['x.json']"),
    (None, "sync.scope", "'user'"),
    (None, "logging.dir", "'/tmp'"),
    (None, "logging.mode", "'file'"),
]


def write(sandbox: Sandbox, name: str, text: str) -> None:
    section, _, key = name.rpartition(".")
    sandbox.write_project_file(f"[{section}]\n{key} = {text}\n")


@pytest.mark.parametrize(("rule", "name", "text", "value"), NARROWER)
def test_an_untrusted_project_may_narrow(sandbox: Sandbox, rule: str, name: str, text: str, value: Any) -> None:
    write(sandbox, name, text)
    loaded = sandbox.load()
    assert all_keys()[name].rules["project"] == rule
    assert value_of(loaded.values, name) == value
    assert loaded.origin_of(name).source == "project file"
    assert loaded.ignored == ()


@pytest.mark.parametrize(("rule", "name", "text"), WIDER)
def test_an_untrusted_project_may_not_widen(sandbox: Sandbox, rule: str | None, name: str, text: str) -> None:
    write(sandbox, name, text)
    loaded = sandbox.load()
    assert all_keys()[name].rules.get("project") == rule
    assert value_of(loaded.values, name) == all_keys()[name].default
    assert loaded.origin_of(name).source == "default"
    assert [message for message in loaded.ignored if f"`{name}`" in message and "sightline trust" in message]


@pytest.mark.parametrize(("_rule", "name", "text"), WIDER)
def test_a_trusted_project_may_widen(sandbox: Sandbox, _rule: str | None, name: str, text: str) -> None:
    write(sandbox, name, text)
    sandbox.trust_project_file()
    loaded = sandbox.load()
    assert loaded.is_trusted
    assert loaded.origin_of(name).source == "project file"
    assert loaded.ignored == ()


@pytest.mark.parametrize(
    ("user", "project", "name", "kept"),
    [
        ("[server]\nread_only = true", "[server]\nread_only = false", "server.read_only", True),
        ("[docs]\noffline = true", "[docs]\noffline = false", "docs.offline", True),
        ("[server]\ntoolsets = ['code']", "[server]\ntoolsets = ['docs']", "server.toolsets", ("code",)),
        ("[server]\ntoolsets = ['code']", "[server]\ntoolsets = []", "server.toolsets", ("code",)),
        ("[server]\ntoolsets = []", "[server]\ntoolsets = ['sync']", "server.toolsets", ()),
        ("[sync]\ntargets = []", "[sync]\ntargets = ['codex']", "sync.targets", ()),
        ("[server]\ntools = ['a']", "[server]\ntools = ['a', 'b']", "server.tools", ("a",)),
        ("[server]\ntools = ['a']", "[server]\ntools = []", "server.tools", ("a",)),
        ("[server]\nexclude_tools = ['a', 'b']", "[server]\nexclude_tools = ['b']", "server.exclude_tools", ("a", "b")),
        ("[server]\nexclude_tools = ['a']", "[server]\nexclude_tools = []", "server.exclude_tools", ("a",)),
        ("[code]\npool_size = 1", "[code]\npool_size = 2", "code.pool_size", 1),
        ("[output.max_results]\nx = 5", "[output.max_results]\nx = 6", "output.max_results", {"x": 5}),
    ],
)
def test_narrowing_is_measured_against_what_the_user_chose(
    sandbox: Sandbox, user: str, project: str, name: str, kept: Any
) -> None:
    sandbox.write_user_file(user)
    sandbox.write_project_file(project)
    assert sandbox.value(name) == kept


def test_an_excluded_tool_more_may_be_named_by_an_untrusted_project(sandbox: Sandbox) -> None:
    sandbox.write_user_file("[server]\nexclude_tools = ['a']\n")
    sandbox.write_project_file("[server]\nexclude_tools = ['b', 'a']\n")
    assert set(sandbox.value("server.exclude_tools")) == {"a", "b"}


def test_a_project_that_narrows_one_key_and_widens_another_gets_the_first_only(sandbox: Sandbox) -> None:
    sandbox.write_project_file("[code]\npool_size = 1\nidle_timeout_s = 99999\n")
    loaded = sandbox.load()
    assert (loaded.values.code.pool_size, loaded.values.code.idle_timeout_s) == (1, 300)


@pytest.mark.parametrize("inside", ["src", "./src", "src/../src", "."])
def test_allowed_roots_may_be_narrowed_to_folders_inside(sandbox: Sandbox, inside: str) -> None:
    (sandbox.root / "src").mkdir()
    write(sandbox, "server.allowed_roots", f"['{inside}']")
    assert sandbox.load().origin_of("server.allowed_roots").source == "project file"


@pytest.mark.parametrize(
    "outside",
    ["..", "src/../..", "/", "/etc", "../project-twin", "link", "link/deeper", "~", "~root", "~no-such-user/x"],
)
def test_allowed_roots_may_not_escape(sandbox: Sandbox, outside: str) -> None:
    (sandbox.root / "src").mkdir()
    twin = sandbox.root.with_name("project-twin")
    (twin / "deeper").mkdir(parents=True)
    (sandbox.root / "link").symlink_to(twin)
    write(sandbox, "server.allowed_roots", f"['src', '{outside}']")
    assert sandbox.value("server.allowed_roots") == ()


def test_allowed_roots_of_the_user_are_not_widened_to_the_root(sandbox: Sandbox) -> None:
    (sandbox.root / "src").mkdir()
    sandbox.write_user_file(f"[server]\nallowed_roots = ['{sandbox.root}/src']\n")
    write(sandbox, "server.allowed_roots", "['.']")
    assert sandbox.value("server.allowed_roots") == (f"{sandbox.root}/src",)


def test_no_allowed_roots_at_all_is_not_narrower(sandbox: Sandbox) -> None:
    (sandbox.root / "src").mkdir()
    sandbox.write_user_file(f"[server]\nallowed_roots = ['{sandbox.root}/src']\n")
    write(sandbox, "server.allowed_roots", "[]")
    assert sandbox.value("server.allowed_roots") == (f"{sandbox.root}/src",)


@pytest.mark.parametrize(
    ("name", "text", "raw"),
    [
        ("sync.allow_secrets", "true", "true"),
        ("docs.private_hosts", "{'a.internal' = ['10.0.0.1']}", '{"a.internal": ["10.0.0.1"]}'),
    ],
)
def test_a_key_of_the_user_file_is_taken_from_nowhere_else(sandbox: Sandbox, name: str, text: str, raw: str) -> None:
    write(sandbox, name, text)
    sandbox.trust_project_file()
    variable = "SIGHTLINE_" + name.upper().replace(".", "__")
    loaded = sandbox.load({variable: raw}, command_line={name: True if raw == "true" else {}})
    assert value_of(loaded.values, name) == all_keys()[name].default
    assert loaded.origin_of(name).source == "default"
    assert len([message for message in loaded.ignored if f"`{name}`" in message and "user file only" in message]) == 3


@pytest.mark.parametrize(
    ("content", "name", "value"),
    [
        ("[sync]\nallow_secrets = true\n", "sync.allow_secrets", True),
        ("[docs.private_hosts]\n'a.internal' = ['10.0.0.1']\n", "docs.private_hosts", {"a.internal": ("10.0.0.1",)}),
    ],
)
def test_a_key_of_the_user_file_is_taken_from_there(sandbox: Sandbox, content: str, name: str, value: Any) -> None:
    sandbox.write_user_file(content)
    assert sandbox.value(name) == value


def test_every_rule_of_the_schema_is_one_that_is_judged() -> None:
    rules = {key.rules["project"] for key in all_keys().values() if "project" in key.rules}
    assert rules == {"lower", "true", "subset", "choice", "extend", "inside", "any"}
