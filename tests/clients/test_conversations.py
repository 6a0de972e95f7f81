"""Whole conversations: the model of each agent CLI is shown what Sightline said, to the byte, nothing cut or doubled.

A model without a mind of its own asks for the calls of `CALLS`. That the answers themselves are right is for other
tests; here it counts what is left of them when a client has passed them on.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from sightline.app import ALL_TOOLS
from tests.clients.conversation import CALLS, Said, direct, prepare, without_durations
from tests.clients.dialects import CodeModeResponses
from tests.clients.programs import installed
from tests.clients.scripted_model import DONE, SERVER_NAME, ToolCall
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
    assert [each.is_error for each in said.answers] == [False, False, False, False, True]
    assert_page_is_as_long_as_allowed(said.answers[2])
    assert "give a path relative to the project root" in shown[-1]
    if agent is not CODEX_IN_CODE_MODE:
        assert session.surroundings.count(said.instructions) == 1
    assert session.ended.left == ()


def test_a_script_of_codex_finds_every_tool_with_the_instructions_in_its_description(shop: Path, home: Path) -> None:
    """In code mode the model is shown no tools: it looks for them in a list, where the instructions stand at each."""
    program = installed("codex", home)

    agent = replace(CODEX_IN_CODE_MODE, dialect=ListingScript)
    session = agent.session(program, shop, [ToolCall("none")])

    instructions = direct(shop, home, agent.flags, []).instructions
    listed = json.loads(session.results[0].partition("Output:")[2])
    assert {name: text.count(instructions) for name, text in listed.items()} == {
        f"mcp__{SERVER_NAME}__{tool.name}": 1 for tool in ALL_TOOLS
    }


class ListingScript(CodeModeResponses):
    """Whatever is asked for, the script lists our tools with their descriptions."""

    def source(self, call: ToolCall) -> str:
        ours = f"ALL_TOOLS.filter(each => each.name.startsWith('mcp__{SERVER_NAME}__'))"
        return f"text(Object.fromEntries({ours}.map(each => [each.name, each.description])))"


def assert_page_is_as_long_as_allowed(page: Said) -> None:
    """What is too long is cut by us, between lines, with where to read on; so a client's own knife has no work."""
    assert page.data["truncated"] is True
    assert f"read on at offset {page.data['next_offset']}" in page.text
