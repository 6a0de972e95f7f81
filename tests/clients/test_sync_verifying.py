"""Verification asks the real CLIs, and nothing that a configuration names is started or reached by it."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from sightline.children import Children
from sightline.config.schema import Target
from sightline.sync.outputs import TargetPlaces
from sightline.sync.targets.registry import all_targets
from sightline.sync.verifying import Verification
from sightline.sync.verifying.verify import verify
from tests.clients.programs import installed
from tests.sync.source.trees import SmallSource
from tests.sync.targets.materialise import materialise

pytestmark = pytest.mark.anyio
TARGETS: tuple[Target, ...] = ("codex", "gemini", "opencode")


@dataclass(frozen=True, slots=True)
class Listener:
    """Writes down who came."""

    address: str
    visits: list[str] = field(default_factory=list[str])


@pytest.fixture
def listener() -> Iterator[Listener]:
    visits: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            visits.append(self.path)
            self.send_error(404)

        def do_POST(self) -> None:
            self.do_GET()

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield Listener(f"http://127.0.0.1:{server.server_address[1]}/mcp", visits)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


async def asked(target: Target, source: SmallSource, planned: dict[Path, bytes | None] | None = None) -> Verification:
    path = installed(target, source.home).environment()["PATH"]
    places = TargetPlaces(source.project, source.home, {"PATH": path})
    rendered = all_targets()[target].render(source.read(), places, frozenset({"user", "project"}))
    if planned is None:
        materialise(rendered)
    with Children() as children:
        return await verify(target, rendered, places, children, planned=planned)


@pytest.mark.parametrize("target", TARGETS)
async def test_no_server_and_no_hook_is_started_or_reached(target: Target, tmp_path: Path, listener: Listener) -> None:
    source = SmallSource(tmp_path)
    marks = tmp_path / "marks"
    marks.mkdir()
    servers = {
        "local": {"command": "touch", "args": [f"{marks}/server"]},
        "remote": {"type": "http", "url": listener.address},
        "helped": {"type": "http", "url": listener.address, "headersHelper": f"touch {marks}/helper"},
    }
    hook = {"type": "command", "command": f"touch {marks}/hook"}
    hooks = {event: [{"hooks": [hook]}] for event in ("SessionStart", "SessionEnd", "UserPromptSubmit", "Stop")}
    source.write(source.project / ".mcp.json", {"mcpServers": servers})
    source.write(source.project / ".claude/settings.json", {"enableAllProjectMcpServers": True, "hooks": hooks})
    source.write(source.home / ".claude.json", {"mcpServers": servers})
    source.write(source.config / "settings.json", {"enableAllProjectMcpServers": True, "hooks": hooks})
    answer = await asked(target, source)
    assert (answer.status, answer.findings) == ("verified", ())
    assert [file.name for file in marks.iterdir()] == []
    assert listener.visits == []


@pytest.mark.parametrize("target", TARGETS)
async def test_a_variable_that_the_trial_sets_itself_is_no_difference(target: Target, tmp_path: Path) -> None:
    source = SmallSource(tmp_path)
    words = ["${HOME}/tool", "${PATH}"] if target == "opencode" else ["${HOME}/tool", "${HOME:-x}", "${NOT_SET:-y}"]
    servers = {"local": {"command": "touch", "args": words, "env": {"PLACE": "${HOME}/place"}}}
    source.write(source.project / ".mcp.json", {"mcpServers": servers})
    source.write(source.project / ".claude/settings.json", {"enableAllProjectMcpServers": True})
    answer = await asked(target, source)
    assert (answer.status, answer.findings) == ("verified", ())


BROKEN: dict[Target, tuple[str, str]] = {
    "codex": (".codex/config.toml", 'approval_policy = "untrusted"\n'),
    "opencode": (".opencode/agents/x.md", "---\ndescription: x\ntools: Read, Bash\ncolor: blue\n---\nBody.\n"),
}


@pytest.mark.parametrize("target", BROKEN)
async def test_files_that_a_cli_does_not_start_with_are_refused_before_they_are_written(
    target: Target, tmp_path: Path
) -> None:
    source = SmallSource(tmp_path)
    source.write(source.project / "CLAUDE.md", "Be kind.\n")
    name, text = BROKEN[target]
    answer = await asked(target, source, {source.project / name: text.encode()})
    assert answer.status == "refused"
    assert not answer.may_be_applied
    assert answer.findings[0].message
    assert "sightline-trial" not in answer.findings[0].message
    assert not (source.project / name).exists()


@pytest.mark.parametrize(("is_there", "status"), [(True, "verified"), (False, "unknown")])
async def test_a_file_that_opencode_pastes_in_is_no_obstacle_unless_it_is_missing(
    is_there: bool, status: str, tmp_path: Path
) -> None:
    source = SmallSource(tmp_path)
    source.write(source.project / "CLAUDE.md", "Be kind.\n")
    agent = '{"agent": {"reviewer": {"description": "x", "prompt": "{file:./prompts/review.txt}"}}}'
    source.write(source.project / "opencode.json", agent)
    if is_there:
        source.write(source.project / "prompts/review.txt", 'Say "no".\n')

    answer = await asked("opencode", source)

    assert (answer.status, "review.txt" in str(answer.findings)) == (status, not is_there)


async def test_an_answer_of_opencode_that_is_longer_than_a_pipe_holds_is_read_whole(tmp_path: Path) -> None:
    source = SmallSource(tmp_path)
    for number in range(12):
        agent = f"---\nname: a{number}\ndescription: x\n---\n{'Be kind. ' * 2000}\n"
        source.write(source.project / f".claude/agents/a{number}.md", agent)

    answer = await asked("opencode", source)

    assert (answer.status, answer.findings) == ("verified", ())
