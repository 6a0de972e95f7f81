"""`sightline setup`: shows a settings file, writes it on a yes, and never overwrites one."""

from __future__ import annotations

from tests.cli.command_line import CommandLine


def test_the_file_is_shown_and_written_only_on_a_yes(sightline: CommandLine) -> None:
    sightline.write("a.py", "")
    sightline.write("b.go", "package b\n")
    shown = sightline.run("setup", PATH="/usr/bin:/bin", said="y\n")
    assert shown.code == 0
    assert "# Found here: python (1 file), go (1 file)." in shown.out
    assert "say --yes" in shown.err
    assert "gopls is not installed: `go install" in shown.err
    assert not (sightline.project / "sightline.toml").exists()
    assert sightline.run("setup", "--dry-run", "--yes").code == 0
    assert not (sightline.project / "sightline.toml").exists()
    written = sightline.run("setup", "--yes")
    assert written.code == 0
    assert (sightline.project / "sightline.toml").read_text() == written.out == shown.out


def test_a_file_that_is_there_is_never_overwritten(sightline: CommandLine) -> None:
    path = sightline.write("sightline.toml", "[server]\nread_only = true\n")
    ended = sightline.run("setup", "--yes")
    assert (ended.code, "left as they are" in ended.out) == (0, True)
    assert path.read_text() == "[server]\nread_only = true\n"


def test_settings_in_the_manifest_count_as_well(sightline: CommandLine) -> None:
    sightline.write("pyproject.toml", "[tool.sightline.server]\nread_only = true\n")
    ended = sightline.run("setup", "--yes")
    assert "left as they are" in ended.out
    assert not (sightline.project / "sightline.toml").exists()


def test_what_needs_trust_is_said(sightline: CommandLine) -> None:
    sightline.write("a.py", "")
    sightline.write("ruff.toml", "")
    ended = sightline.run("setup", "--yes")
    assert "sightline trust" in ended.err
    assert "needs trust and is ignored" in sightline.run("config", "show").err


def test_a_link_that_leads_nowhere_is_not_written_through(sightline: CommandLine) -> None:
    (sightline.project / "sightline.toml").symlink_to(sightline.home / "elsewhere.toml")
    ended = sightline.run("setup", "--yes")
    assert (ended.code, "is not written through" in ended.err) == (3, True)
    assert not (sightline.home / "elsewhere.toml").exists()
