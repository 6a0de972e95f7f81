"""Which source wins, and that the winner is named."""

from __future__ import annotations

from typing import Any

import pytest

from sightline.config import Origin
from tests.config.sandbox import Sandbox


def test_without_any_source_every_value_is_a_default(sandbox: Sandbox) -> None:
    loaded = sandbox.load()
    assert loaded.origins == {}
    assert loaded.origin_of("server.port") == Origin("default", "built in")
    assert loaded.ignored == ()
    assert loaded.project_file is None


def test_each_source_beats_the_ones_below_it(sandbox: Sandbox) -> None:
    environment = {"SIGHTLINE_CODE__POOL_SIZE": "6"}
    flags = {"code.pool_size": "5"}
    steps: list[tuple[int, str]] = []

    def note(**given: Any) -> None:
        loaded = sandbox.load(**given)
        steps.append((loaded.values.code.pool_size, loaded.origin_of("code.pool_size").source))

    note()
    sandbox.write_user_file("[code]\npool_size = 8\n")
    note()
    sandbox.write_project_file("[code]\npool_size = 7\n")
    note()
    note(environment=environment)
    note(environment=environment, command_line=flags)
    assert steps == [
        (3, "default"),
        (8, "user file"),
        (7, "project file"),
        (6, "environment"),
        (5, "command line"),
    ]


def test_layers_are_merged_key_by_key(sandbox: Sandbox) -> None:
    sandbox.write_user_file("[code]\npool_size = 8\n[docs]\nttl_hours = 1\n")
    sandbox.write_project_file("[code]\nidle_timeout_s = 10\n")
    loaded = sandbox.load({"SIGHTLINE_CODE__PYTHON__ENGINE": "pyright"})
    code = loaded.values.code
    assert (code.pool_size, code.idle_timeout_s) == (8, 10)
    assert loaded.origin_of("code.python.engine").source == "environment"
    assert loaded.values.docs.ttl_hours == 1


def test_an_origin_names_the_file_or_the_variable(sandbox: Sandbox) -> None:
    sandbox.write_user_file("[server]\nport = 1\n")
    sandbox.write_project_file("[server]\nread_only = true\n")
    loaded = sandbox.load({"SIGHTLINE_DOCS__TTL_HOURS": "2"})
    assert loaded.origin_of("server.port") == Origin("user file", str(sandbox.user_file))
    assert loaded.origin_of("server.read_only") == Origin("project file", str(sandbox.project_file))
    assert "SIGHTLINE_DOCS__TTL_HOURS" in loaded.origin_of("docs.ttl_hours").place


def test_the_section_of_pyproject_is_a_project_file(sandbox: Sandbox) -> None:
    sandbox.write_project_file("[tool.other]\nx = 1\n[tool.sightline.server]\nread_only = true\n", "pyproject.toml")
    loaded = sandbox.load()
    assert loaded.values.server.read_only
    assert loaded.origin_of("server.read_only") == Origin("project file", str(sandbox.root / "pyproject.toml"))


def test_sightline_toml_replaces_the_section_of_pyproject_whole(sandbox: Sandbox) -> None:
    sandbox.write_project_file("[tool.sightline.server]\nread_only = true\n", "pyproject.toml")
    sandbox.write_project_file("[code]\npool_size = 1\n")
    loaded = sandbox.load()
    assert not loaded.values.server.read_only
    assert loaded.values.code.pool_size == 1


@pytest.mark.parametrize("content", ["[project]\nname = 'x'\n", "[tool.black]\nx = 1\n", ""])
def test_a_pyproject_without_our_section_sets_nothing(sandbox: Sandbox, content: str) -> None:
    sandbox.write_project_file(content, "pyproject.toml")
    assert sandbox.load().project_file is None


def test_language_servers_of_several_layers_are_all_there(sandbox: Sandbox) -> None:
    sandbox.write_user_file("[code.servers.a]\ncommand = 'a-ls'\nargs = ['--stdio']\n")
    loaded = sandbox.load({"SIGHTLINE_CODE__SERVERS": '{"b": {"command": "b-ls"}}'})
    servers = loaded.values.code.servers
    assert {name: server.command for name, server in servers.items()} == {"a": "a-ls", "b": "b-ls"}
    assert servers["a"].args == ("--stdio",)


@pytest.mark.parametrize("text", ["code,docs", " code , docs ,", '["code", "docs"]', ' ["code","docs"]'])
def test_a_list_in_the_environment_is_separated_by_commas_or_json(sandbox: Sandbox, text: str) -> None:
    environment = {"SIGHTLINE_SERVER__TOOLSETS": text}
    assert sandbox.value("server.toolsets", environment=environment) == ("code", "docs")


@pytest.mark.parametrize(
    ("variable", "text", "name", "value"),
    [
        ("SIGHTLINE_SERVER__PORT", "80", "server.port", 80),
        ("SIGHTLINE_DOCS__OFFLINE", "true", "docs.offline", True),
        ("SIGHTLINE_DOCS__TTL_HOURS", "0.5", "docs.ttl_hours", 0.5),
        ("SIGHTLINE_OUTPUT__MAX_RESULTS", '{"check_types": 7}', "output.max_results", {"check_types": 7}),
        ("SIGHTLINE_SERVER__EXCLUDE_TOOLS", "", "server.exclude_tools", ()),
    ],
)
def test_a_variable_is_read_as_the_type_of_its_key(
    sandbox: Sandbox, variable: str, text: str, name: str, value: Any
) -> None:
    assert sandbox.value(name, environment={variable: text}) == value


def test_a_variable_without_two_underscores_is_not_ours(sandbox: Sandbox) -> None:
    others = {"SIGHTLINE_FOO": "1", "SIGHTLINE_PORT": "80", "OTHER_SERVER__PORT": "80", "SIGHTLINE": "x"}
    assert sandbox.load(others).origins == {}


def test_a_byte_order_mark_does_not_spoil_a_file(sandbox: Sandbox) -> None:
    sandbox.project_file.write_bytes(b"\xef\xbb\xbf[code]\npool_size = 2\n")
    assert sandbox.value("code.pool_size") == 2
