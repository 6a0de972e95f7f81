"""Whether what a client is told to start is a Sightline that starts: the truth, also where the file still exists."""

from __future__ import annotations

import sys
import venv
from pathlib import Path

import pytest

from sightline.clients import client_named
from sightline.doctor.checks.clients import check_clients
from tests.doctor.conftest import MakeSubject
from tests.doctor.test_checks import bad, program, register
from tests.support.wire import SIGHTLINE

pytestmark = pytest.mark.anyio


async def test_the_real_command_answers(make_subject: MakeSubject) -> None:
    subject = make_subject()
    register(subject, client_named("codex"), str(SIGHTLINE))
    found = await check_clients(subject)
    assert bad(found) == []
    assert any(each.message.endswith(f"config.toml:1 starts `{SIGHTLINE}`") for each in found)


async def test_a_command_whose_environment_was_deleted_does_not_run(make_subject: MakeSubject, tmp_path: Path) -> None:
    """The script is left, and the Python that its first line names is not."""
    subject = make_subject()
    text = f"#!{tmp_path / 'gone' / 'bin' / 'python'}\nprint('never')\n"
    register(subject, client_named("codex"), str(program(tmp_path / "bin", "sightline", text)))
    (finding,) = bad(await check_clients(subject))
    assert (finding.level, finding.remedy) == ("error", "`sightline install codex --scope user --force`")
    assert "does not run" in finding.message


async def test_a_python_that_has_no_sightline_is_an_error(make_subject: MakeSubject, tmp_path: Path) -> None:
    subject = make_subject()
    venv.create(tmp_path / "empty", with_pip=False, symlinks=True)
    python = tmp_path / "empty" / "bin" / "python"
    path = subject.home / ".codex" / "config.toml"
    path.parent.mkdir()
    path.write_text(f'[mcp_servers.sightline]\ncommand = "{python}"\nargs = ["-m", "sightline", "serve"]\n')
    (finding,) = bad(await check_clients(subject))
    assert "does not answer as Sightline" in finding.message
    assert "No module named sightline" in finding.message
    path.write_text(f'[mcp_servers.sightline]\ncommand = "{sys.executable}"\nargs = ["-m", "sightline", "serve"]\n')
    assert bad(await check_clients(subject)) == []


async def test_another_version_is_named(make_subject: MakeSubject, tmp_path: Path) -> None:
    subject = make_subject()
    text = "#!/bin/sh\necho 'sightline, version 99.1'\n"
    register(subject, client_named("codex"), str(program(tmp_path / "bin", "sightline", text)))
    found = await check_clients(subject)
    assert bad(found) == []
    assert any("which is version 99.1" in each.message for each in found)


async def test_a_file_that_may_not_be_executed_is_an_error(make_subject: MakeSubject, tmp_path: Path) -> None:
    subject = make_subject()
    ours = program(tmp_path / "bin", "sightline")
    ours.chmod(0o644)
    register(subject, client_named("codex"), str(ours))
    (finding,) = bad(await check_clients(subject))
    assert "may not be executed" in finding.message


@pytest.mark.parametrize(
    ("name", "before", "after"), [("codex", "args", "enabled = false\nargs"), ("opencode", "true", "false")]
)
async def test_an_entry_that_is_switched_off_is_a_warning(
    make_subject: MakeSubject, name: str, before: str, after: str
) -> None:
    subject = make_subject()
    path = register(subject, client_named(name), str(SIGHTLINE))
    path.write_text(path.read_text().replace(before, after))
    (finding,) = bad(await check_clients(subject))
    assert (finding.level, "switched off" in finding.message) == ("warning", True)


async def test_a_program_that_a_project_names_or_brings_is_not_run(make_subject: MakeSubject, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    text = f"#!/bin/sh\ntouch {mark}\necho 'sightline, version 1'\n"
    subject = make_subject()
    theirs = program(subject.root / "bin", "sightline", text)
    (subject.root / ".mcp.json").write_text(f'{{"mcpServers": {{"sightline": {{"command": "{theirs}"}}}}}}')
    register(subject, client_named("codex"), str(theirs))
    found = await check_clients(subject)
    assert bad(found) == []
    assert sum("was not asked" in each.message for each in found) == 2
    assert not mark.exists()


async def test_a_broken_file_of_the_project_does_not_hide_the_users_entry(make_subject: MakeSubject) -> None:
    subject = make_subject()
    register(subject, client_named("gemini"), str(SIGHTLINE))
    (subject.root / ".gemini").mkdir()
    (subject.root / ".gemini" / "settings.json").write_text("{,")
    found = await check_clients(subject)
    assert len(bad(found)) == 1
    assert any(each.message.startswith("Gemini CLI, user:") for each in found)


@pytest.mark.parametrize("lists", ['{"excluded": ["sightline"]}', '{"allowed": ["other"]}'])
@pytest.mark.parametrize("is_users", [True, False])
async def test_a_list_by_which_gemini_does_not_use_the_entry_is_a_warning(
    make_subject: MakeSubject, lists: str, is_users: bool
) -> None:
    subject = make_subject()
    path = register(subject, client_named("gemini"), str(SIGHTLINE))
    if is_users:
        path.write_text(path.read_text().replace("{", f'{{"mcp": {lists},', 1))
    else:
        (subject.root / ".gemini").mkdir()
        (subject.root / ".gemini" / "settings.json").write_text(f'{{"mcp": {lists}}}')
    (finding,) = bad(await check_clients(subject))
    assert (finding.level, "does not use the entry, by `mcp." in finding.message) == ("warning", True)


async def test_a_list_that_names_us_among_the_only_ones_is_fine(make_subject: MakeSubject) -> None:
    subject = make_subject()
    path = register(subject, client_named("gemini"), str(SIGHTLINE))
    allowed = '{"mcp": {"allowed": ["sightline"], "excluded": ["x"]},'
    path.write_text(path.read_text().replace("{", allowed, 1))
    assert bad(await check_clients(subject)) == []


async def test_an_entry_in_a_file_that_opencode_reads_besides_is_told(
    make_subject: MakeSubject, tmp_path: Path
) -> None:
    named = tmp_path / "named.json"
    named.write_text('{"mcp": {"sightline": {"type": "local", "command": ["x"]}}}')
    register(make_subject(), client_named("opencode"), str(SIGHTLINE))
    (finding,) = bad(await check_clients(make_subject(OPENCODE_CONFIG=str(named))))
    assert f"also an entry in OPENCODE_CONFIG in {named}" in finding.message
    named.write_text("{}")
    assert bad(await check_clients(make_subject(OPENCODE_CONFIG=str(named)))) == []
