"""Whole conversations: the model of each agent CLI is shown what Sightline said, to the byte, nothing cut or doubled.

A model without a mind of its own asks for the calls of `CALLS`. That the answers themselves are right is for other
tests; here it counts what is left of them when a client has passed them on.
"""

from __future__ import annotations

from pathlib import Path

import psutil
import pytest

from tests.clients.conversation import CALLS, Said, direct, prepare, without_durations
from tests.clients.programs import installed
from tests.clients.scripted_model import DONE
from tests.clients.sessions import CLAUDE, CODEX, CODEX_IN_CODE_MODE, GEMINI, OPENCODE

AGENTS = {
    "claude": CLAUDE,
    "codex": CODEX,
    "codex in code mode": CODEX_IN_CODE_MODE,
    "gemini": GEMINI,
    "opencode": OPENCODE,
}


@pytest.mark.parametrize("name", AGENTS)
def test_the_model_sees_what_sightline_said_to_the_byte(name: str, shop: Path, home: Path) -> None:
    agent = AGENTS[name]
    program = installed(agent.program, home)
    prepare(shop)

    session = agent.session(program, shop, CALLS)
    said = direct(shop, home, agent.flags, CALLS)

    assert DONE in session.ended.out
    shown = [without_durations(each) for each in session.results]
    assert shown == [without_durations(agent.shown(each)) for each in said.answers]
    assert [each.is_error for each in said.answers] == [False, False, False, True]
    assert_page_is_as_long_as_allowed(said.answers[2])
    assert "give a path relative to the project root" in shown[-1]
    if agent is not CODEX_IN_CODE_MODE:
        assert session.surroundings.count(said.instructions) == 1
    assert processes_of(shop) == []


def assert_page_is_as_long_as_allowed(page: Said) -> None:
    """What is too long is cut by us, between lines, with where to read on; so a client's own knife has no work."""
    assert page.data["truncated"] is True
    assert f"read on at offset {page.data['next_offset']}" in page.text


def processes_of(project: Path) -> list[str]:
    """Processes that serve the project, after they had time to end."""
    serving = [each for each in psutil.process_iter() if str(project) in _command_line(each)]
    _, alive = psutil.wait_procs(serving, timeout=10)
    return [_command_line(each) for each in alive]


def _command_line(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""
