"""`sightline doctor`: the same findings as text and as JSON, and an exit code that says whether all is well."""

from __future__ import annotations

import json

from tests.cli.command_line import CommandLine


def test_a_new_user_with_an_empty_project_is_well(sightline: CommandLine) -> None:
    ended = sightline.run("doctor", PATH="/usr/bin:/bin")
    assert ended.code == 0, ended.out + ended.err
    assert ended.out.splitlines()[-1].startswith("well: 0 errors")
    assert "✓ Pyright 1." in ended.out
    assert "\x1b" not in ended.out
    assert list(sightline.project.iterdir()) == []


def test_json_says_the_same_and_an_error_is_the_exit_code(sightline: CommandLine) -> None:
    sightline.write("sightline.toml", "[server]\nprot = 1\n")
    ended = sightline.run("doctor", "--json", PATH="/usr/bin:/bin")
    assert ended.code == 1
    told = json.loads(ended.out)
    assert (told["ok"], told["errors"], told["root"]) == (False, 1, str(sightline.project))
    (finding,) = [each for each in told["findings"] if each["level"] == "error"]
    assert finding["check"] == "settings"
    assert "prot" in finding["message"]
    assert "server.port" in finding["remedy"]
    text = sightline.run("doctor", PATH="/usr/bin:/bin")
    assert text.code == 1
    assert f"✗ {finding['message']}" in text.out
    assert f"remedy: {finding['remedy']}" in text.out


def test_fix_says_what_it_did(sightline: CommandLine) -> None:
    ended = sightline.run("doctor", "--fix", PATH="/usr/bin:/bin")
    assert ended.code == 0
    assert f"done: make {sightline.home / 'data' / 'sightline'}" in ended.out
    assert (sightline.home / "data" / "sightline").is_dir()
    assert "done:" not in sightline.run("doctor", "--fix", PATH="/usr/bin:/bin").out
