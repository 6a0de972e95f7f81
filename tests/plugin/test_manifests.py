"""The manifests say what the package says, and pass what checks them without a client."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from sightline import __version__
from sightline.app import ALL_TOOLS
from sightline.clients import client_named
from sightline.clients.server_command import server_command
from tests.plugin.repository import MANIFESTS, PLUGIN, ROOT, SERVER_ENTRIES, manifest


@pytest.mark.parametrize("name", MANIFESTS)
def test_a_manifest_has_the_version_of_the_package(name: str) -> None:
    assert manifest(name)["version"] == __version__


@pytest.mark.parametrize(("client", "name"), SERVER_ENTRIES.items())
def test_a_plugin_starts_the_command_that_install_would_write_for_a_project(client: str, name: str) -> None:
    wanted = server_command(client_named(client), "project", ("/unused",))
    assert manifest(name)["mcpServers"] == {"sightline": {"command": wanted.program, "args": list(wanted.args)}}


def test_what_a_manifest_points_to_is_there() -> None:
    codex = manifest("plugin/.codex-plugin/plugin.json")
    assert (PLUGIN / codex["mcpServers"]).is_file()
    assert (PLUGIN / codex["skills"] / "sightline" / "SKILL.md").is_file()
    assert (ROOT / manifest(".claude-plugin/marketplace.json")["plugins"][0]["source"]).samefile(PLUGIN)
    assert (ROOT / manifest(".agents/plugins/marketplace.json")["plugins"][0]["source"]["path"]).samefile(PLUGIN)
    assert (PLUGIN / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


def server_schema() -> Any:
    """The registry's own schema, as skillsaw carries it."""
    place = files("skillsaw") / "schemas" / "mcp_registry" / "v2025_12_11" / "server.schema.json"
    return json.loads(place.read_text(encoding="utf-8"))


def test_server_json_is_valid_by_the_schema_of_the_registry() -> None:
    schema = server_schema()
    told = manifest("server.json")
    assert told["$schema"] == schema["$id"]
    jsonschema.validate(told, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**told, "description": "x" * 101}, schema)


def test_server_json_names_no_package_until_one_is_published() -> None:
    """A name on a package index may be somebody else's."""
    assert "packages" not in manifest("server.json")


def test_server_json_claims_no_name_that_could_be_somebodys() -> None:
    assert manifest("server.json")["name"].startswith("invalid."), "now that it is published: drop this test"


def test_the_owner_of_the_name_is_told_where_the_registry_looks() -> None:
    name = manifest("server.json")["name"]
    assert f"<!-- mcp-name: {name} -->" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert f'io.modelcontextprotocol.server.name="{name}"' in (ROOT / "Dockerfile").read_text(encoding="utf-8")


def test_the_bundle_asks_for_the_command_and_the_project() -> None:
    bundle = manifest("packaging/mcpb/manifest.json")
    config = bundle["server"]["mcp_config"]
    asked = re.findall(r"\$\{user_config\.(\w+)\}", json.dumps(config))
    assert asked == list(bundle["user_config"]) == ["command", "project"]
    assert all(each["required"] for each in bundle["user_config"].values())


def test_skill_and_plugins_pass_the_linter_of_agent_files() -> None:
    done = subprocess.run(
        [Path(sys.executable).with_name("skillsaw"), "lint", "--strict", PLUGIN],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Skills:    1" in done.stdout


def test_the_skill_names_only_tools_that_exist_and_the_core_ones_are_in_it() -> None:
    text = (PLUGIN / "skills" / "sightline" / "SKILL.md").read_text(encoding="utf-8")
    names = {tool.name for tool in ALL_TOOLS}
    verbs = {name.partition("_")[0] for name in names}
    named = {word for word in re.findall(r"`(\w+_\w+)`", text) if word.partition("_")[0] in verbs}
    assert named <= names
    assert {"check_types", "check_edit", "find_references", "rename_symbol", "get_library_docs"} <= named


def test_a_skill_says_only_error_kinds_that_exist() -> None:
    from sightline.errors import ErrorKind

    text = (PLUGIN / "skills" / "sightline" / "SKILL.md").read_text(encoding="utf-8")
    told = set(re.findall(r"^- `(\w+)`:", text, re.MULTILINE))
    assert told
    assert told <= {str(kind) for kind in ErrorKind}


def test_the_dockerfile_says_that_it_is_not_built_and_copies_only_what_is_let_through() -> None:
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert "Not built by the checks" in text
    allowed = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    copied = {
        word.removeprefix("./") for line in re.findall(r"^COPY (.*)$", text, re.MULTILINE) for word in line.split()
    }
    assert copied - {"", "."} <= allowed
    assert all((ROOT / name).exists() for name in allowed)
