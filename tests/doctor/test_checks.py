"""Each thing that can be wrong is found, at its level and with a remedy; what is well is said to be well."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path

import pytest

from sightline import __version__
from sightline.children import Children
from sightline.clients import CLIENTS, Client, Surroundings, client_named
from sightline.clients.registration import find_registration, with_entry
from sightline.clients.server_command import server_command
from sightline.doctor import Finding, Subject, examine
from sightline.doctor.checks.clients import check_clients
from sightline.doctor.checks.interpreter import check_interpreter
from sightline.doctor.checks.language_servers import check_language_servers
from sightline.doctor.checks.runtime import check_runtime
from sightline.doctor.checks.settings import check_roots, check_settings, check_trust
from sightline.doctor.checks.storage import CACHE_NAME, check_cache, check_folders, check_journal, check_records
from sightline.doctor.checks.sync import check_sync
from sightline.doctor.examining import CHECKS
from sightline.doctor.finding import Check, Fix, error, ok
from sightline.library_docs.store.sqlite_store import SqliteDocsStore
from sightline.progress import no_progress
from sightline.projects import Surroundings as ProjectSurroundings
from sightline.sync.opening import SyncDoor
from sightline.sync.service import SyncAsk
from sightline.trust import TrustStore
from tests.doctor.conftest import MakeSubject

pytestmark = pytest.mark.anyio


SPEAKS = f"#!/bin/sh\necho 'sightline, version {__version__}'\n"


def bad(findings: list[Finding]) -> list[Finding]:
    for each in findings:
        assert each.level == "ok" or each.remedy, f"no remedy: {each.message}"
    return [each for each in findings if each.level != "ok"]


def program(folder: Path, name: str, text: str = "#!/bin/sh\nexit 1\n") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(text)
    path.chmod(0o755)
    return path


async def test_what_sightline_runs_on_is_really_run(make_subject: MakeSubject) -> None:
    found = await check_runtime(make_subject())
    assert bad(found) == []
    assert [each.message.split()[0] for each in found] == ["Sightline", "Python", "node", "Pyright"]
    assert found[2].message.split()[1].startswith("v")


async def test_settings_that_cannot_be_used_are_an_error_and_the_rest_is_still_examined(
    make_subject: MakeSubject,
) -> None:
    (make_subject().root / "sightline.toml").write_text("[server]\nread_onli = true\n")
    subject = make_subject()
    (finding,) = bad(await check_settings(subject))
    assert finding.level == "error"
    assert "read_onli" in finding.message
    assert "server.read_only" in (finding.remedy or "")
    assert bad(await check_roots(subject)) == []
    assert await check_trust(subject) == []


async def test_settings_are_told_with_their_origin(make_subject: MakeSubject) -> None:
    subject = make_subject(SIGHTLINE_CODE__POOL_SIZE="2")
    messages = [each.message for each in await check_settings(subject)]
    assert "code.pool_size = 2 (environment: SIGHTLINE_CODE__POOL_SIZE)" in messages


async def test_a_root_that_does_not_exist_is_an_error(make_subject: MakeSubject) -> None:
    subject = make_subject(SIGHTLINE_SERVER__ALLOWED_ROOTS="/no/such/folder,/tmp")
    (finding,) = bad(await check_roots(subject))
    assert (finding.level, "/no/such/folder" in finding.message) == ("error", True)


async def test_a_file_that_waits_for_trust_is_a_warning_until_it_is_trusted(make_subject: MakeSubject) -> None:
    file = make_subject().root / "sightline.toml"
    file.write_text("[docs]\nallowed_hosts = ['a.example']\n")
    subject = make_subject()
    (finding,) = bad(await check_trust(subject))
    assert (finding.level, "docs.allowed_hosts" in finding.message) == ("warning", True)
    assert bad(await check_settings(subject)) == [], "it is told once"
    TrustStore(subject.places.trust).grant(subject.root, file.read_bytes())
    assert bad(await check_trust(make_subject())) == []


async def test_the_interpreter_and_its_reason_are_told(make_subject: MakeSubject, tmp_path: Path) -> None:
    assert [each.message for each in await check_interpreter(make_subject())] == ["no Python code is here"]
    (make_subject().root / "a.py").touch()
    (finding,) = bad(await check_interpreter(make_subject(PATH=str(tmp_path / "nowhere"))))
    assert "no Python was found" in finding.message
    venv = tmp_path / "venv"
    program(venv / "bin", "python")
    (venv / "lib" / "python3.12" / "site-packages").mkdir(parents=True)
    (venv / "pyvenv.cfg").write_text("version = 3.12.1\n")
    found = await check_interpreter(make_subject(VIRTUAL_ENV=str(venv)))
    assert bad(found) == []
    assert f"{venv / 'bin' / 'python'}, because: VIRTUAL_ENV" in [each.message for each in found]


async def test_a_server_is_started_and_one_that_fails_or_is_missing_is_named(
    make_subject: MakeSubject, tmp_path: Path
) -> None:
    root = make_subject().root
    for name in ("a.py", "b.go", "c.zig", "d.json"):
        (root / name).touch()
    program(tmp_path / "bin", "gopls", "#!/bin/sh\necho broken >&2\nexit 1\n")
    program(tmp_path / "bin", "lua-language-server")
    found = await check_language_servers(make_subject(PATH=f"{tmp_path / 'bin'}:/usr/bin:/bin"))
    levels = {each.message.split()[0]: each.level for each in bad(found)}
    assert levels["gopls"] == "error", "the project needs it"
    assert levels["zls"] == "warning"
    assert levels["lua-language-server"] == "warning", "nobody needs it here"
    assert "json" not in levels
    assert any(each.message.startswith("pyright 1.") and "python (1 file)" in each.message for each in found)
    assert any("broken" in each.message for each in found)


async def test_a_server_that_the_user_set_up_must_be_there(make_subject: MakeSubject) -> None:
    servers = json.dumps({"mine": {"command": "no-such-server", "extensions": [".mine"]}})
    found = bad(await check_language_servers(make_subject(SIGHTLINE_CODE__SERVERS=servers)))
    assert [(each.level, each.message.split()[0]) for each in found] == [("error", "mine")]


async def test_folders_are_made_only_when_that_is_asked_for(make_subject: MakeSubject) -> None:
    subject = make_subject()
    assert bad(await check_folders(subject)) == []
    assert not subject.places.data.exists()
    report = await examine(subject, [Check("folders", check_folders)], is_fixing=True)
    assert f"done: make {subject.places.data}" in report.done
    assert subject.places.data.is_dir()
    assert (await examine(subject, [Check("folders", check_folders)], is_fixing=True)).done == []


async def test_a_file_in_the_place_of_a_folder_is_an_error(make_subject: MakeSubject) -> None:
    make_subject().places.cache.write_text("")
    (finding,) = bad(await check_folders(make_subject()))
    assert (finding.level, finding.fix) == ("error", None)


async def test_a_damaged_cache_is_set_aside_and_never_deleted(make_subject: MakeSubject) -> None:
    subject = make_subject()
    path = subject.places.data / CACHE_NAME
    subject.places.data.mkdir()
    path.write_bytes(b"not a database" * 100)
    (finding,) = bad(await check_cache(subject))
    assert finding.level == "error"
    assert path.exists(), "a look changes nothing"
    report = await examine(subject, [Check("docs cache", check_cache)], is_fixing=True)
    assert report.is_well
    assert not path.exists()
    (kept,) = subject.places.data.iterdir()
    assert kept.read_bytes() == b"not a database" * 100


async def test_a_sound_cache_that_is_in_use_is_left_alone(make_subject: MakeSubject) -> None:
    subject = make_subject()
    subject.places.data.mkdir()
    path = subject.places.data / CACHE_NAME
    store = SqliteDocsStore(path, clock=time.time)
    assert (await store.statistics()).problem is None
    before = path.read_bytes()
    report = await examine(subject, [Check("docs cache", check_cache)], is_fixing=True)
    assert (report.is_well, list(report.done)) == (True, [])
    assert path.read_bytes() == before
    assert (await store.statistics()).problem is None
    await store.aclose()


async def test_a_transaction_that_was_cut_short_is_settled(make_subject: MakeSubject) -> None:
    subject = make_subject()
    (subject.places.journal / "t-abc").mkdir(parents=True)
    (finding,) = bad(await check_journal(subject))
    assert finding.level == "warning"
    report = await examine(subject, [Check("journal", check_journal)], is_fixing=True)
    assert list(report.done) == ["done: settle changes that were cut short"]
    assert list(subject.places.journal.glob("t-*")) == []


async def test_a_damaged_record_of_clients_is_set_aside(make_subject: MakeSubject) -> None:
    subject = make_subject()
    subject.places.data.mkdir()
    (subject.places.data / "registrations.json").write_text("{")
    assert bad(await check_records(subject))[0].level == "error"
    report = await examine(subject, [Check("registrations", check_records)], is_fixing=True)
    assert report.is_well
    assert [each.name.startswith("registrations.json.damaged-") for each in subject.places.data.iterdir()] == [True]


async def test_drift_and_conflicts_are_warnings_once_a_sync_was_made(make_subject: MakeSubject) -> None:
    subject = make_subject()
    root = subject.root
    nothing = await check_sync(subject)
    assert {each.level for each in nothing} == {"ok"}
    assert all("never synced" in each.message for each in nothing), "what was never synced holds nothing"
    (root / "CLAUDE.md").write_text("# Rules\n\nBe brief.\n")
    (root / "AGENTS.md").write_text("# Mine\n")
    found = await check_sync(subject)
    assert bad(found) == [], "who never synced is not ill"
    assert any("never synced" in each.message for each in found)
    await sync_now(subject)
    assert bad(await check_sync(subject)) == []
    (root / "CLAUDE.md").write_text("# Rules\n\nBe long.\n")
    assert {each.level for each in bad(await check_sync(subject))} == {"warning"}


async def sync_now(subject: Subject, ask: SyncAsk | None = None) -> None:
    with Children() as children:
        around = ProjectSurroundings(subject.environment, subject.home)
        service = SyncDoor(subject.settings.sync, around, subject.places.data, children, subject.platform).service()
        planned = await service.plan(subject.root, ask or SyncAsk())
        await service.apply(subject.root, ask or SyncAsk(), planned.plan.plan_id, no_progress)


async def test_what_a_project_left_that_is_not_there_any_more_is_a_warning(
    make_subject: MakeSubject, tmp_path: Path
) -> None:
    subject = make_subject()
    other = tmp_path / "other"
    (other / ".claude").mkdir(parents=True)
    (other / ".claude/settings.json").write_text('{"permissions": {"deny": ["Bash(rm *)"]}}')
    await sync_now(replace(subject, root=other), SyncAsk(scope="all"))
    assert bad(await check_sync(subject)) == []
    other.rename(tmp_path / "moved")
    assert [f"`{other}` is not there any more" in each.message for each in bad(await check_sync(subject))] == [True]


async def test_a_cli_that_has_not_understood_what_was_written_is_a_warning(
    make_subject: MakeSubject, tmp_path: Path
) -> None:
    says_nothing = '#!/bin/sh\n[ "$1" = --version ] && echo codex-cli 0.166.0 && exit\necho []\n'
    program(tmp_path / "bin", "codex", says_nothing)
    subject = make_subject()
    subject = replace(subject, environment={**subject.environment, "PATH": f"{tmp_path / 'bin'}:/usr/bin:/bin"})
    (subject.root / ".mcp.json").write_text('{"mcpServers": {"files": {"command": "f"}}}')
    await sync_now(subject)
    (found,) = bad(await check_sync(subject))
    assert "codex, project: its own command has not understood all of it" in found.message


async def test_the_home_folder_is_no_project_to_sync(make_subject: MakeSubject) -> None:
    subject = make_subject()
    assert bad(await check_sync(replace(subject, root=subject.home))) == []


def around(subject: Subject) -> Surroundings:
    return Surroundings(subject.environment, subject.home, subject.root, subject.platform)


def register(subject: Subject, client: Client, program: str) -> Path:
    entry = client.entry(server_command(client, "user", (program,)))
    edit = with_entry(find_registration(client, "user", around(subject)), entry, None)
    edit.path.parent.mkdir(parents=True, exist_ok=True)
    edit.path.write_bytes(edit.after or b"")
    return edit.path


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.id)
async def test_a_registered_client_is_told_and_an_entry_that_leads_nowhere_is_an_error(
    make_subject: MakeSubject, tmp_path: Path, client: Client
) -> None:
    subject = make_subject()
    assert bad(await check_clients(subject)) == []
    ours = program(tmp_path / "bin", "sightline", SPEAKS)
    path = register(subject, client, str(ours))
    found = await check_clients(subject)
    assert bad(found) == []
    assert any(str(path) in each.message and str(ours) in each.message for each in found)
    ours.unlink()
    (finding,) = bad(await check_clients(subject))
    assert finding.level == "error"
    assert f"sightline install {client.id}" in (finding.remedy or "")


async def test_an_entry_that_connects_to_a_service_is_no_error(make_subject: MakeSubject) -> None:
    subject = make_subject()
    (subject.home / ".claude.json").write_text(
        '{"mcpServers": {"sightline": {"type": "http", "url": "http://127.0.0.1:8765/mcp"}}}'
    )
    found = await check_clients(subject)
    assert bad(found) == []
    assert any("connects to http://127.0.0.1:8765/mcp" in each.message for each in found)


async def test_a_client_without_us_is_a_warning_and_a_broken_file_an_error(
    make_subject: MakeSubject, tmp_path: Path
) -> None:
    program(tmp_path / "bin", "codex")
    subject = make_subject(PATH=str(tmp_path / "bin"))
    (finding,) = bad(await check_clients(subject))
    assert (finding.level, finding.remedy) == ("warning", "`sightline install codex`")
    config = client_named("codex").files("user", around(subject))[0]
    config.parent.mkdir()
    config.write_text("a = \n")
    (finding,) = bad(await check_clients(subject))
    assert (finding.level, f"{config}:1:" in finding.message) == ("error", True)


WAYS = {
    "claude plugin": ("claude", ".claude/settings.json", '{"enabledPlugins": {"sightline@sightline": true}}'),
    "claude local": ("claude", ".claude.json", '{"projects": {"PROJECT": {"mcpServers": {"sightline": {}}}}}'),
    "codex plugin": ("codex", ".codex/config.toml", '[plugins."sightline@sightline"]\nenabled = true\n'),
    "gemini extension": ("gemini", ".gemini/extensions/sightline/gemini-extension.json", "{}"),
}


@pytest.mark.parametrize(("name", "file", "text"), WAYS.values(), ids=WAYS.keys())
async def test_a_plugin_counts_and_a_second_way_is_a_warning(
    make_subject: MakeSubject, tmp_path: Path, name: str, file: str, text: str
) -> None:
    subject = make_subject()
    path = subject.home / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text.replace("PROJECT", str(subject.root)))
    found = await check_clients(subject)
    assert bad(found) == []
    assert any(str(subject.home) in each.message for each in found)
    register(subject, client_named(name), str(program(tmp_path / "bin", "sightline", SPEAKS)))
    (finding,) = bad(await check_clients(subject))
    assert (finding.level, "in more than one way" in finding.message) == ("warning", True)


async def test_two_other_ways_are_a_warning_without_an_entry_of_ours(make_subject: MakeSubject) -> None:
    subject = make_subject()
    for _, file, text in (WAYS["claude plugin"], WAYS["claude local"]):
        (subject.home / file).parent.mkdir(parents=True, exist_ok=True)
        (subject.home / file).write_text(text.replace("PROJECT", str(subject.root)))
    (finding,) = bad(await check_clients(subject))
    assert (finding.level, "in more than one way" in finding.message) == ("warning", True)


async def test_a_plugin_that_is_switched_off_does_not_count(make_subject: MakeSubject) -> None:
    subject = make_subject()
    path = subject.home / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text('{"enabledPlugins": {"sightline@sightline": false}}')
    assert not any("plugin" in each.message for each in await check_clients(subject))


async def test_a_setting_that_fails_where_it_is_used_is_an_error_of_that_check(make_subject: MakeSubject) -> None:
    checks = [Check("servers", check_language_servers), Check("interpreter", check_interpreter)]
    report = await examine(make_subject(SIGHTLINE_CODE__LINTERS="nobody"), checks)
    assert [(name, each.level) for name, each in report.findings] == [("servers", "error"), ("interpreter", "error")]
    assert "nobody" in report.findings[0][1].message


async def test_only_errors_make_it_ill_and_a_fix_that_fails_is_said(make_subject: MakeSubject) -> None:
    async def ill(_subject: Subject) -> list[Finding]:
        return [ok("fine"), error("broken", "mend it", Fix("mend it", lambda: "no hammer"))]

    subject = make_subject()
    report = await examine(subject, [Check("x", ill)], is_fixing=True)
    assert not report.is_well
    assert list(report.done) == ["could not mend it: no hammer"]
    assert (await examine(subject, [])).is_well


def test_every_check_has_a_name_of_its_own() -> None:
    names = [check.name for check in CHECKS]
    assert len(set(names)) == len(names)


async def test_records_that_cannot_be_read_are_not_taken_for_damaged(make_subject: MakeSubject) -> None:
    """A loop of links stands for every reason that lies outside the content, such as a missing permission."""
    subject = make_subject()
    path = subject.places.data / "registrations.json"
    path.parent.mkdir(parents=True)
    path.symlink_to(path.name)
    report = await examine(subject, [Check("registrations", check_records)], is_fixing=True)
    (finding,) = bad([each for _, each in report.findings])
    assert (finding.level, finding.fix) == ("error", None)
    assert path.is_symlink()


async def test_an_environment_whose_python_is_gone_is_a_warning(make_subject: MakeSubject, tmp_path: Path) -> None:
    root = make_subject().root
    (root / "a.py").touch()
    (root / ".venv" / "bin").mkdir(parents=True)
    (root / ".venv" / "pyvenv.cfg").write_text("home = /gone/bin\nversion = 3.12.1\n")
    (root / ".venv" / "bin" / "python").symlink_to("/gone/bin/python")
    (finding,) = bad(await check_interpreter(make_subject()))
    assert (finding.level, str(root / ".venv") in finding.message) == ("warning", True)
    found = bad(await check_interpreter(make_subject(VIRTUAL_ENV=str(root / ".venv"))))
    assert len(found) == 1, "it is told once"
    deleted = str(tmp_path / "deleted")
    messages = [each.message for each in bad(await check_interpreter(make_subject(VIRTUAL_ENV=deleted)))]
    assert f"VIRTUAL_ENV names a folder that does not exist: {deleted}" in messages
