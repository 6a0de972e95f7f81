"""Verification without the real CLIs: what happens when there is none, when it fails, and what it may see."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sightline.children import Children
from sightline.sync.outputs import OwnedBlock, OwnedKeys, Rendered, TargetPlaces
from sightline.sync.verifying import Verification
from sightline.sync.verifying.verify import verify
from tests.support.wire import seconds_until_gone
from tests.sync.hard_project import fake_secret

pytestmark = pytest.mark.anyio
SERVER = {"command": "npx", "args": ["-y", "pkg"], "env_vars": ["TOKEN"], "tool_timeout_sec": 90.0}
LISTED = """
import json, os, pathlib, sys, tomllib
where = pathlib.Path(os.environ["HOME"], ".codex/config.toml")
table = tomllib.loads(where.read_text()) if where.exists() else {}
out = pathlib.Path(%(seen)r)
out.mkdir(exist_ok=True)
number = len(list(out.iterdir()))
record = {"argv": sys.argv[1:], "env": dict(os.environ), "cwd": os.getcwd(), "config": where.read_text()}
(out / f"{number}.json").write_text(json.dumps(record))
if sys.argv[1:] == ["--version"]:
    print("codex-cli %(version)s")
elif sys.argv[1:2] == ["mcp"]:
    %(mcp)s
    found = []
    for name, entry in table.get("mcp_servers", {}).items():
        found.append({"name": name, "enabled": entry.get("enabled", True), "transport": entry,
                      "tool_timeout_sec": entry.get("tool_timeout_sec")})
    print(json.dumps(found))
else:
    print(json.dumps([each.read_bytes().decode() for each in pathlib.Path().glob("AGENTS.md")]))
"""


class Bench:
    """A project, a home, and a program that calls itself Codex and writes down how it was called."""

    def __init__(self, folder: Path) -> None:
        self.project, self.home, self.bin = folder / "project", folder / "home", folder / "bin"
        self.seen = folder / "seen"
        for each in (self.project, self.home, self.bin):
            each.mkdir()

    @property
    def config(self) -> Path:
        return self.home / ".codex/config.toml"

    @property
    def places(self) -> TargetPlaces:
        return TargetPlaces(self.project, self.home, {"PATH": str(self.bin), "API_KEY": "not for children"})

    def install(self, *, version: str = "0.166.0", mcp: str = "pass", folder: Path | None = None) -> None:
        script = LISTED % {"seen": str(self.seen), "version": version, "mcp": mcp}
        program = (folder or self.bin) / "codex"
        program.write_text(f"#!{sys.executable}\n{script}")
        program.chmod(0o755)

    def rendered(self, table: Mapping[str, object] = SERVER) -> Rendered:
        path = ("mcp_servers", "files")
        keys = OwnedKeys(self.config, "toml", {path: dict(table)}, "user", {path: "mcp:files@user"})  # pyright: ignore[reportArgumentType] - plain data
        return Rendered((keys,))

    @property
    def planned(self) -> bytes:
        command = b'command = "npx"\nargs = ["-y", "pkg"]\n'
        return b"[mcp_servers.files]\n" + command + b'env_vars = ["TOKEN"]\ntool_timeout_sec = 90.0\n'

    async def verify(self, planned: bytes | None = None, timeout_s: float = 30) -> Verification:
        with Children() as children:
            return await verify(
                "codex",
                self.rendered(),
                self.places,
                children,
                planned={self.config: self.planned if planned is None else planned},
                timeout_s=timeout_s,
            )

    def calls(self) -> list[dict[str, Any]]:
        return [json.loads(file.read_text()) for file in sorted(self.seen.iterdir())]

    def is_trial_left(self) -> bool:
        return any(Path(call["env"]["HOME"]).exists() for call in self.calls())


async def test_a_cli_that_is_not_there_is_told_from_one_that_refuses(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    assert (await bench.verify()).status == "not_installed"


async def test_a_cli_that_lists_what_was_planned_verifies_it_and_nothing_is_written(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.install()
    answer = await bench.verify()
    assert (answer.status, answer.version, answer.findings) == ("verified", "0.166.0", ())
    assert not bench.config.exists()


async def test_the_cli_sees_a_trial_home_and_neither_servers_nor_variables_of_the_person(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.install()
    await bench.verify()
    for call in bench.calls():
        environment = call["env"]
        assert "API_KEY" not in environment
        assert environment["HOME"] != str(bench.home)
        assert environment["HTTPS_PROXY"] == "http://127.0.0.1:1"
        assert call["cwd"] != str(bench.project)
        config = call["config"]
        assert 'command = "npx"' not in config
        assert "/npx" in config
    assert not bench.is_trial_left()


async def test_a_field_that_the_cli_has_otherwise_is_named(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.install(mcp="table['mcp_servers']['files']['args'] = []; table['mcp_servers']['files']['enabled'] = False")
    answer = await bench.verify()
    assert answer.status == "failed"
    assert {(each.place, each.item_id) for each in answer.findings} == {
        ("mcp_servers.files.args", "mcp:files@user"),
        ("mcp_servers.files.enabled", "mcp:files@user"),
    }


async def test_what_a_version_that_is_not_known_does_otherwise_is_unknown_and_not_a_failure(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.install(version="9.0.0", mcp="table = {}")
    answer = await bench.verify()
    assert (answer.status, answer.version) == ("unknown", "9.0.0")
    assert any("9.0.0" in each.message for each in answer.findings)


async def test_a_cli_that_gives_up_on_the_planned_files_refuses_them(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.install(mcp="sys.exit('bad: ' + str(where)) if 'mcp_servers' in table else None")
    answer = await bench.verify()
    assert answer.status == "refused"
    assert not answer.may_be_applied
    assert answer.findings[0].message == f"bad: {bench.config}"


async def test_a_cli_that_gives_up_on_the_files_of_now_as_well_is_not_blamed_on_the_plan(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.install(mcp="sys.exit('always bad')")
    answer = await bench.verify()
    assert answer.status == "unknown"
    assert answer.may_be_applied


async def test_a_message_with_a_secret_in_it_is_not_passed_on(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.install(mcp=f"sys.exit('token = {fake_secret('github')}') if 'mcp_servers' in table else None")
    answer = await bench.verify()
    assert answer.status == "refused"
    assert fake_secret("github") not in repr(answer)


async def test_a_cli_without_an_end_is_unknown(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.install(mcp="import time; time.sleep(600)")
    answer = await bench.verify(timeout_s=3)
    assert answer.status == "unknown"


async def test_a_daemon_of_the_cli_ends_with_the_trial(tmp_path: Path) -> None:
    bench, told = Bench(tmp_path), tmp_path / "daemon"
    bench.install(mcp=_daemon(told, ", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL"))
    assert (await bench.verify()).status == "verified"
    seconds_until_gone([int(told.read_text())])
    assert not bench.is_trial_left()


async def test_a_daemon_that_holds_the_output_ends_with_the_trial_too(tmp_path: Path) -> None:
    bench, told = Bench(tmp_path), tmp_path / "daemon"
    bench.install(mcp=_daemon(told))
    assert (await bench.verify(timeout_s=3)).status == "unknown"
    seconds_until_gone([int(told.read_text())])


async def test_what_a_killed_sync_left_is_removed_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, elsewhere = tmp_path / "tmp", tmp_path / "elsewhere"
    left, young, linked, other = (place / name for name in _NAMES)
    for each in (left, young, elsewhere, other):
        (each / "home").mkdir(parents=True)
    linked.symlink_to(elsewhere)
    for each in (left, elsewhere, other):
        os.utime(each, (1_000.0, 1_000.0))
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    bench = Bench(tmp_path)
    bench.install()
    assert (await bench.verify()).status == "verified"
    assert {each.name for each in place.iterdir()} == {young.name, linked.name, other.name}
    assert (elsewhere / "home").is_dir()


def _daemon(told: Path, more: str = "") -> str:
    """A process that leaves the group and the session of the CLI."""
    waiting = "[sys.executable, '-c', 'import time; time.sleep(600)']"
    start = f"subprocess.Popen({waiting}, start_new_session=True, stdin=subprocess.DEVNULL{more})"
    return f"import subprocess; pathlib.Path({str(told)!r}).write_text(str({start}.pid))"


_NAMES = ("sightline-trial-left", "sightline-trial-young", "sightline-trial-linked", "of-others")


async def test_the_trial_is_for_its_owner_alone(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    modes = tmp_path / "modes"
    bench.install(mcp=f"pathlib.Path({str(modes)!r}).write_text(oct(os.stat('..').st_mode & 0o777))")
    await bench.verify()
    assert modes.read_text() == "0o700"


async def test_an_interpreter_of_the_project_is_never_run(tmp_path: Path) -> None:
    """A folder of the project may be on the search path, and a CLI may be a script that asks for its `node` there."""
    bench, inside = Bench(tmp_path), tmp_path / "project/node_modules/.bin"
    inside.mkdir(parents=True)
    bench.install()
    places = replace(bench.places, variables={"PATH": os.pathsep.join((str(inside), ".", str(bench.bin)))})
    with Children() as children:
        answer = await verify(
            "codex", bench.rendered(), places, children, planned={bench.config: bench.planned}, timeout_s=30
        )
    assert answer.status == "verified"
    assert {call["env"]["PATH"] for call in bench.calls()} == {os.pathsep.join((str(bench.bin), str(bench.bin)))}


@pytest.mark.parametrize("depth", [500, 5_000, 200_000])
async def test_an_answer_that_is_nested_too_deeply_is_unknown(depth: int, tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.install(mcp=f"print('[' * {depth} + ']' * {depth}); sys.exit()")
    assert (await bench.verify()).status in ("unknown", "failed")


async def test_a_cli_that_says_too_much_is_unknown(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.install(mcp="[sys.stdout.write('x' * 1_000_000) for _ in range(30)]; sys.exit()")
    answer = await bench.verify()
    assert answer.status == "unknown"
    assert len(repr(answer)) < 2_000


async def test_a_program_of_the_project_is_never_run(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    inside = bench.project / "node_modules"
    inside.mkdir()
    bench.install(folder=inside)
    (bench.bin / "codex").symlink_to(inside / "codex")
    answer = await bench.verify()
    assert answer.status == "unknown"
    assert not bench.seen.exists()


async def test_a_file_that_cannot_be_parsed_is_never_given_to_the_cli(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.install()
    answer = await bench.verify(b"[mcp_servers.files\n")
    assert answer.status == "unknown"
    assert not bench.seen.exists()


async def test_a_key_that_a_person_kept_in_another_way_is_not_the_fault_of_the_cli(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.install()
    answer = await bench.verify(b'[mcp_servers.files]\ncommand = "mine"\n')
    assert answer.status == "verified"


async def test_a_target_without_a_known_cli_is_unknown(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    with Children() as children:
        answer = await verify("elsewhere", Rendered(()), bench.places, children)
    assert answer.status == "unknown"


async def test_no_secret_of_the_persons_own_is_copied_into_the_trial(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.install()
    token = fake_secret("github")
    own = f'note = "{token}"\n[mcp_servers.own]\ncommand = "own"\nargs = ["--key", "behind"]\n'
    own += f'env = {{ KEY = "anything", PLAIN = "{token}" }}\n'
    answer = await bench.verify(own.encode() + bench.planned)
    assert answer.status == "verified"
    for call in bench.calls():
        assert token not in call["config"]
        assert "anything" not in call["config"]
        assert "behind" not in call["config"]
        assert "env_vars" in call["config"]


@pytest.mark.parametrize("shown", [b"# Mine\r\n\r\n%s\r\n", b"%s\n"])
async def test_line_endings_are_no_reason_to_say_that_text_is_missing(tmp_path: Path, shown: bytes) -> None:
    bench = Bench(tmp_path)
    bench.install()
    path = bench.project / "AGENTS.md"
    block = OwnedBlock(path, "instructions", "# Shop\r\n\r\nUse tabs.\r\n", "project", ("instructions:CLAUDE.md",))
    text = b"<!-- sightline:begin instructions -->\n# Shop\n\nUse tabs.\n<!-- sightline:end instructions -->"
    content = shown % (text.replace(b"\n", b"\r\n") if b"\r" in shown else text)
    with Children() as children:
        whole = await verify("codex", Rendered((block,)), bench.places, children, planned={path: content})
        cut = await verify(
            "codex",
            Rendered((block,)),
            bench.places,
            children,
            planned={path: content.replace(b"Use tabs.", b"Use ")},
        )
    assert (whole.status, whole.findings) == ("verified", ())
    assert [each.message for each in cut.findings] == ["the model does not get all of it"]
