"""Plugin, extension and bundle by the tools of those who load them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from zipfile import ZipFile

from sightline import __version__
from tests.clients.programs import REPOSITORY, SIGHTLINE, Program

PLUGIN = REPOSITORY / "plugin"


def test_claude_code_finds_nothing_wrong_with_plugin_and_marketplace(claude: Program, tmp_path: Path) -> None:
    market = claude.run("plugin", "validate", "--strict", REPOSITORY, folder=tmp_path)
    assert market.code == 0, market.all
    plugin = claude.run("plugin", "validate", "--strict", "--profile", "directory", PLUGIN, folder=tmp_path)
    assert plugin.code == 0, plugin.all


def test_claude_code_installs_the_plugin_and_connects(claude: Program, tmp_path: Path) -> None:
    path = os.pathsep.join([str(claude.path.parent), str(SIGHTLINE.parent), "/usr/bin", "/bin"])
    added = claude.run("plugin", "marketplace", "add", REPOSITORY, folder=tmp_path)
    assert added.code == 0, added.all
    installed = claude.run("plugin", "install", "sightline@sightline", folder=tmp_path)
    assert installed.code == 0, installed.all
    listed = claude.run("mcp", "list", folder=tmp_path, PATH=path)
    assert "plugin:sightline:sightline" in listed.out
    assert "✔ Connected" in listed.out
    details = claude.run("plugin", "details", "sightline", folder=tmp_path)
    assert "sightline" in details.out


def test_codex_installs_the_plugin_with_server_and_skill(codex: Program, tmp_path: Path) -> None:
    assert codex.run("plugin", "marketplace", "add", REPOSITORY, folder=tmp_path).code == 0
    added = codex.run("plugin", "add", "sightline@sightline", "--json", folder=tmp_path)
    assert added.code == 0, added.all
    told = json.loads(added.out)
    assert told["version"] == __version__
    assert (Path(told["installedPath"]) / "skills" / "sightline" / "SKILL.md").is_file()
    servers = json.loads(codex.run("mcp", "list", "--json", folder=tmp_path).out)
    assert [(each["name"], each["transport"]["command"]) for each in servers] == [("sightline", "sightline")]


def test_gemini_finds_nothing_wrong_with_the_extension(gemini: Program, tmp_path: Path) -> None:
    ended = gemini.run("extensions", "validate", PLUGIN, folder=tmp_path)
    assert ended.code == 0, ended.all
    assert "successfully validated" in ended.all


def test_gemini_installs_the_extension_with_server_and_skill(gemini: Program, tmp_path: Path) -> None:
    path = os.pathsep.join([str(gemini.path.parent), str(SIGHTLINE.parent), "/usr/bin", "/bin"])
    added = gemini.run("extensions", "install", PLUGIN, "--consent", folder=tmp_path)
    assert added.code == 0, added.all
    listed = gemini.run("mcp", "list", folder=tmp_path, PATH=path)
    assert "✓ sightline (from sightline)" in listed.all
    assert "sightline [Enabled]" in gemini.run("skills", "list", folder=tmp_path).all


def test_the_bundle_is_valid_and_can_be_packed(mcpb: Program, tmp_path: Path) -> None:
    folder = REPOSITORY / "packaging" / "mcpb"
    checked = mcpb.run("validate", folder / "manifest.json", folder=tmp_path)
    assert checked.code == 0, checked.all
    packed = mcpb.run("pack", folder, tmp_path / "sightline.mcpb", folder=tmp_path)
    assert packed.code == 0, packed.all
    with ZipFile(tmp_path / "sightline.mcpb") as bundle:
        assert json.loads(bundle.read("manifest.json"))["version"] == __version__
        assert "icon.png" in bundle.namelist()
