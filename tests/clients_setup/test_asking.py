"""From a client's own words to what they mean. The words are those of the versions in the catalogue."""

from __future__ import annotations

import json

import pytest

from sightline.children import CompletedChild
from sightline.clients import client_named
from sightline.clients.asking import read_reply
from tests.clients_setup.surroundings import PROGRAM, entry_for


def said(name: str, out: str = "", err: str = "", code: int = 0) -> tuple[str, str]:
    client = client_named(name)
    assert client.inquiry is not None
    answer = read_reply(client.inquiry, CompletedChild(code, out.encode(), err, 0.1), entry_for(client))
    return answer.verdict, answer.said


@pytest.mark.parametrize(
    ("name", "out", "err", "verdict", "words"),
    [
        ("claude", "sightline:\n  Scope: User config\n  Status: ✔ Connected\n  Type: stdio", "", "connected", "✔"),
        ("claude", "sightline:\n  Scope: User config\n  Status: ✘ Failed to connect\n  Issue: x", "", "failed", "✘"),
        ("claude", "sightline:\n  Scope: Project\n  Status: ⏸ Pending approval", "", "waiting", "Pending"),
        ("claude", "", 'No MCP server named "sightline".', "failed", "No MCP"),
        ("gemini", "", "Configured MCP servers:\n\n✓ sightline: x serve (stdio) - Connected", "connected", "✓"),
        ("gemini", "", "✗ sightline: x serve (stdio) - Disconnected", "failed", "✗"),
        ("gemini", "", "○ sightline: x serve (stdio) - Disabled", "waiting", "Disabled"),
        ("gemini", "", "No MCP servers configured.", "failed", "No MCP"),
        ("opencode", "●  ✓ sightline \x1b[90mconnected\n│      \x1b[90mx serve", "", "connected", "connected"),
        ("opencode", "●  ✗ sightline \x1b[90mfailed\n│      MCP error -32000", "", "failed", "failed"),
        ("opencode", "●  ✗ other \x1b[90mfailed\n│\n●  ✓ sightline \x1b[90mconnected", "", "connected", "sightline"),
        ("opencode", "●  ✗ my-sightline \x1b[90mfailed\n●  ✓ sightline \x1b[90mconnected", "", "connected", "✓"),
        ("gemini", "", "✗ other: /x/sightline - Disconnected\n✓ sightline: y (stdio) - Connected", "connected", "✓"),
        ("opencode", "●  ✓ sightline \x1b[90mconnected\n●  ✗ other \x1b[90mfailed", "", "connected", "sightline"),
    ],
)
def test_the_words_of_a_client_are_understood(name: str, out: str, err: str, verdict: str, words: str) -> None:
    answer = said(name, out, err)
    assert answer[0] == verdict
    assert words in answer[1]
    assert "\x1b" not in answer[1]


def test_codex_must_have_read_the_very_entry() -> None:
    transport = {"type": "stdio", "command": PROGRAM, "args": ["serve", "--context", "codex"]}
    assert said("codex", json.dumps({"name": "sightline", "enabled": True, "transport": transport}))[0] == "listed"
    assert said("codex", json.dumps({"enabled": False, "transport": transport}))[0] == "waiting"
    other = {**transport, "args": ["serve"]}
    assert said("codex", json.dumps({"enabled": True, "transport": other}))[0] == "failed"
    assert said("codex", "", "Error: No MCP server named 'sightline' found.", 1) == (
        "failed",
        "Error: No MCP server named 'sightline' found.",
    )
