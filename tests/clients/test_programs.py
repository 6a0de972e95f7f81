"""The clients themselves: each is the pinned version, and a missing one cannot pass unseen where it is required."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from scripts.install_clients import PACKAGES

from tests.clients.programs import Program, installed, processes_left


def pinned(package: str) -> str:
    return next(each.rpartition("@")[2] for each in PACKAGES if each.startswith(f"{package}@"))


def test_claude_is_the_pinned_version(claude: Program, tmp_path: Path) -> None:
    assert pinned("@anthropic-ai/claude-code") in claude.run("--version", folder=tmp_path).out


def test_codex_is_the_pinned_version(codex: Program, tmp_path: Path) -> None:
    assert pinned("@openai/codex") in codex.run("--version", folder=tmp_path).out


def test_gemini_is_the_pinned_version(gemini: Program, tmp_path: Path) -> None:
    assert pinned("@google/gemini-cli") in gemini.run("--version", folder=tmp_path).out


def test_opencode_is_the_pinned_version(opencode: Program, tmp_path: Path) -> None:
    assert pinned("opencode-ai") in opencode.run("--version", folder=tmp_path).out


def test_a_missing_client_is_a_skip_that_says_how_to_have_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGHTLINE_CLIENTS_BIN", str(tmp_path))
    monkeypatch.delenv("SIGHTLINE_CLIENTS", raising=False)

    with pytest.raises(pytest.skip.Exception, match="make clients"):
        installed("codex", tmp_path)


def test_a_missing_client_is_a_failure_where_clients_are_required(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIGHTLINE_CLIENTS_BIN", str(tmp_path))
    monkeypatch.setenv("SIGHTLINE_CLIENTS", "required")

    with pytest.raises(pytest.fail.Exception, match="`codex` is not in"):
        installed("codex", tmp_path)


def test_a_process_that_outlives_its_client_is_seen(home: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, env={"HOME": str(home)}) as waiting:
        left = processes_left(home, within_s=0)
        waiting.communicate(b"\n")

    assert [each.endswith("input()") for each in left] == [True]
    assert processes_left(home) == ()
